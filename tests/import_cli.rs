//! `import` and `open` as a person or a script meets them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn run_in(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recallscope"));
    command.current_dir(folder).env("XDG_CONFIG_HOME", root().join("tests/fixtures")).env("COLUMNS", "100");
    command.args(args).output().unwrap()
}

fn printed(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn complaint(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), words.lines().count()), (Some(2), 1), "{words}");
    words
}

/// A folder with a small LoCoMo, and an answer set over it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root().join("tests/fixtures/import/locomo.json"), folder.path().join("talk.json")).unwrap();
    let answers = "{\"strategy\": \"mine\", \"question_id\": \"locomo_0_qa0\", \"answer\": \"tulips\", \
                   \"lines\": [{\"text\": \"tulips\", \"event\": \"D1:1\"}, \"noise\"]}\n";
    fs::write(folder.path().join("mine.jsonl"), answers).unwrap();
    folder
}

#[test]
fn import_lists_what_was_read_mapped_and_doubtful() {
    let folder = folder();
    let table = printed(folder.path(), &["import", "talk.json"]);
    let row = |what: &str| {
        let line = table.lines().find(|line| line.contains(&format!(" {what} "))).unwrap();
        line.split_whitespace().skip(2).map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("sessions"), "sessions 4 2 2");
    assert_eq!(row("questions"), "questions 8 8 6");
    assert!(table.contains("D9:9 names no turn"), "{table}");
    let json: serde_json::Value =
        serde_json::from_str(&printed(folder.path(), &["import", "auto", "talk.json", "--format", "json"])).unwrap();
    assert_eq!(json[0]["format"], "locomo");
    assert_eq!(json[0]["doubts"].as_array().unwrap().len(), 13);
    assert_eq!(json[0]["doubts"][2]["position"], serde_json::json!([9, 3]));
    assert_eq!(json[0]["doubts"][2]["kind"], "other-answer-type");
}

#[test]
fn import_writes_files_that_open_as_the_same() {
    let folder = folder();
    let at = folder.path();
    printed(at, &["import", "locomo", "talk.json", "-o", "cases.json", "--quota", "55"]);
    assert!(fs::read_to_string(at.join("cases.json")).unwrap().contains("\"facts_quota\": 55"));
    // The case set of the folder is that of the file, and the answers find their questions in it.
    printed(at, &["import", "talk.json", "mine.jsonl", "-o", "out", "--quota", "55"]);
    assert_eq!(fs::read(at.join("out/cases.json")).unwrap(), fs::read(at.join("cases.json")).unwrap());
    let names = |folder: &Path| {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&at.join("out")), ["answers-mine.jsonl", "blocks.jsonl", "cases.json"]);
    printed(at, &["import", "out/cases.json", "-o", "again.json"]);
    assert_eq!(fs::read(at.join("again.json")).unwrap(), fs::read(at.join("cases.json")).unwrap());
    printed(at, &["import", "out/cases.json", "out/answers-mine.jsonl", "out/blocks.jsonl", "-o", "twice"]);
    for name in names(&at.join("out")) {
        let again = if name == "answers-mine.jsonl" { "answers-answers-mine.jsonl" } else { name.as_str() };
        assert_eq!(
            fs::read(at.join("twice").join(again)).unwrap(),
            fs::read(at.join("out").join(&name)).unwrap(),
            "{name}"
        );
    }
    let first = printed(at, &["compare", "talk.json", "mine.jsonl", "--quota", "55", "--format", "json"]);
    let second =
        printed(at, &["compare", "out/blocks.jsonl", "out/cases.json", "out/answers-mine.jsonl", "--format", "json"]);
    assert_eq!(first, second);
}

#[test]
fn a_block_run_is_graded_like_any_strategy() {
    let folder = folder();
    let table = printed(folder.path(), &["compare", "mine.jsonl", "talk.json"]);
    assert!(table.contains("mine"), "{table}");
}

#[test]
fn what_is_missing_or_unknown_is_one_sentence() {
    let folder = folder();
    let at = folder.path();
    let words = complaint(at, &["import", "locmo", "talk.json"]);
    assert!(words.contains("found the format locmo, expected auto or one of cases, recording, jsonl"), "{words}");
    assert!(complaint(at, &["import", "none.json"]).contains("none.json: cannot be read: no such file"));
    assert!(complaint(at, &["import", "locomo"]).contains("found no file behind the format locomo, expected one"));
    fs::write(at.join("odd.json"), "{\"rows\": []}").unwrap();
    let words = complaint(at, &["import", "odd.json"]);
    assert!(words.contains("odd.json: found an object with the fields rows, expected one of: a case set"), "{words}");
    assert!(
        complaint(at, &["import", "talk.json", "-o", "nowhere/x.json"]).contains("cannot be written: no such file")
    );
    fs::write(at.join("bad.json"), "[{\"qa\": [], \"conversation\": {}},\n {\"qa\": 3}]").unwrap();
    assert!(complaint(at, &["import", "bad.json", "-o", "bad-out.json"]).contains("bad.json:2:9: found integer `3`"));
    assert!(!at.join("bad-out.json").exists(), "no half-written file");
    let left: Vec<_> = fs::read_dir(at).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".tmp")), "{left:?}");
}

#[cfg(unix)]
#[test]
fn an_import_that_is_interrupted_leaves_no_file() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_recallscope"))
        .current_dir(folder.path())
        .args(["import", "longmemeval", "-", "-o", "out.json"])
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut made = Vec::new();
    recallscope::import::generate::longmemeval(6, &mut made).unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // More than a pipe holds: the program reads by now.
    stdin.write_all(&made[..made.len() - 100]).unwrap();
    let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), words.as_str()), (Some(130), "stopped: nothing was written\n"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn memories_that_a_format_does_not_have_are_refused() {
    let at = root();
    let words = complaint(&at, &["eval", "longmemeval-slice", "--memories", "observations"]);
    assert!(words.contains(
        "questions.jsonl: found LongMemEval questions and sessions, one a line to be read by other memories"
    ));
    assert!(complaint(&at, &["eval", "--memories", "sessions"]).contains("expected turns, which are its events"));
}

#[test]
fn the_bundled_slice_opens_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let table = printed(at, &["open", "longmemeval-slice"]);
    assert!(table.contains("16 questions, facts quota 4000 tokens"), "{table}");
    assert!(table.contains("recency_window"), "{table}");
    let table = printed(at, &["eval", "longmemeval-slice", "--quota", "500", "--memories", "sessions"]);
    assert!(table.contains("16 questions, facts quota 500 tokens"), "{table}");
    assert!(printed(at, &["open", "bundled"]).contains("10 questions"));
}

#[test]
fn a_file_that_is_nothing_is_told_so_beside_a_case_set() {
    let folder = folder();
    fs::write(folder.path().join("notes.md"), "# Notes\n").unwrap();
    let words = complaint(folder.path(), &["eval", "notes.md"]);
    assert!(words.contains("notes.md:1:1: this is not JSON"), "{words}");
    let words = complaint(folder.path(), &["talk.json", "notes.md"]);
    assert!(words.contains("notes.md") && !words.contains("case set beside"), "{words}");
}

#[cfg(unix)]
#[test]
fn files_that_give_their_bytes_once_are_read_once() {
    let folder = folder();
    let script = r#"mkfifo a b || exit 9; cat talk.json >a & cat mine.jsonl >b & exec "$0" a b"#;
    let output = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_recallscope")])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let piped = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(piped.contains("mine"), "{piped}");
    let named = printed(folder.path(), &["talk.json", "mine.jsonl"]);
    assert_eq!(piped.lines().count(), named.lines().count(), "{piped}\n{named}");
}

#[test]
fn attributes_are_those_of_the_memories_that_were_asked_for() {
    let folder = folder();
    let turns = printed(folder.path(), &["attributes", "talk.json", "--from-facts"]);
    let sessions = printed(folder.path(), &["attributes", "talk.json", "--memories", "sessions", "--from-facts"]);
    assert!(turns.contains("\"D1:1\"") && !turns.contains("\"D1\""), "{turns}");
    assert!(sessions.contains("\"D1\"") && !sessions.contains("D1:"), "{sessions}");
}
