//! A pattern of the key misses the very fact it stands for.

use crate::audit::{Observation, Part, Signal, Subject};

/// A pattern that no required line satisfies: an answer that repeats the notes word for word would fail.
pub struct PatternMissesFact;

impl Signal for PatternMissesFact {
    fn name(&self) -> &'static str {
        "a pattern misses its fact"
    }

    /// Patterns may ask for another form than the notes have, but seldom reject every note: twenty times as frequent in a
    /// faulty key.
    fn weight(&self) -> f64 {
        3.0
    }

    /// Full strength where a pattern matches neither its own name nor any line that carries a required fact; half where it
    /// matches one of the two.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let key = subject.key?;
        let lines: Vec<&str> = subject
            .evidence()
            .into_iter()
            .filter_map(|place| subject.event(place))
            .map(|event| event.text.as_str())
            .collect();
        if lines.is_empty() {
            return None;
        }
        let mut strength: f64 = 0.0;
        let mut proof = Vec::new();
        for (name, pattern) in &key.must {
            let found = lines.iter().any(|line| pattern.regex().is_match(line));
            let named = pattern.regex().is_match(name);
            if found {
                continue;
            }
            strength = strength.max(if named { 0.5 } else { 1.0 });
            for text in &lines {
                proof.push(Part::Pattern {
                    name: name.clone(),
                    pattern: pattern.source().to_owned(),
                    text: (*text).to_owned(),
                    spans: Vec::new(),
                });
            }
        }
        Observation::new(strength, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(name: &str, pattern: &str) -> f64 {
        let scene = Scene::asking("What runs billing?").note("We moved billing to MySQL.").requires(&["MySQL"]);
        scene.must(&[(name, pattern)]).strength(&PatternMissesFact)
    }

    #[test]
    fn it_fires_when_no_line_matches() {
        assert_eq!(scene("MySQL", "my sql"), 1.0);
        assert_eq!(scene("Oracle", "oracle"), 0.5, "at least its own name matches");
    }

    #[test]
    fn it_must_not_fire_when_a_line_matches() {
        assert_eq!(scene("MySQL", r"\bmysql\b"), 0.0);
    }
}
