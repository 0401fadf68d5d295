//! A cited turn has nothing to do with question and key.

use std::collections::BTreeSet;

use crate::audit::terms::{share, terms};
use crate::audit::{Doubt, Observation, Part, Signal, Subject};

/// Cited turns that share no word with question or key: ids that were mistyped.
pub struct UnrelatedTurn;

impl Signal for UnrelatedTurn {
    fn name(&self) -> &'static str {
        "a cited turn is about something else"
    }

    fn doubts(&self) -> Doubt {
        Doubt::Evidence
    }

    /// Turns of a dialogue lean on each other, so a right one may share no word by itself: four times as frequent in wrong
    /// citations.
    fn weight(&self) -> f64 {
        1.4
    }

    /// Full strength where a turn shares no word with question and key although the others do, 0.6 where it is the only one.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        if !subject.has_cited_events() {
            return None;
        }
        let names: BTreeSet<String> = subject.index.speakers().iter().flat_map(|name| terms(name)).collect();
        let topic: BTreeSet<String> =
            subject.asked.union(&subject.wanted).filter(|term| !names.contains(*term)).cloned().collect();
        let evidence = subject.evidence();
        let apart: Vec<usize> = evidence
            .iter()
            .copied()
            .filter(|place| {
                subject.event(*place).is_some_and(|event| share(&topic, &terms(event.words())) == Some(0.0))
            })
            .collect();
        let strength = match (apart.len(), evidence.len()) {
            (0, _) => return None,
            (apart, all) if apart == all => 0.6,
            _ => 1.0,
        };
        let mut proof = vec![Part::sentence("shares no word with question and key:")];
        proof.extend(apart.into_iter().filter_map(|place| subject.line(place, Vec::new())));
        Observation::new(strength, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(cited: &[&str]) -> f64 {
        let scene = Scene::asking("What pottery has Ann made?").answer("bowls").cites(cited);
        scene.turn("D1", "Ann", "We made bowls.").turn("D2", "Ann", "Thanks, friend!").strength(&UnrelatedTurn)
    }

    #[test]
    fn it_fires_when_a_turn_is_about_something_else() {
        assert_eq!(scene(&["D1", "D2"]), 1.0);
        assert_eq!(scene(&["D2"]), 0.6);
    }

    #[test]
    fn it_must_not_fire_when_each_shares_a_word() {
        assert_eq!(scene(&["D1"]), 0.0);
    }
}
