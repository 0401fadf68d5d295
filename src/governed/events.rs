//! A user's events as candidate writes: what the stores of the evaluation are told, told to the governed store.
//!
//! An attribute is a slot, so whatever is said about it later takes its place, be it called a correction or not. The words of
//! the event are the value, the event is the evidence, its turn is the time at which the fact is true and becomes known.
//!
//! * **Turns of an imported benchmark** have an attribute each, their own id. So each is a slot with one value, which nothing
//!   takes the place of: who says two things does not take the first back. The id's tokens (`D1:3` is `d1` and `3`) count in
//!   the score as those of every key do; that is the rule of reading, and the evaluation has no rule of its own.
//! * **A user with several conversations**, whose turns begin again with each: a turn is no time then, and a later
//!   conversation would seem to be news of long ago. So a [`Clock`] goes on where the conversation before ended.

use rusqlite::Connection;

use super::error::Result;
use super::write::{self, Turn};
use super::{Candidate, Forgotten, Kind, Scope, Source, Store, delete};
use crate::case::{Event, Op};

/// The tenant of the users of a case set.
const TENANT: &str = "local";

/// How sure a user's own words are.
pub const CONFIDENCE: f64 = 1.0;

/// What came of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// It proposed a value: what the gate and the timeline made of it, and the id that its record has or would have.
    Proposed {
        /// The decision, or the refusal.
        turn: Turn,
        /// The record's id.
        id: String,
    },
    /// It asked to forget a slot.
    Forgot(Forgotten),
}

/// The scope of a case set's user. Words without a user's name are what all share.
pub fn scope_of(user: &str) -> Scope {
    Scope::of_columns(TENANT.to_owned(), user.to_owned())
}

/// The candidate that the user's event with this number, counted from 0 over all of the user's events, proposes.
pub fn candidate_of(event: &Event, number: usize, scope: &Scope) -> Candidate {
    Candidate {
        key: event.attribute.clone(),
        value: event.text.clone(),
        scope: scope.clone(),
        evidence: event.id.clone().unwrap_or_else(|| format!("event-{}", number + 1)),
        time: time_of(event),
        kind: Kind::Semantic,
        source: Source::User,
        confidence: CONFIDENCE,
        ttl: None,
    }
}

/// An event's turn on the store's clocks, where the user's turns never fall.
pub fn time_of(event: &Event) -> i64 {
    i64::try_from(event.turn).unwrap_or(i64::MAX)
}

/// The time of a user's events, one after the other. It is the turn, and never runs back: where turns begin again with
/// another conversation, they are counted on from the last one of the conversation before.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock {
    /// What the clock showed when the turns last began again.
    begun: i64,
    turn: u64,
    now: i64,
}

impl Clock {
    /// The time of the next event.
    pub fn at(&mut self, event: &Event) -> i64 {
        if event.turn < self.turn {
            self.begun = self.now;
        }
        self.turn = event.turn;
        self.now = self.begun.saturating_add(time_of(event));
        self.now
    }
}

impl Store {
    /// Tells the store a user's event with this number, counted from 0 over all of the user's events, at its time by the
    /// [`Clock`] of the events.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn hear(&mut self, event: &Event, number: usize, time: i64, scope: &Scope) -> Result<Heard> {
        let change = self.begin()?;
        let mut heard = take(&change, event, number, time, scope)?;
        change.commit()?;
        if let Heard::Forgot(forgotten) = &mut heard {
            forgotten.scrubbed = self.scrub()?;
        }
        Ok(heard)
    }

    /// Tells the store all of a user's events from the first one on, in one transaction: all of them are heard, or none. What
    /// each of them comes to is what [`Store::hear`] makes of it.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn hear_all(&mut self, events: &[Event], scope: &Scope) -> Result<Vec<Heard>> {
        let change = self.begin()?;
        let mut clock = Clock::default();
        let mut heard = Vec::with_capacity(events.len());
        for (number, event) in events.iter().enumerate() {
            heard.push(take(&change, event, number, clock.at(event), scope)?);
        }
        change.commit()?;
        let gone = self.scrub()?;
        for one in &mut heard {
            if let Heard::Forgot(forgotten) = one {
                forgotten.scrubbed = gone;
            }
        }
        Ok(heard)
    }
}

/// Takes an event. The text of what it forgets has yet to leave the files.
fn take(connection: &Connection, event: &Event, number: usize, time: i64, scope: &Scope) -> Result<Heard> {
    if event.op == Op::Forget {
        return Ok(Heard::Forgot(delete::forget(connection, scope, &event.attribute)?));
    }
    let candidate = Candidate { time, ..candidate_of(event, number, scope) };
    Ok(Heard::Proposed { turn: write::take(connection, &candidate, None)?, id: candidate.id() })
}
