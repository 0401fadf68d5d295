//! Why answers did not pass and how blocks stand.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::triage::{AnswerFinding, AnswerState, BlockFinding, BlockState, Cause, CauseTotals, Causes, Layer};

use super::Table;

/// The causes of a workspace: totals by strategy and cause, then every finding with its proof.
#[derive(Serialize)]
pub struct CauseReport<'a> {
    totals: Map<String, Value>,
    block_totals: Map<String, Value>,
    answers: &'a [AnswerFinding],
    blocks: &'a [BlockFinding],
    /// What a person should know of the decisions: conflicts, questions and answers that are not there.
    remarks: &'a [String],
}

const STATES: [AnswerState; 7] = [
    AnswerState::Cause(Cause::Forgotten),
    AnswerState::Cause(Cause::Stale),
    AnswerState::Cause(Cause::Missing),
    AnswerState::Cause(Cause::Unused),
    AnswerState::Cause(Cause::FaultyKey),
    AnswerState::Incomplete,
    AnswerState::NoBlock,
];

impl<'a> CauseReport<'a> {
    /// The report of causes. `remarks` are those of [`crate::triage::export::remarks`].
    pub fn new(causes: &'a Causes, remarks: &'a [String]) -> Self {
        let totals = causes.totals.iter().map(|totals| (totals.strategy.clone(), counts(totals)));
        Self {
            totals: totals.collect(),
            block_totals: block_totals(causes),
            answers: &causes.answers,
            blocks: &causes.blocks,
            remarks,
        }
    }
}

fn counts(totals: &CauseTotals) -> Value {
    let name = |state: AnswerState| state.name().replace(' ', "_");
    let states = STATES.into_iter().map(|state| (name(state), totals.state(state).into()));
    Value::Object(std::iter::once(("pass".to_owned(), totals.pass.into())).chain(states).collect())
}

fn block_totals(causes: &Causes) -> Map<String, Value> {
    let mut strategies: Vec<(&str, [usize; 6])> = Vec::new();
    for block in &causes.blocks {
        if strategies.last().is_none_or(|(name, _)| *name != block.strategy) {
            strategies.push((&block.strategy, [0; 6]));
        }
        let place = match block.cause {
            BlockState::Sound => 0,
            BlockState::Cause(Cause::Forgotten) => 1,
            BlockState::Cause(Cause::Stale) => 2,
            BlockState::LeakedUnharmed(_) => 3,
            BlockState::Cause(Cause::FaultyKey) => 5,
            BlockState::Cause(_) => 4,
        };
        if let Some(count) = strategies.last_mut().and_then(|(_, counts)| counts.get_mut(place)) {
            *count += 1;
        }
    }
    let names = ["sound", "forgotten", "stale", "leaked_unharmed", "missing", "faulty_key"];
    let named =
        |counts: [usize; 6]| names.into_iter().zip(counts).map(|(name, n)| (name.to_owned(), n.into())).collect();
    strategies.into_iter().map(|(name, counts)| (name.to_owned(), Value::Object(named(counts)))).collect()
}

/// One row a strategy: its answers by cause.
pub fn cause_totals_table(causes: &Causes) -> Table {
    let mut table = Table::new(["strategy", "pass"]);
    // What did not occur in a rare state needs no column.
    let shown = |state: &AnswerState| {
        matches!(state, AnswerState::Cause(_)) || causes.totals.iter().any(|totals| totals.state(*state) > 0)
    };
    let states: Vec<AnswerState> = STATES.into_iter().filter(shown).collect();
    table.heads.extend(states.iter().map(|state| state.name().to_owned()));
    for totals in &causes.totals {
        let counts = states.iter().map(|state| totals.state(*state).to_string());
        table.push([totals.strategy.clone(), totals.pass.to_string()].into_iter().chain(counts));
    }
    table
}

/// One row for all answers of a strategy to a question that did not pass in the same way.
pub fn cause_groups_table(causes: &Causes) -> Table {
    let mut table = Table::new(["strategy", "question", "answers", "cause", "layer", "why"]);
    let mut groups: Vec<(&AnswerFinding, usize)> = Vec::new();
    for finding in &causes.answers {
        let same = |known: &AnswerFinding| {
            (&known.strategy, &known.question, known.cause, &known.sentence, known.made_from_block)
                == (&finding.strategy, &finding.question, finding.cause, &finding.sentence, finding.made_from_block)
        };
        // Answers to one question stand together, so only the last few groups can be the same.
        let near = groups
            .iter()
            .rev()
            .take_while(|(known, _)| known.strategy == finding.strategy && known.question == finding.question);
        match near.enumerate().find(|(_, (known, _))| same(known)).map(|(back, _)| groups.len() - 1 - back) {
            Some(place) => {
                if let Some((_, count)) = groups.get_mut(place) {
                    *count += 1;
                }
            }
            None => groups.push((finding, 1)),
        }
    }
    for (finding, count) in groups {
        let texts = [&finding.strategy, &finding.asked].map(String::clone);
        table.push(texts.into_iter().chain([
            count.to_string(),
            finding.cause.name().to_owned(),
            layer(finding.layer),
            why(finding),
        ]));
    }
    table
}

fn layer(layer: Option<Layer>) -> String {
    layer.map_or_else(String::new, |layer| layer.name().to_owned())
}

fn why(finding: &AnswerFinding) -> String {
    match finding.made_from_block {
        Some(false) => format!("NOT MADE FROM THIS BLOCK; {}", finding.sentence),
        _ => finding.sentence.clone(),
    }
}

/// One row a block that is not sound.
pub fn block_causes_table(causes: &Causes) -> Table {
    let mut table = Table::new(["strategy", "question", "answers", "block", "layer", "why"]);
    for block in causes.blocks.iter().filter(|block| block.cause != BlockState::Sound) {
        table.push([
            block.strategy.clone(),
            block.asked.clone(),
            format!("{}/{}", block.pass, block.answers),
            block.cause.name().to_owned(),
            layer(block.layer),
            block.sentence.clone(),
        ]);
    }
    table
}

/// One row an answer that did not pass, then one row a block that is not sound.
pub fn causes_table(causes: &Causes) -> Table {
    let mut table = Table::new([
        "kind",
        "strategy",
        "question",
        "asked",
        "seed",
        "cause",
        "layer",
        "verdict",
        "corrected",
        "made_from_block",
        "why",
        "answer",
    ]);
    for finding in &causes.answers {
        table.push([
            "answer".to_owned(),
            finding.strategy.clone(),
            finding.question.clone(),
            finding.asked.clone(),
            finding.seed.map_or_else(String::new, |seed| seed.to_string()),
            finding.cause.name().to_owned(),
            layer(finding.layer),
            finding.verdict.name().to_owned(),
            finding.corrected.map_or("", |verdict| verdict.name()).to_owned(),
            finding.made_from_block.map_or("", |made| if made { "yes" } else { "no" }).to_owned(),
            finding.sentence.clone(),
            finding.answer.clone(),
        ]);
    }
    for block in causes.blocks.iter().filter(|block| block.cause != BlockState::Sound) {
        let (cause, layer) = (block.cause.name(), layer(block.layer));
        let texts = ["block", &block.strategy, &block.question, &block.asked, "", cause, &layer, "", "", ""];
        table.push(texts.map(str::to_owned).into_iter().chain([block.sentence.clone(), String::new()]));
    }
    table
}
