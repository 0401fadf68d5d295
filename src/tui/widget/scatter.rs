//! A small scatter plot: one marked point a row of its legend.
//!
//! It draws cells itself: ratatui's `Chart` panics with a single label on its y axis, draws nonsense where an axis has no
//! width or a value is not a number, and lets equal points hide one another.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::text::{displayable, fit_right, truncate_with, width};
use crate::tui::text::{cut, padded};
use crate::tui::theme::{Role, Theme};

/// One point. Its number, from 1, is its place in the list.
pub struct Point<'a> {
    /// What it is called in the legend.
    pub name: &'a str,
    /// Where it stands; a point whose value is missing or not a number is listed as not drawn.
    pub at: Option<(f64, f64)>,
    /// Whether it is the one under the cursor: `[1]`.
    pub selected: bool,
    /// Whether the others are measured against it: `(1)`.
    pub baseline: bool,
}

/// An axis: what it shows and from where to where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// What stands at its end.
    pub name: &'static str,
    /// The value at its beginning.
    pub low: f64,
    /// The value at its end, above `low`.
    pub high: f64,
    /// Places after the point of its numbers.
    pub places: usize,
}

impl Axis {
    /// For ratios from 0 to 1: the tenths around all values, never without width.
    pub fn of_ratios(name: &'static str, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((1.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let (mut low, mut high) = ((low.min(high) * 10.0).floor() / 10.0, (high * 10.0).ceil() / 10.0);
        if high - low < 0.15 {
            (low, high) = ((low - 0.1).max(0.0), (high + 0.1).min(1.0));
        }
        Self { name, low, high, places: 2 }
    }

    /// For amounts: from 0 to a round number that holds all values.
    pub fn of_amounts(name: &'static str, values: impl Iterator<Item = f64>) -> Self {
        let most = values.fold(0.0_f64, f64::max).max(1.0);
        let unit = 10.0_f64.powf(most.log10().floor());
        let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
        let high = steps.into_iter().map(|step| step * unit).find(|high| *high >= most).unwrap_or(most);
        Self { name, low: 0.0, high, places: 0 }
    }

    /// The cell of a value among `cells`, the first of which is the axis's beginning.
    fn cell(&self, value: f64, cells: usize) -> usize {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        (share * cells.saturating_sub(1) as f64).round() as usize
    }

    fn at(&self, share: f64) -> f64 {
        self.low + share * (self.high - self.low)
    }

    fn number(&self, share: f64) -> String {
        format!("{:.*}", self.places, self.at(share))
    }

    /// Whether [`Axis::number`] is the whole number there.
    fn is_exact(&self, share: f64) -> bool {
        self.number(share).parse().is_ok_and(|number: f64| (number - self.at(share)).abs() < 1e-9)
    }
}

/// Where a point is drawn, and with which mark: points too near one another to be told apart share one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    column: usize,
    row: usize,
    text: String,
    /// The places of its points.
    points: Vec<usize>,
}

/// Draws a plot with its legend, at the right where there is room, else below. Returns the row of each point in the legend,
/// for clicks.
pub fn scatter(
    frame: &mut Frame<'_>,
    area: Rect,
    points: &[Point<'_>],
    (x, y): (Axis, Axis),
    theme: &Theme,
) -> Vec<(Rect, usize)> {
    let (plot, legend) = divide(area, points);
    let marks = match plot {
        Some(plot) => draw_plot(frame, plot, points, (x, y), theme),
        None => arrange(points, (x, y), (1, 1)).into_iter().map(|mark| Mark { text: String::new(), ..mark }).collect(),
    };
    draw_legend(frame, legend, points, &marks, &format!("no {}", y.name), theme)
}

/// Columns that the numbers of the y axis and the axis itself take.
const GUTTER: u16 = 5;
/// The smallest plot that says something, axes and all.
const LEAST: (u16, u16) = (24, 5);
/// Columns of a legend beside the plot.
const BESIDE: u16 = 46;

fn divide(area: Rect, points: &[Point<'_>]) -> (Option<Rect>, Rect) {
    let rows = u16::try_from(points.len()).unwrap_or(u16::MAX);
    if area.width >= LEAST.0 * 2 + BESIDE && area.height >= LEAST.1 {
        let plot = Rect { width: area.width - BESIDE, ..area };
        return (Some(plot), Rect { x: plot.right() + 1, width: BESIDE - 1, ..area });
    }
    // Below, the legend gives way to the plot: the first rows of it are those that matter.
    let below = rows.min(area.height.saturating_sub(LEAST.1)).min((area.height / 2).max(3));
    if area.width < LEAST.0 || below == 0 {
        return (None, area);
    }
    let plot = Rect { height: area.height - below, ..area };
    (Some(plot), Rect { y: plot.bottom(), height: below, ..area })
}

/// Gives each point its cell of a grid, and joins the marks that would cover one another.
fn arrange(points: &[Point<'_>], (x, y): (Axis, Axis), (columns, rows): (usize, usize)) -> Vec<Mark> {
    let mut cells: Vec<(usize, usize, usize)> = points
        .iter()
        .enumerate()
        .filter_map(|(index, point)| {
            let (px, py) = point.at.filter(|(px, py)| px.is_finite() && py.is_finite())?;
            Some((rows.saturating_sub(1).saturating_sub(y.cell(py, rows)), x.cell(px, columns), index))
        })
        .collect();
    cells.sort_unstable();
    let mut marks: Vec<Mark> = Vec::new();
    for (row, column, index) in cells {
        match marks.last_mut() {
            // A mark has up to four columns, and stands around its cell.
            Some(mark) if mark.row == row && column - mark.column < 4 => mark.points.push(index),
            _ => marks.push(Mark { column, row, text: String::new(), points: vec![index] }),
        }
    }
    for mark in &mut marks {
        let mut of = mark.points.iter().filter_map(|&index| points.get(index).map(|point| (index, point)));
        let selected = of.clone().any(|(_, point)| point.selected);
        let baseline = of.clone().any(|(_, point)| point.baseline);
        let number =
            of.clone().find(|(_, point)| point.selected).or_else(|| of.next()).map_or(0, |(index, _)| index + 1);
        mark.text = match (selected, baseline) {
            (true, _) => format!("[{number}]"),
            (false, true) => format!("({number})"),
            (false, false) => format!("{number}"),
        };
    }
    marks
}

fn style(points: &[Point<'_>], mark: &Mark, theme: &Theme) -> Style {
    let any = |is: fn(&Point<'_>) -> bool| mark.points.iter().any(|&index| points.get(index).is_some_and(is));
    if any(|point| point.selected) {
        theme.style(Role::Focus)
    } else if any(|point| point.baseline) {
        theme.style(Role::Heading)
    } else {
        theme.style(Role::Text)
    }
}

fn draw_plot(
    frame: &mut Frame<'_>,
    area: Rect,
    points: &[Point<'_>],
    (x, y): (Axis, Axis),
    theme: &Theme,
) -> Vec<Mark> {
    let grid =
        Rect { x: area.x + GUTTER, width: area.width - GUTTER, y: area.y + 1, height: area.height.saturating_sub(3) };
    draw_axes(frame, area, grid, (x, y), theme);
    let (columns, rows) = (usize::from(grid.width), usize::from(grid.height));
    // A mark reaches two columns to either side of its cell.
    let marks = arrange(points, (x, y), (columns.saturating_sub(4), rows));
    let mut taken: Vec<(usize, usize, usize)> = Vec::new();
    for mark in &marks {
        let start = (mark.column + 2).saturating_sub(width(&mark.text) / 2);
        put(frame, grid, (start, mark.row), &mark.text, style(points, mark, theme));
        taken.push((mark.row, start, start + width(&mark.text)));
    }
    for mark in &marks {
        let names: Vec<&str> = mark.points.iter().filter_map(|&index| points.get(index)).map(|p| p.name).collect();
        let name = displayable(&names.join(", ")).into_owned();
        let start = (mark.column + 2).saturating_sub(width(&mark.text) / 2);
        let right = start + width(&mark.text) + 1;
        let left = start.checked_sub(width(&name) + 1);
        let free = |from: usize, taken: &[(usize, usize, usize)]| {
            let to = from + width(&name);
            to <= columns && taken.iter().all(|(row, a, b)| *row != mark.row || to < *a || *b < from)
        };
        let place = [Some(right), left].into_iter().flatten().find(|&from| {
            // The mark's own cells do not count: the name stands beside them.
            let others: Vec<_> = taken.iter().copied().filter(|cells| *cells != (mark.row, start, right - 1)).collect();
            free(from, &others)
        });
        if let Some(from) = place {
            put(frame, grid, (from, mark.row), &name, theme.style(Role::Dim));
            taken.push((mark.row, from, from + width(&name)));
        }
    }
    marks
}

fn draw_axes(frame: &mut Frame<'_>, area: Rect, grid: Rect, (x, y): (Axis, Axis), theme: &Theme) {
    let dim = theme.style(Role::Dim);
    let line = theme.style(Role::Border);
    let names = format!("{} {}  {} {}", theme.pick("↑", "^"), y.name, theme.pick("→", ">"), x.name);
    put(frame, area, (0, 0), &names, dim);
    let last = grid.height.saturating_sub(1);
    for row in 0..grid.height {
        let middle = row == last / 2 && last >= 4;
        let number = if row == 0 || row == last || middle {
            y.number(1.0 - f64::from(row) / f64::from(last.max(1)))
        } else {
            String::new()
        };
        let at = (0, usize::from(row) + 1);
        put(frame, area, at, &fit_right(&number, usize::from(GUTTER) - 1), dim);
        let tick = if number.is_empty() { theme.pick("│", "|") } else { theme.pick("┤", "+") };
        put(frame, area, (usize::from(GUTTER) - 1, at.1), tick, line);
    }
    let under = usize::from(grid.height) + 1;
    let ground = format!("{}{}", theme.pick("└", "+"), theme.pick("─", "-").repeat(usize::from(grid.width)));
    put(frame, area, (usize::from(GUTTER) - 1, under), &ground, line);
    // The numbers stand under their cells: those of the grid begin two columns in, as the marks do.
    let columns = usize::from(grid.width).saturating_sub(4);
    let shares: &[f64] = if columns > 40 { &[0.0, 0.25, 0.5, 0.75, 1.0] } else { &[0.0, 0.5, 1.0] };
    let mut end = 0;
    for &share in shares {
        let number = x.number(share);
        // A tick whose number would have to be rounded says something wrong.
        if !x.is_exact(share) {
            continue;
        }
        let centre = usize::from(GUTTER) + 2 + (share * columns.saturating_sub(1) as f64).round() as usize;
        let start =
            centre.saturating_sub(width(&number) / 2).min(usize::from(area.width).saturating_sub(width(&number)));
        if start >= end {
            put(frame, area, (centre, under), theme.pick("┬", "+"), line);
            put(frame, area, (start, under + 1), &number, dim);
            end = start + width(&number) + 1;
        }
    }
}

/// Writes a text at a place of an area, cut at the area's end.
fn put(frame: &mut Frame<'_>, area: Rect, (column, row): (usize, usize), text: &str, style: Style) {
    let (Ok(column), Ok(row)) = (u16::try_from(column), u16::try_from(row)) else { return };
    if column < area.width && row < area.height {
        let cells = Rect { x: area.x + column, y: area.y + row, width: area.width - column, height: 1 };
        frame.render_widget(Span::styled(text.to_owned(), style), cells);
    }
}

/// Columns of a mark in the legend, of the two values, and of the longest word behind them.
const LEGEND: (usize, usize, usize) = (6, 15, 9);

fn draw_legend(
    frame: &mut Frame<'_>,
    area: Rect,
    points: &[Point<'_>],
    marks: &[Mark],
    missing: &str,
    theme: &Theme,
) -> Vec<(Rect, usize)> {
    let height = usize::from(area.height);
    let mut order: Vec<usize> = (0..points.len()).collect();
    if order.len() > height {
        // Those that matter must be among the ones that fit; the last row says how many do not.
        order.sort_by_key(|&index| points.get(index).is_none_or(|point| !point.selected && !point.baseline));
        order.truncate(height.saturating_sub(1).max(1));
        let more = format!("      {} more", points.len() - order.len());
        put(frame, area, (0, order.len()), &more, theme.style(Role::Dim));
    }
    let columns = usize::from(area.width);
    let widest = points.iter().map(|point| width(&displayable(point.name))).max().unwrap_or(0);
    let names = widest.min(columns.saturating_sub(LEGEND.0 + LEGEND.2).max(8));
    // The values stand elsewhere too: they are the first to go.
    let valued = columns >= LEGEND.0 + names + LEGEND.1 + LEGEND.2;
    let mut rows = Vec::new();
    for (row, index) in (area.y..area.bottom()).zip(order) {
        let Some(point) = points.get(index) else { continue };
        let mark = marks.iter().find(|mark| mark.points.contains(&index));
        let name = truncate_with(&displayable(point.name), names, theme.ellipsis()).into_owned();
        let name = format!("{name}{}", " ".repeat(names.saturating_sub(width(&name))));
        let (text, dim) = (theme.style(Role::Text), theme.style(Role::Dim));
        let mut line = Line::default();
        match (mark, point.at) {
            (Some(mark), Some((x, y))) => {
                line.push_span(Span::styled(format!("{:>4}  ", mark.text), style(points, mark, theme)));
                line.push_span(Span::styled(name, if point.selected { theme.style(Role::Focus) } else { text }));
                if valued {
                    line.push_span(Span::styled(format!("  {y:.3}  {:>6}", format!("{x:.0}")), text));
                }
            }
            _ => {
                line.push_span(Span::styled("   -  ".to_owned(), dim));
                line.push_span(Span::styled(name, text));
                line.push_span(Span::styled(format!(" not drawn: {missing}"), dim));
            }
        }
        let role = match (point.selected, point.baseline) {
            (_, true) => " baseline",
            (true, false) => " selected",
            _ => "",
        };
        line.push_span(Span::styled(role.to_owned(), dim));
        let place = Rect { y: row, height: 1, ..area };
        let line = cut(line, columns, theme);
        frame.render_widget(padded(line, columns, Style::new()), place);
        rows.push((place, index));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn point(name: &str, at: Option<(f64, f64)>) -> Point<'_> {
        Point { name, at, selected: name == "b", baseline: name == "a" }
    }

    fn axes(points: &[Point<'_>]) -> (Axis, Axis) {
        let at = || points.iter().filter_map(|point| point.at).filter(|(x, y)| x.is_finite() && y.is_finite());
        (Axis::of_amounts("tokens", at().map(|at| at.0)), Axis::of_ratios("recall", at().map(|at| at.1)))
    }

    fn drawn(points: &[Point<'_>], width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let frame = terminal
            .draw(|frame| {
                scatter(frame, frame.area(), points, axes(points), &Theme::default());
            })
            .unwrap();
        let cells: Vec<&str> = frame.buffer.content.iter().map(|cell| cell.symbol()).collect();
        cells.chunks(usize::from(width).max(1)).map(|row| row.concat() + "\n").collect()
    }

    #[test]
    fn axes_have_width_whatever_the_values() {
        let ratios = |values: &[f64]| {
            let axis = Axis::of_ratios("recall", values.iter().copied());
            assert!(axis.high - axis.low > 0.09, "{axis:?}");
            (axis.low, axis.high)
        };
        assert_eq!(ratios(&[1.0, 0.6]), (0.6, 1.0));
        assert_eq!(ratios(&[1.0]), (0.9, 1.0));
        assert_eq!(ratios(&[0.0]), (0.0, 0.1));
        ratios(&[]);
        let amounts = |values: &[f64]| Axis::of_amounts("tokens", values.iter().copied()).high;
        assert_eq!(amounts(&[91.0, 632.0, 873.0]), 1000.0);
        assert_eq!(amounts(&[0.0]), 1.0);
        assert_eq!(amounts(&[]), 1.0);
        assert_eq!(amounts(&[1_234_567.0]), 1_500_000.0);
    }

    #[test]
    fn points_are_marked_by_what_they_are() {
        let points = [point("a", Some((632.0, 1.0))), point("b", Some((91.0, 0.6))), point("c", Some((873.0, 1.0)))];
        let text = drawn(&points, 60, 14);
        for mark in ["(1) a", "[2] b", "3 c", "1.00", "0.60", "1000", "↑ recall", "→ tokens", "baseline", "selected"]
        {
            assert!(text.contains(mark), "no {mark} in\n{text}");
        }
    }

    #[test]
    fn equal_points_share_a_mark_and_are_all_in_the_legend() {
        let points = [point("a", Some((10.0, 0.5))), point("x", Some((10.0, 0.5))), point("y", Some((10.0, 0.5)))];
        let text = drawn(&points, 60, 14);
        assert!(text.contains("a, x, y (1)"), "{text}");
        assert_eq!(text.matches(" (1) ").count(), 4, "one in the plot, three in the legend\n{text}");
        assert!(!text.contains(" 2 "), "no tick at 2.5\n{text}");
    }

    #[test]
    fn what_has_no_value_is_listed() {
        let points = [point("a", None), point("b", Some((f64::NAN, 0.5)))];
        let text = drawn(&points, 60, 14);
        assert_eq!(text.matches("not drawn: no recall").count(), 2, "{text}");
    }

    #[test]
    fn any_size_is_drawn() {
        let points = [point("a", Some((632.0, 1.0))), point("b", Some((91.0, 0.6)))];
        let many: Vec<Point<'_>> = (0..30).map(|at| point("c", Some((f64::from(at), 0.5)))).collect();
        assert!(drawn(&many, 60, 14).contains("24 more"), "{}", drawn(&many, 60, 14));
        for (width, height) in [(0, 0), (1, 1), (24, 6), (24, 9), (5, 40), (200, 3), (94, 6), (200, 60)] {
            drawn(&points, width, height);
            drawn(&[], width, height);
        }
    }
}
