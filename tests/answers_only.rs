//! Strategies known only by their answers: nothing is said of blocks that nobody knows, and their answers are compared.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use common::{app_on, drive, settings, text};
use recallscope::open::Inputs;
use recallscope::tokens::GemmaCounter;
use recallscope::tui::PaneKind;
use recallscope::workspace::Workspace;

const WIDE: (u16, u16) = (120, 40);

const CASES: &str = r#"{"facts_quota": 120, "conversations": [{"user": "ann", "events": [
  {"turn": 1, "op": "remember", "text": "I eat fish.", "attribute": "diet", "id": "e1"},
  {"turn": 2, "op": "remember", "text": "I run at dawn.", "attribute": "sport", "id": "e2"}],
 "questions": [
  {"id": "q1", "question": "What do I eat?", "answer": "fish", "required": [{"event": "e1"}], "stale": [], "forgotten": []},
  {"id": "q2", "question": "When do I run?", "answer": "dawn", "required": [{"event": "e2"}], "stale": [], "forgotten": []},
  {"id": "q3", "question": "Do I swim?", "answer": "no", "required": [], "stale": [], "forgotten": []}]}]}"#;

/// Of two systems: one knows of two things, the other of one.
fn files(folder: &tempfile::TempDir) -> (PathBuf, PathBuf) {
    let line = |strategy: &str, question: &str, pass: bool| {
        let strategy = format!("whole-context-model-{strategy}");
        let answer = serde_json::json!({
            "strategy": strategy, "question_id": question, "answer": "x", "judge": [pass]
        });
        format!("{answer}\n")
    };
    let lines = [("one", "q1", true), ("one", "q2", true), ("one", "q3", false)].into_iter().chain([
        ("two", "q1", true),
        ("two", "q2", false),
        ("two", "q3", false),
    ]);
    let answers: String = lines.map(|(strategy, question, pass)| line(strategy, question, pass)).collect();
    let paths = (folder.path().join("cases.json"), folder.path().join("answers.jsonl"));
    std::fs::write(&paths.0, CASES).unwrap();
    std::fs::write(&paths.1, answers).unwrap();
    paths
}

fn workspace(folder: &tempfile::TempDir) -> Workspace {
    let (cases, answers) = files(folder);
    let inputs = Inputs {
        cases: Some(cases),
        answers: vec![answers],
        strategies: vec!["recency".to_owned()],
        ..Inputs::default()
    };
    Workspace::open(&inputs, Arc::new(GemmaCounter)).unwrap()
}

fn run(args: &[&str], folder: &tempfile::TempDir) -> (i32, String) {
    let (cases, answers) = files(folder);
    let output = Command::new(env!("CARGO_BIN_EXE_recallscope"))
        .args(args)
        .args([&cases, &answers])
        .args(["--strategy", "recency"])
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn tables_leave_what_is_not_known_empty() {
    let folder = tempfile::tempdir().unwrap();
    let (code, printed) = run(&["open"], &folder);
    assert_eq!(code, 0);
    let row = |name: &str| -> Vec<String> {
        let line = printed.lines().find(|line| line.trim_start().starts_with(name)).expect(name);
        line.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(
        row("whole-context-model-one"),
        ["whole-context-model-one", "-", "-", "-", "-", "-", "-", "-", "2", "1", "0", "-"]
    );
    assert_eq!(row("recency").last().unwrap(), "ok");
}

#[test]
fn compare_holds_answers_against_answers_and_nothing_against_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let baseline = ["--baseline", "whole-context-model-one"];
    let (_, printed) = run(&[&["compare"][..], &baseline].concat(), &folder);
    assert!(
        printed.contains("whole-context-model-two passes 1 answer fewer than whole-context-model-one"),
        "{printed}"
    );
    assert!(printed.contains("recency cannot be compared with whole-context-model-one"), "{printed}");
    assert!(!printed.contains("tokens fewer"), "{printed}");

    let (_, printed) = run(&[&["compare", "--questions", "--format", "csv"][..], &baseline].concat(), &folder);
    let rows: Vec<&str> = printed.lines().skip(1).collect();
    assert_eq!(rows, ["whole-context-model-two,ann,q2,When do I run?,,,,,,0,,,,,1,1 answer fewer passes"]);

    let (_, printed) = run(&[&["compare", "--format", "json"][..], &baseline].concat(), &folder);
    let report: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let one = &report["strategies"]["whole-context-model-one"];
    assert_eq!((one["gate"].as_str(), &one["measures"]["stale_lines"]), (Some("unknown"), &serde_json::Value::Null));
    assert_eq!(one["measures"]["pass"], 2);
}

#[test]
fn the_map_sets_pips_under_names_that_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut app = app_on(workspace(&folder), PaneKind::Overview, settings());
    let screen = text(&drive(&mut app, "right", (80, 30)));
    let lines: Vec<&str> = screen.lines().collect();
    let head = lines.iter().position(|line| line.contains("…one")).expect(&screen);
    assert!(lines[head].contains("…two"), "{screen}");
    let column = |line: &str, what: &str| line.split(what).next().unwrap().chars().count();
    let first = lines[head + 1];
    assert!(first.contains("What do I eat?"), "{screen}");
    assert_eq!(column(lines[head], "…one"), column(first, "●"), "{screen}");
    assert!(screen.contains("The answer passes. What was sent with the question is not known."), "{screen}");
    let measures = lines.iter().find(|line| line.contains("whole-context-model-one")).unwrap();
    assert!(measures.contains('-') && !measures.contains("0/0"), "{screen}");
}

#[test]
fn the_question_pane_says_that_only_answers_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let mut app = app_on(workspace(&folder), PaneKind::Overview, settings());
    let screen = text(&drive(&mut app, "right enter", WIDE));
    assert!(screen.contains("Only answers are known of this strategy, not what was sent"), "{screen}");
    assert!(screen.contains("Memory block  not known") && screen.contains("Facts  not known"), "{screen}");
    for wrong in ["needs no fact", "0 of 0", "no line was sent", "lists no facts"] {
        assert!(!screen.contains(wrong), "{wrong}: {screen}");
    }
    let screen = text(&drive(&mut app, "5", WIDE));
    assert!(screen.contains("What was sent with the question is not known"), "{screen}");
    let screen = text(&drive(&mut app, "3 b", WIDE));
    assert!(screen.contains("blocks not known"), "{screen}");
    assert!(screen.contains("1 question of 3 differs"), "{screen}");
}

#[test]
fn the_prompt_of_another_system_is_not_held_against_a_request_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let (cases, answers) = files(&folder);
    let line = |question: &str, tokens: usize| {
        let sent = serde_json::json!({
            "strategy": "mine", "question_id": question, "lines": [{"text": "I eat fish.", "event": "e1"}],
            "answer": "fish", "judge": [true], "prompt_tokens": tokens, "latency_ms": 38.5, "cost_usd": 0.0012
        });
        format!("{sent}\n")
    };
    std::fs::write(&answers, line("q1", 412) + &line("q2", 99) + &line("q3", 7)).unwrap();
    let inputs = Inputs { cases: Some(cases), answers: vec![answers], ..Inputs::default() };
    let workspace = Workspace::open(&inputs, Arc::new(GemmaCounter)).unwrap();
    let provenance = recallscope::provenance::Provenance::of(&workspace);
    assert_eq!((provenance.off_count(), provenance.recordings[0].compared), (0, 0));
    assert!(provenance.lines()[0].contains("nothing to compare"), "{:?}", provenance.lines());
    let mut app = app_on(workspace, PaneKind::Answers, settings());
    let screen = text(&drive(&mut app, "", (160, 40)));
    assert!(screen.contains("I eat fish."), "{screen}");
    assert!(screen.contains("Sent by another system"), "{screen}");
    let all = text(&drive(&mut app, "z", (160, 80)));
    let recorded = text(&drive(&mut app, "z tab z", (160, 80))) + &all;
    assert!(recorded.contains("38.5 ms") && recorded.contains("0.001200 dollars"), "{recorded}");
    assert!(!screen.contains("Stored notes about this user"), "these words are not theirs: {screen}");
}
