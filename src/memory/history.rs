//! How a user's rows came to be: the effects of each event, so that the stores can be seen as they stood after any of them.
//!
//! Each row keeps the events at which it was added, superseded and deleted. The rows at any moment follow from these without
//! running anything again, however long the history is: any turn is as near as the next one.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::case::{Event, Fact, Op};

use super::{Effect, GovernedHistory, RecordId, RowCounts, StoreKind, line};
use crate::recording::SentLine;
use crate::tokens::TokenCounter;

/// Lines that one thread counts at least: fewer are not worth the handing over.
const COUNTED_TOGETHER: usize = 64;

/// One user's events, in order, and the rows that they left in each store.
#[derive(Debug, Clone)]
pub struct History {
    /// Whose memory it is.
    pub user: String,
    /// All events applied so far, over all of the user's conversations.
    pub events: Vec<Event>,
    managed: StoreHistory,
    append: StoreHistory,
    /// Worked out when first asked for: most runs look at the other two only.
    governed: OnceLock<Arc<GovernedHistory>>,
    /// For each event, what overruled it later.
    overruled: Vec<Overruled>,
    /// For each attribute, the events that a later one may still overrule.
    standing: HashMap<String, Standing>,
    /// Lines that other systems made of these events, as if each had been said.
    foreign: Vec<Event>,
    /// Places of the events by their ids.
    by_id: HashMap<String, usize>,
}

/// The later events of an attribute that overruled one of its events.
///
/// All corrections up to the first request to forget belong to one chain of versions, so that these two say everything
/// that walking along the chain would, at any moment: an attribute corrected ten thousand times has a chain that long.
#[derive(Debug, Clone, Copy, Default)]
struct Overruled {
    /// The first of them, a correction or a request to forget.
    first: Option<usize>,
    /// The first request to forget.
    forgotten: Option<usize>,
}

/// Events of one attribute. Each is put into a list once and taken out once, so that appending stays cheap.
#[derive(Debug, Clone, Default)]
struct Standing {
    /// Those that nothing has overruled yet.
    first: Vec<usize>,
    /// Those that no request to forget has followed yet.
    unforgotten: Vec<usize>,
}

/// A row of a store and the events (counted from 0) that shaped it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The record's number.
    pub id: RecordId,
    /// The event that added it.
    pub added: usize,
    /// The event that superseded it, and the record that took its place.
    pub superseded: Option<(usize, RecordId)>,
    /// The event that deleted it.
    pub deleted: Option<usize>,
    /// Tokens of its memory line, counted on its own.
    pub tokens: usize,
}

/// What a row was at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowState {
    /// Not added yet.
    Future,
    /// Its fact is current.
    Current,
    /// Its fact was replaced.
    Superseded,
    /// It is gone.
    Deleted,
}

impl Row {
    /// What the row was after the first `events` events.
    pub fn state_after(&self, events: usize) -> RowState {
        if self.added >= events {
            RowState::Future
        } else if self.deleted.is_some_and(|at| at < events) {
            RowState::Deleted
        } else if self.superseded.is_some_and(|(at, _)| at < events) {
            RowState::Superseded
        } else {
            RowState::Current
        }
    }
}

/// The rows of one user in one store over time.
#[derive(Debug, Clone)]
pub struct StoreHistory {
    /// Which store.
    pub kind: StoreKind,
    rows: Vec<Row>,
    counts: Vec<RowCounts>,
}

impl StoreHistory {
    pub(super) fn new(kind: StoreKind) -> Self {
        Self { kind, rows: Vec::new(), counts: vec![RowCounts::default()] }
    }

    /// Every row that was ever there, in the order of their numbers.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of a record.
    pub fn row(&self, id: RecordId) -> Option<&Row> {
        self.rows.binary_search_by_key(&id, |row| row.id).ok().and_then(|index| self.rows.get(index))
    }

    /// The row that an event added.
    pub fn row_added_by(&self, event: usize) -> Option<&Row> {
        self.rows.binary_search_by_key(&event, |row| row.added).ok().and_then(|index| self.rows.get(index))
    }

    /// The rows stored after the first `events` events: current and superseded ones, in the order of their numbers.
    pub fn rows_after(&self, events: usize) -> impl DoubleEndedIterator<Item = &Row> {
        let end = self.rows.partition_point(|row| row.added < events);
        self.rows.get(..end).unwrap_or_default().iter().filter(move |row| row.state_after(events) != RowState::Deleted)
    }

    /// The row counts after the first `events` events.
    pub fn counts_after(&self, events: usize) -> RowCounts {
        self.counts.get(events).or(self.counts.last()).copied().unwrap_or_default()
    }

    pub(super) fn push(&mut self, event: usize, effect: &Effect, tokens: usize) {
        let mut counts = self.counts.last().copied().unwrap_or_default();
        if let Some(id) = effect.added {
            self.rows.push(Row { id, added: event, superseded: None, deleted: None, tokens });
            counts.stored_rows += 1;
            counts.current_facts += 1;
        }
        for &id in &effect.superseded {
            if let (Some(row), Some(by)) = (self.row_mut(id), effect.added) {
                row.superseded = Some((event, by));
                counts.current_facts -= 1;
                counts.superseded_rows += 1;
            }
        }
        for &id in &effect.deleted {
            if let Some(row) = self.row_mut(id) {
                row.deleted = Some(event);
                counts.stored_rows -= 1;
                match row.superseded {
                    Some(_) => counts.superseded_rows -= 1,
                    None => counts.current_facts -= 1,
                }
            }
        }
        counts.deletion_records += effect.deletion_records;
        self.counts.push(counts);
    }

    fn row_mut(&mut self, id: RecordId) -> Option<&mut Row> {
        self.rows.binary_search_by_key(&id, |row| row.id).ok().and_then(|index| self.rows.get_mut(index))
    }
}

impl History {
    /// The history of a user who has said nothing yet.
    pub fn new(user: impl Into<String>) -> Self {
        Self {
            user: user.into(),
            events: Vec::new(),
            managed: StoreHistory::new(StoreKind::Managed),
            append: StoreHistory::new(StoreKind::Append),
            governed: OnceLock::new(),
            overruled: Vec::new(),
            standing: HashMap::new(),
            foreign: Vec::new(),
            by_id: HashMap::new(),
        }
    }

    /// The number of events so far.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether nothing has happened yet.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The rows of one store over time.
    pub fn store(&self, kind: StoreKind) -> &StoreHistory {
        match kind {
            StoreKind::Managed => &self.managed,
            StoreKind::Append => &self.append,
            StoreKind::Governed => self.governed().rows(),
        }
    }

    /// What the governed store made of the events so far: worked out when first asked for, in microseconds an event, and
    /// again after more of them.
    pub fn governed(&self) -> &GovernedHistory {
        // Nothing in there waits for other threads: two that ask for one history may wait for each other here.
        self.governed.get_or_init(|| Arc::new(GovernedHistory::of(&self.user, &self.events, &self.append)))
    }

    /// Whether that is worked out already.
    pub fn is_governed_known(&self) -> bool {
        self.governed.get().is_some()
    }

    /// The event that a row was made from.
    pub fn event_of(&self, row: &Row) -> Option<&Event> {
        self.events.get(row.added)
    }

    /// What stands at a place: an event of the user, or beyond those a line that another system made (see
    /// [`History::add_foreign`]).
    pub fn said(&self, place: usize) -> Option<&Event> {
        self.events.get(place).or_else(|| self.foreign.get(place.checked_sub(self.events.len())?))
    }

    /// Keeps a line of another memory system beside a history that is complete, and returns its place for
    /// [`History::said`]. The stores know nothing of it.
    pub fn add_foreign(&mut self, sent: &SentLine) -> usize {
        let origin = sent.event.as_ref().and_then(|id| self.by_id.get(id)).and_then(|place| self.events.get(*place));
        self.foreign.push(Event {
            turn: origin.map_or(0, |event| event.turn),
            text: sent.text.clone(),
            op: Op::Remember,
            attribute: String::new(),
            id: sent.event.clone(),
            speaker: origin.and_then(|event| event.speaker.clone()),
            at: origin.and_then(|event| event.at.clone()),
        });
        self.events.len() + self.foreign.len() - 1
    }

    /// The place of the event with an id.
    pub fn event_named(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The place of the event that a fact names; nothing for a fact that is given by its words.
    pub fn event_of_fact(&self, fact: &Fact) -> Option<usize> {
        match fact {
            Fact::Text(_) => None,
            Fact::Event { event } => self.event_named(event),
        }
    }

    /// Whether a place is that of a line of another system.
    pub fn is_foreign(&self, place: usize) -> bool {
        place >= self.events.len()
    }

    /// The turn of an event; 0 for one that is not there.
    pub fn turn(&self, event: usize) -> u64 {
        self.events.get(event).map_or(0, |event| event.turn)
    }

    /// The later event among the first `events` ones that overruled what `event` said, whether or not a store heeded it:
    /// the request to forget it or one of its later versions, else the first correction.
    pub fn overruled(&self, event: usize, events: usize) -> Option<(usize, &Event)> {
        let Overruled { first, forgotten } = *self.overruled.get(event)?;
        let by = [forgotten, first].into_iter().flatten().find(|by| *by < events)?;
        Some((by, self.events.get(by)?))
    }

    /// The number of events whose turn is at most `turn`.
    pub fn events_until(&self, turn: u64) -> usize {
        self.events.partition_point(|event| event.turn <= turn)
    }

    /// The records that a question asked after the first `events` events may read from a store, newest first.
    pub fn readable_after(&self, kind: StoreKind, events: usize) -> impl Iterator<Item = (&Row, &Event)> {
        let rows = self.store(kind).rows_after(events).rev();
        rows.filter(move |row| row.state_after(events) == RowState::Current)
            .filter_map(|row| Some((row, self.event_of(row)?)))
    }

    /// Appends events with what they did to each store, and counts the line of each new row.
    pub(super) fn extend(
        &mut self,
        events: &[Event],
        managed: &[Effect],
        append: &[Effect],
        counter: &dyn TokenCounter,
    ) {
        self.governed = OnceLock::new();
        // Each line costs the same wherever it stands, so all are counted at once.
        let tokens = |event: &Event, id: RecordId| counter.count(&line(id, &event.text));
        let count = |((event, managed), append): ((&Event, &Effect), &Effect)| {
            let kept = managed.added.map(|id| tokens(event, id));
            let appended = if managed.added == append.added { kept } else { append.added.map(|id| tokens(event, id)) };
            (kept.unwrap_or(0), appended.unwrap_or(0))
        };
        let counted: Vec<(usize, usize)> =
            events.par_iter().with_min_len(COUNTED_TOGETHER).zip(managed).zip(append).map(count).collect();
        for (((event, managed), append), (kept, appended)) in events.iter().zip(managed).zip(append).zip(counted) {
            let index = self.events.len();
            self.overrule(index, event);
            if let Some(id) = &event.id {
                self.by_id.entry(id.clone()).or_insert(index);
            }
            self.events.push(event.clone());
            self.managed.push(index, managed, kept);
            self.append.push(index, append, appended);
        }
    }

    /// Notes which earlier events the next one overrules, and that later ones may overrule it.
    fn overrule(&mut self, index: usize, event: &Event) {
        let standing = self.standing.entry(event.attribute.clone()).or_default();
        if event.op != Op::Remember {
            for earlier in standing.first.drain(..) {
                if let Some(overruled) = self.overruled.get_mut(earlier) {
                    overruled.first = Some(index);
                }
            }
        }
        if event.op == Op::Forget {
            for earlier in standing.unforgotten.drain(..) {
                if let Some(overruled) = self.overruled.get_mut(earlier) {
                    overruled.forgotten = Some(index);
                }
            }
        } else {
            standing.first.push(index);
            standing.unforgotten.push(index);
        }
        self.overruled.push(Overruled::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OPS: [Op; 3] = [Op::Remember, Op::Correct, Op::Forget];

    fn history(said: &[(usize, usize)]) -> History {
        let event = |(turn, (op, attribute)): (usize, &(usize, usize))| Event {
            turn: turn as u64,
            text: String::new(),
            op: OPS[*op],
            attribute: attribute.to_string(),
            id: None,
            speaker: None,
            at: None,
        };
        let mut history = History::new("ada");
        for (index, event) in said.iter().enumerate().map(event).enumerate() {
            history.overrule(index, &event);
            history.events.push(event);
        }
        history
    }

    /// From version to version, up to the request to forget them all.
    fn by_walking(history: &History, event: usize, events: usize) -> Option<usize> {
        let next = |event: usize| {
            let later = history.events.iter().enumerate().take(events).skip(event + 1);
            let attribute = &history.events[event].attribute;
            later.filter(|(_, by)| by.attribute == *attribute).find(|(_, by)| by.op != Op::Remember).map(|(at, _)| at)
        };
        if history.events[event].op == Op::Forget {
            return None;
        }
        let first = next(event)?;
        let mut by = first;
        loop {
            if history.events[by].op == Op::Forget {
                return Some(by);
            }
            match next(by) {
                Some(later) => by = later,
                None => return Some(first),
            }
        }
    }

    proptest! {
        #[test]
        fn what_overruled_an_event_is_what_walking_its_versions_finds(
            said in proptest::collection::vec((0_usize..3, 0_usize..3), 0..24),
        ) {
            let history = history(&said);
            for event in 0..history.len() {
                for events in 0..=history.len() {
                    let found = history.overruled(event, events).map(|(by, _)| by);
                    prop_assert_eq!(found, by_walking(&history, event, events), "event {} of {}", event, events);
                }
            }
        }
    }
}
