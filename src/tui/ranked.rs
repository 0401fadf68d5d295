//! The ranking measures, which are derived when a person first wants to see them.

use std::sync::Arc;

use crate::rank::Ranking;

/// How far they are.
#[derive(Debug, Clone, Default)]
pub enum Ranked {
    /// Nobody has asked for them.
    #[default]
    Unasked,
    /// A job ranks.
    Under {
        /// Questions that are done.
        done: usize,
        /// All questions; 0 before the job has begun.
        all: usize,
    },
    /// Here.
    Done(Arc<Ranking>),
    /// The job failed; why.
    Failed(String),
}

impl Ranked {
    /// The measures, once they are here.
    pub fn ranking(&self) -> Option<&Arc<Ranking>> {
        match self {
            Self::Done(ranking) => Some(ranking),
            _ => None,
        }
    }

    /// How many of a hundred parts are done; nothing where no job runs.
    pub fn percent(&self) -> Option<usize> {
        match self {
            Self::Under { done, all } => Some((done * 100).checked_div(*all).unwrap_or(0).min(100)),
            _ => None,
        }
    }
}
