//! A user's events as candidate writes: what the stores of the evaluation are told, told to the governed store.
//!
//! An attribute is a slot, so whatever is said about it later takes its place, be it called a correction or not. The words of
//! the event are the value, the event is the evidence, its turn is the time at which the fact is true and becomes known.

use super::error::Result;
use super::write::Turn;
use super::{Candidate, Forgotten, Kind, Scope, Source, Store};
use crate::case::{Event, Op};

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
        confidence: 1.0,
        ttl: None,
    }
}

/// An event's turn on the store's clocks.
pub fn time_of(event: &Event) -> i64 {
    i64::try_from(event.turn).unwrap_or(i64::MAX)
}

impl Store {
    /// Tells the store a user's event with this number, counted from 0 over all of the user's events.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn hear(&mut self, event: &Event, number: usize, scope: &Scope) -> Result<Heard> {
        if event.op == Op::Forget {
            return Ok(Heard::Forgot(self.forget(scope, &event.attribute)?));
        }
        let candidate = candidate_of(event, number, scope);
        let turn = self.turn(&candidate, None)?;
        Ok(Heard::Proposed { turn, id: candidate.id() })
    }
}
