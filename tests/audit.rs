//! The key audit on the bundled data, and what must hold for every audit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use assert_cmd::Command;
use common::workspace;
use recallscope::audit::{Doubt, FLAG_FROM, Part, QuestionAudit, SIGNALS, audit};
use serde_json::Value;

fn question<'a>(audit: &'a [QuestionAudit], words: &str) -> &'a QuestionAudit {
    audit.iter().find(|question| question.question.contains(words)).unwrap()
}

fn shows(question: &QuestionAudit, signal: &str) -> bool {
    question.signals.iter().any(|finding| finding.signal == signal)
}

#[test]
fn the_desk_question_is_first_and_the_only_one_flagged() {
    let audit = audit(&workspace());
    assert_eq!(audit.questions.len(), 10);
    assert_eq!(audit.questions[0].question, "Who approves my desk order?");
    let flagged: Vec<_> = audit.questions.iter().filter(|question| question.flagged).map(|q| q.id.as_str()).collect();
    assert_eq!(flagged, ["bob/2"]);
}

#[test]
fn the_porto_question_is_told_apart_by_its_answers() {
    let audit = audit(&workspace());
    let (desk, porto) = (question(&audit.questions, "desk"), question(&audit.questions, "Porto"));
    let all_fail = |question: &QuestionAudit| {
        question.signals.iter().find(|finding| finding.signal == "answers fail").unwrap().strength
    };
    assert_eq!(all_fail(desk), all_fail(porto), "all answers of both fail");
    assert!(shows(desk, "informed answers refuse"));
    assert!(!shows(porto, "informed answers refuse"));
    assert!(porto.score < FLAG_FROM / 1.5, "not by a hair: {}", porto.score);
}

#[test]
fn every_point_is_a_weight_times_a_strength_with_a_proof() {
    for question in audit(&workspace()).questions {
        let mut points = 0.0;
        for finding in &question.signals {
            assert!(finding.strength > 0.0 && finding.strength <= 1.0, "{}", finding.signal);
            assert!((finding.points - finding.weight * finding.strength).abs() < 1e-3, "{}", finding.signal);
            assert!(!finding.proof.is_empty(), "{}", finding.signal);
            if finding.doubts == Doubt::Key {
                points += finding.points;
            }
            for part in &finding.proof {
                let spans = match part {
                    Part::Sentence { .. } => continue,
                    Part::Answer { text, spans, .. }
                    | Part::Line { text, spans, .. }
                    | Part::Pattern { text, spans, .. } => spans.iter().map(|span| text.get(span.clone())),
                };
                assert!(spans.clone().all(|span| span.is_some()), "spans lie in their text");
            }
        }
        assert!((question.points - points).abs() < 1e-3);
        assert_eq!(question.flagged, question.score >= FLAG_FROM);
    }
}

#[test]
fn weights_are_positive_and_names_distinct() {
    let mut names: Vec<_> = SIGNALS.iter().map(|signal| signal.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), SIGNALS.len());
    // With positive weights the score can only grow with a strength.
    assert!(SIGNALS.iter().all(|signal| signal.weight() > 0.0));
}

fn output(arguments: &[&str]) -> String {
    let done = Command::cargo_bin("recallscope").unwrap().args(arguments).assert().success();
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

#[test]
fn the_command_prints_the_queue() {
    let report: Value = serde_json::from_str(&output(&["audit", "--format", "json"])).unwrap();
    let questions = report["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 10);
    assert_eq!(questions[0]["id"], "bob/2");
    assert_eq!(questions[0]["flagged"], true);
    let first = &questions[0]["signals"][0];
    assert_eq!(first["signal"], "informed answers refuse");
    assert_eq!(first["proof"][0]["kind"], "sentence");
    assert_eq!(output(&["audit", "--format", "json"]), output(&["audit", "--format", "json"]), "same bytes");
    let table = output(&["audit", "--limit", "2"]);
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.contains("faulty key?"));
    assert!(output(&["audit", "--format", "markdown", "--limit", "1"]).starts_with('|'));
    let csv = output(&["audit", "--format", "csv", "--limit", "1"]);
    assert!(csv.starts_with("rank,id,question,score,flagged,signal,doubts,weight,strength,points,proof\n"), "{csv}");
}
