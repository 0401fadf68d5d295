//! The first row: the name, one tab a pane, and the question that the pane in view answers.

use ratatui::text::{Line, Span};

use super::pane::PaneKind;
use super::text::cut;
use super::theme::{Role, Theme};
use crate::text::width;

const NAME: &str = " recallscope";

/// The row in `columns` columns. Tabs share the blank between them, and the one of the pane in view has both of its sides:
/// so six tabs leave room for the question on a terminal of 100 columns.
pub fn line(active: PaneKind, columns: usize, theme: &Theme) -> Line<'static> {
    let selected = theme.style(Role::Selected).patch(theme.style(Role::Focus));
    let mut spans = vec![Span::styled(NAME, theme.style(Role::Heading))];
    let mut beside = false;
    for (index, kind) in PaneKind::ALL.into_iter().enumerate() {
        let here = kind == active;
        let (number, title) =
            if here { (selected, selected) } else { (theme.style(Role::Key), theme.style(Role::Dim)) };
        let blank = if here || beside { selected } else { theme.style(Role::Dim) };
        spans.push(Span::styled(" ", blank));
        spans.push(Span::styled((index + 1).to_string(), number));
        spans.push(Span::styled(format!(" {}", kind.title()), title));
        beside = here;
    }
    spans.push(Span::styled(" ", if beside { selected } else { theme.style(Role::Dim) }));
    let used: usize = spans.iter().map(|span| width(&span.content)).sum();
    let asks = active.asks();
    if let Some(gap) = columns.saturating_sub(used + 1).checked_sub(width(asks)) {
        spans.push(Span::raw(" ".repeat(gap)));
        spans.push(Span::styled(asks, theme.style(Role::Dim)));
    }
    cut(Line::from(spans), columns, theme)
}

/// The pane whose tab is drawn at a column of the first row, the blank before it included.
pub fn tab_at(column: u16) -> Option<PaneKind> {
    let mut end = width(NAME);
    PaneKind::ALL.into_iter().find(|kind| {
        let start = end;
        end = start + 3 + width(kind.title());
        (start..end).contains(&usize::from(column))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tab_is_hit_where_it_is_drawn() {
        let text: String =
            line(PaneKind::Compare, 100, &Theme::default()).spans.iter().map(|span| span.content.as_ref()).collect();
        for kind in PaneKind::ALL {
            let at = u16::try_from(text.find(kind.title()).unwrap()).unwrap();
            assert_eq!(tab_at(at), Some(kind));
            assert_eq!(tab_at(at - 3), Some(kind), "the blank before the number");
            assert_eq!(tab_at(at + u16::try_from(kind.title().len()).unwrap() - 1), Some(kind));
        }
        assert_eq!(tab_at(3), None);
        assert_eq!(tab_at(90), None);
    }

    #[test]
    fn a_terminal_of_100_columns_has_room_for_every_question() {
        for kind in PaneKind::ALL {
            let text: String =
                line(kind, 100, &Theme::default()).spans.iter().map(|span| span.content.as_ref()).collect();
            assert!(text.ends_with(kind.asks()), "{text}");
        }
    }
}
