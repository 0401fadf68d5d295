//! The failure map: questions down the side, strategies across; each cell says what the block did and how each answer fared.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::OverviewPane;
use crate::grade::{BlockSummary, Verdict};
use crate::text::{fit, truncate_with, width};
use crate::tui::pane::View;
use crate::tui::text::{cut, mark_found, span};
use crate::tui::theme::Role;
use crate::tui::widget::marks;
use crate::tui::widget::names::in_two_rows;
use crate::tui::widget::part::{empty, part};

/// Columns of a cell before its pips: facts found, leaks, a space.
const CELL_MARKS: usize = 7;
/// Pips drawn one by one; more are counted.
const MOST_PIPS: usize = 10;
/// Columns that the question keeps, however many strategies there are.
const LEAST_QUESTION: usize = 26;

/// How the map's columns are laid out.
struct Plan {
    user: usize,
    question: usize,
    /// Columns of one strategy, with the gap before it.
    cell: usize,
    /// The strategies on screen.
    strategies: std::ops::Range<usize>,
}

fn plan(pane: &OverviewPane, columns: usize, view: &View<'_>) -> Plan {
    let evaluation = &view.workspace.evaluation;
    let strategies = evaluation.strategies.len();
    let longest = evaluation.strategies.iter().map(|strategy| width(strategy.name())).max().unwrap_or(0);
    let seen = pane.list.selected().saturating_sub(100)..pane.list.selected() + 100;
    let nearby = pane.rows.iter().skip(seen.start).take(seen.len());
    let pips = nearby.map(|question| pips_width(view, *question)).max().unwrap_or(0);
    let users = evaluation.histories.iter().take(1000).map(|history| width(&history.user)).max().unwrap_or(0);
    let user = users.clamp(4, 14) + 1;
    let left = columns.saturating_sub(user + 1);
    // The names are cut where that is what it takes to see all strategies at once.
    let (named, bare) = ((CELL_MARKS + pips).max(longest.min(CELL_MARKS + MOST_PIPS)) + 2, CELL_MARKS + pips + 2);
    let cell = [named, bare + 2].into_iter().find(|cell| left >= LEAST_QUESTION + strategies * cell).unwrap_or(bare);
    let fitting = (left.saturating_sub(LEAST_QUESTION) / cell).clamp(1, strategies.max(1));
    let first = (view.cursor.strategy + 1).saturating_sub(fitting).min(strategies.saturating_sub(fitting));
    Plan {
        user,
        question: left.saturating_sub(fitting * cell),
        cell,
        strategies: first..strategies.min(first + fitting),
    }
}

fn pips_width(view: &View<'_>, question: usize) -> usize {
    let strategies = view.workspace.evaluation.strategies.len();
    let most = (0..strategies).map(|strategy| view.workspace.cell_tally(strategy, question).total()).max().unwrap_or(0);
    // Between recordings stands a bar.
    let bars = view.workspace.recordings.len().saturating_sub(1).min(most.saturating_sub(1));
    if most <= MOST_PIPS { most + bars } else { MOST_PIPS }
}

pub(super) fn draw(pane: &OverviewPane, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let theme = view.theme;
    let title =
        vec![span("Questions", Style::new()), span(&format!(" {}", pane.scope_words(view)), theme.style(Role::Dim))];
    let inner = part(frame, area, title, true, theme);
    if pane.rows.is_empty() {
        let sentence = if pane.is_filtered() {
            "No question passes the filters. Esc shows all again."
        } else {
            "The case set asks no questions."
        };
        empty(frame, inner, sentence, theme);
        return;
    }
    let plan = plan(pane, usize::from(inner.width), view);
    let heads = heads_of(&plan, view);
    // A second row of heads is worth it where names need one and several questions are left.
    let rows = if inner.height >= 5 && heads.iter().any(|[first, _]| !first.is_empty()) { 2 } else { 1 };
    let head = Rect { height: rows.min(inner.height), ..inner };
    let list = Rect { y: inner.y + head.height, height: inner.height - head.height, ..inner };
    draw_head(&plan, &heads, frame, head, view);
    let first = pane.list.visible(pane.rows.len(), usize::from(list.height)).start;
    pane.list.draw(frame, list, pane.rows.len(), true, theme, |row| {
        let shows_user = row == first || user_of(pane, row, view) != user_of(pane, row.wrapping_sub(1), view);
        mark_found(question_row(pane, row, shows_user, &plan, view), view.needle, theme)
    });
}

fn user_of(pane: &OverviewPane, row: usize, view: &View<'_>) -> Option<usize> {
    view.workspace.evaluation.asked.get(*pane.rows.get(row)?).map(|asked| asked.history)
}

/// The names of the strategies on screen, in two rows.
fn heads_of(plan: &Plan, view: &View<'_>) -> Vec<[String; 2]> {
    let names: Vec<&str> = view.workspace.evaluation.strategies.iter().map(|strategy| strategy.name()).collect();
    let heads = in_two_rows(&names, plan.cell - 2, view.theme.ellipsis());
    heads.into_iter().skip(plan.strategies.start).take(plan.strategies.len()).collect()
}

fn draw_head(plan: &Plan, heads: &[[String; 2]], frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let theme = view.theme;
    let strategies = &view.workspace.evaluation.strategies;
    let columns = plan.user + plan.question + 1;
    let hidden = [(plan.strategies.start, "left"), (strategies.len() - plan.strategies.end, "right")];
    let words =
        hidden.into_iter().filter(|(count, _)| *count > 0).map(|(count, side)| format!("{count} more to the {side}"));
    let mut left = fit(&format!(" {}", words.collect::<Vec<_>>().join(", ")), columns);
    for (y, last) in (area.y..area.bottom()).zip([area.height < 2, true]) {
        let left = if last { std::mem::take(&mut left) } else { fit("", columns) };
        let mut spans = vec![Span::styled(left, theme.style(Role::Dim))];
        for (index, [first, second]) in plan.strategies.clone().zip(heads) {
            let selected = index == view.cursor.strategy;
            let style = if selected { theme.style(Role::Focus) } else { theme.style(Role::Dim) };
            let pointer = if selected && last { theme.pick(" ▾", " v") } else { "  " };
            spans.push(Span::raw(pointer.to_owned()));
            let name = if area.height < 2 {
                format!("{first}{second}")
            } else {
                if last { second.clone() } else { first.clone() }
            };
            let name = truncate_with(&name, plan.cell - 2, theme.ellipsis()).into_owned();
            spans.push(span(&fit(&name, plan.cell - 2), style));
        }
        let row = Rect { y, height: 1, ..area };
        frame.render_widget(cut(Line::from(spans), usize::from(area.width), theme), row);
    }
}

fn question_row(pane: &OverviewPane, row: usize, shows_user: bool, plan: &Plan, view: &View<'_>) -> Line<'static> {
    let theme = view.theme;
    let Some(&number) = pane.rows.get(row) else { return Line::default() };
    let Some((conversation, question)) = view.workspace.evaluation.question(number) else { return Line::default() };
    let user = if shows_user { conversation.user.as_str() } else { "" };
    let shown = |text: &str| crate::text::displayable(text).into_owned();
    let mut spans = vec![
        Span::styled(fit(&shown(user), plan.user), theme.style(Role::Heading)),
        Span::raw(fit(&shown(&question.question), plan.question)),
    ];
    let on_cursor = row == pane.list.selected();
    for strategy in plan.strategies.clone() {
        let cell = cell(strategy, number, plan.cell - 2, view);
        // Where the whole row has a ground the cell under the cursor needs a mark of its own.
        let brackets = if on_cursor && strategy == view.cursor.strategy { theme.pick("▸", ">") } else { " " };
        spans.push(Span::raw(" "));
        spans.push(Span::styled(brackets.to_owned(), theme.style(Role::Focus)));
        spans.extend(cell);
    }
    Line::from(spans)
}

fn cell(strategy: usize, question: usize, columns: usize, view: &View<'_>) -> Vec<Span<'static>> {
    let evaluation = &view.workspace.evaluation;
    if evaluation.failure(strategy, question).is_some() {
        return vec![Span::styled(fit(view.theme.pick("✗ failed", "x failed"), columns), view.theme.style(Role::Fail))];
    }
    let block = evaluation.block(strategy, question);
    // A strategy that is known only by its answers has pips and no marks: they stand under its name.
    let known = evaluation.summaries.get(strategy).is_some_and(BlockSummary::is_known);
    let unknown = if known { " ".repeat(CELL_MARKS) } else { String::new() };
    let mut spans = block.map_or_else(|| vec![Span::raw(unknown)], |block| marks::block(block, view.theme));
    let verdicts: Vec<(usize, Verdict)> = view
        .workspace
        .answers(strategy, question)
        .filter_map(|at| view.workspace.answer(at).map(|(_, _, _, grade)| (at.recording, grade.verdict)))
        .collect();
    spans.extend(marks::pips_by_recording(&verdicts, MOST_PIPS, view.theme));
    let used: usize = spans.iter().map(|span| width(&span.content)).sum();
    spans.push(Span::raw(" ".repeat(columns.saturating_sub(used))));
    spans
}

/// The strategy whose cell is drawn at a column of the screen.
pub(super) fn strategy_at(pane: &OverviewPane, column: u16, view: &View<'_>) -> Option<usize> {
    let columns = pane.list.columns();
    let plan = plan(pane, columns, view);
    let before = plan.user + plan.question + 2;
    let place = usize::from(column).checked_sub(before)? / plan.cell;
    Some(plan.strategies.start + place).filter(|strategy| plan.strategies.contains(strategy))
}
