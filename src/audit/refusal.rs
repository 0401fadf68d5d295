//! Recognising an answer that says it cannot answer.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::grade::sentences;

use super::pattern::compile;

/// How answers say that the information is missing. Each alternative names the *source* ("notes", "information") or the
/// *state of being told* ("not mentioned"), so that "I do not have a car" is no refusal.
const PATTERN: &str = r"(?ix)
    \b(?:do|does|did|can)(?:\s+not|n['’]t|not)\s+(?:\w+\s+){0,3}?(?:have|find|see|contain|include|hold|possess)\s+(?:\w+[\s,]+){0,5}?
        (?:information|informations?|notes?|records?|memor(?:y|ies)|details?|data|access|knowledge|context|mentions?|instructions?|recommendations?|evidence)\b
  | \b(?:do|does|did)(?:\s+not|n['’]t)\s+(?:explicitly\s+|specifically\s+|directly\s+|clearly\s+)?(?:mention|specify|indicate|state|disclose|say\s+(?:who|when|what|where|which|why|how))\b
  | \b(?:no|without\s+any|isn['’]t\s+any)\s+(?:\w+\s+){0,2}?(?:information|mention|records?|evidence|details?|notes?|memor(?:y|ies)|indication|data|reference)\b
  | \bno\s+\w+\s+(?:is|are|was|were)\s+(?:mentioned|specified|stated|recorded|given)\b
  | \b(?:is|are|was|were|been)?(?:\s+not|n['’]t)\s+(?:\w+\s+)?(?:mentioned|specified|stated|provided|available|recorded|disclosed|discussed)\b
  | \b(?:unknown|unspecified|undisclosed)\b
  | \bplease\s+(?:provide|share|give|tell)\b
  | \b(?:cannot|can['’]t|can\s+not|could\s+not|couldn['’]t|unable\s+to)\s+(?:be\s+)?(?:\w+\s+)?(?:answer|determined?|find|tell|identif(?:y|ied))\b
";

/// The pattern is a constant, so it compiles or no test passes.
static REFUSAL: LazyLock<Option<Regex>> = LazyLock::new(|| compile(PATTERN));

/// Where an answer says that the information is missing.
pub fn refusal(text: &str) -> Option<Range<usize>> {
    REFUSAL.as_ref()?.find(text).map(|hit| hit.range())
}

/// Where the *last* sentence of an answer says so, in bytes of the whole answer.
pub fn last_word_refuses(text: &str) -> Option<Range<usize>> {
    let last = sentences(text).filter(|span| text.get(span.clone()).is_some_and(|s| !s.trim().is_empty())).last()?;
    let found = refusal(text.get(last.clone())?)?;
    Some(found.start + last.start..found.end + last.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_recognised() {
        for text in [
            "I do not have any stored notes about who approves your desk order.",
            "I don't have any information about that.",
            "There is no information about that in what I was given.",
            "No memory mentions Melanie reading it.",
            "The notes do not specify which town she saw.",
            "It is not mentioned.",
            "Please provide the stored notes so I can answer.",
            "This cannot be determined.",
            "Unknown.",
            "No evidence found.",
        ] {
            assert!(refusal(text).is_some(), "{text}");
        }
    }

    #[test]
    fn answers_are_not() {
        for text in [
            "We are going to Porto.",
            "I do not have a car.",
            "Priya approves it.",
            "She did not say goodbye.",
            "He does not eat meat.",
            "Peanut-free options, as you are allergic.",
        ] {
            assert!(refusal(text).is_none(), "{text}");
        }
    }

    #[test]
    fn only_the_last_sentence_is_the_last_word() {
        let text = "You eat fish. However, I do not have specific instructions on dinner.";
        assert_eq!(last_word_refuses(text).and_then(|span| text.get(span)), Some("do not have specific instructions"));
        assert!(last_word_refuses("There are no notes on dinner. But you eat fish.").is_none());
    }
}
