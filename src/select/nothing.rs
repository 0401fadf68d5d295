//! The lower bound: no memory at all.

use super::{Pool, Query, Ranked, Strategy};
use crate::memory::StoreKind;

/// An empty block, whatever is asked.
pub struct Nothing;

impl Strategy for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }

    fn summary(&self) -> &str {
        "an empty block, whatever is asked: what the model knows without memory"
    }

    fn store(&self) -> StoreKind {
        StoreKind::Managed
    }

    fn rank(&self, _query: Query<'_>, _pool: &Pool) -> Vec<Ranked> {
        Vec::new()
    }

    fn unranked_reason(&self) -> &str {
        "nothing is ever sent"
    }
}
