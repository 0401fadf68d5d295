//! The first records of a ranking.

use std::sync::Arc;

use super::{Blocks, Pool, Query, Ranked, Strategy};
use crate::memory::StoreKind;

/// Another strategy's ranking, cut after its first records: `bm25:5`.
pub struct Top {
    inner: Arc<dyn Strategy>,
    most: usize,
    name: String,
    summary: String,
    reason: String,
}

impl Top {
    /// The first `most` records of a strategy's ranking.
    pub fn new(inner: Arc<dyn Strategy>, most: usize) -> Self {
        Self {
            name: format!("{}:{most}", inner.name()),
            summary: format!("the first {most} of {}: {}", inner.name(), inner.summary()),
            reason: format!("not among the first {most} of {}", inner.name()),
            inner,
            most,
        }
    }
}

impl Strategy for Top {
    fn name(&self) -> &str {
        &self.name
    }

    fn summary(&self) -> &str {
        &self.summary
    }

    fn store(&self) -> StoreKind {
        self.inner.store()
    }

    fn rank(&self, query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        let mut ranked = self.inner.rank(query, pool);
        ranked.truncate(self.most);
        ranked
    }

    fn unranked_reason(&self) -> &str {
        &self.reason
    }

    fn note(&self, query: Query<'_>) -> Option<String> {
        self.inner.note(query)
    }

    fn blocks(&self) -> Blocks<'_> {
        self.inner.blocks()
    }
}
