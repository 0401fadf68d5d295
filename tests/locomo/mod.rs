//! The LoCoMo benchmark with its published answer sets, imported as the program does it, for measuring on it.
//!
//! The data is not part of the project (CC BY-NC): `RECALLSCOPE_LOCOMO` names the folder that holds `locomo10.json`,
//! `answers/` and `known-wrong-keys-conv0-4.json`.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recallscope::case::CaseSet;
use recallscope::grade::AnswerKeys;
use recallscope::import::Progress;
use recallscope::open::{self, Inputs, Read};
use recallscope::tokens::TokenCounter;
use recallscope::workspace::Workspace;
use serde_json::Value;

/// The folder, where the environment names one that is there.
pub fn folder() -> Option<PathBuf> {
    std::env::var_os("RECALLSCOPE_LOCOMO").map(PathBuf::from).filter(|path| path.is_dir())
}

/// Counts nothing: the audit does not ask for tokens.
pub struct NoTokens;

impl TokenCounter for NoTokens {
    fn name(&self) -> &str {
        "none"
    }
    fn count(&self, _: &str) -> usize {
        1
    }
}

/// The data with these of its answer sets.
pub fn read(folder: &Path, answers: &[&str]) -> Read {
    let inputs = Inputs {
        cases: Some(folder.join("locomo10.json")),
        answers: answers.iter().map(|name| folder.join(format!("answers/{name}.json"))).collect(),
        ..Inputs::default()
    };
    open::read(&inputs, &Progress::default()).unwrap()
}

/// The cases: all ten conversations with their answerable questions.
pub fn cases(folder: &Path) -> CaseSet {
    answerable(read(folder, &[]).cases)
}

fn answerable(mut cases: CaseSet) -> CaseSet {
    for conversation in &mut cases.conversations {
        conversation.questions.retain(|question| !question.abstain);
    }
    cases
}

/// The cases with the five honest runs: full context (two models, two prompts) and memobase.
pub fn workspace(folder: &Path) -> Workspace {
    let runs = [
        "full-context-gpt-4.1-mini-cot",
        "full-context-gpt-4.1-mini-memos",
        "full-context-gpt-4o-mini-cot",
        "full-context-gpt-4o-mini-memos",
        "memobase-0.0.37",
    ];
    graded(folder, &runs)
}

/// The answerable questions with these answer sets.
pub fn graded(folder: &Path, names: &[&str]) -> Workspace {
    let Read { cases, recordings, .. } = read(folder, names);
    Workspace::build(Arc::new(answerable(cases)), AnswerKeys::default(), recordings, Arc::new(NoTokens)).unwrap()
}

/// The published verdicts on conversations 0 to 4: question id and kind of error.
pub fn known_wrong(folder: &Path) -> HashMap<String, String> {
    let text = std::fs::read_to_string(folder.join("known-wrong-keys-conv0-4.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap();
    let word = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    rows.iter().map(|row| (word(row, "question_id"), word(row, "error_type"))).collect()
}
