//! Word overlap by stems.

use super::bm25::sorted;
use super::terms::question_terms;
use super::{Analysis, Match, Pool, Query, Ranked, Strategy};
use crate::memory::StoreKind;

/// Current records that share a word stem with the question, most shared stems first, then newest: `managed-relevant`, for
/// which "hikes" and "hiking" are one word.
pub struct RelevantStem;

impl Strategy for RelevantStem {
    fn name(&self) -> &str {
        "relevant-stem"
    }

    fn summary(&self) -> &str {
        "current records that share a word stem with the question, most shared stems first, then newest"
    }

    fn store(&self) -> StoreKind {
        StoreKind::Managed
    }

    fn rank(&self, query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        let terms = question_terms(query.text(), Analysis::Stem);
        by_overlap(&pool.matches(&terms, Analysis::Stem, query.history))
    }

    fn unranked_reason(&self) -> &str {
        "shares no word stem with the question"
    }
}

/// Most shared terms first, then newest.
pub(super) fn by_overlap(matches: &[Match]) -> Vec<Ranked> {
    sorted(matches.iter().map(|found| Ranked { index: found.index, score: f64::from(found.shared) }))
}
