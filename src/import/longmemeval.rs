//! LongMemEval's official list: each question with a haystack of dated chat sessions of its own.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;

use super::Memories;
use super::cases::{Counts, Part};
use super::doubt::{CONVERSATIONS, DoubtKind, Doubts, EVIDENCE, QUESTIONS, SESSIONS, TURNS};
use super::locomo::unused;
use super::read::Element;
use super::value::{kind, shown, text};
use crate::case::{Conversation, Event, Fact, Op, Question};
use crate::source::{InputError, Position};

/// The category whose earlier answer is stale.
const UPDATE: &str = "knowledge-update";
/// The end of the id of a question to abstain from.
const ABSTAIN: &str = "_abs";

#[derive(Deserialize)]
struct Entry {
    question_id: String,
    #[serde(default)]
    question_type: Option<String>,
    question: String,
    #[serde(default)]
    answer: Option<Value>,
    #[serde(default)]
    question_date: Option<String>,
    #[serde(default)]
    haystack_session_ids: Vec<String>,
    #[serde(default)]
    haystack_dates: Vec<Option<String>>,
    haystack_sessions: Vec<Vec<Turn>>,
    #[serde(default)]
    answer_session_ids: Vec<String>,
}

#[derive(Deserialize)]
struct Turn {
    role: String,
    content: String,
    #[serde(default)]
    has_answer: Option<bool>,
}

/// A session of a haystack, whichever file it came from.
pub(super) struct Session {
    pub id: String,
    pub at: Option<String>,
    /// Id, role, words, and whether it holds the answer.
    pub turns: Vec<(String, String, String, bool)>,
}

/// A question as both files have it.
pub(super) struct Asked {
    pub id: String,
    pub category: Option<String>,
    pub question: String,
    pub answer: Option<Value>,
    pub at: Option<String>,
    pub evidence: Vec<String>,
    pub abstain: bool,
}

/// One question with its haystack: a conversation of its own.
pub(super) fn part(element: Element<'_>, memories: Memories) -> Result<Part, InputError> {
    let entry: Entry = element.parse_object()?;
    let mut doubts = Doubts::about(element.name);
    let mut counts = Counts::default();
    let at = element.position;
    let id = entry.question_id;
    let mut sessions = Vec::with_capacity(entry.haystack_sessions.len());
    let (ids, dates) = (entry.haystack_session_ids, entry.haystack_dates);
    let read = entry.haystack_sessions.len();
    if ids.len() != read || dates.len() != read {
        let found = format!("{read} sessions have {} ids and {} dates", ids.len(), dates.len());
        doubts.add(DoubtKind::UndatedSession, Some(at), &id, found, "they are matched in order");
    }
    let mut ids = ids.into_iter();
    let mut dates = dates.into_iter();
    for (number, turns) in entry.haystack_sessions.into_iter().enumerate() {
        let session = ids.next().unwrap_or_else(|| format!("session_{number}"));
        let turn = |(place, turn): (usize, Turn)| {
            (turn_id(&session, place), turn.role, turn.content, turn.has_answer == Some(true))
        };
        let turns = turns.into_iter().enumerate().map(turn).collect();
        sessions.push(Session { id: session, at: dates.next().flatten(), turns });
    }
    let asked = Asked {
        abstain: id.ends_with(ABSTAIN),
        id: id.clone(),
        category: entry.question_type,
        question: entry.question,
        answer: entry.answer,
        at: entry.question_date,
        evidence: entry.answer_session_ids,
    };
    in_order(&mut sessions, &id, at, &mut doubts);
    let mut haystack = Haystack::new(sessions, memories, &id, at, &mut doubts, &mut counts);
    let question = haystack.question(asked, at, &mut doubts, &mut counts);
    counts.add(CONVERSATIONS, 1, 1);
    let conversation =
        Conversation { user: id, events: std::mem::take(&mut haystack.events), questions: vec![question] };
    Ok(Part { conversation, doubts: doubts.list, counts })
}

/// The id of a turn, in the form that the slice has for its own.
fn turn_id(session: &str, place: usize) -> String {
    format!("{session}_turn_{place:03}")
}

/// The digits of a date such as `2023/05/20 (Sat) 02:21`, which sort as the dates do.
fn date_key(date: &str) -> Option<u64> {
    let digits: String = date.chars().filter(char::is_ascii_digit).collect();
    (digits.len() == 12).then(|| digits.parse().ok()).flatten()
}

/// Puts sessions into the order of their dates; those of one date, or without one, keep the order of the file. The variants
/// S and M of LongMemEval are in that order already, its oracle variant is not.
pub(super) fn in_order(sessions: &mut Vec<Session>, subject: &str, at: Position, doubts: &mut Doubts) {
    let mut last = 0;
    let mut keyed: Vec<(u64, Session)> = sessions
        .drain(..)
        .map(|session| {
            // One without a date stays behind the one before it.
            last = session.at.as_deref().and_then(date_key).unwrap_or(last);
            (last, session)
        })
        .collect();
    if !keyed.is_sorted_by_key(|(key, _)| *key) {
        let found = "its sessions do not stand in the order of their dates";
        doubts.add(DoubtKind::UnorderedSessions, Some(at), subject, found, "they are sorted");
        keyed.sort_by_key(|(key, _)| *key);
    }
    sessions.extend(keyed.into_iter().map(|(_, session)| session));
}

/// The events of a haystack, and which of them its flags name.
pub(super) struct Haystack {
    pub events: Vec<Event>,
    /// In the order of their dates: the id, and the ids of the events that carry what is flagged there.
    sessions: Vec<(String, Vec<String>)>,
    memories: Memories,
}

impl Haystack {
    pub(super) fn new(
        sessions: Vec<Session>,
        memories: Memories,
        subject: &str,
        position: Position,
        doubts: &mut Doubts,
        counts: &mut Counts,
    ) -> Self {
        let mut haystack = Self { events: Vec::new(), sessions: Vec::new(), memories };
        let mut used: HashSet<String> = HashSet::new();
        let read = sessions.len();
        let turns: usize = sessions.iter().map(|session| session.turns.len()).sum();
        haystack.events.reserve(turns);
        let mut mapped = 0;
        for mut session in sessions {
            if session.turns.is_empty() {
                let found = format!("the session {} has a date and no turns", shown(&session.id));
                doubts.add(DoubtKind::EmptySession, Some(position), subject, found, "nothing was said");
            }
            mapped += usize::from(!session.turns.is_empty());
            if !used.insert(session.id.clone()) {
                let id = unused(&session.id, used.len(), |id| used.contains(id));
                let found = format!("a second session has the id {}", shown(&session.id));
                doubts.add(DoubtKind::DuplicateId, Some(position), subject, found, format!("it is {}", shown(&id)));
                for (place, turn) in session.turns.iter_mut().enumerate() {
                    turn.0 = turn_id(&id, place);
                }
                used.insert(id.clone());
                session.id = id;
            }
            haystack.take(session);
        }
        counts.add(SESSIONS, read, mapped);
        counts.add(TURNS, turns, turns);
        haystack
    }

    fn take(&mut self, session: Session) {
        let Session { id, at, turns } = session;
        let mut flagged = Vec::new();
        if self.memories == Memories::Sessions {
            if !turns.is_empty() {
                flagged.push(id.clone());
                let lines: Vec<String> = turns.iter().map(|(_, role, words, _)| format!("{role}: {words}")).collect();
                self.push(id.clone(), lines.join("\n"), None, at);
            }
        } else {
            for (turn, role, words, has_answer) in turns {
                if has_answer {
                    flagged.push(turn.clone());
                }
                self.push(turn, format!("{role}: {words}"), Some(role), at.clone());
            }
        }
        self.sessions.push((id, flagged));
    }

    fn push(&mut self, id: String, text: String, speaker: Option<String>, at: Option<String>) {
        let turn = self.events.len() as u64 + 1;
        self.events.push(Event { turn, text, op: Op::Remember, attribute: id.clone(), id: Some(id), speaker, at });
    }

    /// The question, with the flagged turns of its answer sessions as required facts. For a question about what changed those
    /// of all but the last of these sessions are stale.
    pub(super) fn question(
        &self,
        asked: Asked,
        position: Position,
        doubts: &mut Doubts,
        counts: &mut Counts,
    ) -> Question {
        let at = Some(position);
        let (mut required, mut stale) = (Vec::new(), Vec::new());
        if !asked.abstain {
            let update = asked.category.as_deref().is_some_and(|category| category.replace('_', "-") == UPDATE);
            let evidence = self.evidence(&asked, position, doubts);
            counts.add(EVIDENCE, evidence.read, evidence.facts.iter().map(|(_, facts)| facts.len()).sum());
            let last = evidence.facts.iter().map(|(session, _)| *session).max();
            for (session, facts) in evidence.facts {
                let into = if update && Some(session) != last { &mut stale } else { &mut required };
                into.extend(facts.into_iter().map(|event| Fact::Event { event }));
            }
            if required.is_empty() {
                let done = "it has no required facts: only its answer can be graded";
                doubts.add(DoubtKind::NoEvidence, at, &asked.id, "no turn is flagged for it", done);
            }
        }
        let answer = text(asked.answer.as_ref());
        match &answer {
            None if !asked.abstain => {
                doubts.add(DoubtKind::MissingAnswer, at, &asked.id, "it has no answer", "it is kept without one");
            }
            Some((words, false)) => {
                let found = format!("its answer is {}", asked.answer.as_ref().map_or("missing", kind));
                let done = format!("it is the text \"{}\"", shown(words));
                doubts.add(DoubtKind::OtherAnswerType, at, &asked.id, found, done);
            }
            _ => {}
        }
        counts.add(QUESTIONS, 1, 1);
        Question {
            id: asked.id,
            question: asked.question,
            required,
            stale,
            category: asked.category,
            answer: answer.map(|(answer, _)| answer),
            asked_at: asked.at,
            abstain: asked.abstain,
            ..Question::default()
        }
    }

    /// The places of the answer sessions with the events that are flagged in them.
    fn evidence(&self, asked: &Asked, position: Position, doubts: &mut Doubts) -> Evidence {
        let at = Some(position);
        let mut wanted: HashSet<&str> = HashSet::new();
        let mut evidence = Evidence { read: 0, facts: Vec::new() };
        for id in &asked.evidence {
            if !wanted.insert(id) {
                let found = format!("the answer session {} stands twice", shown(id));
                doubts.add(DoubtKind::RepeatedEvidence, at, &asked.id, found, "it counts once");
            }
        }
        for (place, (id, flagged)) in self.sessions.iter().enumerate() {
            if !wanted.remove(id.as_str()) {
                continue;
            }
            evidence.read += flagged.len().max(1);
            if flagged.is_empty() {
                let found = format!("no turn of the answer session {} is flagged", shown(id));
                let done = "none of its turns is a fact";
                doubts.add(DoubtKind::NoFlaggedTurn, at, &asked.id, found, done);
            }
            evidence.facts.push((place, flagged.clone()));
        }
        for id in asked.evidence.iter().filter(|id| wanted.contains(id.as_str())) {
            evidence.read += 1;
            let found = format!("the answer session {} is not in the haystack", shown(id));
            doubts.add(DoubtKind::UnresolvedEvidence, at, &asked.id, found, "no fact is made of it");
        }
        evidence
    }

    /// Flagged turns outside of the sessions that the questions name.
    pub(super) fn stray(&self, named: &HashSet<String>) -> impl Iterator<Item = &str> {
        let own = self.memories != Memories::Sessions;
        let stray = self.sessions.iter().filter(move |(id, _)| own && !named.contains(id));
        stray.flat_map(|(_, flagged)| flagged.iter().map(String::as_str))
    }
}

struct Evidence {
    /// Flagged turns, and sessions without any.
    read: usize,
    facts: Vec<(usize, Vec<String>)>,
}
