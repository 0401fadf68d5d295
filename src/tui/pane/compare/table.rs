//! All measures side by side: one column a strategy, the baseline's always at the left.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::draw::{judged, name};
use super::{ComparePane, Part};
use crate::compare::{Judgement, Measure, Measures};
use crate::text::{displayable, truncate_with, width};
use crate::tui::pane::View;
use crate::tui::text::{cut, padded};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::part::part;

/// Rows above the measures: the names, and baseline and gate.
pub(super) const HEADS: u16 = 2;
/// Columns that a name may take.
const NAME: usize = 28;

/// The measures in the order in which they are given up where rows are few: the last first.
const BY_WEIGHT: [Measure; 12] = [
    Measure::FactsFound,
    Measure::MemoryTokens,
    Measure::Pass,
    Measure::StaleLines,
    Measure::ForgottenLines,
    Measure::UsefulLines,
    Measure::TokensPerFact,
    Measure::Fail,
    Measure::Recall,
    Measure::PassRate,
    Measure::Usefulness,
    Measure::Incomplete,
];

/// The measures shown in so many rows, in the order of reports; those of answers only where there are some.
pub(super) fn shown(pane: &ComparePane, rows: usize) -> Vec<Measure> {
    let answered = pane.measures.iter().any(Measures::is_answered);
    let kept: Vec<Measure> =
        BY_WEIGHT.into_iter().filter(|measure| answered || !measure.needs_answers()).take(rows).collect();
    Measure::ALL.into_iter().filter(|measure| kept.contains(measure)).collect()
}

/// One strategy's column.
struct Column {
    strategy: usize,
    name: String,
    status: String,
    /// Value, signed difference, judgement.
    cells: Vec<(String, String, Judgement)>,
    /// Columns of the values and of the differences.
    widths: (usize, usize),
}

impl Column {
    fn new(pane: &ComparePane, strategy: usize, measures: &[Measure], view: &View<'_>) -> Self {
        let sums = |strategy: usize| pane.measures.get(strategy).copied().unwrap_or_default();
        let (own, base) = (sums(strategy), sums(pane.baseline));
        let is_baseline = strategy == pane.baseline;
        let cell = |measure: &Measure| {
            let judgement = if is_baseline { Judgement::Unknown } else { measure.judge(&own, &base) };
            let signed = match judgement {
                Judgement::Better | Judgement::Worse => measure.signed(&own, &base),
                Judgement::Same | Judgement::Unknown => String::new(),
            };
            (measure.text(&own), signed, judgement)
        };
        let cells: Vec<_> = measures.iter().map(cell).collect();
        let widest = |of: fn(&(String, String, Judgement)) -> &String| {
            cells.iter().map(|cell| width(of(cell))).max().unwrap_or(0)
        };
        let name = displayable(name(view.workspace, strategy)).into_owned();
        let gate = match own.holds_gate() {
            None => "blocks not known",
            Some(true) => "gate ok",
            Some(false) => "gate FAILED",
        };
        Self {
            strategy,
            name: truncate_with(&name, NAME, view.theme.ellipsis()).into_owned(),
            status: if is_baseline { format!("baseline, {gate}") } else { gate.to_owned() },
            widths: (widest(|cell| &cell.0), widest(|cell| &cell.1)),
            cells,
        }
    }

    /// With the mark of the cursor before it and a space behind it.
    fn width(&self) -> usize {
        let (value, signed) = self.widths;
        let compared = self.cells.iter().any(|cell| cell.2 != Judgement::Unknown);
        let cell = value + if compared { signed + 8 } else { 0 };
        cell.max(width(&self.name)).max(width(&self.status)) + 2
    }

    fn name_line(&self, selected: bool, theme: &Theme) -> Line<'static> {
        let pointer = if selected { theme.pointer() } else { " " };
        let style = theme.style(if selected { Role::Focus } else { Role::Heading });
        Line::from(vec![
            Span::styled(pointer.to_owned(), theme.style(Role::Focus)),
            Span::styled(self.name.clone(), style),
        ])
    }

    fn status_line(&self, failed: bool, theme: &Theme) -> Line<'static> {
        let style = theme.style(if failed { Role::Fail } else { Role::Dim });
        Line::from(vec![Span::raw(" "), Span::styled(self.status.clone(), style)])
    }

    fn cell_line(&self, row: usize, theme: &Theme) -> Line<'static> {
        let Some((value, signed, judgement)) = self.cells.get(row) else { return Line::default() };
        let (values, differences) = self.widths;
        let style = judged(*judgement, theme);
        Line::from(vec![
            Span::styled(format!(" {value:>values$} "), theme.style(Role::Text)),
            Span::styled(format!("{signed:>differences$} "), style),
            Span::styled(judgement.word(), style),
        ])
    }
}

/// Columns of the names of the measures.
fn label_width(measures: &[Measure]) -> usize {
    // A space before and one behind.
    measures.iter().map(|measure| width(measure.label())).max().unwrap_or(0) + 2
}

/// Columns that the whole table takes, without a border.
pub(super) fn needed_width(pane: &ComparePane, view: &View<'_>) -> u16 {
    let measures = shown(pane, usize::MAX);
    let columns = pane.order().map(|strategy| Column::new(pane, strategy, &measures, view).width());
    u16::try_from(label_width(&measures) + columns.sum::<usize>()).unwrap_or(u16::MAX)
}

pub(super) fn draw(
    pane: &ComparePane,
    frame: &mut Frame<'_>,
    area: Rect,
    (selected, baseline): (usize, usize),
    view: &View<'_>,
) {
    let rows = usize::from(area.height.saturating_sub(2 + HEADS));
    let measures = shown(pane, rows);
    let hidden = shown(pane, usize::MAX).len() - measures.len();
    let columns: Vec<Column> = pane.order().map(|strategy| Column::new(pane, strategy, &measures, view)).collect();
    let labels = label_width(&shown(pane, usize::MAX));
    let inner = usize::from(area.width.saturating_sub(2));
    let Some((base, others)) = columns.split_first() else { return };
    // The baseline stands at the left, unless that leaves the selected strategy no room.
    let beside = inner.saturating_sub(labels + base.width());
    let needed = others.iter().find(|column| column.strategy == selected).map_or(0, Column::width);
    let (pinned, room) = if needed <= beside { (Some(base), beside) } else { (None, inner.saturating_sub(labels)) };
    let visible = visible(pane, others, selected, room);
    let way = match (pane.focus == Part::Measures, view.zoomed) {
        (false, _) => "when focused",
        (true, false) => "when zoomed",
        (true, true) => "on a taller screen",
    };
    let mut title = title(name(view.workspace, baseline), (hidden, way), &visible, others.len());
    if let Some(words) = view.workspace.counting_words() {
        title.push_span(Span::styled(format!("  {words}"), view.theme.style(Role::Dim)));
    }
    let area = part(frame, area, title, pane.focus == Part::Measures, view.theme);
    let names =
        measures.iter().map(|measure| Line::styled(format!(" {}", measure.label()), view.theme.style(Role::Dim)));
    let blank = std::iter::repeat_n(Line::default(), usize::from(HEADS));
    put(frame, area, 0, labels, blank.chain(names), Style::new(), view.theme);
    let mut x = labels;
    for column in pinned.into_iter().chain(others.get(visible).unwrap_or_default()) {
        let chosen = column.strategy == selected;
        let failed = pane.measures.get(column.strategy).is_some_and(Measures::fails_gate);
        let heads = [column.name_line(chosen, view.theme), column.status_line(failed, view.theme)];
        let cells = (0..measures.len()).map(|row| column.cell_line(row, view.theme));
        let style = if chosen { view.theme.cursor() } else { Style::new() };
        let width = column.width().min(usize::from(area.width).saturating_sub(x));
        let place = put(frame, area, x, width, heads.into_iter().chain(cells), style, view.theme);
        pane.spots.borrow_mut().push((place, column.strategy));
        x += width;
    }
}

/// The strategies drawn beside the baseline: the least scrolling that keeps the selected one on screen, and no empty room
/// at the end.
fn visible(pane: &ComparePane, others: &[Column], selected: usize, room: usize) -> std::ops::Range<usize> {
    let widths: Vec<usize> = others.iter().map(Column::width).collect();
    let sum = |range: std::ops::Range<usize>| widths.get(range).map_or(0, |widths| widths.iter().sum::<usize>());
    let mut first = pane.first.get().min(others.len());
    // Where the tail fits, more of it is shown.
    while first > 0 && sum(first - 1..others.len()) <= room {
        first -= 1;
    }
    if let Some(place) = others.iter().position(|column| column.strategy == selected) {
        first = first.min(place);
        while first < place && sum(first..place + 1) > room {
            first += 1;
        }
    }
    pane.first.set(first);
    // The first is drawn even where it is cut.
    let mut end = (first + 1).min(others.len());
    while end < others.len() && sum(first..end + 1) <= room {
        end += 1;
    }
    first..end
}

fn title(baseline: &str, hidden: (usize, &str), visible: &std::ops::Range<usize>, others: usize) -> Line<'static> {
    let mut title = format!("Measures against {}", displayable(baseline));
    if visible.len() < others {
        title.push_str(&format!(", {}-{} of {others} others", visible.start + 1, visible.end));
    }
    if let (1.., way) = hidden {
        title.push_str(&format!(" ({} more {way})", hidden.0));
    }
    Line::raw(title)
}

/// Draws lines one below the other into some columns of an area. Returns where.
fn put(
    frame: &mut Frame<'_>,
    area: Rect,
    column: usize,
    width: usize,
    lines: impl Iterator<Item = Line<'static>>,
    style: Style,
    theme: &Theme,
) -> Rect {
    let (Ok(column), Ok(columns)) = (u16::try_from(column), u16::try_from(width)) else { return Rect::default() };
    let place = Rect { x: area.x + column.min(area.width), width: columns, ..area }.intersection(area);
    for (y, line) in (place.y..place.bottom()).zip(lines) {
        let line = padded(cut(line, usize::from(place.width), theme), usize::from(place.width), style);
        frame.render_widget(line, Rect { y, height: 1, ..place });
    }
    place
}
