//! The question names a time at which its evidence did not happen.

use super::date::Told;
use crate::audit::calendar;
use crate::audit::{Observation, Part, Signal, Subject};

/// A question about "summer 2021" whose evidence tells of summer 2022.
pub struct QuestionDate;

impl Signal for QuestionDate {
    fn name(&self) -> &'static str {
        "the question's date does not fit the evidence"
    }

    /// Questions take their dates from the turns they were made from; a date that fits neither the day of a cited turn nor a
    /// time it tells is a false premise: ten times as frequent in faulty questions.
    fn weight(&self) -> f64 {
        2.3
    }

    /// Full strength where the question's days share none with the days of the evidence (a day's leeway) nor with the times
    /// that it tells.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        let question = &subject.question.question;
        let told = Told::of(subject);
        let mut asked = calendar::written(question, told.days.first().map(|(_, day)| day.from));
        // "Since 2016" and "as of May" bound a time and do not name it.
        asked.retain(|mention| {
            let before = question.get(..mention.span.start).unwrap_or_default().trim_end().to_lowercase();
            let within = question.get(mention.span.clone()).unwrap_or_default().to_lowercase();
            let bounds = ["as of", "by", "before", "after", "since", "until", "till", "from"];
            !bounds.iter().any(|bound| before.ends_with(bound) || within.starts_with(bound))
        });
        let first = asked.first()?;
        if !subject.has_cited_events() || told.days.is_empty() {
            return None;
        }
        let fits = asked.iter().any(|mention| {
            told.days.iter().any(|(_, day)| day.widened(1).meets(mention.days))
                || told.mentions.iter().any(|(_, told)| told.days.meets(mention.days))
        });
        if fits {
            return None;
        }
        let words = question.get(first.span.clone()).unwrap_or_default();
        let mut proof = vec![Part::sentence(format!("the question's \u{201c}{words}\u{201d} is {}", first.days))];
        proof.extend(told.proof(subject));
        Observation::new(1.0, proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(question: &str) -> f64 {
        let scene = Scene::asking(question).answer("Indiana").cites(&["D1"]);
        scene.turn_at("D1", "Ann", "9 November, 2022", "I hiked there last summer.").strength(&QuestionDate)
    }

    #[test]
    fn it_fires_when_the_evidence_is_of_another_time() {
        assert_eq!(scene("Where did Ann hike in summer 2021?"), 1.0);
    }

    #[test]
    fn it_must_not_fire_when_it_was_told_or_happened_then() {
        assert_eq!(scene("Where did Ann hike in summer 2022?"), 0.0);
        assert_eq!(scene("What did Ann tell on 9 November 2022?"), 0.0);
        assert_eq!(scene("Where did Ann hike?"), 0.0);
        assert_eq!(scene("Where had Ann hiked as of June 2023?"), 0.0);
    }
}
