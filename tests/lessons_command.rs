//! `lessons`, by the real binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};

fn run(arguments: &[&str]) -> Output {
    Command::cargo_bin("recallscope").unwrap().arg("lessons").args(arguments).output().unwrap()
}

fn out(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn parsed(arguments: &[&str]) -> Value {
    serde_json::from_str(&out(&[arguments, &["--format", "json"]].concat())).unwrap()
}

fn error(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

const SIMPLE: [&str; 2] = ["--curriculum", "simple gate"];

#[test]
fn all_curricula_are_listed() {
    let csv = out(&["--format", "csv"]);
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "curriculum,train,held-out,support,first,last,promoted,blocked");
    assert_eq!(rows[1], "lessons earn promotion,6,3,1,0.500,1.000,3,0");
    assert_eq!(rows[2], "support of two on thin evidence,6,3,2,0.500,0.500,0,15");
    assert_eq!(rows.last().unwrap(), &"regression gate,9,6,2,0.556,0.889,3,2");
    assert_eq!(rows.len(), 7);
    assert!(out(&[]).contains("the same case twice is no support"));
    let listed = parsed(&[]);
    assert_eq!(listed["curricula"][5]["regression"], 8);
    assert_eq!(listed["curricula"][0]["holds"], true);
}

#[test]
fn one_curriculum_is_shown_with_curve_log_and_policy() {
    let text = out(&["--curriculum", "regression gate"]);
    let row = |needle: &str| text.lines().find(|line| line.contains(needle)).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(row("0.556"), "      0  0.556 ███████████░░░░░░░░░");
    assert!(text.contains("cases: 9 train, 6 held-out, 3 negative, 8 regression; support 2"), "{text}");
    let blocked = row("BLOCK");
    assert!(blocked.contains("2 solved case broken") && blocked.contains(" vip "), "{text}");
    let order: Vec<usize> = ["lesson fraud refund", "lesson password vip", "base refund", "otherwise"]
        .map(|rule| text.find(rule).unwrap())
        .into();
    assert!(order.is_sorted(), "{text}");
    assert!(text.contains("curve and log are what the file expects"), "{text}");
    let json = parsed(&["--curriculum", "regression"]);
    assert_eq!(json["log"][3]["promoted"], false);
    assert_eq!(json["log"][3]["failed"], json!(["2 solved case broken"]));
    assert_eq!(json["log"][3]["report"], "held-out 2/2 fixed, 0 negative misfire, 2 solved case broken");
    assert_eq!(json["policy"]["lessons"].as_array().unwrap().len(), 3);
    assert_eq!(json["curve"].as_array().unwrap().len(), 5);
    let csv = out(&["--curriculum", "regression", "--format", "csv"]);
    assert!(csv.starts_with("episode,decision,lesson,route,report,failed\n0,PROMOTE,fraud refund,FRAUD,"), "{csv}");
}

#[test]
fn a_case_is_decided_before_and_after() {
    let csv = out(&[&SIMPLE[..], &["--case", "vip crash", "--format", "csv"]].concat());
    assert_eq!(
        csv,
        "policy,rule,route\nbefore the lessons,base crash,ENGINEERING\nafter the last episode,lesson vip,PRIORITY\n"
    );
    let commas = out(&[&SIMPLE[..], &["--case", "vip, crash", "--format", "csv"]].concat());
    assert_eq!(commas, csv);
    let back = out(&[&SIMPLE[..], &["--case", "crash vip", "--roll-back", "vip"]].concat());
    assert!(back.contains("case: crash vip") && back.contains("after the rollback"), "{back}");
    let last = back.lines().last().unwrap();
    assert!(last.contains("base crash") && last.contains("ENGINEERING"), "{back}");
    let output = run(&[&SIMPLE[..], &["--case", "refunt"]].concat());
    let warned = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && warned.contains("\"refunt\"; did you mean \"refund\"?"), "{warned}");
    let known = run(&[&SIMPLE[..], &["--case", "refund"]].concat());
    assert!(known.stderr.is_empty());
}

#[test]
fn a_rollback_is_rehearsed() {
    let text = out(&[&SIMPLE[..], &["--roll-back", "vip"]].concat());
    assert!(text.contains("rollback of the lesson vip to PRIORITY, rehearsed"), "{text}");
    assert!(text.contains("become wrong: 1; become right: 2"), "{text}");
    assert!(text.contains("tried again, it would be: PROMOTE (held-out 2/2 fixed, 0 negative misfire)"), "{text}");
    assert!(!text.contains("lesson vip\n") && text.contains("lesson password vip"), "{text}");
    let csv = out(&[&SIMPLE[..], &["--roll-back", "vip", "--format", "csv"]].concat());
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "case,of,before,after,right route,becomes");
    assert!(rows.contains(&"vip,train,PRIORITY,GENERAL,PRIORITY,WRONG"), "{csv}");
    assert!(rows.contains(&"crash vip,train,PRIORITY,ENGINEERING,ENGINEERING,right"), "{csv}");
    assert_eq!(rows.len(), 4);
    let json = parsed(&[&SIMPLE[..], &["--roll-back", "vip"]].concat());
    assert_eq!(json["rollback"]["policy"]["lessons"].as_array().unwrap().len(), 3);
    assert_eq!(json["rollback"]["rerouted"][0]["uses"], json!(["train"]));
}

#[test]
fn a_file_of_ones_own_is_read_and_what_is_wrong_in_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.json");
    let file = path.to_str().unwrap();
    let hostile = r#"{"scenarios": [{"name": "own\u001b[2J", "about": "a\nb\u202e", "input": {"base": [], "otherwise": "DOCTOR",
 "episodes": 2, "train": [[["fever", "cough"], "LUNG\u001b"]], "held_out": [[["fever", "cough", "child"], "LUNG\u001b"]], "negatives": []}}]}"#;
    std::fs::write(&path, hostile).unwrap();
    for arguments in [&[file][..], &[file, "--case", "fever cough"], &[file, "--roll-back", "cough fever"]] {
        let text = out(arguments);
        assert!(text.contains("LUNG") && !text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
    assert!(out(&[file]).contains("PROMOTE"), "the only curriculum of a file needs no name");
    assert!(!out(&[file]).contains("the file expects"));
    std::fs::write(&path, hostile.replace("\"episodes\": 2", "\"episodes\": \"two\"")).unwrap();
    let wrong = error(&[file]);
    assert!(
        wrong.contains("own.json:2:14:") && wrong.contains("found string \"two\", expected a whole number"),
        "{wrong}"
    );
}

#[test]
fn what_is_not_there_is_an_error_with_what_is() {
    let unknown = error(&["--curriculum", "nothing"]);
    assert!(
        unknown.contains("found no curriculum \"nothing\", expected one of: \"lessons earn promotion\""),
        "{unknown}"
    );
    let several = error(&["--curriculum", "support of two"]);
    assert!(several.contains("found several curricula that begin with \"support of two\""), "{several}");
    let unnamed = error(&["--case", "crash"]);
    assert!(unnamed.contains("found 6 curricula, expected --curriculum with one of: \"lessons earn"), "{unnamed}");
    let lesson = error(&[&SIMPLE[..], &["--roll-back", "crash"]].concat());
    assert!(lesson.contains("found no promoted lesson \"crash\", expected one of: \"fraud refund\", "), "{lesson}");
    let none = error(&["--curriculum", "the same case", "--roll-back", "crash"]);
    assert!(none.contains("none was promoted"), "{none}");
    assert!(error(&[&SIMPLE[..], &["--case", " "]].concat()).contains("found a case without a keyword"));
    assert!(error(&["nowhere.json"]).contains("nowhere.json: cannot be read: no such file"));
}
