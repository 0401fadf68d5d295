//! What comes of a step.

use serde_json::{Value, json};

use crate::governed::{
    Answer, Consolidated, Decision, Drop, Forgotten, Manifest, Reading, Reason, Record, SharedManifest, ToolCall, Turn,
    Unsafe, Written,
};

/// What came of an operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The gate's reason.
    Gate(Reason),
    /// What a candidate would do.
    Decision(Decision),
    /// What a turn came to.
    Turn(Turn),
    /// What a write came to.
    Written(Written),
    /// What forgetting a slot deleted.
    Forgotten(Forgotten),
    /// What a consolidation came to.
    Consolidated(Consolidated),
    /// An answer, or the reason why there is none.
    Retrieved(Reading),
    /// What the wrong order lets out.
    Leaked(Unsafe),
    /// What was believed.
    Believed(Reading),
    /// All records.
    Records(Vec<Record>),
    /// How many records the index lists.
    Postings(usize),
    /// Whether the index equals one built anew.
    Rebuildable(bool),
    /// The agent's tool calls.
    Called(Vec<ToolCall>),
    /// What was retired.
    Dropped(Vec<Drop>),
    /// What a deletion left open.
    Deleted(Manifest),
    /// The derived records that were deleted.
    Invalidated(Vec<String>),
    /// What a deletion left open, with the judgement of each derived record.
    Judged(SharedManifest),
}

impl Outcome {
    /// The outcome as files of scenarios write it.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Gate(reason) => json!(reason.words()),
            Self::Decision(decision) => json!(decision.name()),
            Self::Turn(turn) => json!(turn.to_string()),
            Self::Written(written) => json!({"id": written.id, "reason": written.reason.words()}),
            Self::Forgotten(forgotten) => json!(forgotten.ids),
            Self::Consolidated(made) => json!({"id": made.id, "reason": made.reason.words(), "parents": made.parents}),
            Self::Retrieved(reading) => reading.answer().map_or(Value::Null, answer),
            Self::Leaked(leaked) => json!({"top_score": leaked.top_score, "value": leaked.value}),
            Self::Believed(reading) => json!(reading.value()),
            Self::Records(records) => records.iter().map(record).collect(),
            Self::Postings(count) => json!(count),
            Self::Rebuildable(equal) => json!(equal),
            Self::Called(calls) => {
                calls.iter().map(|call| json!([call.tool.name(), call.operation, call.key, call.value])).collect()
            }
            Self::Dropped(dropped) => dropped.iter().map(|drop| drop.id.as_str()).collect(),
            Self::Deleted(manifest) => json!(manifest),
            Self::Invalidated(ids) => json!(ids),
            Self::Judged(manifest) => json!(manifest),
        }
    }

    /// Whether something was refused: by the gate, or by what the store knows.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Gate(reason) => *reason != Reason::Accepted,
            Self::Turn(turn) => matches!(turn, Turn::Refused(_)),
            Self::Written(written) => written.id.is_none(),
            Self::Consolidated(made) => made.id.is_none(),
            _ => false,
        }
    }
}

impl std::fmt::Display for Outcome {
    /// The outcome in one line for people.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Gate(reason) => formatter.write_str(reason.words()),
            Self::Decision(decision) => formatter.write_str(decision.name()),
            Self::Turn(turn) => write!(formatter, "{turn}"),
            Self::Written(Written { id, reason, .. }) => by_id(formatter, id.as_deref(), *reason),
            Self::Consolidated(Consolidated { id, reason, .. }) => by_id(formatter, id.as_deref(), *reason),
            Self::Forgotten(forgotten) => list(formatter, "deleted", &forgotten.ids),
            Self::Retrieved(reading) | Self::Believed(reading) => match &reading.outcome {
                crate::governed::Outcome::Answered(Answer { record, score }) => {
                    write!(formatter, "{} ({}, score {score})", record.value.as_deref().unwrap_or("-"), record.id)
                }
                crate::governed::Outcome::Abstained(reason) => write!(formatter, "no answer: {reason}"),
            },
            Self::Leaked(Unsafe { top_score, value }) => {
                let score = top_score.map_or_else(|| "no score".to_owned(), |score| format!("score {score}"));
                write!(formatter, "{score} leaks, answer {}", value.as_deref().unwrap_or("none"))
            }
            Self::Records(records) => write!(formatter, "{} records", records.len()),
            Self::Postings(count) => write!(formatter, "{count} records"),
            Self::Rebuildable(equal) => formatter.write_str(if *equal { "equal" } else { "NOT equal" }),
            Self::Called(calls) if calls.is_empty() => formatter.write_str("no tool was called"),
            Self::Called(calls) => {
                let calls: Vec<String> =
                    calls.iter().map(|call| format!("{} {} {}", call.operation, call.key, call.value)).collect();
                formatter.write_str(calls.join("; ").trim_end())
            }
            Self::Dropped(dropped) => {
                list(formatter, "retired", &dropped.iter().map(|drop| drop.id.clone()).collect::<Vec<_>>())
            }
            Self::Deleted(manifest) => deleted(formatter, manifest),
            Self::Invalidated(ids) => list(formatter, "deleted", ids),
            Self::Judged(judged) => {
                deleted(formatter, &judged.manifest)?;
                write!(formatter, ", {} derived judged", judged.artifacts.len())
            }
        }
    }
}

fn by_id(formatter: &mut std::fmt::Formatter<'_>, id: Option<&str>, reason: Reason) -> std::fmt::Result {
    match id {
        Some(id) => write!(formatter, "{id}: {reason}"),
        None => write!(formatter, "REJECT: {reason}"),
    }
}

fn list(formatter: &mut std::fmt::Formatter<'_>, what: &str, ids: &[String]) -> std::fmt::Result {
    if ids.is_empty() { formatter.write_str("nothing") } else { write!(formatter, "{what} {}", ids.join(", ")) }
}

fn deleted(formatter: &mut std::fmt::Formatter<'_>, manifest: &Manifest) -> std::fmt::Result {
    let state = if manifest.complete { "complete" } else { "something is OPEN" };
    write!(formatter, "{} rows deleted, {state}", manifest.record_ids.len())
}

fn record(record: &Record) -> Value {
    json!({"id": record.id, "value": record.value, "status": record.status, "span": [record.span.from, record.span.to]})
}

fn answer(answer: &Answer) -> Value {
    let mut shown = record(&answer.record);
    if let Value::Object(fields) = &mut shown {
        fields.insert("score".to_owned(), json!(answer.score));
    }
    shown
}
