//! A duration in the key does not follow from the days of its evidence.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::date::Told;
use crate::audit::calendar::{Days, Unit, count_of, days_between};
use crate::audit::pattern::compile;
use crate::audit::{Observation, Part, Signal, Subject};

static ASKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(r"(?i)\bhow long\b|\bhow many (?:days|weeks|weekends|months|years)\b"));
static DURATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(
        r"(?i)\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a few|several)\s+(days?|weeks?|weekends?|months?|years?)\b",
    )
});

/// The key counts the time between two turns wrongly.
pub struct Duration;

impl Signal for Duration {
    fn name(&self) -> &'static str {
        "the key's duration does not follow from the evidence"
    }

    /// The bounds are generous, and people count time by hand: six times as frequent under a wrong key.
    fn weight(&self) -> f64 {
        1.8
    }

    /// Full strength where the time between the first and the last cited day, at its shortest and at its longest reading,
    /// leaves no room for the key's duration (half a unit of leeway). A duration that a turn states itself needs no arithmetic.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let question = &subject.question.question;
        let answer = subject.question.answer.as_deref()?;
        if !ASKS.as_ref()?.is_match(question) || !subject.has_cited_events() {
            return None;
        }
        let found = DURATION.as_ref()?.captures(answer)?;
        let (least, most) = count_of(found.get(1)?.as_str())?;
        let unit = Unit::of(&found.get(2)?.as_str().to_lowercase())?;
        let same = |found: Captures<'_>| {
            let unit_of = found.get(2).and_then(|word| Unit::of(&word.as_str().to_lowercase()));
            unit_of == Some(unit) && found.get(1).and_then(|words| count_of(words.as_str())) == Some((least, most))
        };
        let mut events = subject.evidence().into_iter().filter_map(|place| subject.event(place));
        if events.any(|event| DURATION.iter().any(|pattern| pattern.captures_iter(event.words()).any(same))) {
            return None;
        }
        let told = Told::of(subject);
        // A turn's own times say when it happened; without one it happened on the day or shortly before.
        let readings: Vec<Days> = told
            .days
            .iter()
            .map(|(place, day)| {
                let own = told.own.iter().filter(|(of, mention)| of == place && mention.days.length() <= LONGEST);
                own.map(|(_, mention)| mention.days).reduce(hull).unwrap_or(*day)
            })
            .collect();
        let first = readings.iter().min_by_key(|days| days.from)?;
        let last = readings.iter().max_by_key(|days| days.to)?;
        let (shortest, longest) = (days_between(first.to, last.from), days_between(first.from, last.to));
        if told.days.len() < 2 || longest < LEAST {
            return None;
        }
        let wanted = (least as f64 - 0.5) * unit.days()..=(most as f64 + 0.5) * unit.days();
        if *wanted.start() <= longest as f64 && shortest as f64 <= *wanted.end() {
            return None;
        }
        let sentence = format!(
            "the key says \u{201c}{}\u{201d}; between {first} and {last} lie {shortest} to {longest} days",
            found.get(0)?.as_str()
        );
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(told.proof(subject));
        Observation::new(1.0, proof)
    }
}

/// Longer mentions ("last year") leave the distance open.
const LONGEST: i64 = 62;
/// Turns of one day do not mark a beginning and an end.
const LEAST: i64 = 2;

fn hull(a: Days, b: Days) -> Days {
    Days { from: a.from.min(b.from), to: a.to.max(b.to) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(key: &str) -> f64 {
        let scene = Scene::asking("How long did it take Jon to open his studio?").answer(key).cites(&["D1", "D2"]);
        let scene = scene.turn_at("D1", "Jon", "20 January, 2023", "Lost my job yesterday, so I start a studio.");
        scene.turn_at("D2", "Jon", "19 June, 2023", "The studio opens tomorrow!").strength(&Duration)
    }

    #[test]
    fn it_fires_when_the_time_between_is_another() {
        assert_eq!(scene("six months"), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_it_fits() {
        assert_eq!(scene("five months"), 0.0);
        assert_eq!(scene("Jon took a while"), 0.0);
    }
}
