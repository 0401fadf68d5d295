//! The last row: what is being typed, what was just said, or the keys that work now.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::action::Action;
use super::app::{App, Loading};
use super::prompt::Prompt;
use super::text::{cut, span};
use super::theme::{Role, Theme};
use crate::text::width;

impl App {
    pub(super) fn draw_footer(&self, frame: &mut Frame<'_>, area: Rect) {
        let theme = &self.settings.theme;
        if let Some(prompt) = &self.prompt {
            draw_prompt(prompt, frame, area, theme);
            return;
        }
        let mut right = String::new();
        if let Some(what) = &self.background {
            right = format!("{what}{} ", theme.ellipsis());
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

    /// As many of the keys that work now as fit, with help and quit always among them.
    fn hints(&self, columns: usize) -> Line<'static> {
        let theme = &self.settings.theme;
        let scope = self.active.scope();
        let own = match &self.loading {
            Loading::Done(workspace) => self.pane().actions(&self.view(workspace)),
            _ => Vec::new(),
        };
        let key = |action: Action| self.settings.keymap.hint(scope, action).map(|key| theme.key(&key));
        let both = own.contains(&Action::Left) && own.contains(&Action::Right);
        let hint = |action: Action| match action {
            // Two ways of one thing are one hint.
            Action::Right if both => None,
            Action::Left if both => Some((
                format!("{}{}{}", key(Action::Left)?, theme.pick("", "/"), key(Action::Right)?),
                self.pane().short(action),
            )),
            _ => Some((key(action)?, self.pane().short(action))),
        };
        let always: Vec<_> = [Action::Help, Action::Quit].into_iter().filter_map(hint).collect();
        let cost = |(key, short): &(String, &str)| width(key) + width(short) + 3;
        let mut room = columns.saturating_sub(always.iter().map(cost).sum::<usize>() + 1);
        let mut shown = Vec::new();
        let general = [Action::Search, Action::Finder, Action::Zoom, Action::Copy, Action::Back];
        for entry in own.iter().copied().chain(general).filter_map(hint) {
            match room.checked_sub(cost(&entry)) {
                Some(rest) => room = rest,
                None => continue,
            }
            shown.push(entry);
        }
        let mut spans = vec![Span::raw(" ")];
        for (key, short) in shown.into_iter().chain(always) {
            spans.push(Span::styled(key, theme.style(Role::Key)));
            spans.push(Span::styled(format!(" {short}  "), theme.style(Role::Dim)));
        }
        Line::from(spans)
    }
}

fn draw_prompt(prompt: &Prompt, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let label = format!(" {}: ", prompt.label);
    let room = usize::from(area.width).saturating_sub(width(&label) + 1);
    let scroll = prompt.input.visual_scroll(room);
    let value: String = skip_columns(prompt.input.value(), scroll);
    let cursor = width(&label) + prompt.input.visual_cursor().saturating_sub(scroll);
    let line = Line::from(vec![Span::styled(label, theme.style(Role::Key)), span(&value, theme.style(Role::Text))]);
    frame.render_widget(cut(line, usize::from(area.width), theme), area);
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
