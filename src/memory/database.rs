//! What both stores share: opening a SQLite database and reading records from it.

use std::path::PathBuf;

use rusqlite::{Connection, Row};

use super::Record;

/// Where a store keeps its database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// In memory, gone with the store.
    Memory,
    /// In a file, which is made if it is not there.
    File(PathBuf),
}

/// A store's database refused.
#[derive(Debug, thiserror::Error)]
#[error("the {store} store's database: {source}")]
pub struct StoreError {
    /// Which store.
    pub store: &'static str,
    /// SQLite's own words.
    pub source: rusqlite::Error,
}

/// Turns SQLite's errors into those of one store.
pub(super) fn of(store: &'static str) -> impl Fn(rusqlite::Error) -> StoreError {
    move |source| StoreError { store, source }
}

/// Opens a database, with the settings that keep deleted text from surviving anywhere.
///
/// `secure_delete` overwrites what is deleted with zeros. The rollback journal stays in memory: on disk it would hold the
/// page as it was, deleted text included. The stores are made anew by each run, so durability is not needed.
pub(super) fn open(location: &Location, schema: &str) -> rusqlite::Result<Connection> {
    let connection = match location {
        Location::Memory => Connection::open_in_memory()?,
        Location::File(path) => Connection::open(path)?,
    };
    connection.execute_batch(
        "PRAGMA secure_delete = ON; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;",
    )?;
    connection.execute_batch(schema)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Runs a query whose columns are `id, event, turn, attribute, text`.
pub(super) fn records(connection: &Connection, sql: &str, user: &str) -> rusqlite::Result<Vec<Record>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([user], |row: &Row<'_>| {
        Ok(Record { id: row.get(0)?, event: row.get(1)?, turn: row.get(2)?, attribute: row.get(3)?, text: row.get(4)? })
    })?;
    rows.collect()
}

pub(super) fn file_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", [], |row| row.get(0))
}
