//! What was said last.

use super::managed_all::newest_first;
use super::{Pool, Query, Ranked, Strategy};
use crate::memory::StoreKind;

/// The newest current records, whatever is asked; `recency:10` takes ten of them.
pub struct Recency;

impl Strategy for Recency {
    fn name(&self) -> &str {
        "recency"
    }

    fn summary(&self) -> &str {
        "the newest current records, whatever is asked"
    }

    fn store(&self) -> StoreKind {
        StoreKind::Managed
    }

    fn rank(&self, _query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        newest_first(pool)
    }
}
