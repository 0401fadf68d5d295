//! Reading a recording.

use serde::Deserialize;

use crate::source::json::{self, OrderedMap};
use crate::source::{InputError, Source};

use super::{Answer, AnswerGroup, ModelInfo, Recording};

const FIELDS: &[&str] = &[
    "model",
    "system",
    "answers",
    "seed",
    "answer",
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

#[derive(Deserialize)]
struct RawRecording {
    #[serde(default)]
    model: ModelInfo,
    #[serde(default)]
    system: String,
    answers: OrderedMap<OrderedMap<Vec<Answer>>>,
}

impl Recording {
    /// Reads a recording: `model`, `system` and `answers[strategy][question][]`.
    ///
    /// # Errors
    /// Broken JSON, a wrong type or a missing field, with its line and column.
    pub fn load(source: &Source) -> Result<Self, InputError> {
        let (raw, warnings): (RawRecording, _) = json::parse(source, FIELDS)?;
        let mut groups = Vec::new();
        for (strategy, questions) in raw.answers.0 {
            for (question, answers) in questions.0 {
                groups.push(AnswerGroup { strategy: strategy.clone(), question, answers });
            }
        }
        let name = source.name().to_owned();
        Ok(Self { name, model: raw.model, system: raw.system, groups, warnings })
    }
}
