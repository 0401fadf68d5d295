//! How many rows each store kept over a user's turns: step lines in Braille, or in ASCII, with a legend that reads the
//! values at the cursor.
//!
//! Drawn here and not with ratatui's `Chart`, which joins points by slanted lines, panics with one label, and tells its
//! lines apart by colour alone. Each line has its own dashes (its own character in ASCII).

use std::fmt::Write;
use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::memory::{History, RowCounts, StoreKind};
use crate::text::{fit, fit_right, width};
use crate::tui::text::cut;
use crate::tui::theme::{Role, Theme};

use super::part::empty;

/// One line of the chart.
struct Series {
    name: &'static str,
    role: Role,
    /// Dots drawn and dots left out, in turns.
    dash: (usize, usize),
    /// What it is drawn with in ASCII.
    letter: &'static str,
}

/// In the order of the legend, which is about the order of their heights. The managed store's rows are its current and its
/// superseded ones.
const SERIES: [Series; 6] = [
    Series { name: "append-only rows", role: Role::SeriesD, dash: (1, 0), letter: "#" },
    Series { name: "managed rows", role: Role::SeriesA, dash: (7, 2), letter: "*" },
    Series { name: "  current", role: Role::SeriesB, dash: (3, 1), letter: "=" },
    Series { name: "  superseded", role: Role::SeriesC, dash: (4, 4), letter: "+" },
    Series { name: "  deletion records", role: Role::Text, dash: (1, 3), letter: ":" },
    GOVERNED,
];

/// The governed store's rows, where they are worked out.
const GOVERNED: Series = Series { name: "governed rows", role: Role::Key, dash: (2, 2), letter: "%" };

/// The values of all lines at a moment, in the order of the legend.
type Values = [usize; SERIES.len()];

/// Columns of the legend beside the plot, with the gap between them.
const LEGEND: u16 = 29;
/// The least width of a plot with the legend beside it.
const PLOT: u16 = 24;
const SAMPLE: usize = 4;

/// What the chart shows.
#[derive(Clone, Copy)]
pub struct GrowthChart<'a> {
    /// Whose rows.
    pub history: &'a History,
    /// The cursor: after how many events.
    pub moment: usize,
    /// Whether the turns never fall, so that they can be the horizontal axis; else the events are counted.
    pub by_turn: bool,
    /// Whether the governed store's rows are there.
    pub governed: bool,
    /// How things look.
    pub theme: &'a Theme,
}

impl GrowthChart<'_> {
    /// Draws the chart. What is left of the area says why it is too small.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect) {
        if self.history.is_empty() {
            return empty(frame, area, "There are no events yet, so no rows either.", self.theme);
        }
        let beside = area.width >= PLOT + LEGEND;
        let (plot, legend) = if beside {
            let plot = Rect { width: area.width - LEGEND, ..area };
            (plot, Rect { x: plot.right() + 2, width: LEGEND - 2, ..area })
        } else {
            let height = self.legend_lines(area.width).len().min(usize::from(area.height) / 2) as u16;
            (Rect { y: area.y + height, height: area.height - height, ..area }, Rect { height, ..area })
        };
        let scale = self.scale(plot);
        match scale {
            Some(scale) => {
                self.draw_axes(frame, plot, &scale);
                self.draw_lines(frame, plot, &scale);
            }
            None => empty(frame, plot, "The chart needs a little more room.", self.theme),
        }
        if beside {
            self.draw_legend(frame, legend);
        } else {
            for (y, line) in (legend.y..legend.bottom()).zip(self.legend_lines(area.width)) {
                frame.render_widget(line, Rect { y, height: 1, ..legend });
            }
        }
    }

    /// The range of the horizontal axis: turns, or events counted from 0.
    fn range(&self) -> (u64, u64) {
        if !self.by_turn {
            return (0, self.history.len() as u64);
        }
        let first = self.history.events.first().map_or(0, |event| event.turn);
        let last = self.history.events.last().map_or(0, |event| event.turn);
        // From 0 unless that would leave most of the chart empty.
        let from = if first <= last / 4 + 1 { 0 } else { first.saturating_sub(1) };
        (from, last.max(from.saturating_add(1)))
    }

    fn scale(&self, area: Rect) -> Option<Scale> {
        let dots = if self.theme.ascii { (1, 1) } else { (2, 4) };
        let (from, to) = self.range();
        let rows = usize::from(area.height).checked_sub(2).filter(|rows| *rows >= 2)?;
        // How wide the labels of the vertical axis are depends on the highest value, which is read off the samples.
        let rough = Scale { from, to, columns: usize::from(area.width), rows, dots, top: 1, margin: 0 };
        let top = round_up(self.samples(&rough).iter().flatten().copied().max().unwrap_or(0));
        let margin = top.to_string().len() + 2;
        let columns = usize::from(area.width).checked_sub(margin).filter(|columns| *columns >= 10)?;
        Some(Scale { columns, top, margin, ..rough })
    }

    /// The values after the events that fall on or before each dot column: one binary search each, however long the
    /// history is.
    fn samples(&self, scale: &Scale) -> Vec<Values> {
        (0..scale.columns * scale.dots.0).map(|x| self.values(self.events_at(scale, x))).collect()
    }

    fn events_at(&self, scale: &Scale, x: usize) -> usize {
        if self.by_turn {
            self.history.events.partition_point(|event| scale.x(event.turn) <= x)
        } else {
            // The last event count that falls on this column.
            let (mut low, mut high) = (0, self.history.len());
            while low < high {
                let middle = (low + high).div_ceil(2);
                if scale.x(middle as u64) <= x {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            low
        }
    }

    fn values(&self, events: usize) -> Values {
        let counts = |kind| self.history.store(kind).counts_after(events);
        let managed: RowCounts = counts(StoreKind::Managed);
        [
            counts(StoreKind::Append).stored_rows,
            managed.stored_rows,
            managed.current_facts,
            managed.superseded_rows,
            managed.deletion_records,
            if self.governed { counts(StoreKind::Governed).stored_rows } else { 0 },
        ]
    }

    /// The lines that are drawn.
    fn series(&self) -> &'static [Series] {
        if self.governed { &SERIES } else { SERIES.split_last().map_or(&SERIES, |(_, others)| others) }
    }

    /// Where the cursor is on the horizontal axis.
    fn position(&self) -> u64 {
        match (self.by_turn, self.moment.checked_sub(1)) {
            (false, _) => self.moment as u64,
            (true, Some(event)) => self.history.turn(event),
            (true, None) => self.range().0,
        }
    }

    fn draw_lines(&self, frame: &mut Frame<'_>, area: Rect, scale: &Scale) {
        let samples = self.samples(scale);
        let mut raster = Raster::new(scale);
        // The first of the legend are drawn last, so the lower lines do not cut them where they touch.
        for (index, series) in self.series().iter().enumerate().rev() {
            raster.line(index, series.dash, samples.iter().filter_map(|values| values.get(index)).copied(), scale);
        }
        let left = area.x.saturating_add(scale.margin as u16);
        let cursor = scale.x(self.position()) / scale.dots.0;
        for (y, cells) in (area.y..).zip(raster.cells.chunks(scale.columns.max(1))) {
            for (column, cell) in cells.iter().enumerate() {
                let (text, style) = match cell.series.and_then(|index| SERIES.get(index)) {
                    Some(series) => (cell.text(series, self.theme), self.theme.style(series.role)),
                    None if column == cursor => (self.theme.pick("│", "|").to_owned(), self.theme.style(Role::Focus)),
                    None => continue,
                };
                put(frame, left.saturating_add(column as u16), y, &text, style);
            }
        }
    }

    fn draw_axes(&self, frame: &mut Frame<'_>, area: Rect, scale: &Scale) {
        let theme = self.theme;
        let (dim, line) = (theme.style(Role::Dim), theme.style(Role::Border));
        let labels = scale.margin - 2;
        let axis_x = area.x.saturating_add((scale.margin - 1) as u16);
        for row in 0..scale.rows {
            let y = area.y.saturating_add(row as u16);
            let value = scale.value_at(row);
            let corner = if value.is_some() { theme.pick("┤", "+") } else { theme.pick("│", "|") };
            if let Some(value) = value {
                put(frame, area.x, y, &fit_right(&value.to_string(), labels), dim);
            }
            put(frame, axis_x, y, corner, line);
        }
        let ticks = scale.ticks();
        let (mut rule, mut numbers) = (theme.pick("└", "+").to_owned(), Row::new(scale.columns + 1));
        for column in 0..scale.columns {
            let tick = ticks.iter().any(|(at, _)| *at == column);
            rule.push_str(if tick { theme.pick("┬", "+") } else { theme.pick("─", "-") });
        }
        let column = scale.x(self.position()) / scale.dots.0 + 1;
        let mark = format!("{}{}", theme.pick("▲", "^"), self.position());
        let mark_x = column.min((scale.columns + 1).saturating_sub(width(&mark)));
        for (column, value) in &ticks {
            numbers.center(column + 1, &value.to_string(), mark_x..mark_x + width(&mark));
        }
        let y = area.y.saturating_add(scale.rows as u16);
        put(frame, axis_x, y, &rule, line);
        put(frame, axis_x, y + 1, &numbers.text, dim);
        put(frame, axis_x.saturating_add(mark_x as u16), y + 1, &mark, theme.style(Role::Focus));
    }

    fn draw_legend(&self, frame: &mut Frame<'_>, area: Rect) {
        let columns = usize::from(area.width);
        let digits = self.digits();
        let heading = match (self.moment.checked_sub(1), self.by_turn) {
            (None, _) => "before the first event".to_owned(),
            (Some(event), true) => format!("after turn {}", self.history.turn(event)),
            (Some(_), false) => format!("after event {}", self.moment),
        };
        let room = columns.saturating_sub(SAMPLE + 1);
        let heading = Line::styled(format!("{}{heading}", " ".repeat(SAMPLE + 1)), self.theme.style(Role::Heading));
        let lines = self.series().iter().zip(self.values(self.moment)).map(|(series, value)| {
            let name = fit(series.name, room.saturating_sub(digits + 1));
            Line::from(vec![
                self.sample(series),
                Span::styled(format!(" {name} "), self.theme.style(Role::Text)),
                Span::styled(fit_right(&value.to_string(), digits), self.theme.style(Role::Heading)),
            ])
        });
        let skip = usize::from(usize::from(area.height) <= self.series().len());
        for (y, line) in (area.y..area.bottom()).zip(std::iter::once(heading).chain(lines).skip(skip)) {
            frame.render_widget(cut(line, columns, self.theme), Rect { y, height: 1, ..area });
        }
    }

    /// The legend above a narrow chart.
    fn legend_lines(&self, columns: u16) -> Vec<Line<'static>> {
        let mut lines: Vec<Line<'static>> = vec![Line::default()];
        for (series, value) in self.series().iter().zip(self.values(self.moment)) {
            let text = format!(" {} {value}  ", series.name.trim_start());
            let wanted = SAMPLE + width(&text) - 2;
            let full =
                lines.last().is_some_and(|line| line.width() > 0 && line.width() + wanted > usize::from(columns));
            if full {
                lines.push(Line::default());
            }
            if let Some(line) = lines.last_mut() {
                line.spans.extend([self.sample(series), Span::styled(text, self.theme.style(Role::Text))]);
            }
        }
        lines
    }

    fn digits(&self) -> usize {
        let most = self.values(self.history.len()).into_iter().chain(self.values(self.moment)).max();
        most.unwrap_or(0).to_string().len()
    }

    /// A short piece of a line, as it looks in the chart.
    fn sample(&self, series: &Series) -> Span<'static> {
        let text = if self.theme.ascii {
            series.letter.repeat(SAMPLE)
        } else {
            let scale = Scale { from: 0, to: 1, columns: SAMPLE, rows: 1, dots: (2, 4), top: 3, margin: 0 };
            let mut raster = Raster::new(&scale);
            raster.line(0, series.dash, std::iter::repeat_n(2, SAMPLE * 2), &scale);
            raster.cells.iter().map(|cell| cell.text(series, self.theme)).collect()
        };
        Span::styled(text, self.theme.style(series.role))
    }
}

/// From values to dots.
struct Scale {
    from: u64,
    to: u64,
    columns: usize,
    rows: usize,
    /// Dots of one cell, across and down.
    dots: (usize, usize),
    /// The value at the upper end.
    top: usize,
    /// Columns left of the plot.
    margin: usize,
}

impl Scale {
    /// The dot column of a turn.
    fn x(&self, turn: u64) -> usize {
        let last = (self.columns * self.dots.0).saturating_sub(1);
        let share = turn.saturating_sub(self.from) as f64 / self.to.saturating_sub(self.from).max(1) as f64;
        ((share * last as f64).round() as usize).min(last)
    }

    /// The dot row of a value, counted from the upper end.
    fn y(&self, value: usize) -> usize {
        let last = (self.rows * self.dots.1).saturating_sub(1);
        let share = value as f64 / self.top.max(1) as f64;
        last.saturating_sub((share * last as f64).round() as usize)
    }

    /// The value that is written beside a row of cells.
    fn value_at(&self, row: usize) -> Option<usize> {
        let middle = (self.rows >= 5 && self.top.is_multiple_of(2)).then_some(self.top / 2);
        [Some(0), middle, Some(self.top)].into_iter().flatten().find(|value| self.y(*value) / self.dots.1 == row)
    }

    /// The turns that are written below the axis, with their columns: round numbers, far enough apart to be read.
    fn ticks(&self) -> Vec<(usize, u64)> {
        let span = self.to.saturating_sub(self.from);
        let room = self.to.to_string().len() + 3;
        let most = (self.columns / room.max(8)).max(1) as u64;
        let step = tick_step(span.div_ceil(most));
        let first = self.from.div_ceil(step);
        let all = (first..).map(|n| n.saturating_mul(step)).take_while(|turn| *turn <= self.to).take(most as usize + 1);
        all.map(|turn| (self.x(turn) / self.dots.0, turn)).collect()
    }
}

/// The next number that is easy to read: up to 10 itself, then one of ten, twelve, fifteen, twenty … times a power of ten.
fn round_up(value: usize) -> usize {
    const STEPS: [usize; 10] = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80];
    if value <= 10 {
        return value.max(1);
    }
    let mut power = 1_usize;
    loop {
        if let Some(found) = STEPS.iter().filter_map(|step| step.checked_mul(power)).find(|step| *step >= value) {
            return found;
        }
        match power.checked_mul(10) {
            Some(next) => power = next,
            None => return value,
        }
    }
}

/// The least of 1, 2, 5, 10, 20, 50 … that is not below `least`.
fn tick_step(least: u64) -> u64 {
    let powers = std::iter::successors(Some(1_u64), |power| power.checked_mul(10));
    powers
        .flat_map(|power| [1, 2, 5].map(|step| power.saturating_mul(step)))
        .find(|step| *step >= least)
        .unwrap_or(u64::MAX)
}

#[derive(Clone, Copy, Default)]
struct Cell {
    /// Braille dots, in the order of Unicode.
    bits: u8,
    series: Option<usize>,
}

impl Cell {
    fn text(self, series: &Series, theme: &Theme) -> String {
        if theme.ascii {
            return series.letter.to_owned();
        }
        char::from_u32(0x2800 + u32::from(self.bits)).unwrap_or(' ').to_string()
    }
}

struct Raster {
    cells: Vec<Cell>,
    columns: usize,
    dots: (usize, usize),
}

impl Raster {
    fn new(scale: &Scale) -> Self {
        Self { cells: vec![Cell::default(); scale.columns * scale.rows], columns: scale.columns, dots: scale.dots }
    }

    fn dot(&mut self, series: usize, x: usize, y: usize) {
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let bit = BITS.get(y % self.dots.1).and_then(|row| row.get(x % self.dots.0)).copied().unwrap_or(0);
        if let Some(cell) = self.cells.get_mut(y / self.dots.1 * self.columns + x / self.dots.0) {
            // A cell that two lines share belongs to the one drawn last, but keeps the dots of both.
            cell.bits |= bit;
            cell.series = Some(series);
        }
    }

    /// A step line with dashes along its way.
    fn line(&mut self, series: usize, dash: (usize, usize), values: impl Iterator<Item = usize>, scale: &Scale) {
        let dash = if scale.dots == (1, 1) { (1, 0) } else { dash };
        let mut way = 0;
        let mut before = None;
        for (x, value) in values.enumerate() {
            let y = scale.y(value);
            let from = before.unwrap_or(y);
            let mut at = from;
            loop {
                let last = at == y;
                if (at != from || last) && way % (dash.0 + dash.1) < dash.0 {
                    self.dot(series, x, at);
                }
                way += usize::from(at != from || last);
                if last {
                    break;
                }
                at = if at < y { at + 1 } else { at - 1 };
            }
            before = Some(y);
        }
    }
}

/// A line of text into which labels are put where there is room.
struct Row {
    text: String,
    columns: usize,
}

impl Row {
    fn new(columns: usize) -> Self {
        Self { text: String::new(), columns }
    }

    /// Puts a label (of ASCII) around a column, unless it would touch the one before or what stands at `taken`.
    fn center(&mut self, column: usize, label: &str, taken: Range<usize>) {
        let start = column.saturating_sub(label.len() / 2).min(self.columns.saturating_sub(label.len()));
        if start <= taken.end && start + label.len() >= taken.start {
            return;
        }
        if let Some(gap) = start.checked_sub(self.text.len()).filter(|gap| *gap > 0 || self.text.is_empty()) {
            let _ = write!(self.text, "{}{label}", " ".repeat(gap));
        }
    }
}

/// Puts a text on the screen, cut at its right end.
fn put(frame: &mut Frame<'_>, x: u16, y: u16, text: &str, style: Style) {
    let area = frame.area();
    if y < area.bottom() && x < area.right() {
        frame.buffer_mut().set_stringn(x, y, text, usize::from(area.right() - x), style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_up_to_easy_ones() {
        assert_eq!([0, 1, 7, 10, 11, 37, 101, 999].map(round_up), [1, 1, 7, 10, 12, 40, 120, 1000]);
        assert_eq!(round_up(usize::MAX), usize::MAX);
        assert_eq!([0, 1, 3, 6, 21, u64::MAX].map(tick_step), [1, 1, 5, 10, 50, u64::MAX]);
    }

    #[test]
    fn a_scale_stays_inside_its_plot() {
        let scale = Scale { from: 0, to: u64::MAX, columns: 7, rows: 3, dots: (2, 4), top: 5, margin: 0 };
        assert_eq!((scale.x(0), scale.x(u64::MAX)), (0, 13));
        assert_eq!((scale.y(0), scale.y(5), scale.y(50)), (11, 0, 0));
        assert_eq!((scale.value_at(2), scale.value_at(0)), (Some(0), Some(5)));
        assert!(scale.ticks().len() <= 2);
    }

    #[test]
    fn labels_never_touch() {
        let mut row = Row::new(12);
        row.center(0, "0", 20..23);
        row.center(2, "100", 20..23);
        row.center(6, "200", 20..23);
        row.center(12, "300", 20..23);
        assert_eq!(row.text, "0    200 300");
        let mut row = Row::new(20);
        row.center(4, "100", 6..9);
        row.center(12, "300", 6..9);
        assert_eq!(row.text, "           300");
    }
}
