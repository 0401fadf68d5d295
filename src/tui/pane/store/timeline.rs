//! The timeline: for each key a lane, one bar a version, as believed at the pointer.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::clocks::{Hand, Pointers, words};
use super::facts::Facts;
use super::looks;
use crate::governed::State;
use crate::report::timeline::{Axis, Cell, LaneRow, lanes, ticks};
use crate::text::{displayable, fit, width};
use crate::tui::pane::View;
use crate::tui::text::{cut, mark_found};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::list::ListState;
use crate::tui::widget::part::{empty, part};

/// Columns of the longest key beside the lanes.
const KEY: usize = 18;
/// Columns of a label: the name of a pointer and its instant.
const LEAST: usize = 12;
/// The least columns of an axis.
const AXIS: usize = 12;

/// The part that draws versions.
#[derive(Default)]
pub(super) struct Timeline {
    pub(super) list: ListState,
    /// The versions of each row, as places in the history.
    rows: Vec<Vec<usize>>,
    /// The key of each row.
    keys: Vec<String>,
}

impl Timeline {
    /// Counts the rows that there are now.
    pub(super) fn derive(&mut self, facts: &Facts, pointers: &Pointers) {
        let rows = lanes(facts.history.believed(pointers.known_at));
        self.rows = rows.iter().map(|row| row.versions.iter().map(|version| version.place).collect()).collect();
        self.keys = rows.iter().map(|row| row.key.unwrap_or("(deleted)").to_owned()).collect();
        self.list.select(self.list.selected(), self.rows.len());
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The key of a row.
    pub(super) fn key(&self, row: usize) -> Option<&str> {
        self.keys.get(row).map(String::as_str)
    }

    /// The version under the cursor: of the row, the one that holds at the pointer, or else the last one.
    pub(super) fn selected(&self, facts: &Facts, pointers: &Pointers) -> Option<usize> {
        let row = self.rows.get(self.list.selected())?;
        let instant = pointers.as_of.or(pointers.known_at);
        let holds = |place: &&usize| {
            let version = facts.version(**place, pointers);
            version.is_some_and(|version| instant.is_some_and(|instant| version.span.holds(instant)))
        };
        row.iter().find(holds).or(row.last()).copied()
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
        let rows = lanes(facts.history.believed(pointers.known_at));
        let keys = self.keys.iter().map(|key| width(&displayable(key))).max().unwrap_or(0);
        let columns = usize::from(area.width.saturating_sub(2));
        let label = keys.clamp(LEAST, KEY.max(LEAST)).min(columns / 3);
        let axis = Axis::new(facts.valid.clone(), columns.saturating_sub(label + 2));
        let spaced = if axis.is_even() { ", evenly spaced" } else { "" };
        let mut title = vec![Span::raw("Timeline"), Span::raw(" ")];
        for state in [State::Active, State::Superseded, State::Withdrawn, State::Expired, State::Deleted] {
            title.push(looks::mark(state, theme));
            title.push(Span::styled(format!(" {}  ", state.name()), theme.style(Role::Dim)));
        }
        title.push(Span::styled(format!("valid time{spaced}"), theme.style(Role::Dim)));
        let inner = part(frame, area, Line::from(title), focused, theme);
        if axis.columns() < AXIS {
            return empty(frame, inner, "The timeline needs a little more room.", theme);
        }
        let mut head: Vec<Line<'static>> = Vec::new();
        if inner.height >= 3 {
            head.push(pointer_line(Hand::AsOf, pointers, &axis, label, theme));
            let known = Axis::new(facts.known.clone(), axis.columns());
            head.push(pointer_line(Hand::KnownAt, pointers, &known, label, theme));
        }
        let used = u16::try_from(head.len()).unwrap_or(0);
        for (y, line) in (inner.y..).zip(head) {
            frame.render_widget(cut(line, columns, theme), Rect { y, height: 1, ..inner });
        }
        let rest = Rect { y: inner.y + used, height: inner.height.saturating_sub(used), ..inner };
        if rows.is_empty() {
            return empty(frame, rest, "No version is known here.", theme);
        }
        let column = pointers.as_of.or(pointers.known_at).map(|instant| axis.column(instant));
        self.list.draw(frame, rest, rows.len(), focused, theme, |row| {
            rows.get(row).map(|row| lane(row, &axis, label, column, view)).unwrap_or_default()
        });
    }
}

/// The name of a pointer, its instant, and where it points on its axis.
fn pointer_line(hand: Hand, pointers: &Pointers, axis: &Axis, label: usize, theme: &Theme) -> Line<'static> {
    let instant = if hand == Hand::AsOf { pointers.as_of } else { pointers.known_at };
    let active = pointers.hand == hand;
    let style = theme.style(if active { Role::Focus } else { Role::Dim });
    let mark = if active { theme.pointer() } else { " " };
    let name = fit(&format!("{} {}", hand.name(), words(instant)), label);
    let mut cells = ticks(axis, theme.ascii);
    let at = instant.map_or(axis.columns().saturating_sub(1), |instant| axis.column(instant));
    let (before, from) = cells.split_at_mut(at.min(axis.columns()));
    let before: String = before.concat();
    let after: String = from.iter().skip(1).map(String::as_str).collect();
    let line = theme.style(Role::Border);
    Line::from(vec![
        Span::styled(format!("{mark}{name} "), style),
        Span::styled(before, line),
        Span::styled(theme.pick("▼", "V"), style),
        Span::styled(after, line),
    ])
}

/// A row of a lane: the key, then its bars; the column of the pointer on its own ground.
fn lane(row: &LaneRow<'_>, axis: &Axis, label: usize, pointer: Option<usize>, view: &View<'_>) -> Line<'static> {
    let theme = view.theme;
    let key = match (row.first, row.key) {
        (true, Some(key)) => fit(&displayable(&key.replace(['\n', '\r'], " ")), label),
        (true, None) => fit("(deleted)", label),
        (false, _) => " ".repeat(label),
    };
    let mut line = mark_found(Line::from(Span::styled(key, theme.style(Role::Heading))), view.needle, theme);
    line.spans.push(Span::raw(" "));
    for (column, cell) in row.cells(axis, theme.ascii).into_iter().enumerate() {
        line.spans.push(drawn(cell, pointer == Some(column), theme));
    }
    line
}

fn drawn(cell: Cell, pointed: bool, theme: &Theme) -> Span<'static> {
    let style = cell.version.map_or_else(Default::default, |(_, state)| theme.style(looks::role(state)));
    match (pointed, cell.version) {
        (true, None) => Span::styled(theme.pick("│", "|"), theme.style(Role::Focus)),
        // Without colours a ground says nothing: the stroke itself is reversed.
        (true, Some(_)) => Span::styled(cell.symbol, style.add_modifier(Modifier::REVERSED)),
        (false, _) => Span::styled(cell.symbol, style),
    }
}
