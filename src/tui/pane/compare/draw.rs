//! How the Compare pane shares its room, its sentence, and the plot.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::table::{self, HEADS, needed_width, shown};
use super::{ComparePane, Part, questions};
use crate::compare::{Gate, Measures, gate, sentence};
use crate::triage::StrategyScore;
use crate::tui::action::{Action, Scope};
use crate::tui::pane::View;
use crate::tui::text::{cut, span, wrap};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::part::{empty, part};
use crate::tui::widget::scatter::{Axis, Point, scatter};
use crate::workspace::Workspace;

/// From this width on the plot stands beside the table.
const WIDE: u16 = 110;
/// Columns that the plot has at least, beside the table.
const PLOT_COLUMNS: u16 = 40;
/// From this height on the plot stands between the table and the list.
const TALL: u16 = 40;
/// Rows of the plot where the table does not decide.
const PLOT_ROWS: u16 = 14;
/// Below this height only the part with the focus is drawn.
const SHORT: u16 = 15;
/// The title of the plot.
const TITLE: &str = "Recall against memory tokens: up and left is better";
/// Its title where the plot is narrow.
const SHORT_TITLE: &str = "Recall by tokens, up and left pays";
/// Rows that a border takes.
const BORDER: u16 = 2;

/// The name of a strategy, as it is in files.
pub(super) fn name(workspace: &Workspace, strategy: usize) -> &str {
    workspace.evaluation.strategies.get(strategy).map_or("", |strategy| strategy.name())
}

/// Where the parts are; those without an area are not drawn.
#[derive(Debug, Default, PartialEq, Eq)]
struct Layout {
    sentence: Rect,
    parts: [Rect; 3],
}

pub(super) fn draw(pane: &ComparePane, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    pane.spots.borrow_mut().clear();
    let Some((selected, baseline)) = pane.pair(view.cursor) else {
        empty(frame, area, "There is no strategy to compare.", view.theme);
        return;
    };
    if view.workspace.evaluation.question_count() == 0 {
        empty(frame, area, "The case set asks no question: there is nothing to compare.", view.theme);
        return;
    }
    let text = headline(pane, (selected, baseline), view);
    let columns = usize::from(area.width.saturating_sub(2));
    let mut lines = wrap(&text, columns, 0);
    if let Some(totals) = decided((selected, baseline), view) {
        lines.extend(wrap(&[span(&totals, view.theme.style(Role::Added))], columns, 0));
    }
    let layout = divide(pane, area, u16::try_from(lines.len()).unwrap_or(u16::MAX), view);
    for (cell, area) in pane.areas.iter().zip(layout.parts) {
        cell.set(area);
    }
    let [measures, plot, list] = layout.parts;
    let sentence = layout.sentence;
    let clipped = lines.len() > usize::from(sentence.height);
    for (y, mut line) in (sentence.y..sentence.bottom()).zip(lines) {
        if clipped && y + 1 == sentence.bottom() {
            line.push_span(Span::raw(view.theme.ellipsis().to_owned()));
        }
        let line = cut(line, usize::from(sentence.width), view.theme);
        frame.render_widget(line, Rect { y, height: 1, ..sentence });
    }
    let drawn = |area: Rect| area.height > BORDER && area.width > BORDER;
    if drawn(measures) {
        table::draw(pane, frame, measures, (selected, baseline), view);
    }
    if drawn(plot) {
        draw_plot(pane, frame, plot, (selected, baseline), view);
    }
    if drawn(list) {
        questions::draw(pane, frame, list, (selected, baseline), view);
    }
}

/// Shares the room. The part with the focus is never left out; where rows are few, it has more of them.
fn divide(pane: &ComparePane, area: Rect, lines: u16, view: &View<'_>) -> Layout {
    let only = |area: Rect| Part::ALL.map(|part| if part == pane.focus { area } else { Rect::default() });
    if view.zoomed {
        return Layout { sentence: Rect::default(), parts: only(area) };
    }
    let most = if area.height < SHORT { 1 } else { 3 };
    let lines = lines.min(most).min(area.height);
    let sentence = Rect { x: area.x + 1, width: area.width.saturating_sub(2), height: lines, ..area };
    let rest = Rect { y: area.y + lines, height: area.height - lines, ..area };
    if area.height < SHORT {
        return Layout { sentence, parts: only(rest) };
    }
    let wide = area.width >= WIDE;
    let tall = !wide && rest.height >= TALL;
    // What the list, or the plot in its place, has at least.
    let kept = match pane.focus {
        Part::Measures => 3,
        Part::Scatter if !wide && !tall => 11,
        // A table of fewer rows than five says too little.
        _ => rest.height.saturating_sub(HEADS + BORDER + 5).clamp(5, 9),
    };
    let rows = u16::try_from(shown(pane, usize::MAX).len()).unwrap_or(u16::MAX);
    let least = if wide { (rest.height / 3).max(PLOT_ROWS) } else { 0 };
    let table_rows = (rows + HEADS + BORDER).max(least).min(rest.height.saturating_sub(kept));
    let top = Rect { height: table_rows, ..rest };
    let below = Rect { y: top.bottom(), height: rest.height - table_rows, ..rest };
    let none = Rect::default();
    let parts = if wide {
        let width = (needed_width(pane, view) + BORDER).min(area.width - PLOT_COLUMNS.max(area.width / 3));
        let plot = Rect { x: top.x + width, width: top.width - width, ..top };
        [Rect { width, ..top }, plot, below]
    } else if tall {
        let plot = Rect { height: PLOT_ROWS, ..below };
        [top, plot, Rect { y: plot.bottom(), height: below.height.saturating_sub(PLOT_ROWS), ..below }]
    } else if pane.focus == Part::Scatter {
        [top, below, none]
    } else {
        [top, none, below]
    };
    Layout { sentence, parts }
}

/// What the selected strategy does that the baseline does not.
fn headline(pane: &ComparePane, (selected, baseline): (usize, usize), view: &View<'_>) -> Vec<Span<'static>> {
    let theme = view.theme;
    let base = name(view.workspace, baseline);
    if pane.measures.len() == 1 {
        let text = format!("{base} is the only strategy: there is nothing to measure it against.");
        return vec![span(&text, theme.style(Role::Text))];
    }
    if selected == baseline {
        let keys = [Action::Left, Action::Right].map(|action| hint(action, view));
        let text = format!(
            "{base} is the baseline. {} and {} choose what is measured against it, {} another baseline.",
            keys[0],
            keys[1],
            hint(Action::NextBaseline, view)
        );
        return vec![span(&text, theme.style(Role::Text))];
    }
    said(pane, (selected, baseline), view)
}

/// What the decisions make of the answers of a pair; nothing where nothing was decided.
fn decided((selected, baseline): (usize, usize), view: &View<'_>) -> Option<String> {
    let diagnosis = view.diagnosis.filter(|diagnosis| !diagnosis.standing.decisions().is_empty())?;
    let scores = &diagnosis.scores;
    let totals = |strategy: usize| {
        let total =
            |list: &[StrategyScore]| list.get(strategy).map(|score| format!("{}/{}", score.pass, score.answers));
        let (recorded, corrected) = (total(&scores.as_recorded)?, total(&scores.corrected)?);
        let undisputed = total(&scores.undisputed)?;
        let name = name(view.workspace, strategy);
        Some(format!("{name} {recorded} as recorded, {corrected} with corrected keys, {undisputed} undisputed"))
    };
    let pair = if selected == baseline { vec![selected] } else { vec![selected, baseline] };
    let said: Vec<String> = pair.into_iter().filter_map(totals).collect();
    Some(format!("Answers that pass: {}.", said.join("; ")))
}

pub(super) fn hint(action: Action, view: &View<'_>) -> String {
    view.theme.key(&view.keymap.hint(Scope::Compare, action).unwrap_or_default())
}

/// The sentence about a pair, with a failed gate before it.
pub(super) fn said(pane: &ComparePane, (selected, baseline): (usize, usize), view: &View<'_>) -> Vec<Span<'static>> {
    let measures = |strategy: usize| pane.measures.get(strategy).copied().unwrap_or_default();
    let (own, base) = (measures(selected), measures(baseline));
    let text = sentence(name(view.workspace, selected), &own, name(view.workspace, baseline), &base);
    let mut spans = Vec::new();
    let gate = gate(&own, &base);
    if let Some(words) = gate.words() {
        let role = if gate == Gate::Baseline { Role::Warning } else { Role::Fail };
        spans.push(Span::styled(words.to_owned(), view.theme.style(role)));
        spans.push(Span::raw(": "));
    }
    spans.push(span(&format!("{text}."), view.theme.style(Role::Text)));
    spans
}

fn draw_plot(
    pane: &ComparePane,
    frame: &mut Frame<'_>,
    area: Rect,
    (selected, baseline): (usize, usize),
    view: &View<'_>,
) {
    let title = if usize::from(area.width) >= TITLE.len() + 6 { TITLE } else { SHORT_TITLE };
    let inner = part(frame, area, Line::raw(title), pane.focus == Part::Scatter, view.theme);
    let at = |measures: &Measures| Some((measures.blocks.memory_tokens as f64, measures.blocks.recall?));
    let points: Vec<Point<'_>> = pane
        .measures
        .iter()
        .enumerate()
        .map(|(strategy, measures)| Point {
            name: name(view.workspace, strategy),
            at: at(measures),
            selected: strategy == selected,
            baseline: strategy == baseline,
        })
        .collect();
    let tokens = Axis::of_amounts("tokens", points.iter().filter_map(|point| point.at).map(|at| at.0));
    let recall = Axis::of_ratios("recall", points.iter().filter_map(|point| point.at).map(|at| at.1));
    let legend = scatter(frame, inner, &points, (tokens, recall), view.theme);
    pane.spots.borrow_mut().extend(legend);
}

/// The word of a judgement and the style that goes with it.
pub(super) fn judged(judgement: crate::compare::Judgement, theme: &Theme) -> ratatui::style::Style {
    use crate::compare::Judgement;
    match judgement {
        Judgement::Better => theme.style(Role::Pass),
        Judgement::Worse => theme.style(Role::Fail),
        Judgement::Same | Judgement::Unknown => theme.style(Role::Dim),
    }
}
