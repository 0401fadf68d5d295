//! The steps of the subject: what was done, and what came of it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::subject::{Subject, event_words};
use super::{Part, StorePane};
use crate::text::fit_right;
use crate::tui::pane::View;
use crate::tui::text::{mark_found, span, wrap};
use crate::tui::theme::Role;
use crate::tui::widget::part::{empty, part};

impl StorePane {
    /// A step in words: what is done, and what came of it if it was done once.
    pub(super) fn step_words(&self, step: usize, view: &View<'_>) -> Option<String> {
        let player = self.player.as_ref()?;
        let done = match player.scenario() {
            Some(scenario) => {
                let operation = &scenario.steps.get(step)?.operation;
                format!("{} {operation}", operation.name())
            }
            None => event_words(player.events(&view.workspace.evaluation)?.get(step)?),
        };
        Some(match player.told(step) {
            Some(told) => format!("{done}: {}", told.words),
            None => done,
        })
    }

    pub(super) fn draw_steps(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let theme = view.theme;
        let Some(player) = &self.player else { return };
        let title = if matches!(player.subject(), Subject::User(_)) { "Events" } else { "Steps" };
        let inner = part(frame, area, title, self.focus == Part::Steps, theme);
        let len = player.len(&view.workspace.evaluation);
        if len == 0 {
            return empty(frame, inner, "Nothing was done.", theme);
        }
        let columns = usize::from(inner.width);
        let mut rest = inner;
        // What the scenario shows, where the list keeps enough room.
        if let Some(scenario) = player.scenario().filter(|_| inner.height >= 10) {
            let about = wrap(&[Span::raw(" "), span(&scenario.about, theme.style(Role::Dim))], columns, 1);
            for line in about.into_iter().take(3) {
                frame.render_widget(line, Rect { height: 1, ..rest });
                rest = Rect { y: rest.y + 1, height: rest.height - 1, ..rest };
            }
        }
        let digits = len.to_string().len();
        self.steps.draw(frame, rest, len + 1, true, theme, |row| self.step_line(row, digits, columns, view));
    }

    fn step_line(&self, row: usize, digits: usize, columns: usize, view: &View<'_>) -> Line<'static> {
        let theme = view.theme;
        let dim = theme.style(Role::Dim);
        let Some(player) = &self.player else { return Line::default() };
        let Some(step) = row.checked_sub(1) else {
            return Line::styled(format!("{}   before the first step", " ".repeat(digits)), dim);
        };
        let ahead = row > player.target();
        // What came of a step that is still to come is not told before it is done.
        let told = player.told(step).filter(|_| !ahead);
        let (mark, role) = match told.map(|told| (told.holds, told.refused)) {
            Some((Some(true), _)) => (theme.useful(), Role::Pass),
            Some((Some(false), _)) => (theme.pick("✗", "x"), Role::Fail),
            Some((None, true)) => (theme.pick("✗", "x"), Role::Stale),
            Some((None, false)) => ("+", Role::Text),
            None => (theme.neutral(), Role::Dim),
        };
        let now = row == player.target();
        let style = theme.style(match (ahead, now) {
            (true, _) => Role::Dim,
            (_, true) => Role::Heading,
            _ => Role::Text,
        });
        let (name, what) = match player.scenario() {
            Some(scenario) => match scenario.steps.get(step) {
                Some(step) => (step.operation.name().to_owned(), step.operation.to_string()),
                None => return Line::default(),
            },
            None => match player.events(&view.workspace.evaluation).and_then(|events| events.get(step)) {
                Some(event) => (format!("{:>3}", event.turn), event_words(event)),
                None => return Line::default(),
            },
        };
        let number = fit_right(&row.to_string(), digits);
        let mut spans = vec![
            Span::styled(format!("{number} "), dim),
            Span::styled(format!("{mark} "), theme.style(role)),
            Span::styled(format!("{name} "), if ahead { dim } else { theme.style(Role::Key) }),
        ];
        // What came of it matters more than all the words of what was done.
        let outcome = told.map(|told| format!("{} {}", theme.pick("→", ">"), told.words)).unwrap_or_default();
        let used: usize = spans.iter().map(Span::width).sum::<usize>() + 1;
        let wanted = crate::text::width(&outcome) + 1;
        let room = columns.saturating_sub(used + wanted).max(columns.saturating_sub(used) / 2);
        let what = span(&what, style);
        spans.push(Span::styled(crate::text::truncate_with(&what.content, room, theme.ellipsis()).into_owned(), style));
        if !outcome.is_empty() {
            let refused = told.is_some_and(|told| told.refused);
            let style = theme.style(if refused { Role::Stale } else { Role::Dim });
            spans.extend([Span::raw(" "), span(&outcome, style)]);
        }
        mark_found(Line::from(spans), view.needle, theme)
    }
}
