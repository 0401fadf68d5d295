//! Independent answers agree with each other and not with the key.

use std::collections::{BTreeMap, BTreeSet};

use crate::audit::calendar::{self, Days};
use crate::audit::subject::claims;
use crate::audit::terms::terms;
use crate::audit::{Observation, Part, Said, Signal, Subject, refusal};
use crate::case::Fact;

/// Failing answers of different sources that say the same. Errors scatter; what several readers find independently stands
/// in the notes.
pub struct Agreement;

impl Signal for Agreement {
    fn name(&self) -> &'static str {
        "independent answers agree against the key"
    }

    /// Independent wrong answers to a sound question meet now and then (a tempting wrong turn); right answers under a wrong
    /// key meet nearly always: about five times.
    fn weight(&self) -> f64 {
        1.6
    }

    /// How much of what the failing answers say (beyond question and key) another source says too, times the share of
    /// sources that fail. Refusals are counted by their own signal.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let failing: Vec<&Said<'_>> = subject.failing().filter(|said| refusal(said.text).is_none()).collect();
        let known = known(subject);
        let units: Vec<Units> = failing.iter().map(|said| Units::of(said.text, &known)).collect();
        let mut by_term: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (said, units) in failing.iter().zip(&units) {
            for term in &units.terms {
                by_term.entry(term).or_default().insert(said.source);
            }
        }
        let shared = |term: &str| by_term.get(term).is_some_and(|sources| sources.len() > 1);
        let mut agreeing: BTreeMap<usize, f64> = BTreeMap::new();
        let mut quoted = Vec::new();
        for ((said, own), place) in failing.iter().zip(&units).zip(0..) {
            let others = || failing.iter().zip(&units).filter(|(other, _)| other.source != said.source);
            let same_day = own.days.iter().any(|day| others().any(|(_, units)| units.days.contains(day)));
            let total = own.terms.len();
            let common = own.terms.iter().filter(|term| shared(term)).count();
            let share = match (same_day, total) {
                (true, _) => 1.0,
                (false, 0) => 0.0,
                (false, total) => common as f64 / total as f64,
            };
            let best = agreeing.entry(said.source).or_default();
            if share > *best {
                *best = share;
            }
            if share > 0.0 {
                quoted.push((share, place, *said));
            }
        }
        let sources: BTreeSet<usize> =
            subject.answers.iter().filter(|said| said.passes().is_some()).map(|said| said.source).collect();
        let strength = agreeing.values().sum::<f64>() / sources.len().max(1) as f64 * subject.firmness();
        if quoted.is_empty() {
            return None;
        }
        quoted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let sentence = "independent sources say the same, and it is not what the key says";
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(subject.quotes(quoted.into_iter().map(|(_, _, said)| (said, Vec::new()))));
        Observation::new(strength, proof)
    }
}

/// What question and key say themselves: agreement on that is no agreement against the key.
fn known(subject: &Subject<'_>) -> BTreeSet<String> {
    let mut known = subject.asked.clone();
    known.extend(subject.wanted.iter().cloned());
    for name in subject.key.iter().flat_map(|key| &key.must).map(|(name, _)| name) {
        known.extend(terms(name));
    }
    for fact in &subject.question.required {
        if let Fact::Text(text) = fact {
            known.extend(terms(text));
        }
    }
    known
}

struct Units {
    terms: BTreeSet<String>,
    days: Vec<Days>,
}

impl Units {
    fn of(text: &str, known: &BTreeSet<String>) -> Self {
        let days = calendar::written(text, None).into_iter().map(|mention| mention.days).collect();
        Self { terms: claims(text, known), days }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(first: &str, second: &str) -> f64 {
        let scene = Scene::asking("When did Ann win?").answer("June 2023");
        scene.run("a", first, &[false]).run("b", second, &[false]).strength(&Agreement)
    }

    #[test]
    fn it_fires_when_two_sources_say_the_same() {
        assert_eq!(scene("In July 2023.", "July, 2023"), 1.0);
        assert_eq!(scene("At the harbour", "the harbour festival"), 0.75);
    }

    #[test]
    fn it_must_not_fire_when_they_differ_refuse_or_one_source_repeats_itself() {
        assert_eq!(scene("In July 2023.", "In May 2021"), 0.0);
        assert_eq!(scene("It is not mentioned.", "It is not mentioned."), 0.0);
        let one = Scene::asking("When did Ann win?").answer("June 2023").run("a", "July 2023", &[false]);
        assert_eq!(one.strength(&Agreement), 0.0);
    }
}
