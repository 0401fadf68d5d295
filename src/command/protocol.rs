//! The lines that go to a command and come back: JSON, one a line.

use serde::{Deserialize, Serialize};

use crate::case::{Event, Op, Question};
use crate::recording::SentLine;
use crate::text::{displayable, truncate};

/// The version of this protocol. Fields may be added within a version: a program ignores those that it does not know.
pub const PROTOCOL: u32 = 1;
/// How many records a question asks for: as many as the ranking measures look at. More are read all the same.
pub const K: usize = 20;
/// Columns of a program's own words in an error.
const EXCERPT: usize = 120;

/// A line to the program. Only a question is answered.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum ToProgram<'a> {
    /// The first line.
    Start { protocol: u32, strategy: &'a str, facts_quota: usize },
    /// Something that a user said, in order.
    Event {
        user: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        turn: u64,
        op: Op,
        attribute: &'a str,
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        speaker: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<&'a str>,
    },
    /// A question to be answered with records, before the next line comes.
    Question {
        user: &'a str,
        id: &'a str,
        question: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        asked_at: Option<&'a str>,
        k: usize,
    },
}

impl<'a> ToProgram<'a> {
    pub(super) fn event(user: &'a str, event: &'a Event) -> Self {
        Self::Event {
            user,
            id: event.id.as_deref(),
            turn: event.turn,
            op: event.op,
            attribute: &event.attribute,
            text: &event.text,
            speaker: event.speaker.as_deref(),
            at: event.at.as_deref(),
        }
    }

    /// A question as its user asks it: what it is graded by stays here.
    pub(super) fn question(user: &'a str, question: &'a Question) -> Self {
        let asked_at = question.asked_at.as_deref();
        Self::Question { user, id: &question.id, question: &question.question, asked_at, k: K }
    }

    /// Adds the line to a batch.
    pub(super) fn write(&self, batch: &mut Vec<u8>) {
        // Strings and numbers always are JSON, and a vector takes every byte.
        let _ = serde_json::to_writer(&mut *batch, self);
        batch.push(b'\n');
    }
}

#[derive(Deserialize)]
struct FromProgram {
    #[serde(default)]
    records: Option<Vec<Record>>,
    #[serde(default)]
    error: Option<String>,
}

/// A record in an answer: its words alone, or with what the program knows of it.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a record is neither a text nor {\"text\": TEXT}")]
enum Record {
    Words(String),
    Known {
        text: String,
        #[serde(default)]
        id: Option<Name>,
        #[serde(default)]
        event: Option<Name>,
        #[serde(default)]
        score: Option<f64>,
    },
}

/// Ids are texts; many programs count.
#[derive(Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Number(i64),
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        match name {
            Name::Text(text) => text,
            Name::Number(number) => number.to_string(),
        }
    }
}

/// What a line of a program says.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// Records, best first.
    Records(Vec<SentLine>),
    /// It is JSON, so the program still is in step, but no records.
    Refused(String),
    /// It is no JSON object: whatever it belongs to, the program and recallscope are out of step.
    Nonsense(String),
}

/// Reads the answer to a question.
pub(super) fn read(line: &[u8]) -> Answer {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let bad = line.get(error.valid_up_to()).copied().unwrap_or_default();
            return Answer::Nonsense(format!("found the byte 0x{bad:02x} in its answer, expected UTF-8"));
        }
    };
    let seen = || truncate(&displayable(text.trim_end()), EXCERPT).to_string();
    match serde_json::from_str::<FromProgram>(text) {
        Ok(FromProgram { error: Some(error), .. }) => {
            Answer::Refused(format!("says: {}", truncate(&displayable(error.trim()), EXCERPT)))
        }
        Ok(FromProgram { records: Some(records), .. }) => Answer::Records(records.into_iter().map(sent).collect()),
        Ok(FromProgram { records: None, .. }) => {
            Answer::Refused(format!("found {}, expected {{\"records\": [...]}}", seen()))
        }
        Err(error) if text.trim_start().starts_with('{') && error.is_data() => {
            Answer::Refused(format!("found {}, expected {{\"records\": [...]}}: {error}", seen()))
        }
        Err(_) if text.trim().is_empty() => Answer::Nonsense("answered with an empty line, expected JSON".to_owned()),
        Err(_) => Answer::Nonsense(format!("found {}, expected {{\"records\": [...]}} on standard output", seen())),
    }
}

fn sent(record: Record) -> SentLine {
    match record {
        Record::Words(text) => SentLine { text, ..SentLine::default() },
        Record::Known { text, id, event, score } => {
            SentLine { text, id: id.map(String::from), event: event.map(String::from), score }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_texts_or_objects() {
        let line =
            br#"{"records": ["I eat fish.", {"text": "I moved.", "id": 7, "event": "D1:3", "score": 0.5, "new": 1}]}"#;
        let words = SentLine { text: "I eat fish.".into(), ..SentLine::default() };
        let known =
            SentLine { text: "I moved.".into(), id: Some("7".into()), event: Some("D1:3".into()), score: Some(0.5) };
        assert_eq!(read(line), Answer::Records(vec![words, known]));
        assert_eq!(read(b"{\"records\": []}\r"), Answer::Records(Vec::new()));
    }

    #[test]
    fn what_is_no_answer_is_told_from_what_is_out_of_step() {
        let refused = |line: &[u8]| match read(line) {
            Answer::Refused(message) => message,
            other => panic!("{other:?}"),
        };
        let nonsense = |line: &[u8]| match read(line) {
            Answer::Nonsense(message) => message,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(br#"{"error": "no index"}"#), "says: no index");
        assert_eq!(refused(br#"{"answer": 1}"#), "found {\"answer\": 1}, expected {\"records\": [...]}");
        assert!(refused(br#"{"records": [3]}"#).contains("a record is neither a text nor {\"text\": TEXT}"));
        assert!(nonsense(b"Loading \x1b[31mmodel").starts_with("found Loading "));
        assert!(!nonsense(b"Loading \x1b[31mmodel").contains('\x1b'));
        assert_eq!(nonsense(b"{\"records\": [\"\xff\"]}"), "found the byte 0xff in its answer, expected UTF-8");
        assert_eq!(nonsense(b" "), "answered with an empty line, expected JSON");
        assert!(nonsense(br#"{"records": ["#).starts_with("found {\"records\": [,"));
        assert!(nonsense(b"[1]").starts_with("found [1],"));
    }

    #[test]
    fn a_question_says_nothing_of_what_it_is_graded_by() {
        let question = Question {
            id: "a/1".into(),
            question: "Dinner?".into(),
            answer: Some("fish".into()),
            required: vec![crate::case::Fact::Text("fish".into())],
            ..Question::default()
        };
        let mut batch = Vec::new();
        ToProgram::question("ann", &question).write(&mut batch);
        let line = String::from_utf8(batch).unwrap();
        assert_eq!(line, "{\"type\":\"question\",\"user\":\"ann\",\"id\":\"a/1\",\"question\":\"Dinner?\",\"k\":20}\n");
    }
}
