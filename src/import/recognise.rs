//! Which format a file has: told by its content, not by its name, from its first bytes.

use std::fmt;

use serde::Serialize;

use super::read::Opened;
use crate::source::InputError;

/// What recallscope can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[value(rename_all = "kebab-case")]
pub enum Format {
    /// recallscope's own case set.
    Cases,
    /// recallscope's own recording, one JSON object.
    Recording,
    /// recallscope's own recordings and block runs, one answer or block a line.
    Jsonl,
    /// Answer keys.
    Keys,
    /// `locomo10.json`: conversations with their questions.
    Locomo,
    /// LongMemEval's official list of questions, each with its own haystack.
    Longmemeval,
    /// `questions.jsonl` beside `sessions.jsonl`: questions over one shared haystack.
    LongmemevalSlice,
    /// `detailed_results`: answers with several judges' votes, user by user.
    DetailedResults,
    /// Conversation by conversation a list of answers in the order of the answerable questions, each with a score.
    ConversationRows,
    /// A result file of memory-arena: `recall_records` of one system and seed.
    MemoryArena,
    /// LongMemEval's hypotheses: one `question_id` and `hypothesis` a line, graded or not.
    Hypotheses,
}

/// What a format is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Events and questions.
    Cases,
    /// Answers and blocks.
    Answers,
    /// Answer keys.
    Keys,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Cases,
        Self::Recording,
        Self::Jsonl,
        Self::Keys,
        Self::Locomo,
        Self::Longmemeval,
        Self::LongmemevalSlice,
        Self::DetailedResults,
        Self::ConversationRows,
        Self::MemoryArena,
        Self::Hypotheses,
    ];

    /// What it is good for.
    pub fn role(self) -> Role {
        match self {
            Self::Cases | Self::Locomo | Self::Longmemeval | Self::LongmemevalSlice => Role::Cases,
            Self::Keys => Role::Keys,
            _ => Role::Answers,
        }
    }

    /// What a reader calls such a file.
    pub fn words(self) -> &'static str {
        match self {
            Self::Cases => "a case set",
            Self::Recording => "a recording",
            Self::Jsonl => "answers or blocks, one a line",
            Self::Keys => "answer keys",
            Self::Locomo => "LoCoMo conversations",
            Self::Longmemeval => "LongMemEval questions with their haystacks",
            Self::LongmemevalSlice => "LongMemEval questions and sessions, one a line",
            Self::DetailedResults => "detailed_results with judges' votes",
            Self::ConversationRows => "scored answers by conversation",
            Self::MemoryArena => "a memory-arena result",
            Self::Hypotheses => "LongMemEval hypotheses",
        }
    }

    /// By which of its fields a file of this format is known.
    fn marks(self) -> &'static str {
        match self {
            Self::Cases => "{conversations, facts_quota}",
            Self::Recording => "{model, system, answers}",
            Self::Jsonl => "lines of {strategy, question or question_id, answer or lines}",
            Self::Keys => "{replaced, keys}",
            Self::Locomo => "[{sample_id, conversation, qa}]",
            Self::Longmemeval => "[{question_id, question, haystack_sessions}]",
            Self::LongmemevalSlice => "lines of {id, question, ground_truth} or {id, turns}",
            Self::DetailedResults => "{detailed_results}",
            Self::ConversationRows => "{CONVERSATION: [{question, response}]}",
            Self::MemoryArena => "{strategy, recall_records}",
            Self::Hypotheses => "lines of {question_id, hypothesis}",
        }
    }

    /// The format of a file.
    ///
    /// # Errors
    /// None of the formats fits: what was found, and what is understood.
    pub fn of(opened: &Opened) -> Result<Self, InputError> {
        let shape = Shape::of(opened.head());
        shape.format().ok_or_else(|| {
            let known: Vec<String> =
                Self::ALL.iter().map(|format| format!("{} {}", format.words(), format.marks())).collect();
            InputError::plain(opened.name(), format!("found {shape}, expected one of: {}", known.join("; ")))
        })
    }
}

impl Format {
    /// The format of a file that should be of one: that one where nothing in the file tells any, such as an empty file. What
    /// is wrong with it is then said by the reader of that format.
    ///
    /// # Errors
    /// The file has fields, and none of the formats has them.
    pub fn of_expected(opened: &Opened, expected: Self) -> Result<Self, InputError> {
        match Shape::of(opened.head()) {
            Shape::Nothing | Shape::Text => Ok(expected),
            Shape::List { fields } | Shape::Object { fields, .. } if fields.is_empty() => Ok(expected),
            _ => Self::of(opened),
        }
    }
}

/// How a file begins.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    Nothing,
    /// An object: its first fields, and those of the first object in its first list of objects.
    Object {
        fields: Vec<String>,
        inner: Vec<String>,
    },
    /// A list: the fields of its first object, or none where it holds something else.
    List {
        fields: Vec<String>,
    },
    /// Objects one after the other.
    Lines {
        fields: Vec<String>,
    },
    Text,
}

impl Shape {
    fn of(head: &[u8]) -> Self {
        let mut look = Look { bytes: head, at: 0 };
        match look.next() {
            None => Self::Nothing,
            Some(b'{') => {
                let (fields, inner, closed) = look.object(true);
                if closed && look.next() == Some(b'{') {
                    Self::Lines { fields }
                } else {
                    Self::Object { fields, inner }
                }
            }
            Some(b'[') => {
                look.at += 1;
                let fields = if look.next() == Some(b'{') { look.object(false).0 } else { Vec::new() };
                Self::List { fields }
            }
            Some(_) => Self::Text,
        }
    }

    fn format(&self) -> Option<Format> {
        match self {
            Self::List { fields } => {
                let has = |name: &str| fields.iter().any(|field| field == name);
                if has("haystack_sessions") || has("haystack_dates") || has("haystack_session_ids") {
                    Some(Format::Longmemeval)
                } else if has("qa") || (has("conversation") && has("sample_id")) {
                    Some(Format::Locomo)
                } else if has("question_id") && has("question_type") {
                    // The haystack stands behind what was read of the entry.
                    Some(Format::Longmemeval)
                } else {
                    None
                }
            }
            Self::Lines { fields } => line_format(fields),
            Self::Object { fields, inner } => {
                let has = |name: &str| fields.iter().any(|field| field == name);
                let inner_has = |name: &str| inner.iter().any(|field| field == name);
                if has("recall_records") || has("ingest_records") {
                    Some(Format::MemoryArena)
                } else if has("detailed_results") {
                    Some(Format::DetailedResults)
                } else if has("conversations") || has("long_replay") || has("facts_quota") {
                    Some(Format::Cases)
                } else if has("answers") {
                    Some(Format::Recording)
                } else if has("keys") || has("replaced") {
                    Some(Format::Keys)
                } else if line_format(fields).is_some() {
                    line_format(fields)
                } else if inner_has("question") && inner_has("response") {
                    Some(Format::ConversationRows)
                } else if has("model") && has("system") {
                    Some(Format::Recording)
                } else {
                    None
                }
            }
            Self::Nothing | Self::Text => None,
        }
    }
}

/// The format of a file of lines, by the fields of its first line.
fn line_format(fields: &[String]) -> Option<Format> {
    let has = |name: &str| fields.iter().any(|field| field == name);
    if has("hypothesis") {
        Some(Format::Hypotheses)
    } else if (has("ground_truth") && has("question")) || (has("turns") && has("id")) {
        Some(Format::LongmemevalSlice)
    } else if (has("lines") || has("answer") || has("failure")) && (has("question") || has("question_id"))
        || has("recording")
    {
        Some(Format::Jsonl)
    } else {
        None
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Field names that the message shows.
        const SHOWN: usize = 6;
        let named = |fields: &[String]| {
            let more = if fields.len() > SHOWN { ", …" } else { "" };
            fields.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ") + more
        };
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Text => f.write_str("neither a list nor an object"),
            Self::Object { fields, .. } if fields.is_empty() => f.write_str("an object without fields"),
            Self::Object { fields, .. } => write!(f, "an object with the fields {}", named(fields)),
            Self::List { fields } if fields.is_empty() => f.write_str("a list that begins with no object"),
            Self::List { fields } => write!(f, "a list of objects with the fields {}", named(fields)),
            Self::Lines { fields } => write!(f, "lines of objects with the fields {}", named(fields)),
        }
    }
}

/// Field names of one object that are looked at.
const MOST_FIELDS: usize = 200;

/// A look at the first bytes of a text, which may break off anywhere.
struct Look<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Look<'_> {
    /// The next byte that is not white space.
    fn next(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !byte.is_ascii_whitespace() {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// The fields of the object that begins here, those of the first object in the first list of objects among its
    /// values, and whether its end was reached.
    fn object(&mut self, look_inside: bool) -> (Vec<String>, Vec<String>, bool) {
        let (mut fields, mut inner) = (Vec::new(), Vec::new());
        self.at += 1;
        loop {
            match self.next() {
                Some(b'}') => {
                    self.at += 1;
                    return (fields, inner, true);
                }
                Some(b',') => self.at += 1,
                Some(b'"') => {
                    let Some(name) = self.text() else { return (fields, inner, false) };
                    if fields.len() < MOST_FIELDS {
                        fields.push(name);
                    }
                    if self.next() != Some(b':') {
                        return (fields, inner, false);
                    }
                    self.at += 1;
                    if look_inside && inner.is_empty() && self.next() == Some(b'[') {
                        let mut ahead = Look { bytes: self.bytes, at: self.at + 1 };
                        if ahead.next() == Some(b'{') {
                            inner = ahead.object(false).0;
                        }
                    }
                    if !self.skip() {
                        return (fields, inner, false);
                    }
                }
                _ => return (fields, inner, false),
            }
        }
    }

    /// The text that begins here; nothing where it breaks off.
    fn text(&mut self) -> Option<String> {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += match byte {
                b'\\' => 2,
                b'"' => {
                    self.at += 1;
                    let quoted = self.bytes.get(start..self.at).unwrap_or_default();
                    return Some(serde_json::from_slice(quoted).unwrap_or_default());
                }
                _ => 1,
            };
        }
        None
    }

    /// Passes over the value that begins here. Returns whether its end was reached.
    fn skip(&mut self) -> bool {
        let mut depth = 0_usize;
        loop {
            match self.next() {
                None => return false,
                Some(b'"') => {
                    if self.text().is_none() {
                        return false;
                    }
                }
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.at += 1;
                }
                Some(b'}' | b']') => {
                    if depth == 0 {
                        return true;
                    }
                    depth -= 1;
                    self.at += 1;
                }
                Some(b',') if depth == 0 => return true,
                Some(_) => {
                    self.at += 1;
                    continue;
                }
            }
            if depth == 0 {
                return true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::Progress;

    fn recognised(text: &str) -> Result<Format, String> {
        let bytes = std::io::Cursor::new(text.as_bytes().to_vec());
        let opened = Opened::from_reader("f", Box::new(bytes), &Progress::default()).unwrap();
        Format::of(&opened).map_err(|error| error.to_string())
    }

    #[test]
    fn each_format_is_known_by_its_fields_wherever_they_stand() {
        for (format, texts) in [
            (Format::Cases, &[r#"{"facts_quota": 1, "conversations": []}"#, r#"{"conversations": [{"questi"#][..]),
            (Format::Recording, &[r#"{"answers": {}}"#, r#"{"model": {"name": "m"}, "system": "You ans"#]),
            (
                Format::Jsonl,
                &[
                    r#"{"strategy": "s", "question": "q", "answer": "a"}"#,
                    "{\"question_id\": \"q\", \"strategy\": \"s\", \"lines\": []}\n{}",
                    r#"{"recording": {}}"#,
                ],
            ),
            (Format::Keys, &[r#"{"keys": {}}"#, r#"{"replaced": "x", "ke"#]),
            (Format::Locomo, &[r#" [ {"qa": [{"question"#, r#"[{"sample_id": "s", "conversation": {}}]"#]),
            (
                Format::Longmemeval,
                &[
                    r#"[{"question_id": "q", "question_type": "t", "haystack_dates": []"#,
                    r#"[{"haystack_sessions": [[{"ro"#,
                ],
            ),
            (
                Format::LongmemevalSlice,
                &[r#"{"id": "q", "question": "?", "ground_truth": {}}"#, "{\"id\": \"s\", \"turns\": []}\n{\"id\""],
            ),
            (Format::DetailedResults, &[r#"{"total": 3, "detailed_results": {"u": [{"question_i"#]),
            (Format::ConversationRows, &[r#"{"3": [{"question": "q", "answer": "a", "response": "r"}]}"#]),
            (Format::MemoryArena, &[r#"{"strategy": "s", "run_id": "1", "ingest_records": [{"se"#]),
            (Format::Hypotheses, &["{\"question_id\": \"q\", \"hypothesis\": \"h\"}\n"]),
        ] {
            for text in texts {
                assert_eq!(recognised(text), Ok(format), "{text}");
            }
        }
    }

    #[test]
    fn an_unknown_file_says_what_was_found_and_what_is_understood() {
        let found = |text: &str| {
            let error = recognised(text).unwrap_err();
            assert!(error.contains("LoCoMo conversations [{sample_id, conversation, qa}]"), "{error}");
            error.split(", expected").next().unwrap().to_owned()
        };
        assert_eq!(found(""), "f: found nothing");
        assert_eq!(found("{}"), "f: found an object without fields");
        assert_eq!(found(r#"{"a": 1, "b": {"keys": 1}}"#), "f: found an object with the fields a, b");
        assert_eq!(found("[1]"), "f: found a list that begins with no object");
        assert_eq!(found(r#"[{"x\u001b": 1}]"#), "f: found a list of objects with the fields x^[");
        assert_eq!(found("{\"a\": 1}\n{\"a\": 2}"), "f: found lines of objects with the fields a");
        assert_eq!(found("question,answer"), "f: found neither a list nor an object");
    }

    #[test]
    fn a_text_that_breaks_off_or_nests_without_end_is_looked_at_all_the_same() {
        for text in ["{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":[", "[", "[{\"", "{\"a\": \"\\", "]", "{]"] {
            assert!(recognised(text).is_err(), "{text}");
        }
        assert!(recognised(&"{\"a\":[".repeat(10_000)).is_err());
    }
}
