//! Nearness in meaning: embeddings.

use std::sync::Arc;

use super::bm25::sorted;
use super::{Pool, Query, Ranked, Strategy};
use crate::embed::Vectors;
use crate::memory::StoreKind;

/// All current records by the cosine between their embedding and the question's, then newest first.
///
/// The embeddings are there before the evaluation: ranking asks no server.
pub struct Dense {
    vectors: Arc<Vectors>,
    summary: String,
}

impl Dense {
    /// The strategy of these embeddings.
    pub fn new(vectors: Arc<Vectors>) -> Self {
        let model = &vectors.model;
        Self {
            summary: format!("all current records by the nearness of their embeddings ({model}), then newest"),
            vectors,
        }
    }
}

impl Strategy for Dense {
    fn name(&self) -> &str {
        "dense"
    }

    fn summary(&self) -> &str {
        &self.summary
    }

    fn store(&self) -> StoreKind {
        StoreKind::Managed
    }

    fn rank(&self, query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        let Some(asked) = self.vectors.get(query.text()) else { return Vec::new() };
        let records = pool.records().iter().enumerate();
        let near = records.filter_map(|(index, entry)| {
            let vector = self.vectors.get(&entry.record.text)?;
            // Both are normalised, so the product is the cosine.
            let product: f32 = asked.iter().zip(vector).map(|(a, b)| a * b).sum();
            Some(Ranked { index, score: f64::from(product) })
        });
        sorted(near)
    }

    fn unranked_reason(&self) -> &str {
        "has no embedding, or the question has none"
    }

    fn note(&self, query: Query<'_>) -> Option<String> {
        self.vectors
            .get(query.text())
            .is_none()
            .then(|| "only the questions of the case set have embeddings: for this one dense ranks nothing".to_owned())
    }
}
