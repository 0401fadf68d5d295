//! An agent that edits its own memory: an extractor whose rules can be read, the log of its tool calls, and answers from
//! retrieved memory only. The log is kept with the agent and not in the store: it repeats what people said.

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use super::error::Result;
use super::{Candidate, Edit, Kind, Query, Reading, Reason, Scope, Source, Store};

/// A tool of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Tool {
    /// Proposes a fact.
    #[serde(rename = "memory_insert")]
    Insert,
    /// Forgets a slot.
    #[serde(rename = "memory_delete")]
    Delete,
    /// Asks the store.
    #[serde(rename = "memory_search")]
    Search,
}

impl Tool {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "memory_insert",
            Self::Delete => "memory_delete",
            Self::Search => "memory_search",
        }
    }
}

/// A tool call and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolCall {
    /// The tool.
    pub tool: Tool,
    /// `ADD`, `UPDATE`, `NOOP`, `DELETE`, `ANSWER`, `ABSTAIN: …` or `REJECT: …`.
    pub operation: String,
    /// The slot, or the question.
    pub key: String,
    /// The value; empty for a deletion and an abstention.
    pub value: String,
}

/// What the extractor found in a turn.
enum Found {
    Insert(&'static str, String),
    Delete(&'static str),
}

/// The rules: a pattern, the slot, and whether it forgets. `value` is what is remembered; a negated phrase is left alone.
const RULES: &[(&str, &str, bool)] = &[
    (
        concat!(
            r"\b(?:(?P<not>(?:not|never|no longer|don't|do not|was|were)\s+)?(?i:living\s+in|moved\s+to)|(?i:I\s+(?:now\s+)?live\s+in))",
            r"\s+(?P<value>\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*)*)"
        ),
        "home city",
        false,
    ),
    (
        r"(?i)\bI\s+(?:now\s+)?prefer\s+(?:an?\s+|the\s+)?(?P<value>aisle|window|middle)\s+seats?\b",
        "seat preference",
        false,
    ),
    (r"(?i)(?P<not>\b(?:don't|do not|never)\s+)?\bforget\s+(?:where\s+I\s+live|my\s+home\s+city)\b", "home city", true),
    (r"(?i)(?P<not>\b(?:don't|do not|never)\s+)?\bforget\s+my\s+seat(?:\s+preference)?\b", "seat preference", true),
];

static PATTERNS: LazyLock<Vec<(Regex, &str, bool)>> = LazyLock::new(|| {
    RULES.iter().filter_map(|(rule, key, forgets)| Regex::new(rule).ok().map(|rule| (rule, *key, *forgets))).collect()
});

/// The facts and requests of a turn, in the order of their words.
fn extract(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (pattern, key, forgets) in PATTERNS.iter() {
        for captures in pattern.captures_iter(text).filter(|captures| captures.name("not").is_none()) {
            let Some(place) = captures.get(0).map(|whole| whole.start()) else { continue };
            let value = captures.name("value").map(|value| value.as_str().to_owned());
            match value {
                Some(value) => found.push((place, Found::Insert(key, value))),
                None if *forgets => found.push((place, Found::Delete(key))),
                None => {}
            }
        }
    }
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, what)| what).collect()
}

/// An agent that talks with one person.
#[derive(Debug, Clone)]
pub struct Agent {
    scope: Scope,
    temporary: bool,
    log: Vec<ToolCall>,
}

impl Agent {
    /// An agent for a scope. In a temporary conversation nothing durable is written, and nothing is deleted either.
    pub fn new(scope: Scope, temporary: bool) -> Self {
        Self { scope, temporary, log: Vec::new() }
    }

    /// The tool calls so far.
    pub fn log(&self) -> &[ToolCall] {
        &self.log
    }

    /// Takes in a turn of the person at `time`; its evidence is `turn-TIME`. Returns the turn's tool calls.
    ///
    /// # Errors
    /// If the store refuses to work; that the gate refuses is in the tool call.
    pub fn observe(&mut self, store: &mut Store, text: &str, time: i64) -> Result<Vec<ToolCall>> {
        let mut calls = Vec::new();
        for found in extract(text) {
            calls.push(match found {
                Found::Insert(key, value) => {
                    let candidate = self.candidate(key, value, (time, format!("turn-{time}")), Source::User);
                    self.insert(store, &candidate)?
                }
                Found::Delete(key) => self.delete(store, key)?,
            });
        }
        self.log.extend(calls.iter().cloned());
        Ok(calls)
    }

    /// Applies the operations of a model, as [`super::edits`] read them, at `time` with the given evidence. They are proposals:
    /// a fact is written as the model's inference, and a slot is deleted only if the model's own guesses are all it holds.
    ///
    /// # Errors
    /// If the store refuses to work.
    pub fn apply(&mut self, store: &mut Store, edits: &[Edit], evidence: &str, time: i64) -> Result<Vec<ToolCall>> {
        let mut calls = Vec::new();
        for edit in edits {
            calls.push(match edit {
                Edit::Write { key, value, confidence, ttl } => {
                    let base = self.candidate(key, value.clone(), (time, evidence.to_owned()), Source::ModelInference);
                    self.insert(store, &Candidate { confidence: *confidence, ttl: *ttl, ..base })?
                }
                Edit::Noop => call(Tool::Insert, "NOOP", "", ""),
                Edit::Delete { key } => {
                    let held = store.list(&self.scope)?;
                    let foreign = |record: &super::Record| record.source != Source::ModelInference;
                    if held.iter().filter(|record| record.key.as_deref() == Some(key)).any(foreign) {
                        call(Tool::Delete, "REJECT: a model may delete only what a model has guessed", key, "")
                    } else {
                        self.delete(store, key)?
                    }
                }
            });
        }
        self.log.extend(calls.iter().cloned());
        Ok(calls)
    }

    /// Answers from retrieved memory, or not at all.
    ///
    /// # Errors
    /// If the store refuses to work.
    pub fn answer(&mut self, store: &mut Store, text: &str, now: Option<i64>) -> Result<Reading> {
        let query = Query { now, ..Query::new(text, self.scope.clone()) };
        // A temporary conversation leaves no trace, so its reads do not count.
        let reading = if self.temporary { store.look(&query)? } else { store.retrieve(&query)? };
        let operation = match &reading.outcome {
            super::Outcome::Answered(_) => "ANSWER".to_owned(),
            super::Outcome::Abstained(reason) => format!("ABSTAIN: {reason}"),
        };
        self.log.push(call(Tool::Search, &operation, text, reading.value().unwrap_or_default()));
        Ok(reading)
    }

    fn candidate(&self, key: &str, value: String, (time, evidence): (i64, String), source: Source) -> Candidate {
        Candidate {
            key: key.to_owned(),
            value,
            scope: self.scope.clone(),
            evidence,
            time,
            kind: Kind::Semantic,
            source,
            confidence: 1.0,
            ttl: None,
        }
    }

    fn insert(&self, store: &mut Store, candidate: &Candidate) -> Result<ToolCall> {
        let operation = if self.temporary {
            format!("REJECT: {}", Reason::Temporary)
        } else {
            store.turn(candidate, None)?.to_string()
        };
        Ok(call(Tool::Insert, &operation, &candidate.key, &candidate.value))
    }

    fn delete(&self, store: &mut Store, key: &str) -> Result<ToolCall> {
        let operation = if self.temporary {
            format!("REJECT: {}", Reason::Temporary)
        } else {
            store.forget(&self.scope, key)?;
            "DELETE".to_owned()
        };
        Ok(call(Tool::Delete, &operation, key, ""))
    }
}

fn call(tool: Tool, operation: &str, key: &str, value: &str) -> ToolCall {
    ToolCall { tool, operation: operation.to_owned(), key: key.to_owned(), value: value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negated_phrases_are_left_alone() {
        assert_eq!(PATTERNS.len(), RULES.len());
        for text in ["I am no longer living in Munich", "I used to live in Rome", "do not forget where I live"] {
            assert!(extract(text).is_empty(), "{text}");
        }
        assert!(
            matches!(extract("I now live in New York.").as_slice(), [Found::Insert("home city", city)] if city == "New York")
        );
    }
}
