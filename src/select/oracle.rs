//! The upper bound of ranking: what a strategy that knows the facts would send.

use super::{Pool, Query, Ranked, Strategy};
use crate::case::{Fact, Question};
use crate::grade::LineRole;
use crate::memory::{History, StoreKind};

/// For each required fact, in the order of the question's list, one current record that carries it: the newest that holds no
/// stale or forgotten fact.
///
/// It reads the managed store, so that it never leaks, and a fact that even it lacks was lost before any ranking.
pub struct Oracle;

impl Strategy for Oracle {
    fn name(&self) -> &str {
        "oracle"
    }

    fn summary(&self) -> &str {
        "exactly the current records of the required facts, in their order: the most that ranking can reach"
    }

    fn store(&self) -> StoreKind {
        StoreKind::Managed
    }

    fn rank(&self, query: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        let mut places: Vec<usize> = Vec::new();
        for fact in &query.question.required {
            if let Some(place) = carrier(fact, query.question, pool, query.history)
                && !places.contains(&place)
            {
                places.push(place);
            }
        }
        let count = places.len();
        places.into_iter().enumerate().map(|(at, index)| Ranked { index, score: (count - at) as f64 }).collect()
    }

    fn unranked_reason(&self) -> &str {
        "carries no required fact, or another line carries it"
    }
}

/// The newest record that carries a fact and nothing that must not be sent.
fn carrier(fact: &Fact, question: &Question, pool: &Pool, history: &History) -> Option<usize> {
    let sound = |place: &usize| {
        let event = pool.records().get(*place).and_then(|entry| history.events.get(entry.record.event));
        event.is_some_and(|event| fact.is_carried_by(event) && !LineRole::of(event, question).leaks())
    };
    match fact {
        // One look instead of one for each record.
        Fact::Event { event } => pool.place_of(history.event_named(event)?).filter(sound),
        Fact::Text(_) => (0..pool.records().len()).find(sound),
    }
}
