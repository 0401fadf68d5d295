//! The question takes for granted what nobody said.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::audit::calendar;
use crate::audit::terms::term_spans;
use crate::audit::{Observation, Part, Signal, Subject};

static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("[\"\u{201c}]([^\"\u{201d}]{3,})[\"\u{201d}]").ok());

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
        let quoted = QUOTED.as_ref()?.captures_iter(question).filter_map(|found| found.get(1));
        for title in quoted {
            let wanted = title.as_str().to_lowercase();
            // A title's words may all occur by themselves; the title as such must be said.
            let said = subject.events.iter().any(|event| event.text.to_lowercase().contains(wanted.trim()));
            if !said {
                let sentence = format!("no turn says \u{201c}{}\u{201d}", title.as_str());
                return Observation::new(1.0, vec![Part::sentence(sentence)]);
            }
        }
        // Months without a year are times as well, so some day has to stand for the year.
        let near = subject.events.last().and_then(|event| subject.day(event));
        let times = calendar::written(question, near);
        let in_time = |span: &Range<usize>| times.iter().any(|time| time.span.start <= span.start && span.end <= time.span.end);
        let unknown = term_spans(question).filter(|(_, span)| !in_time(span)).find_map(|(term, span)| {
            let word = question.get(span.clone())?;
            let is_name = span.start > 0 && word.starts_with(char::is_uppercase);
            (is_name && !subject.index.says(&term, after) && subject.named().iter().all(|(_, name)| *name != span))
                .then_some(word)
        })?;
        Observation::new(0.3, vec![Part::sentence(format!("no turn says \u{201c}{unknown}\u{201d}"))])
    }
}
