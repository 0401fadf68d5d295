//! A slice of LongMemEval as memory-arena ships it: `questions.jsonl` over the sessions of `sessions.jsonl`, which are one
//! haystack for all of them, and a folder of results.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::Memories;
use super::cases::{Counts, Part};
use super::doubt::{CONVERSATIONS, DoubtKind, Doubts};
use super::locomo::unused;
use super::longmemeval::{Asked, Haystack, Session, in_order};
use super::read::{Element, Opened};
use super::split::Between;
use crate::case::Conversation;
use crate::source::{InputError, Position};

/// The files of a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The questions.
    pub questions: PathBuf,
    /// The sessions.
    pub sessions: PathBuf,
    /// The result files, by name.
    pub results: Vec<PathBuf>,
}

impl Slice {
    /// The slice that a folder holds.
    pub fn in_folder(folder: &Path) -> Option<Self> {
        let (questions, sessions) = (folder.join("questions.jsonl"), folder.join("sessions.jsonl"));
        if !questions.is_file() || !sessions.is_file() {
            return None;
        }
        let files = std::fs::read_dir(folder.join("results")).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut results: Vec<PathBuf> =
            files.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect();
        results.sort();
        Some(Self { questions, sessions, results })
    }

    /// The other file of a slice, beside the one that is named.
    pub fn beside(path: &Path) -> Option<PathBuf> {
        let name = path.file_name()?.to_str()?;
        let other = if name.contains("questions") {
            name.replace("questions", "sessions")
        } else {
            name.replace("sessions", "questions")
        };
        Some(path.with_file_name(&other)).filter(|path| other != name && path.is_file())
    }
}

#[derive(Deserialize)]
struct SessionLine {
    id: String,
    #[serde(default)]
    user_id: Option<String>,
    #[serde(default)]
    timestamp: Option<String>,
    turns: Vec<TurnLine>,
}

#[derive(Deserialize)]
struct TurnLine {
    id: String,
    role: String,
    content: String,
    #[serde(default)]
    metadata: TurnMetadata,
}

#[derive(Deserialize, Default)]
struct TurnMetadata {
    #[serde(default)]
    has_answer: Option<bool>,
}

#[derive(Deserialize)]
struct QuestionLine {
    id: String,
    #[serde(default)]
    category: Option<String>,
    question: String,
    ground_truth: GroundTruth,
    #[serde(default)]
    constraints: Constraints,
}

#[derive(Deserialize)]
struct GroundTruth {
    #[serde(default)]
    answer: Option<Value>,
    #[serde(default)]
    supporting_session_ids: Vec<String>,
    #[serde(default)]
    valid_as_of: Option<String>,
}

#[derive(Deserialize, Default)]
struct Constraints {
    #[serde(default)]
    abstention_expected: bool,
}

/// A line of either file.
enum Line {
    Session(SessionLine),
    Question(Position, QuestionLine),
}

/// The conversations of a slice: one for each user of its sessions, which is one in all that were published.
pub(super) fn parts(one: Opened, other: Opened, memories: Memories) -> Result<Vec<Part>, InputError> {
    let names = [Arc::clone(one.name()), Arc::clone(other.name())];
    let mut read = Read::default();
    for opened in [one, other] {
        let name = Arc::clone(opened.name());
        let line = |element: Element<'_>| {
            if is_session(element.bytes) {
                element.parse_object().map(Line::Session)
            } else {
                element.parse_object().map(|question| Line::Question(element.position, question))
            }
        };
        opened.each(Between::LineBreaks, line, |line| {
            match line {
                Line::Session(session) => {
                    read.sessions.push(session);
                    read.sessions_file.get_or_insert_with(|| Arc::clone(&name));
                }
                Line::Question(position, question) => {
                    read.questions.push((position, question));
                    read.questions_file.get_or_insert_with(|| Arc::clone(&name));
                }
            }
            Ok(())
        })?;
    }
    let [one, other] = names;
    let (Some(sessions), Some(questions)) = (read.sessions_file.take(), read.questions_file.take()) else {
        let missing = if read.sessions.is_empty() { "sessions" } else { "questions" };
        return Err(InputError::plain(&one, format!("found no {missing} in it and in {other}, expected some")));
    };
    Ok(by_user(read, memories, Doubts::about(&sessions), Doubts::about(&questions)))
}

/// What both files hold.
#[derive(Default)]
struct Read {
    sessions: Vec<SessionLine>,
    questions: Vec<(Position, QuestionLine)>,
    sessions_file: Option<Arc<str>>,
    questions_file: Option<Arc<str>>,
}

/// Whether a line is one of a session: its turns may be long, so its first fields tell.
fn is_session(line: &[u8]) -> bool {
    const LOOK: usize = 400;
    let head = line.get(..LOOK).unwrap_or(line);
    memchr::memmem::find(head, b"\"turns\"").is_some() && memchr::memmem::find(head, b"\"ground_truth\"").is_none()
}

/// What one user said and is asked.
struct Own {
    user: String,
    sessions: Vec<Session>,
    questions: Vec<(Position, QuestionLine)>,
}

fn by_user(read: Read, memories: Memories, mut said: Doubts, mut asks: Doubts) -> Vec<Part> {
    const START: Position = Position { line: 1, column: 1 };
    let mut named: HashSet<String> = HashSet::new();
    for (_, question) in &read.questions {
        named.extend(question.ground_truth.supporting_session_ids.iter().cloned());
    }
    let mut parts = Vec::new();
    for own in owners(read, &mut said) {
        let Own { user, mut sessions, questions } = own;
        let mut counts = Counts::default();
        counts.add(CONVERSATIONS, 1, 1);
        in_order(&mut sessions, &user, START, &mut said);
        let mut haystack = Haystack::new(sessions, memories, &user, START, &mut said, &mut counts);
        for turn in haystack.stray(&named) {
            let found = "it is flagged, and no question names its session";
            said.add(DoubtKind::StrayFlag, None, turn, found, "it is no fact");
        }
        let question = |(position, line)| haystack.question(asked(line), position, &mut asks, &mut counts);
        let questions = questions.into_iter().map(question).collect();
        let conversation = Conversation { user, events: std::mem::take(&mut haystack.events), questions };
        let mut doubts = std::mem::take(&mut said.list);
        doubts.append(&mut asks.list);
        parts.push(Part { conversation, doubts, counts });
    }
    parts
}

/// The sessions and questions of each user. A question does not say whose it is: that is said by its sessions.
fn owners(read: Read, doubts: &mut Doubts) -> Vec<Own> {
    let mut owners: Vec<Own> = Vec::new();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let mut by_session: HashMap<String, usize> = HashMap::new();
    let mut turns: HashSet<String> = HashSet::new();
    for line in read.sessions {
        let user = line.user_id.unwrap_or_else(|| "default".to_owned());
        let place = *by_name.entry(user).or_insert_with_key(|user| {
            owners.push(Own { user: user.clone(), sessions: Vec::new(), questions: Vec::new() });
            owners.len() - 1
        });
        by_session.entry(line.id.clone()).or_insert(place);
        let mut turn = |turn: TurnLine| {
            let mut id = turn.id;
            if turns.contains(&id) {
                let other = unused(&id, turns.len(), |id| turns.contains(id));
                doubts.add(DoubtKind::DuplicateId, None, &id, "a second turn has this id", format!("it is {other}"));
                id = other;
            }
            turns.insert(id.clone());
            (id, turn.role, turn.content, turn.metadata.has_answer == Some(true))
        };
        let turns = line.turns.into_iter().map(&mut turn).collect();
        if let Some(own) = owners.get_mut(place) {
            own.sessions.push(Session { id: line.id, at: line.timestamp, turns });
        }
    }
    for (position, question) in read.questions {
        let ids = &question.ground_truth.supporting_session_ids;
        let place = ids.iter().find_map(|id| by_session.get(id)).copied().unwrap_or(0);
        if let Some(own) = owners.get_mut(place) {
            own.questions.push((position, question));
        }
    }
    owners
}

fn asked(line: QuestionLine) -> Asked {
    Asked {
        abstain: line.constraints.abstention_expected || line.id.ends_with("_abs"),
        id: line.id,
        category: line.category,
        question: line.question,
        answer: line.ground_truth.answer,
        at: line.ground_truth.valid_as_of,
        evidence: line.ground_truth.supporting_session_ids,
    }
}
