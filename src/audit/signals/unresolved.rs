//! A piece of evidence names no event.

use crate::audit::{Doubt, Observation, Part, Signal, Subject};
use crate::case::Fact;

/// Evidence ids that resolve to nothing.
pub struct Unresolved;

impl Signal for Unresolved {
    fn name(&self) -> &'static str {
        "an evidence id names no event"
    }

    fn doubts(&self) -> Doubt {
        Doubt::Evidence
    }

    /// An id that names nothing is wrong by itself; the weight leaves room only for a file that lost its turns.
    fn weight(&self) -> f64 {
        5.0
    }

    /// Full strength for any such id: the others do not mend it.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let lost = subject.cited.iter().filter(|cited| matches!(cited.fact, Fact::Event { .. }) && cited.events.is_empty());
        let proof: Vec<Part> =
            lost.map(|cited| Part::sentence(format!("no event is called \u{201c}{}\u{201d}", cited.fact.label()))).collect();
        if proof.is_empty() { None } else { Observation::new(1.0, proof) }
    }
}
