//! Causes, provenance and decisions from the command line.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

struct Ran {
    code: i32,
    out: String,
    err: String,
}

/// Runs recallscope in a folder, with a settings folder of its own.
fn run(folder: &Path, args: &[&str]) -> Ran {
    let mut command = Command::cargo_bin("recallscope").unwrap();
    let output = command.current_dir(folder).env("XDG_CONFIG_HOME", folder.join("config")).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

fn json(ran: &Ran) -> Value {
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn recorded(name: &str) -> String {
    format!("{}/recordings/{name}", env!("CARGO_MANIFEST_DIR"))
}

const DESK: [&str; 7] = [
    "decide",
    "Who approves my desk order?",
    "key-wrong",
    "--reason",
    "A manager is no approver.",
    "--triage",
    "triage.json",
];

#[test]
fn from_a_decision_to_three_totals() {
    let folder = tempfile::tempdir().unwrap();
    let decided = run(folder.path(), &DESK);
    assert_eq!((decided.code, decided.out.as_str()), (0, "decide bob/2: key: key wrong (unknown)\n"));
    assert_eq!(
        decided.err,
        "warning: the decision is signed \"unknown\": name its author with --author NAME, or with author = \"NAME\" in \
         the settings file\n"
    );
    let totals = &json(&run(folder.path(), &["grade", "--triage", "triage.json", "--format", "json"]))["totals"];
    assert_eq!(totals["as_recorded"]["managed-all"]["answers"], 50);
    assert_eq!(totals["undisputed"]["managed-relevant"]["recall"], 0.625);
    let causes = json(&run(folder.path(), &["causes", "--triage", "triage.json", "--format", "json"]));
    assert_eq!(causes["totals"]["append-all"]["faulty_key"], 5);
    assert_eq!(causes["totals"]["managed-relevant"]["missing"], 15);
    for format in ["table", "csv", "markdown"] {
        let ran = run(folder.path(), &["causes", "--triage", "triage.json", "--format", format]);
        assert!(ran.code == 0 && ran.out.contains("unknown decided \u{201c}key wrong\u{201d}"), "{}", ran.out);
        let ran = run(folder.path(), &["grade", "--triage", "triage.json", "--format", format]);
        assert!(ran.code == 0 && ran.out.contains("0.765"), "{}", ran.out);
    }
}

#[test]
fn without_decisions_the_grades_are_the_historical_ones() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run(folder.path(), &["grade", "--format", "json"]);
    assert_eq!(ran.out.trim_end(), std::fs::read_to_string(recorded("answer-grades.json")).unwrap());
    assert_eq!(ran.err, "");
}

#[test]
fn the_author_comes_from_the_command_line_or_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("config").join("recallscope");
    std::fs::create_dir_all(&settings).unwrap();
    std::fs::write(settings.join("config.toml"), "author = \"Ada\"\n").unwrap();
    let ran = run(folder.path(), &DESK);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("decide bob/2: key: key wrong (Ada)\n", ""));
    let ran = run(folder.path(), &[&DESK[..], &["--author", "Bo"]].concat());
    assert_eq!(ran.out, "decide bob/2: key: key wrong (Bo)\n");
    let ran = run(folder.path(), &[&DESK[..], &["--withdraw"]].concat());
    assert_eq!(ran.out, "withdraw bob/2: key: key wrong (Ada)\n");
    let list = run(folder.path(), &["decisions", "--format", "jsonl"]);
    let states: Vec<Value> = list.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let states: Vec<&str> = states.iter().map(|entry| entry["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["past", "stands", "withdrawal"]);
    let list = run(folder.path(), &["decisions", "--format", "markdown"]);
    assert!(
        list.out
            .contains("## bob/2: Who approves my desk order?\n\n* **key wrong** (decide, past) on the key: A manager")
    );
    assert!(run(folder.path(), &["decisions"]).out.contains("A manager is no approver."));
}

#[test]
fn a_conflict_is_said_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &[&DESK[..], &["--author", "Ada"]].concat());
    let mut other = [&DESK[..], &["--author", "Bo"]].concat();
    other[2] = "key-right";
    let ran = run(folder.path(), &other);
    assert_eq!(ran.code, 0);
    assert!(
        ran.err.contains(
            "conflict, none is applied: Ada says \u{201c}key wrong\u{201d}, Bo says \u{201c}key right\u{201d}"
        )
    );
    let graded = json(&run(folder.path(), &["grade", "--triage", "triage.json", "--format", "json"]));
    assert_eq!(graded["remarks"].as_array().unwrap().len(), 1);
    assert_eq!(graded["totals"]["undisputed"]["managed-all"]["answers"], 45);
}

#[test]
fn a_pattern_is_corrected_or_refused_with_its_column() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run(folder.path(), &[&DESK[..], &["--pattern", "Priya=(stored notes"]].concat());
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.err,
        "error: found the pattern \"(stored notes\" for \"Priya\", expected a regular expression: column 1: unclosed group\n"
    );
    assert!(!folder.path().join("triage.json").exists());
    run(folder.path(), &[&DESK[..], &["--pattern", "Priya=stored notes", "--author", "Ada"]].concat());
    let graded = json(&run(folder.path(), &["grade", "--triage", "triage.json", "--format", "json"]));
    let pass = |strategy: &str| graded["totals"]["corrected"][strategy]["pass"].clone();
    assert_eq!([pass("managed-all"), pass("managed-relevant"), pass("append-all")], [45, 35, 30]);
    assert_eq!(graded["moved"].as_array().unwrap().len(), 15);
}

#[test]
fn provenance_is_a_gate() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run(folder.path(), &["provenance", "--format", "json"]);
    assert_eq!(json(&ran)["recordings"][0]["template_tokens"], 14);
    let cases: Value = serde_json::from_str(&run(folder.path(), &["generate"]).out).unwrap();
    let mut changed = cases;
    changed["facts_quota"] = 60.into();
    std::fs::write(folder.path().join("small.json"), changed.to_string()).unwrap();
    let answers = recorded("answer-result.json");
    let ran = run(folder.path(), &["provenance", "small.json", "--answers", &answers]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("this answer was not made from this block"));
    assert!(ran.err.contains("OFF: "));
    // The summary says it too, and so do the causes and the grades, on standard error.
    assert!(run(folder.path(), &["small.json", "--answers", &answers]).out.contains("OFF: "));
    assert!(run(folder.path(), &["causes", "small.json", "--answers", &answers]).err.contains("OFF: "));
    assert!(run(folder.path(), &["grade", &answers, "--cases", "small.json"]).err.contains("OFF: "));
    assert!(run(folder.path(), &[]).out.contains("reproduced: 150 of 150 prompts are the request and 14 tokens"));
}

#[test]
fn a_repaired_case_is_a_new_file_that_opens() {
    let folder = tempfile::tempdir().unwrap();
    let event = "25 remember approver Omar approves my desk orders.";
    let args = ["repair", "bob/2", "--event", event, "-o", "new.json"];
    let ran = run(folder.path(), &args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        ran.out,
        "added at turn 25: Omar approves my desk orders.\nwrote new.json; open it with: recallscope new.json\n"
    );
    let eval = json(&run(folder.path(), &["eval", "new.json", "--format", "json"]));
    assert_eq!(eval["questions"]["managed-relevant"][0]["sent"], 2);
    let text = std::fs::read_to_string(folder.path().join("new.json")).unwrap();
    let again = run(folder.path(), &args);
    assert_eq!(again.code, 2);
    assert_eq!(again.err, "error: new.json: cannot be written: it is there already, expected a new file\n");
    assert_eq!(std::fs::read_to_string(folder.path().join("new.json")).unwrap(), text);
    let ran =
        run(folder.path(), &["repair", "bob/2", "--event", "23 remember manager My manager is Ana.", "-o", "b.json"]);
    assert!(ran.out.starts_with("changed at turn 23: My manager is Priya. -> My manager is Ana.\n"));
    assert!(ran.err.contains("no event of bob said the required fact \"manager is Priya\""), "{}", ran.err);
}

#[test]
fn wrong_usage_is_code_two_with_words() {
    let folder = tempfile::tempdir().unwrap();
    let error = |args: &[&str]| {
        let ran = run(folder.path(), args);
        assert_eq!(ran.code, 2, "{}", ran.out);
        ran.err
    };
    assert!(error(&["causes", "--triage", "no.json"]).contains("no.json: cannot be read: no such file"));
    assert!(
        error(&["decide", "bob/2", "kee-wrong", "--reason", "x", "--triage", "t.json"])
            .contains("did you mean `key-wrong`?")
    );
    assert!(
        error(&["decide", "bob/7", "key-wrong", "--reason", "x", "--triage", "t.json"])
            .contains("expected the id or the words")
    );
    assert!(
        error(&["decide", "bob/2", "key-wrong", "--reason", "x", "--triage", "-"])
            .contains("a file that can be written")
    );
    assert!(error(&["repair", "bob/2", "--event", "soon", "-o", "x.json"]).contains("nothing follows the turn"));
    assert!(error(&["causes", "-", "--triage", "-"]).contains("`-` stands 2 times"));
    std::fs::write(folder.path().join("t.json"), "[{\"question\": 3}]").unwrap();
    assert!(error(&["causes", "--triage", "t.json"]).starts_with("error: t.json:1:15: [0].question: found"));
}

#[test]
fn the_summary_shows_the_three_totals_once_something_is_decided() {
    let folder = tempfile::tempdir().unwrap();
    let triage = folder.path().join("triage.json");
    let program = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_recallscope"));
        command.current_dir(folder.path());
        command
    };
    let before = String::from_utf8(program().output().unwrap().stdout).unwrap();
    assert!(!before.contains("with the decisions of"), "{before}");
    let reason = ["--reason", "No note says who approves.", "--author", "ada", "--triage"];
    let decided = program().args(["decide", "bob/2", "key-wrong"]).args(reason).arg(&triage).output().unwrap();
    assert!(decided.status.success(), "{decided:?}");
    let after = String::from_utf8(program().output().unwrap().stdout).unwrap();
    assert!(after.starts_with(&before), "{after}");
    assert!(after.contains("with the decisions of triage.json:"), "{after}");
    assert!(after.contains("undisputed      40/45"), "{after}");
}
