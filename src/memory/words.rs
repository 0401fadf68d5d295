//! The words by which a question and a record are compared.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// English stop words, which never count as shared.
pub const STOP_WORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "are", "as", "at", "be", "but", "by", "can", "could", "did", "do", "does", "for",
    "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my",
    "no", "not", "now", "of", "on", "or", "our", "out", "please", "she", "should", "so", "some", "still", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "us", "was", "we", "were", "what",
    "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

/// A run of Unicode word characters. The pattern is a constant, so it compiles or no test passes.
static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\w+").ok());

/// The distinct words of a text: lower-cased runs of Unicode word characters (`\w+`) that are not stop words.
pub fn words(text: &str) -> BTreeSet<String> {
    word_spans(text).map(|(word, _)| word).collect()
}

/// Each word of a text that is not a stop word, lower-cased, with the bytes where it stands.
pub fn word_spans(text: &str) -> impl Iterator<Item = (String, Range<usize>)> + '_ {
    WORD.iter()
        .flat_map(move |pattern| pattern.find_iter(text))
        .map(|hit| (hit.as_str().to_lowercase(), hit.range()))
        .filter(|(word, _)| STOP_WORDS.binary_search(&word.as_str()).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted_for_the_binary_search() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn words_are_lower_cased_unicode_runs_without_stop_words() {
        let found: Vec<_> = words("When does on-call change? Ünïcode_42 ЖУРНАЛ").into_iter().collect();
        assert_eq!(found, ["call", "change", "ünïcode_42", "журнал"]);
        assert!(words("").is_empty());
        assert!(words("Who would have what?").is_empty());
    }

    #[test]
    fn spans_point_at_the_words() {
        let text = "Is the Budget fixed?";
        let spans: Vec<_> = word_spans(text).filter_map(|(_, span)| text.get(span)).collect();
        assert_eq!(spans, ["Budget", "fixed"]);
    }
}
