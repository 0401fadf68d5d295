//! Current records that share a word with the question.

use std::cmp::Reverse;

use super::{Pool, Query, Ranked, Strategy};
use crate::memory::{StoreKind, words};

/// Current records that share a word with the question, most shared words first, then newest.
pub struct ManagedRelevant;

impl Strategy for ManagedRelevant {
    fn name(&self) -> &str {
        "managed-relevant"
    }

    fn summary(&self) -> &str {
        "current records that share a word with the question, most shared words first, then newest"
    }

    fn store(&self) -> StoreKind {
        StoreKind::Managed
    }

    fn rank(&self, query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        let mut shared = pool.shared_words(&words(query.text()));
        // Most first; the pool is newest first, and the sort keeps that order.
        shared.sort_by_key(|(_, shared)| Reverse(*shared));
        shared.into_iter().map(|(index, shared)| Ranked { index, score: f64::from(shared) }).collect()
    }

    fn unranked_reason(&self) -> &str {
        "shares no word with the question"
    }
}
