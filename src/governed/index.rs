//! The token index: a projection of the records that can be read, which can be thrown away and built anew.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use super::error::Result;
use super::rows::{self, Stored};
use super::{Status, Store, tokens};

/// The version of the rule that makes tokens. A store with another one is rebuilt before its index is used.
const VERSION: i64 = 1;

/// A posting that the index holds and should not, or lacks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// The token.
    pub token: String,
    /// The record's id.
    pub id: String,
    /// Whether the index has the posting; otherwise it lacks it.
    pub present: bool,
}

/// Writes the current version of the rule beside the index.
pub(super) fn note_version(connection: &Connection) -> Result<()> {
    connection.execute("INSERT OR REPLACE INTO setting (name, value) VALUES ('index version', ?1)", [VERSION])?;
    Ok(())
}

/// Lists a record under its tokens, if it can be read.
pub(super) fn add(connection: &Connection, stored: &Stored) -> Result<()> {
    let mut statement =
        connection.prepare_cached("INSERT OR IGNORE INTO posting (scope, token, record) VALUES (?1, ?2, ?3)")?;
    for token in listed(stored) {
        statement.execute(params![stored.scope, token, stored.seq])?;
    }
    Ok(())
}

/// Takes a record out of the index.
pub(super) fn remove(connection: &Connection, seq: i64) -> Result<()> {
    connection.prepare_cached("DELETE FROM posting WHERE record = ?1")?.execute([seq])?;
    Ok(())
}

/// The tokens under which a record belongs into the index.
fn listed(stored: &Stored) -> BTreeSet<String> {
    match stored.record.status {
        Status::Active | Status::Superseded => text_tokens(stored),
        Status::Expired | Status::Deleted => BTreeSet::new(),
    }
}

/// The tokens of key and value.
pub(super) fn text_tokens(stored: &Stored) -> BTreeSet<String> {
    let texts = [&stored.record.key, &stored.record.value];
    texts.into_iter().flatten().flat_map(|text| tokens(text)).collect()
}

impl Store {
    /// How many records the index lists for a token, in all scopes.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn postings(&self, token: &str) -> Result<usize> {
        Ok(self.connection.query_row("SELECT count(*) FROM posting WHERE token = ?1", [token], |row| row.get(0))?)
    }

    /// The version of the rule that made the index.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn index_version(&self) -> Result<Option<i64>> {
        let sql = "SELECT value FROM setting WHERE name = 'index version'";
        Ok(self.connection.query_row(sql, [], |row| row.get(0)).optional()?)
    }

    /// Throws the index away and builds it from the records.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn rebuild_index(&mut self) -> Result<()> {
        let change = self.begin()?;
        change.execute("DELETE FROM posting", [])?;
        for stored in rows::select(&change, "r.status IN ('active', 'superseded')", [])? {
            add(&change, &stored)?;
        }
        note_version(&change)?;
        Ok(change.commit()?)
    }

    /// In which postings the index differs from one built anew; none where it is right. Compares with the records as they
    /// are, and changes nothing.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn verify_index(&self) -> Result<Vec<Difference>> {
        let view = self.connection.unchecked_transaction()?;
        let mut expected = BTreeSet::new();
        for stored in rows::select(&view, "1", [])? {
            expected.extend(listed(&stored).into_iter().map(|token| (stored.scope, token, stored.record.id.clone())));
        }
        let mut statement = view.prepare(
            "SELECT p.scope, p.token, coalesce(r.id, '#' || p.record) FROM posting p LEFT JOIN record r ON r.seq = p.record",
        )?;
        let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let found: BTreeSet<(i64, String, String)> = found.collect::<rusqlite::Result<_>>()?;
        let difference = |present| {
            move |(_, token, id): &(i64, String, String)| Difference { token: token.clone(), id: id.clone(), present }
        };
        let extra = found.difference(&expected).map(difference(true));
        Ok(extra.chain(expected.difference(&found).map(difference(false))).collect())
    }
}
