//! Which events carry the facts of a question.

use std::collections::HashMap;

use crate::case::{Event, Fact, Question};
use crate::memory::History;

/// What one event or line carries of a question's facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    /// Required facts, as places among the question's different ones, in order.
    pub required: Vec<usize>,
    /// It carries a replaced fact.
    pub stale: bool,
    /// It carries a fact that the user asked to forget.
    pub forgotten: bool,
}

/// The different facts of a list, in order: a fact that stands twice in it is one fact.
pub fn different(facts: &[Fact]) -> Vec<&Fact> {
    let mut different: Vec<&Fact> = Vec::with_capacity(facts.len());
    for fact in facts {
        if !different.contains(&fact) {
            different.push(fact);
        }
    }
    different
}

/// Finds the events that carry facts, and remembers them: many questions of a conversation need the same ones.
pub struct Carriers<'a> {
    events: &'a [Event],
    /// Places of the events by their ids.
    by_id: &'a HashMap<&'a str, Vec<usize>>,
    found: HashMap<&'a Fact, Vec<usize>>,
}

/// Places of a history's events by their ids, each list in order.
pub fn events_by_id(history: &History) -> HashMap<&str, Vec<usize>> {
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, event) in history.events.iter().enumerate() {
        if let Some(id) = &event.id {
            by_id.entry(id).or_default().push(place);
        }
    }
    by_id
}

/// The facts of one question and the events that carry them.
#[derive(Debug, Default)]
pub struct Needs {
    /// The number of different required facts.
    pub required: usize,
    /// Whether the question names replaced facts.
    pub names_stale: bool,
    /// Whether the question names facts that the user asked to forget.
    pub names_forgotten: bool,
    /// What each event that carries something carries, by the event's place.
    pub events: HashMap<usize, Carried>,
    /// Gains of the ideal ranking: see [`ideal_gains`].
    pub ideal: Vec<usize>,
}

impl<'a> Carriers<'a> {
    /// Looks among the first `after` events of a history.
    pub fn new(history: &'a History, by_id: &'a HashMap<&'a str, Vec<usize>>, after: usize) -> Self {
        Self { events: history.events.get(..after).unwrap_or(&history.events), by_id, found: HashMap::new() }
    }

    /// The facts of a question with the events that carry them.
    pub fn of(&mut self, question: &'a Question) -> Needs {
        let required = different(&question.required);
        let mut needs = Needs {
            required: required.len(),
            names_stale: !question.stale.is_empty(),
            names_forgotten: !question.forgotten.is_empty(),
            ..Needs::default()
        };
        let mut nowhere = 0;
        for (fact, &needed) in required.iter().enumerate() {
            let carriers = self.carriers(needed);
            nowhere += usize::from(carriers.is_empty());
            for &event in carriers {
                needs.events.entry(event).or_default().required.push(fact);
            }
        }
        needs.ideal = ideal_gains(&needs.events, required.len(), nowhere);
        for fact in &question.stale {
            for &event in self.carriers(fact) {
                needs.events.entry(event).or_default().stale = true;
            }
        }
        for fact in &question.forgotten {
            for &event in self.carriers(fact) {
                needs.events.entry(event).or_default().forgotten = true;
            }
        }
        needs
    }

    fn carriers(&mut self, fact: &'a Fact) -> &[usize] {
        let (events, by_id) = (self.events, self.by_id);
        self.found.entry(fact).or_insert_with(|| match fact {
            Fact::Event { event } => {
                let named = by_id.get(event.as_str()).map_or(&[][..], Vec::as_slice);
                named.iter().copied().filter(|place| *place < events.len()).collect()
            }
            Fact::Text(text) => {
                let finder = memchr::memmem::Finder::new(text.as_bytes());
                let carries = |event: &Event| finder.find(event.text.as_bytes()).is_some();
                events.iter().enumerate().filter(|(_, event)| carries(event)).map(|(place, _)| place).collect()
            }
        })
    }
}

/// What a line of another system carries.
pub fn carried_by(line: &Event, question: &Question) -> Carried {
    let carries = |facts: &[Fact]| facts.iter().any(|fact| fact.is_carried_by(line));
    let required = different(&question.required);
    Carried {
        required: required.iter().enumerate().filter(|(_, fact)| fact.is_carried_by(line)).map(|(at, _)| at).collect(),
        stale: carries(&question.stale),
        forgotten: carries(&question.forgotten),
    }
}

/// How many facts the records of the best possible ranking bring that those above them do not: at each place the event that
/// carries the most facts not there yet (the greedy ideal of α-nDCG, Clarke et al. 2008). A fact that no event carries counts
/// as one of an event of its own: a store that lost it must not look ideal. Where each event carries one fact, as with facts
/// named by their events, all gains are 1, one for each fact.
fn ideal_gains(events: &HashMap<usize, Carried>, required: usize, nowhere: usize) -> Vec<usize> {
    if events.values().all(|carried| carried.required.len() < 2) {
        return vec![1; required];
    }
    let mut left: Vec<(usize, Vec<usize>)> =
        events.iter().map(|(event, carried)| (*event, carried.required.clone())).collect();
    // The order of a hash table is not the same each time.
    left.sort_unstable_by_key(|(event, _)| *event);
    let mut gains = Vec::new();
    while let Some((_, best)) = left.iter().max_by_key(|(event, facts)| (facts.len(), std::cmp::Reverse(*event)))
        && !best.is_empty()
    {
        let best = best.clone();
        gains.push(best.len());
        for (_, facts) in &mut left {
            facts.retain(|fact| !best.contains(fact));
        }
    }
    gains.extend(std::iter::repeat_n(1, nowhere));
    gains
}
