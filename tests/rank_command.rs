//! `recallscope rank`: its words, its files and its bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use assert_cmd::Command;
use serde_json::Value;

fn rank(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("recallscope").unwrap();
    command.arg("rank").args(arguments);
    command
}

fn printed(arguments: &[&str]) -> String {
    String::from_utf8(rank(arguments).assert().success().get_output().stdout.clone()).unwrap()
}

fn complaint(arguments: &[&str]) -> String {
    String::from_utf8(rank(arguments).assert().code(2).get_output().stderr.clone()).unwrap()
}

#[track_caller]
fn shows(text: &str, wanted: &str) {
    assert!(text.contains(wanted), "no \"{wanted}\" in\n{text}");
}

#[test]
fn the_table_begins_with_what_people_ask_for_first() {
    let text = printed(&[]);
    let first: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(first[0][..6], ["k", "strategy", "recall", "any", "all", "precision"]);
    let keys: Vec<_> = first[2..11].iter().map(|row| (row[0], row[1])).collect();
    let strategies = ["managed-all", "managed-relevant", "append-all"];
    let expected: Vec<_> = ["5", "10", "quota"].iter().flat_map(|k| strategies.map(|name| (*k, name))).collect();
    assert_eq!(keys, expected);
    assert_eq!(first[3][2..6], ["0.625", "0.750", "0.500", "0.150"]);
    shows(
        &text,
        "8 questions with required facts; 2 without count only in stale over 5, forgotten over 2, distinct over 10",
    );
    shows(&text, "* saturated: at least half of the questions have no more candidates than that");
    shows(
        &text,
        "managed-relevant against managed-all: -0.375 recall@10, 95 % interval -0.688 to -0.125; any found@10: 0 questions \
         gained, 2 lost, McNemar p = 0.500 (p = 1.000 after Holm); all found@10: 0 questions gained, 4 lost",
    );
    shows(&text, "append-all against managed-all: answers pass: 0 questions gained, 3 lost, McNemar p = 0.250");
}

#[test]
fn one_strategy_has_nothing_to_be_held_against() {
    let text = printed(&["--strategy", "managed-all"]);
    // The answers of the recording under other strategies have no rankings.
    shows(&text, "managed-relevant has no rankings: only its answers are known");
    assert!(!text.contains("recall@10, 95 %") && !text.contains("after Holm"), "{text}");
}

#[test]
fn the_block_is_what_eval_says_it_is() {
    let report: Value = serde_json::from_str(&printed(&["--format", "json"])).unwrap();
    let command = Command::cargo_bin("recallscope").unwrap().args(["eval", "--format", "json"]).output().unwrap();
    let eval: Value = serde_json::from_slice(&command.stdout).unwrap();
    for (name, strategy) in report["strategies"].as_object().unwrap() {
        let quota = &strategy["all"]["quota"];
        let tokens = quota["tokens"]["value"].as_f64().unwrap() * quota["tokens"]["questions"].as_f64().unwrap();
        let summary =
            eval.pointer(&format!("/strategies/{name}/summary")).or(eval.pointer(&format!("/summary/{name}")));
        let Some(sent) = summary.and_then(|summary| summary["memory_tokens"].as_f64()) else {
            panic!(
                "no memory_tokens of {name} in {}",
                eval.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(", ")
            );
        };
        assert_eq!(tokens.round(), sent, "{name}");
    }
}

#[test]
fn json_has_everything_and_the_same_bytes_each_time() {
    let text = printed(&["--format", "json", "--flips=all"]);
    assert_eq!(text, printed(&["--format", "json", "--flips=all"]));
    assert_ne!(text, printed(&["--format", "json", "--flips=all", "--seed", "2"]));
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["cutoffs"], serde_json::json!(["1", "3", "5", "10", "20", "quota"]));
    assert_eq!(report["measures"][0]["counts"], "required facts found / required facts");
    let strategy = &report["strategies"]["managed-relevant"];
    assert_eq!(strategy["candidates"], "ranked by recallscope");
    assert_eq!(strategy["all"]["10"]["recall"], serde_json::json!({ "value": 0.625, "questions": 8 }));
    assert_eq!(strategy["all"]["10"]["forgotten"]["value"], Value::Null);
    assert_eq!(strategy["all"]["10"]["saturated"]["flag"], "all");
    assert_eq!(strategy["all"]["10"]["without_required_facts"], 2);
    let against = &strategy["against_baseline"];
    let all = &against["10"]["all"];
    assert_eq!((all["gained"].as_u64(), all["lost"].as_u64(), all["p"].as_f64()), (Some(0), Some(4), Some(0.125)));
    assert_eq!(all["p_holm"], 0.25);
    let recall = &against["10"]["differences"]["recall"];
    assert_eq!((recall["mean"].as_f64(), recall["questions"].as_u64()), (Some(-0.375), Some(8)));
    assert_eq!(against["answers"]["pass"]["lost"], 2);
    assert_eq!(strategy["flips"]["questions"][0]["id"], "alice/3");
    assert_eq!(strategy["flips"]["questions"][0]["rank"], Value::Null);
    assert_eq!(strategy["flips"]["questions"][0]["baseline_rank"], 6);
    assert!(report["strategies"]["managed-all"].get("against_baseline").is_none());
}

#[test]
fn csv_has_a_row_for_each_value() {
    let text = printed(&["--format", "csv", "-k", "10,quota,10"]);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<Vec<String>> = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    assert_eq!(rows.len(), 3 * 2 * 10, "a cutoff that is named twice is one");
    let row = rows.iter().find(|row| row[..4] == ["managed-relevant", "", "10", "all"].map(str::to_owned)).unwrap();
    assert_eq!(row[4..8], ["0.5", "8", "8", "all"]);
    assert_eq!(row[11..], ["0", "4", "0.125", "0.25"]);
}

#[test]
fn flips_are_listed_with_their_ranks() {
    let text = printed(&["--flips", "--format", "csv"]);
    shows(
        &text,
        "managed-relevant,bob,bob/1,Which operating system should the laptop setup guide cover?,any found@10,lost,-,3\n",
    );
    assert_eq!(text.lines().count(), 3);
    // At the last k where 10 is not among them.
    shows(&printed(&["--flips=any", "-k", "1", "--baseline", "append-all", "--format", "markdown"]), "| any found@1 ");
}

#[test]
fn wrong_words_are_explained() {
    shows(
        &complaint(&["--baseline", "nope"]),
        "--baseline nope: no such strategy, expected one of managed-all, managed-relevant",
    );
    shows(
        &complaint(&["-k", "1,0"]),
        "invalid value '0' for '--cutoffs <K,...>': expected a number from 1 to 1000000, `quota` or `all`",
    );
    shows(&complaint(&["--strategy", "managed"]), "there is no strategy managed");
    shows(&complaint(&["--flips=some"]), "invalid value 'some'");
}

#[test]
fn a_case_set_without_questions_has_no_values_and_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.json");
    std::fs::write(&file, r#"{"facts_quota": 9, "conversations": []}"#).unwrap();
    let file = file.to_str().unwrap();
    shows(&printed(&[file]), "0 questions with required facts");
    let report: Value = serde_json::from_str(&printed(&[file, "--format", "json"])).unwrap();
    assert_eq!(report["strategies"]["managed-all"]["all"]["5"]["recall"]["value"], Value::Null);
}

#[test]
fn categories_are_printed_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.json");
    let question = |category: &str, fact: &str| serde_json::json!({ "question": "Which?", "required": [fact], "stale": [], "forgotten": [], "category": category });
    let cases = serde_json::json!({ "facts_quota": 90, "conversations": [{ "user": "a",
        "events": [{ "turn": 1, "text": "It is seven.", "op": "remember", "attribute": "n" }],
        "questions": [question("x|y", "seven"), question("\u{1b}[2J", "eight")] }] });
    std::fs::write(&file, cases.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let text = printed(&[file, "--by", "category", "-k", "5"]);
    shows(&text, "x|y        5   recency             1.000");
    assert!(!text.contains('\u{1b}'), "{text:?}");
    shows(&printed(&[file, "--by", "category", "--format", "markdown"]), "x\\|y");
}

#[test]
fn rankings_are_written_for_trec_eval() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("trec");
    printed(&["--trec-out", out.to_str().unwrap()]);
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    assert!(read("qrels.txt").starts_with("alice/1 0 event-8 1\nalice/2 0 event-7 1\n"));
    let run = read("managed-all.run");
    assert!(run.starts_with("alice/1 Q0 event-11 1 6 managed-all\nalice/1 Q0 event-10 2 5 managed-all\n"), "{run}");
    assert!(run.lines().all(|line| line.split(' ').count() == 6));
    std::fs::write(folder.path().join("file"), "").unwrap();
    let taken = folder.path().join("file");
    shows(&complaint(&["--trec-out", taken.to_str().unwrap()]), "cannot be written");
}
