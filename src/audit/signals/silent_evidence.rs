//! The key's words stand in no evidence turn.

use crate::audit::numbers;
use crate::audit::terms::share;
use crate::audit::{Doubt, Observation, Part, Signal, Subject};

/// Cited turns that do not say what the key says.
pub struct SilentEvidence;

impl Signal for SilentEvidence {
    fn name(&self) -> &'static str {
        "the evidence does not say what the key says"
    }

    fn doubts(&self) -> Doubt {
        Doubt::Evidence
    }

    /// Keys paraphrase, but seldom everything: where no word is shared the citation is wrong five times as often.
    fn weight(&self) -> f64 {
        1.6
    }

    /// The share of the key's words (beyond the question's) that no cited turn says.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        if !subject.has_cited_events() {
            return None;
        }
        let held = subject.evidence_terms();
        // A count need not be said.
        let wanted = subject.wanted.iter().filter(|term| numbers::value(term).is_none()).cloned().collect();
        let share = share(&wanted, &held)?;
        let missing: Vec<&str> = wanted.difference(&held).map(String::as_str).collect();
        if missing.is_empty() {
            return None;
        }
        let sentence = format!(
            "{} of {} words of the key stand in no cited turn: {}",
            missing.len(),
            wanted.len(),
            missing.join(", ")
        );
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(subject.lines());
        Observation::new(1.0 - share, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(key: &str) -> f64 {
        let scene = Scene::asking("What does Ann paint?").answer(key).cites(&["D1"]);
        scene.turn("D1", "Ann", "I paint sunsets.").strength(&SilentEvidence)
    }

    #[test]
    fn it_fires_when_the_cited_turns_do_not_say_it() {
        assert_eq!(scene("abstract art"), 1.0);
        assert_eq!(scene("sunset, horses"), 0.5);
    }

    #[test]
    fn it_must_not_fire_when_they_do() {
        assert_eq!(scene("a sunset"), 0.0);
    }
}
