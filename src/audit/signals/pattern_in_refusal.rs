//! A required pattern matches a refusal.

use std::ops::Range;

use crate::audit::{Observation, Part, Signal, Subject, refusal};
use crate::grade::AnswerKey;

/// A pattern that an answer satisfies while saying that it knows nothing.
pub struct PatternInRefusal;

/// Refusals as models write them; recorded ones are tried besides.
const REFUSALS: &[&str] = &[
    "I do not have any information about that.",
    "I do not have any stored notes about this.",
    "It is not mentioned.",
    "Please provide the stored notes so I can answer your question.",
    "I'm sorry, but I cannot answer that.",
];

impl Signal for PatternInRefusal {
    fn name(&self) -> &'static str {
        "a pattern matches a refusal"
    }

    /// A pattern that a refusal satisfies lets everything pass: ten times as frequent in a faulty key.
    fn weight(&self) -> f64 {
        2.3
    }

    /// Full strength where every required pattern matches one and the same stock refusal; else the share, among the passing
    /// answers, of those that first refuse and match only after it. A key that requires nothing wants a refusal.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let key = subject.key.filter(|key| !key.must.is_empty())?;
        let passes = |text: &str| key.must.iter().all(|(_, pattern)| pattern.regex().is_match(text));
        if let Some(stock) = REFUSALS.iter().find(|text| passes(text)) {
            let proof = key.must.iter().filter_map(|(name, pattern)| Part::matched(name, pattern, stock)).collect();
            return Observation::new(1.0, proof);
        }
        let passing: Vec<_> = subject.answers.iter().filter(|said| said.pattern == Some(true)).collect();
        let refusing: Vec<_> = passing
            .iter()
            .filter_map(|said| Some((*said, refusal(said.text)?)))
            .filter(|(said, span)| comes_first(key, said.text, span))
            .map(|(said, span)| (said, vec![span]))
            .collect();
        let strength = refusing.len() as f64 / passing.len().max(1) as f64;
        Observation::new(strength, subject.quotes(refusing))
    }
}

/// Whether every match of the required patterns stands after the refusal begins.
fn comes_first(key: &AnswerKey, text: &str, refusal: &Range<usize>) -> bool {
    key.must.iter().all(|(_, pattern)| pattern.regex().find(text).is_none_or(|hit| hit.start() > refusal.start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(pattern: &str, answer: &str) -> f64 {
        Scene::asking("Who?").must(&[("Bea", pattern)]).run("a", answer, &[]).strength(&PatternInRefusal)
    }

    #[test]
    fn it_fires_when_a_refusal_passes() {
        assert_eq!(scene("not|bea", "Bea"), 1.0, "a stock refusal");
        assert_eq!(scene("who|bea", "There is no information on who that is."), 1.0, "a recorded one");
    }

    #[test]
    fn it_must_not_fire_when_the_answer_gives_the_fact_before_it_doubts() {
        assert_eq!(scene("bea", "I see Bea, but there is no further information."), 0.0);
    }
}
