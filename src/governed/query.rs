//! What a read asks and what it answers.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Record, Scope};

/// The score below which a read abstains.
pub const THRESHOLD: f64 = 1.5;

/// A question to the store.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The words.
    pub text: String,
    /// Who asks.
    pub scope: Scope,
    /// The valid time that is asked about.
    pub as_of: Option<i64>,
    /// The present: what has reached its horizon by then is hidden.
    pub now: Option<i64>,
    /// The lowest score that is an answer.
    pub threshold: f64,
}

impl Query {
    /// A question about what is current, with the threshold of 1.5.
    pub fn new(text: impl Into<String>, scope: Scope) -> Self {
        Self { text: text.into(), scope, as_of: None, now: None, threshold: THRESHOLD }
    }
}

/// Which of the store's states a read looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clocks {
    /// As known now. With `as_of`, or else `now`, rows whose interval holds that instant; with neither, active rows.
    Known {
        /// The valid time that is asked about.
        as_of: Option<i64>,
        /// The present.
        now: Option<i64>,
    },
    /// As believed at `decision_time` about `valid_time`.
    Believed {
        /// What was recorded or ended after it does not count.
        decision_time: i64,
        /// The valid time that is asked about.
        valid_time: i64,
    },
}

/// A record that shares a token with the question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Considered {
    /// The record; its span and status are those of the state that was read.
    pub record: Record,
    /// The shared tokens.
    pub shared: BTreeSet<String>,
    /// The number of shared tokens and the confidence.
    pub score: f64,
}

/// The best record and its score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The record.
    pub record: Record,
    /// Its score.
    pub score: f64,
}

/// Why a read answers nothing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Abstention {
    /// The question has no token `[a-z0-9]+`.
    NoToken,
    /// The reader may read no record at these clocks.
    NothingReadable,
    /// No record that the reader may read shares a token with the question.
    NothingShared,
    /// The best score is below the threshold.
    BelowThreshold {
        /// The best score.
        best: f64,
        /// The threshold.
        threshold: f64,
    },
    /// Current values of one slot from different scopes or sources rank equally, and they differ.
    Conflict {
        /// The ids of the records, in order.
        ids: Vec<String>,
    },
}

impl std::fmt::Display for Abstention {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoToken => formatter.write_str("the question has no word of letters a to z or digits"),
            Self::NothingReadable => formatter.write_str("nothing is readable in this scope at these clocks"),
            Self::NothingShared => formatter.write_str("no readable record shares a word with the question"),
            Self::BelowThreshold { best, threshold } => {
                write!(formatter, "the best score {best} is below the threshold {threshold}")
            }
            Self::Conflict { ids } => {
                write!(formatter, "equally ranked values contradict each other: {}", ids.join(", "))
            }
        }
    }
}

/// An answer, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Outcome {
    /// The best record.
    Answered(Answer),
    /// None.
    Abstained(Abstention),
}

/// A read with everything that it weighed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reading {
    /// Every record that was scored, the best first. All are in the reader's scope.
    pub considered: Vec<Considered>,
    /// What comes of it.
    pub outcome: Outcome,
}

impl Reading {
    /// The answer, if there is one.
    pub fn answer(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Answered(answer) => Some(answer),
            Outcome::Abstained(_) => None,
        }
    }

    /// The answer's value.
    pub fn value(&self) -> Option<&str> {
        self.answer().and_then(|answer| answer.record.value.as_deref())
    }
}

/// What ranking before filtering lets out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unsafe {
    /// The best score over the rows of everybody: it tells the reader about a row that is not the reader's.
    pub top_score: Option<f64>,
    /// The value, if the best row happens to be readable.
    pub value: Option<String>,
}
