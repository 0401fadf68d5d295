//! What the audit needs to know of a whole history: computed once, in one pass over its words.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use crate::case::{Event, Fact, Op, Question};
use crate::memory::History;

use super::pattern::compile;
use super::terms::term_spans;

static QUOTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile("[\"\u{201c}]([^\"\u{201c}\u{201d}]{3,})[\"\u{201d}]"));

/// Events that are kept for one fact given as words; a fact that fits more lines is no clearer for it.
const CARRIERS: usize = 8;

/// One user's history, ready to be asked who said what.
#[derive(Debug, Default)]
pub struct Index {
    speakers: Vec<String>,
    /// Each speaker under the first word of the name and its short forms.
    by_name: HashMap<String, Option<usize>>,
    /// Each stem with the first event that says it.
    first_said: HashMap<String, usize>,
    by_id: HashMap<String, usize>,
    carriers: HashMap<String, Vec<usize>>,
    titles: HashSet<String>,
}

impl Index {
    /// Reads a history, the facts that its questions list and the titles that they quote.
    pub fn of(history: &History, questions: &[&Question]) -> Self {
        let mut index = Self {
            carriers: carriers(&history.events, questions),
            titles: said_titles(&history.events, questions),
            ..Self::default()
        };
        let mut known: HashSet<&str> = HashSet::new();
        for (number, event) in history.events.iter().enumerate() {
            if let Some(id) = &event.id {
                index.by_id.entry(id.clone()).or_insert(number);
            }
            let speaker = event.speaker.as_deref().unwrap_or(&history.user);
            if known.insert(speaker) {
                let first = speaker.split_whitespace().next().unwrap_or(speaker);
                let place = index.speakers.len();
                for name in short_forms(first) {
                    // A short form that fits two speakers names neither.
                    index.by_name.entry(name.to_owned()).and_modify(|known| *known = None).or_insert(Some(place));
                }
                index.by_name.insert(first.to_owned(), Some(place));
                index.speakers.push(speaker.to_owned());
            }
            for (term, _) in term_spans(event.words()) {
                index.first_said.entry(term).or_insert(number);
            }
        }
        index
    }

    /// Everyone who speaks, in order of their first words.
    pub fn speakers(&self) -> &[String] {
        &self.speakers
    }

    /// The speakers that a text names by the first word of their names, each once, with the bytes of the first mention.
    pub fn named_in(&self, text: &str) -> Vec<(&str, Range<usize>)> {
        let mut named: Vec<(&str, Range<usize>)> = Vec::new();
        for (word, span) in capitalised(text) {
            let speaker = self.by_name.get(word).copied().flatten().and_then(|place| self.speakers.get(place));
            if let Some(speaker) = speaker.filter(|speaker| named.iter().all(|(known, _)| known != speaker)) {
                named.push((speaker, span));
            }
        }
        named
    }

    /// Whether one of the first `after` events says this stem.
    pub fn says(&self, term: &str, after: usize) -> bool {
        self.first_said.get(term).is_some_and(|first| *first < after)
    }

    /// Whether some event says a title that a question quotes, in whatever case.
    pub fn says_title(&self, title: &str) -> bool {
        self.titles.contains(&title.trim().to_lowercase())
    }

    /// The first events among the first `after` ones that carry a fact.
    pub fn carriers(&self, fact: &Fact, after: usize) -> Vec<usize> {
        let all = match fact {
            Fact::Text(text) => self.carriers.get(text).cloned().unwrap_or_default(),
            Fact::Event { event } => self.by_id.get(event).copied().into_iter().collect(),
        };
        all.into_iter().filter(|event| *event < after).collect()
    }
}

/// The beginnings by which a longer name is called: Deb or Debo for Deborah.
fn short_forms(name: &str) -> impl Iterator<Item = &str> {
    const SHORTEST: usize = 3;
    let long = name.chars().count() >= SHORTEST + 2;
    name.char_indices().skip(SHORTEST).take_while(move |_| long).filter_map(|(at, _)| name.get(..at))
}

/// The words of a text that may be names: those that do not begin with a small letter.
fn capitalised(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut at = 0;
    text.split(|c: char| !c.is_alphanumeric()).filter_map(move |word| {
        let start = text.get(at..)?.find(word).map(|found| at + found)?;
        at = start + word.len();
        (!word.is_empty() && !word.starts_with(char::is_lowercase)).then_some((word, start..at))
    })
}

/// The titles that a text puts in double quotation marks.
pub fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let found = QUOTED.iter().flat_map(move |pattern| pattern.captures_iter(text));
    found.filter_map(|found| Some(found.get(1)?.as_str()))
}

/// The quoted titles that some event says. One pass, like [`carriers`].
fn said_titles(events: &[Event], questions: &[&Question]) -> HashSet<String> {
    let titles: BTreeSet<String> = questions
        .iter()
        .flat_map(|question| quoted(&question.question))
        .map(|title| title.trim().to_lowercase())
        .collect();
    let titles: Vec<String> = titles.into_iter().collect();
    if titles.is_empty() {
        return HashSet::new();
    }
    let built = AhoCorasick::builder().ascii_case_insensitive(true).build(&titles);
    // Beyond the automaton's size limits every title counts as said: nothing is claimed.
    let Ok(automaton) = built else { return titles.into_iter().collect() };
    let hits = events.iter().flat_map(|event| automaton.find_overlapping_iter(&event.text).collect::<Vec<_>>());
    hits.filter_map(|hit| titles.get(hit.pattern().as_usize()).cloned()).collect()
}

/// The events that carry each fact given as words. One pass of an automaton: linear in the text, however many facts.
fn carriers(events: &[Event], questions: &[&Question]) -> HashMap<String, Vec<usize>> {
    let facts: BTreeSet<&str> = questions
        .iter()
        .flat_map(|question| question.required.iter().chain(&question.stale).chain(&question.forgotten))
        .filter_map(|fact| match fact {
            Fact::Text(text) => Some(text.as_str()),
            Fact::Event { .. } => None,
        })
        .collect();
    let facts: Vec<&str> = facts.into_iter().collect();
    let mut found: Vec<Vec<usize>> = vec![Vec::new(); facts.len()];
    // Building fails only beyond the automaton's size limits, where nothing is claimed.
    let Ok(automaton) = AhoCorasick::new(&facts) else { return HashMap::new() };
    for (number, event) in events.iter().enumerate().filter(|(_, event)| event.op != Op::Forget) {
        for hit in automaton.find_overlapping_iter(&event.text) {
            if let Some(found) = found.get_mut(hit.pattern().as_usize())
                && found.len() < CARRIERS
                && found.last() != Some(&number)
            {
                found.push(number);
            }
        }
    }
    facts.into_iter().map(str::to_owned).zip(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_first_word_in_order() {
        let speakers = vec!["Ann Lee".to_owned(), "Bo".to_owned()];
        let by_name = [("Ann".to_owned(), Some(0)), ("Bo".to_owned(), Some(1))].into();
        let index = Index { speakers, by_name, ..Index::default() };
        assert_eq!(index.named_in("Did Bo's dog bite Ann or Bo?"), [("Bo", 4..6), ("Ann Lee", 18..21)]);
        assert!(index.named_in("Boston, Annabel, bo").is_empty());
    }

    #[test]
    fn long_names_have_short_forms() {
        assert_eq!(short_forms("Deborah").collect::<Vec<_>>(), ["Deb", "Debo", "Debor", "Debora"]);
        assert_eq!(short_forms("Evan").count(), 0, "Eva is somebody else");
    }

    #[test]
    fn titles_stand_in_either_quotation_marks() {
        assert_eq!(
            quoted("Has she read \"Dune\" or \u{201c}The Hobbit\u{201d}, or \"\"?").collect::<Vec<_>>(),
            ["Dune", "The Hobbit"]
        );
    }
}
