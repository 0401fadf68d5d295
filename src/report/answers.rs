//! The grades of recorded answers.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::grade::{Grade, Verdict};
use crate::workspace::{GradedRecording, Tally};

/// The grades of one recording: the keys and values of `recordings/answer-grades.json`.
#[derive(Serialize)]
pub struct GradeReport {
    summary: Map<String, Value>,
    graded: Map<String, Value>,
}

#[derive(Default, Serialize)]
struct StrategyReport {
    pass: usize,
    fail: usize,
    incomplete: usize,
    /// `QUESTION REASON` and how many answers did not pass for it.
    reasons: BTreeMap<String, usize>,
}

impl GradeReport {
    /// The report of a graded recording, strategies and questions in the recording's order.
    ///
    /// # Errors
    /// A value that JSON cannot hold; there is none.
    pub fn new(graded: &GradedRecording) -> Result<Self, serde_json::Error> {
        let mut strategies: Vec<(&str, StrategyReport, Map<String, Value>)> = Vec::new();
        for (group, grades) in graded.recording.groups.iter().zip(&graded.grades) {
            let known = strategies.iter().position(|(name, ..)| *name == group.strategy);
            let place = known.unwrap_or_else(|| {
                strategies.push((&group.strategy, StrategyReport::default(), Map::new()));
                strategies.len() - 1
            });
            let Some((_, report, questions)) = strategies.get_mut(place) else { continue };
            report.add(&group.question, grades);
            let verdicts: Vec<Verdict> = grades.iter().map(|grade| grade.verdict).collect();
            questions.insert(group.question.clone(), serde_json::to_value(verdicts)?);
        }
        let mut report = Self { summary: Map::new(), graded: Map::new() };
        for (name, summary, questions) in strategies {
            report.summary.insert(name.to_owned(), serde_json::to_value(summary)?);
            report.graded.insert(name.to_owned(), Value::Object(questions));
        }
        Ok(report)
    }
}

impl StrategyReport {
    fn add(&mut self, question: &str, grades: &[Grade]) {
        let mut tally = Tally::default();
        for grade in grades {
            tally.add(grade.verdict);
            if grade.verdict != Verdict::Pass {
                *self.reasons.entry(format!("{question} {}", grade.reason)).or_default() += 1;
            }
        }
        self.pass += tally.pass;
        self.fail += tally.fail;
        self.incomplete += tally.incomplete;
    }
}
