//! Strategies as systems: the facts are events of their users, a block is filled under what the question leaves of the budget,
//! and the value on the best line is the answer.
//!
//! Not tried are `oracle`, which is told the right answer, `attribute` and `dense`, which need a map and a server, and
//! `nothing`, which is the system without memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Answered, TrialError, Tried};
use crate::case::{Event, Op, Question};
use crate::governed::{Ability, Comparison, Probe, Scope, count};
use crate::memory::{History, StoreError, Stores};
use crate::select::{Outcome, Pool, Query, Strategy, choose, fill};
use crate::tokens::TokenCounter;

const NAMES: [&str; 9] = [
    "managed-all",
    "managed-relevant",
    "append-all",
    "governed",
    "recency",
    "relevant-stem",
    "bm25",
    "bm25-stem",
    "hybrid",
];

/// Why no strategy is asked about an earlier time.
const NO_TIME: &str = "a strategy sees the words of a question, and not the time that it asks about";

/// Counts as the comparison does, so that all are held to the same budget.
struct Runs;

impl TokenCounter for Runs {
    fn name(&self) -> &str {
        "runs of a-z and 0-9"
    }

    fn count(&self, text: &str) -> usize {
        count(text)
    }
}

/// A user's history, and for each of its events the value that was told.
struct Told {
    history: History,
    values: Vec<String>,
}

pub(super) fn all(comparison: &Comparison) -> Result<Vec<Tried>, TrialError> {
    let names = NAMES.map(str::to_owned);
    let chosen = choose(&names).unwrap_or_default();
    let strategies: Vec<Arc<dyn Strategy>> = chosen.iter().filter_map(|chosen| chosen.strategy(None)).collect();
    let mut answers: Vec<Vec<Answered>> = vec![Vec::new(); strategies.len()];
    let (before, after) = (told(comparison, false)?, told(comparison, true)?);
    for probe in &comparison.probes {
        let told = if probe.ability == Ability::Deletion { &after } else { &before };
        for (strategy, answers) in strategies.iter().zip(&mut answers) {
            answers.push(ask(&**strategy, probe, told.get(&probe.scope), comparison.budget));
        }
    }
    let tried = strategies.iter().zip(answers).map(|(strategy, answers)| {
        // Beside the system of this name, which reads the same records.
        let name = if strategy.name() == "governed" { "governed block" } else { strategy.name() };
        Tried::of(name.to_owned(), true, comparison, answers)
    });
    Ok(tried.collect())
}

/// What the asker of each probe has said, in stores of that user's own; after the deletion with a request to forget each slot
/// of the subject.
fn told(comparison: &Comparison, deletion: bool) -> Result<BTreeMap<Scope, Told>, StoreError> {
    let askers: BTreeSet<&Scope> = comparison.probes.iter().map(|probe| &probe.scope).collect();
    let mut stores = Stores::in_memory()?;
    let mut told = BTreeMap::new();
    for asker in askers {
        let (mut events, mut values) = (Vec::new(), Vec::new());
        let mut slots: Vec<&str> = Vec::new();
        let mut turn = 0;
        for fact in comparison.facts.iter().filter(|fact| asker.reads(&fact.scope)) {
            let known = slots.contains(&fact.key.as_str());
            turn = u64::try_from(fact.time).unwrap_or(0).max(turn);
            events.push(event(turn, if known { Op::Correct } else { Op::Remember }, &fact.key, &fact.value));
            values.push(fact.value.clone());
            if !known {
                slots.push(&fact.key);
            }
        }
        if deletion && *asker == comparison.deleted {
            for slot in slots {
                events.push(Event { text: format!("Forget my {slot}"), ..event(turn, Op::Forget, slot, "") });
                values.push(String::new());
            }
        }
        let mut history = History::new(asker.to_string());
        stores.apply(&mut history, &events, &Runs)?;
        told.insert(asker.clone(), Told { history, values });
    }
    Ok(told)
}

fn event(turn: u64, op: Op, key: &str, value: &str) -> Event {
    let text = format!("My {key} is {value}");
    Event { turn, text, op, attribute: key.to_owned(), id: None, speaker: None, at: None }
}

fn ask(strategy: &dyn Strategy, probe: &Probe, told: Option<&Told>, budget: usize) -> Answered {
    if probe.as_of.is_some() {
        return Answered::NotAsked { reason: NO_TIME };
    }
    let asked = count(&probe.question);
    let (mut answer, mut tokens) = (None, asked);
    if let Some(Told { history, values }) = told {
        let question = Question { question: probe.question.clone(), ..Question::default() };
        let pool = Pool::at(history, strategy.store(), history.len());
        let ranking = strategy.rank(Query { question: &question, history }, &pool);
        for placed in fill(&ranking, &pool, budget.saturating_sub(asked)) {
            let Some(entry) = pool.records().get(placed.ranked.index).filter(|_| placed.outcome == Outcome::Sent)
            else {
                continue;
            };
            tokens += placed.tokens;
            answer = answer.or_else(|| values.get(entry.record.event).cloned());
        }
    }
    Answered::Asked { right: answer == probe.expected, answer, tokens }
}
