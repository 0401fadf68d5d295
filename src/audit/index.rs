//! What the audit needs to know of a whole history: computed once, in one pass over its words.

use std::collections::{BTreeSet, HashMap};

use aho_corasick::AhoCorasick;

use crate::case::{Event, Fact, Op, Question};
use crate::memory::History;

use super::terms::term_spans;

/// Events that are kept for one fact given as words; a fact that fits more lines is no clearer for it.
const CARRIERS: usize = 8;

/// Speakers that are told apart; further ones count as one.
const SPEAKERS: usize = 64;

#[derive(Debug, Clone, Copy)]
struct Standing {
    first: usize,
    by: u64,
}

/// One user's history, ready to be asked who said what.
#[derive(Debug, Default)]
pub struct Index {
    speakers: Vec<String>,
    standing: HashMap<String, Standing>,
    by_id: HashMap<String, usize>,
    carriers: HashMap<String, Vec<usize>>,
}

impl Index {
    /// Reads a history and the facts that its questions list.
    pub fn of<'a>(history: &History, questions: impl Iterator<Item = &'a Question>) -> Self {
        let mut index = Self { carriers: carriers(&history.events, questions), ..Self::default() };
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (number, event) in history.events.iter().enumerate() {
            if let Some(id) = &event.id {
                index.by_id.entry(id.clone()).or_insert(number);
            }
            let speaker = event.speaker.as_deref().unwrap_or(&history.user);
            let place = *places.entry(speaker).or_insert_with(|| {
                index.speakers.push(speaker.to_owned());
                index.speakers.len() - 1
            });
            let by = 1_u64 << place.min(SPEAKERS - 1);
            for (term, _) in term_spans(&event.text) {
                index.standing.entry(term).or_insert(Standing { first: number, by: 0 }).by |= by;
            }
        }
        index
    }

    /// Everyone who speaks, in order of their first words.
    pub fn speakers(&self) -> &[String] {
        &self.speakers
    }

    /// Whether one of the first `after` events says this stem.
    pub fn says(&self, term: &str, after: usize) -> bool {
        self.standing.get(term).is_some_and(|standing| standing.first < after)
    }

    /// Whether this speaker ever says this stem.
    pub fn speaker_says(&self, speaker: &str, term: &str) -> bool {
        let place = self.speakers.iter().position(|name| name == speaker);
        let standing = self.standing.get(term);
        standing.zip(place).is_some_and(|(standing, place)| standing.by & (1 << place.min(SPEAKERS - 1)) != 0)
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

/// The events that carry each fact given as words. One pass of an automaton: linear in the text, however many facts.
fn carriers<'a>(events: &[Event], questions: impl Iterator<Item = &'a Question>) -> HashMap<String, Vec<usize>> {
    let facts: BTreeSet<&str> = questions
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
