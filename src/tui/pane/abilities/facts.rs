//! The suites, the trial in view, and what the governed store weighs for a probe.

use crate::abilities::{Answered, Trial, Tried, answer_words};
use crate::governed::{Ability, Probe, Reading, Suite, weigh};
use crate::report::score_words;

/// The suites and the trial of one of them.
pub(super) struct Facts {
    pub(super) suites: Vec<Suite>,
    /// The suite in view.
    pub(super) at: usize,
    pub(super) trial: Trial,
}

/// What the governed store weighs for a probe.
pub(super) struct Weighed {
    suite: usize,
    pub(super) probe: usize,
    pub(super) reading: Result<Option<Reading>, String>,
}

impl Facts {
    /// The bundled suites, and the first one under its largest budget.
    pub(super) fn bundled() -> Result<Self, String> {
        let suites = Suite::bundled().map_err(|error| error.to_string())?;
        let first = suites.first().ok_or("the file holds no suite")?;
        let trial = Trial::run(first, first.comparison.budget).map_err(|error| error.to_string())?;
        Ok(Self { suites, at: 0, trial })
    }

    pub(super) fn suite(&self) -> Option<&Suite> {
        self.suites.get(self.at)
    }

    /// Tries another suite, under its largest budget.
    pub(super) fn show(&mut self, at: usize) -> Result<(), String> {
        let Some(suite) = self.suites.get(at) else { return Ok(()) };
        self.trial = Trial::run(suite, suite.comparison.budget).map_err(|error| error.to_string())?;
        self.at = at;
        Ok(())
    }

    /// Tries the suite under its next budget, after the largest under the least. Returns that budget; none where it has one
    /// only.
    pub(super) fn next_budget(&mut self) -> Result<Option<usize>, String> {
        let Some(suite) = self.suites.get(self.at).filter(|suite| suite.budgets.len() > 1) else { return Ok(None) };
        let now = self.trial.comparison.budget;
        let next = suite.budgets.iter().find(|budget| **budget > now).or(suite.budgets.first());
        let budget = next.copied().unwrap_or(now);
        self.trial = Trial::run(suite, budget).map_err(|error| error.to_string())?;
        Ok(Some(budget))
    }

    pub(super) fn probe(&self, place: usize) -> Option<&Probe> {
        self.trial.comparison.probes.get(place)
    }

    /// A probe and what a system answered.
    pub(super) fn probe_words(&self, system: usize, place: usize) -> Option<String> {
        let probe = self.probe(place)?;
        let tried = self.trial.tried.get(system)?;
        let answered = tried.answers.get(place).map_or("", Answered::words);
        Some(format!(
            "{}: {} ({}{}) {} answered {answered}, expected {}",
            probe.ability.name(),
            probe.question,
            probe.scope,
            probe.as_of.map_or_else(String::new, |at| format!(" as of {at}")),
            tried.name,
            answer_words(probe.expected.as_deref()),
        ))
    }
}

/// A system and its scores.
pub(super) fn system_words(tried: &Tried) -> String {
    let scores = Ability::ALL.map(|ability| format!("{} {}", ability.name(), score_words(score(tried, ability))));
    format!("{}: {}, average {}", tried.name, scores.join(", "), score_words(tried.average()))
}

pub(super) fn score(tried: &Tried, ability: Ability) -> Option<f64> {
    tried.slices.get(&ability).and_then(|slice| slice.score()).map(|score| score.score())
}

impl super::AbilitiesPane {
    /// Lets the governed store weigh the probe under the cursor, unless it has.
    pub(super) fn weigh(&mut self) {
        let place = self.shown().get(self.probes.selected()).copied();
        let (Some(facts), Some(place)) = (self.facts(), place) else {
            self.weighed = None;
            return;
        };
        if self.weighed.as_ref().is_some_and(|known| (known.suite, known.probe) == (facts.at, place)) {
            return;
        }
        let reading = weigh(&facts.trial.comparison, place).map_err(|error| error.to_string());
        self.weighed = Some(Weighed { suite: facts.at, probe: place, reading });
    }
}
