//! Answers fail: at full strength every answer of every strategy and run.

use std::collections::BTreeMap;

use crate::audit::{Observation, Part, Signal, Subject};

/// Failing answers of independent sources. A question that everyone fails is hard, or its key is wrong.
pub struct EveryAnswerFails;

impl Signal for EveryAnswerFails {
    fn name(&self) -> &'static str {
        "answers fail"
    }

    /// Systems that pass three questions of four rarely all fail a sound one (1 in 20 or so), and fail most questions with a
    /// wrong key (1 in 2): about ten times.
    fn weight(&self) -> f64 {
        2.2
    }

    /// The share of failing answers, averaged over independent sources so that one model asked fifteen times counts once.
    /// Half of the sources failing is ordinary; from there it grows. Each further source halves what chance leaves.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let mut sources: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for said in &subject.answers {
            if let Some(passes) = said.passes() {
                let (failed, graded) = sources.entry(said.source).or_default();
                *failed += usize::from(!passes);
                *graded += 1;
            }
        }
        if sources.is_empty() {
            return None;
        }
        let share = sources.values().map(|(failed, graded)| *failed as f64 / *graded as f64).sum::<f64>();
        let share = share / sources.len() as f64;
        let confidence = 1.0 - 0.5_f64.powi(i32::try_from(sources.len()).unwrap_or(i32::MAX));
        // Squared: one failure among many is no news, the last one is.
        let strength = share * share * confidence * subject.firmness();
        if strength == 0.0 {
            return None;
        }
        let failed = subject.failing().count();
        let sentence = format!(
            "{failed} of {} graded answers fail, from {} independent source{}",
            subject.graded(),
            sources.len(),
            if sources.len() == 1 { "" } else { "s" }
        );
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(subject.quotes(subject.failing().map(|said| (said, Vec::new()))));
        Observation::new(strength, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene() -> Scene {
        Scene::asking("Who?").answer("Ann").run("a", "Bo", &[false])
    }

    #[test]
    fn it_fires_when_independent_runs_all_fail_and_the_more_the_stronger() {
        let two = scene().run("b", "Cy", &[false]).strength(&EveryAnswerFails);
        assert_eq!(scene().strength(&EveryAnswerFails), 0.5);
        assert_eq!(two, 0.75);
    }

    #[test]
    fn it_must_not_fire_when_all_pass_or_nothing_is_graded() {
        assert_eq!(Scene::asking("Who?").run("a", "Ann", &[true]).strength(&EveryAnswerFails), 0.0);
        assert_eq!(Scene::asking("Who?").run("a", "Ann", &[]).strength(&EveryAnswerFails), 0.0);
    }
}
