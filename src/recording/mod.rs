//! Recorded answers: what a model said to each question under each strategy.

mod blocks;
mod load;

use serde::{Deserialize, Serialize};

use crate::source::Warning;

pub use blocks::{BlockRun, SentBlock, SentLine};

/// What the recording says of the model that answered: the file's own fields, in its order.
pub type ModelInfo = serde_json::Map<String, serde_json::Value>;

/// One recorded answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The seed it was drawn with.
    #[serde(default)]
    pub seed: Option<i64>,
    /// The words of the model.
    pub answer: String,
    /// Tools that the model called, as recorded.
    #[serde(default)]
    pub tool_calls: Vec<serde_json::Value>,
    /// Why the model stopped, such as `stop` or `length`.
    #[serde(default)]
    pub done_reason: Option<String>,
    /// Tokens of the request, as the server counted them.
    #[serde(default)]
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answer, as the server counted them.
    #[serde(default)]
    pub answer_tokens: Option<u64>,
    /// Tokens of the request and the answer together, where the recording does not tell them apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    /// The votes of the judges that the recording comes with: `true` says that the answer is right. Empty without judges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judge: Vec<bool>,
    /// The judges' score where they gave one on a scale, from 0 (wrong) to 1 (right).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Why the judges decided so, in their own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// From the request to the last word of the answer, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// What the answer cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// The answers to one question under one strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerGroup {
    /// The strategy's name, as the file has it.
    pub strategy: String,
    /// The question's id or text, as the file has it.
    pub question: String,
    /// One answer a seed.
    pub answers: Vec<Answer>,
}

/// A file of recorded answers.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The file that it came from.
    pub name: String,
    /// The model that answered.
    pub model: ModelInfo,
    /// The system text sent with each request.
    pub system: String,
    /// In the file's order: strategy by strategy, question by question.
    pub groups: Vec<AnswerGroup>,
    /// What was odd in the file.
    pub warnings: Vec<Warning>,
}

impl Recording {
    /// The number of answers.
    pub fn answer_count(&self) -> usize {
        self.groups.iter().map(|group| group.answers.len()).sum()
    }

    /// A short name of the model, such as `gemma4:e2b`, or the file's name where it gives none.
    pub fn model_name(&self) -> &str {
        ["ollama_tag", "name", "model", "publisher_model"]
            .iter()
            .find_map(|field| self.model.get(*field)?.as_str())
            .unwrap_or(&self.name)
    }
}
