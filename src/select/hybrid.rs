//! Two rankings become one.

use std::sync::Arc;

use super::bm25::{by_score, sorted};
use super::relevant_stem::by_overlap;
use super::terms::question_terms;
use super::{Analysis, Dense, Pool, Query, Ranked, Strategy};
use crate::embed::Vectors;
use crate::memory::StoreKind;

/// How much the first places of a ranking count before the later ones (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion
/// outperforms Condorcet and individual Rank Learning Methods", 2009).
const K: f64 = 60.0;

/// Reciprocal rank fusion of `bm25-stem` with `dense`, or with `relevant-stem` where no embeddings are there.
///
/// Without embeddings word overlap is the partner that measures best: BM25 favours rare words and short lines, overlap the
/// lines that hold more of the question, and what both put first is right more often than what either does.
#[derive(Default)]
pub struct Hybrid {
    dense: Option<Dense>,
}

impl Hybrid {
    /// The fusion with `dense`, where there are embeddings.
    pub fn new(vectors: Option<Arc<Vectors>>) -> Self {
        Self { dense: vectors.map(Dense::new) }
    }
}

impl Strategy for Hybrid {
    fn name(&self) -> &str {
        "hybrid"
    }

    fn summary(&self) -> &str {
        match self.dense {
            Some(_) => "bm25-stem and dense together, by the places that each gives a record",
            None => "bm25-stem and relevant-stem together, by the places that each gives a record",
        }
    }

    fn store(&self) -> StoreKind {
        StoreKind::Managed
    }

    fn rank(&self, query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        let terms = question_terms(query.text(), Analysis::Stem);
        let matches = pool.matches(&terms, Analysis::Stem, query.history);
        let other = match &self.dense {
            Some(dense) => dense.rank(query, pool),
            None => by_overlap(&matches),
        };
        fused(&[by_score(&matches), other], pool.records().len())
    }

    fn unranked_reason(&self) -> &str {
        match self.dense {
            Some(_) => "neither bm25-stem nor dense ranks it",
            None => "shares no word stem with the question",
        }
    }

    fn note(&self, query: Query<'_>) -> Option<String> {
        self.dense.as_ref()?.note(query)
    }
}

/// Reciprocal rank fusion: a record's score is the sum of 1 / (60 + its place) over the rankings that have it.
fn fused(rankings: &[Vec<Ranked>], records: usize) -> Vec<Ranked> {
    let mut scores = vec![0.0; records];
    for ranking in rankings {
        for (place, ranked) in ranking.iter().enumerate() {
            if let Some(score) = scores.get_mut(ranked.index) {
                *score += 1.0 / (K + place as f64 + 1.0);
            }
        }
    }
    let found = scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0);
    sorted(found.map(|(index, score)| Ranked { index, score }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_both_rankings_have_goes_before_the_first_of_either() {
        let ranking = |places: &[usize]| places.iter().map(|&index| Ranked { index, score: 0.0 }).collect::<Vec<_>>();
        let fused = fused(&[ranking(&[3, 1]), ranking(&[2, 1])], 5);
        let order: Vec<usize> = fused.iter().map(|ranked| ranked.index).collect();
        // 1 is second twice: 2/62. 2 and 3 are first once each: 1/61, the newer one first. 0 and 4 are in neither.
        assert_eq!(order, [1, 2, 3]);
        assert_eq!(fused[0].score, 2.0 / 62.0);
        assert_eq!(fused[1].score, 1.0 / 61.0);
    }
}
