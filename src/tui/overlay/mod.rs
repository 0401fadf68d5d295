//! What opens on top of a pane: the help, the finder, the warnings.

mod finder;
mod help;

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Clear;

use super::action::Action;
use super::footer::Hint;
use super::keymap::{Key, Keymap};
use super::options::Settings;
use super::pane::{PaneKind, Subject};
use super::text::{span, wrap};
use super::theme::{Role, Theme};
use super::widget::list::ScrollState;
use super::widget::part::part;
use crate::workspace::Workspace;
use finder::Finder;

/// What is open on top.
pub enum Overlay {
    /// A text to read.
    Text(TextOverlay),
    /// The finder.
    Finder(Box<Finder>),
}

/// A titled text that scrolls.
pub struct TextOverlay {
    title: &'static str,
    /// Paragraphs: wrapped to the width when drawn.
    lines: Vec<Line<'static>>,
    scroll: ScrollState,
}

/// What becomes of an overlay after a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlayResponse {
    /// It stays open.
    Stay,
    /// It closes.
    Close,
    /// Leave recallscope.
    Quit,
    /// Go to a pane, at a question where one was found.
    Go(PaneKind, Option<usize>),
    /// Replay someone's history.
    Replay(Subject),
    /// Do something.
    Act(Action),
}

impl Overlay {
    /// Every key that works in a pane.
    pub fn help(pane: PaneKind, settings: &Settings) -> Self {
        Self::Text(TextOverlay { title: "Keys", lines: help::lines(pane, settings), scroll: ScrollState::default() })
    }

    /// What was odd in the files.
    pub fn warnings(workspace: &Workspace) -> Self {
        let mut lines: Vec<_> = workspace.warnings.iter().map(|warning| Line::raw(warning.to_string())).collect();
        if lines.is_empty() {
            lines.push(Line::raw("Nothing in the files looks odd."));
        }
        Self::Text(TextOverlay { title: "Odd things in the files", lines, scroll: ScrollState::default() })
    }

    /// The finder over questions, users, panes and actions.
    pub fn finder(workspace: &Arc<Workspace>) -> Self {
        Self::Finder(Box::new(Finder::new(workspace)))
    }

    /// The keys that work while it is open; Esc closes each.
    pub fn hints(&self, settings: &Settings) -> Vec<Hint> {
        let theme = &settings.theme;
        let up_down = |up: &str, down: &str| format!("{}{}{}", theme.key(up), theme.pick("", "/"), theme.key(down));
        match self {
            Self::Finder(_) => {
                vec![
                    Hint::new("", "type to narrow"),
                    Hint::new(up_down("up", "down"), "choose"),
                    Hint::new("enter", "opens"),
                ]
            }
            Self::Text(_) => {
                let key = |action| settings.keymap.hint(super::action::Scope::Global, action);
                let scroll = key(Action::Up).zip(key(Action::Down)).map(|(up, down)| up_down(&up, &down));
                scroll.map(|keys| Hint::new(keys, "scroll")).into_iter().collect()
            }
        }
    }

    /// Takes a key.
    pub fn key(&mut self, event: KeyEvent, keymap: &Keymap) -> OverlayResponse {
        match self {
            Self::Finder(finder) => finder.key(event),
            Self::Text(text) => match keymap.action(super::action::Scope::Global, Key::of(event)) {
                _ if event.code == KeyCode::Esc => OverlayResponse::Close,
                Some(Action::Quit | Action::Help | Action::Warnings | Action::Open | Action::Back) => {
                    OverlayResponse::Close
                }
                Some(action) => {
                    text.scroll.motion(action);
                    OverlayResponse::Stay
                }
                None => OverlayResponse::Stay,
            },
        }
    }

    /// Scrolls.
    pub fn motion(&mut self, action: Action) {
        match self {
            Self::Finder(finder) => finder.motion(action),
            Self::Text(text) => {
                text.scroll.motion(action);
            }
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        if let Self::Finder(finder) = self {
            finder.paste(text);
        }
    }

    /// Draws it over the middle of the pane.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        match self {
            Self::Finder(finder) => {
                let area = middle(area, 100, area.height.saturating_sub(2));
                frame.render_widget(Clear, area);
                finder.draw(frame, area, theme);
            }
            Self::Text(text) => {
                let columns = area.width.min(104);
                let inside = usize::from(columns.saturating_sub(4));
                let indent = 4;
                let lines: Vec<_> = text.lines.iter().flat_map(|line| wrap(&line.spans, inside, indent)).collect();
                let wanted = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2);
                let area = middle(area, columns, wanted);
                frame.render_widget(Clear, area);
                let title =
                    vec![span(text.title, theme.style(Role::Heading)), span(" (esc closes)", theme.style(Role::Dim))];
                let inner = part(frame, area, title, true, theme);
                let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
                text.scroll.draw(frame, inner, &lines, theme);
            }
        }
    }
}

/// An area of at most this size in the middle of another.
fn middle(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}
