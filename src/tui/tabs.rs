//! The first row: the name, one tab a pane, and the question that the pane in view answers.

use std::cell::Cell;

use ratatui::text::{Line, Span};

use super::pane::PaneKind;
use super::text::cut;
use super::theme::{Role, Theme};
use crate::text::width;

const NAME: &str = " recallscope";
/// Of the title of a pane that is not in view, at least these many letters are there.
const LETTERS: usize = 4;

/// The row of tabs, which remembers how wide it was drawn, for the mouse.
#[derive(Debug, Default)]
pub(super) struct Tabs {
    columns: Cell<usize>,
}

/// What of the row has room: the name, and how many letters of the titles.
struct Fit {
    named: bool,
    letters: usize,
}

impl Fit {
    /// The name gives way to the question of the pane in view; then, where the titles do not fit, letters of those of panes
    /// that are not in view: the longest titles lose theirs first.
    fn of(active: PaneKind, columns: usize) -> Self {
        let taken = |letters: usize| PaneKind::ALL.into_iter().map(|kind| tab(kind, active, letters)).sum::<usize>();
        let all = PaneKind::ALL.into_iter().map(|kind| width(kind.title())).max().unwrap_or(0);
        // A blank behind the tabs, and one behind the question.
        if width(NAME) + taken(all) + width(active.asks()) + 2 <= columns {
            return Self { named: true, letters: all };
        }
        let letters = (LETTERS..=all).rev().find(|letters| taken(*letters) <= columns).unwrap_or(LETTERS);
        Self { named: false, letters }
    }

    fn name(&self) -> &'static str {
        if self.named { NAME } else { "" }
    }
}

/// The columns of a tab: a blank, the number, a blank, and the title.
fn tab(kind: PaneKind, active: PaneKind, letters: usize) -> usize {
    let title = width(kind.title());
    3 + if kind == active { title } else { title.min(letters) }
}

impl Tabs {
    /// The row in `columns` columns. Tabs share the blank between them, and the one of the pane in view has both of its sides.
    pub(super) fn line(&self, active: PaneKind, columns: usize, theme: &Theme) -> Line<'static> {
        self.columns.set(columns);
        let fit = Fit::of(active, columns);
        let selected = theme.style(Role::Selected).patch(theme.style(Role::Focus));
        let mut spans = vec![Span::styled(fit.name(), theme.style(Role::Heading))];
        let mut beside = false;
        for (index, kind) in PaneKind::ALL.into_iter().enumerate() {
            let here = kind == active;
            let (number, title) =
                if here { (selected, selected) } else { (theme.style(Role::Key), theme.style(Role::Dim)) };
            let blank = if here || beside { selected } else { theme.style(Role::Dim) };
            let letters = tab(kind, active, fit.letters) - 3;
            spans.push(Span::styled(" ", blank));
            spans.push(Span::styled((index + 1).to_string(), number));
            spans.push(Span::styled(format!(" {}", kind.title().chars().take(letters).collect::<String>()), title));
            beside = here;
        }
        let mut used: usize = spans.iter().map(|span| width(&span.content)).sum();
        if used < columns {
            spans.push(Span::styled(" ", if beside { selected } else { theme.style(Role::Dim) }));
            used += 1;
        }
        let asks = active.asks();
        if let Some(gap) = columns.saturating_sub(used + 1).checked_sub(width(asks)) {
            spans.push(Span::raw(" ".repeat(gap)));
            spans.push(Span::styled(asks, theme.style(Role::Dim)));
        }
        cut(Line::from(spans), columns, theme)
    }

    /// The pane whose tab was drawn at a column of the first row, the blank before it included.
    pub(super) fn at(&self, active: PaneKind, column: u16) -> Option<PaneKind> {
        let fit = Fit::of(active, self.columns.get());
        let mut end = width(fit.name());
        PaneKind::ALL.into_iter().find(|kind| {
            let start = end;
            end = start + tab(*kind, active, fit.letters);
            (start..end).contains(&usize::from(column))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tabs: &Tabs, active: PaneKind, columns: usize) -> String {
        tabs.line(active, columns, &Theme::default()).spans.iter().map(|span| span.content.as_ref()).collect()
    }

    #[test]
    fn every_tab_is_hit_where_it_is_drawn() {
        for columns in [80, 100, 120, 200] {
            let tabs = Tabs::default();
            let text = row(&tabs, PaneKind::Compare, columns);
            for kind in PaneKind::ALL {
                let number = format!(" {} {}", kind.index() + 1, kind.title().split_at(LETTERS).0);
                let at = u16::try_from(text.find(&number).unwrap()).unwrap();
                let on = |column| tabs.at(PaneKind::Compare, column);
                assert_eq!([on(at), on(at + 6)], [Some(kind); 2], "{columns} columns");
                assert_ne!(at.checked_sub(1).and_then(on), Some(kind), "{columns} columns");
            }
            assert_eq!(tabs.at(PaneKind::Compare, 195), None);
        }
    }

    #[test]
    fn every_pane_has_its_tab_and_its_own_title_on_80_columns() {
        for kind in PaneKind::ALL {
            let text = row(&Tabs::default(), kind, 80);
            assert!(
                !text.contains('…') && format!("{text} ").contains(&format!(" {} {} ", kind.index() + 1, kind.title())),
                "{text}"
            );
            assert!(text.contains(&format!(" {} ", PaneKind::ALL.len())) && width(&text) <= 80, "{text}");
        }
    }

    #[test]
    fn a_terminal_of_120_columns_has_room_for_every_title_and_question_and_one_of_132_for_the_name() {
        for kind in PaneKind::ALL {
            let text = row(&Tabs::default(), kind, 120);
            assert!(PaneKind::ALL.into_iter().all(|other| text.contains(other.title())), "{text}");
            assert!(text.ends_with(kind.asks()), "{text}");
            let text = row(&Tabs::default(), kind, 132);
            assert!(text.starts_with(NAME) && text.ends_with(kind.asks()), "{text}");
        }
    }
}
