//! Question: why did it fail? The facts, the block line by line, what was left out and why, and the recorded answers.

mod rows;
mod sheet;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{Cursor, Pane, PaneKind, Response, Route, Subject, View};
use crate::tui::action::Action;
use crate::tui::text::{cut, span, wrap};
use crate::tui::theme::Role;
use crate::tui::widget::part::empty;
use sheet::{Row, Section, Sheet};

/// From this width the answers stand beside the block, below it they stand under it.
const WIDE: u16 = 110;

/// The Question pane.
#[derive(Debug, Default)]
pub struct QuestionPane {
    /// What is shown: the block's sheet and the answers' sheet, or one whole sheet for each of two strategies.
    sheets: Vec<Sheet>,
    focus: usize,
    /// The strategy on the right side, while two are side by side.
    other: Option<usize>,
}

impl QuestionPane {
    /// Derives both sheets again.
    fn derive(&mut self, view: &View<'_>) {
        use Section::{Answers, Block, Facts, LeftOut};
        let Cursor { question, strategy, .. } = view.cursor;
        let all: &[Section] = &[Facts, Block, LeftOut, Answers];
        let plan: [(usize, &[Section]); 2] = match self.other {
            Some(other) => [(strategy, all), (other, all)],
            None => [(strategy, &[Facts, Block, LeftOut]), (strategy, &[Answers])],
        };
        self.sheets =
            plan.into_iter().map(|(strategy, sections)| Sheet::new(strategy, question, sections, view)).collect();
        self.focus = self.focus.min(1);
    }

    fn focused(&mut self) -> Option<&mut Sheet> {
        self.sheets.get_mut(self.focus)
    }

    fn go(&mut self, cursor: Cursor, view: &View<'_>) -> Response {
        self.derive(&View { cursor, ..*view });
        Response::Moved(cursor)
    }

    fn sideways(&mut self, right: bool, view: &View<'_>) -> Response {
        let count = view.workspace.evaluation.strategies.len().max(1);
        let step = |now: usize| if right { (now + 1) % count } else { (now + count - 1) % count };
        // Beside itself a strategy shows nothing: the other side's is passed over, unless there are no others.
        let past = |now: usize, other: Option<usize>| {
            let next = step(now);
            if Some(next) == other && count > 2 { step(next) } else { next }
        };
        if let Some(other) = self.other.filter(|_| self.focus == 1) {
            self.other = Some(past(other, Some(view.cursor.strategy)));
            return self.go(view.cursor, view);
        }
        let strategy = past(view.cursor.strategy, self.other);
        self.go(Cursor { strategy, answer: None, ..view.cursor }, view)
    }

    fn toggle_sides(&mut self, view: &View<'_>) -> Response {
        let count = view.workspace.evaluation.strategies.len();
        if count < 2 {
            return Response::Say("there is only one strategy".to_owned());
        }
        self.other = match self.other {
            Some(_) => None,
            None => Some((view.cursor.strategy + 1) % count),
        };
        self.go(view.cursor, view)
    }

    /// The next question in a direction, or the next failure.
    fn travel(&mut self, forward: bool, failures: bool, view: &View<'_>) -> Response {
        let count = view.workspace.evaluation.question_count();
        let at = view.cursor.question;
        let found = (1..=count)
            .map(|step| if forward { (at + step) % count } else { (at + count - step % count) % count })
            .find(|question| !failures || view.workspace.is_failure(view.cursor.strategy, *question));
        match found {
            Some(question) => self.go(Cursor { question, answer: None, ..view.cursor }, view),
            None if failures => Response::Say("nothing fails under this strategy".to_owned()),
            None => Response::Say("the case set asks no questions".to_owned()),
        }
    }

    /// What Enter leads to from the row under the cursor.
    fn open(&mut self, view: &View<'_>) -> Response {
        let Some(sheet) = self.focused() else { return Response::Ignored };
        let history = view.workspace.evaluation.asked.get(view.cursor.question).map_or(0, |asked| asked.history);
        let strategy = sheet.strategy;
        match sheet.row() {
            Some(Row::Fact(fact)) => {
                sheet.reveal_fact(fact);
                Response::Done
            }
            Some(Row::Line(_) | Row::LeftOut(_)) => {
                let Some(candidate) = sheet.candidate() else { return Response::Ignored };
                let moment = Some((Subject::User(history), candidate.event + 1));
                Response::Go(Route { pane: PaneKind::Replay, cursor: Cursor { moment, ..view.cursor } })
            }
            Some(Row::Answer(answer)) => {
                let answer = sheet.answers.get(answer).copied();
                Response::Go(Route { pane: PaneKind::Answers, cursor: Cursor { answer, strategy, ..view.cursor } })
            }
            _ => Response::Ignored,
        }
    }

    /// The question, who asked it and when: the question in as many lines as leave the sheets most of the room.
    fn head(area: Rect, view: &View<'_>) -> Vec<Line<'static>> {
        let asked = view.workspace.evaluation.question(view.cursor.question);
        let Some((conversation, question)) = asked else { return Vec::new() };
        let theme = view.theme;
        let count = view.workspace.evaluation.question_count();
        let columns = usize::from(area.width.saturating_sub(2));
        let most = usize::from(area.height / 4).max(1);
        let title = vec![
            span(&question.question, theme.style(Role::Heading)),
            span(&format!("  {}", question.id), theme.style(Role::Dim)),
        ];
        let mut lines = wrap(&title, columns, 0);
        if lines.len() > most {
            lines.truncate(most);
            if let Some(last) = lines.last_mut() {
                last.spans.push(Span::raw(theme.ellipsis()));
            }
        }
        let events = view.workspace.evaluation.history(view.cursor.question).map_or(0, |(_, after)| after);
        let mut about = format!(
            "asked by {} after {events} events, question {} of {count}",
            conversation.user,
            view.cursor.question + 1
        );
        for extra in [&question.category, &question.asked_at].into_iter().flatten() {
            about.push_str(&format!(", {extra}"));
        }
        if let Some(answer) = &question.answer {
            about.push_str(&format!("; published answer: {answer}"));
        }
        lines.push(Line::from(span(&about, theme.style(Role::Dim))));
        lines.into_iter().map(|line| cut(line, columns, theme)).collect()
    }
}

impl Pane for QuestionPane {
    fn kind(&self) -> PaneKind {
        PaneKind::Question
    }

    fn enter(&mut self, view: &View<'_>) {
        self.derive(view);
    }

    fn update(&mut self, action: Action, view: &View<'_>) -> Response {
        match action {
            Action::Left | Action::Right => return self.sideways(action == Action::Right, view),
            Action::SideBySide => return self.toggle_sides(view),
            Action::OtherStrategy => {
                let count = view.workspace.evaluation.strategies.len().max(1);
                let next = (self.other.unwrap_or(view.cursor.strategy) + 1) % count;
                self.other = Some(if next == view.cursor.strategy { (next + 1) % count } else { next });
                return self.go(view.cursor, view);
            }
            Action::NextQuestion => return self.travel(true, false, view),
            Action::PreviousQuestion => return self.travel(false, false, view),
            Action::NextFailure => return self.travel(true, true, view),
            Action::PreviousFailure => return self.travel(false, true, view),
            Action::NextPart | Action::PreviousPart => self.focus = 1 - self.focus.min(1),
            Action::Cancel if self.other.is_some() => return self.toggle_sides(view),
            Action::Open => return self.open(view),
            _ => {
                if !self.focused().is_some_and(|sheet| sheet.motion(action)) {
                    return Response::Ignored;
                }
            }
        }
        Response::Done
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let [left, right] = self.sheets.as_slice() else { return };
        if view.workspace.evaluation.question_count() == 0 {
            empty(frame, area, "The case set asks no questions.", view.theme);
            return;
        }
        let lines = Self::head(area, view);
        let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let [head, body] = Layout::vertical([Constraint::Length(height), Constraint::Min(3)]).areas(area);
        for (y, line) in (head.y..head.bottom()).zip(lines) {
            frame.render_widget(line, Rect { x: head.x + 1, y, width: head.width.saturating_sub(2), height: 1 });
        }
        if view.zoomed {
            if let Some(sheet) = self.sheets.get(self.focus) {
                sheet.draw(frame, body, true, view);
            }
            return;
        }
        let areas: [Rect; 2] = if self.other.is_some() {
            Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(body)
        } else if area.width >= WIDE {
            Layout::horizontal([Constraint::Fill(13), Constraint::Fill(7)]).areas(body)
        } else {
            let wanted =
                u16::try_from(right.len()).unwrap_or(u16::MAX).saturating_add(if self.focus == 1 { 8 } else { 3 });
            let most = if self.focus == 1 { body.height * 2 / 3 } else { body.height / 3 };
            Layout::vertical([Constraint::Min(3), Constraint::Length(wanted.min(most).max(3))]).areas(body)
        };
        for (index, (sheet, area)) in [left, right].into_iter().zip(areas).enumerate() {
            sheet.draw(frame, area, index == self.focus, view);
        }
    }

    fn actions(&self, _view: &View<'_>) -> Vec<Action> {
        vec![
            Action::Left,
            Action::Right,
            Action::NextFailure,
            Action::NextQuestion,
            Action::Open,
            Action::NextPart,
            Action::SideBySide,
        ]
    }

    fn short(&self, action: Action) -> &'static str {
        match action {
            Action::Left | Action::Right => "strategy",
            _ => action.short(),
        }
    }

    fn cancels(&self, _view: &View<'_>) -> Option<&'static str> {
        self.other.map(|_| "one side")
    }

    fn search(&mut self, needle: &str, forward: bool, from_here: bool, view: &View<'_>) -> Option<Response> {
        self.focused()?.search(needle, forward, from_here, view).then_some(Response::Done)
    }

    fn searched(&self, _view: &View<'_>) -> Option<(usize, usize)> {
        self.sheets.get(self.focus).map(Sheet::searched)
    }

    fn holds(&self, row: usize, needle: &str, view: &View<'_>) -> bool {
        self.sheets.get(self.focus).is_some_and(|sheet| sheet.holds(row, needle, view))
    }

    fn copy(&self, view: &View<'_>) -> Option<(&'static str, String)> {
        self.sheets.get(self.focus)?.copy(view)
    }

    fn click(&mut self, column: u16, row: u16, open: bool, view: &View<'_>) -> Response {
        let Some(index) = self.sheets.iter().position(|sheet| sheet.contains(column, row)) else {
            return Response::Ignored;
        };
        self.focus = index;
        let hit = self.focused().is_some_and(|sheet| sheet.click(column, row));
        if hit && open { self.open(view) } else { Response::Done }
    }
}

/// The style of a sentence that says whether something is wrong.
fn judgement(fine: bool, view: &View<'_>) -> Style {
    view.theme.style(if fine { Role::Pass } else { Role::Fail })
}
