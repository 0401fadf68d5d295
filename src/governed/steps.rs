//! What the store makes of a user's events, worked out in memory.
//!
//! [`steps`] follows the rules of [`Store::hear_all`](super::Store::hear_all) without a database, for those who ask for every
//! moment of a history, or for all users of a benchmark at once: it takes microseconds an event. A test tells random histories
//! to a store and holds the two against each other.

use std::collections::HashMap;

use super::events::{Clock, candidate_of};
use super::{Candidate, Reason, Scope, gate};
use crate::case::{Event, Op};

/// One event, as the store took it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// When it was said, by the store's [`Clock`].
    pub time: i64,
    /// The id that its record has or would have; empty for a request to forget.
    pub id: String,
    /// What the store did.
    pub did: Did,
}

/// What an event comes to. Other events are named by their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Did {
    /// `ADD`: nothing was known in its slot.
    Added,
    /// `UPDATE`: it takes the place of what another event said.
    Updated {
        /// That event.
        replaced: usize,
    },
    /// `NOOP`: the slot holds this value.
    Repeated {
        /// The event that said it first.
        by: usize,
    },
    /// It was refused.
    Refused(Reason),
    /// `DELETE`: these are gone, by their time and id. None, where there was nothing to forget.
    Forgot(Vec<usize>),
}

impl Did {
    /// What was decided, as the audit and the tool log name it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Added => "ADD",
            Self::Updated { .. } => "UPDATE",
            Self::Repeated { .. } => "NOOP",
            Self::Refused(_) => "REJECT",
            Self::Forgot(_) => "DELETE",
        }
    }
}

/// What is known of a slot.
#[derive(Default)]
struct Slot {
    /// The event whose value holds.
    holder: Option<usize>,
    /// Every version, the oldest first.
    versions: Vec<usize>,
}

/// What a store that knows nothing yet makes of all events of one user, in their order.
pub fn steps(events: &[Event], scope: &Scope) -> Vec<Step> {
    let mut clock = Clock::default();
    let mut slots: HashMap<&str, Slot> = HashMap::new();
    // For each id the event that has it, and whether it is still there.
    let mut known: HashMap<String, (usize, bool)> = HashMap::new();
    let mut steps: Vec<Step> = Vec::with_capacity(events.len());
    for (number, event) in events.iter().enumerate() {
        let time = clock.at(event);
        let slot = slots.entry(event.attribute.as_str()).or_default();
        if event.op == Op::Forget {
            let mut gone = std::mem::take(slot).versions;
            let key = |event: &usize| steps.get(*event).map(|step| (step.time, step.id.as_str()));
            gone.sort_by(|a, b| key(a).cmp(&key(b)));
            for event in &gone {
                if let Some((_, there)) = steps.get(*event).and_then(|step| known.get_mut(&step.id)) {
                    *there = false;
                }
            }
            steps.push(Step { time, id: String::new(), did: Did::Forgot(gone) });
            continue;
        }
        let candidate = Candidate { time, ..candidate_of(event, number, scope) };
        let id = candidate.id();
        let said = |by: usize| events.get(by).is_some_and(|by| by.text == event.text);
        let verdict = gate(&candidate);
        let did = match (slot.holder.filter(|by| said(*by)), verdict) {
            (Some(by), Reason::Accepted) => Did::Repeated { by },
            (_, Reason::Accepted) => match known.get(&id) {
                Some((_, false)) => Did::Refused(Reason::WasDeleted),
                Some((by, true)) if said(*by) => Did::Refused(Reason::AlreadyRecorded),
                Some(_) => Did::Refused(Reason::OtherValue),
                None => {
                    known.insert(id.clone(), (number, true));
                    slot.versions.push(number);
                    match slot.holder.replace(number) {
                        Some(replaced) => Did::Updated { replaced },
                        None => Did::Added,
                    }
                }
            },
            (_, refused) => Did::Refused(refused),
        };
        steps.push(Step { time, id, did });
    }
    steps
}
