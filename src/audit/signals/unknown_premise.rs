//! The question takes for granted what nobody said.

use std::ops::Range;

use crate::audit::calendar;
use crate::audit::index::quoted;
use crate::audit::terms::term_spans;
use crate::audit::{Observation, Part, Signal, Subject};

/// Names and titles in the question that stand nowhere in the conversation.
pub struct UnknownPremise;

impl Signal for UnknownPremise {
    fn name(&self) -> &'static str {
        "the question names what nobody said"
    }

    /// A title that no turn mentions cannot have been asked about soundly, save for spelling: five times as frequent in
    /// faulty questions.
    fn weight(&self) -> f64 {
        1.6
    }

    /// Full strength for a quoted title that no turn says; 0.3 for a name whose word no turn says (spellings differ).
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation> {
        // A question that asks for a conclusion may bring in something new to conclude about.
        if subject.question.answer.is_none() || subject.events.is_empty() || subject.asks_to_infer() {
            return None;
        }
        let question = &subject.question.question;
        let after = subject.events.len();
        if let Some(title) = quoted(question).find(|title| !subject.index.says_title(title)) {
            return Observation::new(1.0, vec![Part::sentence(format!("no turn says \u{201c}{title}\u{201d}"))]);
        }
        // Months without a year are times as well, so some day has to stand for the year.
        let near = subject.events.last().and_then(|event| subject.day(event));
        let times = calendar::written(question, near);
        let in_time =
            |span: &Range<usize>| times.iter().any(|time| time.span.start <= span.start && span.end <= time.span.end);
        let named = subject.named();
        let unknown = term_spans(question).filter(|(_, span)| !in_time(span)).find_map(|(term, span)| {
            let word = question.get(span.clone())?;
            let is_name = span.start > 0 && word.starts_with(char::is_uppercase);
            (is_name && !subject.index.says(&term, after) && named.iter().all(|(_, name)| *name != span))
                .then_some(word)
        })?;
        Observation::new(0.3, vec![Part::sentence(format!("no turn says \u{201c}{unknown}\u{201d}"))])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::testing::Scene;

    fn scene(question: &str) -> f64 {
        let scene = Scene::asking(question).answer("2022").cites(&["D1"]);
        scene.turn("D1", "Ann", "I read the book Dune last May, nothing was impossible.").strength(&UnknownPremise)
    }

    #[test]
    fn it_fires_for_a_title_or_a_name_that_nobody_said() {
        assert_eq!(scene("When did Ann read \"nothing is impossible\"?"), 1.0);
        assert_eq!(scene("When did Ann read Emma?"), 0.3);
    }

    #[test]
    fn it_must_not_fire_for_what_was_said_or_for_a_date() {
        assert_eq!(scene("When did Ann read \"dune\"?"), 0.0);
        assert_eq!(scene("What did Ann read in June 2022?"), 0.0);
        assert_eq!(scene("What did Ann read in June?"), 0.0);
    }
}
