//! The Triage pane: the queue, deciding, editing a pattern live, and what the totals do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;

use common::{app, app_on, drive, row_of, settings, style_of, text, workspace};
use recallscope::diagnosis::Diagnosis;
use recallscope::triage::{DecisionVerdict, Proposal, SystemClock, Triage, decide};
use recallscope::tui::app::{App, Effect};
use recallscope::tui::theme::{Role, Theme};
use recallscope::tui::{PaneKind, draw};

const SIZE: (u16, u16) = (120, 36);

/// Does what the program does with the app's decisions, without a file.
fn keep(app: &mut App, triage: &mut Triage) -> Vec<Proposal> {
    let mut kept = Vec::new();
    for effect in app.take_effects() {
        let Effect::Decide(mut proposal) = effect else { continue };
        if proposal.author.is_empty() {
            proposal.author = "ada".to_owned();
        }
        let workspace = app.workspace().unwrap().clone();
        let decisions = decide(&workspace, triage, &proposal, &SystemClock).unwrap();
        triage.decisions.extend(decisions);
        let diagnosis = app.diagnosis().unwrap().with(&workspace, triage);
        app.diagnosed(Arc::new(diagnosis));
        kept.push(*proposal);
    }
    kept
}

fn totals(screen: &str, strategy: &str) -> Vec<String> {
    let line = screen.lines().rev().find(|line| line.contains(strategy)).unwrap();
    line.split_whitespace().filter(|word| word.contains('/')).map(str::to_owned).collect()
}

#[test]
fn the_desk_question_leads_the_queue_and_two_keys_begin_its_decision() {
    let mut app = app(PaneKind::Overview);
    let mut triage = Triage::default();
    let screen = text(&drive(&mut app, "6", SIZE));
    assert!(screen.contains("▌!  78 % Who approves my desk order?"), "{screen}");
    assert_eq!(screen.matches('!').count(), 1, "no other question is flagged");
    assert!(text(&drive(&mut app, "x", SIZE)).contains("key wrong, because:"));
    drive(&mut app, "\"No note says who approves.\" enter", SIZE);
    let kept = keep(&mut app, &mut triage);
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].verdict, kept[0].question.as_str()), (DecisionVerdict::KeyWrong, "bob/2"));
    assert_eq!(kept[0].reason, "No note says who approves.");
    let screen = text(&draw(&app, SIZE.0, SIZE.1));
    assert!(screen.contains("1 of 10 looked at, 1 decided"), "{screen}");
    assert_eq!(totals(&screen, "managed-all"), ["40/50", "40/50", "40/45"]);
    assert_eq!(totals(&screen, "managed-relevant"), ["30/50", "30/50", "30/45"]);
    assert_eq!(totals(&screen, "append-all"), ["25/50", "25/50", "25/45"]);
    // The decision reaches the other panes too.
    let question = text(&drive(&mut app, "enter tab", SIZE));
    assert!(question.contains("✗ faulty key"), "{question}");
    let compare = text(&drive(&mut app, "3", SIZE));
    assert!(
        compare.contains("managed-relevant 30/50 as recorded, 30/50 with corrected keys, 30/45 undisputed"),
        "{compare}"
    );
    let overview = text(&drive(&mut app, "1", SIZE));
    assert!(overview.contains("managed-all fails by: unused 5  faulty key 5"), "{overview}");
}

#[test]
fn undo_withdraws_and_keeps_the_history() {
    let mut app = app(PaneKind::Triage);
    let mut triage = Triage::default();
    drive(&mut app, "6 x \"Because.\" enter", SIZE);
    keep(&mut app, &mut triage);
    drive(&mut app, "u", SIZE);
    assert!(keep(&mut app, &mut triage)[0].withdraw);
    assert_eq!(triage.decisions.len(), 2, "added, never overwritten");
    let screen = text(&draw(&app, SIZE.0, SIZE.1));
    assert!(screen.contains("0 decided"), "{screen}");
    assert_eq!(totals(&screen, "managed-all"), ["40/50", "40/50", "40/50"]);
    assert!(text(&drive(&mut app, "u", SIZE)).contains("nothing was decided about this question"));
}

#[test]
fn its_refusals_judged_right_move_the_corrected_totals() {
    let mut app = app(PaneKind::Triage);
    let mut triage = Triage::default();
    let asked = text(&drive(&mut app, "6 r", SIZE));
    assert!(asked.contains("answer right after all (every answer), because:"), "{asked}");
    drive(&mut app, "\"The notes do not say it.\" enter", SIZE);
    keep(&mut app, &mut triage);
    let screen = text(&draw(&app, SIZE.0, SIZE.1));
    assert_eq!(totals(&screen, "managed-all")[1], "45/50");
    assert_eq!(totals(&screen, "managed-relevant")[1], "35/50");
    assert_eq!(totals(&screen, "append-all")[1], "30/50");
}

#[test]
fn a_decision_needs_a_reason_and_esc_drops_it() {
    let mut app = app(PaneKind::Triage);
    assert!(text(&drive(&mut app, "6 x enter", SIZE)).contains("a decision needs a reason"));
    assert!(text(&drive(&mut app, "x \"half a rea\" esc", SIZE)).contains("nothing was kept"));
    assert_eq!(app.take_effects(), []);
}

#[test]
fn editing_a_pattern_shows_at_once_what_changes() {
    let mut app = app(PaneKind::Triage);
    let mut triage = Triage::default();
    let editing = text(&drive(&mut app, "6 i", SIZE));
    assert!(editing.contains("pattern Priya: \\bpriya\\b"), "{editing}");
    assert!(editing.contains("0 answers change their verdict"), "{editing}");
    let wider = drive(&mut app, "\"|do not have\"", SIZE);
    let screen = text(&wider);
    assert!(screen.contains("15 answers change their verdict"), "{screen}");
    assert_eq!(totals(&screen, "managed-all"), ["40/50", "45/50", "40/50"]);
    assert_eq!(style_of(&wider, "do not have").bg, Theme::default().style(Role::Found).bg);
    let broken = text(&drive(&mut app, "\"(\"", SIZE));
    assert!(broken.contains("no regular expression at column 22: unclosed group"), "{broken}");
    assert!(broken.contains("15 answers change"), "the last whole pattern still counts");
    let asked = text(&drive(&mut app, "backspace enter", SIZE));
    assert!(asked.contains("key too narrow, because:"), "{asked}");
    drive(&mut app, "\"It refuses right refusals.\" enter", SIZE);
    let kept = keep(&mut app, &mut triage);
    assert_eq!(kept[0].patterns, [("Priya".to_owned(), "\\bpriya\\b|do not have".to_owned())]);
    let screen = text(&draw(&app, SIZE.0, SIZE.1));
    assert_eq!(totals(&screen, "managed-all"), ["40/50", "45/50", "40/45"]);
    assert!(screen.contains("Key  corrected by a decision"), "{screen}");
}

#[test]
fn an_edit_given_up_changes_nothing() {
    let mut app = app(PaneKind::Triage);
    let before = text(&drive(&mut app, "6", SIZE));
    let after = text(&drive(&mut app, "i \"|x\" esc", SIZE));
    assert_eq!(before, after);
    assert!(text(&drive(&mut app, "i enter", SIZE)).contains("the pattern is as it was"));
}

#[test]
fn t_goes_to_triage_at_the_question_and_6_to_the_suspect() {
    let mut app = app(PaneKind::Question);
    let screen = text(&drive(&mut app, "] t", SIZE));
    assert!(screen.contains("What is the budget per night for the hotel? asked by alice"), "{screen}");
    let mut app = common::app(PaneKind::Question);
    assert!(text(&drive(&mut app, "] 6", SIZE)).contains("Who approves my desk order? asked by bob"));
    let mut app = common::app(PaneKind::Answers);
    assert!(text(&drive(&mut app, "down down t", SIZE)).contains("What should I eat for dinner? asked by alice"));
}

#[test]
fn the_queue_is_stepped_filtered_and_counted() {
    let mut app = app(PaneKind::Triage);
    let mut triage = Triage::default();
    let screen = text(&drive(&mut app, "6 ] ]", SIZE));
    assert!(screen.contains("3 of 10 looked at"), "{screen}");
    assert!(screen.contains("Which operating system should the laptop setup guide cover? asked"), "{screen}");
    drive(&mut app, "[ [ x \"Because.\" enter", SIZE);
    keep(&mut app, &mut triage);
    let screen = text(&drive(&mut app, "f", SIZE));
    assert!(screen.contains("▸Undecided suspects"), "{screen}");
    assert!(!screen.contains("Who approves my desk order?  bob/2"), "{screen}");
    assert!(text(&drive(&mut app, "esc", SIZE)).contains("Who approves my desk order?  bob/2"));
}

#[test]
fn what_is_suspicious_stands_out_without_colours_too() {
    let mut app = app(PaneKind::Triage);
    let buffer = drive(&mut app, "6", SIZE);
    assert_eq!(style_of(&buffer, "78 %").fg, Theme::default().style(Role::Fail).fg);
    let row = row_of(&buffer, "When do we travel to Porto?");
    assert!(text(&buffer).lines().nth(usize::from(row)).unwrap().contains("    26 %"), "not flagged: no mark");
    let mono = drive(&mut app_on(workspace(), PaneKind::Triage, common::mono()), "6", SIZE);
    assert!(text(&mono).contains("!  78 %"));
}

#[test]
fn signals_unfold_with_their_proof() {
    let mut app = app(PaneKind::Triage);
    let screen = text(&drive(&mut app, "6 tab down", SIZE));
    assert!(screen.contains("+2.30 informed answers refuse"), "{screen}");
    assert!(screen.contains("I do not have any stored notes"), "{screen}");
}

#[test]
fn until_the_diagnosis_is_here_the_screen_says_so() {
    let mut app = App::new(settings(), PaneKind::Triage);
    app.loaded(Arc::new(workspace()));
    let screen = text(&drive(&mut app, "x i u f E R tab down", SIZE));
    assert!(screen.contains("Auditing the keys"), "{screen}");
    let workspace = app.workspace().unwrap().clone();
    app.diagnosed(Arc::new(Diagnosis::of(&workspace, &Triage::default())));
    assert!(text(&draw(&app, SIZE.0, SIZE.1)).contains("Who approves my desk order?"));
}
