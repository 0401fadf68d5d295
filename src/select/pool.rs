//! The records that a question may read, with what every strategy needs to know of them.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use crate::memory::{History, Record, StoreKind, words};

/// A readable record and what its line costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolRecord {
    /// The record.
    pub record: Record,
    /// Tokens of its memory line, counted on its own.
    pub tokens: usize,
}

/// The records of one user that a question may read at a moment, newest first.
///
/// The word index is a projection of the records, made when first asked for.
#[derive(Debug, Default)]
pub struct Pool {
    records: Vec<PoolRecord>,
    least_tokens: usize,
    postings: OnceLock<HashMap<String, Vec<usize>>>,
    /// The words of the whole history, where somebody keeps them; the records are sorted by their events then.
    index: Option<Arc<WordIndex>>,
}

/// Which of a user's events hold a word: made once for all moments of a history, so that another moment needs no reading.
#[derive(Debug, Default)]
pub struct WordIndex(HashMap<String, Vec<usize>>);

impl WordIndex {
    /// Reads each event of a history.
    pub fn of(history: &History) -> Self {
        let mut index: HashMap<String, Vec<usize>> = HashMap::new();
        for (event, said) in history.events.iter().enumerate() {
            for word in words(&said.text) {
                index.entry(word).or_default().push(event);
            }
        }
        Self(index)
    }
}

impl Pool {
    /// A pool of records, newest first, whose lines are counted.
    pub fn new(records: Vec<PoolRecord>) -> Self {
        let least_tokens = records.iter().map(|entry| entry.tokens).min().unwrap_or(0);
        Self { records, least_tokens, postings: OnceLock::new(), index: None }
    }

    /// The pool of a question asked after the first `events` events of a history.
    pub fn at(history: &History, kind: StoreKind, events: usize) -> Self {
        Self::default().taken_over(history, kind, events)
    }

    /// The pool of the same history at another moment. The texts of records that were there before are kept rather than
    /// copied again: from one event to the next, that is nearly all of them.
    pub fn moved(self, history: &History, kind: StoreKind, events: usize, index: &Arc<WordIndex>) -> Self {
        Self { index: Some(Arc::clone(index)), ..self.taken_over(history, kind, events) }
    }

    fn taken_over(self, history: &History, kind: StoreKind, events: usize) -> Self {
        // Both are newest first.
        let mut before = self.records.into_iter().peekable();
        let readable = history.readable_after(kind, events).map(|(row, event)| {
            while before.next_if(|entry| entry.record.id > row.id).is_some() {}
            before.next_if(|entry| entry.record.id == row.id).unwrap_or_else(|| PoolRecord {
                record: Record {
                    id: row.id,
                    event: row.added,
                    turn: event.turn,
                    attribute: event.attribute.clone(),
                    text: event.text.clone(),
                },
                tokens: row.tokens,
            })
        });
        Self::new(readable.collect())
    }

    /// The records, newest first.
    pub fn records(&self) -> &[PoolRecord] {
        &self.records
    }

    /// The tokens of the shortest line; 0 for an empty pool. With less room than this, nothing more can fit.
    pub fn least_tokens(&self) -> usize {
        self.least_tokens
    }

    /// For each record that holds at least one of `wanted`, in no particular order: its place and how many it holds.
    pub fn shared_words(&self, wanted: &BTreeSet<String>) -> Vec<(usize, u32)> {
        if let Some(index) = &self.index {
            return self.shared_in(index, wanted);
        }
        let postings = self.postings.get_or_init(|| {
            let mut postings: HashMap<String, Vec<usize>> = HashMap::new();
            for (index, entry) in self.records.iter().enumerate() {
                for word in words(&entry.record.text) {
                    postings.entry(word).or_default().push(index);
                }
            }
            postings
        });
        let mut shared: HashMap<usize, u32> = HashMap::new();
        for index in wanted.iter().filter_map(|word| postings.get(word)).flatten() {
            *shared.entry(*index).or_default() += 1;
        }
        shared.into_iter().collect()
    }

    fn shared_in(&self, index: &WordIndex, wanted: &BTreeSet<String>) -> Vec<(usize, u32)> {
        let mut shared: HashMap<usize, u32> = HashMap::new();
        for event in wanted.iter().filter_map(|word| index.0.get(word)).flatten() {
            *shared.entry(*event).or_default() += 1;
        }
        let place = |event: usize| self.records.binary_search_by(|entry| event.cmp(&entry.record.event)).ok();
        shared.into_iter().filter_map(|(event, count)| Some((place(event)?, count))).collect()
    }
}
