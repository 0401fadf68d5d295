//! What a curriculum should come to, as a file writes it.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::NamedCurriculum;
use super::input::Pair;
use crate::governed::{Attempt, Run};

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The share of training cases that were routed rightly in each pass, to four places.
    pub curve: Vec<f64>,
    /// Every attempt, in order.
    pub log: Vec<Logged>,
    /// A lesson that is tried once more on the resulting policy.
    #[serde(default)]
    pub then: Option<Then>,
}

/// An attempt: the pass from 0, keywords, route, `PROMOTE` or `BLOCK`, and the report.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Logged(usize, BTreeSet<String>, String, String, String);

/// How one more lesson stands the test on the resulting policy, without being promoted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Then {
    lesson: Pair,
    promoted: bool,
    report: String,
}

impl From<&Attempt> for Logged {
    fn from(attempt: &Attempt) -> Self {
        let Attempt { episode, lesson, trial, .. } = attempt;
        let (keywords, route) = (lesson.keywords.clone(), lesson.route.clone());
        Self(*episode, keywords, route, attempt.decision().to_owned(), trial.to_string())
    }
}

/// A share as files write it.
fn four_places(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

impl NamedCurriculum {
    /// What a run came to, as the file writes it, with the further lesson that the file tries.
    pub fn outcome(&self, run: &Run) -> Expected {
        let tried = self.expected.as_ref().and_then(|expected| expected.then.as_ref());
        let then = tried.map(|then| {
            let trial = self.curriculum.trial(&run.policy, &then.lesson.clone().into());
            Then { lesson: then.lesson.clone(), promoted: trial.promotes(), report: trial.to_string() }
        });
        Expected {
            curve: run.curve.iter().copied().map(four_places).collect(),
            log: run.log.iter().map(Logged::from).collect(),
            then,
        }
    }

    /// Whether a run came to what the file expects; nothing where it expects nothing.
    pub fn holds(&self, run: &Run) -> Option<bool> {
        self.expected.as_ref().map(|expected| self.outcome(run) == *expected)
    }
}
