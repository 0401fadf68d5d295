//! What was said and what is asked: events, questions, facts, and the case set that holds them.

pub mod generate;
mod load;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::source::Warning;

/// What the user wanted done with a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Keep this fact.
    Remember,
    /// This fact replaces the current one of its attribute.
    Correct,
    /// Forget the facts of this attribute.
    Forget,
}

impl Op {
    /// The word used in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Remember => "remember",
            Self::Correct => "correct",
            Self::Forget => "forget",
        }
    }
}

/// One thing that a user said at one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The turn of the conversation; never smaller than that of the event before.
    pub turn: u64,
    /// The words of the user.
    pub text: String,
    /// What is to be done with them.
    pub op: Op,
    /// The slot that the fact fills.
    pub attribute: String,
    /// A name by which facts can refer to this event, such as `D1:3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Who said it, where that is not the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// When it was said, as the file writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

impl Event {
    /// The text without the speaker's name that importers put before it (`Ada: I planted tulips.`).
    pub fn words(&self) -> &str {
        let named = self.speaker.as_deref().and_then(|speaker| self.text.strip_prefix(speaker)?.strip_prefix(": "));
        named.unwrap_or(&self.text)
    }
}

/// A fact that a question needs or must not use: how to recognise the memory line that carries it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged, expecting = "found neither a text in quotes nor {\"event\": ID}")]
pub enum Fact {
    /// A line carries the fact when its text contains these words (case-sensitive).
    Text(String),
    /// The line made from the event with this id carries the fact.
    Event {
        /// The event's id.
        event: String,
    },
}

impl Fact {
    /// The fact as a person reads it: its words, or the id of its event.
    pub fn label(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Event { event } => event,
        }
    }

    /// Whether the line made from `event` carries this fact.
    pub fn is_carried_by(&self, event: &Event) -> bool {
        match self {
            Self::Text(text) => event.text.contains(text.as_str()),
            Self::Event { event: id } => event.id.as_ref() == Some(id),
        }
    }
}

/// A question asked after its conversation's events, with the facts by which a memory block for it is graded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Unique in the case set. A question without one gets `USER/N`, counted from 1.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The words of the question.
    pub question: String,
    /// Facts that the block must hold.
    pub required: Vec<Fact>,
    /// Replaced facts, which the block must not hold.
    pub stale: Vec<Fact>,
    /// Facts that the user asked to forget, which the block must not hold.
    pub forgotten: Vec<Fact>,
    /// A group for reports, such as `temporal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Free labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The published right answer, where the benchmark has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// When it was asked, as the file writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<String>,
    /// Nothing that was said answers it: the right answer is to say so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub abstain: bool,
    /// The wrong answer that a question to abstain from tempts to, where the benchmark names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trap: Option<String>,
    /// The attributes that it asks about, for the strategy `attribute`; empty where nobody mapped it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<String>,
}

/// One user's events, then the questions asked after them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// Whose memory it is.
    pub user: String,
    /// In order of their turns.
    pub events: Vec<Event>,
    /// All asked after the last event.
    pub questions: Vec<Question>,
}

/// A long history of one user, for the growth of the stores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongReplay {
    /// Whose memory it is.
    pub user: String,
    /// In order of their turns.
    pub events: Vec<Event>,
    /// Row counts are taken at each multiple of this many turns; at least 1.
    pub sample_every: u64,
}

/// Everything that one case file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseSet {
    /// Evaluated in this order, in the same pair of stores.
    pub conversations: Vec<Conversation>,
    /// The history for the growth series, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_replay: Option<LongReplay>,
    /// The facts quota: the most tokens that the lines of one block may take together.
    pub facts_quota: usize,
    /// What was odd in the file.
    #[serde(skip)]
    pub warnings: Vec<Warning>,
}

impl CaseSet {
    /// All questions in file order, each with the conversation it belongs to.
    pub fn questions(&self) -> impl Iterator<Item = (&Conversation, &Question)> {
        self.conversations.iter().flat_map(|conversation| conversation.questions.iter().map(move |q| (conversation, q)))
    }

    /// The numbers of the questions that go by an id or by a text. One text may be asked of several users.
    pub fn question_names(&self) -> HashMap<&str, Vec<usize>> {
        let mut names: HashMap<&str, Vec<usize>> = HashMap::new();
        for (number, (_, question)) in self.questions().enumerate() {
            names.entry(&question.id).or_default().push(number);
            if question.question != question.id {
                names.entry(&question.question).or_default().push(number);
            }
        }
        names
    }

    /// The number of questions.
    pub fn question_count(&self) -> usize {
        self.conversations.iter().map(|conversation| conversation.questions.len()).sum()
    }
}

/// The most samples that a replay takes: turns may be time stamps, and each sample is kept.
pub const MOST_SAMPLES: u64 = 100_000;

/// How many samples a replay takes, one every `every` turns and one after the last event.
pub fn sample_count(events: &[Event], every: u64) -> u64 {
    events.last().map_or(0, |event| event.turn.div_ceil(every.max(1)))
}
