//! The cited turn only asks, and the next one answers.

use crate::audit::{Doubt, Observation, Part, Signal, Subject};

/// A turn that ends in a question mark, spoken to the person asked about, who speaks next.
pub struct CitedQuestion;

impl Signal for CitedQuestion {
    fn name(&self) -> &'static str {
        "the cited turn only asks"
    }

    fn doubts(&self) -> Doubt {
        Doubt::Evidence
    }

    /// Turns often say something and then ask; but one of the other speaker that ends in a question to the person asked about
    /// is cited in place of the reply: ten times as frequent in wrong citations.
    fn weight(&self) -> f64 {
        2.3
    }

    /// The share of cited turns that are so.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        if !subject.has_cited_events() {
            return None;
        }
        let named = subject.named();
        let (asked, _) = named.first()?;
        let evidence = subject.evidence();
        let asking: Vec<usize> = evidence
            .iter()
            .copied()
            .filter(|place| {
                let (event, reply) = (subject.event(*place), subject.event(place + 1));
                let asks = event.is_some_and(|event| event.text.contains('?') && subject.speaker(event) != *asked);
                asks && reply.is_some_and(|reply| subject.speaker(reply) == *asked) && !evidence.contains(&(place + 1))
            })
            .collect();
        let mut proof = Vec::new();
        for place in &asking {
            proof.extend(subject.line(*place, Vec::new()));
            proof.push(Part::sentence(format!("{asked} replies:")));
            proof.extend(subject.line(place + 1, Vec::new()));
        }
        Observation::new(asking.len() as f64 / evidence.len().max(1) as f64, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(cited: &str) -> f64 {
        let scene = Scene::asking("What are Ann's shoes for?").answer("running").cites(&[cited]);
        let scene = scene.turn("D1", "Bo", "For walking or running?").turn("D2", "Ann", "These are for running.");
        scene.strength(&CitedQuestion)
    }

    #[test]
    fn it_fires_when_the_question_is_cited_in_place_of_the_reply() {
        assert_eq!(scene("D1"), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_the_reply_is_cited() {
        assert_eq!(scene("D2"), 0.0);
    }
}
