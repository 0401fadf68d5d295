//! `recallscope abilities`: the printed tables come from real runs, the gate from the floors of the file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use assert_cmd::Command;
use serde_json::Value;

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

fn abilities(args: &[&str], input: &str) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recallscope"));
    let output = command.arg("abilities").args(args).write_stdin(input).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn json(args: &[&str]) -> Value {
    let said = abilities(&[args, &["--format", "json"]].concat(), "");
    serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}{}", said.out, said.err))
}

#[test]
fn both_tables_are_what_the_fixture_expects() {
    let fixture: Value = serde_json::from_str(recallscope::bundled::governed().text()).unwrap();
    let scenario =
        |name: &str| fixture["scenarios"].as_array().unwrap().iter().find(|s| s["name"] == name).unwrap().clone();
    let matched = scenario("cost-matched comparison");
    let mut seen = 0;
    for (outcome, expected) in matched["expect"].as_object().unwrap() {
        let (system, budget) = outcome.rsplit_once(" at ").unwrap();
        let report = json(&["--suite", "cost", "--budget", budget]);
        let name = if system == "transcript" { "transcript-only" } else { system };
        let systems = report[0]["systems"].as_array().unwrap();
        let row = systems.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}"));
        if let Some(tokens) = expected.get("tokens_per_query").and_then(Value::as_f64) {
            assert!((row["tokens_per_query"].as_f64().unwrap() - tokens).abs() < 0.005, "{outcome}: {row}");
            seen += 1;
        }
    }
    let five = json(&["--suite", "five"]);
    let averages: Vec<f64> = (0..3).map(|at| five[0]["systems"][at]["average"].as_f64().unwrap()).collect();
    assert_eq!(averages, [0.4, 0.2, 1.0]);
    assert!(seen > 0 || matched["expect"].as_object().unwrap().values().all(|e| e.get("tokens_per_query").is_none()));
}

#[test]
fn the_gate_fails_where_a_floor_is_not_reached() {
    assert_eq!(abilities(&["--gate"], "").code, Some(0));
    // A budget in which no record fits leaves the store without an answer.
    let tight = abilities(&["--gate", "--suite", "cost", "--budget", "6"], "");
    assert_eq!(tight.code, Some(1), "{}", tight.out);
    assert!(tight.out.contains("GATE FAILED: the governed store is below update 0.00 of 0.90"), "{}", tight.out);
    assert_eq!(abilities(&["--suite", "cost", "--budget", "6"], "").code, Some(0), "only the gate sets the exit code");
}

#[test]
fn every_probe_of_every_system_is_a_row() {
    let csv = abilities(&["--probes", "--suite", "five", "--format", "csv"], "");
    let systems = json(&["--suite", "five"])[0]["systems"].as_array().unwrap().len();
    assert_eq!(csv.out.lines().count(), 1 + 5 * systems);
    assert!(csv.out.starts_with("suite,budget,ability,question"), "{}", csv.out);
    assert!(
        csv.out.contains("five abilities,128,deletion,what is my home city?,acme/mina,,no answer,transcript-only,")
    );
}

#[test]
fn a_file_of_ones_own_is_tried_and_a_floor_that_must_not_fall_is_refused() {
    let file = |floor: &str| {
        format!(
            "{{\"scenarios\": [{{\"name\": \"cost-matched comparison\", \"input\": {{\"budgets\": [64],\n\
             \"facts\": [[\"city\", \"Oslo\", [\"a\", \"m\"], 1]], \"log\": [], \"floors\": {{\"isolation\": {floor}}},\n\
             \"cases\": [[\"update\", \"my city?\", [\"a\", \"m\"], null, \"Oslo\"],\n\
             [\"deletion\", \"my city?\", [\"a\", \"m\"], null, null]]}}}}]}}"
        )
    };
    let own = abilities(&["-", "--format", "csv"], &file("1"));
    assert_eq!(own.code, Some(0), "{}", own.err);
    assert!(own.out.contains("cost-matched comparison,64,governed,1.00,–,–,–,1.00,1.00"), "{}", own.out);
    let low = abilities(&["-"], &file("0.5"));
    assert_eq!(low.code, Some(2));
    assert!(low.err.contains("this floor is not negotiable") && low.err.contains(":2:"), "{}", low.err);
    let unknown = abilities(&["--suite", "speed"], "");
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.err.contains("expected one of: \"five abilities\", \"cost-matched comparison\""),
        "{}",
        unknown.err
    );
}
