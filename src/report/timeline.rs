//! The timeline of keys: an axis of valid time, one lane a key, one bar a version.
//!
//! Shared by the Store pane and by `memory timeline`: this says what stands in which cell; colours are the pane's.

use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use crate::governed::{Kind, Span, State, Version};
use crate::text::{displayable, width};

/// Columns after the last instant, where a bar without an end goes on: its last stroke, and its arrow.
const BEYOND: usize = 2;
/// Columns that a label needs beside the strokes of its bar.
const STROKES: usize = 2;
/// Columns of the shortest label that is worth cutting to.
const LABEL: usize = 4;

/// An axis of instants over some columns. The column 0 is before the first instant; the last two are after the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// In order, each once.
    instants: Vec<i64>,
    columns: usize,
    even: bool,
}

/// The columns of a bar: `from..to`, never none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// The first column.
    pub from: usize,
    /// The first column after it.
    pub to: usize,
    /// Whether it goes on beyond the axis.
    pub open: bool,
    /// Whether its interval holds no instant: it is a mark alone.
    pub empty: bool,
}

impl Axis {
    /// An axis over `instants`, in order and each once. Distances are true to time, unless that would put two instants into one
    /// column that stand apart when they are spaced evenly.
    pub fn new(instants: Vec<i64>, columns: usize) -> Self {
        let mut axis = Self { instants, columns, even: false };
        if axis.crowded() > 0 {
            let even = Self { even: true, ..axis.clone() };
            if even.crowded() < axis.crowded() {
                axis = even;
            }
        }
        axis
    }

    /// Whether the instants are spaced evenly, whatever the time between them.
    pub fn is_even(&self) -> bool {
        self.even
    }

    /// Its columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Its instants.
    pub fn instants(&self) -> &[i64] {
        &self.instants
    }

    /// How many instants share the column of the one before.
    fn crowded(&self) -> usize {
        let pairs = self.instants.iter().zip(self.instants.iter().skip(1));
        pairs.filter(|(one, next)| self.column(**one) == self.column(**next)).count()
    }

    /// The last column that an instant has.
    fn last(&self) -> usize {
        self.columns.saturating_sub(1 + BEYOND)
    }

    /// The column of an instant.
    pub fn column(&self, instant: i64) -> usize {
        let (Some(first), Some(last)) = (self.instants.first(), self.instants.last()) else { return 0 };
        if instant < *first {
            return 0;
        }
        if instant > *last {
            return self.columns.saturating_sub(BEYOND);
        }
        // As wide as the distance between the ends of `i64`.
        let (done, all) = if self.even {
            let rank = self.instants.partition_point(|known| *known <= instant).saturating_sub(1);
            (rank as i128, self.instants.len().saturating_sub(1) as i128)
        } else {
            (i128::from(instant) - i128::from(*first), i128::from(*last) - i128::from(*first))
        };
        let room = self.last().saturating_sub(1);
        let way = if all == 0 { 0 } else { done * room as i128 / all };
        (1 + usize::try_from(way).unwrap_or(0)).min(self.last()).min(self.columns.saturating_sub(1))
    }

    /// The columns of an interval. It has at least one: an interval that the axis cannot show, or that is empty, is a mark.
    pub fn bar(&self, span: Span) -> Bar {
        let from = self.column(span.from);
        let empty = span.to.is_some_and(|to| to <= span.from);
        let to = match span.to {
            None => self.columns,
            Some(to) => self.column(to),
        };
        Bar { from, to: to.max(from + 1), open: span.to.is_none(), empty }
    }
}

/// A row of a timeline: versions that do not overlap, of one key.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneRow<'a> {
    /// The key, where the row is the first of its lane; versions that were deleted have none.
    pub key: Option<&'a str>,
    /// Whether it is the first row of its lane.
    pub first: bool,
    /// The owner of the versions: the user, or nothing for what the tenant shares.
    pub user: Option<&'a str>,
    /// The versions, by their beginning.
    pub versions: Vec<Version<'a>>,
}

/// The lanes of some versions: one for each key, owner and sort of memory, by key; deleted versions last. Where versions overlap, as
/// episodes of one key do, a lane has several rows.
pub fn lanes<'a>(versions: impl IntoIterator<Item = Version<'a>>) -> Vec<LaneRow<'a>> {
    type Lane<'a> = (bool, Option<&'a str>, Option<&'a str>, bool);
    let mut lanes: BTreeMap<Lane<'a>, Vec<Version<'a>>> = BTreeMap::new();
    for version in versions {
        let record = &version.kept.record;
        let gone = record.key.is_none();
        let semantic = record.kind == Kind::Semantic;
        lanes.entry((gone, record.key.as_deref(), record.scope.user(), !semantic)).or_default().push(version);
    }
    let mut rows = Vec::new();
    for ((_, key, user, _), mut versions) in lanes {
        versions.sort_by_key(|version| (version.span.from, version.span.to.is_none(), version.span.to));
        let mut lane: Vec<LaneRow<'a>> = Vec::new();
        for version in versions {
            let free =
                lane.iter_mut().find(|row| row.versions.last().is_none_or(|last| before(last.span, version.span)));
            match free {
                Some(row) => row.versions.push(version),
                None => lane.push(LaneRow { key, first: lane.is_empty(), user, versions: vec![version] }),
            }
        }
        rows.append(&mut lane);
    }
    rows
}

/// Whether one interval is over where another begins. An empty one is over at once, but two marks never share a place.
fn before(one: Span, other: Span) -> bool {
    one.to.is_some_and(|to| to <= other.from) && one.from < other.from
}

/// A cell of a row: what stands in it, and the version that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// A cluster of letters or a stroke; empty after a wide one.
    pub symbol: String,
    /// The place of the version in its row, and its state.
    pub version: Option<(usize, State)>,
}

/// The strokes of a state: the line of a bar, its first column, and a mark where there is only one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strokes {
    /// Along the bar.
    pub line: &'static str,
    /// Where it begins.
    pub begin: &'static str,
    /// In place of a bar.
    pub mark: &'static str,
}

/// The strokes that tell a state apart from others, with and without colour.
pub fn strokes(state: State, ascii: bool) -> Strokes {
    let (line, begin, mark) = match (state, ascii) {
        (State::Active, false) => ("━", "┣", "◆"),
        (State::Active, true) => ("=", "[", "*"),
        (State::Superseded, false) => ("─", "├", "◇"),
        (State::Superseded, true) => ("-", "|", "o"),
        (State::Withdrawn, false) => ("╌", "×", "×"),
        (State::Withdrawn, true) => ("~", "x", "x"),
        (State::Expired, false) => ("┄", "╎", "◌"),
        (State::Expired, true) => (".", ":", "%"),
        (State::Deleted, false) => ("░", "░", "░"),
        (State::Deleted, true) => ("#", "#", "#"),
    };
    Strokes { line, begin, mark }
}

/// The arrow of a bar without an end.
pub fn arrow(ascii: bool) -> &'static str {
    if ascii { ">" } else { "▶" }
}

impl LaneRow<'_> {
    /// The cells of the row. A version's value stands in its bar, as far as there is room.
    pub fn cells(&self, axis: &Axis, ascii: bool) -> Vec<Cell> {
        let mut cells = vec![Cell { symbol: " ".to_owned(), version: None }; axis.columns()];
        for (place, version) in self.versions.iter().enumerate() {
            let bar = axis.bar(version.span);
            // A version of no width leaves its place to the one that begins there, but never the other way round.
            let taken = cells.get(bar.from).is_some_and(|cell| cell.version.is_some());
            if bar.empty && taken {
                continue;
            }
            let next = self.versions.get(place + 1).filter(|next| !axis.bar(next.span).empty);
            let end = next.map_or(bar.to, |next| bar.to.min(axis.bar(next.span).from.max(bar.from + 1)));
            draw_bar(&mut cells, place, version, Bar { to: end, ..bar }, ascii);
        }
        cells
    }
}

fn draw_bar(cells: &mut [Cell], place: usize, version: &Version<'_>, bar: Bar, ascii: bool) {
    let strokes = strokes(version.state, ascii);
    let length = bar.to - bar.from;
    let mut symbols: Vec<String> = match length {
        1 => vec![strokes.mark.to_owned()],
        _ => std::iter::once(strokes.begin)
            .chain(std::iter::repeat_n(strokes.line, length - 1))
            .map(str::to_owned)
            .collect(),
    };
    if bar.open
        && length > 1
        && let Some(last) = symbols.last_mut()
    {
        *last = arrow(ascii).to_owned();
    }
    let value = version.kept.record.value.as_deref().unwrap_or_default();
    let room = length.saturating_sub(STROKES + usize::from(bar.open));
    for (symbol, cluster) in symbols.iter_mut().skip(1).zip(label(value, room, ascii)) {
        *symbol = cluster;
    }
    for (cell, symbol) in cells.iter_mut().skip(bar.from).zip(symbols) {
        *cell = Cell { symbol, version: Some((place, version.state)) };
    }
}

/// A text as cells of at most `room` columns; after a wide cluster comes an empty one. Nothing where there is no room.
fn label(text: &str, room: usize, ascii: bool) -> Vec<String> {
    let flat = text.replace(['\n', '\r'], " ");
    let shown = displayable(&flat);
    let whole = width(&shown);
    if shown.trim().is_empty() || (whole > room && room < LABEL) {
        return Vec::new();
    }
    let mark = if ascii { "~" } else { "…" };
    let room = if whole > room { room.saturating_sub(1) } else { room };
    let mut cells = Vec::new();
    for cluster in shown.graphemes(true) {
        let columns = width(cluster);
        if columns == 0 {
            continue;
        }
        if cells.len() + columns > room {
            break;
        }
        cells.push(cluster.to_owned());
        cells.extend(std::iter::repeat_n(String::new(), columns - 1));
    }
    if whole > room {
        cells.push(mark.to_owned());
    }
    cells
}

/// The line of an axis: a tick at each instant.
pub fn ticks(axis: &Axis, ascii: bool) -> Vec<String> {
    let (line, tick) = if ascii { ("-", "+") } else { ("─", "┬") };
    let mut cells = vec![line.to_owned(); axis.columns()];
    for instant in axis.instants() {
        if let Some(cell) = cells.get_mut(axis.column(*instant)) {
            *cell = tick.to_owned();
        }
    }
    cells
}

/// The numbers below an axis: as many instants as have room, the first and the last before others.
pub fn tick_labels(axis: &Axis) -> String {
    let mut cells = vec![' '; axis.columns()];
    let count = axis.instants().len();
    let order = [0, count.saturating_sub(1)].into_iter().chain(1..count.saturating_sub(1));
    let mut done: Vec<(usize, usize)> = Vec::new();
    for place in order {
        let Some(instant) = axis.instants().get(place) else { continue };
        let text = instant.to_string();
        let from = axis.column(*instant).min(axis.columns().saturating_sub(text.len()));
        let to = from + text.len();
        if to > axis.columns() || done.iter().any(|(start, end)| from <= *end && *start <= to) {
            continue;
        }
        for (cell, letter) in cells.iter_mut().skip(from).zip(text.chars()) {
            *cell = letter;
        }
        done.push((from, to));
    }
    cells.into_iter().collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::governed::{Candidate, Scope, ScopeHistory, Source, Store};

    fn span(from: i64, to: Option<i64>) -> Span {
        Span { from, to }
    }

    #[test]
    fn columns_follow_time_where_there_is_room() {
        let axis = Axis::new(vec![10, 20, 30], 24);
        assert!(!axis.is_even());
        assert_eq!([9, 10, 20, 30, 31].map(|instant| axis.column(instant)), [0, 1, 11, 21, 22]);
        assert_eq!(axis.bar(span(10, Some(20))), Bar { from: 1, to: 11, open: false, empty: false });
        assert_eq!(axis.bar(span(20, None)), Bar { from: 11, to: 24, open: true, empty: false });
        assert_eq!(axis.bar(span(20, Some(20))), Bar { from: 11, to: 12, open: false, empty: true });
    }

    #[test]
    fn instants_that_would_share_a_column_are_spaced_evenly() {
        let axis = Axis::new(vec![0, 1, 2, 1_700_000_000], 33);
        assert!(axis.is_even());
        assert_eq!([0, 1, 2, 1_700_000_000].map(|instant| axis.column(instant)), [1, 10, 20, 30]);
        assert_eq!(axis.column(1000), 20, "between two instants, at the one before");
    }

    #[test]
    fn the_ends_of_time_are_columns_too() {
        for instants in [vec![i64::MIN, i64::MAX], vec![i64::MIN, 0, i64::MAX], vec![i64::MAX], vec![i64::MIN]] {
            for columns in 0..30 {
                let axis = Axis::new(instants.clone(), columns);
                for from in [i64::MIN, -1, 0, 1, i64::MAX] {
                    assert!(axis.column(from) < columns.max(1), "{from} in {columns}");
                    for to in [None, Some(i64::MIN), Some(from), Some(i64::MAX)] {
                        let bar = axis.bar(span(from, to));
                        assert!(bar.from < bar.to && bar.to <= columns.max(bar.from + 1), "{bar:?} in {columns}");
                    }
                }
            }
        }
        let axis = Axis::new(vec![i64::MIN, i64::MAX], 23);
        assert_eq!([i64::MIN, 0, i64::MAX].map(|instant| axis.column(instant)), [1, 10, 20]);
    }

    #[test]
    fn one_instant_or_none_is_an_axis() {
        let axis = Axis::new(vec![7], 10);
        assert_eq!([6, 7, 8].map(|instant| axis.column(instant)), [0, 1, 8]);
        let axis = Axis::new(Vec::new(), 10);
        assert_eq!(axis.bar(span(3, None)), Bar { from: 0, to: 10, open: true, empty: false });
        assert_eq!(Axis::new(vec![1, 2], 0).bar(span(1, Some(2))).to, 1);
    }

    fn store(facts: &[(&str, &str, i64, Kind)]) -> ScopeHistory {
        let mut store = Store::in_memory().unwrap();
        let scope = Scope::new("acme", Some("mina".into())).unwrap();
        for (number, (key, value, time, kind)) in facts.iter().enumerate() {
            let candidate = Candidate {
                key: (*key).into(),
                value: (*value).into(),
                scope: scope.clone(),
                evidence: format!("t{number}"),
                time: *time,
                kind: *kind,
                source: Source::User,
                confidence: 1.0,
                ttl: None,
            };
            assert!(store.write(&candidate, None, None).unwrap().id.is_some());
        }
        store.history(&scope).unwrap()
    }

    fn drawn(history: &ScopeHistory, columns: usize, ascii: bool) -> Vec<String> {
        let axis = Axis::new(history.valid_instants(), columns);
        let rows = lanes(history.believed(None));
        let line = |row: &LaneRow<'_>| row.cells(&axis, ascii).into_iter().map(|cell| cell.symbol).collect::<String>();
        rows.iter().map(line).collect()
    }

    #[test]
    fn a_lane_shows_each_version_with_its_value() {
        let history = store(&[("city", "Munich", 10, Kind::Semantic), ("city", "Berlin", 20, Kind::Semantic)]);
        assert_eq!(drawn(&history, 15, false), [" ├Munich────┣━▶"]);
        let line = drawn(&history, 30, true).remove(0);
        assert_eq!(line.len(), 30);
        assert!(line.starts_with(" |Munich----") && line.ends_with('>'), "{line}");
    }

    #[test]
    fn episodes_of_one_key_stand_below_each_other() {
        let history = store(&[("visit", "on 3rd", 10, Kind::Episodic), ("visit", "on 9th", 12, Kind::Episodic)]);
        let rows = lanes(history.believed(None));
        assert_eq!(rows.iter().map(|row| (row.first, row.versions.len())).collect::<Vec<_>>(), [(true, 1), (false, 1)]);
    }

    #[test]
    fn hostile_and_wide_values_keep_their_columns() {
        let history = store(&[("k", "\u{1b}[31m\u{202e}日本語\nx", 1, Kind::Semantic), ("k", "y", 90, Kind::Semantic)]);
        for columns in 0..60 {
            for line in drawn(&history, columns, false) {
                assert_eq!(width(&line), columns, "{line:?}");
                assert!(!line.contains(['\u{1b}', '\u{202e}', '\n']));
            }
        }
    }

    #[test]
    fn numbers_below_the_axis_do_not_touch() {
        let axis = Axis::new(vec![10, 11, 20, 300], 40);
        let labels = tick_labels(&axis);
        assert!(labels.trim_start().starts_with("10 ") && labels.ends_with("300"), "{labels:?}");
        assert!(tick_labels(&Axis::new(vec![i64::MIN, i64::MAX], 12)).len() <= 12);
    }
}
