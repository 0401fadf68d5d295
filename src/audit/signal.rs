//! What a signal is and what it says.

use std::ops::Range;

use serde::Serialize;

use crate::grade::Pattern;
use crate::workspace::AnswerRef;

use super::Subject;

/// What a signal casts doubt on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Doubt {
    /// That the key (the question, its right answer and its patterns) is right.
    Key,
    /// That the evidence which the question cites is the right one; the key may be right all the same.
    Evidence,
}

impl Doubt {
    /// The word in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Evidence => "evidence",
        }
    }
}

/// One piece of a signal's proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Part {
    /// A statement in words.
    Sentence {
        /// The words.
        text: String,
    },
    /// An answer, with the places in it that matter.
    Answer {
        /// Which answer.
        #[serde(skip)]
        at: AnswerRef,
        /// The recording's name.
        recording: String,
        /// The strategy or run.
        strategy: String,
        /// The seed it was drawn with.
        #[serde(skip_serializing_if = "Option::is_none")]
        seed: Option<i64>,
        /// The whole answer.
        text: String,
        /// Bytes of the answer that the signal rests on.
        spans: Vec<Range<usize>>,
    },
    /// An event, with the places in its words that matter.
    Line {
        /// Its place among the user's events, from 0.
        event: usize,
        /// Its id, where it has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// Who said it.
        speaker: String,
        /// When, as the file writes it.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<String>,
        /// The words.
        text: String,
        /// Bytes of the words that the signal rests on.
        spans: Vec<Range<usize>>,
    },
    /// A pattern of the key, with the text it was tried on.
    Pattern {
        /// Which part of the key: the name of a required fact, `stale` or `forgotten`.
        name: String,
        /// The pattern as it was written.
        pattern: String,
        /// The text.
        text: String,
        /// Bytes of the text that it matched.
        spans: Vec<Range<usize>>,
    },
}

impl Part {
    /// A sentence.
    pub fn sentence(text: impl Into<String>) -> Self {
        Self::Sentence { text: text.into() }
    }

    /// What a pattern matched in a text; nothing where it does not match.
    pub fn matched(name: &str, pattern: &Pattern, text: &str) -> Option<Self> {
        let spans: Vec<_> = pattern.regex().find_iter(text).map(|hit| hit.range()).collect();
        (!spans.is_empty()).then(|| Self::Pattern {
            name: name.to_owned(),
            pattern: pattern.source().to_owned(),
            text: text.to_owned(),
            spans,
        })
    }

    /// The part in one line of plain text.
    pub fn words(&self) -> String {
        match self {
            Self::Sentence { text } => text.clone(),
            Self::Answer { strategy, seed, text, .. } => {
                let seed = seed.map_or_else(String::new, |seed| format!(" seed {seed}"));
                format!("{strategy}{seed}: \u{201c}{text}\u{201d}")
            }
            Self::Line { id, event, speaker, at, text, .. } => {
                let name = id.clone().unwrap_or_else(|| format!("event {}", event + 1));
                let at = at.as_ref().map_or_else(String::new, |at| format!(" ({at})"));
                format!("{name} {speaker}{at}: \u{201c}{text}\u{201d}")
            }
            Self::Pattern { name, pattern, text, .. } => format!("{name} /{pattern}/ on \u{201c}{text}\u{201d}"),
        }
    }
}

/// What a signal saw in one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// How strongly it shows, above 0 and at most 1.
    pub strength: f64,
    /// Why: what it rests on, in reading order.
    pub proof: Vec<Part>,
}

impl Observation {
    /// An observation; nothing where the strength is 0.
    pub fn new(strength: f64, proof: Vec<Part>) -> Option<Self> {
        (strength > 0.0).then(|| Self { strength: strength.min(1.0), proof })
    }
}

/// One reason for which a key may be wrong.
pub trait Signal: Sync {
    /// Its name, in a few words.
    fn name(&self) -> &'static str;

    /// What it casts doubt on.
    fn doubts(&self) -> Doubt {
        Doubt::Key
    }

    /// The weight of a full-strength observation: the logarithm of how many times more often a wrong key shows it than a
    /// sound one (0.7 for twice, 1.1 for three times, 1.6 for five times, 2.3 for ten times).
    fn weight(&self) -> f64;

    /// Looks at one question.
    fn observe(&self, subject: &Subject<'_>) -> Option<Observation>;
}
