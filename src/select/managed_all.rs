//! Everything that is current, newest first.

use super::{Pool, Query, Ranked, Strategy};
use crate::memory::StoreKind;

/// The user's current records, newest first.
pub struct ManagedAll;

impl Strategy for ManagedAll {
    fn name(&self) -> &str {
        "managed-all"
    }

    fn summary(&self) -> &str {
        "all current records of the user, newest first"
    }

    fn store(&self) -> StoreKind {
        StoreKind::Managed
    }

    fn rank(&self, _query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        newest_first(pool)
    }
}

/// The whole pool in its own order; the score is the record's number.
pub(super) fn newest_first(pool: &Pool) -> Vec<Ranked> {
    pool.records().iter().enumerate().map(|(index, entry)| Ranked { index, score: entry.record.id as f64 }).collect()
}
