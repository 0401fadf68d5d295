//! Where the parts of the Lessons pane are, and what stands in them.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::facts::{Facts, rules};
use super::{LessonsPane, Part};
use crate::governed::{Attempt, RollbackRehearsal, Rule, UsedCase};
use crate::text::width;
use crate::tui::pane::View;
use crate::tui::text::{cut, mark_found, span, wrap};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::list::ListState;
use crate::tui::widget::part::{empty, part};

/// From this width on, curve and log stand beside policy and cases.
const WIDE: u16 = 100;
/// The least rows of a part that is worth drawing beside another.
const ROWS: u16 = 5;
/// Columns of a bar of the curve.
const BAR: usize = 20;
/// Columns of keywords at most, before the route.
const KEYWORDS: usize = 24;

impl LessonsPane {
    pub(super) fn draw_all(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let Some(facts) = self.facts() else {
            let sentence = match &self.read {
                Some(Err(error)) => error,
                _ => "There is no curriculum to look at.",
            };
            return empty(frame, area, sentence, view.theme);
        };
        for part in Part::ALL {
            // A part that is not drawn takes no clicks.
            self.list(part).into_iter().for_each(ListState::hide);
        }
        let heads = self.heads(facts, view.theme);
        let rows = u16::try_from(heads.len()).unwrap_or(1).min(area.height);
        for (y, head) in (area.y..area.y + rows).zip(heads) {
            frame.render_widget(cut(head, usize::from(area.width), view.theme), Rect { y, height: 1, ..area });
        }
        let body = Rect { y: area.y + rows, height: area.height - rows, ..area };
        for (part, place) in self.places(body, view.zoomed) {
            if place.is_empty() {
                continue;
            }
            match part {
                Part::Curve => self.draw_curve(frame, place, facts, view),
                Part::Log => self.draw_log(frame, place, facts, view),
                Part::Policy => self.draw_policy(frame, place, facts, view),
                Part::Cases => self.draw_cases(frame, place, facts, view),
            }
        }
    }

    fn places(&self, body: Rect, zoomed: bool) -> Vec<(Part, Rect)> {
        if zoomed {
            return vec![(self.focus, body)];
        }
        let wanted = |part: Part| u16::try_from(self.len(part)).unwrap_or(u16::MAX).saturating_add(2);
        let rest = |height: u16, most: u16, part: Part| wanted(part).clamp(3, most.max(3)).min(height);
        if body.width >= WIDE {
            let width = body.width * 48 / 100;
            let left = Rect { width, ..body };
            let right = Rect { x: body.x + width, width: body.width - width, ..body };
            let (curve, log) = split(left, rest(left.height, left.height / 2, Part::Curve));
            let (policy, cases) = split(right, rest(right.height, right.height / 2, Part::Policy));
            return vec![(Part::Curve, curve), (Part::Log, log), (Part::Policy, policy), (Part::Cases, cases)];
        }
        let (upper, lower) = match self.focus {
            Part::Curve | Part::Log => (Part::Curve, Part::Log),
            Part::Policy | Part::Cases => (Part::Policy, Part::Cases),
        };
        if body.height < 2 * ROWS {
            return vec![(self.focus, body)];
        }
        let (above, below) = split(body, rest(body.height, body.height / 2, upper));
        vec![(upper, above), (lower, below)]
    }

    /// Which curriculum, and what a rollback that is rehearsed would change.
    fn heads(&self, facts: &Facts, theme: &Theme) -> Vec<Line<'static>> {
        let dim = theme.style(Role::Dim);
        let dot = || Span::styled(format!(" {} ", theme.neutral()), dim);
        let mut first = vec![
            Span::styled(format!(" curriculum {} of {} ", self.at + 1, self.all().len()), dim),
            span(&facts.named.name, theme.style(Role::Heading)),
        ];
        if facts.named.holds(&facts.run) == Some(false) {
            first.extend([dot(), Span::styled("NOT what the file expects", theme.style(Role::Fail))]);
        }
        first.extend([dot(), span(&facts.named.about, dim)]);
        let mut heads = vec![Line::from(first)];
        if let Some(rehearsal) = &self.rollback {
            heads.push(rehearsed(rehearsal, theme));
        }
        heads
    }

    fn draw_list(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        of: Part,
        view: &View<'_>,
        row: impl Fn(usize) -> Line<'static>,
    ) {
        let Some(list) = self.list(of) else { return };
        list.draw(frame, area, self.len(of), self.focus == of, view.theme, |at| {
            mark_found(row(at), if self.focus == of { view.needle } else { "" }, view.theme)
        });
    }

    fn draw_curve(&self, frame: &mut Frame<'_>, area: Rect, facts: &Facts, view: &View<'_>) {
        let theme = view.theme;
        let dim = theme.style(Role::Dim);
        let about = format!(" {} training cases, right while the episode runs", facts.named.curriculum.train.len());
        let title = Line::from(vec![Span::raw("Curve"), Span::styled(about, dim)]);
        let inner = part(frame, area, title, self.focus == Part::Curve, theme);
        let digits = facts.run.curve.len().saturating_sub(1).to_string().len();
        self.draw_list(frame, inner, Part::Curve, view, |row| {
            let share = facts.run.curve.get(row).copied().unwrap_or_default();
            let full = ((share * BAR as f64).round() as usize).min(BAR);
            let of_here = || facts.run.log.iter().filter(|tried| tried.episode == row);
            let mut spans = vec![
                Span::styled(format!("{row:>digits$}  "), dim),
                Span::styled(format!("{share:.3} "), theme.style(Role::Text)),
                Span::styled(theme.pick("█", "#").repeat(full), theme.style(Role::SeriesB)),
                Span::styled(theme.pick("░", ".").repeat(BAR - full), dim),
            ];
            if let Some(promoted) = of_here().find(|tried| tried.promoted) {
                spans.push(span(&format!("  + {}", promoted.lesson.words()), theme.style(Role::Added)));
            }
            let blocked = of_here().filter(|tried| !tried.promoted).count();
            if blocked > 0 {
                spans.push(Span::styled(format!("  {blocked} blocked"), dim));
            }
            Line::from(spans)
        });
    }

    fn draw_log(&self, frame: &mut Frame<'_>, area: Rect, facts: &Facts, view: &View<'_>) {
        let theme = view.theme;
        let log = &facts.run.log;
        let promoted = log.iter().filter(|attempt| attempt.promoted).count();
        let about = format!(" {promoted} promoted, {} blocked", log.len() - promoted);
        let title = Line::from(vec![Span::raw("Log"), Span::styled(about, theme.style(Role::Dim))]);
        let focused = self.focus == Part::Log;
        let inner = part(frame, area, title, focused, theme);
        if log.is_empty() {
            return empty(frame, inner, "No lesson was tried: every case was routed rightly.", theme);
        }
        let Some(list) = self.list(Part::Log) else { return };
        let columns = usize::from(inner.width);
        list.draw_unfolded(frame, inner, log.len(), focused, theme, |row| {
            let Some(attempt) = log.get(row) else { return Vec::new() };
            let mut lines = vec![attempt_line(attempt, theme)];
            if row == list.selected() {
                lines.extend(report_lines(attempt, columns, theme));
            }
            let needle = if focused { view.needle } else { "" };
            lines.into_iter().map(|line| mark_found(line, needle, theme)).collect()
        });
    }

    fn draw_policy(&self, frame: &mut Frame<'_>, area: Rect, facts: &Facts, view: &View<'_>) {
        let theme = view.theme;
        let about = if self.rollback.is_some() { " after the rollback" } else { " most specific first" };
        let title = Line::from(vec![Span::raw("Policy"), Span::styled(about, theme.style(Role::Dim))]);
        let inner = part(frame, area, title, self.focus == Part::Policy, theme);
        let rules = rules(self.policy(facts));
        let name = column(rules.iter().map(|rule| width(&rule.to_string())), KEYWORDS + "lesson ".len());
        self.draw_list(frame, inner, Part::Policy, view, |row| {
            let Some(rule) = rules.get(row) else { return Line::default() };
            let role = if matches!(rule, Rule::Lesson(_)) { Role::Added } else { Role::Dim };
            Line::from(vec![
                Span::styled(format!("{:>2}  ", row + 1), theme.style(Role::Dim)),
                fitted(&rule.to_string(), name, role, theme),
                span(&format!("  {}", rule.route()), theme.style(Role::Text)),
            ])
        });
    }

    fn draw_cases(&self, frame: &mut Frame<'_>, area: Rect, facts: &Facts, view: &View<'_>) {
        let theme = view.theme;
        let policy = self.policy(facts);
        let right = facts.cases.iter().filter(|used| policy.solves(&used.case)).count();
        let about = format!(" {right} of {} right", facts.cases.len());
        let title = Line::from(vec![Span::raw("Cases"), Span::styled(about, theme.style(Role::Dim))]);
        let inner = part(frame, area, title, self.focus == Part::Cases, theme);
        let words = column(facts.cases.iter().map(|used| width(&used.case.words())), KEYWORDS);
        self.draw_list(frame, inner, Part::Cases, view, |row| {
            facts.cases.get(row).map_or_else(Line::default, |used| self.case_line(used, facts, words, theme))
        });
    }

    fn case_line(&self, used: &UsedCase, facts: &Facts, words: usize, theme: &Theme) -> Line<'static> {
        let (dim, text) = (theme.style(Role::Dim), theme.style(Role::Text));
        let rule = self.policy(facts).rule(&used.case.keywords);
        let right = rule.route() == used.case.route;
        let (mark, role) = if right { (theme.useful(), Role::Pass) } else { (theme.pick("✗", "x"), Role::Fail) };
        let mut spans = vec![
            Span::styled(format!("{mark} "), theme.style(role)),
            fitted(&used.case.words(), words, Role::Text, theme),
            Span::raw("  "),
        ];
        let before = facts.run.policy.route(&used.case.keywords);
        if before != rule.route() {
            let change = format!("{before} {} ", theme.pick("→", "->"));
            spans.push(span(&change, theme.style(Role::Stale)));
        }
        spans.push(span(rule.route(), text));
        if !right {
            spans.push(span(&format!(" not {}", used.case.route), theme.style(Role::Fail)));
        }
        spans.push(span(&format!("  by {rule}"), dim));
        spans.push(Span::styled(format!("  {}", used.uses_in_words()), dim));
        Line::from(spans)
    }
}

/// One line on what a rollback would change.
fn rehearsed(rehearsal: &RollbackRehearsal, theme: &Theme) -> Line<'static> {
    let dim = theme.style(Role::Dim);
    let (broken, mended) = (rehearsal.broken(), rehearsal.mended());
    let again = if rehearsal.again.promotes() { "PROMOTE" } else { "BLOCK" };
    let count = |count: usize, role| theme.style(if count == 0 { Role::Dim } else { role });
    Line::from(vec![
        Span::styled(" rollback rehearsed ", theme.style(Role::Warning)),
        span(&format!("{} ", rehearsal.lesson.words()), theme.style(Role::Heading)),
        Span::styled(format!("{broken} become wrong"), count(broken, Role::Fail)),
        Span::styled(", ", dim),
        Span::styled(format!("{mended} become right"), count(mended, Role::Useful)),
        Span::styled(format!(", tried again: {again}"), dim),
    ])
}

fn attempt_line(attempt: &Attempt, theme: &Theme) -> Line<'static> {
    let (mark, role) = if attempt.promoted { ("+", Role::Added) } else { (theme.pick("✗", "x"), Role::Fail) };
    let Attempt { episode, lesson, .. } = attempt;
    Line::from(vec![
        Span::styled(format!("{mark} {:<8}", attempt.decision()), theme.style(role)),
        Span::styled(format!("{episode:>2}  "), theme.style(Role::Dim)),
        span(&lesson.words(), theme.style(Role::Text)),
        span(&format!(" {} {}", theme.pick("→", "->"), lesson.route), theme.style(Role::Dim)),
    ])
}

/// The report of an attempt, and the bars that it failed.
fn report_lines(attempt: &Attempt, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let indent = 4;
    let one = |text: &str, role: Role| {
        wrap(&[Span::raw(" ".repeat(indent)), span(text, theme.style(role))], columns.saturating_sub(1), indent)
    };
    let mut lines = one(&attempt.trial.to_string(), Role::Text);
    let support = format!("{} distinct of {} needed", attempt.trial.distinct, attempt.trial.support);
    lines.extend(one(&support, Role::Dim));
    for failed in attempt.trial.failures() {
        lines.extend(one(&format!("blocked: {failed}"), Role::Fail));
    }
    lines
}

/// The width of a column: its longest text, cut at `most`.
fn column(widths: impl Iterator<Item = usize>, most: usize) -> usize {
    widths.max().unwrap_or(0).min(most)
}

/// A text in exactly so many columns.
fn fitted(text: &str, columns: usize, role: Role, theme: &Theme) -> Span<'static> {
    let safe = span(text, theme.style(role));
    let cut = crate::text::truncate_with(&safe.content, columns, theme.ellipsis()).into_owned();
    let blanks = columns.saturating_sub(width(&cut));
    Span::styled(cut + &" ".repeat(blanks), theme.style(role))
}

fn split(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    (Rect { height, ..area }, Rect { y: area.y + height, height: area.height - height, ..area })
}
