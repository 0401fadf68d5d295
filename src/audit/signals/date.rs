//! A date in the key does not follow from the day of the evidence and its words.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::audit::calendar::{self, Days, Mention};
use crate::audit::pattern::compile;
use crate::audit::terms::terms;
use crate::audit::{Observation, Part, Signal, Subject};
use crate::grade::sentences;

static ASKS_WHEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(
        r"(?i)\bwhen\b|\b(?:which|what)(?:'s)?\s+(?:\w+\s+)?(?:date|day|week|weekend|month|year|season)s?\b|\bin which\b",
    )
});

/// Date arithmetic gone wrong: the turn says "last Saturday", the key names a Sunday.
pub struct DateDoesNotFollow;

impl Signal for DateDoesNotFollow {
    fn name(&self) -> &'static str {
        "the key's date does not follow from the evidence"
    }

    /// Intervals are as wide as people mean them, so a contradiction is a wrong date, a wrong citation or a turn that tells
    /// two stories; seven times as frequent under a wrong key.
    fn weight(&self) -> f64 {
        2.0
    }

    /// Full strength where a cited turn tells a time and the key's days share none with it; 0.7 where only a sentence about
    /// something else tells a time that fits; half where the key gives the day
    /// of the conversation instead (the turn may tell two things), and half where no turn tells a time and the day of the
    /// conversation is not what the key says either.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let asks = ASKS_WHEN.as_ref().is_some_and(|pattern| pattern.is_match(&subject.question.question));
        if !asks || subject.wanted_times.is_empty() || !subject.has_cited_events() {
            return None;
        }
        let told = Told::of(subject);
        if told.days.is_empty() {
            return None;
        }
        let key = &subject.wanted_times;
        let meets = |days: Days| key.iter().any(|mention| mention.days.meets(days));
        // The day of the conversation itself, or the month or year around it.
        let spoken = key.iter().any(|mention| {
            let length = mention.days.length();
            (length == 1 || length > WEEK) && told.days.iter().any(|(_, day)| mention.days.meets(*day))
        });
        let strength = if told.mentions.iter().chain(&told.own).any(|(_, mention)| meets(mention.days)) {
            if !told.own_apart(meets) {
                return None;
            }
            0.7
        } else if !told.mentions.is_empty() {
            if spoken { 0.5 } else { 1.0 }
        } else if told.days.iter().any(|(_, day)| meets(day.widened(1))) {
            return None;
        } else {
            0.5
        };
        let mut proof: Vec<Part> = key
            .iter()
            .map(|mention| {
                let words = subject.question.answer.as_deref().and_then(|text| text.get(mention.span.clone()));
                Part::sentence(format!("the key's \u{201c}{}\u{201d} is {}", words.unwrap_or_default(), mention.days))
            })
            .collect();
        proof.extend(told.proof(subject));
        Observation::new(strength, proof)
    }
}

/// Days.
const WEEK: i64 = 7;

/// The times that the cited turns tell, and the days on which they were said.
pub(super) struct Told {
    /// Each with the place of its event.
    pub mentions: Vec<(usize, Mention)>,
    /// Those that stand in the sentence of their turn that speaks most of what is asked: the others may date something else.
    pub own: Vec<(usize, Mention)>,
    /// The day of each cited event, with its place.
    pub days: Vec<(usize, Days)>,
}

impl Told {
    pub fn of(subject: &Subject<'_>) -> Self {
        let mut told = Self { mentions: Vec::new(), own: Vec::new(), days: Vec::new() };
        for place in subject.evidence() {
            let Some((event, day)) = subject.event(place).and_then(|event| Some((event, subject.day(event)?))) else {
                continue;
            };
            told.days.push((place, Days::day(day)));
            let mentions = calendar::said_on(&event.text, day);
            let words = event.words();
            let name = event.text.len() - words.len();
            let topic = topic(subject, words);
            let topic = topic.start + name..topic.end + name;
            let own: Vec<_> = mentions.iter().filter(|mention| topic.contains(&mention.span.start)).cloned().collect();
            // A sentence without a time of its own speaks of the day, whatever the others date.
            let today = own.is_empty() && topic.len() < words.len();
            told.own.extend(today.then(|| (place, Mention { span: 0..0, days: Days::day(day) })));
            told.own.extend(own.into_iter().map(|mention| (place, mention)));
            told.mentions.extend(mentions.into_iter().map(|mention| (place, mention)));
        }
        told
    }

    /// Whether a time told in the sentence that speaks of the matter is none of these days.
    pub fn own_apart(&self, meets: impl Fn(Days) -> bool) -> bool {
        // The day itself, which has no words, is too weak a time to contradict a told one.
        let mut told = self.own.iter().filter(|(_, mention)| !mention.span.is_empty()).peekable();
        told.peek().is_some() && !told.any(|(_, mention)| meets(mention.days))
    }

    /// What each cited turn says of time, and the turn.
    pub fn proof(&self, subject: &Subject<'_>) -> Vec<Part> {
        let mut proof = Vec::new();
        for (place, day) in &self.days {
            let own: Vec<&Mention> =
                self.mentions.iter().filter(|(of, _)| of == place).map(|(_, mention)| mention).collect();
            let text = subject.event(*place).map_or("", |event| event.text.as_str());
            for mention in &own {
                let words = text.get(mention.span.clone()).unwrap_or_default();
                proof.push(Part::sentence(format!("\u{201c}{words}\u{201d}, said on {day}, is {}", mention.days)));
            }
            if own.is_empty() {
                proof.push(Part::sentence(format!("said on {day}, without a time of its own")));
            }
            proof.extend(subject.line(*place, own.iter().map(|mention| mention.span.clone()).collect()));
        }
        proof
    }
}

/// The sentence of a turn that shares most words with question and key; the whole turn where none shares more than another.
fn topic(subject: &Subject<'_>, text: &str) -> Range<usize> {
    let shared = |span: &Range<usize>| {
        let own = terms(text.get(span.clone()).unwrap_or_default());
        own.iter().filter(|term| subject.asked.contains(*term) || subject.wanted.contains(*term)).count()
    };
    let mut best = (0, 0..text.len());
    let mut tied = true;
    for span in sentences(text) {
        let count = shared(&span);
        if count > best.0 {
            (best, tied) = ((count, span), false);
        } else if count == best.0 {
            tied = true;
        }
    }
    if tied { 0..text.len() } else { best.1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(key: &str, text: &str) -> f64 {
        let scene = Scene::asking("When did Ann run a race?").answer(key).cites(&["D1"]);
        scene.turn("D1", "Ann", text).strength(&DateDoesNotFollow)
    }

    #[test]
    fn it_fires_when_the_week_day_is_wrong() {
        assert_eq!(scene("The sunday before 22 June 2023", "I ran a race last Saturday."), 1.0);
    }

    #[test]
    fn it_fires_at_half_strength_for_the_day_of_the_conversation() {
        assert_eq!(scene("22 June 2023", "I ran a race last Saturday."), 0.5);
    }

    #[test]
    fn it_fires_when_only_another_sentence_fits() {
        assert_eq!(scene("May 2023", "A lot happened last month. I ran a race last Saturday."), 0.7);
    }

    #[test]
    fn it_must_not_fire_when_the_date_follows() {
        for key in ["17 June 2023", "The Saturday before 22 June 2023", "June 2023", "the week before 22 June, 2023"] {
            assert_eq!(scene(key, "I ran a race last Saturday."), 0.0, "{key}");
        }
        assert_eq!(scene("22 June 2023", "I ran a race."), 0.0, "the day it was said");
        assert_eq!(scene("2022", "I ran a race last year."), 0.0);
    }
}
