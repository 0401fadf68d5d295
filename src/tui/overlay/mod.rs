//! What opens on top of a pane: the help, the finder, the warnings.

mod finder;
mod help;
mod text;

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::action::{Action, Scope};
use super::footer::Hint;
use super::keymap::{Key, Keymap};
use super::options::Settings;
use super::pane::{PaneKind, Subject, Typing};
use super::search::search_keys;
use super::text::span;
use super::theme::Theme;
use crate::workspace::Workspace;
use finder::Finder;
use text::{Paragraph, TextOverlay};

/// What is open on top.
pub enum Overlay {
    /// A text to read.
    Text(Box<TextOverlay>),
    /// The finder.
    Finder(Box<Finder>),
}

/// What becomes of an overlay after a key.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Ask for what to search for; each change comes back through [`Overlay::typed`].
    Search,
    /// Stay open, and say something in the footer.
    Say(String),
    /// Put its text on the clipboard.
    Copy(String),
}

impl OverlayResponse {
    fn say(words: Option<String>) -> Self {
        words.map_or(Self::Stay, Self::Say)
    }
}

impl Overlay {
    /// Every key that works in a pane.
    pub fn help(pane: PaneKind, settings: &Settings) -> Self {
        Self::Text(Box::new(TextOverlay::new("Keys", help::paragraphs(pane, settings))))
    }

    /// What was odd in the files.
    pub fn warnings(workspace: &Workspace) -> Self {
        let warnings = workspace.warnings.iter();
        let mut lines: Vec<_> =
            warnings.map(|warning| Paragraph::plain(span(&warning.to_string(), Style::new()))).collect();
        if lines.is_empty() {
            lines.push(Paragraph::plain("Nothing in the files looks odd."));
        }
        Self::Text(Box::new(TextOverlay::new("Odd things in the files", lines)))
    }

    /// The finder over questions, users, panes and actions, opened in a pane.
    pub fn finder(workspace: &Arc<Workspace>, pane: PaneKind) -> Self {
        Self::Finder(Box::new(Finder::new(workspace, pane)))
    }

    /// The keys that work while it is open; Esc closes each.
    pub fn hints(&self, settings: &Settings) -> Vec<Hint> {
        let theme = &settings.theme;
        let key = |action| settings.keymap.hint(Scope::Global, action).map(|key| theme.key(&key));
        let up_down = |up: String, down: String| format!("{up}{}{down}", theme.pick("", "/"));
        match self {
            Self::Finder(_) => {
                let keys = up_down(theme.key("up"), theme.key("down"));
                vec![Hint::new("", "type to narrow"), Hint::new(keys, "choose"), Hint::new("enter", "opens")]
            }
            Self::Text(text) => {
                let scroll = key(Action::Up).zip(key(Action::Down)).map(|(up, down)| up_down(up, down));
                let next = key(Action::SearchNext).filter(|_| text.is_searched());
                let hints = [
                    (scroll, "scroll"),
                    (next, "next match"),
                    (key(Action::Search), "search"),
                    (key(Action::Copy), "copy all"),
                ];
                hints.into_iter().filter_map(|(key, word)| Some(Hint::new(key?, word))).collect()
            }
        }
    }

    /// Takes a key.
    pub fn key(&mut self, event: KeyEvent, keymap: &Keymap) -> OverlayResponse {
        let text = match self {
            Self::Finder(finder) => return finder.key(event),
            Self::Text(text) => text,
        };
        match keymap.action(Scope::Global, Key::of(event)) {
            _ if event.code == KeyCode::Esc => OverlayResponse::Close,
            Some(Action::Quit | Action::Help | Action::Warnings | Action::Open | Action::Back) => {
                OverlayResponse::Close
            }
            Some(Action::Search) => {
                text.begin_search();
                OverlayResponse::Search
            }
            Some(Action::SearchNext) => OverlayResponse::say(text.search(true, &search_keys(keymap, Scope::Global))),
            Some(Action::SearchPrevious) => {
                OverlayResponse::say(text.search(false, &search_keys(keymap, Scope::Global)))
            }
            Some(Action::Copy) => OverlayResponse::Copy(text.words()),
            Some(action) => {
                text.motion(action);
                OverlayResponse::Stay
            }
            None => OverlayResponse::Stay,
        }
    }

    /// The line being typed for its search has changed, was finished or given up. Returns what to say.
    pub fn typed(&mut self, needle: &str, typing: Typing, keymap: &Keymap) -> Option<String> {
        let Self::Text(text) = self else { return None };
        match typing {
            Typing::Changed if needle.is_empty() => {
                text.drop_search();
                None
            }
            Typing::Changed => text.look_for(needle, &search_keys(keymap, Scope::Global)),
            Typing::Finished => text.said(&search_keys(keymap, Scope::Global)),
            Typing::GivenUp => {
                text.drop_search();
                None
            }
        }
    }

    /// Scrolls.
    pub fn motion(&mut self, action: Action) {
        match self {
            Self::Finder(finder) => finder.motion(action),
            Self::Text(text) => text.motion(action),
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        if let Self::Finder(finder) = self {
            finder.paste(text);
        }
    }

    /// Whether a place of the screen belongs to it.
    pub fn contains(&self, column: u16, row: u16) -> bool {
        let area = match self {
            Self::Finder(finder) => finder.area(),
            Self::Text(text) => text.area(),
        };
        area.contains(Position::new(column, row))
    }

    /// Draws it over the middle of the pane.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        match self {
            Self::Finder(finder) => finder.draw(frame, area, theme),
            Self::Text(text) => text.draw(frame, area, theme),
        }
    }
}

/// An area of at most this size in the middle of another.
fn middle(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}
