//! Three totals side by side, and what moved.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::provenance::{Provenance, RecordingProvenance};
use crate::triage::{Moved, Scores, SetAside, StrategyScore};
use crate::workspace::GradedRecording;

use super::{GradeReport, Table, block_cells};

/// The grades of a recording with the three totals: what [`GradeReport`] has, and more.
#[derive(Serialize)]
pub struct TriagedReport<'a> {
    #[serde(flatten)]
    grades: GradeReport,
    totals: Map<String, Value>,
    moved: &'a [Moved],
    set_aside: &'a [SetAside],
    answers_set_aside: usize,
    remarks: &'a [String],
    /// Whose grades the totals count, such as `judges`.
    by: Vec<&'static str>,
}

impl<'a> TriagedReport<'a> {
    /// The report of a graded recording. `remarks` are those of [`crate::triage::export::remarks`].
    ///
    /// # Errors
    /// A value that JSON cannot hold; there is none.
    pub fn new(graded: &GradedRecording, scores: &'a Scores, remarks: &'a [String]) -> Result<Self, serde_json::Error> {
        let mut totals = Map::new();
        for (name, strategies) in scores.named() {
            let mut by_strategy = Map::new();
            for score in strategies {
                by_strategy.insert(score.strategy.clone(), serde_json::to_value(score)?);
            }
            totals.insert(name.to_owned(), Value::Object(by_strategy));
        }
        Ok(Self {
            grades: GradeReport::new(graded)?,
            totals,
            moved: &scores.moved,
            set_aside: &scores.set_aside,
            answers_set_aside: scores.answers_set_aside,
            remarks,
            by: scores.by.iter().map(|grader| grader.name()).collect(),
        })
    }
}

/// One row a strategy and total.
pub fn totals_table(scores: &Scores) -> Table {
    let mut table = Table::new([
        "strategy",
        "total",
        "answers",
        "95 % interval",
        "recall",
        "facts",
        "useful lines",
        "usefulness",
        "stale",
        "forgotten",
        "tokens",
    ]);
    let totals = scores.named();
    for place in 0..scores.as_recorded.len() {
        for (name, strategies) in &totals {
            let Some(score) = strategies.get(place) else { continue };
            table.push(total_cells(name, score));
        }
    }
    table
}

fn total_cells(name: &str, score: &StrategyScore) -> impl Iterator<Item = String> {
    let [facts, recall, rest @ ..] = block_cells(&score.blocks);
    let answers = [
        score.strategy.clone(),
        name.replace('_', " "),
        format!("{}/{}", score.pass, score.answers),
        score.interval.map_or_else(|| "-".to_owned(), |[low, high]| format!("{low:.3}-{high:.3}")),
    ];
    answers.into_iter().chain([recall, facts]).chain(rest)
}

/// One row an answer that a decision moved.
pub fn moved_table(scores: &Scores) -> Table {
    let mut table = Table::new(["strategy", "question", "seed", "before", "after", "why", "answer"]);
    for moved in &scores.moved {
        table.push([
            moved.strategy.clone(),
            moved.question.clone(),
            moved.seed.map_or_else(String::new, |seed| seed.to_string()),
            moved.before.name().to_owned(),
            moved.after.name().to_owned(),
            moved.why.clone(),
            moved.answer.clone(),
        ]);
    }
    table
}

/// One row a recording: what its prompts tell.
pub fn provenance_table(provenance: &Provenance) -> Table {
    let mut table = Table::new([
        "recording",
        "model",
        "provenance",
        "template tokens",
        "compared",
        "reproduced",
        "off",
        "requests",
    ]);
    for found in &provenance.recordings {
        let RecordingProvenance { recording, model, .. } = found;
        let verdict = serde_json::to_value(found.verdict).ok();
        let verdict = verdict.as_ref().and_then(Value::as_str).unwrap_or_default();
        let counts = [found.compared, found.reproduced, found.off.len(), found.requests].map(|count| count.to_string());
        let template = found.template_tokens.map_or_else(|| "-".to_owned(), |tokens| tokens.to_string());
        table.push([recording.clone(), model.clone(), verdict.to_owned(), template].into_iter().chain(counts));
    }
    table
}

/// One row an answer that was not made from its block.
pub fn off_table(provenance: &Provenance) -> Table {
    let mut table = Table::new([
        "recording",
        "strategy",
        "question",
        "seed",
        "prompt_tokens",
        "request_tokens",
        "remainder",
        "finding",
    ]);
    for recording in &provenance.recordings {
        for off in &recording.off {
            table.push([
                recording.recording.clone(),
                off.strategy.clone(),
                off.question.clone(),
                off.seed.map_or_else(String::new, |seed| seed.to_string()),
                off.prompt_tokens.to_string(),
                off.request_tokens.to_string(),
                off.remainder.to_string(),
                "this answer was not made from this block".to_owned(),
            ]);
        }
    }
    table
}
