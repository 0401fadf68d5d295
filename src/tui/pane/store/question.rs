//! Any question, answered at the pointers: the candidates, their scores, and the reason to abstain.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::clocks::{Pointers, words};
use super::facts::Facts;
use super::looks;
use crate::governed::{Abstention, Outcome, Query, Reading, Scope, Store};
use crate::tui::action::Action;
use crate::tui::pane::View;
use crate::tui::text::{mark_found, span, wrap};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::list::ScrollState;
use crate::tui::widget::part::{empty, part};

/// A question and its answer.
#[derive(Default)]
pub(super) struct Question {
    pub(super) text: String,
    reading: Option<Result<Reading, String>>,
    pub(super) scroll: ScrollState,
}

impl Question {
    /// Asks at the pointers.
    pub(super) fn derive(&mut self, store: &Store, facts: &Facts, pointers: &Pointers) {
        self.reading = match self.text.trim() {
            "" => None,
            text => facts.ask(store, text, pointers).map(|asked| asked.map_err(|error| error.to_string())),
        };
    }

    /// The answer as quoted evidence.
    pub(super) fn copy(&self) -> Option<String> {
        match &self.reading {
            Some(Ok(reading)) => reading.answer().map(|answer| crate::governed::quote(&answer.record)),
            _ => None,
        }
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, pointers: &Pointers, focused: bool, view: &View<'_>) {
        let theme = view.theme;
        let dim = theme.style(Role::Dim);
        let mut title = vec![Span::raw("Question")];
        if !self.text.trim().is_empty() {
            title.push(span(&format!(" {}", self.text), theme.style(Role::Text)));
            let clocks = match (pointers.as_of, pointers.known_at) {
                (None, None) => String::new(),
                (as_of, known) => format!(" as of {}, known at {}", words(as_of.or(known)), words(known)),
            };
            title.push(Span::styled(clocks, dim));
        }
        let inner = part(frame, area, Line::from(title), focused, theme);
        let lines = match &self.reading {
            None => {
                let key = view.keymap.hint(crate::tui::action::Scope::Store, Action::StoreAsk).unwrap_or_default();
                return empty(frame, inner, &format!("{key} asks any question, answered at the pointers."), theme);
            }
            Some(Err(error)) => return empty(frame, inner, error, theme),
            Some(Ok(reading)) => reading_lines(reading, usize::from(inner.width), theme),
        };
        self.scroll.draw_rows(frame, inner, lines.len(), theme, |row| {
            mark_found(lines.get(row).cloned().unwrap_or_default(), view.needle, theme)
        });
    }
}

fn threshold() -> Option<f64> {
    Scope::new("t", None).ok().map(|scope| Query::new("", scope).threshold)
}

/// An answer or the reason why there is none, and each candidate with its score.
pub(in crate::tui::pane) fn reading_lines(reading: &Reading, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let dim = theme.style(Role::Dim);
    let mut lines = Vec::new();
    let limit = threshold().map(|limit| limit.to_string()).unwrap_or_default();
    let (head, chosen) = match &reading.outcome {
        Outcome::Answered(answer) => (
            vec![
                Span::styled(format!(" {} ", theme.useful()), theme.style(Role::Useful)),
                span(answer.record.value.as_deref().unwrap_or_default(), theme.style(Role::Heading)),
                Span::styled(format!("  score {} of at least {limit}", answer.score), dim),
            ],
            vec![answer.record.id.as_str()],
        ),
        Outcome::Abstained(reason) => {
            let ids = match reason {
                Abstention::Conflict { ids } => ids.iter().map(String::as_str).collect(),
                _ => Vec::new(),
            };
            let abstains = format!(" {} no answer", theme.missing());
            (vec![Span::styled(abstains, theme.style(Role::Missing)), span(&format!(": {reason}"), dim)], ids)
        }
    };
    lines.extend(wrap(&head, columns, 3));
    for candidate in &reading.considered {
        let record = &candidate.record;
        let shared: Vec<&str> = candidate.shared.iter().map(String::as_str).collect();
        let mark = if chosen.contains(&record.id.as_str()) { theme.pick("▸", ">") } else { " " };
        let spans = vec![
            Span::styled(format!(" {mark} {:>5.2} ", candidate.score), theme.style(Role::Heading)),
            Span::styled(format!("= {} shared + {:.2} sure  ", candidate.shared.len(), record.confidence), dim),
            span(&looks::fact(record), theme.style(Role::Text)),
            span(&format!("  {} {}", looks::interval(record.span), looks::source(record.source)), dim),
            span(&format!("  shares {}", shared.join(" ")), theme.style(Role::Shared)),
        ];
        lines.extend(wrap(&spans, columns, 9));
    }
    if reading.considered.is_empty() {
        lines.extend(wrap(&[Span::styled(" no candidate was scored", dim)], columns, 1));
    }
    lines
}
