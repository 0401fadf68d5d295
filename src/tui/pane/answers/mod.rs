//! Answers: what did the model say? Each recorded answer beside its grade, the proof of the grade, and the request.

mod detail;
mod filters;
mod list;
mod sheet;

use std::cell::{Cell, RefCell};

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::{Cursor, Pane, PaneKind, Response, Route, Typing, View};
use crate::grade::Grader;
use crate::request::{Request, RequestTokens};
use crate::tui::action::{Action, Scope};
use crate::tui::theme::Role;
use crate::tui::widget::list::{ListState, ScrollState};
use crate::tui::widget::part::{empty, part};
use crate::workspace::AnswerRef;

use detail::{Detail, DetailKey};
use filters::{Filters, Shown, mentions};

/// Side by side from this width on; the list needs its columns and the answer its line length.
const WIDE: u16 = 150;
/// Below this height only the part with the focus is drawn.
const SHORT: u16 = 14;
/// From this width on the detail is in two columns, unless it is so high that one holds everything.
const TWO_COLUMNS: u16 = 104;
const HIGH: u16 = 48;

/// Which part has the focus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Focus {
    #[default]
    List,
    Detail,
}

/// The Answers pane.
#[derive(Debug, Default)]
pub struct AnswersPane {
    filters: Filters,
    shown: Shown,
    list: ListState,
    focus: Focus,
    /// The answer chosen last; it is kept while the filters hide everything.
    current: Option<AnswerRef>,
    /// The tokens of its request.
    tokens: Option<RequestTokens>,
    /// The text filter and the answer to go back to where typing is given up.
    before_typing: Option<(String, Option<AnswerRef>)>,
    scroll: ScrollState,
    /// Whether the list and the detail are on screen.
    drawn: Cell<(bool, bool)>,
    /// The finished lines of the detail drawn last.
    detail: RefCell<Option<Detail>>,
}

impl AnswersPane {
    fn at(&self) -> Option<AnswerRef> {
        self.shown.rows.get(self.list.selected()).copied()
    }

    /// The answer to show on coming here: the one that the cursor names, else one of the cursor's question and strategy,
    /// if possible one that the filters let through. An answer to another question than the cursor's was chosen before
    /// the person went on to that question elsewhere.
    fn wanted(&self, view: &View<'_>) -> Option<AnswerRef> {
        let Cursor { question, strategy, answer, .. } = view.cursor;
        let belongs = |at: &AnswerRef| {
            view.workspace.answer(*at).is_some_and(|(graded, ..)| {
                let same_question = filters::number(graded, at.group).is_none_or(|number| number == question);
                let same_strategy = filters::strategy(graded, at.group).is_none_or(|place| place == strategy);
                same_question && same_strategy || view.workspace.answers(strategy, question).any(|other| other == *at)
            })
        };
        let cell = || view.workspace.answers(strategy, question);
        answer
            .filter(belongs)
            .or_else(|| cell().find(|at| Some(*at) == self.current))
            .or_else(|| cell().find(|at| self.filters.admit(view, *at)))
            .or_else(|| cell().next())
    }

    /// Derives the list again and stays at an answer, or begins at the top where the filters hide it.
    fn derive(&mut self, stay: Option<AnswerRef>, view: &View<'_>) {
        self.shown = Shown::derive(view, &self.filters);
        let row = stay.and_then(|at| self.shown.row_of(at)).unwrap_or(0);
        self.list.select(row, self.shown.rows.len());
        if self.shown.rows.is_empty() {
            self.focus = Focus::List;
        }
    }

    /// The filters have changed.
    fn filter(&mut self, view: &View<'_>) -> Response {
        self.derive(self.current, view);
        self.choose(view)
    }

    /// The answer under the cursor may be another one now.
    fn choose(&mut self, view: &View<'_>) -> Response {
        let Some(at) = self.at() else { return Response::Done };
        if self.current != Some(at) {
            self.scroll.reset();
            self.current = Some(at);
            self.count(view);
        }
        Response::Moved(cursor_at(at, view))
    }

    /// Counts the tokens of the chosen answer's request, which drawing must not do.
    fn count(&mut self, view: &View<'_>) {
        self.tokens = self.current.and_then(|at| {
            let (graded, ..) = view.workspace.answer(at)?;
            let (question, strategy) = (filters::number(graded, at.group)?, filters::strategy(graded, at.group)?);
            let evaluation = &view.workspace.evaluation;
            let request = Request::of_block(evaluation, strategy, question, &graded.recording.system)?;
            Some(request.tokens(&*evaluation.counter))
        });
    }

    fn open_question(&self, view: &View<'_>) -> Response {
        let Some(at) = self.at() else { return Response::Ignored };
        let known = view.workspace.answer(at).and_then(|(graded, ..)| filters::number(graded, at.group));
        match known {
            Some(_) => Response::Go(Route { pane: PaneKind::Question, cursor: cursor_at(at, view) }),
            None => Response::Say("the case set does not have this question".to_owned()),
        }
    }

    fn cancel(&mut self, view: &View<'_>) -> Response {
        if self.focus == Focus::Detail {
            self.focus = Focus::List;
            return Response::Done;
        }
        if self.filters.is_empty() {
            return Response::Ignored;
        }
        self.filters = Filters::default();
        self.filter(view)
    }

    fn motion(&mut self, action: Action, view: &View<'_>) -> Response {
        let step = match (self.focus, action) {
            (Focus::List, _) => Some(action),
            (Focus::Detail, Action::Left) => Some(Action::Up),
            (Focus::Detail, Action::Right) => Some(Action::Down),
            (Focus::Detail, _) => None,
        };
        let moved = match step {
            Some(step) => self.list.motion(step, self.shown.rows.len()),
            None => return if self.scroll.motion(action) { Response::Done } else { Response::Ignored },
        };
        if moved { self.choose(view) } else { Response::Ignored }
    }

    /// Where the list and the detail are drawn; a part without the focus may have no room.
    fn areas(&self, area: Rect, zoomed: bool) -> (Option<Rect>, Option<Rect>) {
        if zoomed || area.height < SHORT {
            return match self.focus {
                Focus::List => (Some(area), None),
                Focus::Detail => (None, Some(area)),
            };
        }
        let layout = if area.width >= WIDE {
            Layout::horizontal([Constraint::Percentage(46), Constraint::Fill(1)])
        } else {
            Layout::vertical([Constraint::Percentage(44), Constraint::Fill(1)])
        };
        let [list, detail] = layout.areas(area);
        (Some(list), Some(detail))
    }

    fn detail_title(&self, view: &View<'_>) -> Line<'static> {
        if self.at().is_none() {
            return Line::from("Answer");
        }
        let mut title = Line::from(format!("Answer {} of {}", self.list.selected() + 1, self.shown.rows.len()));
        let key = |action| view.keymap.hint(Scope::Answers, action).map(|key| view.theme.key(&key));
        if let (Focus::Detail, Some(before), Some(next)) = (self.focus, key(Action::Left), key(Action::Right)) {
            let words = format!(" {} {before} before, {next} next", view.theme.neutral());
            title.spans.push(Span::styled(words, view.theme.style(Role::Dim)));
        }
        title
    }

    fn draw_detail(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let focused = self.focus == Focus::Detail;
        let inner = part(frame, area, self.detail_title(view), focused, view.theme);
        let Some(at) = self.at() else {
            return empty(frame, inner, "No answer is chosen.", view.theme);
        };
        let key = DetailKey {
            at,
            columns: inner.width,
            two: inner.width >= TWO_COLUMNS && inner.height < HIGH,
            needle: view.needle.to_owned(),
            theme: *view.theme,
        };
        let mut kept = self.detail.borrow_mut();
        if kept.as_ref().is_none_or(|detail| detail.key != key) {
            let detail = Detail::new(key, self.tokens, view);
            if let Some(line) = detail.first_found {
                self.scroll.reveal(line);
            }
            *kept = Some(detail);
        }
        if let Some(detail) = kept.as_ref() {
            self.scroll.draw(frame, inner, &detail.lines, view.theme);
        }
    }
}

/// The shared cursor at an answer, as far as the case set knows its question and strategy.
fn cursor_at(at: AnswerRef, view: &View<'_>) -> Cursor {
    let graded = view.workspace.recordings.get(at.recording);
    Cursor {
        question: graded.and_then(|graded| filters::number(graded, at.group)).unwrap_or(view.cursor.question),
        strategy: graded.and_then(|graded| filters::strategy(graded, at.group)).unwrap_or(view.cursor.strategy),
        answer: Some(at),
        ..view.cursor
    }
}

impl Pane for AnswersPane {
    fn kind(&self) -> PaneKind {
        PaneKind::Answers
    }

    fn enter(&mut self, view: &View<'_>) {
        self.detail.replace(None);
        let wanted = self.wanted(view);
        if let Some(at) = wanted {
            self.filters.open_for(view, at);
        }
        self.derive(wanted.or(self.current), view);
        self.choose(view);
        self.count(view);
    }

    fn update(&mut self, action: Action, view: &View<'_>) -> Response {
        match action {
            Action::FilterVerdict => self.filters.next_verdict(view),
            Action::AnswersStrategy => self.filters.next_strategy(view.workspace),
            Action::AnswersQuestion => self.filters.toggle_question(view.workspace, self.at()),
            Action::FilterReason => self.filters.next_reason(view),
            Action::FilterCause if view.diagnosis.is_none() => {
                return Response::Say("the causes are not worked out yet".to_owned());
            }
            Action::FilterCause => self.filters.next_cause(view),
            Action::FilterRecording if view.workspace.recordings.len() < 2 => {
                return Response::Say("there is no other recording".to_owned());
            }
            Action::FilterRecording => self.filters.next_recording(view.workspace),
            Action::FilterDisagreement => {
                if !self.filters.next_disagreement(view) {
                    return Response::Say("no graders disagree on these answers".to_owned());
                }
            }
            Action::FilterText if self.shown.of > 0 => {
                self.before_typing = Some((self.filters.text.clone(), self.current));
                return Response::Prompt { label: "text".to_owned(), text: self.filters.text.clone() };
            }
            Action::OpenQuestion => return self.open_question(view),
            Action::Open if self.focus == Focus::Detail => return self.open_question(view),
            Action::Open | Action::NextPart | Action::PreviousPart => {
                let read = self.focus == Focus::List && self.at().is_some();
                self.focus = if read { Focus::Detail } else { Focus::List };
                return Response::Done;
            }
            Action::Cancel => return self.cancel(view),
            _ => return self.motion(action, view),
        }
        self.filter(view)
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        if self.shown.of == 0 {
            let sentence = "No answers recorded. Start recallscope with --answers FILE to read what a model said.";
            return empty(frame, area, sentence, view.theme);
        }
        let (list, detail) = self.areas(area, view.zoomed);
        self.drawn.set((list.is_some(), detail.is_some()));
        if let Some(area) = list {
            let parts = (&self.shown, &self.filters, &self.list);
            list::draw(frame, area, parts, self.focus == Focus::List, view);
        }
        if let Some(area) = detail {
            self.draw_detail(frame, area, view);
        }
    }

    fn actions(&self, view: &View<'_>) -> Vec<Action> {
        if self.shown.of == 0 {
            return Vec::new();
        }
        let first: &[Action] = match self.focus {
            Focus::Detail => &[Action::OpenQuestion, Action::Right, Action::Left, Action::Cancel],
            Focus::List => &[Action::Open],
        };
        let filters = [
            Action::FilterVerdict,
            Action::FilterCause,
            Action::AnswersStrategy,
            Action::FilterRecording,
            Action::FilterDisagreement,
            Action::FilterReason,
            Action::AnswersQuestion,
            Action::FilterText,
        ];
        let last = (self.focus == Focus::List).then_some(Action::OpenQuestion);
        let several = view.workspace.recordings.len() > 1;
        let standing = view.diagnosis.is_some_and(|diagnosis| diagnosis.standing.has_regrades());
        let judged = standing || view.workspace.graders().iter().any(|grader| *grader != Grader::Key);
        let filters = filters
            .into_iter()
            .filter(|action| several || *action != Action::FilterRecording)
            .filter(|action| judged || *action != Action::FilterDisagreement);
        first.iter().copied().chain(filters).chain(last).collect()
    }

    fn short(&self, action: Action) -> &'static str {
        match action {
            Action::Left | Action::Right => "answer",
            _ => action.short(),
        }
    }

    fn cancels(&self, _view: &View<'_>) -> Option<&'static str> {
        match self.focus {
            Focus::Detail => Some("to the list"),
            Focus::List => (!self.filters.is_empty()).then_some("clear filters"),
        }
    }

    fn search(&mut self, needle: &str, forward: bool, from_here: bool, view: &View<'_>) -> Option<Response> {
        let rows = &self.shown.rows;
        let found = |row: usize| self.holds(row, needle, view);
        let here = self.list.selected();
        let row = if from_here && found(here) { here } else { self.list.find(rows.len(), forward, found)? };
        self.list.select(row, rows.len());
        Some(self.choose(view))
    }

    fn searched(&self, _view: &View<'_>) -> Option<(usize, usize)> {
        Some((self.list.selected(), self.shown.rows.len()))
    }

    fn holds(&self, row: usize, needle: &str, view: &View<'_>) -> bool {
        self.shown.rows.get(row).is_some_and(|at| mentions(view.workspace, *at, needle))
    }

    fn copy(&self, view: &View<'_>) -> Option<(&'static str, String)> {
        let (_, _, answer, _) = view.workspace.answer(self.at()?)?;
        Some(("answer", answer.answer.clone()))
    }

    fn click(&mut self, column: u16, row: u16, open: bool, view: &View<'_>) -> Response {
        let (list, detail) = self.drawn.get();
        if let Some(index) = self.list.row_at(column, row, self.shown.rows.len()).filter(|_| list) {
            self.list.select(index, self.shown.rows.len());
            self.focus = if open { Focus::Detail } else { Focus::List };
            return self.choose(view);
        }
        if detail && self.scroll.contains(column, row) && self.at().is_some() {
            self.focus = Focus::Detail;
            return Response::Done;
        }
        Response::Ignored
    }

    fn typed(&mut self, text: &str, typing: Typing, view: &View<'_>) -> Response {
        text.clone_into(&mut self.filters.text);
        if typing == Typing::GivenUp
            && let Some((before, at)) = self.before_typing.take()
        {
            self.filters.text = before;
            self.derive(at.or(self.current), view);
            return self.choose(view);
        }
        self.filter(view)
    }
}
