//! The append-only store: every remember and correct is kept, forget is ignored. The baseline that leaks.

use rusqlite::Connection;

use crate::case::{Event, Op};

use super::database::{self, Location, StoreError, of};
use super::{Effect, MemoryStore, Record, RowCounts, StoreKind};

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS records (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    user      TEXT NOT NULL,
    attribute TEXT NOT NULL,
    text      TEXT NOT NULL,
    turn      INTEGER NOT NULL,
    event     INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS records_by_user ON records (user);";

/// Keeps everything.
pub struct AppendOnlyStore {
    connection: Connection,
}

impl AppendOnlyStore {
    /// Opens or makes the store's database.
    ///
    /// # Errors
    /// SQLite cannot open it, or it is not such a database.
    pub fn open(location: &Location) -> Result<Self, StoreError> {
        database::open(location, SCHEMA).map(|connection| Self { connection }).map_err(of("append-only"))
    }
}

impl MemoryStore for AppendOnlyStore {
    fn kind(&self) -> StoreKind {
        StoreKind::Append
    }

    fn apply(&mut self, user: &str, first: usize, events: &[Event]) -> Result<Vec<Effect>, StoreError> {
        apply_all(&mut self.connection, user, first, events).map_err(of("append-only"))
    }

    fn readable(&self, user: &str) -> Result<Vec<Record>, StoreError> {
        let sql = "SELECT id, event, turn, attribute, text FROM records WHERE user = ?1 ORDER BY id DESC";
        database::records(&self.connection, sql, user).map_err(of("append-only"))
    }

    fn counts(&self, user: &str) -> Result<RowCounts, StoreError> {
        let rows: usize = self
            .connection
            .query_row("SELECT count(*) FROM records WHERE user = ?1", [user], |row| row.get(0))
            .map_err(of("append-only"))?;
        Ok(RowCounts { stored_rows: rows, current_facts: rows, ..RowCounts::default() })
    }

    fn file_bytes(&self) -> Result<u64, StoreError> {
        database::file_bytes(&self.connection).map_err(of("append-only"))
    }
}

fn apply_all(connection: &mut Connection, user: &str, first: usize, events: &[Event]) -> rusqlite::Result<Vec<Effect>> {
    let transaction = connection.transaction()?;
    let mut effects = Vec::with_capacity(events.len());
    {
        let mut insert = transaction
            .prepare_cached("INSERT INTO records (user, attribute, text, turn, event) VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for (index, event) in events.iter().enumerate() {
            let added = match event.op {
                Op::Remember | Op::Correct => {
                    insert.execute((user, &event.attribute, &event.text, event.turn, first + index))?;
                    Some(transaction.last_insert_rowid())
                }
                Op::Forget => None,
            };
            effects.push(Effect { added, ..Effect::default() });
        }
    }
    transaction.commit()?;
    Ok(effects)
}
