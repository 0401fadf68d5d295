//! A listed fact that no event said.

use crate::audit::{Observation, Part, Signal, Subject};
use crate::case::Fact;

/// Words that the question lists as a fact and nobody said before it.
pub struct UnsaidFact;

impl Signal for UnsaidFact {
    fn name(&self) -> &'static str {
        "a listed fact was never said"
    }

    /// A fact that stands in no event can reach no block: twenty times as frequent in a faulty question.
    fn weight(&self) -> f64 {
        3.0
    }

    /// Full strength for a required fact; half for a stale or forgotten one, which then only checks nothing.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let mut strength: f64 = 0.0;
        let mut proof = Vec::new();
        let question = subject.question;
        for (kind, worth, facts) in [
            ("required", 1.0, &question.required),
            ("stale", 0.5, &question.stale),
            ("forgotten", 0.5, &question.forgotten),
        ] {
            for fact in facts.iter().filter(|fact| matches!(fact, Fact::Text(_))) {
                if subject.index.carriers(fact, subject.events.len()).is_empty() {
                    strength = strength.max(worth);
                    let text =
                        format!("no event of {} said the {kind} fact \u{201c}{}\u{201d}", subject.user, fact.label());
                    proof.push(Part::sentence(text));
                }
            }
        }
        Observation::new(strength, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    #[test]
    fn it_fires_when_no_event_said_the_fact() {
        let scene = Scene::asking("Who?").note("My manager is Priya.").requires(&["approver is Priya"]);
        assert_eq!(scene.strength(&UnsaidFact), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_one_did() {
        let scene = Scene::asking("Who?").note("My manager is Priya.").requires(&["manager is Priya"]);
        assert_eq!(scene.strength(&UnsaidFact), 0.0);
    }
}
