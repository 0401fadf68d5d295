//! Strategies that recallscope does not run: what another system sent, or only what was answered.

use super::{Blocks, Pool, Query, Ranked, Strategy};
use crate::memory::StoreKind;
use crate::recording::BlockRun;

/// A strategy of another memory system, known by the blocks that it sent.
pub struct SentByOther {
    run: BlockRun,
    summary: String,
}

impl SentByOther {
    /// The strategy of a block run.
    pub fn new(run: BlockRun) -> Self {
        let how = if run.ranked { "ranked by" } else { "the blocks of" };
        Self { summary: format!("{how} {}", run.origin), run }
    }
}

impl Strategy for SentByOther {
    fn name(&self) -> &str {
        &self.run.strategy
    }

    fn summary(&self) -> &str {
        &self.summary
    }

    /// Everything that was ever said: what the other system could have kept.
    fn store(&self) -> StoreKind {
        StoreKind::Append
    }

    fn rank(&self, _query: Query<'_>, _pool: &Pool) -> Vec<Ranked> {
        Vec::new()
    }

    fn unranked_reason(&self) -> &str {
        if self.run.ranked { "not ranked, or over the quota" } else { "no line names it" }
    }

    fn blocks(&self) -> Blocks<'_> {
        Blocks::Sent(&self.run)
    }
}

/// A strategy known only by its recorded answers: what was sent with the questions is not in any file.
pub struct AnswersOnly {
    name: String,
}

impl AnswersOnly {
    /// The strategy of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}

impl Strategy for AnswersOnly {
    fn name(&self) -> &str {
        &self.name
    }

    fn summary(&self) -> &str {
        "only its answers are known, not what was sent with the questions"
    }

    fn store(&self) -> StoreKind {
        StoreKind::Append
    }

    fn rank(&self, _query: Query<'_>, _pool: &Pool) -> Vec<Ranked> {
        Vec::new()
    }

    fn blocks(&self) -> Blocks<'_> {
        Blocks::Unknown
    }
}
