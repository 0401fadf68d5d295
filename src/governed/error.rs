//! What can go wrong with a governed store.

use rusqlite::ErrorCode;

/// A governed store's database refused, or was asked for what it cannot do.
#[derive(Debug, thiserror::Error)]
pub enum GovernedError {
    /// Another connection holds the write lock and did not let go of it within the waiting time.
    #[error("the governed store is busy: another program is writing to it; try again when it is done")]
    Busy,
    /// A later version of this program made the database.
    #[error("the governed store has layout {found}; this program knows layouts up to {known}: use a newer recallscope")]
    Newer {
        /// The layout of the database.
        found: i64,
        /// The newest layout that this program knows.
        known: i64,
    },
    /// The file is a SQLite database of something else.
    #[error("the file is a SQLite database, but not a governed store")]
    Foreign,
    /// The file is empty, as one that was just made or whose writing failed.
    #[error("the file is empty, expected a governed store")]
    Empty,
    /// The file cannot be read; why.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// A name that may not be empty is empty.
    #[error("a scope's {0} is empty; expected a name")]
    EmptyName(&'static str),
    /// A stored value is none that this program writes.
    #[error("the governed store is damaged: found {found}, expected {expected}")]
    Damaged {
        /// What is stored.
        found: String,
        /// What a column like this holds.
        expected: &'static str,
    },
    /// No waiting review has this number in this scope.
    #[error("no item {0} waits for a review in this scope")]
    NoReview(i64),
    /// SQLite's own words.
    #[error("the governed store's database: {0}")]
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for GovernedError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Database(error),
        }
    }
}

pub(super) type Result<T> = std::result::Result<T, GovernedError>;
