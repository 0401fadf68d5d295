//! A pattern of the key matches the question itself.

use crate::audit::{Observation, Part, Signal, Subject};

/// A pattern that the question satisfies: an answer that only repeats the question passes, or fails.
pub struct PatternInQuestion;

impl Signal for PatternInQuestion {
    fn name(&self) -> &'static str {
        "a pattern matches the question"
    }

    /// Such a pattern checks nothing (or rejects everything that repeats the question): ten times as frequent in a faulty
    /// key.
    fn weight(&self) -> f64 {
        2.3
    }

    /// The share of the key's patterns that match the question.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let question = &subject.question.question;
        let patterns = subject.patterns();
        let matched: Vec<Part> =
            patterns.iter().filter_map(|(name, pattern)| Part::matched(name, pattern, question)).collect();
        Observation::new(matched.len() as f64 / patterns.len().max(1) as f64, matched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(pattern: &str) -> f64 {
        Scene::asking("Who approves my desk order?").must(&[("Priya", pattern)]).strength(&PatternInQuestion)
    }

    #[test]
    fn it_fires_when_the_question_satisfies_the_pattern() {
        assert_eq!(scene("desk|priya"), 1.0);
    }

    #[test]
    fn it_must_not_fire_otherwise() {
        assert_eq!(scene("priya"), 0.0);
    }
}
