//! The records of the scope: what is kept.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::clocks::{Pointers, words};
use super::facts::Facts;
use super::looks;
use crate::governed::Version;
use crate::text::{displayable, fit, width};
use crate::tui::pane::View;
use crate::tui::text::{cut, mark_found, span};
use crate::tui::theme::Role;
use crate::tui::widget::list::ListState;
use crate::tui::widget::part::{empty, part};

/// Columns of the longest key.
const KEY: usize = 22;

/// The part that lists records.
#[derive(Default)]
pub(super) struct Records {
    pub(super) list: ListState,
    /// Whether those that no read sees are listed too.
    pub(super) all: bool,
    /// Places in the history, as they are listed.
    pub(super) rows: Vec<usize>,
}

/// Columns that are there where there is room: of the interval, the source, the rest.
struct Columns {
    key: usize,
    value: usize,
    interval: usize,
    more: bool,
    source: bool,
}

impl Records {
    /// Lists what is to be listed now, keeping the cursor on its record where that is still there.
    pub(super) fn derive(&mut self, facts: &Facts, pointers: &Pointers) {
        let here = self.rows.get(self.list.selected()).copied();
        self.rows = facts.records(pointers, self.all);
        let row = here.and_then(|place| self.rows.iter().position(|row| *row == place));
        self.list.select(row.unwrap_or_else(|| self.list.selected()), self.rows.len());
    }

    /// The place of the record under the cursor.
    pub(super) fn selected(&self) -> Option<usize> {
        self.rows.get(self.list.selected()).copied()
    }

    pub(super) fn draw(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        facts: &Facts,
        pointers: &Pointers,
        focused: bool,
        view: &View<'_>,
    ) {
        let theme = view.theme;
        let dim = theme.style(Role::Dim);
        let what = if self.all { "all" } else { "current" };
        let title = Line::from(vec![
            Span::raw("Records"),
            Span::styled(format!(" {} {what} of {}", self.rows.len(), facts.history.kept.len()), dim),
        ]);
        let inner = part(frame, area, title, focused, theme);
        if self.rows.is_empty() {
            let sentence = match (&facts.scope, facts.history.kept.is_empty()) {
                (None, _) => "Nothing is kept yet, of anybody.".to_owned(),
                (Some(scope), true) => format!("Nothing is kept that {} may read.", displayable(&scope.to_string())),
                (Some(_), false) => {
                    match view.keymap.hint(crate::tui::action::Scope::Store, crate::tui::action::Action::StoreFilter) {
                        Some(key) if pointers.as_of.is_none() && pointers.known_at.is_none() => {
                            format!("Nothing is current: {key} shows what was.")
                        }
                        _ => format!(
                            "Nothing is held as of {}, known at {}.",
                            words(pointers.as_of.or(pointers.known_at)),
                            words(pointers.known_at)
                        ),
                    }
                }
            };
            return empty(frame, inner, &sentence, theme);
        }
        let columns = self.columns(facts, usize::from(inner.width));
        let head = u16::from(inner.height >= 4);
        if head > 0 {
            let line = cut(Line::styled(columns.heads(), dim), usize::from(inner.width), theme);
            frame.render_widget(line, Rect { height: 1, ..inner });
        }
        let rest = Rect { y: inner.y + head, height: inner.height - head, ..inner };
        self.list.draw(frame, rest, self.rows.len(), focused, theme, |row| {
            let version = self.rows.get(row).and_then(|place| facts.version(*place, pointers));
            version.map(|version| columns.row(&version, facts, view)).unwrap_or_default()
        });
    }

    fn columns(&self, facts: &Facts, all: usize) -> Columns {
        let shown = |text: Option<&str>| text.map_or(9, |text| width(&displayable(text)));
        let kept = || self.rows.iter().filter_map(|place| facts.history.kept.get(*place));
        let most =
            |of: &dyn Fn(&crate::governed::Kept) -> usize, least: usize| kept().map(of).max().unwrap_or(0).max(least);
        let key = most(&|kept| shown(kept.record.key.as_deref()), 3).min(KEY).min(all / 3);
        let interval = most(&|kept| width(&looks::interval(kept.record.span)).max(10), 8);
        // A mark, and two blanks after each column.
        let fixed = 3 + key + 2 + interval + 2;
        let more = all >= fixed + 58;
        let source = all >= fixed + 24;
        let rest = fixed
            + if more {
                46
            } else if source {
                10
            } else {
                0
            };
        Columns { key, value: all.saturating_sub(rest).max(6), interval, more, source }
    }
}

impl Columns {
    fn heads(&self) -> String {
        let mut heads =
            format!("   {}  {}  {}", fit("key", self.key), fit("value", self.value), fit("valid", self.interval));
        if self.source || self.more {
            heads.push_str("  source  ");
        }
        if self.more {
            heads.push_str("kind        sure  evidence");
        }
        heads
    }

    fn row(&self, version: &Version<'_>, facts: &Facts, view: &View<'_>) -> Line<'static> {
        let (record, theme) = (&version.kept.record, view.theme);
        let (style, dim) = (looks::text_style(version.state, theme), theme.style(Role::Dim));
        let cell = |text: &str, columns: usize| fit(&displayable(&text.replace(['\n', '\r'], " ")), columns);
        let mut value = record.value.clone().unwrap_or_else(|| record.id.clone());
        let shared = record.scope.user().is_none() && facts.scope.as_ref().is_some_and(|scope| scope.user().is_some());
        if shared {
            value.push_str(" (shared)");
        }
        let mut spans = vec![
            looks::mark(version.state, theme),
            Span::raw(" "),
            Span::styled(
                cell(record.key.as_deref().unwrap_or("(deleted)"), self.key),
                theme.style(Role::Heading).patch(style),
            ),
            Span::raw("  "),
            Span::styled(cell(&value, self.value), style),
            Span::raw("  "),
            span(&fit(&looks::interval(version.span), self.interval), dim),
        ];
        if self.source || self.more {
            spans.push(Span::styled(format!("  {:<8}", looks::source(record.source)), dim));
        }
        if self.more {
            spans.push(Span::styled(
                format!("{:<12}{:<6}", record.kind.name(), format!("{:.2}", record.confidence)),
                dim,
            ));
            spans.push(span(&cell(record.evidence.as_deref().unwrap_or("-"), 18), dim));
        }
        mark_found(Line::from(spans), view.needle, theme)
    }
}
