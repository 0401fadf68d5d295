//! The judges' votes on an answer split.

use crate::audit::{Observation, Part, Signal, Subject};

/// Split votes: the key leaves room for both readings.
pub struct SplitVotes;

impl Signal for SplitVotes {
    fn name(&self) -> &'static str {
        "judge votes split"
    }

    /// Votes split on half-right answers as well as on unclear keys: twice as frequent under a wrong one.
    fn weight(&self) -> f64 {
        0.7
    }

    /// Full strength from two answers with split votes on; one counts 0.6.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let split = |votes: &[bool]| votes.contains(&true) && votes.contains(&false);
        let split: Vec<_> = subject.answers.iter().filter(|said| split(said.votes)).collect();
        let strength = match split.len() {
            0 => return None,
            1 => 0.6,
            _ => 1.0,
        };
        let said = |votes: &[bool]| {
            let yes = votes.iter().filter(|vote| **vote).count();
            format!("{yes} of {} votes accept it", votes.len())
        };
        let mut proof = Vec::new();
        for answer in split.into_iter().take(3) {
            proof.push(Part::sentence(said(answer.votes)));
            proof.push(subject.quote(answer, Vec::new()));
        }
        Observation::new(strength, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    #[test]
    fn it_fires_when_votes_split() {
        assert_eq!(Scene::asking("Who?").run("a", "Ann", &[true, false, true]).strength(&SplitVotes), 0.6);
    }

    #[test]
    fn it_must_not_fire_when_judges_agree() {
        assert_eq!(Scene::asking("Who?").run("a", "Ann", &[false, false]).strength(&SplitVotes), 0.0);
    }
}
