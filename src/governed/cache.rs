//! Cached reads. A cached answer is right only for the same question, by the same reader, about the same instants, at the
//! same threshold, in the same state of the store. So the key carries all of these, and every change in a tenant drops what
//! is cached for it. A row names a record and holds none of its text.

use rusqlite::{OptionalExtension, params};

use super::error::Result;
use super::read::{count_read, look};
use super::{Query, Record, Store, rows, tokens};

/// What a cached answer depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// The tokens of the question.
    Query,
    /// The tenant and the user.
    Scope,
    /// The instant that is asked about.
    AsOf,
    /// The present.
    Now,
    /// The lowest score that is an answer.
    Threshold,
}

impl Dimension {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Query, Self::Scope, Self::AsOf, Self::Now, Self::Threshold];
}

impl Store {
    /// Like [`Store::retrieve`], through the cache.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn retrieve_cached(&mut self, query: &Query) -> Result<Option<Record>> {
        self.retrieve_cached_by(query, &Dimension::ALL)
    }

    /// The same with a key of some dimensions only: kept to show the wrong answers that each missing one gives.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn retrieve_cached_by(&mut self, query: &Query, dimensions: &[Dimension]) -> Result<Option<Record>> {
        let key = key(query, dimensions);
        let change = self.begin()?;
        let cached: Option<Option<String>> = change
            .prepare_cached("SELECT record FROM cache WHERE key = ?1")?
            .query_row([&key], |row| row.get(0))
            .optional()?;
        let record = match cached {
            Some(None) => None,
            Some(Some(id)) => rows::by_id(&change, &id)?.map(|row| row.record),
            None => {
                let found = look(&change, query)?.answer().map(|answer| answer.record.clone());
                change
                    .prepare_cached("INSERT OR REPLACE INTO cache (tenant, key, record) VALUES (?1, ?2, ?3)")?
                    .execute(params![query.scope.tenant(), key, found.as_ref().map(|record| &record.id)])?;
                found
            }
        };
        count_read(&change, &query.scope, record.as_ref().map(|record| record.id.as_str()))?;
        change.commit()?;
        Ok(record)
    }
}

/// The key as JSON, so that no value of one dimension runs into the next. The score sees only the tokens of a question, so
/// they stand for it.
fn key(query: &Query, dimensions: &[Dimension]) -> String {
    let part = |dimension: &Dimension| match dimension {
        Dimension::Query => serde_json::json!({ "query": tokens(&query.text) }),
        Dimension::Scope => serde_json::json!({ "scope": [query.scope.tenant(), query.scope.user_column()] }),
        Dimension::AsOf => serde_json::json!({ "as_of": query.as_of }),
        Dimension::Now => serde_json::json!({ "now": query.now }),
        Dimension::Threshold => serde_json::json!({ "threshold": query.threshold.to_bits() }),
    };
    serde_json::Value::from_iter(dimensions.iter().map(part)).to_string()
}
