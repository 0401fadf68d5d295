//! What opens on top of a pane: the help, the warnings and the finder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{app, app_on, drive, row_of, settings, style_of, text};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use recallscope::case::CaseSet;
use recallscope::grade::AnswerKeys;
use recallscope::source::Source;
use recallscope::tokens::GemmaCounter;
use recallscope::tui::app::{App, Effect};
use recallscope::tui::theme::{Role, Theme};
use recallscope::tui::{PaneKind, draw};
use recallscope::workspace::Workspace;

const SIZE: (u16, u16) = (120, 40);

fn click(app: &mut App, column: u16, row: u16) {
    let kind = MouseEventKind::Down(MouseButton::Left);
    app.mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
}

/// All rows of the help, wherever it must be scrolled to.
fn help(pane: PaneKind) -> String {
    text(&drive(&mut app(pane), "?", (120, 200)))
}

#[test]
fn the_help_shows_every_key_in_full_with_its_sentence_beside_it() {
    let screen = help(PaneKind::Overview);
    assert!(screen.contains("  backspace alt-left ctrl-o  Go back to what was open before."), "{screen}");
    assert!(screen.contains("  pagedown ctrl-f ctrl-d     One page down."), "{screen}");
    let narrow = drive(&mut app(PaneKind::Overview), "? / \"mouse on\" enter", (80, 24));
    let row = usize::from(row_of(&narrow, "Turn the mouse on"));
    let continued = text(&narrow).lines().nth(row + 1).unwrap().to_owned();
    assert!(continued.starts_with(&format!("│{}terminal cannot select", " ".repeat(30))), "{continued:?}");
}

#[test]
fn the_help_of_replay_says_what_digits_do() {
    let screen = help(PaneKind::Replay);
    assert!(screen.contains("0-9"), "{screen}");
    assert!(screen.contains("Collect a turn's number: G goes to that turn, enter after one digit to"), "{screen}");
    assert!(screen.contains("  2 enter "), "a digit alone does not go to a pane here: {screen}");
    assert!(!help(PaneKind::Answers).contains("0-9"));
}

#[test]
fn both_ways_to_triage_are_told_apart() {
    let screen = help(PaneKind::Overview);
    assert!(screen.contains("Go to Triage, to the suspect looked at last"), "{screen}");
    assert!(screen.contains("Go to Triage, to the question under the cursor."), "{screen}");
    assert!(!help(PaneKind::Triage).contains("to the question under the cursor."));
    let found = text(&drive(&mut app(PaneKind::Overview), "ctrl-p \"triage\"", SIZE));
    assert!(found.contains("Triage: Is the key at fault?") && found.contains("triage-here: Go to"), "{found}");
    assert!(!text(&drive(&mut app(PaneKind::Triage), "ctrl-p \"triage\"", SIZE)).contains("triage-here"));
}

#[test]
fn the_help_can_be_searched_and_copied() {
    let mut app = app(PaneKind::Overview);
    let screen = drive(&mut app, "? / \"next\"", (100, 24));
    let words = text(&screen);
    assert!(words.contains("search: next") && words.contains("match 1 of "), "{words}");
    assert_eq!(style_of(&screen, "next").bg, Theme::default().style(Role::Found).bg);
    let words = text(&drive(&mut app, "enter n n", (100, 24)));
    assert!(words.lines().last().unwrap().contains("match 3 of "), "{words}");
    assert!(text(&drive(&mut app, "N", (100, 24))).contains("match 2 of "));
    drive(&mut app, "y", (100, 24));
    let copied = app.take_effects();
    let [Effect::Copy(copied)] = copied.as_slice() else { panic!("{copied:?}") };
    assert!(copied.contains("\n  q ctrl-c                   Leave recallscope.\n"), "{copied}");
    // Given up, a search leaves the text as it was before.
    let before = text(&drive(&mut app, "g", (100, 24)));
    let after = text(&drive(&mut app, "/ \"select\" esc", (100, 24)));
    assert_eq!(before.lines().nth(3), after.lines().nth(3));
    assert!(!text(&drive(&mut app, "esc", (100, 24))).contains("esc closes"));
}

#[test]
fn a_click_outside_closes_what_is_open() {
    for keys in ["?", "w", "ctrl-p"] {
        let mut app = app(PaneKind::Overview);
        drive(&mut app, keys, SIZE);
        click(&mut app, 60, 20);
        assert!(text(&draw(&app, SIZE.0, SIZE.1)).contains("esc closes"), "{keys}: inside");
        click(&mut app, 2, 20);
        assert!(!text(&draw(&app, SIZE.0, SIZE.1)).contains("esc closes"), "{keys}: outside");
    }
}

#[test]
fn no_half_sentence_is_left_beside_the_finder() {
    let screen = text(&drive(&mut app(PaneKind::Overview), "ctrl-p \"zzzzzz\"", (120, 30)));
    for line in screen.lines().skip(1).take(28) {
        let outside: String =
            line.chars().enumerate().filter(|(x, _)| !(10..110).contains(x)).map(|(_, c)| c).collect();
        assert_eq!(outside.trim(), "", "{screen}");
    }
}

#[test]
fn the_finder_shows_marks_and_joined_letters_whole() {
    let cases = serde_json::json!({"facts_quota": 9, "conversations": [{"user": "u", "events": [], "questions": [
        {"question": "cafe\u{301} and porto", "required": [], "stale": [], "forgotten": []}
    ]}]});
    let cases = CaseSet::load(&Source::new("cases", cases.to_string())).unwrap();
    let workspace = Workspace::build(
        std::sync::Arc::new(cases),
        AnswerKeys::default(),
        Vec::new(),
        std::sync::Arc::new(GemmaCounter),
    );
    let mut app = app_on(workspace.unwrap(), PaneKind::Overview, settings());
    let screen = drive(&mut app, "ctrl-p \"PORTO\"", SIZE);
    assert!(text(&screen).contains("cafe\u{301} and porto"), "{}", text(&screen));
    let focus = Theme::default().style(Role::Focus).fg;
    let row = usize::from(row_of(&screen, "and porto"));
    let row = &screen.content[row * 120..(row + 1) * 120];
    let lit: String = row.iter().skip(12).filter(|cell| Some(cell.fg) == focus).map(|cell| cell.symbol()).collect();
    assert_eq!(lit.trim_end_matches('│').trim(), "porto");
}
