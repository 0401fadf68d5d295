//! Everything that was ever said, newest first.

use super::managed_all::newest_first;
use super::{Pool, Query, Ranked, Strategy};
use crate::memory::StoreKind;

/// Every record of the append-only store, newest first.
pub struct AppendAll;

impl Strategy for AppendAll {
    fn name(&self) -> &str {
        "append-all"
    }

    fn summary(&self) -> &str {
        "every append-only record of the user, newest first"
    }

    fn store(&self) -> StoreKind {
        StoreKind::Append
    }

    fn rank(&self, _query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        newest_first(pool)
    }
}
