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
        let lost =
            subject.cited.iter().filter(|cited| matches!(cited.fact, Fact::Event { .. }) && cited.events.is_empty());
        let proof: Vec<Part> = lost
            .map(|cited| Part::sentence(format!("no event is called \u{201c}{}\u{201d}", cited.fact.label())))
            .collect();
        if proof.is_empty() { None } else { Observation::new(1.0, proof) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(cited: &[&str]) -> f64 {
        Scene::asking("Who?").answer("Ann").cites(cited).turn("D1:1", "Ann", "Me.").strength(&Unresolved)
    }

    #[test]
    fn it_fires_when_an_id_names_nothing() {
        assert_eq!(scene(&["D1:1", "D8:6; D9:17"]), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_all_resolve() {
        assert_eq!(scene(&["D1:1"]), 0.0);
    }
}
