//! Failing answers are better supported by the evidence than the key is.

use std::collections::BTreeSet;

use crate::audit::calendar::{self, Mention};
use crate::audit::subject::claims;
use crate::audit::{Observation, Part, Said, Signal, Subject, refusal};

/// Answers that fail but say what the cited turns say, where the key says something else.
pub struct BetterSupported;

impl Signal for BetterSupported {
    fn name(&self) -> &'static str {
        "failing answers fit the evidence better than the key"
    }

    /// The evidence was chosen to support the key. Where a rejected answer fits it better, the key departs from its own
    /// evidence: five times as frequent under a wrong key.
    fn weight(&self) -> f64 {
        1.6
    }

    /// The share of the best-fitting failing answer's claims that the evidence holds, less the key's share.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        if !subject.has_cited_events() || subject.question.answer.is_none() {
            return None;
        }
        let evidence = Evidence::of(subject);
        let key = evidence.support(&subject.wanted, &subject.wanted_times)?;
        let mut supported: Vec<(f64, &Said<'_>)> = subject
            .failing()
            .filter(|said| refusal(said.text).is_none())
            .filter_map(|said| {
                let times = calendar::written(said.text, None);
                Some((evidence.support(&claims(said.text, &subject.asked), &times)? - key, said))
            })
            .filter(|(gain, _)| *gain > 0.0)
            .collect();
        let graded = subject.graded();
        if supported.is_empty() || graded == 0 {
            return None;
        }
        // Each answer counts: one lucky phrase is less than several answers that all fit.
        let strength = supported.iter().map(|(gain, _)| gain).sum::<f64>() / graded as f64;
        supported.sort_by(|a, b| b.0.total_cmp(&a.0));
        let sentence =
            format!("the evidence holds {:.0} % of what the key says, and more of what these answers say", key * 100.0);
        let mut proof = vec![Part::sentence(sentence)];
        proof.extend(subject.lines());
        proof.extend(subject.quotes(supported.into_iter().map(|(_, said)| (said, Vec::new()))));
        Observation::new(strength * 1.5, proof)
    }
}

/// What the cited turns say: their words, and the days that they name or imply.
struct Evidence {
    terms: BTreeSet<String>,
    times: Vec<Mention>,
}

impl Evidence {
    fn of(subject: &Subject<'_>) -> Self {
        let events = subject.evidence().into_iter().filter_map(|place| subject.event(place));
        let times = events.flat_map(|event| {
            let day = subject.day(event);
            day.map(|day| {
                let own = Mention { span: 0..0, days: calendar::Days::day(day) };
                let said = calendar::said_on(&event.text, day);
                if said.is_empty() { vec![own] } else { said }
            })
            .unwrap_or_default()
        });
        Self { times: times.collect(), terms: subject.evidence_terms() }
    }

    /// The share of words and times that the evidence holds; nothing where there are none of either.
    fn support(&self, terms: &BTreeSet<String>, times: &[Mention]) -> Option<f64> {
        let total = terms.len() + times.len();
        let held = terms.intersection(&self.terms).count();
        let met = times.iter().filter(|time| self.times.iter().any(|own| own.days.meets(time.days))).count();
        (total > 0).then(|| (held + met) as f64 / total as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(answer: &str) -> f64 {
        let scene = Scene::asking("What is the series about?").answer("dragons").cites(&["D1"]);
        scene.turn("D1", "Mara", "It has adventures and magic!").run("a", answer, &[false]).strength(&BetterSupported)
    }

    #[test]
    fn it_fires_when_the_evidence_says_what_the_answer_says() {
        assert_eq!(scene("Adventures, magic"), 1.0);
    }

    #[test]
    fn it_fires_for_a_date_that_follows_from_the_evidence() {
        let scene = Scene::asking("When did Ann run?").answer("18 June 2023").cites(&["D1"]);
        let scene = scene.turn("D1", "Ann", "I ran last Saturday.").run("a", "17 June 2023", &[false]);
        assert_eq!(scene.strength(&BetterSupported), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_the_answer_is_made_up() {
        assert_eq!(scene("Space travel"), 0.0);
    }
}
