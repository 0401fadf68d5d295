//! What an importer could not take as it stands: counted, listed, and never dropped in silence.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::source::{InputError, Position, Warning};

/// Doubts of one kind that become warnings one by one; further ones are counted.
const REPORTED: usize = 20;
/// The same for what is often meant.
const FEW_REPORTED: usize = 3;

/// What kind of thing is doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DoubtKind {
    /// An evidence id names nothing that was said.
    UnresolvedEvidence,
    /// An evidence id was malformed, and what it means is plain.
    RepairedEvidence,
    /// An evidence id stands twice in one question.
    RepeatedEvidence,
    /// A question that has an answer names no evidence.
    NoEvidence,
    /// A question to be answered has no answer.
    MissingAnswer,
    /// An answer is not a text.
    OtherAnswerType,
    /// A question to abstain from has an answer.
    UnexpectedAnswer,
    /// A question stands twice.
    DuplicateQuestion,
    /// An id stands twice where it should be unique.
    DuplicateId,
    /// A category that the benchmark does not have.
    UnknownCategory,
    /// A dated session without turns.
    EmptySession,
    /// A session without a date, or lists of sessions, ids and dates that differ in length.
    UndatedSession,
    /// Sessions that do not stand in the order of their dates.
    UnorderedSessions,
    /// A session that holds an answer, and none of its turns is flagged.
    NoFlaggedTurn,
    /// A flagged turn in a session that is not said to hold the answer.
    StrayFlag,
    /// No observation was made of an evidence turn.
    NoObservation,
    /// Several observations were made of an evidence turn.
    SeveralObservations,
    /// An answer to a question that the case set does not have.
    UnknownQuestion,
    /// A question of the case set without an answer.
    Unanswered,
    /// The answer set has other words for the question than the case set.
    ChangedQuestion,
    /// The answer set was judged against another right answer than that of the case set.
    ChangedKey,
    /// An answer stands at another place than the order of the questions says.
    OrderBroken,
    /// Two answers of one strategy and seed to one question.
    RepeatedAnswer,
    /// An answer with fewer votes than the others of its file, or with a vote that is none.
    OddVotes,
    /// The system failed on the question.
    FailedRecord,
    /// A line names an event that the case set does not have.
    UnknownEvent,
    /// What was sent is known by sessions only, and the memories are turns.
    SessionsOnly,
    /// Nothing is said of what was sent.
    NoSources,
    /// A second block of one strategy for one question.
    OtherBlock,
    /// A field that the format does not have.
    UnknownField,
    /// A file of a folder that is no answer set.
    PassedOver,
}

impl DoubtKind {
    /// The kind in a few words, for counts.
    pub fn words(self) -> &'static str {
        match self {
            Self::UnresolvedEvidence => "evidence ids that name no turn",
            Self::RepairedEvidence => "malformed evidence ids, repaired",
            Self::RepeatedEvidence => "evidence ids given twice",
            Self::NoEvidence => "questions without evidence",
            Self::MissingAnswer => "questions without an answer",
            Self::OtherAnswerType => "answers that are no texts",
            Self::UnexpectedAnswer => "answers to questions to abstain from",
            Self::DuplicateQuestion => "questions that stand twice",
            Self::DuplicateId => "ids that stand twice",
            Self::UnknownCategory => "unknown categories",
            Self::EmptySession => "dated sessions without turns",
            Self::UndatedSession => "sessions without a date or an id",
            Self::UnorderedSessions => "sessions out of the order of their dates",
            Self::NoFlaggedTurn => "answer sessions without a flagged turn",
            Self::StrayFlag => "flagged turns outside of the answer sessions",
            Self::NoObservation => "evidence turns without an observation",
            Self::SeveralObservations => "evidence turns with several observations",
            Self::UnknownQuestion => "answers without their question",
            Self::Unanswered => "questions without a recorded answer",
            Self::ChangedQuestion => "answers to a question in other words",
            Self::ChangedKey => "answers judged by another right answer",
            Self::OrderBroken => "answers out of the order of the questions",
            Self::RepeatedAnswer => "answers given twice",
            Self::OddVotes => "answers with odd votes",
            Self::FailedRecord => "questions that the system failed on",
            Self::UnknownEvent => "lines that name no event",
            Self::SessionsOnly => "blocks known by sessions only",
            Self::NoSources => "answers that name no sources",
            Self::OtherBlock => "further blocks of one strategy and question",
            Self::UnknownField => "unknown fields",
            Self::PassedOver => "files passed over",
        }
    }

    /// How many of them become warnings one by one. A run over some of the questions is no mistake.
    fn reported(self) -> usize {
        if self == Self::Unanswered { FEW_REPORTED } else { REPORTED }
    }

    /// What it is counted with: the `what` of a [`Count`].
    pub fn about(self) -> &'static str {
        match self {
            Self::UnresolvedEvidence | Self::RepairedEvidence | Self::RepeatedEvidence => EVIDENCE,
            Self::NoObservation | Self::SeveralObservations => EVIDENCE,
            Self::NoEvidence | Self::MissingAnswer | Self::OtherAnswerType | Self::UnexpectedAnswer => QUESTIONS,
            Self::DuplicateQuestion | Self::UnknownCategory | Self::DuplicateId => QUESTIONS,
            Self::EmptySession | Self::UndatedSession | Self::UnorderedSessions => SESSIONS,
            Self::NoFlaggedTurn | Self::StrayFlag => EVIDENCE,
            Self::UnknownEvent | Self::SessionsOnly | Self::NoSources | Self::OtherBlock => BLOCKS,
            Self::PassedOver => "files",
            _ => ANSWERS,
        }
    }
}

pub(super) const CONVERSATIONS: &str = "conversations";
pub(super) const SESSIONS: &str = "sessions";
pub(super) const TURNS: &str = "turns";
pub(super) const OBSERVATIONS: &str = "observations";
pub(super) const QUESTIONS: &str = "questions";
pub(super) const EVIDENCE: &str = "evidence";
pub(super) const ANSWERS: &str = "answers";
pub(super) const BLOCKS: &str = "blocks";

/// One doubtful thing: where it stands, what it is, and what was made of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Doubt {
    /// The kind.
    pub kind: DoubtKind,
    /// The file, or the name of a bundled one.
    #[serde(serialize_with = "name")]
    pub file: Arc<str>,
    /// Where in the file, or where the entry begins that it stands in.
    #[serde(serialize_with = "position")]
    pub position: Option<Position>,
    /// The question's id, or the session or turn, that it is about.
    pub subject: String,
    /// What was found.
    pub found: String,
    /// What was made of it.
    pub done: String,
}

pub(super) fn name<S: serde::Serializer>(name: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(name)
}

fn position<S: serde::Serializer>(position: &Option<Position>, to: S) -> Result<S::Ok, S::Error> {
    position.map(|at| [at.line, at.column]).serialize(to)
}

impl Doubt {
    /// The doubt as a warning.
    pub fn warning(&self) -> Warning {
        InputError {
            source: Arc::clone(&self.file),
            position: self.position,
            message: format!("{}: {}; {}", self.subject, self.found, self.done),
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.warning().fmt(f)
    }
}

/// How many things of one kind a file holds, and what became of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Such as `turns`.
    pub what: &'static str,
    /// In the file.
    pub read: usize,
    /// In the case set or recording that was made of it.
    pub mapped: usize,
}

/// Warnings for doubts: the first ones of each kind in words, then how many more there are.
pub fn warnings(doubts: &[Doubt]) -> Vec<Warning> {
    let mut seen: HashMap<DoubtKind, usize> = HashMap::new();
    let mut warnings = Vec::new();
    for doubt in doubts {
        let count = seen.entry(doubt.kind).or_default();
        *count += 1;
        if *count <= doubt.kind.reported() {
            warnings.push(doubt.warning());
        }
    }
    let mut more: Vec<_> = seen.into_iter().filter(|(kind, count)| *count > kind.reported()).collect();
    more.sort_unstable();
    for (kind, count) in more {
        let file = doubts.iter().find(|doubt| doubt.kind == kind).map_or("", |doubt| &doubt.file);
        let message = format!("{} more {}; `recallscope import` lists them all", count - kind.reported(), kind.words());
        warnings.push(InputError::plain(file, message));
    }
    warnings
}

/// Collects the doubts about one file, each with where its entry begins.
#[derive(Debug)]
pub(super) struct Doubts {
    file: Arc<str>,
    pub(super) list: Vec<Doubt>,
}

impl Doubts {
    pub(super) fn about(file: &Arc<str>) -> Self {
        Self { file: Arc::clone(file), list: Vec::new() }
    }

    /// The file that they are about.
    pub(super) fn file(&self) -> Arc<str> {
        Arc::clone(&self.file)
    }

    pub(super) fn add(
        &mut self,
        kind: DoubtKind,
        position: Option<Position>,
        subject: &str,
        found: impl Into<String>,
        done: impl Into<String>,
    ) {
        let file = Arc::clone(&self.file);
        self.list.push(Doubt {
            kind,
            file,
            position,
            subject: subject.to_owned(),
            found: found.into(),
            done: done.into(),
        });
    }
}
