//! The required fact's line shares no meaning-bearing word with the question.

use crate::audit::terms::terms;
use crate::audit::{Observation, Part, Signal, Subject};
use crate::case::Fact;

/// A manager is not an approver: a line that speaks of something else than the question.
pub struct UnsharedWords;

impl Signal for UnsharedWords {
    fn name(&self) -> &'static str {
        "a required line shares no word with the question"
    }

    /// Sound questions often ask for what a note says in other words (an allergy, when snacks are ordered), so this only
    /// doubles the odds.
    fn weight(&self) -> f64 {
        0.7
    }

    /// The share of required facts given as words whose lines share no stem with the question. Turns cited by id belong to a
    /// dialogue, where a pronoun carries the topic; they are no sign of anything.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let facts: Vec<_> = subject
            .cited
            .iter()
            .filter(|cited| matches!(cited.fact, Fact::Text(_)) && !cited.events.is_empty())
            .collect();
        let apart: Vec<_> = facts
            .iter()
            .filter(|cited| {
                let mut lines = cited.events.iter().filter_map(|place| subject.event(*place));
                lines.all(|event| terms(event.words()).is_disjoint(&subject.asked))
            })
            .collect();
        let strength = apart.len() as f64 / facts.len().max(1) as f64;
        let lines = apart.iter().flat_map(|cited| &cited.events).filter_map(|place| subject.line(*place, Vec::new()));
        let mut proof = vec![Part::sentence("shares no word with the question:")];
        proof.extend(lines);
        Observation::new(strength, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    #[test]
    fn it_fires_when_the_line_speaks_of_something_else() {
        let scene = Scene::asking("Who approves my desk order?").note("My manager is Priya.").requires(&["manager"]);
        assert_eq!(scene.strength(&UnsharedWords), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_a_stem_is_shared() {
        let scene = Scene::asking("Who approves my desk order?").note("The approver is Priya.").requires(&["approver"]);
        assert_eq!(scene.strength(&UnsharedWords), 0.0);
    }
}
