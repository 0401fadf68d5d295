//! A map from questions to attributes: the first change that the recorded study proposes.

use super::{Analysis, Bm25, Pool, Query, Ranked, Strategy};
use crate::memory::StoreKind;

/// The current records of the attributes that the case file maps the question to, newest first. A question without a map is
/// ranked by `bm25-stem`, and [`Strategy::note`] says so.
pub struct Attribute;

impl Strategy for Attribute {
    fn name(&self) -> &str {
        "attribute"
    }

    fn summary(&self) -> &str {
        "current records of the attributes that the case file names for the question, newest first"
    }

    fn store(&self) -> StoreKind {
        StoreKind::Managed
    }

    fn rank(&self, query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        let wanted = &query.question.attributes;
        if wanted.is_empty() {
            return Bm25(Analysis::Stem).rank(query, pool);
        }
        let records = pool.records().iter().enumerate();
        records
            .filter(|(_, entry)| wanted.contains(&entry.record.attribute))
            .map(|(index, entry)| Ranked { index, score: entry.record.id as f64 })
            .collect()
    }

    fn unranked_reason(&self) -> &str {
        "not of the attributes asked about"
    }

    fn note(&self, query: Query<'_>) -> Option<String> {
        query
            .question
            .attributes
            .is_empty()
            .then(|| "the case file names no attributes for this question: ranked by bm25-stem instead".to_owned())
    }
}
