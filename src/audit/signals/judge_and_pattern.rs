//! Judge and pattern disagree on an answer.

use crate::audit::{Observation, Part, Signal, Subject};

/// An answer that the judges accept and the key's patterns reject, or the other way round.
pub struct JudgeAndPattern;

impl Signal for JudgeAndPattern {
    fn name(&self) -> &'static str {
        "judge and pattern disagree"
    }

    /// One of the two is wrong, and judges err about one time in ten on clear cases: four times as frequent under a pattern
    /// that is too narrow or too wide.
    fn weight(&self) -> f64 {
        1.4
    }

    /// The share of answers with both verdicts on which they differ.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let both: Vec<_> =
            subject.answers.iter().filter_map(|said| Some((said, said.pattern?, said.judged()?))).collect();
        let apart: Vec<_> = both.iter().filter(|(_, pattern, judged)| pattern != judged).collect();
        let (_, pattern, _) = apart.first()?;
        let sentence = format!(
            "on {} of {} answers judges and patterns disagree (here the pattern {} what the judges {})",
            apart.len(),
            both.len(),
            if *pattern { "accepts" } else { "rejects" },
            if *pattern { "reject" } else { "accept" }
        );
        let strength = apart.len() as f64 / both.len() as f64;
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(subject.quotes(apart.into_iter().map(|(said, ..)| (*said, Vec::new()))));
        Observation::new(strength, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    #[test]
    fn it_fires_when_the_judges_accept_what_the_pattern_rejects() {
        let scene = Scene::asking("Who?").must(&[("Ann", "ann")]).run("a", "My sister", &[true, true, false]);
        assert_eq!(scene.strength(&JudgeAndPattern), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_both_agree() {
        let scene = Scene::asking("Who?").must(&[("Ann", "ann")]).run("a", "Ann", &[true]);
        assert_eq!(scene.strength(&JudgeAndPattern), 0.0);
    }
}
