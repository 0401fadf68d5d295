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
    // Without characters beyond ASCII, `\w` is `[A-Za-z0-9_]`: most texts need no pattern, which costs ten times as much.
    let ascii = text.is_ascii();
    let patterns = WORD.iter().filter(move |_| !ascii).flat_map(move |pattern| pattern.find_iter(text));
    let spans = ascii.then(|| ascii_spans(text)).into_iter().flatten().chain(patterns.map(|hit| hit.range()));
    spans.filter_map(move |span| {
        let word = text.get(span.clone())?;
        let word = if ascii { word.to_ascii_lowercase() } else { word.to_lowercase() };
        STOP_WORDS.binary_search(&word.as_str()).is_err().then_some((word, span))
    })
}

/// Calls `each` with every word that [`word_spans`] gives, without a text of its own for each.
pub(crate) fn for_each_word(text: &str, mut each: impl FnMut(&str)) {
    if !text.is_ascii() {
        return word_spans(text).for_each(|(word, _)| each(&word));
    }
    let mut word = String::new();
    for span in ascii_spans(text) {
        word.clear();
        word.push_str(text.get(span).unwrap_or_default());
        word.make_ascii_lowercase();
        if STOP_WORDS.binary_search(&word.as_str()).is_err() {
            each(&word);
        }
    }
}

/// The runs of word characters in a text of ASCII characters.
fn ascii_spans(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut bytes = text.bytes().enumerate();
    std::iter::from_fn(move || {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let (start, _) = bytes.find(|(_, byte)| is_word(*byte))?;
        let end = bytes.find(|(_, byte)| !is_word(*byte)).map_or(text.len(), |(end, _)| end);
        Some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn the_short_way_finds_what_the_pattern_finds(text in "[ -~\\n\\t]{0,40}") {
            let by_pattern: Vec<_> = WORD.as_ref().unwrap().find_iter(&text).map(|hit| hit.range()).collect();
            prop_assert_eq!(ascii_spans(&text).collect::<Vec<_>>(), by_pattern);
            let mut all = Vec::new();
            for_each_word(&text, |word| all.push(word.to_owned()));
            prop_assert_eq!(all, word_spans(&text).map(|(word, _)| word).collect::<Vec<_>>());
        }
    }

    #[test]
    fn spans_point_at_the_words() {
        let text = "Is the Budget fixed?";
        let spans: Vec<_> = word_spans(text).filter_map(|(_, span)| text.get(span)).collect();
        assert_eq!(spans, ["Budget", "fixed"]);
    }
}
