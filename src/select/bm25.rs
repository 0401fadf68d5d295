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
    sorted(matches.iter().map(|found| Ranked { index: found.index, score: found.score }).collect())
}

/// The best score first. The pool is newest first, so the smaller index is the newer record.
pub(super) fn sorted(mut ranked: Vec<Ranked>) -> Vec<Ranked> {
    ranked.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
    ranked
}
