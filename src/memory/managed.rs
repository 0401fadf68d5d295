//! The managed store: a correction supersedes, a forget request deletes every version and leaves only a record that it did.

use rusqlite::{Connection, Transaction};

use crate::case::{Event, Op};

use super::database::{self, Location, StoreError, of};
use super::{Effect, MemoryStore, Record, RecordId, RowCounts, StoreKind};

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS records (
    id            INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused
    user          TEXT NOT NULL,
    attribute     TEXT NOT NULL,
    text          TEXT NOT NULL,
    turn          INTEGER NOT NULL,
    event         INTEGER NOT NULL,                  -- the user's event it was made from, from 0
    superseded_by INTEGER REFERENCES records (id)    -- NULL while the fact is current
);
CREATE INDEX IF NOT EXISTS current_of_user ON records (user) WHERE superseded_by IS NULL; -- in order of id
CREATE INDEX IF NOT EXISTS current_of_attribute ON records (user, attribute) WHERE superseded_by IS NULL;
CREATE INDEX IF NOT EXISTS versions ON records (superseded_by);
CREATE TABLE IF NOT EXISTS deletions (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    user   TEXT NOT NULL,
    reason TEXT NOT NULL,                            -- never the words of the user: they may repeat the fact
    turn   INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS deletions_by_user ON deletions (user);";

const READABLE: &str = "SELECT id, event, turn, attribute, text FROM records INDEXED BY current_of_user
    WHERE user = ?1 AND superseded_by IS NULL ORDER BY id DESC";

const REASON: &str = "the user asked to forget it";

/// Keeps facts current.
pub struct ManagedStore {
    connection: Connection,
}

impl ManagedStore {
    /// Opens or makes the store's database.
    ///
    /// # Errors
    /// SQLite cannot open it, or it is not such a database.
    pub fn open(location: &Location) -> Result<Self, StoreError> {
        database::open(location, SCHEMA).map(|connection| Self { connection }).map_err(of("managed"))
    }
}

impl MemoryStore for ManagedStore {
    fn kind(&self) -> StoreKind {
        StoreKind::Managed
    }

    fn apply(&mut self, user: &str, first: usize, events: &[Event]) -> Result<Vec<Effect>, StoreError> {
        apply_all(&mut self.connection, user, first, events).map_err(of("managed"))
    }

    fn readable(&self, user: &str) -> Result<Vec<Record>, StoreError> {
        database::records(&self.connection, READABLE, user).map_err(of("managed"))
    }

    fn counts(&self, user: &str) -> Result<RowCounts, StoreError> {
        let sql = "SELECT count(*), count(*) FILTER (WHERE superseded_by IS NULL),
                          count(*) FILTER (WHERE superseded_by IS NOT NULL),
                          (SELECT count(*) FROM deletions WHERE user = ?1)
                   FROM records WHERE user = ?1";
        self.connection
            .query_row(sql, [user], |row| {
                Ok(RowCounts {
                    stored_rows: row.get(0)?,
                    current_facts: row.get(1)?,
                    superseded_rows: row.get(2)?,
                    deletion_records: row.get(3)?,
                })
            })
            .map_err(of("managed"))
    }

    fn file_bytes(&self) -> Result<u64, StoreError> {
        database::file_bytes(&self.connection).map_err(of("managed"))
    }
}

fn apply_all(connection: &mut Connection, user: &str, first: usize, events: &[Event]) -> rusqlite::Result<Vec<Effect>> {
    let transaction = connection.transaction()?;
    let effects = events
        .iter()
        .enumerate()
        .map(|(index, event)| match event.op {
            Op::Remember | Op::Correct => add(&transaction, user, first + index, event),
            Op::Forget => forget(&transaction, user, event),
        })
        .collect::<rusqlite::Result<Vec<_>>>()?;
    transaction.commit()?;
    Ok(effects)
}

/// Adds a record. A correction supersedes what is current under its attribute; with nothing current it is a plain remember.
fn add(transaction: &Transaction<'_>, user: &str, index: usize, event: &Event) -> rusqlite::Result<Effect> {
    let superseded = match event.op {
        Op::Correct => current(transaction, user, &event.attribute)?,
        _ => Vec::new(),
    };
    // Not `RETURNING id`: with it SQLite keeps a journal of its own for each statement, which takes half of the time.
    transaction
        .prepare_cached("INSERT INTO records (user, attribute, text, turn, event) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute((user, &event.attribute, &event.text, event.turn, index))?;
    let id: RecordId = transaction.last_insert_rowid();
    let mut supersede = transaction.prepare_cached("UPDATE records SET superseded_by = ?1 WHERE id = ?2")?;
    for old in &superseded {
        supersede.execute((id, old))?;
    }
    Ok(Effect { added: Some(id), superseded, ..Effect::default() })
}

/// Deletes every version of each current record of the attribute and writes one deletion record for each.
fn forget(transaction: &Transaction<'_>, user: &str, event: &Event) -> rusqlite::Result<Effect> {
    let mut versions = transaction.prepare_cached(
        "WITH RECURSIVE version (id) AS (
             SELECT ?1 UNION SELECT records.id FROM records JOIN version ON records.superseded_by = version.id)
         SELECT id FROM version ORDER BY id",
    )?;
    let mut delete = transaction.prepare_cached("DELETE FROM records WHERE id = ?1")?;
    let mut record = transaction.prepare_cached("INSERT INTO deletions (user, reason, turn) VALUES (?1, ?2, ?3)")?;
    let mut effect = Effect::default();
    for id in current(transaction, user, &event.attribute)? {
        let all = versions.query_map([id], |row| row.get(0))?.collect::<rusqlite::Result<Vec<RecordId>>>()?;
        for version in &all {
            delete.execute([version])?;
        }
        record.execute((user, REASON, event.turn))?;
        effect.deleted.extend(all);
        effect.deletion_records += 1;
    }
    Ok(effect)
}

fn current(transaction: &Transaction<'_>, user: &str, attribute: &str) -> rusqlite::Result<Vec<RecordId>> {
    transaction
        .prepare_cached(
            "SELECT id FROM records WHERE user = ?1 AND attribute = ?2 AND superseded_by IS NULL ORDER BY id",
        )?
        .query_map((user, attribute), |row| row.get(0))?
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(turn: u64, op: Op, attribute: &str, text: &str) -> Event {
        Event { turn, text: text.into(), op, attribute: attribute.into(), id: None, speaker: None, at: None }
    }

    #[test]
    fn a_correction_supersedes_and_forgetting_deletes_every_version() {
        let mut store = ManagedStore::open(&Location::Memory).unwrap();
        let events = [
            event(1, Op::Remember, "budget", "100"),
            event(2, Op::Correct, "budget", "120"),
            event(3, Op::Correct, "budget", "140"),
            event(4, Op::Remember, "diet", "fish"),
            event(5, Op::Forget, "budget", "forget the budget"),
        ];
        let effects = store.apply("a", 0, &events).unwrap();
        assert_eq!(effects[2], Effect { added: Some(3), superseded: vec![2], ..Effect::default() });
        assert_eq!(effects[4], Effect { deleted: vec![1, 2, 3], deletion_records: 1, ..Effect::default() });
        assert_eq!(
            store.counts("a").unwrap(),
            RowCounts { stored_rows: 1, current_facts: 1, superseded_rows: 0, deletion_records: 1 }
        );
    }

    #[test]
    fn a_correction_of_nothing_is_a_plain_remember_and_ids_are_never_reused() {
        let mut store = ManagedStore::open(&Location::Memory).unwrap();
        let events = [
            event(1, Op::Correct, "budget", "100"),
            event(2, Op::Forget, "budget", "forget"),
            event(3, Op::Remember, "budget", "120"),
            event(4, Op::Forget, "nothing", "forget"),
        ];
        let effects = store.apply("a", 0, &events).unwrap();
        assert_eq!(effects[0], Effect { added: Some(1), ..Effect::default() });
        assert_eq!(effects[2].added, Some(2));
        assert_eq!(effects[3], Effect::default());
    }

    #[test]
    fn reading_one_user_neither_scans_nor_sorts() {
        let store = ManagedStore::open(&Location::Memory).unwrap();
        let mut statement = store.connection.prepare(&format!("EXPLAIN QUERY PLAN {READABLE}")).unwrap();
        let plan: Vec<String> =
            statement.query_map(["a"], |row| row.get(3)).unwrap().collect::<rusqlite::Result<_>>().unwrap();
        assert_eq!(plan, ["SEARCH records USING INDEX current_of_user (user=?)"]);
    }

    #[test]
    fn users_do_not_touch_each_other() {
        let mut store = ManagedStore::open(&Location::Memory).unwrap();
        store.apply("a", 0, &[event(1, Op::Remember, "diet", "fish")]).unwrap();
        store.apply("b", 0, &[event(1, Op::Correct, "diet", "meat"), event(2, Op::Forget, "diet", "x")]).unwrap();
        assert_eq!(store.readable("a").unwrap().len(), 1);
        assert_eq!(store.readable("b").unwrap().len(), 0);
    }
}
