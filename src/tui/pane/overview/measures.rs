//! The table of measures, one row a strategy, and the gate under it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::report::{gate_lines, ratio};
use crate::text::{fit, fit_right, width};
use crate::triage::Cause;
use crate::tui::pane::View;
use crate::tui::text::{cut, span};
use crate::tui::theme::Role;
use crate::tui::widget::part::part;

/// Rows of strategies at most; more are scrolled so that the one under the cursor is on screen.
const MOST_ROWS: usize = 6;

/// The height of the table in a pane of this height: borders, heads, strategies, gate.
pub(super) fn height(strategies: usize, pane: u16) -> u16 {
    let rows = u16::try_from(strategies.min(MOST_ROWS)).unwrap_or(u16::MAX);
    // The map needs a few lines more than the table to be of use.
    if pane < rows + 11 { 0 } else { rows + 5 }
}

/// A column: its head in a wide and in a narrow terminal, and how its values stand out.
struct Column {
    wide: &'static str,
    narrow: &'static str,
    cells: Vec<(String, Role)>,
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let evaluation = &view.workspace.evaluation;
    let theme = view.theme;
    let title = vec![
        span("Strategies", Style::new()),
        span(
            &format!(" quota {} tokens, counted with {}", evaluation.cases.facts_quota, evaluation.counter.name()),
            theme.style(Role::Dim),
        ),
    ];
    let inner = part(frame, area, title, false, theme);
    let columns = columns(view);
    let names: Vec<&str> = evaluation.strategies.iter().map(|strategy| strategy.name()).collect();
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0).max(8);
    let room = usize::from(inner.width);
    let sizes = |wide: bool| -> Vec<usize> { columns.iter().map(|column| column.size(wide)).collect() };
    let total = |wide: bool, gap: usize| longest + 2 + sizes(wide).iter().map(|size| size + gap).sum::<usize>();
    let fitting =
        [(true, 3), (true, 2), (false, 3), (false, 2)].into_iter().find(|(wide, gap)| total(*wide, *gap) <= room);
    let (wide, gap) = fitting.unwrap_or((false, 1));
    let sizes = sizes(wide);
    let name_columns = longest.min(room / 3);
    let mut head = vec![Span::raw(format!("  {}", fit("", name_columns)))];
    for (column, size) in columns.iter().zip(&sizes) {
        let text = fit_right(if wide { column.wide } else { column.narrow }, *size);
        head.push(Span::styled(format!("{:gap$}{text}", ""), theme.style(Role::Dim)));
    }
    frame.render_widget(cut(Line::from(head), room, theme), Rect { height: 1, ..inner });
    let shown = usize::from(inner.height.saturating_sub(3));
    let first = view.cursor.strategy.saturating_sub(shown.saturating_sub(1)).min(names.len().saturating_sub(shown));
    for (y, (row, name)) in (inner.y + 1..inner.bottom() - 2).zip(names.iter().enumerate().skip(first)) {
        let selected = row == view.cursor.strategy;
        let pointer = if selected { theme.pointer() } else { " " };
        let mut spans = vec![
            Span::styled(format!("{pointer} "), theme.style(Role::Focus)),
            span(&fit(name, name_columns), if selected { theme.style(Role::Heading) } else { Style::new() }),
        ];
        for (column, size) in columns.iter().zip(&sizes) {
            let Some((text, role)) = column.cells.get(row) else { continue };
            spans.push(Span::styled(format!("{:gap$}{}", "", fit_right(text, *size)), theme.style(*role)));
        }
        frame.render_widget(cut(Line::from(spans), room, theme), Rect { y, height: 1, ..inner });
    }
    draw_gate(frame, Rect { y: inner.bottom().saturating_sub(2), height: 1, ..inner }, view);
    draw_causes(frame, Rect { y: inner.bottom().saturating_sub(1), height: 1, ..inner }, view);
}

/// Why the answers of the strategy under the cursor fail.
fn draw_causes(frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let theme = view.theme;
    let strategy = view.workspace.evaluation.strategies.get(view.cursor.strategy);
    let Some(name) = strategy.map(|strategy| strategy.name()) else { return };
    let mut spans = vec![span(&format!("  {name} fails by: "), theme.style(Role::Dim))];
    let totals =
        view.diagnosis.and_then(|diagnosis| diagnosis.causes.totals.iter().find(|totals| totals.strategy == name));
    let found: Vec<_> = Cause::ALL
        .into_iter()
        .filter_map(|cause| Some((cause, totals.map(|totals| totals.of(cause)).filter(|count| *count > 0)?)))
        .collect();
    if found.is_empty() {
        let none = if view.diagnosis.is_some() { "no answer" } else { "still coming" };
        spans.push(Span::styled(none, theme.style(Role::Dim)));
    }
    for (cause, count) in found {
        let role = match cause {
            Cause::Forgotten => Role::Forgotten,
            Cause::Stale => Role::Stale,
            Cause::Missing => Role::Missing,
            Cause::Unused | Cause::FaultyKey => Role::Incomplete,
        };
        spans.push(Span::styled(format!("{} {count}  ", cause.name()), theme.style(role)));
    }
    frame.render_widget(cut(Line::from(spans), usize::from(area.width), theme), area);
}

fn draw_gate(frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let theme = view.theme;
    let failed = gate_lines(&view.workspace.evaluation);
    let (glyph, text, role) = match failed.first() {
        Some(first) => {
            let more = if failed.len() > 1 { format!(" (and {} more)", failed.len() - 1) } else { String::new() };
            (theme.pick("✗", "x"), format!("{first}{more}"), Role::Fail)
        }
        None => {
            (theme.pick("✓", "+"), "gate passed: no strategy sends a stale or forgotten line".to_owned(), Role::Pass)
        }
    };
    let line = Line::styled(format!("  {glyph} {text}"), theme.style(role));
    frame.render_widget(cut(line, usize::from(area.width), theme), area);
}

impl Column {
    fn size(&self, wide: bool) -> usize {
        let head = width(if wide { self.wide } else { self.narrow });
        self.cells.iter().map(|(text, _)| width(text)).chain([head]).max().unwrap_or(0)
    }
}

fn columns(view: &View<'_>) -> Vec<Column> {
    let evaluation = &view.workspace.evaluation;
    let sums = &evaluation.summaries;
    let column = |wide, narrow, cells: Vec<(String, Role)>| Column { wide, narrow, cells };
    let each = |cell: &dyn Fn(&crate::grade::BlockSummary) -> (String, Role)| sums.iter().map(cell).collect::<Vec<_>>();
    let leak = |count: usize, role| (count.to_string(), if count > 0 { role } else { Role::Dim });
    let mut columns = vec![
        column(
            "facts found",
            "facts",
            each(&|sum| {
                let role = if sum.facts_found == sum.facts_required { Role::Useful } else { Role::Missing };
                (format!("{}/{}", sum.facts_found, sum.facts_required), role)
            }),
        ),
        column("recall", "recall", each(&|sum| (ratio(sum.recall), Role::Text))),
        column("useful lines", "useful", each(&|sum| (format!("{}/{}", sum.useful_lines, sum.lines_sent), Role::Text))),
        column("usefulness", "usef.", each(&|sum| (ratio(sum.usefulness), Role::Text))),
        column("stale", "stale", each(&|sum| leak(sum.stale_lines, Role::Stale))),
        column("forgotten", "forg.", each(&|sum| leak(sum.forgotten_lines, Role::Forgotten))),
        column("memory tokens", "tokens", each(&|sum| (sum.memory_tokens.to_string(), Role::Text))),
    ];
    if !view.workspace.recordings.is_empty() {
        let tallies: Vec<_> = (0..sums.len()).map(|strategy| view.workspace.tally(strategy)).collect();
        let counts = |count: &dyn Fn(crate::workspace::Tally) -> usize, role| -> Vec<(String, Role)> {
            tallies.iter().map(|tally| (count(*tally).to_string(), role)).collect()
        };
        columns.push(column("pass", "pass", counts(&|tally| tally.pass, Role::Pass)));
        columns.push(column("fail", "fail", counts(&|tally| tally.fail, Role::Fail)));
        columns.push(column("incomplete", "inc.", counts(&|tally| tally.incomplete, Role::Dim)));
    }
    columns
}
