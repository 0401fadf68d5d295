//! Verdicts of several graders: whose grades count, where they disagree, and how the explorer and the commands say so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::path::PathBuf;
use std::sync::Arc;

use assert_cmd::Command;
use common::{app_on, decided, drive, mono, row_of, settings, style_of, text};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Modifier;
use recallscope::agreement::{Agreement, Disagreement};
use recallscope::diagnosis::Diagnosis;
use recallscope::grade::{Abstention, Counting, Grader, GraderChoice, Verdict};
use recallscope::open::Inputs;
use recallscope::tokens::GemmaCounter;
use recallscope::triage::{AnswerState, Cause, DecisionVerdict, Scores, Standing, Triage};
use recallscope::tui::PaneKind;
use recallscope::tui::app::{App, Effect};
use recallscope::workspace::{AnswerRef, Tally, Workspace};

const WIDE: (u16, u16) = (120, 40);

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn inputs(keys: bool) -> Inputs {
    Inputs {
        cases: Some(fixture("graders-cases.json")),
        answers: vec![fixture("graders-answers.json")],
        keys: keys.then(|| fixture("graders-keys.json")),
        ..Inputs::default()
    }
}

fn workspace(keys: bool) -> Workspace {
    Workspace::open(&inputs(keys), Arc::new(GemmaCounter)).unwrap()
}

fn strategy(workspace: &Workspace) -> usize {
    workspace.evaluation.strategy_named("managed-relevant").unwrap()
}

fn at(group: usize, answer: usize) -> AnswerRef {
    AnswerRef { recording: 0, group, answer }
}

fn tally(pass: usize, fail: usize, incomplete: usize) -> Tally {
    Tally { pass, fail, incomplete }
}

fn counted(workspace: &Workspace, grader: GraderChoice, abstention: Abstention) -> Workspace {
    workspace.counted(Counting { grader, abstention })
}

#[test]
fn the_first_grader_that_can_counts_unless_one_is_chosen() {
    let workspace = workspace(true);
    let own = strategy(&workspace);
    // By key: fail, pass. By judges: fail, tie, fail, fail. By the published answer: declined, trap.
    assert_eq!(workspace.tally(own), tally(2, 5, 1));
    assert_eq!(workspace.counting_words().unwrap(), "by: keys, judges, published");
    for (grader, expected, words) in [
        (GraderChoice::Key, tally(1, 1, 6), "by: keys"),
        (GraderChoice::Judge, tally(2, 3, 3), "by: judges"),
        (GraderChoice::Published, tally(3, 5, 0), "by: published"),
    ] {
        let chosen = counted(&workspace, grader, Abstention::In);
        assert_eq!((chosen.tally(own), chosen.counting_words().unwrap().as_str()), (expected, words));
    }
    assert_eq!(workspace.answer(at(0, 0)).unwrap().3.grader, Grader::Key);
    assert_eq!(workspace.answer(at(1, 0)).unwrap().3.grader, Grader::Judge);
    assert_eq!(workspace.answer(at(3, 0)).unwrap().3.grader, Grader::Published);
}

#[test]
fn questions_to_abstain_from_are_in_or_out_of_every_total() {
    let workspace = workspace(false);
    let own = strategy(&workspace);
    assert_eq!(workspace.abstained(own), tally(1, 1, 0));
    for (abstention, expected) in
        [(Abstention::In, tally(3, 4, 1)), (Abstention::Out, tally(2, 3, 1)), (Abstention::Only, tally(1, 1, 0))]
    {
        let chosen = counted(&workspace, GraderChoice::Auto, abstention);
        assert_eq!(chosen.tally(own), expected);
        assert_eq!(chosen.abstained(own), tally(1, 1, 0), "its own row stands whatever counts");
        let scores = Scores::of(&chosen, &Standing::default());
        assert_eq!(scores.as_recorded[own].answers, expected.total());
        let diagnosis = Diagnosis::of(&chosen, &Triage::default());
        let totals = diagnosis.causes.totals.iter().find(|totals| totals.strategy == "managed-relevant").unwrap();
        assert_eq!(totals.pass, expected.pass);
        assert_eq!(totals.states.values().sum::<usize>(), expected.fail + expected.incomplete);
    }
}

#[test]
fn graders_agree_as_counted_by_hand() {
    let workspace = workspace(true);
    let pair = Agreement::between(&workspace, Grader::Judge, Grader::Published);
    assert_eq!((pair.both_pass, pair.first_alone, pair.second_alone, pair.both_fail), (1, 1, 0, 3));
    assert_eq!(Agreement::pairs(&workspace).len(), 3);
    let holds = |found: Disagreement, place| found.holds(&workspace, None, place);
    assert!(holds(Disagreement::Between { passes: Grader::Judge, fails: Grader::Key }, at(0, 0)));
    assert!(holds(Disagreement::Between { passes: Grader::Judge, fails: Grader::Published }, at(0, 1)));
    assert!(holds(Disagreement::VotesSplit, at(0, 0)) && !holds(Disagreement::VotesSplit, at(0, 1)));
    assert!(!holds(Disagreement::Overruled, at(0, 0)));
}

#[test]
fn a_wrong_answer_without_a_key_has_a_cause_by_its_block() {
    let workspace = workspace(false);
    let diagnosis = Diagnosis::of(&workspace, &Triage::default());
    let found = diagnosis.answer(at(1, 0)).unwrap();
    let block = workspace.evaluation.block(strategy(&workspace), 1).unwrap();
    let cause = if block.missing.is_empty() { Cause::Unused } else { Cause::Missing };
    assert_eq!(found.cause, AnswerState::Cause(cause));
    assert!(found.sentence.starts_with("judges: 1 of 3 votes; the block"), "{}", found.sentence);
    let tie = diagnosis.answer(at(1, 1)).unwrap();
    assert_eq!((tie.cause, tie.sentence.as_str()), (AnswerState::Incomplete, "votes split evenly"));
    let trap = diagnosis.answer(at(3, 1)).unwrap();
    assert_eq!(trap.cause, AnswerState::Cause(Cause::Unused));
    assert!(trap.sentence.contains("states the trap: Petrel; no fact was needed"), "{}", trap.sentence);
}

#[test]
fn a_corrected_published_answer_moves_the_second_total() {
    let workspace = workspace(false);
    let own = strategy(&workspace);
    let triage = decided(&workspace, "q3", DecisionVerdict::KeyWrong, "ada", |proposal| {
        proposal.published = Some("the old mill".into());
    });
    let decision = &triage.decisions[0];
    assert_eq!(
        (decision.published.as_deref(), decision.previous.published.as_deref()),
        (Some("the old mill"), Some("the new mill"))
    );
    let read =
        Triage::parse(&recallscope::source::Source::new("t.json", serde_json::to_string(&triage.decisions).unwrap()))
            .unwrap();
    assert_eq!(read.decisions, triage.decisions, "the file holds it");
    for grader in [GraderChoice::Auto, GraderChoice::Published, GraderChoice::Judge] {
        let chosen = counted(&workspace, grader, Abstention::In);
        let scores = Scores::of(&chosen, &Standing::of(&triage, &chosen));
        let pass = [&scores.as_recorded, &scores.corrected, &scores.undisputed].map(|list| list[own].pass);
        let before = chosen.tally(own).pass;
        assert_eq!(pass, [before, before + 2, before], "{grader:?}");
        assert_eq!(scores.moved.len(), 2);
    }
    let error = |verdict, published: &str| {
        let mut proposal = common::proposal("q3", verdict, "ada");
        proposal.published = Some(published.into());
        recallscope::triage::decide(&workspace, &Triage::default(), &proposal, &common::clock())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(error(DecisionVerdict::KeyWrong, " "), "found an empty published answer, expected what it should say");
    assert!(error(DecisionVerdict::KeyRight, "x").starts_with("found a published answer, expected none"));
}

#[test]
fn counting_anew_shares_what_it_does_not_change() {
    let workspace = workspace(true);
    let other = counted(&workspace, GraderChoice::Judge, Abstention::Out);
    assert!(Arc::ptr_eq(&workspace.evaluation, &other.evaluation));
    assert!(Arc::ptr_eq(&workspace.recordings[0].recording, &other.recordings[0].recording));
    assert!(Arc::ptr_eq(&workspace.recordings[0].verdicts, &other.recordings[0].verdicts));
    assert_eq!(workspace.counting, Counting::default(), "what panes share is as it was");
}

fn answers_pane(keys: bool) -> App {
    app_on(workspace(keys), PaneKind::Answers, settings())
}

#[test]
fn disagreement_is_a_filter_of_what_occurs() {
    let mut app = answers_pane(true);
    let screen = text(&drive(&mut app, "x", WIDE));
    assert!(screen.contains("1 of 8: judge passes, key fails"), "{screen}");
    let screen = text(&drive(&mut app, "x", WIDE));
    assert!(screen.contains("1 of 8: judge passes, published fails"), "{screen}");
    let screen = text(&drive(&mut app, "x x x", WIDE));
    assert!(screen.contains("3 of 8: votes split"), "{screen}");
    let screen = text(&drive(&mut app, "x", WIDE));
    assert!(screen.contains("all 8 answers"), "{screen}");
    let mut app = app_on(common::workspace(), PaneKind::Answers, settings());
    assert!(text(&drive(&mut app, "x", WIDE)).contains("no graders disagree on these answers"));
}

#[test]
fn the_detail_sets_the_graders_side_by_side() {
    let mut app = answers_pane(true);
    let buffer = drive(&mut app, "enter z", WIDE);
    let screen = text(&buffer);
    assert!(screen.contains("Verdicts  they disagree"), "{screen}");
    for words in [
        "key        fail       missing: day",
        "judge      pass       2 of 3 votes  ●●✗",
        "published  pass       as published",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    assert!(screen.contains("rationale  The date is the published one."), "{screen}");
    assert!(screen.contains("published  7 May 2023"), "{screen}");
    assert!(row_of(&buffer, "missing: day") < row_of(&buffer, "2 of 3 votes"));
    assert!(style_of(&buffer, "Verdicts").add_modifier.contains(Modifier::BOLD));
    assert_ne!(style_of(&buffer, "pass       ").fg, style_of(&buffer, "fail       ").fg);
    let mut app = app_on(workspace(true), PaneKind::Answers, mono());
    let buffer = drive(&mut app, "enter z", WIDE);
    assert!(text(&buffer).contains("judge      pass"));
    assert!(buffer.content.iter().all(|cell| cell.fg == ratatui::style::Color::Reset), "no colour under NO_COLOR");
}

#[test]
fn a_key_pressed_while_the_last_one_is_being_counted_goes_on_from_it() {
    let asked = |app: &mut App, letter: char| {
        app.key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::SHIFT));
        app.take_effects().into_iter().find_map(|effect| match effect {
            Effect::Count(counting) => Some(counting),
            _ => None,
        })
    };
    let mut app = app_on(workspace(true), PaneKind::Overview, settings());
    assert_eq!(asked(&mut app, 'B').unwrap().grader, GraderChoice::Key);
    assert_eq!(asked(&mut app, 'B').unwrap().grader, GraderChoice::Judge);
    let both = asked(&mut app, 'A').unwrap();
    assert_eq!(both, Counting { grader: GraderChoice::Judge, abstention: Abstention::Out });
    // Once it is counted, the workspace says how.
    let counted = Arc::new(app.workspace().unwrap().counted(both));
    app.counted(counted, None);
    assert_eq!(asked(&mut app, 'B').unwrap(), Counting { grader: GraderChoice::Published, ..both });
}

#[test]
fn keys_choose_whose_grades_and_which_questions_count() {
    let mut app = app_on(workspace(true), PaneKind::Overview, settings());
    let screen = text(&drive(&mut app, "right", WIDE));
    assert!(screen.contains("answers by: keys, judges, published"), "{screen}");
    assert!(screen.contains("to abstain: 1 of 2 declined; counted in the totals"), "{screen}");
    let screen = text(&drive(&mut app, "B B", WIDE));
    assert!(screen.contains("answers by: judges"), "{screen}");
    let screen = text(&drive(&mut app, "B A", WIDE));
    assert!(screen.contains("answers by: published, abstention out"), "{screen}");
    assert!(screen.contains("left out of the totals"), "{screen}");
    assert_eq!(
        app.workspace().unwrap().counting,
        Counting { grader: GraderChoice::Published, abstention: Abstention::Out }
    );
    for (pane, words) in [
        ("3", "by: published, abstention out"),
        ("5", "by: published, abstention out"),
        ("6", "by: published, abstention out"),
    ] {
        let screen = text(&drive(&mut app, pane, WIDE));
        assert!(screen.contains(words), "{pane}: {screen}");
    }
    let mut app = app_on(common::workspace(), PaneKind::Overview, settings());
    assert!(text(&drive(&mut app, "B", WIDE)).contains("there are no other graders than keys"));
    assert!(text(&drive(&mut app, "A", WIDE)).contains("no question is to be abstained from"));
}

#[test]
fn the_map_is_filtered_by_category() {
    let mut app = app_on(workspace(false), PaneKind::Overview, settings());
    let screen = text(&drive(&mut app, "C", WIDE));
    assert!(screen.contains("1 of 4 questions, category temporal"), "{screen}");
    assert!(!screen.contains("Who helps in the studio?"), "{screen}");
    let screen = text(&drive(&mut app, "C C C", WIDE));
    assert!(screen.contains("category adversarial"), "{screen}");
    assert!(text(&drive(&mut app, "C", WIDE)).contains("4 questions"));
    let mut app = app_on(common::workspace(), PaneKind::Overview, settings());
    assert!(text(&drive(&mut app, "C", WIDE)).contains("the questions have no categories to choose from"));
}

#[test]
fn the_map_is_filtered_by_how_answers_fare() {
    let mut app = app_on(workspace(false), PaneKind::Overview, settings());
    let screen = text(&drive(&mut app, "", WIDE));
    assert!(screen.contains("x disagree"), "{screen}");
    let apart = text(&drive(&mut app, "x", WIDE));
    assert!(apart.contains("of 4 questions, whose answers disagree"), "{apart}");
    let badly = text(&drive(&mut app, "x", WIDE));
    assert!(badly.contains("of 4 questions, that no answer passes"), "{badly}");
    assert!(text(&drive(&mut app, "x", WIDE)).contains("Questions 4 questions"));
    assert!(text(&drive(&mut app, "x esc", WIDE)).contains("Questions 4 questions"));
}

#[test]
fn a_published_answer_is_corrected_in_triage() {
    let workspace = Arc::new(workspace(false));
    let mut app = App::new(settings(), PaneKind::Overview);
    app.loaded(workspace.clone());
    app.diagnosed(Arc::new(Diagnosis::of(&workspace, &Triage::default())));
    drive(&mut app, "j j t", WIDE);
    let screen = text(&drive(&mut app, "P", WIDE));
    assert!(screen.contains("published answer: the new mill"), "{screen}");
    drive(&mut app, "ctrl-u \"the old mill\" enter \"it burnt\" enter", WIDE);
    let proposed = app.take_effects().into_iter().find_map(|effect| match effect {
        recallscope::tui::app::Effect::Decide(proposal) => Some(proposal),
        _ => None,
    });
    let proposed = proposed.expect("a decision");
    assert_eq!((proposed.question.as_str(), proposed.published.as_deref()), ("q3", Some("the old mill")));
    assert_eq!((proposed.verdict, proposed.reason.as_str()), (DecisionVerdict::KeyWrong, "it burnt"));
}

fn run(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("recallscope").unwrap();
    let output = command.args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn grade_says_whose_grades_a_total_counts() {
    let (cases, answers) = (fixture("graders-cases.json"), fixture("graders-answers.json"));
    let (cases, answers) = (cases.to_str().unwrap(), answers.to_str().unwrap());
    let table = run(&["grade", answers, "--cases", cases]);
    assert!(table.contains("managed-relevant: 3 of 8 answers pass, 0.375 (by: judges, published)"), "{table}");
    assert!(table.contains("managed-relevant: to abstain: 1 of 2 declined"), "{table}");
    assert!(table.contains("judges and published"), "{table}");
    let out = run(&["grade", answers, "--cases", cases, "--grader", "judge", "--abstention", "out"]);
    assert!(out.contains("2 of 6 answers pass, 0.333 (by: judges, abstention out)"), "{out}");
    let csv = run(&["grade", answers, "--cases", cases, "--format", "csv"]);
    assert!(csv.starts_with("strategy,question,seed,verdict,reason,answer,by,key,judge,published,credit\n"), "{csv}");
    assert!(csv.contains("Mara and Bo.,judges,,fail,fail,2/3"), "{csv}");
    let json: serde_json::Value =
        serde_json::from_str(&run(&["grade", answers, "--cases", cases, "--format", "json"])).unwrap();
    assert_eq!(json["by"], serde_json::json!(["judges", "published"]));
    assert_eq!(
        json["verdicts"]["managed-relevant"]["q2"][0]["published"]["credit"],
        serde_json::json!({"found": 2, "of": 3})
    );
    assert_eq!(json["agreement"][0]["both_pass"], 1);
    let disagree = run(&["grade", answers, "--cases", cases, "--disagree", "--format", "csv"]);
    assert_eq!(disagree.lines().count(), 5, "{disagree}");
    assert!(disagree.contains("\"judge passes, published fails\""), "{disagree}");
    let categories = run(&["grade", answers, "--cases", cases, "--by", "category", "--format", "csv"]);
    assert!(categories.contains("managed-relevant,temporal,1,1/1,"), "{categories}");
    assert!(categories.contains(",2,2,0,0,1.000\n"), "{categories}");
}

#[test]
fn an_unknown_grader_is_wrong_usage() {
    let mut command = Command::cargo_bin("recallscope").unwrap();
    let output = command.args(["grade", "--grader", "mood"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("possible values: auto, key, judge, published"));
}

#[test]
fn a_verdict_is_incomplete_where_the_chosen_grader_has_nothing_to_grade_by() {
    let workspace = counted(&workspace(false), GraderChoice::Key, Abstention::In);
    let (.., grade) = workspace.answer(at(0, 0)).unwrap();
    assert_eq!((grade.verdict, grade.reason.as_str()), (Verdict::Incomplete, "no answer key"));
    assert_eq!(workspace.counting_words().unwrap(), "by: keys");
}
