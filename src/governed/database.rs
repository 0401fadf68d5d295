//! The database: layout, settings, transactions, and making sure that deleted text has left the file.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::GovernedError;
use super::error::Result;

/// `rcsg`, so that no other SQLite file is taken for a governed store.
const APPLICATION: i64 = 0x7263_7367;

/// How long a writer waits for another one.
const WAIT: Duration = Duration::from_secs(5);

/// How long making deleted text leave the file waits for others.
const SHORT_WAIT: Duration = Duration::from_millis(100);

/// The steps from each layout to the next; `PRAGMA user_version` counts those that were taken.
///
/// A shared row has the empty user, which no person can have. `posting` begins with the scope, so a read never walks the
/// tokens of another one. Postings, cache and counts are projections or notes; records, endings and parents are the truth.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE scope (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, user TEXT NOT NULL, paused INTEGER NOT NULL DEFAULT 0,
        reads INTEGER NOT NULL DEFAULT 0, UNIQUE (tenant, user)) STRICT;
    CREATE TABLE record (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, scope INTEGER NOT NULL REFERENCES scope,
        key TEXT, value TEXT, evidence TEXT, kind TEXT NOT NULL, source TEXT NOT NULL, confidence REAL NOT NULL,
        valid_from INTEGER NOT NULL, valid_to INTEGER, recorded_at INTEGER NOT NULL, expires_at INTEGER,
        status TEXT NOT NULL, withdrawn INTEGER NOT NULL DEFAULT 0, read_mark INTEGER NOT NULL DEFAULT 0,
        CHECK (status <> 'deleted' OR (key IS NULL AND value IS NULL AND evidence IS NULL))) STRICT;
    CREATE INDEX record_slot ON record (scope, key, valid_from);
    CREATE INDEX record_horizon ON record (expires_at) WHERE expires_at IS NOT NULL AND status = 'active';
    CREATE TABLE ending (seq INTEGER PRIMARY KEY, record INTEGER NOT NULL REFERENCES record, ends INTEGER,
        known_at INTEGER NOT NULL, cause INTEGER REFERENCES record, withdrawn INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE INDEX ending_record ON ending (record, known_at, seq);
    CREATE INDEX ending_cause ON ending (cause);
    CREATE TABLE parent (child INTEGER NOT NULL REFERENCES record, parent INTEGER NOT NULL REFERENCES record,
        place INTEGER NOT NULL, PRIMARY KEY (child, parent)) STRICT, WITHOUT ROWID;
    CREATE INDEX parent_parent ON parent (parent);
    CREATE TABLE posting (scope INTEGER NOT NULL, token TEXT NOT NULL, record INTEGER NOT NULL,
        PRIMARY KEY (scope, token, record)) STRICT, WITHOUT ROWID;
    CREATE INDEX posting_record ON posting (record);
    CREATE TABLE cache (tenant TEXT NOT NULL, key TEXT NOT NULL, record TEXT, PRIMARY KEY (tenant, key)) STRICT, WITHOUT ROWID;
    CREATE TABLE audit (seq INTEGER PRIMARY KEY, at INTEGER, tenant TEXT NOT NULL, user TEXT NOT NULL, record TEXT,
        source TEXT, operation TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
    CREATE TABLE review (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, scope INTEGER NOT NULL REFERENCES scope,
        key TEXT NOT NULL, value TEXT NOT NULL, evidence TEXT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL,
        confidence REAL NOT NULL, time INTEGER NOT NULL, ttl INTEGER) STRICT;
    CREATE INDEX review_scope ON review (scope);
    CREATE TABLE deletion (seq INTEGER PRIMARY KEY, scope INTEGER REFERENCES scope, subject INTEGER NOT NULL,
        up_to INTEGER NOT NULL, records TEXT NOT NULL, scrubbed INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE INDEX deletion_scope ON deletion (scope);
    CREATE TABLE lesson (seq INTEGER PRIMARY KEY, policy TEXT NOT NULL, operation TEXT NOT NULL, keywords TEXT NOT NULL,
        route TEXT NOT NULL, report TEXT NOT NULL) STRICT;
    CREATE TABLE setting (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    "];

/// A governed store in one SQLite database.
///
/// Several programs may open one file: readers see the last whole operation, a second writer waits up to five seconds and is
/// then told that the store is busy ([`GovernedError::Busy`]).
#[derive(Debug)]
pub struct Store {
    pub(super) connection: Connection,
    wait: Duration,
}

impl Store {
    /// A store that is gone with the value.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn in_memory() -> Result<Self> {
        Self::prepare(Connection::open_in_memory()?)
    }

    /// The store in a file, which is made if it is not there. A deletion that was interrupted before its text had left the
    /// file is finished.
    ///
    /// # Errors
    /// If the file is another database, has a newer layout, is locked, or SQLite refuses.
    pub fn open(path: &Path) -> Result<Self> {
        Self::prepare(Connection::open(path)?)
    }

    fn prepare(connection: Connection) -> Result<Self> {
        let mut store = Self::settled(connection)?;
        store.scrub()?;
        Ok(store)
    }

    /// A store that is ready, but for deletions whose text has yet to leave the file.
    pub(super) fn settled(connection: Connection) -> Result<Self> {
        connection.busy_timeout(WAIT)?;
        let mut store = Self { connection, wait: WAIT };
        store.own()?;
        // Ids and postings come in no order: with less than 64 MiB of pages at hand, a large store is read again for each
        // write. A row that is deleted is overwritten; `FULL` keeps a finished operation through a loss of power.
        store.connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536;",
        )?;
        // Or a statement is planned anew whenever other values are bound to it, which takes longer than most of them.
        store.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        store.connection.set_prepared_statement_cache_capacity(96);
        store.migrate()?;
        Ok(store)
    }

    /// Refuses a database of something else before anything in it changes.
    fn own(&self) -> Result<()> {
        let pragma = |name: &str| self.connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
        let tables: i64 = self.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if tables > 0 && pragma("application_id")? != APPLICATION {
            return Err(GovernedError::Foreign);
        }
        let (found, known) = (pragma("user_version")?, MIGRATIONS.len() as i64);
        if found > known { Err(GovernedError::Newer { found, known }) } else { Ok(()) }
    }

    fn migrate(&mut self) -> Result<()> {
        let version =
            |connection: &Connection| connection.query_row("PRAGMA user_version", [], |row| row.get::<_, usize>(0));
        if version(&self.connection)? >= MIGRATIONS.len() {
            return Ok(());
        }
        let change = self.begin()?;
        let taken = version(&change)?;
        for (step, sql) in MIGRATIONS.iter().enumerate().skip(taken) {
            change.execute_batch(sql)?;
            change.execute_batch(&format!("PRAGMA user_version = {}", step + 1))?;
        }
        change.execute_batch(&format!("PRAGMA application_id = {APPLICATION}"))?;
        super::index::note_version(&change)?;
        Ok(change.commit()?)
    }

    /// Sets how long a write waits for another program's before it is refused.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn set_wait(&mut self, wait: Duration) -> Result<()> {
        self.wait = wait;
        Ok(self.connection.busy_timeout(wait)?)
    }

    /// A transaction that may write, and so waits for other writers at its start rather than fail in its middle.
    pub(super) fn begin(&mut self) -> Result<Transaction<'_>> {
        Ok(self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }

    /// Writes the database anew, moves the log into it and empties the log, if a deletion waits for that. Returns whether none
    /// waits any more: a reader that still looks at the state before keeps its pages in the log until it is done.
    ///
    /// `secure_delete` alone is not enough. When SQLite moves rows between pages that have run full, it leaves copies in what
    /// is then the unused part of a page, and deleting the row does not reach them. So this takes time in proportion to the
    /// size of the database, once for each deletion.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn scrub(&mut self) -> Result<bool> {
        // Another program may delete something while this one rewrites; that waits for the next time.
        let waiting: Option<i64> =
            self.connection.query_row("SELECT max(seq) FROM deletion WHERE NOT scrubbed", [], |row| row.get(0))?;
        let Some(last) = waiting else { return Ok(true) };
        if self.connection.path().is_some_and(|path| !path.is_empty()) {
            // What others keep back is not worth a long wait: it is said, and asked for again later.
            self.connection.busy_timeout(SHORT_WAIT)?;
            let emptied = self.rewrite();
            self.connection.busy_timeout(self.wait)?;
            if !emptied? {
                return Ok(false);
            }
        }
        self.connection.execute("UPDATE deletion SET scrubbed = 1 WHERE NOT scrubbed AND seq <= ?1", [last])?;
        Ok(true)
    }

    /// Whether nothing of what was deleted before is left in the database and its log.
    fn rewrite(&self) -> Result<bool> {
        let checkpoint = || -> Result<bool> {
            self.connection.execute_batch("VACUUM")?;
            Ok(self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))? == 0)
        };
        match checkpoint() {
            Err(GovernedError::Busy) => Ok(false),
            done => done,
        }
    }
}
