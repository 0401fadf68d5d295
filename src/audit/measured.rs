//! How well the audit's queue puts keys first that are known to be wrong.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::{Audit, Doubt, QuestionAudit};
use crate::evaluate::Evaluation;
use crate::source::{InputError, Source, json};

/// A question whose key or evidence somebody found wrong.
#[derive(Debug, Clone, Deserialize)]
struct KnownRow {
    question_id: String,
    error_type: String,
}

/// The kind of a row whose key is right and whose evidence is not.
const WRONG_CITATION: &str = "WRONG_CITATION";

/// What is known of the keys of some conversations: the questions at fault, each with the kind of its fault. A conversation
/// with one such question was looked at as a whole.
#[derive(Debug, Clone, Default)]
pub struct Known(HashMap<String, String>);

/// How a queue finds what it should.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// The questions in the queue.
    pub questions: usize,
    /// Those at fault.
    pub wrong: usize,
    /// Those at fault among the first tenth of the queue.
    pub in_first_tenth: usize,
    /// The mean, over the questions at fault, of the share of such questions down to each. None without any.
    pub average_precision: Option<f64>,
}

impl Known {
    /// Reads a list of objects with `question_id` and `error_type`; other fields are passed over.
    ///
    /// # Errors
    /// It is not such a list, with the place.
    pub fn load(source: &Source) -> Result<Self, InputError> {
        // The list has fields of its makers' own: what the warnings say of them is of no use here.
        let (rows, _): (Vec<KnownRow>, _) = json::parse_list(source, &["question_id", "error_type"])?;
        Ok(Self(rows.into_iter().map(|row| (row.question_id, row.error_type)).collect()))
    }

    fn is_wrong(&self, id: &str, doubt: Doubt) -> bool {
        self.0.get(id).is_some_and(|kind| (kind == WRONG_CITATION) == (doubt == Doubt::Evidence))
    }

    /// How well the audit finds wrong keys, in the order of its queue, or wrong evidence, in the order of what the signals
    /// say that doubt the evidence. Only conversations with a known question count, and no questions to abstain from: those
    /// have no key.
    pub fn measure(&self, audit: &Audit, evaluation: &Evaluation, doubt: Doubt) -> Found {
        let conversation = |number: usize| evaluation.asked.get(number).map(|asked| asked.conversation);
        let known = audit.questions.iter().filter(|question| self.0.contains_key(&question.id));
        let looked_at: HashSet<usize> = known.filter_map(|question| conversation(question.number)).collect();
        let asks = |number: usize| evaluation.question(number).is_some_and(|(_, question)| !question.abstain);
        let is_in = |question: &&QuestionAudit| {
            conversation(question.number).is_some_and(|c| looked_at.contains(&c)) && asks(question.number)
        };
        let mut queue: Vec<&QuestionAudit> = audit.questions.iter().filter(is_in).collect();
        if doubt == Doubt::Evidence {
            let points = |question: &QuestionAudit| -> f64 {
                question.signals.iter().filter(|finding| finding.doubts == doubt).map(|finding| finding.points).sum()
            };
            queue.sort_by(|a, b| points(b).total_cmp(&points(a)));
        }
        let hits: Vec<bool> = queue.iter().map(|question| self.is_wrong(&question.id, doubt)).collect();
        let wrong = hits.iter().filter(|hit| **hit).count();
        Found {
            questions: hits.len(),
            wrong,
            in_first_tenth: hits.iter().take(hits.len() / 10).filter(|hit| **hit).count(),
            average_precision: average_precision(&hits),
        }
    }
}

/// The mean, over the hits, of the share of hits down to each.
fn average_precision(ranked: &[bool]) -> Option<f64> {
    let mut found = 0.0;
    let mut sum = 0.0;
    for (place, _) in ranked.iter().enumerate().filter(|(_, hit)| **hit) {
        found += 1.0;
        sum += found / (place as f64 + 1.0);
    }
    (found > 0.0).then(|| sum / found)
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let precision = self.average_precision.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        let Self { questions, wrong, in_first_tenth, .. } = self;
        write!(
            f,
            "average precision {precision}, {in_first_tenth} of {wrong} in the first tenth of {questions} questions"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn average_precision_is_that_of_a_textbook() {
        assert_eq!(average_precision(&[true, false, true, false]), Some((1.0 + 2.0 / 3.0) / 2.0));
        assert_eq!(average_precision(&[false, false]), None);
        assert_eq!(average_precision(&[]), None);
    }

    #[test]
    fn wrong_citations_are_no_wrong_keys() {
        let text = r#"[{"question_id": "a", "error_type": "WRONG_CITATION", "more": 1}, {"question_id": "b", "error_type": "WRONG_DATE"}]"#;
        let known = Known::load(&Source::new("k.json", text)).unwrap();
        let says = |id| (known.is_wrong(id, Doubt::Key), known.is_wrong(id, Doubt::Evidence));
        assert_eq!((says("a"), says("b"), says("c")), ((false, true), (true, false), (false, false)));
    }
}
