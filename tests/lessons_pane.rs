//! The Lessons pane, by key scripts on the bundled curricula.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{app, app_on, drive, mono, style_of, text, workspace};
use ratatui::style::{Color, Modifier};
use recallscope::bundled;
use recallscope::governed::curriculum::Curricula;
use recallscope::tui::PaneKind;
use recallscope::tui::app::App;
use recallscope::tui::theme::{Role, Theme};

const SIZE: (u16, u16) = (120, 40);

fn screen(app: &mut App, keys: &str) -> String {
    text(&drive(app, keys, SIZE))
}

fn head(app: &mut App, keys: &str) -> String {
    screen(app, keys).lines().nth(1).unwrap().trim().to_owned()
}

#[test]
fn the_curve_of_every_curriculum_is_the_one_that_it_comes_to() {
    let read = Curricula::load(&bundled::governed()).unwrap();
    let mut app = app(PaneKind::Lessons);
    for named in &read.curricula {
        let shown = screen(&mut app, "");
        assert!(shown.contains(&format!("{} · ", named.name)), "{shown}");
        assert!(!shown.contains("NOT what the file expects"), "{shown}");
        let curve = named.run().curve;
        for (episode, share) in curve.iter().enumerate() {
            assert!(shown.contains(&format!("│ {episode}  {share:.3} ")), "{episode} {share}: {shown}");
        }
        drive(&mut app, "]", SIZE);
    }
    assert!(head(&mut app, "").starts_with("curriculum 1 of 6"), "it goes round");
    assert!(head(&mut app, "[").starts_with("curriculum 6 of 6"));
}

#[test]
fn a_blocked_lesson_says_which_bar_it_failed() {
    let mut app = app(PaneKind::Lessons);
    let shown = screen(&mut app, "]");
    assert!(shown.contains("✗ BLOCK    0  fraud refund → FRAUD"), "{shown}");
    assert!(shown.contains("blocked: 1 distinct held-out of 2 needed"), "{shown}");
    assert!(screen(&mut app, "b").contains("this lesson was blocked: there is nothing to roll back"));
}

#[test]
fn a_rehearsed_rollback_changes_policy_and_cases_and_ends_with_esc() {
    let mut app = app(PaneKind::Lessons);
    let before = screen(&mut app, "tab");
    assert!(before.contains("Cases 9 of 9 right") && before.contains("Policy most specific first"), "{before}");
    let rehearsed = screen(&mut app, "b");
    assert!(
        rehearsed.contains("rollback rehearsed fraud refund 2 become wrong, 0 become right, tried again: PROMOTE"),
        "{rehearsed}"
    );
    assert!(rehearsed.contains("Policy after the rollback") && rehearsed.contains("Cases 7 of 9 right"), "{rehearsed}");
    assert!(rehearsed.contains("FRAUD → BILLING not FRAUD"), "{rehearsed}");
    assert!(!rehearsed.contains("lesson fraud refund"), "{rehearsed}");
    assert_eq!(screen(&mut app, "esc"), before, "nothing was really taken back");
}

#[test]
fn a_rule_that_is_no_lesson_cannot_be_rolled_back() {
    let mut app = app(PaneKind::Lessons);
    assert!(screen(&mut app, "tab G b").contains("there is no lesson under the cursor to roll back"));
    // The case that a lesson decides names it.
    assert!(screen(&mut app, "tab j b").contains("rollback rehearsed fraud refund"));
}

#[test]
fn the_cursor_of_a_shorter_policy_stays_inside_it() {
    let mut app = app(PaneKind::Lessons);
    // The last rule is under the cursor while a lesson above it is rehearsed away from the log.
    let shown = screen(&mut app, "tab G backtab g b tab");
    assert!(shown.lines().any(|line| line.contains("│▌") && line.contains("otherwise")), "{shown}");
}

#[test]
fn a_search_finds_an_attempt() {
    let mut app = app(PaneKind::Lessons);
    let shown = screen(&mut app, "/ \"password vip\" enter");
    assert!(shown.lines().any(|line| line.contains("▌+ PROMOTE  2  password vip")), "{shown}");
}

#[test]
fn right_and_wrong_are_told_by_mark_as_well_as_by_colour() {
    let theme = Theme::default();
    let buffer = drive(&mut app(PaneKind::Lessons), "tab b", SIZE);
    assert_eq!(style_of(&buffer, "✗").fg, theme.style(Role::Fail).fg);
    assert_eq!(style_of(&buffer, "✓").fg, theme.style(Role::Pass).fg);
    let plain = drive(&mut app_on(workspace(), PaneKind::Lessons, mono()), "tab b", SIZE);
    let style = style_of(&plain, "rollback rehearsed");
    assert!(matches!(style.fg, None | Some(Color::Reset)), "{style:?}");
    assert!(!style.add_modifier.contains(Modifier::HIDDEN), "{style:?}");
    assert!(text(&plain).contains("✗ fraud refund"));
}
