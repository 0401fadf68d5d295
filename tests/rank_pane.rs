//! The ranking in Compare, driven by keys.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

mod common;

use std::sync::Arc;

use common::{app, app_on, drive, mono, row_of, settings, style_of, text, workspace};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Modifier;
use recallscope::case::CaseSet;
use recallscope::grade::AnswerKeys;
use recallscope::rank::{Cutoff, Ranking};
use recallscope::source::Source;
use recallscope::tokens::GemmaCounter;
use recallscope::tui::app::{App, Effect};
use recallscope::tui::theme::{Role, Theme};
use recallscope::tui::{PaneKind, draw};
use recallscope::workspace::Workspace;

const SIZE: (u16, u16) = (120, 40);

fn screen(app: &mut App, keys: &str) -> String {
    text(&drive(app, keys, SIZE))
}

#[track_caller]
fn shows(screen: &str, wanted: &str) {
    assert!(screen.contains(wanted), "no \"{wanted}\" in\n{screen}");
}

#[test]
fn one_key_shows_how_well_the_strategies_rank() {
    let mut app = app(PaneKind::Compare);
    let first = screen(&mut app, "r");
    shows(&first, "Ranking, k =  1  3  5 [10] 20  quota  8 questions with required facts");
    shows(&first, "managed-relevant against managed-all: -0.375 recall@10, 95 % interval -0.688 to -0.125;");
    shows(&first, "all found@10: 0 questions gained, 4 lost, McNemar p = 0.125.");
    shows(&first, "any found@10: 0 gained, 2 lost: managed-relevant against managed-all");
    shows(&first, "▌- lost    unranked    rank 3  bob");
    // The same key leads back, and so does Esc.
    shows(&screen(&mut app, "r"), "Measures against managed-all");
    shows(&screen(&mut app, "r esc"), "Measures against managed-all");
}

#[test]
fn brackets_move_the_cutoff() {
    let mut app = app(PaneKind::Compare);
    shows(&screen(&mut app, "r ["), "Ranking, k =  1  3 [5] 10  20  quota");
    shows(&screen(&mut app, "[ [ [ ["), "Ranking, k = [1] 3  5  10  20  quota");
    shows(&screen(&mut app, ""), "managed-relevant against managed-all: +0.438 recall@1,");
    shows(&screen(&mut app, "] ] ] ] ] ] ]"), "20 [quota] 8 questions");
    shows(&screen(&mut app, ""), "recall within quota");
    // It stays where it was while other panes are looked at.
    shows(&screen(&mut app, "1 3"), "20 [quota] 8 questions");
}

#[test]
fn the_list_follows_the_test_the_strategy_and_the_baseline() {
    let mut app = app(PaneKind::Compare);
    shows(&screen(&mut app, "r f"), "all found@10: 0 gained, 4 lost: managed-relevant against managed-all");
    // The question under the cursor is still under it.
    shows(&screen(&mut app, ""), "- lost    unranked    rank 6  alice            When do we travel to Porto?");
    shows(&screen(&mut app, ""), "▌- lost    unranked    rank 3  bob");
    shows(&screen(&mut app, "right"), "all found@10: 0 gained, 0 lost: append-all against managed-all");
    shows(&screen(&mut app, ""), "No question flips: all found@10 is the same for both.");
    shows(&screen(&mut app, "left b"), "all found@10: 0 gained, 4 lost: managed-relevant against append-all");
    shows(&screen(&mut app, "b left left"), "Choose a strategy to hold against the baseline.");
}

#[test]
fn enter_opens_the_flipped_question() {
    let mut app = app(PaneKind::Compare);
    let opened = screen(&mut app, "r f enter");
    shows(&opened, "Which operating system should the laptop setup guide cover?");
    shows(&opened, "managed-relevant strategy 2 of 3");
    // And back to the same row.
    shows(&screen(&mut app, "backspace"), "▌- lost    unranked    rank 3  bob");
    shows(&screen(&mut app, "down enter"), "Who approves my desk order?");
    shows(&screen(&mut app, "3"), "▌- lost    unranked    rank 4  bob");
}

#[test]
fn the_table_has_the_focus_after_tab_and_moves_the_strategy() {
    let mut app = app(PaneKind::Compare);
    shows(&screen(&mut app, "r tab"), "▸Ranking, k =");
    shows(&screen(&mut app, "down"), "append-all against managed-all: 0.000 recall@10");
    shows(&screen(&mut app, "up up"), "managed-all is the baseline.");
    let zoomed = screen(&mut app, "down z");
    assert!(zoomed.contains("▸Ranking, k =") && !zoomed.contains("gained"), "{zoomed}");
}

#[test]
fn searching_and_copying_work_in_the_flips() {
    let mut app = app(PaneKind::Compare);
    shows(&screen(&mut app, "r f / \"desk\" enter"), "▌- lost    unranked    rank 4  bob");
    drive(&mut app, "y", SIZE);
    let copied = Effect::Copy("Who approves my desk order?".to_owned());
    assert!(app.take_effects().contains(&copied));
}

fn categorised() -> Workspace {
    let question = |category: &str, words: &str, fact: &str| serde_json::json!({ "question": words, "required": [fact], "stale": [], "forgotten": [], "category": category });
    let event = |turn: usize, text: &str| serde_json::json!({ "turn": turn, "text": text, "op": "remember", "attribute": turn.to_string() });
    let text = serde_json::json!({
        "facts_quota": 120,
        "conversations": [{
            "user": "ann",
            "events": [event(1, "The cat is Tom."), event(2, "The dog is Rex.")],
            "questions": [question("pets\u{1b}[31m", "Which cat?", "Tom"), question("work", "Who is it?", "Rex")],
        }],
    });
    let cases = CaseSet::load(&Source::new("test", text.to_string())).unwrap();
    Workspace::build(Arc::new(cases), AnswerKeys::default(), Vec::new(), Arc::new(GemmaCounter)).unwrap()
}

#[test]
fn a_category_is_looked_at_alone() {
    let mut app = app_on(categorised(), PaneKind::Compare, settings());
    shows(&screen(&mut app, "r"), "2 questions with required facts ");
    shows(&screen(&mut app, "c"), "1 questions with required facts of category pets^[[31m");
    shows(&screen(&mut app, ""), "No question flips");
    shows(&screen(&mut app, "c"), "of category work");
    shows(&screen(&mut app, ""), "- lost    unranked    rank 1  ann              Who is it?");
    shows(&screen(&mut app, "c"), "2 questions with required facts ");
    let mut none = common::app(PaneKind::Compare);
    shows(&screen(&mut none, "r c"), "the questions have no categories");
}

#[test]
fn the_measures_come_from_a_job_that_can_be_stopped() {
    let mut app = app(PaneKind::Compare);
    let press = |app: &mut App, key| app.key(KeyEvent::new(key, KeyModifiers::NONE));
    press(&mut app, KeyCode::Char('r'));
    assert_eq!(app.take_effects(), [Effect::Rank]);
    shows(&text(&draw(&app, 120, 40)), "Ranking the candidates of 10 questions under 3 strategies: 0 %…");
    app.ranking(4, 10);
    let under = text(&draw(&app, 120, 40));
    shows(&under, "under 3 strategies: 40 %…");
    shows(&under, "esc stop");
    // Nothing is asked for twice, and other panes can be used meanwhile.
    for key in ['1', '3', 'j', ']'] {
        press(&mut app, KeyCode::Char(key));
    }
    assert_eq!(app.take_effects(), []);
    press(&mut app, KeyCode::Esc);
    assert_eq!(app.take_effects(), [Effect::StopRanking]);
    app.ranking(9, 10);
    shows(&text(&draw(&app, 120, 40)), "Measures against managed-all");
    press(&mut app, KeyCode::Char('r'));
    assert_eq!(app.take_effects(), [Effect::Rank]);
    app.ranked(Err("the ranking failed in a way that it never should: no message".to_owned()));
    shows(&text(&draw(&app, 120, 40)), "the ranking failed in a way that it never should");
    let workspace = app.workspace().unwrap().clone();
    app.ranked(Ok(Arc::new(Ranking::of(&workspace.evaluation, &Cutoff::DEFAULT))));
    shows(&text(&draw(&app, 120, 40)), "any found@10: 0 gained, 2 lost");
    // Other data, other rankings.
    app.loaded(Arc::new(common::workspace()));
    assert_eq!(app.take_effects(), [Effect::Rank]);
}

#[test]
fn styles_say_what_is_best_and_what_is_worse() {
    let theme = Theme::default();
    let buffer = drive(&mut app(PaneKind::Compare), "r", SIZE);
    assert_eq!(style_of(&buffer, "-0.375").fg, theme.style(Role::Fail).fg, "worse for sure");
    assert_eq!(style_of(&buffer, "- lost").fg, theme.style(Role::Fail).fg);
    let row = usize::from(row_of(&buffer, "▌managed-relevant"));
    let cell = |needle: &str| {
        let cells = &buffer.content[row * 120..(row + 1) * 120];
        let symbols: String = cells.iter().map(|cell| cell.symbol().chars().next().unwrap()).collect();
        let at =
            symbols.char_indices().map(|(byte, _)| byte).position(|byte| symbols[byte..].starts_with(needle)).unwrap();
        cells[at].style()
    };
    assert_eq!(cell("0.750  0.653").fg, theme.style(Role::Useful).fg, "the best MRR");
    assert_ne!(cell("0.625").fg, theme.style(Role::Useful).fg);
    // Without colours the best is underlined: the row under the cursor is bold.
    let buffer = drive(&mut app_on(workspace(), PaneKind::Compare, mono()), "r", SIZE);
    assert!(style_of(&buffer, "0.653").add_modifier.contains(Modifier::UNDERLINED));
    assert!(!style_of(&buffer, "0.624").add_modifier.contains(Modifier::UNDERLINED));
    assert!(style_of(&buffer, "[10]").add_modifier.contains(Modifier::BOLD));
    assert!(!style_of(&buffer, " 20 ").add_modifier.contains(Modifier::BOLD));
    assert!(buffer.content.iter().all(|cell| {
        let style = cell.style();
        let reset = Some(ratatui::style::Color::Reset);
        style.fg == reset && style.bg == reset
    }));
}
