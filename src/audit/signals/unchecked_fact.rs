//! A required fact that the key never checks.

use crate::audit::{Observation, Part, Signal, Subject};

/// A fact that the question needs and no pattern looks for.
pub struct UncheckedFact;

impl Signal for UncheckedFact {
    fn name(&self) -> &'static str {
        "a required fact is never checked"
    }

    /// Facts are often needed to reach an answer that does not repeat them, so this is common in sound keys: half as
    /// frequent again in faulty ones.
    fn weight(&self) -> f64 {
        0.4
    }

    /// The share of required facts whose lines no required pattern matches.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let key = subject.key.filter(|key| !key.must.is_empty())?;
        let unchecked: Vec<_> = subject
            .cited
            .iter()
            .filter(|cited| !cited.events.is_empty())
            .filter(|cited| {
                let mut lines = cited.events.iter().filter_map(|place| subject.event(*place));
                !lines.any(|event| key.must.iter().any(|(_, pattern)| pattern.regex().is_match(&event.text)))
            })
            .collect();
        let strength = unchecked.len() as f64 / subject.cited.len().max(1) as f64;
        let proof = unchecked.iter().map(|cited| {
            Part::sentence(format!("no pattern of the key looks for \u{201c}{}\u{201d}", cited.fact.label()))
        });
        Observation::new(strength, proof.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(must: &[(&str, &str)]) -> f64 {
        let scene = Scene::asking("When to Porto?").note("We go to Porto.").note("On 10 November.");
        scene.requires(&["Porto", "10 November"]).must(must).strength(&UncheckedFact)
    }

    #[test]
    fn it_fires_when_no_pattern_looks_for_a_fact() {
        assert_eq!(scene(&[("10 November", "10")]), 0.5);
    }

    #[test]
    fn it_must_not_fire_when_each_is_looked_for_or_the_key_only_forbids() {
        assert_eq!(scene(&[("10 November", "10"), ("Porto", "porto")]), 0.0);
        assert_eq!(scene(&[]), 0.0);
    }
}
