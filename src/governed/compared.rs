//! The same questions to three systems under the same token budget for each query: no memory, the newest lines of the
//! transcript, and the governed store. Averages hide which ability fails, so each has its own score and its own floor.

use std::collections::{BTreeMap, BTreeSet};

use super::abilities::{Ability, System};
use super::error::Result;
use super::tokens::{count, tokens};
use super::{Candidate, Kind, Query, Reading, Scope, Source, Store, quote};

/// A fact with its time.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedFact {
    /// The slot.
    pub key: String,
    /// The value.
    pub value: String,
    /// Whose it is.
    pub scope: Scope,
    /// Since when it is true.
    pub time: i64,
}

/// A question with its right answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// What it tests.
    pub ability: Ability,
    /// The words.
    pub question: String,
    /// Who asks.
    pub scope: Scope,
    /// The instant that is asked about.
    pub as_of: Option<i64>,
    /// The right answer; `None` is to abstain.
    pub expected: Option<String>,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What the governed store is told, in order.
    pub facts: Vec<TimedFact>,
    /// What the transcript says, in order.
    pub log: Vec<String>,
    /// The questions. Those about deletion are asked last, after `deleted` was deleted.
    pub probes: Vec<Probe>,
    /// The subject that is deleted.
    pub deleted: Scope,
    /// The most tokens of question and memory together.
    pub budget: usize,
    /// The lowest score of each ability with which a system ships.
    pub floors: BTreeMap<Ability, f64>,
}

/// The score of one ability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SliceScore {
    /// Right answers.
    pub right: usize,
    /// Questions.
    pub of: usize,
    /// The lowest score to ship with, if there is one.
    pub floor: Option<f64>,
}

impl SliceScore {
    /// The share of right answers.
    pub fn score(self) -> f64 {
        if self.of == 0 { 0.0 } else { self.right as f64 / self.of as f64 }
    }

    /// Whether the score reaches the floor.
    pub fn ships(self) -> bool {
        self.floor.is_none_or(|floor| self.score() >= floor)
    }
}

/// How one system did.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The system.
    pub system: System,
    /// Each ability.
    pub slices: BTreeMap<Ability, SliceScore>,
    /// The answer to each probe, in the order of the probes.
    pub answers: Vec<Option<String>>,
    /// Tokens of question and memory of each probe.
    pub tokens: Vec<usize>,
    /// Answers that are another owner's fact and none of the asker's.
    pub foreign_answers: usize,
}

impl Compared {
    /// The share of right answers over all probes.
    pub fn average(&self) -> f64 {
        let (right, of) = self.slices.values().fold((0, 0), |(right, of), slice| (right + slice.right, of + slice.of));
        if of == 0 { 0.0 } else { right as f64 / of as f64 }
    }

    /// The mean number of tokens of a query.
    pub fn tokens_per_query(&self) -> f64 {
        if self.tokens.is_empty() { 0.0 } else { self.tokens.iter().sum::<usize>() as f64 / self.tokens.len() as f64 }
    }

    /// The largest number of tokens of a query.
    pub fn most_tokens(&self) -> usize {
        self.tokens.iter().copied().max().unwrap_or(0)
    }
}

/// Runs a comparison for one system.
///
/// # Errors
/// If SQLite refuses.
pub fn compare(comparison: &Comparison, system: System) -> Result<Compared> {
    let mut reader = match system {
        System::NoMemory => Reader::None,
        System::TranscriptOnly => Reader::Log(&comparison.log),
        System::Governed => Reader::Store(Box::new(told(&comparison.facts)?)),
    };
    let mut answered: Vec<(Option<String>, usize)> = vec![(None, 0); comparison.probes.len()];
    for deletion in [false, true] {
        if deletion && let Reader::Store(store) = &mut reader {
            delete(store, &comparison.deleted)?;
        }
        for (probe, answer) in comparison.probes.iter().zip(&mut answered) {
            if (probe.ability == Ability::Deletion) == deletion {
                *answer = reader.answer(probe, comparison.budget)?;
            }
        }
    }
    let (answers, tokens): (Vec<_>, Vec<_>) = answered.into_iter().unzip();
    let mut slices = BTreeMap::new();
    for (probe, answer) in comparison.probes.iter().zip(&answers) {
        let floor = comparison.floors.get(&probe.ability).copied();
        let slice = slices.entry(probe.ability).or_insert(SliceScore { right: 0, of: 0, floor });
        slice.of += 1;
        slice.right += usize::from(*answer == probe.expected);
    }
    let pairs = comparison.probes.iter().zip(&answers);
    let foreign_answers = pairs.filter(|(probe, answer)| foreign(&comparison.facts, probe, answer.as_deref())).count();
    Ok(Compared { system, slices, answers, tokens, foreign_answers })
}

/// What the governed store weighs for a probe: its candidates with their scores, and the answer or why there is none. A
/// question about deletion is asked after the deletion. Nothing for a place without a probe.
///
/// # Errors
/// If SQLite refuses.
pub fn weigh(comparison: &Comparison, probe: usize) -> Result<Option<Reading>> {
    let Some(probe) = comparison.probes.get(probe) else { return Ok(None) };
    let mut store = told(&comparison.facts)?;
    if probe.ability == Ability::Deletion {
        delete(&mut store, &comparison.deleted)?;
    }
    store.look(&query(probe)).map(Some)
}

fn delete(store: &mut Store, subject: &Scope) -> Result<()> {
    store.delete_subject(subject)?;
    store.invalidate(Some(subject))?;
    Ok(())
}

fn query(probe: &Probe) -> Query {
    Query { as_of: probe.as_of, ..Query::new(&*probe.question, probe.scope.clone()) }
}

/// Whether an answer is another owner's fact and none of the asker's.
pub fn foreign(facts: &[TimedFact], probe: &Probe, answer: Option<&str>) -> bool {
    let says = |own: bool| facts.iter().any(|fact| Some(&*fact.value) == answer && (fact.scope == probe.scope) == own);
    says(false) && !says(true)
}

fn told(facts: &[TimedFact]) -> Result<Store> {
    let mut store = Store::in_memory()?;
    for (at, fact) in facts.iter().enumerate() {
        let candidate = Candidate {
            key: fact.key.clone(),
            value: fact.value.clone(),
            scope: fact.scope.clone(),
            evidence: format!("fact-{}", at + 1),
            time: fact.time,
            kind: Kind::Semantic,
            source: Source::User,
            confidence: 1.0,
            ttl: None,
        };
        store.turn(&candidate, None)?;
    }
    Ok(store)
}

enum Reader<'a> {
    None,
    Log(&'a [String]),
    Store(Box<Store>),
}

impl Reader<'_> {
    /// The answer, and the tokens of the question with the memory that was given to it.
    fn answer(&self, probe: &Probe, budget: usize) -> Result<(Option<String>, usize)> {
        let asked = count(&probe.question);
        match self {
            Self::None => Ok((None, asked)),
            Self::Log(log) => Ok(from_log(log, &probe.question, asked, budget)),
            Self::Store(store) => {
                let reading = store.look(&query(probe))?;
                let Some(answer) = reading.answer() else { return Ok((None, asked)) };
                let spent = asked + count(&quote(&answer.record));
                Ok(if spent > budget { (None, asked) } else { (answer.record.value.clone(), spent) })
            }
        }
    }
}

/// The newest lines that fit; the answer is the last word of the one that shares most tokens with the question, and of
/// equals the newest. Such a reader cannot abstain.
fn from_log(log: &[String], question: &str, asked: usize, budget: usize) -> (Option<String>, usize) {
    let words = tokens(question);
    let mut spent = asked;
    let mut best: Option<(usize, &str)> = None;
    for line in log.iter().rev() {
        let cost = count(line);
        if spent + cost > budget {
            break;
        }
        spent += cost;
        let shared = tokens(line).intersection(&words).collect::<BTreeSet<_>>().len();
        if best.is_none_or(|(most, _)| shared > most) {
            best = Some((shared, line));
        }
    }
    let last = best.and_then(|(_, line)| line.split_whitespace().next_back());
    (last.map(|word| word.trim_end_matches(|c: char| c.is_ascii_punctuation()).to_owned()), spent)
}
