//! From readable records to a memory block: strategies rank, the facts quota cuts.

mod append_all;
mod fill;
mod managed_all;
mod managed_relevant;
mod pool;

use crate::memory::StoreKind;

pub use append_all::AppendAll;
pub use fill::{Outcome, Placed, fill};
pub use managed_all::ManagedAll;
pub use managed_relevant::ManagedRelevant;
pub use pool::{Pool, PoolRecord, WordIndex};

/// What a strategy may know of a question.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The words of the question.
    pub text: &'a str,
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
}

/// The strategies of the recorded evaluation, in its order.
pub fn builtin() -> Vec<Box<dyn Strategy>> {
    vec![Box::new(ManagedAll), Box::new(ManagedRelevant), Box::new(AppendAll)]
}
