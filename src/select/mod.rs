//! From readable records to a memory block: strategies rank, the facts quota cuts.

mod append_all;
mod attribute;
mod bm25;
mod catalogue;
mod dense;
mod fill;
mod fold;
mod foreign;
mod governed;
mod hybrid;
mod managed_all;
mod managed_relevant;
mod nothing;
mod oracle;
mod pool;
mod projection;
mod recency;
mod relevant_stem;
mod stem;
mod terms;
mod top;

use crate::case::Question;
use crate::memory::{History, StoreKind};
use crate::recording::BlockRun;

pub use append_all::AppendAll;
pub use attribute::Attribute;
pub use bm25::Bm25;
pub use catalogue::{Chosen, UnknownStrategy, builtin, choose, default_for, is_builtin, named};
pub use dense::Dense;
pub use fill::{Outcome, Placed, cut, fill};
pub use foreign::{AnswersOnly, SentByOther};
pub use governed::Governed;
pub use hybrid::Hybrid;
pub use managed_all::ManagedAll;
pub use managed_relevant::ManagedRelevant;
pub use nothing::Nothing;
pub use oracle::Oracle;
pub use pool::{Pool, PoolRecord, WordIndex};
pub use projection::Projection;
pub use recency::Recency;
pub use relevant_stem::RelevantStem;
pub use terms::{Analysis, Match, TermIndex, for_each_term, question_terms};
pub use top::Top;

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

    /// What a reader of this ranking has to know beside the summary, such as what stands in for a map that is not there.
    fn note(&self, _query: Query<'_>) -> Option<String> {
        None
    }

    /// Where its blocks come from.
    fn blocks(&self) -> Blocks<'_> {
        Blocks::Ranked
    }
}
