//! A user's rows in the governed store, as its rules make them of the same events.
//!
//! A row goes by the number of the event's row in the append-only store, which has one for everything that was said: so one
//! event has one line, which costs the same in whatever store a strategy reads. The id that the store itself gives it is in
//! its [`Step`].

use crate::case::Event;
use crate::governed::{Did, Step, scope_of, steps};

use super::history::StoreHistory;
use super::{Effect, RecordId, Row, StoreKind};

/// What the governed store made of each event, and the rows that came of it.
#[derive(Debug, Clone)]
pub struct GovernedHistory {
    steps: Vec<Step>,
    rows: StoreHistory,
}

impl GovernedHistory {
    pub(super) fn of(user: &str, events: &[Event], append: &StoreHistory) -> Self {
        let steps = steps(events, &scope_of(user));
        let mut rows = StoreHistory::new(StoreKind::Governed);
        let id = |event: &usize| append.row_added_by(*event).map(|row| row.id);
        for (event, step) in steps.iter().enumerate() {
            let effect = match &step.did {
                Did::Added => Effect { added: id(&event), ..Effect::default() },
                Did::Updated { replaced } => {
                    Effect { added: id(&event), superseded: id(replaced).into_iter().collect(), ..Effect::default() }
                }
                // Of what is deleted a row without words is left.
                Did::Forgot(gone) => {
                    let deleted: Vec<RecordId> = gone.iter().filter_map(id).collect();
                    Effect { deletion_records: deleted.len(), deleted, ..Effect::default() }
                }
                Did::Repeated { .. } | Did::Refused(_) => Effect::default(),
            };
            rows.push(event, &effect, append.row_added_by(event).map_or(0, |row| row.tokens));
        }
        Self { steps, rows }
    }

    /// For each event, what the store made of it.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What the store made of an event.
    pub fn step(&self, event: usize) -> Option<&Step> {
        self.steps.get(event)
    }

    /// The rows over time.
    pub fn rows(&self) -> &StoreHistory {
        &self.rows
    }

    /// From when to when a row's fact is true, as the store knows it after the first `events` events.
    pub fn span(&self, row: &Row, events: usize) -> Option<(i64, Option<i64>)> {
        let ended = row.superseded.filter(|(by, _)| *by < events).and_then(|(by, _)| self.step(by));
        Some((self.step(row.added)?.time, ended.map(|step| step.time)))
    }
}
