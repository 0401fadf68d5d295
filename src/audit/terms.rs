//! The meaning-bearing words by which the audit compares questions, keys, answers and evidence.
//!
//! They start from [`word_spans`], the words by which strategies rank, and differ in three ways, because the audit asks
//! whether two texts speak of the same thing, not whether a ranker would find one by the other: inflections fall together,
//! number words become digits, and words that only carry a sentence ("mentioned", "likely") are left out.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::memory::word_spans;

use super::numbers;

/// Words that tell nothing about what a text is about: leftovers of contractions, hedges, and the words with which answers
/// speak of their own sources. Sorted for the binary search.
const CARRIERS: &[&str] = &[
    "all",
    "along",
    "also",
    "any",
    "anything",
    "based",
    "because",
    "been",
    "being",
    "both",
    "d",
    "doesn",
    "don",
    "each",
    "either",
    "ever",
    "get",
    "got",
    "just",
    "like",
    "likely",
    "ll",
    "m",
    "made",
    "make",
    "many",
    "memories",
    "memory",
    "mention",
    "mentioned",
    "mentions",
    "more",
    "most",
    "much",
    "note",
    "notes",
    "off",
    "once",
    "one",
    "only",
    "other",
    "over",
    "own",
    "probably",
    "re",
    "really",
    "s",
    "said",
    "says",
    "since",
    "something",
    "stated",
    "stored",
    "such",
    "t",
    "thing",
    "things",
    "through",
    "too",
    "up",
    "user",
    "ve",
    "very",
    "well",
    "while",
    "yeah",
    "yes",
];

/// The shortest stem that a suffix may leave.
const SHORTEST: usize = 4;

/// Suffixes of inflection and of the commonest derivations, longest first within one kind.
const SUFFIXES: &[&str] = &[
    "ational", "ations", "ation", "ments", "ment", "ness", "ings", "ing", "ers", "er", "ors", "or", "ions", "ion",
    "ed", "ly", "ates", "ate", "al",
];

/// A light English stem: inflections and the commonest derivations of one word fall together (`approves`, `approval`,
/// `approver` all give `approv`); words of other meaning stay apart (`manager` gives `manag`).
///
/// Written here, not taken from a crate: the Snowball crate for Rust has had no release since 2020, and the audit needs only
/// that both sides of a comparison are cut alike. Too much cutting makes two words equal and so *hides* a doubt, it never
/// makes one.
pub fn stem(word: &str) -> String {
    let word = singular(word);
    let mut stem = word.as_str();
    for suffix in SUFFIXES {
        if let Some(rest) = stem.strip_suffix(suffix)
            && rest.chars().count() >= SHORTEST - usize::from(matches!(*suffix, "ing" | "ed" | "ings"))
        {
            stem = rest;
            break;
        }
    }
    let stem = undoubled(stem);
    match stem.strip_suffix(['e', 'y', 'i']) {
        Some(rest) if rest.chars().count() >= 3 => rest.to_owned(),
        _ => stem.to_owned(),
    }
}

fn singular(word: &str) -> String {
    let long = |rest: &str| rest.chars().count() >= 2;
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| long(rest)) {
        return format!("{rest}y");
    }
    for suffix in ["sses", "xes", "ches", "shes", "zes"] {
        if let Some(rest) = word.strip_suffix("es").filter(|_| word.ends_with(suffix)) {
            return rest.to_owned();
        }
    }
    match word.strip_suffix('s') {
        Some(rest) if long(rest) && !rest.ends_with(['s', 'u', 'i']) => rest.to_owned(),
        _ => word.to_owned(),
    }
}

/// `running` leaves `runn`, `hopped` leaves `hopp`: one letter of the pair goes.
fn undoubled(stem: &str) -> &str {
    let mut letters = stem.chars().rev();
    match (letters.next(), letters.next()) {
        (Some(a), Some(b)) if a == b && !"aeious".contains(a) && stem.chars().count() > 3 => {
            stem.strip_suffix(a).unwrap_or(stem)
        }
        _ => stem,
    }
}

/// Each meaning-bearing word of a text as its stem, with the bytes where it stands.
pub fn term_spans(text: &str) -> impl Iterator<Item = (String, Range<usize>)> + '_ {
    word_spans(text).filter(|(word, _)| CARRIERS.binary_search(&word.as_str()).is_err()).map(|(word, span)| {
        let term = match numbers::value(&word) {
            Some(number) => number.to_string(),
            None => stem(&word),
        };
        (term, span)
    })
}

/// The distinct stems of a text's meaning-bearing words.
pub fn terms(text: &str) -> BTreeSet<String> {
    term_spans(text).map(|(term, _)| term).collect()
}

/// The share of `wanted` that stands in `held`; nothing where nothing is wanted.
pub fn share(wanted: &BTreeSet<String>, held: &BTreeSet<String>) -> Option<f64> {
    (!wanted.is_empty()).then(|| wanted.intersection(held).count() as f64 / wanted.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carriers_are_sorted_for_the_binary_search() {
        assert!(CARRIERS.is_sorted());
    }

    #[test]
    fn inflections_fall_together() {
        for (one, other) in [
            ("approves", "approval"),
            ("approver", "approved"),
            ("running", "run"),
            ("hobbies", "hobby"),
            ("motivates", "motivation"),
            ("painted", "paintings"),
            ("boxes", "box"),
            ("changes", "changed"),
            ("classes", "class"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} and {other}");
        }
    }

    #[test]
    fn other_words_stay_apart() {
        for (one, other) in [("manager", "approver"), ("class", "classic"), ("bus", "bu"), ("desk", "order")] {
            assert_ne!(stem(one), stem(other), "{one} and {other}");
        }
    }

    #[test]
    fn number_words_are_digits_and_carriers_are_left_out() {
        let found: Vec<_> = terms("Yes, the notes also mention three Turtles.").into_iter().collect();
        assert_eq!(found, ["3", "turtl"]);
    }
}
