//! Grading the answer to a question that nothing said answers: the right answer is to say so.

use super::{Standard, graded, normalised, tokens};
use crate::audit::refusal;
use crate::grade::{Grade, Verdict};

/// How short answers decline, beyond what [`refusal`] recognises in sentences. All in lower case.
const WHOLE: &[&str] = &[
    "none",
    "nothing",
    "unknown",
    "unclear",
    "unsure",
    "n/a",
    "na",
    "no answer",
    "not sure",
    "not known",
    "no idea",
    "not answerable",
    "unanswerable",
    "no information",
    "not applicable",
    "undefined",
    "null",
    "i don't know",
    "i do not know",
];
/// Beginnings of sentences that decline.
const BEGINNINGS: &[&str] = &[
    "i don't know",
    "i do not know",
    "i'm not sure",
    "i am not sure",
    "i'm unsure",
    "i can't",
    "i cannot",
    "i have no",
    "not sure",
    "we don't know",
    "it is unclear",
    "it's unclear",
    "there is nothing",
    "sorry",
    "it is unknown",
    "it's unknown",
];

/// Bytes of an answer without a subject, at most.
const SHORT: usize = 80;

/// Whether a text declines to answer.
pub(super) fn declines(text: &str) -> bool {
    let folded = normalised(text).to_lowercase();
    let plain = folded.trim().trim_end_matches(['.', '!']).trim();
    // "Not mentioned." lacks the subject by which a sentence is recognised.
    let as_sentence =
        || plain.starts_with("not ") && plain.len() < SHORT && refusal(&format!("it is {plain}")).is_some();
    WHOLE.contains(&plain)
        || BEGINNINGS.iter().any(|beginning| plain.starts_with(beginning))
        || refusal(text).is_some()
        || as_sentence()
}

/// Whether a published answer is to say that nothing is known. "None" and "nothing" may be answers of their own.
pub(super) fn is_published_refusal(text: &str) -> bool {
    const WORDS: &[&str] = &["unknown", "n/a", "no information", "not known", "not answerable", "unanswerable"];
    let plain = text.trim().trim_end_matches('.').to_lowercase();
    WORDS.contains(&plain.as_str()) || refusal(text).is_some()
}

/// Passes when the answer declines, or denies what the question takes for granted; fails when it states something.
pub(super) fn grade(answer: &str, trap: Option<&Standard>, words: &str) -> Grade {
    let states_trap = || trap.is_some_and(|trap| trap.is_stated(answer));
    let declines = declines(answer);
    if !declines && states_trap() {
        return graded(Verdict::Fail, format!("to abstain from; states the trap: {words}"));
    }
    if declines {
        return graded(Verdict::Pass, "declines, as it should");
    }
    let text = normalised(answer);
    if super::polarity(&tokens(&text, None)) == Some(false) {
        return graded(Verdict::Pass, "denies the premise, as it should");
    }
    graded(Verdict::Fail, "to abstain from; states something")
}
