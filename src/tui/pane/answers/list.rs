//! The list of answers: its columns, its rows, and the line that says what is shown.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::filters::{Filters, Shown, Widths, question_text, recording_words};
use crate::text::{displayable, truncate_with, width};
use crate::tui::action::{Action, Scope};
use crate::tui::pane::View;
use crate::tui::text::{cut, mark_found, padded, span};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::list::ListState;
use crate::tui::widget::part::{empty, part};
use crate::workspace::AnswerRef;

/// The width of each column; nothing for a column that is not drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Columns {
    gap: usize,
    verdict: usize,
    recording: Option<usize>,
    strategy: Option<usize>,
    seed: Option<usize>,
    question: Option<usize>,
    cause: Option<usize>,
    reason: Option<usize>,
    answer: Option<usize>,
}

/// Takes `wanted` columns and a gap from `room`, or nothing where they do not fit.
fn take(room: &mut usize, gap: usize, wanted: usize) -> Option<usize> {
    *room = room.checked_sub(gap + wanted)?;
    Some(wanted)
}

/// Widens a column from `room` up to `wanted`.
fn grow(room: &mut usize, column: &mut Option<usize>, wanted: usize) {
    if let Some(column) = column {
        let more = wanted.saturating_sub(*column).min(*room);
        *column += more;
        *room -= more;
    }
}

impl Columns {
    /// Columns for `room`, the pointer not counted. What a filter has fixed is the same in each row and is left out.
    fn new(mut room: usize, widths: Widths, filters: &Filters) -> Self {
        let gap = if room < 100 { 1 } else { 2 };
        let verdict = (2 + widths.verdict).max("verdict".len());
        room = room.saturating_sub(verdict);
        let mut columns = Self { gap, verdict, ..Self::default() };
        let question = widths.question.max("question".len());
        let reason = widths.reason.max("reason".len());
        if filters.strategy.is_none() {
            columns.strategy = take(&mut room, gap, widths.strategy.clamp("strategy".len(), 24));
        }
        if filters.question.is_none() {
            columns.question = take(&mut room, gap, question.min(14));
        }
        if filters.reason.is_none() {
            columns.reason = take(&mut room, gap, reason.min(12));
        }
        columns.seed = take(&mut room, gap, widths.seed.clamp("seed".len(), 12));
        columns.answer = take(&mut room, gap, 10);
        if widths.recording > 0 && filters.recording.is_none() {
            columns.recording = take(&mut room, gap, widths.recording.clamp("recording".len(), 18));
        }
        if widths.cause > 0 && filters.cause.is_none() {
            columns.cause = take(&mut room, gap, widths.cause.max("cause".len()));
        }
        grow(&mut room, &mut columns.reason, reason.min(16));
        grow(&mut room, &mut columns.question, question.min(20));
        grow(&mut room, &mut columns.answer, 20);
        grow(&mut room, &mut columns.reason, reason.min(24));
        grow(&mut room, &mut columns.question, question.min(32));
        grow(&mut room, &mut columns.recording, widths.recording.min(30));
        grow(&mut room, &mut columns.answer, 40);
        grow(&mut room, &mut columns.reason, reason.min(40));
        grow(&mut room, &mut columns.question, question.min(60));
        grow(&mut room, &mut columns.answer, usize::MAX);
        columns
    }

    /// A line of cells, in the order of the columns.
    fn line(&self, verdict: Span<'static>, cells: [(&str, Style); 7], theme: &Theme) -> Line<'static> {
        let mut spans = vec![verdict];
        let widths = [self.recording, self.strategy, self.seed, self.question, self.cause, self.reason, self.answer];
        for (columns, (text, style)) in widths.into_iter().zip(cells) {
            if let Some(columns) = columns {
                spans.push(Span::raw(" ".repeat(self.gap)));
                spans.push(cell(text, columns, style, theme));
            }
        }
        Line::from(spans)
    }

    fn heading(&self, theme: &Theme) -> Line<'static> {
        let style = theme.style(Role::Dim);
        let names =
            ["recording", "strategy", "seed", "question", "cause", "reason", "answer"].map(|name| (name, style));
        self.line(cell("verdict", self.verdict, style, theme), names, theme)
    }
}

/// A text from a file, cut or padded to a column.
fn cell(text: &str, columns: usize, style: Style, theme: &Theme) -> Span<'static> {
    let shown = displayable(text);
    let mut fitted = truncate_with(&shown, columns, theme.ellipsis()).into_owned();
    let missing = columns.saturating_sub(width(&fitted));
    fitted.extend(std::iter::repeat_n(' ', missing));
    Span::styled(fitted, style)
}

/// The first words of a text, on one line: no more of a long one than a column can show.
fn first_words(text: &str, columns: usize) -> String {
    let start: String = text.trim_start().chars().take(columns.saturating_mul(4).saturating_add(8)).collect();
    start.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn row(at: AnswerRef, columns: &Columns, view: &View<'_>) -> Line<'static> {
    let theme = view.theme;
    let Some((_, group, answer, grade)) = view.workspace.answer(at) else { return Line::default() };
    let (pip, role) = theme.pip(grade.verdict);
    let verdict = cell(&format!("{pip} {}", grade.verdict.name()), columns.verdict, theme.style(role), theme);
    let seed = answer.seed.map(|seed| seed.to_string()).unwrap_or_default();
    let words = first_words(&answer.answer, columns.answer.unwrap_or_default());
    let (text, dim) = (theme.style(Role::Text), theme.style(Role::Dim));
    let recording = columns.recording.map(|_| recording_words(view.workspace, at.recording)).unwrap_or_default();
    let cause = view.diagnosis.and_then(|diagnosis| diagnosis.cause(at)).map_or("", crate::triage::Cause::name);
    let cells = [
        (recording.as_str(), text),
        (group.strategy.as_str(), text),
        (seed.as_str(), text),
        (question_text(view.workspace, at, group), text),
        (cause, theme.style(role)),
        (grade.reason.as_str(), theme.style(role)),
        if words.is_empty() { ("(no words)", dim) } else { (words.as_str(), dim) },
    ];
    columns.line(verdict, cells, theme)
}

/// The counts of verdicts, for the title.
fn title(shown: &Shown, view: &View<'_>) -> Line<'static> {
    let theme = view.theme;
    use crate::grade::Verdict;
    let mut spans = vec![Span::raw("Answers ")];
    let counts = [shown.tally.pass, shown.tally.fail, shown.tally.incomplete];
    for (verdict, count) in Verdict::ALL.into_iter().zip(counts) {
        let (pip, role) = theme.pip(verdict);
        let style = if count > 0 { theme.style(role) } else { theme.style(Role::Dim) };
        spans.push(Span::styled(format!(" {pip} {count} {}", verdict.name()), style));
        spans.push(Span::raw(" "));
    }
    spans.pop();
    if let Some(words) = view.workspace.counting_words() {
        spans.push(Span::styled(format!("  {words}"), theme.style(Role::Dim)));
    }
    Line::from(spans)
}

/// What is shown, such as `25 of 150: fail · append-all`, and at its end the key that clears.
fn summary(shown: &Shown, filters: &Filters, columns: usize, focused: bool, view: &View<'_>) -> Line<'static> {
    let theme = view.theme;
    let (text, dim) = (theme.style(Role::Text), theme.style(Role::Dim));
    if filters.is_empty() {
        let recordings = match view.workspace.recordings.len() {
            0 | 1 => String::new(),
            count => format!(" of {count} recordings"),
        };
        let count = if shown.of == 1 { "1 answer".to_owned() } else { format!("all {} answers", shown.of) };
        return Line::styled(format!(" {count}{recordings}"), dim);
    }
    let words = filters.words(view.workspace).join(&format!(" {} ", theme.neutral()));
    let count = Span::styled(format!(" {} of {}: ", shown.rows.len(), shown.of), theme.style(Role::Heading));
    let left = Line::from(vec![count, span(&words, text)]);
    // In the detail the same key leads back to the list first.
    let Some(key) = view.keymap.hint(Scope::Answers, Action::Cancel).filter(|_| focused) else {
        return cut(left, columns, theme);
    };
    let right =
        vec![Span::raw("  "), Span::styled(key, theme.style(Role::Key)), Span::styled(" clears ".to_owned(), dim)];
    let room = columns.saturating_sub(right.iter().map(|span| width(&span.content)).sum());
    let mut line = padded(cut(left, room, theme), room, Style::new());
    line.spans.extend(right);
    line
}

/// Draws the list.
pub fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    (shown, filters, list): (&Shown, &Filters, &ListState),
    focused: bool,
    view: &View<'_>,
) {
    let theme = view.theme;
    let mut inner = part(frame, area, title(shown, view), focused, theme);
    let mut line_above = |line: Line<'static>, inner: &mut Rect| {
        if inner.height > 1 {
            let top = Rect { height: 1, ..*inner };
            frame.render_widget(cut(line, usize::from(top.width), theme), top);
            *inner = Rect { y: inner.y + 1, height: inner.height - 1, ..*inner };
        }
    };
    let room = usize::from(inner.width);
    line_above(summary(shown, filters, room, focused, view), &mut inner);
    if shown.rows.is_empty() {
        let key = view.keymap.hint(Scope::Answers, Action::Cancel).unwrap_or_else(|| "cancel".to_owned());
        empty(frame, inner, &format!("No answer passes the filters; {key} clears them."), theme);
        return;
    }
    let columns = Columns::new(room.saturating_sub(1), shown.widths, filters);
    if inner.height > 4 {
        let mut heading = columns.heading(theme);
        heading.spans.insert(0, Span::raw(" "));
        line_above(heading, &mut inner);
    }
    list.draw(frame, inner, shown.rows.len(), focused, theme, |index| {
        let Some(at) = shown.rows.get(index) else { return Line::default() };
        let line = mark_found(row(*at, &columns, view), view.needle, theme);
        // The answer that is read below stays marked while the focus is there.
        if index == list.selected() && !focused { padded(line, room.saturating_sub(1), theme.cursor()) } else { line }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fill_the_room_and_drop_what_a_filter_fixes() {
        let widths = Widths { verdict: 4, strategy: 16, seed: 1, question: 58, reason: 34, ..Widths::default() };
        for room in [39, 60, 78, 118, 198] {
            let columns = Columns::new(room, widths, &Filters::default());
            let line = columns.heading(&Theme::default());
            assert!(line.width() <= room, "{room}: {columns:?}");
            assert!(columns.question.is_some(), "{room}");
        }
        let wide = Columns::new(77, widths, &Filters::default());
        assert!(wide.answer.is_some() && wide.seed.is_some(), "{wide:?}");
        let filtered = Columns::new(77, widths, &Filters { strategy: Some("append-all".into()), ..Filters::default() });
        assert!(filtered.strategy.is_none() && filtered.answer > wide.answer);
    }

    #[test]
    fn first_words_read_no_more_than_they_show() {
        assert_eq!(first_words(" \n one\r\n\ttwo ", 20), "one two");
        assert!(first_words(&"x".repeat(100_000), 20).len() < 100);
    }
}
