//! No evidence turn is spoken by the person asked about.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::audit::pattern::compile;
use crate::audit::terms::{share, terms};
use crate::audit::{Observation, Part, Signal, Subject};

static FIRST_PERSON: LazyLock<Option<Regex>> = LazyLock::new(|| compile(r"(?i)\b(?:i|me|my|mine|we|our|us)\b"));
static SECOND_PERSON: LazyLock<Option<Regex>> = LazyLock::new(|| compile(r"(?i)\b(?:you|your|yours)\b"));

/// Turns next to a cited one in which the person asked about may give the answer after all.
const NEAR: usize = 2;

/// The evidence is what somebody else said of themselves.
pub struct WrongSpeaker;

impl Signal for WrongSpeaker {
    fn name(&self) -> &'static str {
        "the evidence is spoken by somebody else"
    }

    /// People speak of themselves, and a slip of the citation is told apart by the turns nearby. What is left is rare under a
    /// sound key (1 in 100), and a published audit puts a quarter of all wrong keys down to confused persons: twenty times.
    fn weight(&self) -> f64 {
        3.0
    }

    /// How much more of the key the cited turns of others hold than what the person asked about says next to them, less
    /// where those turns speak of "you" rather than of "I", and less where the question names several speakers.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        if !subject.has_cited_events() {
            return None;
        }
        let named = subject.named();
        let (asked, _) = named.first()?;
        let evidence = subject.evidence();
        let events: Vec<_> = evidence.iter().filter_map(|place| subject.event(*place)).collect();
        // "What do Ann and Bo plan": either may tell.
        let joint = named.windows(2).any(|pair| {
            let [(_, first), (_, second)] = pair else { return false };
            let between = subject.question.question.get(first.end..second.start);
            matches!(between.map(str::trim), Some("and" | "or" | "&"))
        });
        if joint || events.iter().any(|event| subject.speaker(event) == *asked) {
            return None;
        }
        let own: BTreeSet<String> = evidence
            .iter()
            .flat_map(|place| place.saturating_sub(NEAR)..=place + NEAR)
            .filter_map(|place| subject.event(place))
            .filter(|event| subject.speaker(event) == *asked)
            .flat_map(|event| terms(event.words()))
            .collect();
        let cited: BTreeSet<String> = events.iter().flat_map(|event| terms(event.words())).collect();
        let (held, answered) = (share(&subject.wanted, &cited), share(&subject.wanted, &own));
        // Where the key adds no words (a date, a yes), who speaks is all there is to go by.
        let gain = held.zip(answered).map_or(0.5, |(held, answered)| (held - answered).max(0.0));
        let count = |pattern: &LazyLock<Option<Regex>>| {
            let pattern = pattern.as_ref();
            events
                .iter()
                .map(|event| pattern.map_or(0, |pattern| pattern.find_iter(event.words()).count()))
                .sum::<usize>()
        };
        let (first, second) = (count(&FIRST_PERSON) as f64, count(&SECOND_PERSON) as f64);
        let own_matter = (first + 1.0) / (first + second + 1.0);
        let certain = if named.len() == 1 { 1.0 } else { 0.8 };
        let names: BTreeSet<&str> = events.iter().map(|event| subject.speaker(event)).collect();
        let sentence = format!(
            "the question asks about {asked}, every cited turn is spoken by {}",
            names.into_iter().collect::<Vec<_>>().join(" and ")
        );
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(subject.lines());
        Observation::new((0.1 + 0.9 * gain) * own_matter * certain, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(speaker: &str) -> Scene {
        let scene = Scene::asking("What is Ann's bowl a reminder of?").answer("art").cites(&["D2"]);
        scene.turn("D1", "Ann", "Hello!").turn("D2", speaker, "My bowl reminds me of art.").turn("D3", "Bo", "Nice.")
    }

    #[test]
    fn it_fires_when_somebody_else_says_it_of_themselves() {
        assert_eq!(scene("Bo").strength(&WrongSpeaker), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_the_person_says_it() {
        assert_eq!(scene("Ann").strength(&WrongSpeaker), 0.0);
    }

    #[test]
    fn it_must_not_fire_when_the_question_asks_about_both() {
        let scene =
            Scene::asking("What do Ann and Bo paint?").answer("art").cites(&["D1"]).turn("D1", "Bo", "I paint art.");
        assert_eq!(scene.turn("D2", "Ann", "Nice.").strength(&WrongSpeaker), 0.0);
    }

    #[test]
    fn it_nearly_stays_away_when_the_person_says_it_next() {
        let scene = scene("Bo").turn("D4", "Ann", "Mine reminds me of art as well.");
        assert!(scene.strength(&WrongSpeaker) <= 0.1);
    }
}
