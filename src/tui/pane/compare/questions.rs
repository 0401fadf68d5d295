//! The questions on which the selected strategy and the baseline differ.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::draw::{hint, judged, name, said};
use super::{ComparePane, Part};
use crate::compare::{Difference, Side};
use crate::grade::Verdict;
use crate::text::{displayable, truncate_with, width};
use crate::tui::action::Action;
use crate::tui::pane::View;
use crate::tui::text::{cut, mark_found, wrap};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::part::{empty, part};
use crate::workspace::Workspace;

/// Rows that are looked at for the widths of columns of free text.
const SAMPLE: usize = 2_000;
/// Columns that a user's name may take.
const USER: usize = 16;
/// Columns that a question keeps, where what differs wants them.
const QUESTION: usize = 22;
/// Up to so many answers are drawn one by one where there is room.
const PIPS: usize = 8;
/// From this width on there is.
const WIDE: usize = 110;
/// Below this width a row is the question and what differs, nothing else.
const NARROW: usize = 60;

/// How wide the texts of a list of differences are: found once, for all rows to be set below one another.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    user: usize,
    question: usize,
    words: usize,
    facts: usize,
    leaks: usize,
    /// Columns of pass counts; 0 where nothing was answered.
    passed: usize,
    /// The most answers to a question.
    answers: usize,
    /// Whether each side's columns are wide enough for heads of their own.
    headed: bool,
    only_in_tokens: usize,
}

/// The heads of a side's columns.
const FACTS: &str = "facts";
const LEAKS: &str = "leaks";
const ANSWERS: &str = "answers";

impl Columns {
    pub(super) fn of(workspace: &Workspace, differences: &[Difference]) -> Self {
        let mut columns = Self { user: "user".len(), ..Self::default() };
        for difference in differences {
            columns.only_in_tokens += usize::from(difference.is_only_in_tokens());
            for side in [&difference.selected, &difference.baseline] {
                // By their digits: writing the texts out would take several frames at 100,000 questions.
                columns.facts = columns.facts.max(width(&facts(side)));
                let mark = |lines: usize| if lines > 1 { 1 + digits(lines) } else { lines };
                columns.leaks = columns.leaks.max(mark(side.stale) + mark(side.forgotten));
                let total = side.answers.total();
                columns.answers = columns.answers.max(total);
                if total > 0 {
                    columns.passed = columns.passed.max(digits(side.answers.pass) + 1 + digits(total));
                }
            }
        }
        for difference in differences.iter().take(SAMPLE) {
            columns.words = columns.words.max(width(&difference.text()));
            if let Some((conversation, question)) = workspace.evaluation.question(difference.question) {
                columns.user = columns.user.max(width(&displayable(&conversation.user)).min(USER));
                columns.question = columns.question.max(width(&displayable(&question.question)));
            }
        }
        columns
    }

    /// The same columns with room for heads of their own, where a row of so many columns has that to spare.
    fn headed(&self, columns: usize, pips: bool) -> Option<Self> {
        let under = |head: &str, columns: usize| if columns > 0 { columns.max(head.len()) } else { 0 };
        let wide = Self {
            facts: under(FACTS, self.facts),
            leaks: under(LEAKS, self.leaks),
            passed: under(ANSWERS, self.passed),
            answers: under(ANSWERS, self.answers),
            headed: true,
            ..self.clone()
        };
        let fits = wide.texts(columns, pips) == self.texts(usize::MAX / 2, pips);
        fits.then_some(wide)
    }

    /// The heads of one side.
    fn side_head(&self, pips: bool) -> String {
        let answers = if pips { self.answers } else { self.passed };
        let mut head = format!("{FACTS:>0$}", self.facts);
        for (text, columns) in [(LEAKS, self.leaks), (ANSWERS, answers)] {
            if columns > 0 {
                head.push_str(&format!(" {text:<columns$}"));
            }
        }
        format!("{head:<0$}", self.side(pips))
    }

    /// Columns of one side.
    fn side(&self, pips: bool) -> usize {
        let answers = if pips { self.answers } else { self.passed };
        let gap = |columns: usize| if columns > 0 { columns + 1 } else { 0 };
        (self.facts + gap(self.leaks) + gap(answers)).max("selected".len())
    }

    /// Columns of the question and of the words, where a row has so many.
    fn texts(&self, columns: usize, pips: bool) -> (usize, usize) {
        // The pointer, a gap behind the user, and two before the sides and the words.
        let others = if columns < NARROW { 0 } else { self.user + 1 + 2 * (self.side(pips) + 2) };
        let room = columns.saturating_sub(1 + others + 2);
        // The beginning of a question tells it apart; what differs is worth the rest.
        let question = self.question.min(QUESTION).min(room * 2 / 5);
        let words = self.words.min(room - question);
        (room.saturating_sub(words).min(self.question), words)
    }
}

/// The digits of a number as it is written.
fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

fn facts(side: &Side) -> String {
    if side.known { format!("{}/{}", side.found, side.required) } else { "-".to_owned() }
}

fn passed(side: &Side) -> String {
    match side.answers.total() {
        0 => String::new(),
        total => format!("{}/{total}", side.answers.pass),
    }
}

/// `S` and `F`, with the number of lines where there are several.
fn leaks(side: &Side) -> [(String, Role); 2] {
    let mark = |mark: &str, lines: usize| match lines {
        0 => String::new(),
        1 => mark.to_owned(),
        _ => format!("{mark}{lines}"),
    };
    [(mark("S", side.stale), Role::Stale), (mark("F", side.forgotten), Role::Forgotten)]
}

pub(super) fn draw(
    pane: &ComparePane,
    frame: &mut Frame<'_>,
    area: Rect,
    (selected, baseline): (usize, usize),
    view: &View<'_>,
) {
    let focused = pane.focus == Part::Questions;
    let (own, base) = (name(view.workspace, selected), name(view.workspace, baseline));
    let Some(comparison) = &pane.comparison else {
        let inner = part(frame, area, Line::raw("What the others do"), focused, view.theme);
        draw_overview(pane, frame, inner, baseline, view);
        return;
    };
    let asked = view.workspace.evaluation.question_count();
    let differ = comparison.differences.len();
    let counted = counted(differ, pane.columns.only_in_tokens, asked);
    let title = format!("{counted}: {own} against {base}");
    // The names stand above too: what is counted is said here alone.
    let title = if width(&title) + 6 <= usize::from(area.width) { title } else { counted };
    let inner = part(frame, area, Line::raw(displayable(&title).into_owned()), focused, view.theme);
    if differ == 0 {
        let sums = |strategy: usize| pane.measures.get(strategy).copied().unwrap_or_default();
        let text = if sums(selected).is_comparable(&sums(baseline)) {
            format!("{own} and {base} have the same measures on every question.")
        } else {
            format!(
                "{own} and {base} have neither blocks nor answers in common. {} {} takes another.",
                hint(Action::NextBaseline, view),
                Action::NextBaseline.short()
            )
        };
        empty(frame, inner, &text, view.theme);
        return;
    }
    let columns = usize::from(inner.width);
    let pips = columns >= WIDE && pane.columns.answers <= PIPS;
    // Heads of their own are worth a row where many others are left.
    let headed = if inner.height >= 9 { pane.columns.headed(columns, pips) } else { None };
    let set = headed.as_ref().unwrap_or(&pane.columns);
    let texts = set.texts(columns, pips);
    let row = Row { columns: set, narrow: columns < NARROW, pips, texts, view };
    // A head is worth a row where at least two others are left.
    let heads = if inner.height >= 3 { row.heads() } else { Vec::new() };
    let head = u16::try_from(heads.len()).unwrap_or(u16::MAX);
    for (y, line) in (inner.y..inner.bottom()).zip(heads) {
        frame.render_widget(cut(line, columns, view.theme), Rect { y, height: 1, ..inner });
    }
    let rows = Rect { y: inner.y + head, height: inner.height - head, ..inner };
    pane.list.draw(frame, rows, differ, focused, view.theme, |index| {
        comparison.differences.get(index).map_or_else(Line::default, |difference| row.line(difference))
    });
}

/// How many questions differ, those that only cost more or less counted apart.
fn counted(differ: usize, only_in_tokens: usize, asked: usize) -> String {
    match (differ, differ - only_in_tokens.min(differ)) {
        (0, _) => format!("No question of {asked} differs"),
        (1, 0) => format!("1 question of {asked} differs, only in tokens"),
        (_, 0) => format!("{differ} questions of {asked} differ, only in tokens"),
        (1, 1) => format!("1 question of {asked} differs"),
        (_, graver) if graver == differ => {
            format!("{differ} questions of {asked} differ, the largest difference first")
        }
        (_, 1) => format!("1 of {asked} differs in facts, leaks or answers, {only_in_tokens} only in tokens"),
        (_, graver) => {
            format!("{graver} of {asked} differ in facts, leaks or answers, {only_in_tokens} only in tokens")
        }
    }
}

/// Where no pair is chosen: a sentence for each strategy but the baseline.
fn draw_overview(pane: &ComparePane, frame: &mut Frame<'_>, area: Rect, baseline: usize, view: &View<'_>) {
    if pane.measures.len() < 2 {
        empty(frame, area, "There is no other strategy.", view.theme);
        return;
    }
    let others = pane.order().filter(|strategy| *strategy != baseline);
    let columns = usize::from(area.width.saturating_sub(2));
    let lines: Vec<Line<'static>> = others
        .flat_map(|strategy| wrap(&said(pane, (strategy, baseline), view), columns, 2))
        .map(|mut line| {
            line.spans.insert(0, Span::raw(" "));
            line
        })
        .collect();
    pane.overview.draw(frame, area, &lines, view.theme);
}

/// How rows are set.
struct Row<'a> {
    columns: &'a Columns,
    narrow: bool,
    pips: bool,
    texts: (usize, usize),
    view: &'a View<'a>,
}

impl Row<'_> {
    /// The heads of the columns, in one line or in two.
    fn heads(&self) -> Vec<Line<'static>> {
        let question = self.padded("question", self.texts.0);
        let (side, user) = (self.columns.side(self.pips), self.columns.user);
        let [selected, baseline] = ["selected", "baseline"].map(|text| self.padded(text, side));
        let user_head = self.padded("user", user);
        let sides = self.columns.side_head(self.pips);
        let texts = match (self.narrow, self.columns.headed) {
            (true, _) => vec![format!(" {question}  what differs")],
            (false, false) => vec![format!(" {user_head} {question}  {selected}  {baseline}  what differs")],
            (false, true) => vec![
                format!(" {} {}  {selected}  {baseline}", self.padded("", user), self.padded("", self.texts.0)),
                format!(" {user_head} {question}  {sides}  {sides}  what differs"),
            ],
        };
        texts.into_iter().map(|text| Line::styled(text, self.view.theme.style(Role::Dim))).collect()
    }

    fn line(&self, difference: &Difference) -> Line<'static> {
        let theme = self.view.theme;
        let Some((conversation, question)) = self.view.workspace.evaluation.question(difference.question) else {
            return Line::default();
        };
        let mut spans = Vec::new();
        if !self.narrow {
            let user = self.padded(&conversation.user, self.columns.user) + " ";
            spans.push(Span::styled(user, theme.style(Role::Dim)));
        }
        let asked = Line::from(Span::styled(self.padded(&question.question, self.texts.0), theme.style(Role::Text)));
        spans.extend(mark_found(asked, self.view.needle, theme).spans);
        for side in [&difference.selected, &difference.baseline].into_iter().filter(|_| !self.narrow) {
            spans.push(Span::raw("  "));
            spans.extend(self.side(side));
        }
        spans.push(Span::raw("  "));
        spans.extend(words(difference, self.texts.1, theme));
        Line::from(spans)
    }

    /// Found of required facts, leaks, and answers.
    fn side(&self, side: &Side) -> Vec<Span<'static>> {
        let theme = self.view.theme;
        let role = match side.required {
            0 => Role::Dim,
            required if side.found == required => Role::Useful,
            _ => Role::Missing,
        };
        let mut spans = vec![Span::styled(format!("{:>1$}", facts(side), self.columns.facts), theme.style(role))];
        let mut used = self.columns.facts;
        if self.columns.leaks > 0 {
            spans.push(Span::raw(" "));
            let marks = leaks(side);
            let written: usize = marks.iter().map(|(text, _)| text.len()).sum();
            spans.extend(marks.into_iter().map(|(text, role)| Span::styled(text, theme.style(role))));
            spans.push(Span::raw(" ".repeat(self.columns.leaks - written.min(self.columns.leaks))));
            used += 1 + self.columns.leaks;
        }
        if self.columns.passed > 0 {
            spans.push(Span::raw(" "));
            let (answers, written) = if self.pips { pips(side, theme) } else { self.counted(side) };
            spans.extend(answers);
            used += 1 + written;
        }
        spans.push(Span::raw(" ".repeat(self.columns.side(self.pips).saturating_sub(used))));
        spans
    }

    fn counted(&self, side: &Side) -> (Vec<Span<'static>>, usize) {
        let all = side.answers.pass == side.answers.total();
        let role = if all { Role::Pass } else { Role::Fail };
        let text = format!("{:>1$}", passed(side), self.columns.passed);
        (vec![Span::styled(text, self.view.theme.style(role))], self.columns.passed)
    }

    /// Text from a file in exactly so many columns.
    fn padded(&self, text: &str, columns: usize) -> String {
        let text = displayable(text);
        let text = truncate_with(&text, columns, self.view.theme.ellipsis());
        format!("{text}{}", " ".repeat(columns.saturating_sub(width(&text))))
    }
}

/// One pip an answer, the passed ones first.
fn pips(side: &Side, theme: &Theme) -> (Vec<Span<'static>>, usize) {
    let counts = [side.answers.pass, side.answers.fail, side.answers.incomplete];
    let spans = Verdict::ALL.into_iter().zip(counts).map(|(verdict, count)| {
        let (pip, role) = theme.pip(verdict);
        Span::styled(pip.repeat(count), theme.style(role))
    });
    (spans.collect(), side.answers.total())
}

/// What differs, each part by whether it is better.
fn words(difference: &Difference, columns: usize, theme: &Theme) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for change in difference.changes() {
        if !spans.is_empty() {
            spans.push(Span::styled(", ", theme.style(Role::Dim)));
        }
        spans.push(Span::styled(change.text, judged(change.judgement, theme)));
    }
    cut(Line::from(spans), columns, theme).spans
}
