//! Full-text search as most systems have it.

use super::terms::question_terms;
use super::{Analysis, Match, Pool, Query, Ranked, Strategy};
use crate::memory::StoreKind;

/// Current records that hold a word of the question, by BM25, then newest first.
///
/// The scores are those of an FTS5 table over the same records; see [`super::Projection`].
pub struct Bm25(pub Analysis);

impl Strategy for Bm25 {
    fn name(&self) -> &str {
        match self.0 {
            Analysis::Plain => "bm25",
            Analysis::Stem => "bm25-stem",
        }
    }

    fn summary(&self) -> &str {
        match self.0 {
            Analysis::Plain => "current records that hold a word of the question, by BM25 over all words, then newest",
            Analysis::Stem => {
                "current records that hold a word of the question, by BM25 over word stems without stop words, then newest"
            }
        }
    }

    fn store(&self) -> StoreKind {
        StoreKind::Managed
    }

    fn rank(&self, query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        by_score(&pool.matches(&question_terms(query.text(), self.0), self.0, query.history))
    }

    fn unranked_reason(&self) -> &str {
        match self.0 {
            Analysis::Plain => "holds no word of the question",
            Analysis::Stem => "holds no stem of the question's words",
        }
    }
}

/// The best score first, then the newest.
pub(super) fn by_score(matches: &[Match]) -> Vec<Ranked> {
    sorted(matches.iter().map(|found| Ranked { index: found.index, score: found.score }))
}

/// The best score first. The pool is newest first, so the smaller index is the newer record.
pub(super) fn sorted(ranked: impl Iterator<Item = Ranked>) -> Vec<Ranked> {
    // One number for both keys: rankings are most of the evaluation, and comparing numbers needs no branch.
    let mut keys: Vec<u128> =
        ranked.map(|ranked| u128::from(descending(ranked.score)) << 64 | ranked.index as u128).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| Ranked { index: key as u64 as usize, score: score((key >> 64) as u64) }).collect()
}

const SIGN: u64 = 1 << 63;

/// A number that is smaller for a larger score, in the order of [`f64::total_cmp`].
fn descending(score: f64) -> u64 {
    let bits = score.to_bits();
    if bits & SIGN == 0 { !(bits | SIGN) } else { bits }
}

/// The score behind such a number.
fn score(descending: u64) -> f64 {
    f64::from_bits(if descending & SIGN == 0 { !descending & !SIGN } else { descending })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_scores_then_places(scores in prop::collection::vec(prop::num::f64::ANY, 0..40)) {
            let ranked: Vec<Ranked> =
                scores.iter().copied().enumerate().map(|(index, score)| Ranked { index, score }).collect();
            let mut expected = ranked.clone();
            expected.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
            let whole = |ranked: Vec<Ranked>| -> Vec<(usize, u64)> {
                ranked.iter().map(|ranked| (ranked.index, ranked.score.to_bits())).collect()
            };
            prop_assert_eq!(whole(sorted(ranked.into_iter())), whole(expected));
        }
    }
}
