//! Copies of a store in memory: of a store that is open, to try something on; of a file, to look at it and leave no trace.
//!
//! SQLite itself is never pointed at a file that somebody only looks at: it would make a log and a lock file beside it, and the
//! last to close would fold the log in. The bytes are read instead, with what the log holds beyond them.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::SystemTime;

use rusqlite::{Connection, MAIN_DB};

use super::error::Result;
use super::wal::with_log;
use super::{GovernedError, Store};
use crate::source::io_reason;

/// How often a file is read again because another program wrote to it meanwhile.
const TRIES: usize = 8;

/// Where a database says by which kind of log it is written and read: 1 is a journal, 2 a write-ahead log, for which a database
/// in memory has no file.
const LOG_KIND: std::ops::Range<usize> = 18..20;

/// A store as it was at one moment, to be opened in memory as often as it is wanted.
#[derive(Clone, PartialEq, Eq)]
pub struct Snapshot {
    bytes: Vec<u8>,
}

impl std::fmt::Debug for Snapshot {
    /// Its size alone: its bytes are a person's memory.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Snapshot of {} bytes", self.bytes.len())
    }
}

impl Snapshot {
    /// The store in a file as the last finished operation left it. The file is read and nothing else: no lock is taken, nothing
    /// is made beside it, no older layout is brought up to date in it and no interrupted deletion finished.
    ///
    /// # Errors
    /// If the file is not there or cannot be read, is empty, no database, another database, damaged or of a newer layout, or
    /// if another program does not stop writing to it.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = settled(path)?;
        if bytes.is_empty() {
            return Err(GovernedError::Empty);
        }
        let snapshot = Self { bytes };
        let store = snapshot.open()?;
        let connection = &store.connection;
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if tables == 0 {
            return Err(GovernedError::Foreign);
        }
        let check: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if check != "ok" {
            return Err(GovernedError::Damaged { found: check, expected: "a whole database" });
        }
        Ok(snapshot)
    }

    /// Opens it. What is then done in the store is done in memory alone.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn open(&self) -> Result<Store> {
        let mut connection = Connection::open_in_memory()?;
        connection.deserialize_read_exact(MAIN_DB, self.bytes.as_slice(), self.bytes.len(), false)?;
        Store::settled(connection)
    }

    /// Its size in bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

impl Store {
    /// The store as it is now.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn snapshot(&mut self) -> Result<Snapshot> {
        let mut bytes = self.connection.serialize(MAIN_DB)?.to_vec();
        journalled(&mut bytes);
        Ok(Snapshot { bytes })
    }

    /// Whether text of a deletion has yet to leave the file; the next program that opens the store to write sees to it.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn waits_for_scrub(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM deletion WHERE NOT scrubbed)";
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }
}

fn journalled(bytes: &mut [u8]) {
    if let Some(kind) = bytes.get_mut(LOG_KIND) {
        kind.fill(1);
    }
}

/// The bytes of a database with its log folded in, once nobody wrote to either while they were read.
fn settled(path: &Path) -> Result<Vec<u8>> {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        std::path::PathBuf::from(name)
    };
    let log_path = beside("-wal");
    for _ in 0..TRIES {
        let before = (state(path)?, state(&log_path)?);
        let log = contents(&log_path)?.unwrap_or_default();
        let bytes = contents(path)?.ok_or_else(|| GovernedError::Unreadable("no such file".to_owned()))?;
        if before == (state(path)?, state(&log_path)?) {
            let mut bytes = with_log(bytes, &log);
            journalled(&mut bytes);
            return Ok(bytes);
        }
    }
    Err(GovernedError::Busy)
}

fn state(path: &Path) -> Result<Option<(u64, Option<SystemTime>)>> {
    match fs::metadata(path) {
        Ok(about) => Ok(Some((about.len(), about.modified().ok()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(GovernedError::Unreadable(io_reason(&error))),
    }
}

fn contents(path: &Path) -> Result<Option<Vec<u8>>> {
    let read = || {
        let mut file = File::open(path)?;
        // A pipe or a device would be read for ever, or never.
        if file.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir()) {
            return Err(std::io::Error::other("it is not a regular file"));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map(|_| bytes)
    };
    match read() {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(GovernedError::Unreadable(io_reason(&error))),
    }
}
