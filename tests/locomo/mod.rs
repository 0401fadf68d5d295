//! The LoCoMo benchmark with its published answer sets, read into memory for measuring the key audit.
//!
//! The data is not part of the project (CC BY-NC): `RECALLSCOPE_LOCOMO` names the folder that holds `locomo10.json`,
//! `answers/` and `known-wrong-keys-conv0-4.json`.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recallscope::case::{CaseSet, Conversation, Event, Fact, Op, Question};
use recallscope::grade::AnswerKeys;
use recallscope::recording::{Answer, AnswerGroup, Recording};
use recallscope::tokens::TokenCounter;
use recallscope::workspace::Workspace;
use serde_json::Value;

/// The folder, where the environment names one that is there.
pub fn folder() -> Option<PathBuf> {
    std::env::var_os("RECALLSCOPE_LOCOMO").map(PathBuf::from).filter(|path| path.is_dir())
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Counts nothing: the audit does not ask for tokens.
struct NoTokens;

impl TokenCounter for NoTokens {
    fn name(&self) -> &str {
        "none"
    }
    fn count(&self, _: &str) -> usize {
        1
    }
}

fn events(conversation: &Value) -> Vec<Event> {
    let mut events = Vec::new();
    for session in 1.. {
        let Some(at) = conversation.get(format!("session_{session}_date_time")) else { break };
        let turns = conversation.get(format!("session_{session}")).and_then(Value::as_array);
        for turn in turns.into_iter().flatten() {
            let caption = turn.get("blip_caption").map(|caption| format!(" [{}]", text(caption)));
            events.push(Event {
                turn: events.len() as u64 + 1,
                text: text(&turn["text"]) + &caption.unwrap_or_default(),
                op: Op::Remember,
                attribute: text(&turn["dia_id"]),
                id: Some(text(&turn["dia_id"])),
                speaker: Some(text(&turn["speaker"])),
                at: Some(text(at)),
            });
        }
    }
    events
}

fn conversation(number: usize, value: &Value) -> Conversation {
    let questions = value["qa"].as_array().unwrap().iter().enumerate().filter(|(_, qa)| qa["category"] != 5);
    let question = |(index, qa): (usize, &Value)| Question {
        id: format!("locomo_{number}_qa{index}"),
        question: text(&qa["question"]),
        required: qa["evidence"].as_array().unwrap().iter().map(|id| Fact::Event { event: text(id) }).collect(),
        stale: Vec::new(),
        forgotten: Vec::new(),
        category: Some(qa["category"].to_string()),
        answer: qa.get("answer").map(text),
        ..Question::default()
    };
    Conversation {
        user: text(&value["sample_id"]),
        events: events(&value["conversation"]),
        questions: questions.map(question).collect(),
    }
}

fn recording(name: &str, answers: Vec<(String, String, Vec<bool>)>) -> Recording {
    let group = |(question, answer, judge)| AnswerGroup {
        strategy: name.to_owned(),
        question,
        answers: vec![Answer { answer, judge, ..Answer::default() }],
    };
    Recording {
        name: name.to_owned(),
        model: serde_json::Map::default(),
        system: String::new(),
        groups: answers.into_iter().map(group).collect(),
        warnings: Vec::new(),
    }
}

fn full_context(folder: &Path, name: &str) -> Recording {
    let mut recording = judged(folder, &format!("full-context-{name}"));
    name.clone_into(&mut recording.name);
    recording.groups.iter_mut().for_each(|group| name.clone_into(&mut group.strategy));
    recording
}

fn judged(folder: &Path, name: &str) -> Recording {
    let file = read(&folder.join(format!("answers/{name}.json")));
    let rows = file["detailed_results"].as_object().unwrap().values().flat_map(|rows| rows.as_array().unwrap());
    let answer = |row: &Value| {
        let votes = row["llm_judgments"].as_object().unwrap().values().map(|vote| vote == true).collect();
        (text(&row["question_id"]), text(&row["generated_answer"]), votes)
    };
    recording(name, rows.map(answer).collect())
}

fn memobase(folder: &Path, conversations: &[Conversation]) -> Recording {
    let file = read(&folder.join("answers/memobase-0.0.37.json"));
    let mut answers = Vec::new();
    for (number, conversation) in conversations.iter().enumerate() {
        let rows = file[number.to_string()].as_array().unwrap();
        for (question, row) in conversation.questions.iter().zip(rows) {
            assert_eq!(question.question, text(&row["question"]));
            answers.push((question.id.clone(), text(&row["response"]), vec![row["llm_score"].as_f64() > Some(0.5)]));
        }
    }
    recording("memobase", answers)
}

/// The cases: all ten conversations with their answerable questions.
pub fn cases(folder: &Path) -> CaseSet {
    let file = read(&folder.join("locomo10.json"));
    let conversations = file.as_array().unwrap().iter().enumerate().map(|(number, value)| conversation(number, value));
    CaseSet { conversations: conversations.collect(), long_replay: None, facts_quota: 400, warnings: Vec::new() }
}

/// The cases with the five honest runs: full context (two models, two prompts) and memobase.
pub fn workspace(folder: &Path) -> Workspace {
    let cases = cases(folder);
    let names = ["gpt-4.1-mini-cot", "gpt-4.1-mini-memos", "gpt-4o-mini-cot", "gpt-4o-mini-memos"];
    let mut recordings: Vec<_> = names.iter().map(|name| full_context(folder, name)).collect();
    recordings.push(memobase(folder, &cases.conversations));
    Workspace::build(Arc::new(cases), AnswerKeys::default(), recordings, Arc::new(NoTokens)).unwrap()
}

/// The cases with some of the sets that have judge votes, by the names of their files.
pub fn graded(folder: &Path, names: &[&str]) -> Workspace {
    let recordings = names.iter().map(|name| judged(folder, name)).collect();
    Workspace::build(Arc::new(cases(folder)), AnswerKeys::default(), recordings, Arc::new(NoTokens)).unwrap()
}

/// The published verdicts on conversations 0 to 4: question id and kind of error.
pub fn known_wrong(folder: &Path) -> HashMap<String, String> {
    let file = read(&folder.join("known-wrong-keys-conv0-4.json"));
    file.as_array().unwrap().iter().map(|row| (text(&row["question_id"]), text(&row["error_type"]))).collect()
}
