//! The Porter stemmer (M. F. Porter, "An algorithm for suffix stripping", 1980), exactly as the `porter` tokenizer of SQLite
//! FTS5 has it: on bytes, for words of 3 to 64 bytes, with `y` counted as a vowel after a consonant.

/// Longer words pass through as they are.
const LONGEST: usize = 64;
/// Shorter words pass through as they are.
const SHORTEST: usize = 3;

/// When a suffix may go, judged by what stands before it. `m` counts the groups of vowels that consonants follow.
#[derive(Clone, Copy)]
enum If {
    /// `m > 0`.
    Some,
    /// `m > 1`.
    Several,
    /// `m > 1`, and it ends in `s` or `t`.
    SeveralBeforeIon,
}

/// A suffix, what takes its place, and when.
type Rule = (&'static str, &'static str, If);

const STEP_2: &[Rule] = &[
    ("ational", "ate", If::Some),
    ("tional", "tion", If::Some),
    ("enci", "ence", If::Some),
    ("anci", "ance", If::Some),
    ("izer", "ize", If::Some),
    ("logi", "log", If::Some),
    ("bli", "ble", If::Some),
    ("alli", "al", If::Some),
    ("entli", "ent", If::Some),
    ("eli", "e", If::Some),
    ("ousli", "ous", If::Some),
    ("ization", "ize", If::Some),
    ("ation", "ate", If::Some),
    ("ator", "ate", If::Some),
    ("alism", "al", If::Some),
    ("iveness", "ive", If::Some),
    ("fulness", "ful", If::Some),
    ("ousness", "ous", If::Some),
    ("aliti", "al", If::Some),
    ("iviti", "ive", If::Some),
    ("biliti", "ble", If::Some),
];

const STEP_3: &[Rule] = &[
    ("ical", "ic", If::Some),
    ("ness", "", If::Some),
    ("icate", "ic", If::Some),
    ("iciti", "ic", If::Some),
    ("ful", "", If::Some),
    ("ative", "", If::Some),
    ("alize", "al", If::Some),
];

const STEP_4: &[Rule] = &[
    ("al", "", If::Several),
    ("ance", "", If::Several),
    ("ence", "", If::Several),
    ("er", "", If::Several),
    ("ic", "", If::Several),
    ("able", "", If::Several),
    ("ible", "", If::Several),
    ("ant", "", If::Several),
    ("ement", "", If::Several),
    ("ment", "", If::Several),
    ("ent", "", If::Several),
    ("ion", "", If::SeveralBeforeIon),
    ("ou", "", If::Several),
    ("ism", "", If::Several),
    ("ate", "", If::Several),
    ("iti", "", If::Several),
    ("ous", "", If::Several),
    ("ive", "", If::Several),
    ("ize", "", If::Several),
];

/// Cuts a lower-cased word down to its stem.
pub(super) fn stem(word: &mut Vec<u8>) {
    if !(SHORTEST..=LONGEST).contains(&word.len()) {
        return;
    }
    plurals(word);
    if past_and_present(word) && !restored(word) {
        tidied(word);
    }
    if word.last() == Some(&b'y') && has_vowel(before(word, 1)) {
        replace(word, 1, b"i");
    }
    for step in [STEP_2, STEP_3, STEP_4] {
        apply(word, step);
    }
    if word.last() == Some(&b'e') {
        let stem = before(word, 1);
        if measure(stem) > 1 || (measure(stem) == 1 && !ends_short(stem)) {
            word.pop();
        }
    }
    if word.ends_with(b"ll") && measure(before(word, 1)) > 1 {
        word.pop();
    }
}

/// The word without its last `count` bytes.
fn before(word: &[u8], count: usize) -> &[u8] {
    word.get(..word.len().saturating_sub(count)).unwrap_or_default()
}

fn replace(word: &mut Vec<u8>, count: usize, by: &[u8]) {
    word.truncate(word.len().saturating_sub(count));
    word.extend_from_slice(by);
}

/// `y` is a vowel after a consonant; at the beginning that is up to the caller.
fn is_vowel(letter: u8, y_is: bool) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u') || (y_is && letter == b'y')
}

/// The number of groups of vowels that a consonant follows, counted up to 2.
fn measure(stem: &[u8]) -> usize {
    let (mut consonant, mut count) = (false, 0);
    for &letter in stem {
        let was = consonant;
        consonant = !is_vowel(letter, consonant);
        // At the beginning nothing was a consonant, and nothing was a vowel either.
        count += usize::from(consonant && !was);
    }
    // A stem that begins with a consonant had that one counted.
    let begins = stem.first().is_some_and(|first| !is_vowel(*first, false));
    count - usize::from(begins)
}

fn has_vowel(stem: &[u8]) -> bool {
    stem.iter().enumerate().any(|(place, letter)| is_vowel(*letter, place > 0))
}

/// Ends in consonant, vowel, consonant, the last of which is not `w`, `x` or `y`.
fn ends_short(stem: &[u8]) -> bool {
    if matches!(stem.last(), None | Some(b'w' | b'x' | b'y')) {
        return false;
    }
    let (mut consonant, mut last) = (false, 0_u8);
    for &letter in stem {
        consonant = !is_vowel(letter, consonant);
        last = ((last << 1) | u8::from(consonant)) & 7;
    }
    last == 5
}

fn plurals(word: &mut Vec<u8>) {
    let length = word.len();
    if word.ends_with(b"es") {
        let double = (length > 4 && word.ends_with(b"sses")) || (length > 3 && word.ends_with(b"ies"));
        replace(word, if double { 2 } else { 1 }, b"");
    } else if word.ends_with(b"s") && !word.ends_with(b"ss") {
        word.pop();
    }
}

/// Whether `ed` or `ing` went.
fn past_and_present(word: &mut Vec<u8>) -> bool {
    let length = word.len();
    if length > 3 && word.ends_with(b"eed") {
        if measure(before(word, 3)) > 0 {
            word.pop();
        }
        return false;
    }
    for suffix in [&b"ed"[..], b"ing"] {
        if length > suffix.len() && word.ends_with(suffix) && has_vowel(before(word, suffix.len())) {
            replace(word, suffix.len(), b"");
            return true;
        }
    }
    false
}

/// Whether an `e` came back after `at`, `bl` or `iz`.
fn restored(word: &mut Vec<u8>) -> bool {
    let wants = word.len() > 2 && [&b"at"[..], b"bl", b"iz"].iter().any(|end| word.ends_with(end));
    if wants {
        word.push(b'e');
    }
    wants
}

/// What `ed` or `ing` left: no double consonant, but an `e` where the word is short.
fn tidied(word: &mut Vec<u8>) {
    let [.., last] = word.as_slice() else { return };
    let last = *last;
    let doubled = before(word, 1).last() == Some(&last);
    if doubled && !is_vowel(last, false) && !matches!(last, b'l' | b's' | b'z') {
        word.pop();
    } else if measure(word) == 1 && ends_short(word) {
        word.push(b'e');
    }
}

/// The first rule whose suffix the word has, if its condition holds.
fn apply(word: &mut Vec<u8>, rules: &[Rule]) {
    let found = rules.iter().find(|(suffix, ..)| word.len() > suffix.len() && word.ends_with(suffix.as_bytes()));
    let Some((suffix, by, condition)) = found else { return };
    let stem = before(word, suffix.len());
    let holds = match condition {
        If::Some => measure(stem) > 0,
        If::Several => measure(stem) > 1,
        If::SeveralBeforeIon => measure(stem) > 1 && matches!(stem.last(), Some(b's' | b't')),
    };
    if holds {
        replace(word, suffix.len(), by.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(word: &str) -> String {
        let mut word = word.as_bytes().to_vec();
        stem(&mut word);
        String::from_utf8(word).unwrap()
    }

    #[test]
    fn the_examples_of_the_paper() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("triplicate", "triplic"),
            ("hopefulness", "hope"),
            ("adoption", "adopt"),
            ("controll", "control"),
            ("at", "at"),
        ] {
            assert_eq!(stemmed(word), expected, "{word}");
        }
    }
}
