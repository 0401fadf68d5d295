//! The first row: the name, one tab a pane, and the question that the pane in view answers.

use ratatui::text::{Line, Span};

use super::pane::PaneKind;
use super::text::cut;
use super::theme::{Role, Theme};
use crate::text::width;

const NAME: &str = " recallscope ";

/// The row in `columns` columns.
pub fn line(active: PaneKind, columns: usize, theme: &Theme) -> Line<'static> {
    let mut spans = vec![Span::styled(NAME, theme.style(Role::Heading))];
    for (index, kind) in PaneKind::ALL.into_iter().enumerate() {
        let (number, title) = if kind == active {
            let style = theme.style(Role::Selected).patch(theme.style(Role::Focus));
            (style, style)
        } else {
            (theme.style(Role::Key), theme.style(Role::Dim))
        };
        spans.push(Span::styled(format!(" {} ", index + 1), number));
        spans.push(Span::styled(format!("{} ", kind.title()), title));
    }
    let used: usize = spans.iter().map(|span| width(&span.content)).sum();
    let asks = active.asks();
    if let Some(gap) = columns.saturating_sub(used + 1).checked_sub(width(asks)) {
        spans.push(Span::raw(" ".repeat(gap)));
        spans.push(Span::styled(asks, theme.style(Role::Dim)));
    }
    cut(Line::from(spans), columns, theme)
}

/// The pane whose tab is drawn at a column of the first row.
pub fn tab_at(column: u16) -> Option<PaneKind> {
    let mut x = width(NAME);
    PaneKind::ALL.into_iter().find(|kind| {
        x += 3 + width(kind.title()) + 1;
        usize::from(column) < x && usize::from(column) >= x - 4 - width(kind.title())
    })
}
