//! What each pane looks like: its text at three sizes, its styles where they say something.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{app, app_on, drive, mono, row_of, style_of, text, workspace};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use recallscope::case::generate::bundled_cases;
use recallscope::grade::AnswerKeys;
use recallscope::tokens::GemmaCounter;
use recallscope::triage::Triage;
use recallscope::tui::action::Action;
use recallscope::tui::app::App;
use recallscope::tui::options::Settings;
use recallscope::tui::theme::ColorDepth;
use recallscope::tui::theme::{Role, Theme};
use recallscope::tui::{PaneKind, draw};
use recallscope::workspace::Workspace;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// Each pane where it has something to say.
const SCREENS: [(&str, PaneKind, &str); 21] = [
    ("overview", PaneKind::Overview, "down down down right right"),
    ("overview-failures", PaneKind::Overview, "f s right"),
    ("question", PaneKind::Question, "f right"),
    ("question-sides", PaneKind::Question, "f s tab down down"),
    ("compare", PaneKind::Compare, "right"),
    ("compare-ranking", PaneKind::Compare, "r f"),
    ("replay", PaneKind::Replay, "} } }"),
    ("answers", PaneKind::Answers, "v s s s"),
    ("triage", PaneKind::Triage, ""),
    ("triage-detail", PaneKind::Triage, "tab down down down"),
    (
        "triage-edit",
        PaneKind::Triage,
        "i backspace backspace backspace backspace backspace backspace backspace backspace",
    ),
    ("answers-detail", PaneKind::Answers, "v s s s down down down down down enter"),
    ("store", PaneKind::Store, "[ [ [ tab"),
    ("abilities", PaneKind::Abilities, ""),
    ("abilities-probe", PaneKind::Abilities, "] down right right right right tab"),
    ("abilities-layers", PaneKind::Abilities, "tab tab down"),
    ("lessons", PaneKind::Lessons, "] ] ] ] ] down down down"),
    ("lessons-rollback", PaneKind::Lessons, "] ] ] ] down down down b tab tab"),
    (
        "store-clocks",
        PaneKind::Store,
        "o / \"a withdrawn move\" enter enter a \"home city\" enter tab tab tab tab left left p left left",
    ),
    (
        "store-record",
        PaneKind::Store,
        "o / \"summaries of sum\" enter enter { ] ] ] ] ] ] ] down down down down down enter",
    ),
    (
        "store-deletion",
        PaneKind::Store,
        "o / \"deletion of one\" enter enter { ] ] ] ] ] ] ] ] a \"refund receipts\" enter D ]",
    ),
];

fn snapshots() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings
}

#[test]
fn every_pane_at_three_sizes() {
    snapshots().bind(|| {
        for (name, pane, keys) in SCREENS {
            for size in SIZES {
                let screen = text(&drive(&mut app(pane), keys, size));
                insta::assert_snapshot!(format!("{name}-{}x{}", size.0, size.1), screen);
            }
        }
    });
}

/// A letter for each style of a frame, and what the letters mean: what the text of a frame cannot show.
fn style_map(buffer: &Buffer) -> String {
    let mut letters: BTreeMap<String, char> = BTreeMap::new();
    let mut map = String::new();
    for cells in buffer.content.chunks(usize::from(buffer.area.width)) {
        let mut line = String::new();
        for cell in cells {
            let plain = cell.style() == Style::new().fg(Color::Reset).bg(Color::Reset).underline_color(Color::Reset);
            let next = char::from(b'a' + u8::try_from(letters.len()).unwrap());
            let style = format!("{:?} on {:?} {:?}", cell.fg, cell.bg, cell.modifier);
            line.push(if plain { ' ' } else { *letters.entry(style).or_insert(next) });
        }
        map.push_str(line.trim_end());
        map.push('\n');
    }
    for (style, letter) in letters {
        map.push_str(&format!("{letter}: {style}\n"));
    }
    map
}

#[test]
fn every_style_of_every_pane() {
    snapshots().bind(|| {
        for (name, pane, keys) in SCREENS {
            insta::assert_snapshot!(format!("{name}-styles"), style_map(&drive(&mut app(pane), keys, (80, 24))));
        }
    });
}

fn theme() -> Theme {
    Theme::default()
}

#[test]
fn stale_forgotten_and_useful_words_stand_on_their_own_ground() {
    let buffer = drive(&mut app(PaneKind::Question), "left ] ]", (120, 40));
    let line = |needle: &str, at: &str| {
        let row = row_of(&buffer, at);
        let width = usize::from(buffer.area.width);
        let start = usize::from(row) * width;
        let mut strip = Buffer::empty(ratatui::layout::Rect::new(0, 0, buffer.area.width, 1));
        strip.content.clone_from_slice(&buffer.content[start..start + width]);
        style_of(&strip, needle)
    };
    assert_eq!(line("3 to 6 November", "We travel from").bg, theme().style(Role::StaleMatch).bg);
    assert_eq!(line("going to ", "We are going to Porto").bg, theme().style(Role::UsefulMatch).bg);
    assert_eq!(line("Porto", "We are going to Porto").bg, theme().style(Role::UsefulMatch).bg);
    assert_eq!(line("S", "#5  We travel").fg, theme().style(Role::Stale).fg);
    assert!(line("Porto", "We are going to Porto").add_modifier.contains(Modifier::UNDERLINED), "a shared word");
}

#[test]
fn the_forgotten_fact_is_marked_in_block_and_answer() {
    let buffer = drive(&mut app(PaneKind::Question), "left ] ] ] tab", (120, 40));
    let ground = theme().style(Role::ForgottenMatch).bg;
    let marked = buffer.content.iter().filter(|cell| Some(cell.bg) == ground).count();
    assert_eq!(marked, 2 * "P1234567".len(), "once in the memory line, once in the unfolded answer");
}

#[test]
fn the_row_under_the_cursor_is_marked_with_and_without_colours() {
    let mut colored = app(PaneKind::Overview);
    let buffer = drive(&mut colored, "down", (120, 40));
    assert_eq!(style_of(&buffer, "What is the budget").bg, theme().style(Role::Selected).bg);
    assert!(text(&buffer).contains("▌      What is the budget"));
    let mut plain = app_on(workspace(), PaneKind::Overview, mono());
    let buffer = drive(&mut plain, "down", (120, 40));
    assert!(style_of(&buffer, "What is the budget").add_modifier.contains(Modifier::BOLD));
    assert!(!style_of(&buffer, "What should I eat").add_modifier.contains(Modifier::BOLD));
}

#[test]
fn without_colours_no_cell_has_one_and_every_mark_is_there() {
    for (name, pane, keys) in SCREENS {
        let buffer = drive(&mut app_on(workspace(), pane, mono()), keys, (120, 40));
        let colored = buffer.content.iter().filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset).count();
        assert_eq!(colored, 0, "{name}");
    }
    let buffer = drive(&mut app_on(workspace(), PaneKind::Question, mono()), "left ] ]", (120, 40));
    assert!(text(&buffer).contains("S  #5"));
    assert!(text(&buffer).contains("✓  #3"));
    let reversed = buffer.content.iter().filter(|cell| cell.modifier.contains(Modifier::REVERSED)).count();
    let tab = " 2 Question ".len();
    let matched = "10 to 13 November".len() + "3 to 6 November".len() + "going to Porto".len();
    assert_eq!(reversed, tab + matched, "the words of listed facts, and the tab");
}

#[test]
fn ascii_draws_only_ascii() {
    for (name, pane, keys) in SCREENS {
        let mut settings = Settings::default();
        settings.theme.ascii = true;
        let screen = text(&drive(&mut app_on(workspace(), pane, settings), keys, (120, 40)));
        let foreign: String = screen.chars().filter(|c| !c.is_ascii()).collect();
        assert_eq!(foreign, "", "{name}: {screen}");
    }
}

#[test]
fn the_keys_of_the_footer_and_the_help_come_from_the_keymap() {
    let settings =
        Settings::parse(&recallscope::source::Source::new("c.toml", "[keys]\nfailures-only = [\"x\"]")).unwrap();
    let mut app = app_on(workspace(), PaneKind::Overview, settings);
    assert!(text(&drive(&mut app, "", (120, 40))).contains(" x failures"));
    assert!(text(&drive(&mut app, "?", (120, 40))).contains("  x                          Show only questions"));
    let before = text(&drive(&mut app, "esc f", (120, 40)));
    assert!(before.contains("Questions 10 questions"), "f no longer filters");
    assert!(text(&drive(&mut app, "x", (120, 40))).contains("only failures"));
}

#[test]
fn a_question_is_carried_from_pane_to_pane_and_back() {
    let mut app = app(PaneKind::Overview);
    let size = (120, 40);
    assert!(text(&drive(&mut app, "down down right enter", size)).contains("managed-relevant strategy 2 of 3"));
    // The record left out of the block: where did it come from?
    let replay = text(&drive(&mut app, "down down down down down enter", size));
    assert!(replay.contains("How did it come to this?"), "{replay}");
    assert!(replay.contains("alice"));
    let back = text(&drive(&mut app, "backspace backspace", size));
    assert!(back.contains("What went wrong, where?"));
    assert!(text(&drive(&mut app, "alt-right", size)).contains("When do we travel to Porto?  alice/3"));
    assert!(text(&drive(&mut app, "backspace backspace", size)).contains("this is where you began"));
    assert!(text(&drive(&mut app, "5", size)).contains("When do we travel to Porto?"));
}

/// The question in the row under the cursor, by its first letters: lists cut them.
fn question_under_cursor(screen: &str) -> String {
    let workspace = workspace();
    let begins = |question: &str| question.chars().take(12).collect::<String>();
    let questions = || workspace.evaluation.cases.questions().map(|(_, question)| &question.question);
    let row = |row: &str| questions().find(|question| row.contains(&begins(question))).cloned();
    screen.lines().filter(|line| line.contains('▌')).find_map(row).unwrap_or_else(|| panic!("{screen}"))
}

#[test]
fn the_question_that_is_highlighted_is_the_one_that_opens() {
    let size = (120, 40);
    for (pane, keys) in [(PaneKind::Overview, "f 2 [ 1"), (PaneKind::Overview, "6 f 2 ] 1"), (PaneKind::Triage, "")] {
        let mut app = app(pane);
        let question = question_under_cursor(&text(&drive(&mut app, keys, size)));
        assert!(text(&drive(&mut app, "2", size)).contains(&format!(" {question}  ")), "{keys}: {question}");
    }
}

#[test]
fn questions_are_stops_on_the_way_back_and_strategies_are_not() {
    let mut app = app(PaneKind::Overview);
    let size = (120, 40);
    let asked = |app: &mut App, keys: &str| {
        let screen = text(&drive(app, keys, size));
        screen.lines().nth(1).unwrap().trim().split("  ").last().unwrap().to_owned()
    };
    assert_eq!(asked(&mut app, "2"), "alice/1");
    assert_eq!(asked(&mut app, "] right left right ]"), "alice/3");
    assert_eq!(asked(&mut app, "backspace"), "alice/2");
    assert!(text(&draw(&app, size.0, size.1)).contains("managed-relevant strategy 2 of 3"), "as it was left");
    assert_eq!(asked(&mut app, "backspace"), "alice/1");
    assert_eq!(asked(&mut app, "alt-right alt-right"), "alice/3");
    assert!(text(&drive(&mut app, "backspace backspace backspace", size)).contains("What went wrong, where?"));
}

#[test]
fn filters_search_and_the_finder_find() {
    let mut app = app(PaneKind::Overview);
    let size = (120, 40);
    assert!(text(&drive(&mut app, "f", size)).contains("7 of 10 questions, only failures"));
    assert!(text(&drive(&mut app, "u u", size)).contains("3 of 10 questions, only bob, only failures"));
    assert!(text(&drive(&mut app, "esc", size)).contains("Questions 10 questions"));
    assert!(text(&drive(&mut app, "/ \"on-call\" enter enter", size)).contains("When does on-call change?  chen/3"));
    assert!(
        text(&drive(&mut app, "ctrl-p \"snacks\" enter", size)).contains("Order snacks for the team meeting.  chen/2")
    );
    assert!(text(&drive(&mut app, "/ \"nowhere\"", size)).contains("search: nowhere"));
    assert!(text(&drive(&mut app, "enter n", size)).contains("\"nowhere\" is not here"));
}

#[test]
fn copying_takes_the_raw_text_and_says_so() {
    let mut app = app(PaneKind::Question);
    let screen = text(&drive(&mut app, "y", (120, 40)));
    assert!(screen.contains("through the terminal (OSC 52)"), "{screen}");
    assert_eq!(app.take_effects(), [recallscope::tui::app::Effect::Copy("fish now".to_owned())]);
}

#[test]
fn pasted_text_is_no_key_presses() {
    let mut app = app(PaneKind::Overview);
    drive(&mut app, "", (120, 40));
    app.paste("qqq\n/x\u{1b}[31m");
    assert_eq!(app.take_effects(), []);
    drive(&mut app, "/", (120, 40));
    app.paste("on\u{1b}call\n");
    assert!(text(&draw(&app, 120, 40)).contains("search: on call"));
}

#[test]
fn an_empty_case_set_has_a_sentence_everywhere() {
    for pane in PaneKind::ALL {
        let cases = recallscope::case::CaseSet { conversations: Vec::new(), long_replay: None, ..bundled_cases() };
        let empty =
            Workspace::build(Arc::new(cases), AnswerKeys::default(), Vec::new(), Arc::new(GemmaCounter)).unwrap();
        let mut app = app_on(empty, pane, common::settings());
        for action in Action::ALL {
            app.update(*action);
            draw(&app, 80, 24);
        }
        let mut app = App::new(common::settings(), pane);
        assert!(text(&draw(&app, 80, 24)).contains("Reading the cases"));
        app.failed("cases.json:1:1: broken".to_owned());
        assert!(text(&draw(&app, 80, 24)).contains("cases.json:1:1: broken"));
    }
}

#[test]
fn every_pane_at_every_small_size() {
    for (_, pane, keys) in SCREENS {
        let mut app = app(pane);
        drive(&mut app, keys, (120, 40));
        for width in 0..48 {
            for height in 0..14 {
                draw(&app, width, height);
            }
        }
        for overlay in ["?", "ctrl-p", "w", "/"] {
            drive(&mut app, overlay, (80, 24));
            for size in [(0, 0), (1, 1), (40, 10), (41, 11), (200, 10), (40, 60)] {
                draw(&app, size.0, size.1);
            }
            drive(&mut app, "esc", (80, 24));
        }
    }
    assert_eq!(text(&draw(&app(PaneKind::Overview), 20, 5)).lines().next().unwrap(), "20x5: needs 40x10");
}

#[test]
fn pictures_are_made_of_the_same_cells() {
    let picture = recallscope::tui::show(
        workspace(),
        &Triage::default(),
        &Settings::default(),
        PaneKind::Question,
        "f",
        (80, 24),
        recallscope::tui::options::ShowFormat::Svg,
    )
    .unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(picture.contains("When do we travel to Porto?"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// No sequence of actions in any pane at any size makes it panic or puts a control character into a cell.
    #[test]
    fn nothing_panics(
        pane in 0_usize..PaneKind::ALL.len(),
        steps in proptest::collection::vec((0_usize..Action::ALL.len(), 0_u16..130, 0_u16..45), 1..40),
        depth in prop::sample::select(vec![ColorDepth::None, ColorDepth::Ansi16, ColorDepth::Ansi256]),
    ) {
        let mut settings = Settings::default();
        settings.theme.depth = depth;
        let mut app = app_on(workspace(), PaneKind::ALL[pane], settings);
        for (action, width, height) in steps {
            app.update(Action::ALL[action]);
            let buffer = draw(&app, width, height);
            prop_assert!(buffer.content.iter().all(|cell| !cell.symbol().chars().any(char::is_control)));
        }
    }
}
