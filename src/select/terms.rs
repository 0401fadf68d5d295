//! Terms and BM25: an inverted index in memory that gives the ranking of an FTS5 table over the same texts.
//!
//! What the ranking is, SQLite says: [`super::Projection`] is such a table, and a test holds this index against it, score by
//! score. The index is here for two reasons. A query takes 10 µs rather than several hundred, and the same index serves
//! every moment of a history, while a table would have to be filled again for each.

use foldhash::HashMap;

use super::fold::{Folded, with_known};
use super::stem::stem;
use crate::memory::STOP_WORDS;

/// How a text becomes terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Analysis {
    /// As the tokenizer `unicode61` of FTS5 does: runs of letters and digits, lower-cased, without marks above letters.
    Plain,
    /// As the tokenizer `porter unicode61` does: the same, cut down to their stems. Stop words of a question do not count.
    Stem,
}

impl Analysis {
    /// Both, in the order of [`Analysis::place`].
    pub const ALL: [Self; 2] = [Self::Plain, Self::Stem];

    /// Its place among [`Analysis::ALL`].
    pub(super) fn place(self) -> usize {
        match self {
            Self::Plain => 0,
            Self::Stem => 1,
        }
    }

    /// FTS5's name for it.
    pub fn tokenizer(self) -> &'static str {
        match self {
            Self::Plain => "unicode61",
            Self::Stem => "porter unicode61",
        }
    }
}

/// Calls `each` with every term of a text, in order. A stem may end within a character, so terms are bytes.
pub fn for_each_term(text: &str, analysis: Analysis, mut each: impl FnMut(&[u8])) {
    for_each_word(text, |word| {
        if analysis == Analysis::Stem {
            stem(word);
        }
        each(word);
    });
}

/// Calls `each` with every word as `unicode61` splits and folds it. The buffer is the caller's until the next word.
fn for_each_word(text: &str, mut each: impl FnMut(&mut Vec<u8>)) {
    if text.is_ascii() {
        let mut word = Vec::new();
        for run in text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()).filter(|run| !run.is_empty()) {
            word.clear();
            word.extend(run.iter().map(u8::to_ascii_lowercase));
            each(&mut word);
        }
        return;
    }
    with_known(text, |known| {
        let mut word = Vec::new();
        // A mark at the beginning of a word belongs to none: it only counts after a character that stands.
        let mut inside = false;
        for character in text.chars().chain([' ']) {
            if character.is_ascii_alphanumeric() {
                word.push(character.to_ascii_lowercase() as u8);
                inside = true;
            } else if let Some(Folded::As(folded)) = known.get(&character) {
                word.extend_from_slice(folded.as_bytes());
                inside |= !folded.is_empty();
            } else if std::mem::take(&mut inside) {
                each(&mut word);
                word.clear();
            }
        }
    });
}

/// The distinct terms of a question, in its order. With [`Analysis::Stem`] its stop words are left out.
pub fn question_terms(text: &str, analysis: Analysis) -> Vec<Vec<u8>> {
    let mut terms: Vec<Vec<u8>> = Vec::new();
    for_each_word(text, |word| {
        if analysis == Analysis::Stem {
            if std::str::from_utf8(word).is_ok_and(|word| STOP_WORDS.binary_search(&word).is_ok()) {
                return;
            }
            stem(word);
        }
        if !terms.contains(word) {
            terms.push(word.clone());
        }
    });
    terms
}

/// Which texts hold a term and how often, and how long each text is.
#[derive(Debug, Default)]
pub struct TermIndex {
    /// The place of each term in `postings`.
    terms: HashMap<Box<[u8]>, usize>,
    postings: Vec<Vec<(u32, u32)>>,
    lengths: Vec<u32>,
}

impl TermIndex {
    /// Reads texts. Their places, counted from 0, stand for them.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>, analysis: Analysis) -> Self {
        let mut index = Self::default();
        // Texts repeat their words: each is cut down to its stem once.
        let mut words: HashMap<Box<[u8]>, usize> = HashMap::default();
        for (place, text) in texts.into_iter().enumerate() {
            let place = u32::try_from(place).unwrap_or(u32::MAX);
            let mut length = 0;
            for_each_word(text, |word| {
                length += 1;
                let term = match words.get(word.as_slice()) {
                    Some(term) => *term,
                    None => {
                        let unstemmed = word.as_slice().into();
                        if analysis == Analysis::Stem {
                            stem(word);
                        }
                        let term = index.place_of(word);
                        words.insert(unstemmed, term);
                        term
                    }
                };
                let Some(postings) = index.postings.get_mut(term) else { return };
                match postings.last_mut() {
                    Some((last, count)) if *last == place => *count += 1,
                    _ => postings.push((place, 1)),
                }
            });
            index.lengths.push(length);
        }
        index
    }

    /// The place of a term, which is made where it has none.
    fn place_of(&mut self, term: &[u8]) -> usize {
        if let Some(place) = self.terms.get(term) {
            return *place;
        }
        let place = self.postings.len();
        self.terms.insert(term.into(), place);
        self.postings.push(Vec::new());
        place
    }

    /// The number of terms of a text.
    pub fn length(&self, place: usize) -> u32 {
        self.lengths.get(place).copied().unwrap_or(0)
    }

    /// Which texts hold a term, in order, and how often each does.
    pub fn postings(&self, term: &[u8]) -> &[(u32, u32)] {
        self.terms.get(term).and_then(|place| self.postings.get(*place)).map_or(&[], Vec::as_slice)
    }
}

/// A record that holds at least one term of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Its place in the pool.
    pub index: usize,
    /// Its BM25 score; larger is better. FTS5's `bm25()` gives the negative of it.
    pub score: f64,
    /// How many of the question's terms it holds.
    pub shared: u32,
}

/// How soon a term that repeats stops counting (the value of FTS5).
const K1: f64 = 1.2;
/// How much the length of a text counts (the value of FTS5).
const B: f64 = 0.75;
/// What a term weighs that more than half of the texts hold (the value of FTS5).
const LEAST_WEIGHT: f64 = 1e-6;

/// BM25 over a set of texts, by the formula of FTS5's `bm25()`: weight × f (k1 + 1) / (f + k1 (1 − b + b D / avg D)), added
/// up over the terms, where the weight of a term that n of N texts hold is ln((N − n + 0.5) / (n + 0.5)), but at least
/// 0.000001; f counts the term in the text, D the terms of the text.
pub(super) struct Bm25 {
    /// The number of texts.
    pub(super) texts: usize,
    /// The terms of all texts together.
    pub(super) terms: u64,
}

impl Bm25 {
    /// The score of each text that holds a term. `held` gives for a term each text's place, count and length.
    pub(super) fn scores<'a, I>(&self, terms: &'a [Vec<u8>], held: impl Fn(&'a [u8]) -> I) -> Vec<Match>
    where
        I: Iterator<Item = (usize, u32, u32)>,
    {
        let count = self.texts as f64;
        let average = self.terms as f64 / count;
        let mut sums = vec![(0.0_f64, 0_u32); self.texts];
        let mut matched = Vec::new();
        let mut hits = Vec::new();
        for term in terms {
            hits.clear();
            hits.extend(held(term));
            let holding = hits.len() as f64;
            let weight = ((count - holding + 0.5) / (holding + 0.5)).ln();
            let weight = if weight <= 0.0 { LEAST_WEIGHT } else { weight };
            for &(place, times, length) in &hits {
                let Some((score, shared)) = sums.get_mut(place) else { continue };
                if *shared == 0 {
                    matched.push(place);
                }
                let (times, length) = (f64::from(times), f64::from(length));
                *score += weight * ((times * (K1 + 1.0)) / (times + K1 * (1.0 - B + B * length / average)));
                *shared += 1;
            }
        }
        let found = matched.into_iter().filter_map(|index| {
            let (score, shared) = *sums.get(index)?;
            Some(Match { index, score, shared })
        });
        found.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str, analysis: Analysis) -> Vec<String> {
        let mut found = Vec::new();
        for_each_term(text, analysis, |term| found.push(String::from_utf8_lossy(term).into_owned()));
        found
    }

    #[test]
    fn words_are_split_folded_and_stemmed() {
        let text = "Ann: I've been HIKING_daily, café 2nd–3rd! 東京タワー 😀";
        assert_eq!(
            terms(text, Analysis::Plain),
            ["ann", "i", "ve", "been", "hiking", "daily", "cafe", "2nd", "3rd", "東京タワー"]
        );
        assert_eq!(terms("hikes hiking hiked", Analysis::Stem), ["hike", "hike", "hike"]);
    }

    #[test]
    fn a_question_loses_its_stop_words_and_repetitions_only_when_stemmed() {
        let text = |analysis| {
            let terms = question_terms("What did the hiker hike? Hike!", analysis);
            terms.into_iter().map(|term| String::from_utf8(term).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(text(Analysis::Plain), ["what", "did", "the", "hiker", "hike"]);
        assert_eq!(text(Analysis::Stem), ["hiker", "hike"]);
    }
}
