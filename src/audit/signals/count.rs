//! A number in the key differs from the evidence.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::audit::calendar::Unit;
use crate::audit::numbers;
use crate::audit::pattern::compile;
use crate::audit::{Observation, Part, Signal, Subject};
use crate::memory::word_spans;

static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| compile(r"(?i)\bhow many\s+(?:times\s+)?(\w+)"));

/// The key counts otherwise than the cited turns do.
pub struct Count;

impl Signal for Count {
    fn name(&self) -> &'static str {
        "the key's number is not the evidence's"
    }

    /// Counting over turns is where annotators slip, and where a turn is easily forgotten in the citation as well: three
    /// times as frequent under a wrong key.
    fn weight(&self) -> f64 {
        1.1
    }

    /// Full strength where the cited turns name numbers and none is the key's; 0.6 where they name none and their count is
    /// not the key's number either.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let asked = ASKS.as_ref()?.captures(&subject.question.question)?;
        let counted = asked.get(1)?.as_str();
        if Unit::of(&counted.to_lowercase()).is_some() || !subject.has_cited_events() {
            return None;
        }
        let answer = subject.question.answer.as_deref()?;
        let key: BTreeSet<u32> = numbers_in(answer);
        let evidence = subject.evidence();
        let said: BTreeSet<u32> = evidence
            .iter()
            .filter_map(|place| subject.event(*place))
            .flat_map(|event| numbers_in(event.words()))
            .collect();
        let events = u32::try_from(evidence.len()).unwrap_or(u32::MAX);
        if key.is_empty() || key.iter().any(|number| said.contains(number) || *number == events) {
            return None;
        }
        let list = |numbers: &BTreeSet<u32>| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let found = if said.is_empty() { "no number".to_owned() } else { list(&said) };
        let sentence = format!("the key counts {} {counted}; the {events} cited turns say {found}", list(&key));
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(subject.lines());
        Observation::new(if said.is_empty() { 0.6 } else { 1.0 }, proof)
    }
}

fn numbers_in(text: &str) -> BTreeSet<u32> {
    word_spans(text).filter_map(|(word, _)| numbers::value(&word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(key: &str) -> f64 {
        let scene = Scene::asking("How many kettles does Mara own?").answer(key).cites(&["D1"]);
        scene.turn("D1", "Mara", "The shelf is wide enough for three kettles.").strength(&Count)
    }

    #[test]
    fn it_fires_when_the_evidence_counts_otherwise() {
        assert_eq!(scene("Two"), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_a_turn_says_the_number_or_the_turns_are_as_many() {
        assert_eq!(scene("3"), 0.0);
        assert_eq!(scene("one"), 0.0, "one turn");
    }
}
