//! The probes of the cell under the cursor, the one under the cursor unfolded: what everybody answered, and what the governed
//! store weighed.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::facts::Facts;
use super::{AbilitiesPane, Part};
use crate::abilities::{Answered, answer_words};
use crate::tui::pane::View;
use crate::tui::pane::store::reading_lines;
use crate::tui::text::{mark_found, span, wrap};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::part::{empty, part};

/// Columns before what is unfolded.
const INDENT: usize = 3;

impl AbilitiesPane {
    pub(super) fn draw_probes(&self, frame: &mut Frame<'_>, area: Rect, facts: &Facts, view: &View<'_>) {
        let theme = view.theme;
        let dim = theme.style(Role::Dim);
        let system = self.systems.selected();
        let name = facts.trial.tried.get(system).map_or("", |tried| tried.name.as_str());
        let ability = self.ability().map_or("every ability", |ability| ability.name());
        let title = Line::from(vec![Span::raw("Probes"), span(&format!(" {ability}, answered by {name}"), dim)]);
        let focused = self.focus == Part::Probes;
        let inner = part(frame, area, title, focused, theme);
        let shown = self.shown();
        if shown.is_empty() {
            return empty(frame, inner, "This suite has no probe of this ability.", theme);
        }
        let columns = usize::from(inner.width).saturating_sub(1);
        let needle = if focused { view.needle } else { "" };
        self.probes.draw_unfolded(frame, inner, shown.len(), focused, theme, |row| {
            let Some(place) = shown.get(row).copied() else { return Vec::new() };
            let mut lines = vec![probe_line(facts, system, place, theme)];
            if row == self.probes.selected() {
                lines.extend(self.unfolded(facts, place, columns, theme));
            }
            lines.into_iter().map(|line| mark_found(line, needle, theme)).collect()
        });
    }

    fn unfolded(&self, facts: &Facts, place: usize, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
        let dim = theme.style(Role::Dim);
        let mut spans = vec![Span::styled(" ".repeat(INDENT) + "answers ", dim)];
        for (at, tried) in facts.trial.tried.iter().enumerate() {
            let Some(answered) = tried.answers.get(place) else { continue };
            let gap = if at == 0 { "" } else { "  " };
            let (mark, role) = mark(answered, theme);
            spans.push(Span::styled(format!("{gap}{} ", tried.name), dim));
            spans.push(Span::styled(mark, theme.style(role)));
            spans.push(span(&format!(" {}", answered.words()), theme.style(Role::Text)));
        }
        let mut lines = wrap(&spans, columns, INDENT);
        let Some(weighed) = self.weighed.as_ref().filter(|weighed| weighed.probe == place) else { return lines };
        match &weighed.reading {
            Ok(Some(reading)) => {
                lines.push(Line::styled(" ".repeat(INDENT) + "the governed store weighed", dim));
                let inside = reading_lines(reading, columns.saturating_sub(INDENT), theme);
                lines.extend(inside.into_iter().map(|mut line| {
                    line.spans.insert(0, Span::raw(" ".repeat(INDENT)));
                    line
                }));
            }
            Ok(None) => {}
            Err(error) => lines.push(Line::from(span(&format!("{}{error}", " ".repeat(INDENT)), dim))),
        }
        lines
    }
}

fn mark(answered: &Answered, theme: &Theme) -> (&'static str, Role) {
    match answered {
        Answered::Asked { right: true, .. } => (theme.useful(), Role::Pass),
        Answered::Asked { .. } => (theme.pick("✗", "x"), Role::Fail),
        Answered::NotAsked { .. } => (theme.neutral(), Role::Dim),
    }
}

fn probe_line(facts: &Facts, system: usize, place: usize, theme: &Theme) -> Line<'static> {
    let dim = theme.style(Role::Dim);
    let answered = facts.trial.tried.get(system).and_then(|tried| tried.answers.get(place));
    let (Some(probe), Some(answered)) = (facts.probe(place), answered) else { return Line::default() };
    let (mark, role) = mark(answered, theme);
    let as_of = probe.as_of.map_or_else(String::new, |at| format!(" as of {at}"));
    let mut spans = vec![
        Span::styled(format!("{mark} "), theme.style(role)),
        span(&probe.question, theme.style(Role::Text)),
        span(&format!("  {}{as_of}  ", probe.scope), dim),
    ];
    match answered {
        Answered::Asked { right, tokens, .. } => {
            spans.push(span(answered.words(), theme.style(role)));
            if !right {
                spans.push(span(&format!(" not {}", answer_words(probe.expected.as_deref())), theme.style(Role::Text)));
            }
            spans.push(Span::styled(format!("  {tokens} tokens"), dim));
        }
        Answered::NotAsked { reason } => spans.push(span(&format!("not asked: {reason}"), dim)),
    }
    Line::from(spans)
}
