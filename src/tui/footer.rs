//! The last row: what is being typed, what was just said, or the keys that work now.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::action::Action;
use super::app::{App, Loading};
use super::pane::{PaneKind, View};
use super::prompt::{Asker, Prompt};
use super::text::{cut, span};
use super::theme::{Role, Theme};
use crate::text::width;

impl App {
    pub(super) fn draw_footer(&self, frame: &mut Frame<'_>, area: Rect) {
        let theme = &self.settings.theme;
        if let Some(prompt) = &self.prompt {
            draw_prompt(prompt, self.status.as_deref(), frame, area, theme);
            return;
        }
        let mut right = String::new();
        if let Some(what) = &self.background {
            right = format!("  {what}{} ", theme.ellipsis());
        }
        let room = usize::from(area.width).saturating_sub(width(&right));
        let line = match &self.status {
            Some(status) => Line::from(vec![Span::raw(" "), span(status, theme.style(Role::Warning))]),
            None => self.hints(room),
        };
        let mut line = cut(line, room, theme);
        let gap = room.saturating_sub(line.width());
        line.spans.push(Span::raw(" ".repeat(gap)));
        line.spans.push(span(&right, theme.style(Role::Incomplete)));
        frame.render_widget(line, area);
    }

    /// As many of the keys that work now as fit, the pane's own before the general ones. The last ones are always there.
    fn hints(&self, columns: usize) -> Line<'static> {
        let theme = &self.settings.theme;
        let (hints, always) = match &self.overlay {
            Some(overlay) => (overlay.hints(&self.settings), vec![Hint::new("esc", "closes")]),
            None => {
                let always = [Action::Help, Action::Quit].into_iter().filter_map(|action| self.hint(action, &[]));
                (self.pane_hints(), always.collect())
            }
        };
        // No blanks after the last one.
        let room = (columns + GAP).saturating_sub(1 + always.iter().map(Hint::columns).sum::<usize>());
        let mut used = 0;
        // Nothing after the first that has no room: what is missing is less useful than all that is there.
        let fitting = hints.into_iter().take_while(|hint| {
            used += hint.columns();
            used <= room
        });
        let mut spans = vec![Span::raw(" ")];
        for hint in fitting.collect::<Vec<_>>().into_iter().chain(always) {
            let blank = if hint.key.is_empty() { "" } else { " " };
            spans.push(Span::styled(hint.key, theme.style(Role::Key)));
            spans.push(Span::styled(format!("{blank}{}{}", hint.word, " ".repeat(GAP)), theme.style(Role::Dim)));
        }
        if let Some(last) = spans.last_mut() {
            last.content = last.content.trim_end().to_owned().into();
        }
        Line::from(spans)
    }

    /// The keys of the pane in view that do something now, then those that work in every pane.
    fn pane_hints(&self) -> Vec<Hint> {
        let Loading::Done(workspace) = &self.loading else { return Vec::new() };
        let view = self.view(workspace);
        let mut actions = self.pane().actions(&view);
        match (self.cancel_word(&view), actions.contains(&Action::Cancel)) {
            (Some(_), false) => actions.insert(0, Action::Cancel),
            (None, true) => actions.retain(|action| *action != Action::Cancel),
            _ => {}
        }
        let own = actions.len();
        let searched = !self.search.needle.is_empty();
        let elsewhere = self.active != PaneKind::Triage;
        let general = [
            (searched, Action::SearchNext),
            (true, Action::Search),
            (true, Action::Finder),
            (!view.zoomed, Action::Zoom),
            (true, Action::Copy),
            (elsewhere, Action::TriageHere),
            (self.trail.leads_back(), Action::Back),
        ];
        for (_, action) in general.into_iter().filter(|(now, _)| *now) {
            if !actions.contains(&action) {
                actions.push(action);
            }
        }
        if view.zoomed {
            actions.retain(|action| *action != Action::Zoom);
        }
        let own = actions.get(..own.min(actions.len())).unwrap_or_default();
        actions.iter().filter_map(|action| self.hint(*action, own)).collect()
    }

    /// The hint of an action, where it has a key. Two ways of one thing are one hint, where the first of them stands.
    fn hint(&self, action: Action, own: &[Action]) -> Option<Hint> {
        let theme = &self.settings.theme;
        let key = |action| self.settings.keymap.hint(self.active.scope(), action).map(|key| theme.key(&key));
        let pair = PAIRS.iter().find(|pair| pair.contains(&action) && pair.iter().all(|one| own.contains(one)));
        if let Some([back, on]) = pair {
            let first = own.iter().find(|one| **one == *back || **one == *on) == Some(&action);
            let keys = format!("{}{}{}", key(*back)?, theme.pick("", "/"), key(*on)?);
            return first.then(|| Hint::new(keys, self.pane().short(*on)));
        }
        let word = match (action, &self.loading) {
            (Action::Cancel, Loading::Done(workspace)) => self.cancel_word(&self.view(workspace))?,
            _ => self.pane().short(action),
        };
        Some(Hint::new(key(action)?, word))
    }

    /// What Esc does now.
    fn cancel_word(&self, view: &View<'_>) -> Option<&'static str> {
        let pane = self.pane().cancels(view);
        if self.pane().takes_number() {
            pane
        } else if self.zoomed {
            Some("unzoom")
        } else if self.search.needle.is_empty() {
            pane
        } else {
            Some("stop search")
        }
    }
}

/// Blanks after a hint.
const GAP: usize = 2;

/// Actions that are two ways of one thing.
const PAIRS: [[Action; 2]; 4] = [
    [Action::Left, Action::Right],
    [Action::StepBack, Action::StepForward],
    [Action::SmallerK, Action::LargerK],
    [Action::StoreBack, Action::StoreForward],
];

/// A key and what it does, in a word or two.
pub struct Hint {
    key: String,
    word: &'static str,
}

impl Hint {
    /// A hint. Without a key the word stands alone.
    pub fn new(key: impl Into<String>, word: &'static str) -> Self {
        Self { key: key.into(), word }
    }

    fn columns(&self) -> usize {
        width(&self.key) + usize::from(!self.key.is_empty()) + width(self.word) + GAP
    }
}

/// The line being typed with the cursor in it, and at the right end, where there is room, what was found and the keys.
fn draw_prompt(prompt: &Prompt, said: Option<&str>, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let columns = usize::from(area.width);
    let label = format!(" {}: ", prompt.label);
    let room = columns.saturating_sub(width(&label) + 1);
    let scroll = prompt.input.visual_scroll(room);
    let value = span(&skip_columns(prompt.input.value(), scroll), theme.style(Role::Text));
    let cursor = width(&label) + prompt.input.visual_cursor().saturating_sub(scroll);
    let typed = width(&label) + width(&value.content);
    let mut line = Line::from(vec![Span::styled(label, theme.style(Role::Key)), value]);
    let enter = if prompt.asker != Asker::Pane { "enter finds" } else { "enter keeps" };
    let keys = format!("{enter} {} esc drops ", theme.neutral());
    let said = said.map(|said| format!("{said}  ")).filter(|said| typed + 2 + width(said) + width(&keys) <= columns);
    let right = width(&keys) + said.as_deref().map_or(0, width);
    // A text that begins to scroll has no room to give away.
    if scroll == 0 && typed + 2 + right <= columns {
        line.spans.push(Span::raw(" ".repeat(columns - typed - right)));
        line.spans.extend(said.map(|said| span(&said, theme.style(Role::Warning))));
        line.spans.push(Span::styled(keys, theme.style(Role::Dim)));
    }
    frame.render_widget(cut(line, columns, theme), area);
    let x = u16::try_from(cursor).unwrap_or(u16::MAX).min(area.width.saturating_sub(1));
    frame.set_cursor_position((area.x + x, area.y));
}

/// The rest of a text after its first `columns` columns.
fn skip_columns(text: &str, columns: usize) -> String {
    let mut passed = 0;
    text.chars()
        .skip_while(|c| {
            let before = passed < columns;
            passed += width(c.encode_utf8(&mut [0; 4]));
            before
        })
        .collect()
}
