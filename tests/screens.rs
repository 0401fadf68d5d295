//! Every pane at every small size, every key in every empty view, the mouse everywhere: nothing panics, and what is drawn
//! is what a terminal may get.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use recallscope::case::CaseSet;
use recallscope::grade::AnswerKeys;
use recallscope::open::Inputs;
use recallscope::recording::Recording;
use recallscope::source::Source;
use recallscope::tokens::GemmaCounter;
use recallscope::tui::action::Action;
use recallscope::tui::app::{App, Effect};
use recallscope::tui::keymap::Key;
use recallscope::tui::options::Settings;
use recallscope::tui::{PaneKind, draw, press};
use recallscope::workspace::Workspace;

fn bundled() -> Arc<Workspace> {
    Arc::new(Workspace::open(&Inputs::default(), Arc::new(GemmaCounter)).unwrap())
}

fn with_cases(cases: &str) -> Arc<Workspace> {
    let cases = CaseSet::load(&Source::new("cases", cases)).unwrap();
    Arc::new(Workspace::build(Arc::new(cases), AnswerKeys::default(), Vec::new(), Arc::new(GemmaCounter)).unwrap())
}

/// Cases in which something is missing that panes may count on.
fn bare() -> Vec<Arc<Workspace>> {
    let replay = |events: &str| {
        format!("\"long_replay\": {{\"user\": \"d\", \"sample_every\": 1, \"events\": [{events}]}}, \"facts_quota\": 1")
    };
    let event =
        |turn: u64| format!("{{\"turn\": {turn}, \"text\": \"x\", \"op\": \"remember\", \"attribute\": \"a\"}}");
    let question = "{\"question\": \"\", \"required\": [], \"stale\": [], \"forgotten\": []}";
    let user = |events: &str, questions: &str| {
        format!("[{{\"user\": \"\", \"events\": [{events}], \"questions\": [{questions}]}}]")
    };
    [
        "{\"facts_quota\": 0, \"conversations\": []}".to_owned(),
        format!("{{\"facts_quota\": 0, \"conversations\": {}}}", user("", "")),
        format!("{{\"facts_quota\": 0, \"conversations\": {}}}", user("", question)),
        format!("{{\"facts_quota\": 9, \"conversations\": {}}}", user(&event(0), "")),
        format!("{{{}, \"conversations\": []}}", replay("")),
        format!("{{{}, \"conversations\": []}}", replay(&event(0))),
        format!("{{{}, \"conversations\": {}}}", replay(&[event(1), event(1)].join(",")), user(&event(7), question)),
    ]
    .iter()
    .map(|cases| with_cases(cases))
    .collect()
}

fn app(workspace: &Arc<Workspace>, pane: PaneKind) -> App {
    let mut app = App::new(Settings::default(), pane);
    app.loaded(Arc::clone(workspace));
    app
}

/// The app in a pane and in each state that keys lead to.
fn states(workspace: &Arc<Workspace>, pane: PaneKind) -> Vec<App> {
    ["", "?", "ctrl-p \"a\"", "/ \"a\"", "w", "z", "j tab j", "m"]
        .iter()
        .map(|keys| {
            let mut app = app(workspace, pane);
            draw(&app, 80, 24);
            press(&mut app, keys, |_| ()).unwrap();
            app
        })
        .collect()
}

#[test]
fn every_pane_is_drawn_at_every_small_size() {
    let workspace = bundled();
    for pane in PaneKind::ALL {
        for app in states(&workspace, pane) {
            for width in (0..=30).step_by(3).chain(38..=46) {
                for height in 0..=12 {
                    let buffer = draw(&app, width, height);
                    assert_eq!((buffer.area.width, buffer.area.height), (width, height));
                }
            }
            draw(&app, 1, 200);
            draw(&app, 200, 1);
            draw(&app, 400, 200);
        }
    }
    let app = app(&workspace, PaneKind::Overview);
    for width in 0..=30 {
        for height in 0..=12 {
            draw(&app, width, height);
        }
    }
}

#[test]
fn every_key_works_in_every_empty_view() {
    for workspace in bare() {
        for pane in PaneKind::ALL {
            for mut app in states(&workspace, pane) {
                for keys in Action::ALL.iter().map(|action| action.default_keys()) {
                    for key in keys {
                        app.key(Key::parse(key).unwrap().event());
                        if app.ticking().is_some() {
                            app.tick();
                        }
                    }
                }
                draw(&app, 60, 12);
                draw(&app, 120, 40);
            }
        }
    }
}

#[test]
fn the_mouse_works_everywhere_and_beyond() {
    let workspace = bundled();
    let kinds = [
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Up(MouseButton::Left),
        MouseEventKind::Drag(MouseButton::Left),
        MouseEventKind::Down(MouseButton::Right),
        MouseEventKind::Moved,
        MouseEventKind::ScrollDown,
        MouseEventKind::ScrollUp,
    ];
    for pane in PaneKind::ALL {
        for mut app in states(&workspace, pane) {
            draw(&app, 80, 24);
            for (column, row) in
                [(0, 0), (79, 0), (0, 23), (79, 23), (80, 24), (40, 12), (3, 5), (65535, 65535), (65535, 0)]
            {
                for kind in kinds {
                    app.mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
                }
            }
            draw(&app, 41, 10);
        }
    }
}

#[test]
fn releases_are_ignored_and_repeats_are_keys() {
    let workspace = bundled();
    let press = |kind| {
        let mut app = app(&workspace, PaneKind::Overview);
        app.key(KeyEvent { kind, ..KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE) });
        app.take_effects()
    };
    assert_eq!(press(KeyEventKind::Release), []);
    assert_eq!(press(KeyEventKind::Press), [Effect::Quit]);
    assert_eq!(press(KeyEventKind::Repeat), [Effect::Quit]);
}

#[test]
fn shift_does_not_change_what_a_character_does() {
    for text in ["G", "N", "?", "{", "}"] {
        let code = KeyCode::Char(text.chars().next().unwrap());
        for modifiers in [KeyModifiers::NONE, KeyModifiers::SHIFT] {
            assert_eq!(Key::of(KeyEvent::new(code, modifiers)).to_string(), text);
        }
    }
}

fn fixture(name: &str) -> Source {
    let path = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    Source::read(&path).unwrap()
}

#[test]
fn no_cell_holds_what_a_terminal_would_obey() {
    for kind in ["controls", "escapes", "bidi", "tabs-crlf", "emoji", "cjk", "arabic"] {
        let cases = CaseSet::load(&fixture(&format!("hostile-{kind}.json"))).unwrap();
        let answers = Recording::load(&fixture("hostile-answers.json")).unwrap();
        let workspace =
            Workspace::build(Arc::new(cases), AnswerKeys::default(), vec![answers], Arc::new(GemmaCounter)).unwrap();
        let workspace = Arc::new(workspace);
        for pane in PaneKind::ALL {
            for app in states(&workspace, pane) {
                for (width, height) in [(120, 40), (47, 11)] {
                    for cell in draw(&app, width, height).content() {
                        let wild =
                            |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
                        assert!(!cell.symbol().chars().any(wild), "{kind}, {pane:?}: {:?}", cell.symbol());
                    }
                }
            }
        }
    }
}

#[test]
fn under_ascii_every_cell_is_ascii_and_columns_stay() {
    let settings = Settings::default().with(None, None, true);
    let cases = CaseSet::load(&fixture("hostile-cjk.json")).unwrap();
    let keys = Arc::new(GemmaCounter);
    let workspace = Workspace::build(Arc::new(cases), AnswerKeys::default(), Vec::new(), keys).unwrap();
    let mut app = App::new(settings, PaneKind::Overview);
    app.loaded(Arc::new(workspace));
    press(&mut app, "ctrl-p \"q\"", |_| ()).unwrap();
    let buffer = draw(&app, 80, 20);
    let text: String = buffer.content().iter().map(|cell| cell.symbol()).collect();
    assert!(text.is_ascii());
    assert_eq!(text.len(), 80 * 20, "one column a cell");
    assert!(text.contains("What do I like, ???????????? or tea?"), "two marks for a wide character");
}
