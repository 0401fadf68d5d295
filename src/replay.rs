//! The long replay: one user's events, one by one, and how many rows they leave in each store.

use serde::Serialize;

use crate::case::{Event, LongReplay};
use crate::memory::{History, MemoryStore, RowCounts, StoreError, StoreKind, Stores};
use crate::tokens::TokenCounter;

/// The rows of both stores at one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// After all events up to and including this turn.
    pub turn: u64,
    /// The user's rows, counted in the database.
    #[serde(flatten)]
    pub counts: RowCounts,
}

/// How a user's rows grew.
#[derive(Debug, Clone)]
pub struct Growth {
    /// How the rows came to be, event by event.
    pub history: History,
    /// The managed store's samples.
    pub managed: Vec<Sample>,
    /// The append-only store's samples.
    pub append: Vec<Sample>,
    /// Bytes of each store's database afterwards, managed first.
    pub file_bytes: [u64; 2],
}

impl Growth {
    /// Replays a history in stores of its own, sampling every `every` turns and after the last event.
    ///
    /// # Errors
    /// A database refuses.
    pub fn run(
        stores: &mut Stores,
        replay: &LongReplay,
        every: u64,
        counter: &dyn TokenCounter,
    ) -> Result<Self, StoreError> {
        let mut growth = Self {
            history: History::new(replay.user.clone()),
            managed: Vec::new(),
            append: Vec::new(),
            file_bytes: [0; 2],
        };
        let mut rest: &[Event] = &replay.events;
        for turn in sample_turns(&replay.events, every) {
            let (now, later) = rest.split_at(rest.partition_point(|event| event.turn <= turn));
            stores.apply(&mut growth.history, now, counter)?;
            rest = later;
            growth.managed.push(Sample { turn, counts: stores.managed.counts(&replay.user)? });
            growth.append.push(Sample { turn, counts: stores.append.counts(&replay.user)? });
        }
        growth.file_bytes = [stores.managed.file_bytes()?, stores.append.file_bytes()?];
        Ok(growth)
    }

    /// One store's samples; none for a store that is not filled here.
    pub fn samples(&self, kind: StoreKind) -> &[Sample] {
        match kind {
            StoreKind::Managed => &self.managed,
            StoreKind::Append => &self.append,
            StoreKind::Governed => &[],
        }
    }
}

/// Each multiple of `every` up to the last event's turn, and that turn itself where it is none.
fn sample_turns(events: &[Event], every: u64) -> impl Iterator<Item = u64> {
    let last = events.last().map_or(0, |event| event.turn);
    let every = every.max(1);
    (1..=last / every).map(move |sample| sample * every).chain((!last.is_multiple_of(every)).then_some(last))
}
