//! The stale or forgotten pattern matches a current fact.

use crate::audit::{Observation, Part, Signal, Subject};
use crate::case::Fact;

/// A pattern of what must not be said that matches what must be said.
pub struct StaleMatchesCurrent;

impl Signal for StaleMatchesCurrent {
    fn name(&self) -> &'static str {
        "what must not be said matches what must"
    }

    /// No right answer can satisfy such a key: twenty times as frequent in a faulty one.
    fn weight(&self) -> f64 {
        3.0
    }

    /// Full strength where it matches a required fact's own words. Words that mark the value as replaced excuse a stale
    /// match, here as in grading.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let key = subject.key?;
        let mut texts: Vec<&str> = key.must.iter().map(|(name, _)| name.as_str()).collect();
        for cited in &subject.cited {
            match cited.fact {
                Fact::Text(text) => texts.push(text),
                Fact::Event { .. } => {
                    texts.extend(cited.events.iter().filter_map(|place| Some(subject.event(*place)?.text.as_str())))
                }
            }
        }
        let replaced = |text: &str| subject.replaced.is_some_and(|pattern| pattern.regex().is_match(text));
        let stale = key.stale.iter().map(|pattern| ("stale", pattern, true));
        let forgotten = key.forgotten.iter().map(|pattern| ("forgotten", pattern, false));
        let proof: Vec<Part> = stale
            .chain(forgotten)
            .flat_map(|(name, pattern, excusable)| {
                texts
                    .iter()
                    .filter(move |text| !(excusable && replaced(text)))
                    .filter_map(move |text| Part::matched(name, pattern, text))
            })
            .collect();
        if proof.is_empty() { None } else { Observation::new(1.0, proof) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(stale: &str) -> f64 {
        let scene = Scene::asking("When?").note("Move it to 10 to 13 November.").requires(&["10 to 13 November"]);
        scene.must(&[("10 to 13", "10")]).stale(stale).strength(&StaleMatchesCurrent)
    }

    #[test]
    fn it_fires_when_the_current_fact_matches() {
        assert_eq!(scene(r"3\b.{0,9}november"), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_it_does_not() {
        assert_eq!(scene(r"\b3\b"), 0.0);
    }

    #[test]
    fn it_must_not_fire_when_the_words_mark_the_value_as_replaced() {
        let scene = Scene::asking("What?").note("MySQL, not Oracle.").requires(&["MySQL, not Oracle"]);
        assert_eq!(scene.must(&[("MySQL", "mysql")]).stale("oracle").strength(&StaleMatchesCurrent), 0.0);
    }
}
