//! The records that a question may read, with what every strategy needs to know of them.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use foldhash::HashMap;

use super::terms::{Analysis, Bm25, Match, TermIndex};
use crate::governed::for_each_token;
use crate::memory::{History, Record, StoreKind, for_each_word};

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
/// The indexes are projections of the records, made when first asked for.
#[derive(Debug, Default)]
pub struct Pool {
    records: Vec<PoolRecord>,
    least_tokens: usize,
    postings: OnceLock<Postings>,
    /// The records by the tokens of the governed store.
    tokens: OnceLock<Postings>,
    /// For each analysis the terms of the records.
    terms: [OnceLock<TermIndex>; 2],
    /// For each analysis how many terms the records have together.
    lengths: [OnceLock<u64>; 2],
    /// The words of the whole history, where somebody keeps them; the records are sorted by their events then.
    index: Option<Arc<WordIndex>>,
}

/// Which of a user's events hold a word: made once for all moments of a history, so that another moment needs no reading.
#[derive(Debug, Default)]
pub struct WordIndex {
    words: Postings,
    /// The events by the tokens of the governed store, read when first asked for.
    tokens: OnceLock<Postings>,
    /// For each analysis the terms of the events, read when first asked for.
    terms: [OnceLock<TermIndex>; 2],
}

impl WordIndex {
    /// Reads each event of a history.
    pub fn of(history: &History) -> Self {
        let words = word_postings(history.events.iter().map(|event| event.text.as_str()));
        Self { words, ..Self::default() }
    }

    fn tokens(&self, history: &History) -> &Postings {
        let texts = history.events.iter().map(|event| (event.attribute.as_str(), event.text.as_str()));
        self.tokens.get_or_init(|| token_postings(texts))
    }

    fn terms(&self, history: &History, analysis: Analysis) -> Option<&TermIndex> {
        let index = self.terms.get(analysis.place())?;
        Some(index.get_or_init(|| TermIndex::of(history.events.iter().map(|event| event.text.as_str()), analysis)))
    }
}

type Postings = HashMap<String, Vec<usize>>;

/// For each word the texts that hold it, in order.
fn word_postings<'a>(texts: impl Iterator<Item = &'a str>) -> Postings {
    let mut postings = Postings::default();
    for (place, text) in texts.enumerate() {
        for_each_word(text, |word| post(&mut postings, word, place));
    }
    postings
}

/// The same for the tokens of the governed store, over attribute and text, which are its key and value.
fn token_postings<'a>(texts: impl Iterator<Item = (&'a str, &'a str)>) -> Postings {
    let mut postings = Postings::default();
    for (place, (attribute, text)) in texts.enumerate() {
        for_each_token(attribute, |token| post(&mut postings, token, place));
        for_each_token(text, |token| post(&mut postings, token, place));
    }
    postings
}

fn post(postings: &mut Postings, word: &str, place: usize) {
    match postings.get_mut(word) {
        Some(places) if places.last() == Some(&place) => {}
        Some(places) => places.push(place),
        None => {
            postings.insert(word.to_owned(), vec![place]);
        }
    }
}

/// How often each of `all` places occurs, for those that do, in order.
fn counted(all: usize, places: impl Iterator<Item = usize>) -> Vec<(usize, u32)> {
    let mut counts = vec![0_u32; all];
    for place in places {
        if let Some(count) = counts.get_mut(place) {
            *count += 1;
        }
    }
    counts.into_iter().enumerate().filter(|(_, count)| *count > 0).collect()
}

impl Pool {
    /// A pool of records, newest first, whose lines are counted.
    pub fn new(records: Vec<PoolRecord>) -> Self {
        let least_tokens = records.iter().map(|entry| entry.tokens).min().unwrap_or(0);
        Self { records, least_tokens, ..Self::default() }
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

    /// For each record that holds at least one of `wanted`, in the order of the records: its place and how many it holds.
    pub fn shared_words(&self, wanted: &BTreeSet<String>) -> Vec<(usize, u32)> {
        if let Some(index) = &self.index {
            return self.shared_in(&index.words, wanted);
        }
        let texts = || self.records.iter().map(|entry| entry.record.text.as_str());
        let postings = self.postings.get_or_init(|| word_postings(texts()));
        counted(self.records.len(), wanted.iter().filter_map(|word| postings.get(word)).flatten().copied())
    }

    /// The same for the tokens by which the governed store scores: of attribute and text, none of them a stop word.
    pub fn shared_tokens(&self, wanted: &BTreeSet<String>, history: &History) -> Vec<(usize, u32)> {
        if let Some(index) = &self.index {
            return self.shared_in(index.tokens(history), wanted);
        }
        let texts = || self.records.iter().map(|entry| (entry.record.attribute.as_str(), entry.record.text.as_str()));
        let postings = self.tokens.get_or_init(|| token_postings(texts()));
        counted(self.records.len(), wanted.iter().filter_map(|token| postings.get(token)).flatten().copied())
    }

    fn shared_in(&self, events: &Postings, wanted: &BTreeSet<String>) -> Vec<(usize, u32)> {
        let events = wanted.iter().filter_map(|word| events.get(word)).flatten();
        counted(self.records.len(), events.filter_map(|event| self.place_of(*event)))
    }

    /// The place of the record that was made from an event.
    pub fn place_of(&self, event: usize) -> Option<usize> {
        self.records.binary_search_by(|entry| event.cmp(&entry.record.event)).ok()
    }

    /// The records that hold a term of a question, in no particular order, with their BM25 scores: of N records, these
    /// ones, whatever other users, and this user at other moments, have.
    pub fn matches(&self, terms: &[Vec<u8>], analysis: Analysis, history: &History) -> Vec<Match> {
        let of_history = self.index.as_ref().and_then(|index| index.terms(history, analysis));
        let own = || {
            let index = self.terms.get(analysis.place())?;
            let texts = self.records.iter().map(|entry| entry.record.text.as_str());
            Some(index.get_or_init(|| TermIndex::of(texts, analysis)))
        };
        let Some(index) = of_history.or_else(own) else { return Vec::new() };
        let by_event = of_history.is_some();
        let total = || {
            let places = self.records.iter().enumerate();
            let place = |(place, entry): (usize, &PoolRecord)| if by_event { entry.record.event } else { place };
            places.map(place).map(|place| u64::from(index.length(place))).sum()
        };
        let terms_together = self.lengths.get(analysis.place()).map_or(0, |length| *length.get_or_init(total));
        let bm25 = Bm25 { texts: self.records.len(), terms: terms_together };
        bm25.scores(terms, |term| {
            index.postings(term).iter().filter_map(move |&(place, times)| {
                let place = usize::try_from(place).ok()?;
                let record = if by_event { self.place_of(place)? } else { place };
                Some((record, times, index.length(place)))
            })
        })
    }
}
