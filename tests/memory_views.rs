//! `memory timeline` and `memory lineage`, and `--memory` of the explorer, by the real binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use recallscope::governed::scenario::Scenarios;
use recallscope::governed::{Candidate, Kind, Scope, Source, Store};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::cargo_bin("recallscope").unwrap().current_dir(folder).args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn remember(folder: &Path, arguments: &[&str]) {
    let all: Vec<&str> = ["memory", "--user", "mina"].iter().chain(arguments).copied().collect();
    out(&run(folder, &all));
}

/// Munich from 10; Berlin from 18, learned at 30.
fn moved(folder: &Path) {
    remember(folder, &["remember", "home city", "Munich", "--evidence", "t1", "--time", "10", "--now", "10"]);
    remember(folder, &["remember", "home city", "Berlin", "--evidence", "t3", "--time", "18", "--now", "30"]);
}

#[test]
fn a_timeline_is_drawn_listed_and_told_as_json_and_csv() {
    let folder = tempfile::tempdir().unwrap();
    moved(folder.path());
    let bytes = std::fs::read(folder.path().join("memory.sqlite")).unwrap();
    let text = out(&run(folder.path(), &["memory", "--user", "mina", "timeline"]));
    let lane = text.lines().find(|line| line.starts_with("home city ") && line.contains('▶')).unwrap();
    assert!(lane.contains("├Munich") && lane.ends_with("┣━▶"), "{text}");
    assert!(text.contains("Berlin   active"), "{text}");
    let early = out(&run(folder.path(), &["memory", "--user", "mina", "timeline", "home city", "--known-at", "20"]));
    assert!(early.contains("Munich") && !early.contains("Berlin"), "{early}");
    let json = out(&run(folder.path(), &["memory", "--user", "mina", "timeline", "--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["versions"][0]["span"], serde_json::json!({"from": 10, "to": 18}));
    assert_eq!(json["versions"][1]["state"], "active");
    let csv = out(&run(folder.path(), &["memory", "--user", "mina", "timeline", "--format", "csv"]));
    assert!(csv.starts_with("key,value,state,from,to,recorded,source,owner,id\nhome city,Munich,superseded,10,18,10,"));
    assert_eq!(std::fs::read(folder.path().join("memory.sqlite")).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside the file");
}

#[test]
fn a_lineage_is_a_tree() {
    let folder = tempfile::tempdir().unwrap();
    let read = Scenarios::load(&recallscope::bundled::governed()).unwrap();
    let scenario = read.scenarios.iter().find(|s| s.name == "deletion of one of three contributors").unwrap();
    let mut store = Store::open(&folder.path().join("memory.sqlite")).unwrap();
    for step in scenario.steps.iter().take(8) {
        step.operation.run(&mut store).unwrap();
    }
    drop(store);
    let of = |arguments: &[&str]| {
        let all: Vec<&str> =
            ["memory", "--tenant", "acme", "--user", "mina", "lineage"].iter().chain(arguments).copied().collect();
        run(folder.path(), &all)
    };
    let text = out(&of(&["a03b631248c8"]));
    assert!(text.contains("  ├─ 4858c574e99f refund case = receipts one to three attached, closed"), "{text}");
    assert!(text.contains("(another user's)") && !text.contains("three receipts sent"), "{text}");
    assert!(text.ends_with("derived from it: nothing\n"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&out(&of(&["4858c574e99f", "--format", "json"]))).unwrap();
    assert_eq!(json["below"].as_array().unwrap().len(), 4);
    assert!(out(&of(&["4858c574e99f", "--format", "csv"])).contains("derived,1,a03b631248c8,refund skill,"));
    let wrong = of(&["b7b3bc2bdeba"]);
    assert_eq!(wrong.status.code(), Some(2), "it is li's");
    assert!(
        String::from_utf8_lossy(&wrong.stderr).contains("found no record \"b7b3bc2bdeba\" that acme/mina may read")
    );
}

#[test]
fn hostile_text_is_printed_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("memory.sqlite")).unwrap();
    let hostile = "\u{1b}]0;owned\u{7}\u{202e}x\ny";
    let candidate = Candidate {
        key: hostile.into(),
        value: hostile.into(),
        scope: Scope::new("local", Some("mina".into())).unwrap(),
        evidence: hostile.into(),
        time: i64::MIN,
        kind: Kind::Semantic,
        source: Source::User,
        confidence: 1.0,
        ttl: None,
    };
    let id = store.write(&candidate, Some(i64::MAX), None).unwrap().id.unwrap();
    drop(store);
    for arguments in [&["timeline"][..], &["timeline", "--format", "markdown"], &["lineage", &id]] {
        let all: Vec<&str> = ["memory", "--user", "mina"].iter().chain(arguments).copied().collect();
        let text = out(&run(folder.path(), &all));
        assert!(text.contains("owned") && !text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn what_cannot_be_looked_at_is_an_error_with_code_2() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.txt"), "these are no rows of a database\n".repeat(80)).unwrap();
    let show = ["show", "--pane", "store", "--memory"];
    for (arguments, said) in [
        (vec!["--memory", "nowhere.sqlite"], "nowhere.sqlite: cannot be read: no such file"),
        (vec!["--memory", "notes.txt"], "file is not a database"),
        (vec!["open", "--memory", "nowhere.sqlite"], "nowhere.sqlite: cannot be read: no such file"),
        ([&show[..], &["notes.txt"]].concat(), "file is not a database"),
        (vec!["memory", "timeline"], "memory.sqlite: cannot be read: no such file"),
        (vec!["memory", "--store", "notes.txt", "lineage", "x"], "file is not a database"),
    ] {
        let output = run(folder.path(), &arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(said) && error.starts_with("error: "), "{arguments:?}: {error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_explorer_shows_a_file_and_leaves_it_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    moved(folder.path());
    let bytes = std::fs::read(folder.path().join("memory.sqlite")).unwrap();
    let press = "a \"home city\" enter tab tab left left p left D ] ] ]";
    let show = ["show", "--pane", "store", "--memory", "memory.sqlite", "--press", press];
    let screen = out(&run(folder.path(), &show));
    assert!(screen.contains("file memory.sqlite") && screen.contains("reads as local/mina"), "{screen}");
    assert!(screen.contains("Forget me") && screen.contains("Complete: nothing is open."), "{screen}");
    assert_eq!(std::fs::read(folder.path().join("memory.sqlite")).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside the file");
}
