//! Drawing the queue, the detail, the effect of an edit and the three totals.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::edit::Editor;
use super::{Focus, TriagePane};
use crate::diagnosis::Diagnosis;
use crate::text::{displayable, fit, fit_right, width};
use crate::triage::{Dispute, Scores, StrategyScore};
use crate::tui::pane::View;
use crate::tui::text::{cut, mark_found, span, wrap};
use crate::tui::theme::Role;
use crate::tui::widget::names::in_one_row;
use crate::tui::widget::part::{empty, part};

/// From this width the detail stands beside the queue.
const WIDE: u16 = 110;
/// Strategies in the totals; more are scrolled.
const MOST_ROWS: usize = 4;

pub(super) fn draw(pane: &TriagePane, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let Some(diagnosis) = view.diagnosis else {
        empty(frame, area, "Auditing the keys…", view.theme);
        return;
    };
    if view.zoomed {
        match pane.focus {
            Focus::Queue => draw_queue(pane, frame, area, diagnosis, view),
            Focus::Detail => draw_detail(pane, frame, area, view),
        }
        return;
    }
    let rows = answered(&diagnosis.scores).len().min(MOST_ROWS);
    let totals_height = if area.height >= 18 { u16::try_from(rows).unwrap_or(4) + 3 } else { 0 };
    let [main, totals] = Layout::vertical([Constraint::Min(6), Constraint::Length(totals_height)]).areas(area);
    let [queue, detail] = if area.width >= WIDE {
        Layout::horizontal([Constraint::Fill(2), Constraint::Fill(3)]).areas(main)
    } else {
        let (a, b) = if pane.focus == Focus::Queue { (1, 1) } else { (1, 3) };
        Layout::vertical([Constraint::Fill(a), Constraint::Fill(b)]).areas(main)
    };
    draw_queue(pane, frame, queue, diagnosis, view);
    draw_detail(pane, frame, detail, view);
    if totals_height > 0 {
        draw_totals(pane, frame, totals, diagnosis, view);
    }
}

fn draw_queue(pane: &TriagePane, frame: &mut Frame<'_>, area: Rect, diagnosis: &Diagnosis, view: &View<'_>) {
    let theme = view.theme;
    let total = diagnosis.suspects().len();
    let decided = pane.decided.len();
    let about = format!(" {} of {total} looked at, {decided} decided", pane.looked.len().min(total));
    let name = if pane.undecided_only { "Undecided suspects" } else { "Suspects" };
    let title = vec![Span::raw(name), span(&about, theme.style(Role::Dim))];
    let inner = part(frame, area, title, pane.focus == Focus::Queue, theme);
    if pane.rows.is_empty() {
        let sentence = match (diagnosis.is_audited(), pane.undecided_only) {
            (false, _) => "The keys are being audited.",
            (true, true) => "Every question is decided. Esc shows all again.",
            (true, false) => "No questions.",
        };
        empty(frame, inner, sentence, theme);
        return;
    }
    pane.queue.draw(frame, inner, pane.rows.len(), pane.focus == Focus::Queue, theme, |row| {
        let audited = pane.rows.get(row).and_then(|question| diagnosis.audited(*question));
        let Some(audited) = audited else { return Line::default() };
        let dispute = diagnosis.standing.dispute(audited.number);
        let (mark, role) = if matches!(dispute, Some(Dispute::Conflict(_))) {
            (theme.pick("≠", "!"), Role::Warning)
        } else if pane.decided.contains(&audited.number) {
            (theme.pick("✓", "+"), Role::Pass)
        } else if audited.flagged {
            ("!", Role::Fail)
        } else if pane.looked.contains(&audited.number) {
            (theme.neutral(), Role::Dim)
        } else {
            (" ", Role::Dim)
        };
        let doubt = format!("{:>3.0} % ", audited.score * 100.0);
        let line = Line::from(vec![
            Span::styled(format!("{mark} "), theme.style(role)),
            Span::styled(doubt, theme.style(if audited.flagged { Role::Fail } else { Role::Dim })),
            span(&audited.question, Style::new()),
            span(&format!("  {}", audited.id), theme.style(Role::Dim)),
        ]);
        mark_found(line, view.needle, theme)
    });
}

fn draw_detail(pane: &TriagePane, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let theme = view.theme;
    if let Some(editor) = &pane.editor {
        draw_edit(editor, frame, area, view);
        return;
    }
    let asked = pane.question().and_then(|question| view.workspace.evaluation.question(question));
    let title = asked.map_or_else(Vec::new, |(conversation, asked)| {
        vec![
            span(&asked.question, Style::new()),
            span(&format!(" asked by {}", conversation.user), theme.style(Role::Dim)),
        ]
    });
    let focused = pane.focus == Focus::Detail;
    let inner = part(frame, area, Line::from(title), focused, theme);
    pane.detail.draw(frame, inner, focused, view);
}

/// What the pattern that is being typed changes.
fn draw_edit(editor: &Editor, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
    let theme = view.theme;
    let moved = editor.rescorer.moved(editor.question);
    let title = vec![
        span(&format!("Editing {}", editor.name), Style::new()),
        span(&format!(" {} answers change their verdict", moved.len()), theme.style(Role::Dim)),
    ];
    let inner = part(frame, area, title, true, theme);
    let columns = usize::from(inner.width);
    let mut lines = wrap(&[Span::raw("was "), span(&editor.text, theme.style(Role::Dim))], columns, 4);
    if let Some(error) = &editor.error {
        let place = error.column.map_or_else(String::new, |column| format!(" at column {column}"));
        let text = format!("no regular expression{place}: {}", error.message);
        lines.extend(wrap(&[span(&text, theme.style(Role::Fail))], columns, 4));
    }
    for change in moved {
        let Some((_, group, answer, _)) = view.workspace.answer(change.at) else { continue };
        let (before, after) = (theme.pip(change.before), theme.pip(change.after));
        let seed = answer.seed.map_or_else(String::new, |seed| format!(" seed {seed}"));
        let mut spans = vec![
            Span::styled(before.0, theme.style(before.1)),
            Span::raw(theme.pick("→", ">")),
            Span::styled(after.0, theme.style(after.1)),
            span(&format!(" {}{seed}: ", group.strategy), theme.style(Role::Dim)),
        ];
        let key = editor.rescorer.key(editor.question);
        let matches = key
            .map(|key| crate::grade::explain_answer(&answer.answer, key, view.workspace.keys.replaced.as_ref()))
            .unwrap_or_default();
        let found: Vec<_> = matches
            .into_iter()
            .filter(|found| found.name == editor.name)
            .flat_map(|found| found.spans)
            .map(|range| (range, theme.style(Role::Found)))
            .collect();
        spans.extend(crate::tui::text::highlighted(&answer.answer, &found, Style::new()));
        lines.extend(wrap(&spans, columns, 4));
    }
    for (y, line) in (inner.y..inner.bottom()).zip(lines) {
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
}

/// The strategies that have answers; all of them where none has any.
fn answered(scores: &Scores) -> Vec<usize> {
    let all = || scores.as_recorded.iter().enumerate();
    let answered: Vec<usize> = all().filter(|(_, score)| score.answers > 0).map(|(row, _)| row).collect();
    if answered.is_empty() { all().map(|(row, _)| row).collect() } else { answered }
}

/// Answers that pass, as recorded, with corrected keys and without disputed questions.
fn draw_totals(pane: &TriagePane, frame: &mut Frame<'_>, area: Rect, diagnosis: &Diagnosis, view: &View<'_>) {
    let theme = view.theme;
    let by = view.workspace.counting_words().map_or_else(String::new, |words| format!(", {words}"));
    let title = vec![
        Span::raw("Answers that pass"),
        span(&format!(" of all, with the 95 % interval of the rate{by}"), theme.style(Role::Dim)),
    ];
    let inner = part(frame, area, title, false, theme);
    let scores = &diagnosis.scores;
    let rows = answered(scores);
    let names: Vec<&str> =
        rows.iter().filter_map(|row| scores.as_recorded.get(*row)).map(|score| score.strategy.as_str()).collect();
    let most = usize::from(inner.width) / 4;
    let name_columns = names.iter().map(|name| width(&displayable(name))).max().unwrap_or(0).min(most);
    let columns = usize::from(inner.width).saturating_sub(name_columns + 4) / 3;
    let heads = ["as recorded", "with corrected keys", "without disputed"];
    let head: String = heads.iter().map(|head| format!(" {}", fit_right(head, columns.saturating_sub(1)))).collect();
    let line = Line::styled(format!("  {}{head}", fit("", name_columns)), theme.style(Role::Dim));
    frame.render_widget(cut(line, usize::from(inner.width), theme), Rect { height: 1, ..inner });
    let shown = usize::from(inner.height.saturating_sub(1));
    let at = rows.iter().position(|row| *row == view.cursor.strategy).unwrap_or(0);
    let first = at.saturating_sub(shown.saturating_sub(1)).min(names.len().saturating_sub(shown));
    let lists = [&scores.as_recorded, &scores.corrected, &scores.undisputed];
    let names = in_one_row(&names, name_columns, theme.ellipsis());
    for (y, (row, name)) in (inner.y + 1..inner.bottom()).zip(rows.into_iter().zip(&names).skip(first)) {
        let pointer = if row == view.cursor.strategy { theme.pointer() } else { " " };
        let mut spans = vec![
            Span::styled(format!("{pointer} "), theme.style(Role::Focus)),
            span(&fit(name, name_columns), Style::new()),
        ];
        for (place, list) in lists.iter().enumerate() {
            let Some(score) = list.get(row) else { continue };
            let (pass, answers) = match &pane.editor {
                Some(editor) if place == 1 => (editor.rescorer.tally(row).pass, score.answers),
                _ => (score.pass, score.answers),
            };
            let moved = lists
                .first()
                .and_then(|list| list.get(row))
                .is_some_and(|first| first.pass != pass || first.answers != answers);
            let role = if moved { Role::Added } else { Role::Text };
            spans
                .push(Span::styled(fit_right(&total_words(pass, answers, score, columns), columns), theme.style(role)));
        }
        frame.render_widget(cut(Line::from(spans), usize::from(inner.width), theme), Rect { y, height: 1, ..inner });
    }
}

fn total_words(pass: usize, answers: usize, score: &StrategyScore, columns: usize) -> String {
    let interval =
        if pass == score.pass { score.interval } else { crate::triage::wilson(pass, answers).map(|(a, b)| [a, b]) };
    match interval {
        Some([low, high]) if columns >= 20 => format!("{pass}/{answers}  {low:.2}–{high:.2}"),
        _ => format!("{pass}/{answers}"),
    }
}
