//! What the governed store finds.

use super::{Pool, Query, Ranked, Strategy};
use crate::governed::{Abstention, CONFIDENCE, THRESHOLD, tokens};
use crate::memory::StoreKind;

/// The user's current records in the governed store, ranked as a read of the store ranks them ([`crate::governed::Store::look`]):
/// by shared tokens plus confidence, then the later one, then by id; none below the threshold of 1.5.
///
/// A read answers with the first of them, or abstains; a block takes as many as the quota lets in. Every word counts as shared
/// here, `what` and `is` too: the store's rule knows no stop words.
pub struct Governed;

impl Strategy for Governed {
    fn name(&self) -> &str {
        "governed"
    }

    fn summary(&self) -> &str {
        "current records of the governed store, by shared tokens and confidence from a threshold on, then newest"
    }

    fn store(&self) -> StoreKind {
        StoreKind::Governed
    }

    fn rank(&self, query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        let shared = pool.shared_tokens(&tokens(query.text()), query.history);
        let scored = shared.into_iter().map(|(index, shared)| Ranked { index, score: f64::from(shared) + CONFIDENCE });
        let mut ranked: Vec<Ranked> = scored.filter(|ranked| ranked.score >= THRESHOLD).collect();
        let governed = query.history.governed();
        let key = |ranked: &Ranked| {
            let step = pool.records().get(ranked.index).and_then(|entry| governed.step(entry.record.event));
            step.map_or((0, ""), |step| (step.time, step.id.as_str()))
        };
        ranked.sort_unstable_by(|a, b| {
            let by_score = b.score.total_cmp(&a.score);
            by_score.then_with(|| {
                let ((time, id), (other_time, other_id)) = (key(a), key(b));
                other_time.cmp(&time).then_with(|| id.cmp(other_id))
            })
        });
        ranked
    }

    fn unranked_reason(&self) -> &str {
        "shares no token with the question"
    }

    fn note(&self, query: Query<'_>) -> Option<String> {
        tokens(query.text()).is_empty().then(|| Abstention::NoToken.to_string())
    }
}
