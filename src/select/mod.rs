//! From readable records to a memory block: strategies rank, the facts quota cuts.

mod append_all;
mod fill;
mod foreign;
mod managed_all;
mod managed_relevant;
mod pool;

use std::sync::Arc;

use crate::case::Question;
use crate::memory::{History, StoreKind};
use crate::recording::BlockRun;
use crate::source::json::did_you_mean;

pub use append_all::AppendAll;
pub use fill::{Outcome, Placed, fill};
pub use foreign::{AnswersOnly, SentByOther};
pub use managed_all::ManagedAll;
pub use managed_relevant::ManagedRelevant;
pub use pool::{Pool, PoolRecord, WordIndex};

/// What a strategy may know of a question. All but `oracle` and `attribute` read its words only.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The question.
    pub question: &'a Question,
    /// Everything that its user said; the pool holds what may be read of it.
    pub history: &'a History,
}

impl<'a> Query<'a> {
    /// The words of the question.
    pub fn text(&self) -> &'a str {
        &self.question.question
    }
}

/// Where the blocks of a strategy come from.
#[derive(Debug, Clone, Copy)]
pub enum Blocks<'a> {
    /// It ranks the pool, and the facts quota cuts.
    Ranked,
    /// Another system sent them.
    Sent(&'a BlockRun),
    /// Nobody knows them: only the answers were recorded.
    Unknown,
}

/// A record of the pool, as a strategy ranked it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Its place in the pool, from 0.
    pub index: usize,
    /// The strategy's own score; comparable only within one ranking.
    pub score: f64,
}

/// Chooses which records are worth sending with a question, and in which order.
///
/// A strategy sees only the pool: the records of one user that its store lets a question read. The quota is not its
/// concern: [`fill`] takes lines in rank order.
pub trait Strategy: Send + Sync {
    /// The name in files and on screen.
    fn name(&self) -> &str;

    /// How it ranks, in one sentence.
    fn summary(&self) -> &str;

    /// The store that it reads.
    fn store(&self) -> StoreKind;

    /// The records to send, best first. A record that is not ranked is left out for the reason of
    /// [`Strategy::unranked_reason`].
    fn rank(&self, query: Query<'_>, pool: &Pool) -> Vec<Ranked>;

    /// Why a record that [`Strategy::rank`] passes over stays out, in a few words.
    fn unranked_reason(&self) -> &str {
        "not ranked"
    }

    /// Where its blocks come from.
    fn blocks(&self) -> Blocks<'_> {
        Blocks::Ranked
    }
}

/// A name that no strategy has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no strategy {name}, expected one of {known}{hint}")]
pub struct UnknownStrategy {
    /// What was asked for.
    pub name: String,
    known: String,
    hint: String,
}

/// The strategies of these names, in their order; those of the recorded evaluation where none is named.
///
/// # Errors
/// A name that no strategy has.
pub fn named(names: &[String]) -> Result<Vec<Arc<dyn Strategy>>, UnknownStrategy> {
    let all = builtin();
    if names.is_empty() {
        return Ok(all);
    }
    let find = |name: &String| {
        all.iter().find(|strategy| strategy.name() == name).cloned().ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|strategy| strategy.name()).collect();
            let near = did_you_mean(name, &known).map(|near| format!("; did you mean {near}?"));
            UnknownStrategy { name: name.clone(), known: known.join(", "), hint: near.unwrap_or_default() }
        })
    };
    names.iter().map(find).collect()
}

/// The strategies of the recorded evaluation, in its order.
pub fn builtin() -> Vec<Arc<dyn Strategy>> {
    vec![Arc::new(ManagedAll), Arc::new(ManagedRelevant), Arc::new(AppendAll)]
}
