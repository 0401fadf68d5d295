//! recallscope's own lines: one answer, or one block, or both, each.
//!
//! ```text
//! {"strategy": "mine", "question_id": "locomo_0_qa3", "lines": [{"text": "…", "event": "D1:3"}, "…"], "answer": "…"}
//! ```
//!
//! A line with the field `recording` says of all lines of the file which model answered (`model`) and under which system
//! text (`system`).

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::doubt::DoubtKind;
use super::read::{Element, Opened};
use super::recognise::Format;
use super::rows::{AnswerSet, Named, Row, Sent};
use super::split::Between;
use super::value::shown;
use crate::recording::{Answer, ModelInfo, SentLine};
use crate::source::InputError;
use crate::source::json::did_you_mean;

/// What a line may say of the whole file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    #[serde(default, skip_serializing_if = "ModelInfo::is_empty")]
    pub model: ModelInfo,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub system: String,
}

/// One line of the file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Line {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<Head>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Whether the facts quota still cuts the lines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ranked: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<SentText>>,
    /// Why there are no lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judge: Vec<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// The fields of a line, for "did you mean".
const FIELDS: &[&str] = &[
    "recording",
    "strategy",
    "user",
    "question_id",
    "question",
    "ranked",
    "lines",
    "failure",
    "answer",
    "seed",
    "tool_calls",
    "done_reason",
    "prompt_tokens",
    "answer_tokens",
    "total_tokens",
    "judge",
    "score",
    "rationale",
    "latency_ms",
    "cost_usd",
];

/// A line of a block with what is known of it. A text alone is its words.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct SentText {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// [`SentText`] where it is an object.
#[derive(Deserialize)]
struct Described {
    text: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    event: Option<String>,
    #[serde(default)]
    score: Option<f64>,
}

impl<'de> Deserialize<'de> for SentText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = SentText;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text in quotes or {\"text\": WORDS}")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<SentText, E> {
                Ok(SentText { text: text.to_owned(), ..SentText::default() })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SentText, A::Error> {
                let Described { text, id, event, score } = Described::deserialize(MapAccessDeserializer::new(map))?;
                Ok(SentText { text, id, event, score })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl From<SentText> for SentLine {
    fn from(SentText { text, id, event, score }: SentText) -> Self {
        Self { text, id, event, score }
    }
}

impl From<SentLine> for SentText {
    fn from(SentLine { text, id, event, score }: SentLine) -> Self {
        Self { text, id, event, score }
    }
}

pub(super) fn read(opened: Opened) -> Result<AnswerSet, InputError> {
    let mut set = AnswerSet::new(opened.name(), Format::Jsonl);
    let default = set.stem();
    let parse = |element: Element<'_>| {
        let (line, unknown): (Line, _) = element.parse_noting_unknown()?;
        let at = |message: &str| InputError {
            source: element.name.clone(),
            position: Some(element.position),
            message: message.to_owned(),
        };
        if line.recording.is_none() {
            if line.question.is_none() && line.question_id.is_none() {
                return Err(at("found no question, expected `question` or `question_id`"));
            }
            if line.answer.is_none() && line.lines.is_none() && line.failure.is_none() {
                return Err(at("found neither an answer nor a block, expected `answer`, `lines` or `failure`"));
            }
        }
        Ok((element.position, line, unknown))
    };
    let mut read = Vec::new();
    opened.each(Between::LineBreaks, parse, |line| {
        read.push(line);
        Ok(())
    })?;
    for (position, mut line, unknown) in read {
        let subject = line.question_id.as_ref().or(line.question.as_ref()).cloned().unwrap_or_default();
        for field in &unknown {
            let hint = did_you_mean(field, FIELDS).map(|known| format!("; did you mean `{known}`?"));
            let found = format!("found the unknown field `{}`{}", shown(field), hint.unwrap_or_default());
            set.doubts.add(DoubtKind::UnknownField, Some(position), &subject, found, "it is ignored");
        }
        if let Some(head) = line.recording.take() {
            set.model.extend(head.model);
            set.system = head.system;
        }
        if line.question.is_none() && line.question_id.is_none() {
            continue;
        }
        set.rows.push(row(position, line, &default));
    }
    Ok(set)
}

fn row(position: crate::source::Position, line: Line, default: &str) -> Row {
    let lines = line.lines.map(|lines| lines.into_iter().map(SentLine::from).collect::<Vec<_>>());
    let sent = match (lines, line.failure) {
        (None, None) => None,
        (lines, failure) => Some(Sent::Block { lines: lines.unwrap_or_default(), ranked: line.ranked, failure }),
    };
    let answer = line.answer.map(|answer| Answer {
        seed: line.seed,
        answer,
        tool_calls: line.tool_calls,
        done_reason: line.done_reason,
        prompt_tokens: line.prompt_tokens,
        answer_tokens: line.answer_tokens,
        total_tokens: line.total_tokens,
        judge: line.judge,
        score: line.score,
        rationale: line.rationale,
        latency_ms: line.latency_ms,
        cost_usd: line.cost_usd,
    });
    Row {
        at: Some(position),
        strategy: line.strategy.unwrap_or_else(|| default.to_owned()),
        named: Named { id: line.question_id, text: line.question, user: line.user, place: None },
        golden: None,
        answer,
        sent,
    }
}

impl Line {
    /// The line of an answer.
    pub(super) fn of_answer(strategy: &str, question: &str, answer: &Answer) -> Self {
        let answer = answer.clone();
        Self {
            strategy: Some(strategy.to_owned()),
            question_id: Some(question.to_owned()),
            answer: Some(answer.answer),
            seed: answer.seed,
            tool_calls: answer.tool_calls,
            done_reason: answer.done_reason,
            prompt_tokens: answer.prompt_tokens,
            answer_tokens: answer.answer_tokens,
            total_tokens: answer.total_tokens,
            judge: answer.judge,
            score: answer.score,
            rationale: answer.rationale,
            latency_ms: answer.latency_ms,
            cost_usd: answer.cost_usd,
            ..Self::default()
        }
    }
}
