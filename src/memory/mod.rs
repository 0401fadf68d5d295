//! The stores: what a user's events leave behind in SQLite, and the history of how it came to be.

mod append_only;
mod database;
mod governed;
mod history;
mod managed;
mod words;

use serde::Serialize;

use crate::case::Event;
use crate::tokens::TokenCounter;

pub use append_only::AppendOnlyStore;
pub use database::{Location, StoreError};
pub use governed::GovernedHistory;
pub use history::{History, Row, RowState, StoreHistory};
pub use managed::ManagedStore;
pub(crate) use words::for_each_word;
pub use words::{STOP_WORDS, word_spans, words};

/// A record's number in its store: from one sequence, in order of insertion, never reused.
pub type RecordId = i64;

/// Which store a strategy reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StoreKind {
    /// Keeps facts current: corrections supersede, forget requests delete.
    Managed,
    /// Keeps every remember and correct; ignores forget.
    Append,
    /// Decides what becomes durable, keeps one value at a time in each slot, deletes what is to be forgotten. What it makes of
    /// a user's events is worked out from them ([`History::governed`]), where a strategy or a person asks for it.
    Governed,
}

impl StoreKind {
    /// All stores, in the order of reports.
    pub const ALL: [Self; 3] = [Self::Managed, Self::Append, Self::Governed];

    /// The stores that every run fills in step, and whose growth the recorded evaluation samples.
    pub const FILLED: [Self; 2] = [Self::Managed, Self::Append];

    /// The name on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Append => "append-only",
            Self::Governed => "governed",
        }
    }
}

/// One stored version of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number in the store.
    pub id: RecordId,
    /// The user's event that it was made from, counted from 0 over all of the user's events.
    pub event: usize,
    /// The turn of that event.
    pub turn: u64,
    /// The slot that the fact fills.
    pub attribute: String,
    /// The words of the user.
    pub text: String,
}

/// The memory line of a record: `- [#ID] TEXT`.
pub fn line(id: RecordId, text: &str) -> String {
    format!("- [#{id}] {text}")
}

/// What one event did to a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effect {
    /// The record that it added.
    pub added: Option<RecordId>,
    /// The records that were current before and are superseded now.
    pub superseded: Vec<RecordId>,
    /// The rows that it deleted, every version of each fact.
    pub deleted: Vec<RecordId>,
    /// The deletion records that it wrote.
    pub deletion_records: usize,
}

/// The rows of one user in one store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RowCounts {
    /// All rows that hold a fact, current and superseded.
    pub stored_rows: usize,
    /// Rows whose fact is current.
    pub current_facts: usize,
    /// Rows whose fact was superseded.
    pub superseded_rows: usize,
    /// Deletion records, which hold no fact.
    pub deletion_records: usize,
}

/// A memory store: events go in, readable records come out.
pub trait MemoryStore {
    /// Which store it is.
    fn kind(&self) -> StoreKind;

    /// Applies a user's next events, in one transaction. `first` is the number of the user's events applied before.
    /// Returns what each event did.
    ///
    /// # Errors
    /// The database refuses; nothing is applied then.
    fn apply(&mut self, user: &str, first: usize, events: &[Event]) -> Result<Vec<Effect>, StoreError>;

    /// The user's records that a question asked now may read, newest first.
    ///
    /// # Errors
    /// The database refuses.
    fn readable(&self, user: &str) -> Result<Vec<Record>, StoreError>;

    /// The user's rows, counted in the database.
    ///
    /// # Errors
    /// The database refuses.
    fn counts(&self, user: &str) -> Result<RowCounts, StoreError>;

    /// The size of the database file in bytes (pages times page size; the same for a database in memory).
    ///
    /// # Errors
    /// The database refuses.
    fn file_bytes(&self) -> Result<u64, StoreError>;
}

/// Both stores, filled in step.
pub struct Stores {
    /// The managed store.
    pub managed: ManagedStore,
    /// The append-only store.
    pub append: AppendOnlyStore,
}

impl Stores {
    /// Two empty stores in memory.
    ///
    /// # Errors
    /// SQLite cannot open a database.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::open(&Location::Memory, &Location::Memory)
    }

    /// Both stores, each at its place.
    ///
    /// # Errors
    /// SQLite cannot open a database.
    pub fn open(managed: &Location, append: &Location) -> Result<Self, StoreError> {
        Ok(Self { managed: ManagedStore::open(managed)?, append: AppendOnlyStore::open(append)? })
    }

    /// The store of a kind; nothing for one that is not filled here.
    pub fn get(&self, kind: StoreKind) -> Option<&dyn MemoryStore> {
        match kind {
            StoreKind::Managed => Some(&self.managed),
            StoreKind::Append => Some(&self.append),
            StoreKind::Governed => None,
        }
    }

    /// Applies a user's next events to both stores and appends what they did to the user's history, with the tokens of
    /// each new line.
    ///
    /// # Errors
    /// A database refuses.
    pub fn apply(
        &mut self,
        history: &mut History,
        events: &[Event],
        counter: &dyn TokenCounter,
    ) -> Result<(), StoreError> {
        let first = history.len();
        let (managed, append) = rayon::join(
            || self.managed.apply(&history.user, first, events),
            || self.append.apply(&history.user, first, events),
        );
        history.extend(events, &managed?, &append?, counter);
        Ok(())
    }
}
