//! What the integration tests share: the bundled workspace, the explorer on it, and reading what was drawn.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use recallscope::diagnosis::Diagnosis;
use recallscope::open::Inputs;
use recallscope::tokens::GemmaCounter;
use recallscope::triage::Triage;
use recallscope::tui::app::App;
use recallscope::tui::options::Settings;
use recallscope::tui::theme::ColorDepth;
use recallscope::tui::{PaneKind, draw, press};
use recallscope::workspace::Workspace;

/// The bundled data, computed.
pub fn workspace() -> Workspace {
    Workspace::open(&Inputs::default(), Arc::new(GemmaCounter)).unwrap()
}

/// Full colours and Unicode, whatever the environment says.
pub fn settings() -> Settings {
    Settings::default()
}

/// Settings without colours, as under NO_COLOR.
pub fn mono() -> Settings {
    let mut settings = Settings::default();
    settings.theme.depth = ColorDepth::None;
    settings
}

/// The explorer on the bundled data.
pub fn app(pane: PaneKind) -> App {
    app_on(workspace(), pane, settings())
}

/// The explorer on any data.
pub fn app_on(workspace: Workspace, pane: PaneKind, settings: Settings) -> App {
    let mut app = App::new(settings, pane);
    let workspace = Arc::new(workspace);
    app.loaded(workspace.clone());
    app.diagnosed(Arc::new(Diagnosis::of(&workspace, &Triage::default())));
    app
}

/// Presses keys, drawing after each as the program does, and returns the last frame.
pub fn drive(app: &mut App, keys: &str, (width, height): (u16, u16)) -> Buffer {
    draw(app, width, height);
    press(app, keys, |app| {
        draw(app, width, height);
    })
    .unwrap();
    draw(app, width, height)
}

/// The text of a frame, a line a row, without trailing spaces.
pub fn text(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width).max(1);
    let row = |cells: &[ratatui::buffer::Cell]| {
        let line: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        line.trim_end().to_owned() + "\n"
    };
    buffer.content.chunks(width).map(row).collect()
}

/// The style in which the first `needle` of a frame is drawn; all its cells must share it.
pub fn style_of(buffer: &Buffer, needle: &str) -> Style {
    let width = usize::from(buffer.area.width);
    for cells in buffer.content.chunks(width) {
        let symbols: Vec<&str> = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        let wanted: Vec<String> = needle.chars().map(String::from).collect();
        if let Some(at) = symbols.windows(wanted.len()).position(|window| window == wanted) {
            let styles: Vec<Style> = cells[at..at + wanted.len()].iter().map(ratatui::buffer::Cell::style).collect();
            assert!(styles.iter().all(|style| *style == styles[0]), "{needle} is drawn in several styles");
            return styles[0];
        }
    }
    panic!("{needle:?} is not on the screen:\n{}", text(buffer));
}

/// The row of a frame on which `needle` stands.
pub fn row_of(buffer: &Buffer, needle: &str) -> u16 {
    let row = text(buffer).lines().position(|line| line.contains(needle));
    u16::try_from(row.unwrap_or_else(|| panic!("{needle:?} is not on the screen:\n{}", text(buffer)))).unwrap()
}

/// The decisions of one proposal on a workspace, at a fixed time. Its reason is "because".
pub fn decided(
    workspace: &Workspace,
    question: &str,
    verdict: recallscope::triage::DecisionVerdict,
    author: &str,
    change: impl FnOnce(&mut recallscope::triage::Proposal),
) -> recallscope::triage::Triage {
    let mut triage = recallscope::triage::Triage::default();
    decide_more(workspace, &mut triage, question, verdict, author, change);
    triage
}

/// Adds the decisions of a further proposal.
pub fn decide_more(
    workspace: &Workspace,
    triage: &mut recallscope::triage::Triage,
    question: &str,
    verdict: recallscope::triage::DecisionVerdict,
    author: &str,
    change: impl FnOnce(&mut recallscope::triage::Proposal),
) {
    let mut proposal = proposal(question, verdict, author);
    change(&mut proposal);
    let made = recallscope::triage::decide(workspace, triage, &proposal, &clock()).unwrap();
    triage.decisions.extend(made);
}

/// A proposal with the reason "because".
pub fn proposal(
    question: &str,
    verdict: recallscope::triage::DecisionVerdict,
    author: &str,
) -> recallscope::triage::Proposal {
    recallscope::triage::Proposal {
        question: question.into(),
        verdict,
        reason: "because".into(),
        author: author.into(),
        answers: None,
        patterns: Vec::new(),
        published: None,
        evidence: Vec::new(),
        withdraw: false,
    }
}

/// A clock that stands still.
pub fn clock() -> recallscope::triage::FixedClock {
    recallscope::triage::FixedClock("2026-11-30T12:00:00Z".parse().unwrap())
}
