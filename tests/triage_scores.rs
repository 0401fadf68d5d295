//! Three totals side by side, and grading again while a pattern is typed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use common::{decide_more, decided, workspace};
use proptest::prelude::*;
use recallscope::grade::{AnswerKey, Verdict, grade_answer};
use recallscope::report::{self, GradeReport, TriagedReport};
use recallscope::triage::{
    AnswerChoice, Change, DecisionVerdict, Rescorer, Scores, Standing, StrategyScore, Triage, compile,
};
use recallscope::workspace::{Tally, Workspace};

use DecisionVerdict::{
    Ambiguous, AnswerRight, AnswerWrong, EvidenceWrong, KeyRight, KeyTooWide, KeyWrong, WrongPremise,
};

static WORKSPACE: LazyLock<Arc<Workspace>> = LazyLock::new(|| Arc::new(workspace()));

fn scores(triage: &Triage) -> Scores {
    Scores::of(&WORKSPACE, &Standing::of(triage, &WORKSPACE))
}

fn passing(scores: &[StrategyScore]) -> Vec<(usize, usize)> {
    scores.iter().map(|score| (score.pass, score.answers)).collect()
}

const RECORDED: [(usize, usize); 3] = [(40, 50), (30, 50), (25, 50)];
const SET_ASIDE: [(usize, usize); 3] = [(40, 45), (30, 45), (25, 45)];
const REFUSALS_RIGHT: [(usize, usize); 3] = [(45, 50), (35, 50), (30, 50)];

#[test]
fn with_the_desk_question_set_aside() {
    for verdict in [KeyWrong, DecisionVerdict::KeyTooNarrow, KeyTooWide, WrongPremise, Ambiguous, EvidenceWrong] {
        let scores = scores(&decided(&WORKSPACE, "bob/2", verdict, "ada", |_| {}));
        assert_eq!(passing(&scores.as_recorded), RECORDED);
        assert_eq!(scores.corrected, scores.as_recorded, "nobody said what would be right");
        assert_eq!(passing(&scores.undisputed), SET_ASIDE);
        let blocks = scores.undisputed.iter().map(|score| score.blocks);
        let measures: Vec<_> = blocks
            .map(|b| {
                let facts = (b.facts_found, b.facts_required, b.recall);
                let lines = (b.useful_lines, b.lines_sent, b.usefulness);
                (facts, lines, b.stale_lines, b.forgotten_lines, b.memory_tokens)
            })
            .collect();
        assert_eq!(
            measures,
            [
                ((8, 8, Some(1.0)), (8, 44, Some(0.182)), 0, 0, 584),
                ((5, 8, Some(0.625)), (5, 6, Some(0.833)), 0, 0, 80),
                ((8, 8, Some(1.0)), (8, 59, Some(0.136)), 3, 2, 800),
            ]
        );
        assert_eq!(scores.set_aside.len(), 1);
        assert_eq!(scores.set_aside[0].question, "bob/2");
    }
    let accepted = scores(&decided(&WORKSPACE, "bob/2", KeyRight, "ada", |_| {}));
    assert_eq!(accepted.undisputed, accepted.as_recorded, "a suspicion that was rejected sets nothing aside");
}

#[test]
fn with_the_refusals_judged_right() {
    let key = decided(&WORKSPACE, "bob/2", KeyWrong, "ada", |proposal| {
        proposal.patterns = vec![("Priya".into(), r"do(?:es)? not have any stored notes".into())];
    });
    let answers = decided(&WORKSPACE, "bob/2", AnswerRight, "ada", |p| p.answers = Some(AnswerChoice::All));
    for (triage, undisputed) in [(&key, &SET_ASIDE), (&answers, &SET_ASIDE)] {
        let scores = scores(triage);
        assert_eq!(passing(&scores.as_recorded), RECORDED);
        assert_eq!(passing(&scores.corrected), REFUSALS_RIGHT);
        assert_eq!(passing(&scores.undisputed), *undisputed);
        assert_eq!(scores.moved.len(), 15);
        let moved = &scores.moved[0];
        assert_eq!((moved.question.as_str(), moved.before, moved.after), ("bob/2", Verdict::Fail, Verdict::Pass));
        assert!(moved.why.starts_with("ada decided \u{201c}"), "{}", moved.why);
        assert_eq!(scores.corrected[0].interval, Some([0.786, 0.957]));
    }
    assert_eq!(scores(&answers).answers_set_aside, 15);
    assert_eq!(scores(&key).answers_set_aside, 0);
}

#[test]
fn an_answer_that_passes_may_be_wrong_after_all() {
    let triage = decided(&WORKSPACE, "alice/1", AnswerWrong, "ada", |proposal| {
        proposal.answers = Some(AnswerChoice::Text("I eat fish now, but still no meat.".into()));
    });
    let scores = scores(&triage);
    assert_eq!(passing(&scores.corrected), [(37, 50), (30, 50), (21, 50)]);
    assert_eq!(passing(&scores.undisputed), [(37, 47), (30, 50), (21, 46)]);
}

#[test]
fn the_triaged_report_is_the_grade_report_and_more() {
    let triage = decided(&WORKSPACE, "bob/2", KeyWrong, "ada", |_| {});
    let scores = scores(&triage);
    let triaged = report::json(&TriagedReport::new(&WORKSPACE.recordings[0], &scores, &[]).unwrap()).unwrap();
    let plain = report::json(&GradeReport::new(&WORKSPACE.recordings[0]).unwrap()).unwrap();
    assert!(triaged.starts_with(plain.trim_end().strip_suffix("\n}").unwrap()));
    let value: serde_json::Value = serde_json::from_str(&triaged).unwrap();
    for total in ["as_recorded", "corrected", "undisputed"] {
        assert_eq!(value["totals"][total]["managed-all"]["pass"], 40);
    }
    assert_eq!(value["totals"]["undisputed"]["append-all"]["usefulness"], 0.136);
}

fn key(must: &[(&str, &str)], stale: Option<&str>, forgotten: Option<&str>) -> AnswerKey {
    let pattern = |text: &str| compile(text).unwrap();
    AnswerKey {
        must: must.iter().map(|(name, text)| ((*name).to_owned(), pattern(text))).collect(),
        stale: stale.map(pattern),
        forgotten: forgotten.map(pattern),
    }
}

#[test]
fn an_edit_moves_answers_and_undo_moves_them_back() {
    let mut rescorer = Rescorer::new(WORKSPACE.clone(), &Standing::default());
    let tallies = |rescorer: &Rescorer| [0, 1, 2].map(|strategy| rescorer.tally(strategy).pass);
    assert_eq!(tallies(&rescorer), [40, 30, 25]);
    assert_eq!(rescorer.key(5).unwrap().must[0].0, "Priya");
    let edited = rescorer.edit(5, key(&[("Priya", "stored notes")], None, None));
    assert_eq!((edited.changed.len(), tallies(&rescorer)), (15, [45, 35, 30]));
    assert_eq!(rescorer.moved(5), edited.changed);
    // Ten texts at most: equal texts are matched once, and a pattern that stays is not matched again.
    assert_eq!(edited.matched, 4);
    let more = rescorer.edit(5, key(&[("Priya", "stored notes")], None, Some("approves")));
    assert_eq!((more.matched, more.changed.len()), (4, 15));
    assert_eq!(rescorer.undo().unwrap().changed.len(), 15);
    assert_eq!(tallies(&rescorer), [45, 35, 30]);
    rescorer.undo().unwrap();
    assert_eq!(tallies(&rescorer), [40, 30, 25]);
    assert!(rescorer.undo().is_none());
    assert_eq!(rescorer.moved(5), []);
}

#[test]
fn what_is_decided_about_an_answer_holds_against_any_pattern() {
    let triage = decided(&WORKSPACE, "bob/2", AnswerRight, "ada", |p| p.answers = Some(AnswerChoice::All));
    let standing = Standing::of(&triage, &WORKSPACE);
    let mut rescorer = Rescorer::new(WORKSPACE.clone(), &standing);
    assert_eq!([0, 1, 2].map(|s| rescorer.tally(s).pass), [45, 35, 30]);
    assert_eq!(rescorer.edit(5, key(&[("x", "nobody says this")], None, None)).changed, []);
    assert_eq!(rescorer.moved(5).len(), 15);
}

/// Every answer graded from scratch: by the edited key of its question, else by what stands decided.
fn from_scratch(keys: &HashMap<usize, AnswerKey>, standing: &Standing) -> Vec<Verdict> {
    let grade = |at| {
        let (graded, _, answer, _) = WORKSPACE.answer(at).unwrap();
        let fixed = standing.answer_decision(at).and_then(|decision| decision.verdict.of_answer());
        let edited = graded.question[at.group].and_then(|question| keys.get(&question));
        match (fixed, edited) {
            (Some(verdict), _) => verdict,
            (None, Some(key)) => grade_answer(&answer.answer, key, WORKSPACE.keys.replaced.as_ref()).verdict,
            (None, None) => standing.grade(&WORKSPACE, at).unwrap().0.verdict,
        }
    };
    WORKSPACE.all_answers().map(grade).collect()
}

const PATTERNS: [&str; 8] = ["priya", "notes", r"\bfish\b", "(?:linux|postgres)", "^i ", "[.]$", r"\d+", "zebra"];

fn any_key() -> impl Strategy<Value = AnswerKey> {
    let pattern = || proptest::sample::select(&PATTERNS[..]);
    let must = proptest::collection::vec((proptest::sample::select(&["a", "b", "c"][..]), pattern()), 0..3);
    (must, proptest::option::of(pattern()), proptest::option::of(pattern()))
        .prop_map(|(must, stale, forgotten)| key(&must, stale, forgotten))
}

fn any_triage() -> impl Strategy<Value = Triage> {
    let one = (proptest::sample::select(&["bob/2", "alice/1", "chen/1"][..]), 0..5_usize, proptest::bool::ANY);
    proptest::collection::vec(one, 0..4).prop_map(|decisions| {
        let mut triage = Triage::default();
        for (question, kind, other) in decisions {
            let author = if other { "ada" } else { "bo" };
            let verdict = [KeyWrong, KeyTooWide, Ambiguous, AnswerRight, AnswerWrong][kind];
            decide_more(&WORKSPACE, &mut triage, question, verdict, author, |proposal| match verdict {
                AnswerRight | AnswerWrong => proposal.answers = Some(AnswerChoice::Strategy("append-all".into())),
                KeyTooWide => proposal.patterns = vec![("new".into(), "notes".into())],
                _ => {}
            });
        }
        triage
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn rescoring_from_scratch_equals_rescoring_after_any_edits_and_undos(
        triage in any_triage(),
        steps in proptest::collection::vec(proptest::option::weighted(0.7, (0..10_usize, any_key())), 0..12),
    ) {
        let standing = Standing::of(&triage, &WORKSPACE);
        let mut rescorer = Rescorer::new(WORKSPACE.clone(), &standing);
        let mut stack: Vec<HashMap<usize, AnswerKey>> = vec![HashMap::new()];
        for step in steps {
            let before: Vec<Verdict> = from_scratch(stack.last().unwrap(), &standing);
            let rescored = match step {
                Some((question, key)) => {
                    let mut keys = stack.last().unwrap().clone();
                    keys.insert(question, key.clone());
                    stack.push(keys);
                    rescorer.edit(question, key)
                }
                None if stack.len() > 1 => {
                    stack.pop();
                    rescorer.undo().unwrap()
                }
                None => continue,
            };
            let expected = from_scratch(stack.last().unwrap(), &standing);
            let now: Vec<Verdict> = WORKSPACE.all_answers().map(|at| rescorer.verdict(at).unwrap()).collect();
            prop_assert_eq!(&now, &expected);
            let mut tallies = [Tally::default(); 3];
            let mut changed = Vec::new();
            for ((at, before), after) in WORKSPACE.all_answers().zip(before).zip(expected) {
                tallies[WORKSPACE.recordings[0].strategy[at.group].unwrap()].add(after);
                if before != after {
                    changed.push(Change { at, before, after });
                }
            }
            prop_assert_eq!([0, 1, 2].map(|strategy| rescorer.tally(strategy)), tallies);
            let mut told = rescored.changed;
            told.sort_by_key(|change| change.at);
            prop_assert_eq!(told, changed);
        }
        prop_assert_eq!(rescorer.edits(), stack.len() - 1);
    }

    #[test]
    fn live_totals_equal_the_corrected_ones(triage in any_triage()) {
        let standing = Standing::of(&triage, &WORKSPACE);
        let rescorer = Rescorer::new(WORKSPACE.clone(), &standing);
        for (strategy, score) in Scores::of(&WORKSPACE, &standing).corrected.iter().enumerate() {
            let tally = rescorer.tally(strategy);
            prop_assert_eq!((tally.pass, tally.fail, tally.incomplete), (score.pass, score.fail, score.incomplete));
        }
    }
}
