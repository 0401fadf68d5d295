//! The table of measures, one row a strategy, and the gate under it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::grade::Abstention;
use crate::report::{gate_lines, ratio};
use crate::text::{fit, fit_right, width};
use crate::triage::{AnswerState, Cause};
use crate::tui::pane::View;
use crate::tui::text::{cut, span};
use crate::tui::theme::Role;
use crate::tui::widget::part::part;
use crate::workspace::Tally;

/// From this height there is room for more than the map needs.
const ROOMY: u16 = 26;
/// Rows of strategies at most where there is little room; more are scrolled so that the one under the cursor is on screen.
const MOST_ROWS: u16 = 6;

/// The height of the table in a pane of this height: borders, heads, strategies, and the sentences under them.
pub(super) fn height(view: &View<'_>, pane: u16) -> u16 {
    let strategies = view.workspace.evaluation.strategies.len();
    // A quarter of a tall pane: the map is worth the rest.
    let rows = u16::try_from(strategies).unwrap_or(u16::MAX).min(MOST_ROWS.max(pane / 4));
    // The map needs a few lines more than the table to be of use.
    if pane < rows + 12 { 0 } else { rows + 3 + sentences(view, pane) }
}

/// Gate, causes, and the provenance of the answers: the last only where there is room, or something to say.
fn sentences(view: &View<'_>, pane: u16) -> u16 {
    let abstains =
        (0..view.workspace.evaluation.strategies.len()).any(|strategy| view.workspace.abstained(strategy).total() > 0);
    let notable = view
        .diagnosis
        .is_some_and(|diagnosis| diagnosis.provenance.off_count() > 0 || !diagnosis.standing.decisions().is_empty());
    (if pane >= ROOMY || notable { 3 } else { 2 }) + u16::from(abstains)
}

/// A column: its head in a wide and in a narrow terminal, and how its values stand out.
struct Column {
    wide: &'static str,
    narrow: &'static str,
    cells: Vec<(String, Role)>,
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, pane: u16, view: &View<'_>) {
    let evaluation = &view.workspace.evaluation;
    let theme = view.theme;
    let by = view.workspace.counting_words().map_or_else(String::new, |words| format!(" answers {words};"));
    let title = vec![
        span("Strategies", Style::new()),
        span(
            &format!("{by} quota {} tokens, counted with {}", evaluation.cases.facts_quota, evaluation.counter.name()),
            theme.style(Role::Dim),
        ),
    ];
    let inner = part(frame, area, title, false, theme);
    let mut columns = columns(view);
    let names: Vec<&str> = evaluation.strategies.iter().map(|strategy| strategy.name()).collect();
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0).max(8);
    let room = usize::from(inner.width);
    drop_columns(&mut columns, room, longest);
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
    let sentences = sentences(view, pane);
    let shown = usize::from(inner.height.saturating_sub(1 + sentences));
    let first = view.cursor.strategy.saturating_sub(shown.saturating_sub(1)).min(names.len().saturating_sub(shown));
    for (y, (row, name)) in
        (inner.y + 1..inner.bottom().saturating_sub(sentences)).zip(names.iter().enumerate().skip(first))
    {
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
    let line = |from_bottom: u16| Rect { y: inner.bottom().saturating_sub(from_bottom), height: 1, ..inner };
    draw_gate(frame, line(sentences), view);
    draw_causes(frame, line(sentences - 1), view);
    let abstains = draw_abstention(frame, line(sentences - 2), view);
    if sentences > 2 + u16::from(abstains) {
        draw_trust(frame, line(1), view);
    }
}

/// How the strategy under the cursor fares on the questions to abstain from, and whether totals count them. Returns whether
/// there are any.
fn draw_abstention(frame: &mut Frame<'_>, area: Rect, view: &View<'_>) -> bool {
    let workspace = view.workspace;
    let strategies = workspace.evaluation.strategies.len();
    if (0..strategies).all(|strategy| workspace.abstained(strategy).total() == 0) {
        return false;
    }
    let theme = view.theme;
    let tally = workspace.abstained(view.cursor.strategy);
    let name = workspace.evaluation.strategies.get(view.cursor.strategy).map_or("", |strategy| strategy.name());
    let counted = match workspace.counting.abstention {
        Abstention::In => "counted in the totals",
        Abstention::Out => "left out of the totals",
        Abstention::Only => "the totals count nothing else",
    };
    let role = if tally.pass == tally.total() { Role::Pass } else { Role::Fail };
    let count = if tally.total() == 0 {
        "none answered".to_owned()
    } else {
        format!("{} of {} declined", tally.pass, tally.total())
    };
    let line = Line::from(vec![
        span(&format!("  {name} to abstain: "), theme.style(Role::Dim)),
        Span::styled(count, theme.style(if tally.total() == 0 { Role::Dim } else { role })),
        Span::styled(format!("; {counted}"), theme.style(Role::Dim)),
    ]);
    frame.render_widget(cut(line, usize::from(area.width), theme), area);
    true
}

/// Leaves out what matters least until the rest fits: what becomes of the answers stays.
fn drop_columns(columns: &mut Vec<Column>, room: usize, name: usize) {
    const LEAST: [&str; 4] = ["usefulness", "useful lines", "memory tokens", "recall"];
    for wide in LEAST {
        let total: usize = columns.iter().map(|column| column.size(false) + 1).sum();
        if name.min(room / 3) + 2 + total <= room {
            return;
        }
        columns.retain(|column| column.wide != wide);
    }
}

/// Whether the answers can be trusted to be about these blocks, and what decisions make of them.
fn draw_trust(frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let theme = view.theme;
    let Some(diagnosis) = view.diagnosis.filter(|_| !view.workspace.recordings.is_empty()) else { return };
    let recordings = &diagnosis.provenance.recordings;
    let (reproduced, compared) =
        recordings.iter().fold((0, 0), |(a, b), recording| (a + recording.reproduced, b + recording.compared));
    let (text, role) = match (diagnosis.provenance.off_count(), compared) {
        (_, 0) if recordings.len() > 1 => ("  the recordings name no prompt tokens to check".to_owned(), Role::Dim),
        (_, 0) => ("  the recording names no prompt tokens to check".to_owned(), Role::Dim),
        (0, _) => (format!("  {reproduced} of {compared} answers were made from these blocks"), Role::Dim),
        (off, _) => (format!("  {off} of {compared} answers were NOT made from these blocks"), Role::Fail),
    };
    let mut spans = vec![Span::styled(text, theme.style(role))];
    if !diagnosis.standing.decisions().is_empty() {
        let total = |scores: &[crate::triage::StrategyScore]| {
            let score = scores.get(view.cursor.strategy);
            score.map_or_else(String::new, |score| format!("{}/{}", score.pass, score.answers))
        };
        let [recorded, corrected, undisputed] =
            [&diagnosis.scores.as_recorded, &diagnosis.scores.corrected, &diagnosis.scores.undisputed]
                .map(|list| total(list));
        let words = format!("; pass as recorded {recorded}, with corrected keys {corrected}, undisputed {undisputed}");
        spans.push(Span::styled(words, theme.style(Role::Added)));
    }
    frame.render_widget(cut(Line::from(spans), usize::from(area.width), theme), area);
}

/// Why the answers of the strategy under the cursor fail.
fn draw_causes(frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let theme = view.theme;
    let strategy = view.workspace.evaluation.strategies.get(view.cursor.strategy);
    let Some(name) = strategy.map(|strategy| strategy.name()) else { return };
    if !view.workspace.recordings.is_empty() && view.workspace.tally(view.cursor.strategy).total() == 0 {
        let words = format!("  no recording has answers of {name}");
        frame
            .render_widget(cut(Line::from(span(&words, theme.style(Role::Dim))), usize::from(area.width), theme), area);
        return;
    }
    let mut spans = vec![span(&format!("  {name} fails by: "), theme.style(Role::Dim))];
    let totals =
        view.diagnosis.and_then(|diagnosis| diagnosis.causes.totals.iter().find(|totals| totals.strategy == name));
    let found: Vec<_> = Cause::ALL
        .into_iter()
        .filter_map(|cause| Some((cause, totals.map(|totals| totals.of(cause)).filter(|count| *count > 0)?)))
        .collect();
    let unexplained = [AnswerState::NoBlock, AnswerState::Incomplete]
        .map(|state| (state, totals.map_or(0, |totals| totals.state(state))));
    if found.is_empty() && unexplained.iter().all(|(_, count)| *count == 0) {
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
    for (state, count) in unexplained.into_iter().filter(|(_, count)| *count > 0) {
        spans.push(Span::styled(format!("{} {count}  ", state.name()), theme.style(Role::Dim)));
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

/// A cell where there is nothing to count.
fn nothing() -> (String, Role) {
    (ratio(None), Role::Dim)
}

fn columns(view: &View<'_>) -> Vec<Column> {
    let evaluation = &view.workspace.evaluation;
    let sums = &evaluation.summaries;
    let column = |wide, narrow, cells: Vec<(String, Role)>| Column { wide, narrow, cells };
    let leak = |count: usize, role| (count.to_string(), if count > 0 { role } else { Role::Dim });
    let each = |cell: &dyn Fn(&crate::grade::BlockSummary) -> (String, Role)| {
        // Of blocks that are not known nothing is counted, which is not 0.
        let known = |sum: &crate::grade::BlockSummary| if sum.is_known() { cell(sum) } else { nothing() };
        sums.iter().map(known).collect::<Vec<_>>()
    };
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
    let failed: Vec<usize> = (0..sums.len()).map(|strategy| evaluation.failure_count(strategy)).collect();
    if failed.iter().any(|count| *count > 0) {
        columns.push(column("failed", "failed", failed.into_iter().map(|count| leak(count, Role::Fail)).collect()));
    }
    if !view.workspace.recordings.is_empty() {
        let tallies: Vec<_> = (0..sums.len()).map(|strategy| view.workspace.tally(strategy)).collect();
        let counts = |count: &dyn Fn(Tally) -> usize, role| -> Vec<(String, Role)> {
            let cell = |tally: &Tally| if tally.total() > 0 { (count(*tally).to_string(), role) } else { nothing() };
            tallies.iter().map(cell).collect()
        };
        columns.push(column("pass", "pass", counts(&|tally| tally.pass, Role::Pass)));
        columns.push(column("fail", "fail", counts(&|tally| tally.fail, Role::Fail)));
        columns.push(column("incomplete", "inc.", counts(&|tally| tally.incomplete, Role::Dim)));
    }
    columns
}
