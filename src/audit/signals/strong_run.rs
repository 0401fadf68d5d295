//! A run that passes most questions fails here.

use crate::audit::{Observation, Part, Signal, Subject};

/// The failures of strong runs: what seldom errs is seldom the one that errs.
pub struct StrongRun;

impl Signal for StrongRun {
    fn name(&self) -> &'static str {
        "a strong run fails"
    }

    /// A run that passes nine questions of ten fails one sound key in ten or more, and half of the wrong ones: five times.
    fn weight(&self) -> f64 {
        1.6
    }

    /// From nothing at a pass rate of 60 % to full strength at 100 %, for the strongest run with answers that fail, times the
    /// share of its answers that do.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let rated =
            subject.runs.iter().enumerate().filter(|(_, run)| run.questions >= RATED).filter_map(|(place, run)| {
                let rate = run.passed as f64 / run.graded as f64;
                let own = || subject.answers.iter().filter(|said| said.run == place && said.passes().is_some());
                let failed = own().filter(|said| said.fails()).count();
                (failed > 0).then(|| (rate, failed as f64 / own().count() as f64, place))
            });
        let (rate, share, place) = rated.max_by(|a, b| (a.0 * a.1).total_cmp(&(b.0 * b.1)))?;
        let run = subject.runs.get(place)?;
        let sentence = format!(
            "{} ({}) passes {} of {} graded answers and fails here",
            run.strategy, run.recording, run.passed, run.graded
        );
        let failed = subject.failing().filter(|said| said.run == place);
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(subject.quotes(failed.map(|said| (said, Vec::new()))));
        Observation::new(((rate - 0.6) / 0.4).max(0.0) * share * subject.firmness(), proof)
    }
}

/// The fewest graded questions from which a run's pass rate says anything.
const RATED: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    #[test]
    fn it_fires_when_a_run_fails_that_passes_nearly_all() {
        let scene = Scene::asking("Who?").answer("Ann").run("a", "Bo", &[false]).others(39);
        assert!(scene.strength(&StrongRun) > 0.9);
    }

    #[test]
    fn it_must_not_fire_for_a_run_without_a_record_or_one_that_passes() {
        assert_eq!(Scene::asking("Who?").run("a", "Bo", &[false]).others(5).strength(&StrongRun), 0.0);
        assert_eq!(Scene::asking("Who?").run("a", "Ann", &[true]).others(39).strength(&StrongRun), 0.0);
    }
}
