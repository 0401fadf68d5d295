//! The answer stands in a turn next to the cited one.

use std::collections::BTreeSet;

use crate::audit::terms::{share, terms};
use crate::audit::{Doubt, Observation, Part, Signal, Subject};

/// A citation that is off by a turn: the question was cited instead of its answer.
pub struct NearbyEvidence;

/// How far a citation slips.
const NEAR: usize = 2;

impl Signal for NearbyEvidence {
    fn name(&self) -> &'static str {
        "a turn nearby says it, the cited one does not"
    }

    fn doubts(&self) -> Doubt {
        Doubt::Evidence
    }

    /// Neighbouring turns share their topic, so some words are found nearby by chance; where they hold much more of the key
    /// than the cited turns do, the citation slipped: ten times as often.
    fn weight(&self) -> f64 {
        2.3
    }

    /// How much more of the key the best neighbour of a cited turn holds than the cited turns together, a quarter more where
    /// it is spoken by the person asked about and the cited one is not.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        if !subject.has_cited_events() {
            return None;
        }
        let evidence = subject.evidence();
        let cited: BTreeSet<String> = subject.evidence_terms();
        let held = share(&subject.wanted, &cited)?;
        let asked = subject.named().first().map(|(name, _)| *name);
        let near = evidence.iter().flat_map(|place| place.saturating_sub(NEAR)..=place + NEAR);
        let best = near
            .filter(|place| !evidence.contains(place))
            .filter_map(|place| {
                let event = subject.event(place)?;
                let gain = share(&subject.wanted, &terms(event.words()))? - held;
                let speaks = asked == Some(subject.speaker(event));
                (gain > 0.0).then_some((if speaks { gain * 1.25 } else { gain * 0.75 }, place))
            })
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
        let mut proof = vec![Part::sentence("cited:")];
        proof.extend(subject.lines());
        proof.push(Part::sentence("nearby, and nearer to the key:"));
        proof.extend(subject.line(best.1, Vec::new()));
        Observation::new(best.0, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(cited: &str) -> f64 {
        let scene = Scene::asking("What are Ann's shoes for?").answer("running").cites(&[cited]);
        let scene = scene.turn("D1", "Bo", "Love that colour!").turn("D2", "Ann", "These are for running.");
        scene.strength(&NearbyEvidence)
    }

    #[test]
    fn it_fires_when_the_next_turn_says_it() {
        assert_eq!(scene("D1"), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_the_cited_turn_says_it() {
        assert_eq!(scene("D2"), 0.0);
    }
}
