//! Compare: which strategy pays? All measures side by side against a baseline, recall against tokens, and the questions on
//! which the selected strategy and the baseline differ.

mod draw;
mod questions;
mod ranking;
mod ranking_draw;
mod table;

use std::cell::{Cell, RefCell};

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::{Cursor, Pane, PaneKind, Response, Route, View};
use crate::compare::{Comparison, Measures};
use crate::tui::action::Action;
use crate::tui::text::contains;
use crate::tui::widget::list::{ListState, ScrollState};
use questions::Columns;
use ranking::RankingView;

/// A part of the pane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    Measures,
    Scatter,
    #[default]
    Questions,
}

impl Part {
    const ALL: [Self; 3] = [Self::Measures, Self::Scatter, Self::Questions];

    fn step(self, by: usize) -> Self {
        let place = Self::ALL.iter().position(|part| *part == self).unwrap_or(0);
        Self::ALL.into_iter().cycle().nth(place + by).unwrap_or_default()
    }
}

/// The Compare pane. The selected strategy is that of the shared cursor.
#[derive(Debug, Default)]
pub struct ComparePane {
    /// The place of the strategy that the others are measured against.
    baseline: usize,
    focus: Part,
    measures: Vec<Measures>,
    /// The strategy to look at while the shared cursor stands on the baseline, where nobody has put it: against itself
    /// there is nothing to see, so the pane opens with another. Nothing once the person has chosen.
    opened_with: Option<usize>,
    entered: bool,
    /// The questions on which the selected strategy and the baseline differ; none where they are the same.
    comparison: Option<Comparison>,
    columns: Columns,
    list: ListState,
    /// The question that the person last went to in the list.
    chosen: Option<usize>,
    /// Where the list has no pair: what each strategy does that the baseline does not.
    overview: ScrollState,
    /// The first strategy drawn beside the baseline. Set while drawing, which alone knows the width.
    first: Cell<usize>,
    /// The ranking measures, which can be shown instead.
    ranking: RankingView,
    /// Where each part is drawn, for clicks; parts that are not have no area.
    areas: [Cell<Rect>; 3],
    /// Where strategies are drawn, for clicks.
    spots: RefCell<Vec<(Rect, usize)>>,
}

impl ComparePane {
    /// The selected strategy, and the baseline, where there are strategies.
    fn pair(&self, cursor: Cursor) -> Option<(usize, usize)> {
        let last = self.measures.len().checked_sub(1)?;
        let baseline = self.baseline.min(last);
        let selected = cursor.strategy.min(last);
        let other = self.opened_with.filter(|other| selected == baseline && *other <= last);
        Some((other.unwrap_or(selected), baseline))
    }

    /// The strategies in the order of the table: the baseline, then the others.
    fn order(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.baseline).chain((0..self.measures.len()).filter(|strategy| *strategy != self.baseline))
    }

    /// Compares again, with the list's cursor on the question of the shared cursor where it is in the list. A shared cursor
    /// that nobody has moved stands on the first question: then the largest difference is the better place to begin.
    fn refresh(&mut self, view: &View<'_>, cursor: Cursor) {
        self.overview.reset();
        self.comparison = self
            .pair(cursor)
            .filter(|(selected, baseline)| selected != baseline)
            .map(|(selected, baseline)| Comparison::of(view.workspace, selected, baseline));
        let differences = self.comparison.as_ref().map_or(&[][..], |comparison| &comparison.differences);
        self.columns = Columns::of(view.workspace, differences);
        let moved = cursor.question != 0 || self.chosen == Some(0);
        let row =
            differences.iter().position(|difference| moved && difference.question == cursor.question).unwrap_or(0);
        let len = differences.len();
        self.list.select(row, len);
        let at = moved.then_some(cursor.question).or(self.chosen);
        self.ranking.derive(view, self.pair(cursor), at);
    }

    /// The list in view.
    fn list(&self) -> &ListState {
        if self.ranking.is_open() { &self.ranking.list } else { &self.list }
    }

    fn list_mut(&mut self) -> &mut ListState {
        if self.ranking.is_open() { &mut self.ranking.list } else { &mut self.list }
    }

    fn len(&self) -> usize {
        if self.ranking.is_open() {
            return self.ranking.flips().len();
        }
        self.comparison.as_ref().map_or(0, |comparison| comparison.differences.len())
    }

    /// The number of the question in a row of the list.
    fn question(&self, row: usize) -> Option<usize> {
        if self.ranking.is_open() {
            return self.ranking.flips().get(row).map(|flip| flip.question);
        }
        Some(self.comparison.as_ref()?.differences.get(row)?.question)
    }

    fn select_strategy(&mut self, strategy: usize, view: &View<'_>) -> Response {
        if self.pair(view.cursor).is_none_or(|(selected, _)| selected == strategy) {
            return Response::Done;
        }
        self.opened_with = None;
        let cursor = Cursor { strategy, answer: None, ..view.cursor };
        self.refresh(view, cursor);
        Response::Moved(cursor)
    }

    /// Moves among the strategies, in the order of the table.
    fn step_strategy(&mut self, right: bool, view: &View<'_>) -> Response {
        let Some((selected, _)) = self.pair(view.cursor) else { return Response::Ignored };
        let order: Vec<usize> = self.order().collect();
        let place = order.iter().position(|strategy| *strategy == selected).unwrap_or(0);
        let next = if right { place + 1 } else { place.saturating_sub(1) };
        let strategy = order.get(next).copied().unwrap_or(selected);
        self.select_strategy(strategy, view)
    }

    /// Makes the next strategy the baseline. The selected one is passed over: against itself there is nothing to see.
    fn next_baseline(&mut self, view: &View<'_>) -> Response {
        let Some((selected, baseline)) = self.pair(view.cursor) else { return Response::Ignored };
        let count = self.measures.len();
        let next = (1..count).map(|step| (baseline + step) % count).find(|next| *next != selected);
        match next {
            Some(next) => {
                self.baseline = next;
                self.first.set(0);
                Response::Moved(self.settle(selected, view.cursor, view))
            }
            None => Response::Say("there is no other strategy to measure against".to_owned()),
        }
    }

    /// Puts the shared cursor on the strategy that is on screen, and compares again.
    fn settle(&mut self, strategy: usize, cursor: Cursor, view: &View<'_>) -> Cursor {
        self.opened_with = None;
        let answer = cursor.answer.filter(|_| strategy == cursor.strategy);
        let cursor = Cursor { strategy, answer, ..cursor };
        self.refresh(view, cursor);
        cursor
    }

    /// The shared cursor goes where the list's is.
    fn moved(&mut self, view: &View<'_>) -> Response {
        self.chosen = self.question(self.list().selected());
        let selected = self.pair(view.cursor).map_or(view.cursor.strategy, |(selected, _)| selected);
        match self.chosen {
            Some(question) if (question, selected) != (view.cursor.question, view.cursor.strategy) => {
                self.opened_with = None;
                Response::Moved(Cursor { question, strategy: selected, answer: None, ..view.cursor })
            }
            _ => Response::Done,
        }
    }

    fn motion(&mut self, action: Action, view: &View<'_>) -> Response {
        match self.focus {
            Part::Questions if self.comparison.is_some() => {
                let len = self.len();
                if self.list_mut().motion(action, len) { self.moved(view) } else { Response::Ignored }
            }
            Part::Questions => {
                if self.overview.motion(action) {
                    Response::Done
                } else {
                    Response::Ignored
                }
            }
            Part::Measures => self.jump(action, self.order().collect(), view),
            Part::Scatter => self.jump(action, (0..self.measures.len()).collect(), view),
        }
    }

    /// Up and down go through the strategies too where no list has the focus.
    fn jump(&mut self, action: Action, order: Vec<usize>, view: &View<'_>) -> Response {
        let Some((selected, _)) = self.pair(view.cursor) else { return Response::Ignored };
        let place = order.iter().position(|strategy| *strategy == selected).unwrap_or(0);
        let next = match action {
            Action::Up => place.saturating_sub(1),
            Action::Down => place + 1,
            Action::First | Action::PageUp => 0,
            Action::Last | Action::PageDown => usize::MAX,
            _ => return Response::Ignored,
        };
        match order.get(next.min(order.len().saturating_sub(1))) {
            Some(&strategy) => self.select_strategy(strategy, view),
            None => Response::Ignored,
        }
    }

    fn open(&mut self, view: &View<'_>) -> Response {
        if self.focus != Part::Questions {
            self.focus = Part::Questions;
            return Response::Done;
        }
        let strategy = self.comparison.as_ref().map(|comparison| comparison.selected);
        match (self.question(self.list().selected()), strategy) {
            (Some(question), Some(strategy)) => {
                self.chosen = Some(question);
                let answer = view.cursor.answer.filter(|_| question == view.cursor.question);
                let cursor = Cursor { question, strategy, answer, ..view.cursor };
                Response::Go(Route { pane: PaneKind::Question, cursor })
            }
            _ => Response::Ignored,
        }
    }
}

impl Pane for ComparePane {
    fn kind(&self) -> PaneKind {
        PaneKind::Compare
    }

    fn enter(&mut self, view: &View<'_>) {
        self.measures = Measures::all(view.workspace);
        self.baseline = self.baseline.min(self.measures.len().saturating_sub(1));
        let on_baseline = view.cursor.strategy == self.baseline;
        if !std::mem::replace(&mut self.entered, true) && on_baseline {
            self.opened_with = (0..self.measures.len()).find(|strategy| *strategy != self.baseline);
        } else if !on_baseline {
            self.opened_with = None;
        }
        self.refresh(view, view.cursor);
    }

    fn update(&mut self, action: Action, view: &View<'_>) -> Response {
        if let Some(response) = self.update_ranking(action, view) {
            return response;
        }
        match action {
            Action::NextBaseline => self.next_baseline(view),
            Action::Left => self.step_strategy(false, view),
            Action::Right => self.step_strategy(true, view),
            Action::NextPart => {
                self.focus = self.focus.step(1);
                Response::Done
            }
            Action::PreviousPart => {
                self.focus = self.focus.step(Part::ALL.len() - 1);
                Response::Done
            }
            Action::Open => self.open(view),
            _ => self.motion(action, view),
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        if self.ranking.is_open() {
            ranking_draw::draw(self, frame, area, view);
        } else {
            draw::draw(self, frame, area, view);
        }
    }

    fn actions(&self, view: &View<'_>) -> Vec<Action> {
        if self.ranking.is_open() {
            return self.ranking_actions(view);
        }
        let mut actions = Vec::new();
        if self.measures.len() > 1 {
            actions.extend([Action::Left, Action::Right, Action::NextBaseline]);
        }
        if !self.measures.is_empty() {
            actions.push(Action::ShowRanking);
        }
        if self.measures.len() > 1 {
            actions.extend([Action::NextPart, Action::Zoom]);
        }
        if self.len() > 0 {
            actions.insert(0, Action::Open);
        }
        actions
    }

    fn short(&self, action: Action) -> &'static str {
        match action {
            Action::Left | Action::Right => "strategy",
            Action::ShowRanking if self.ranking.is_open() => "blocks",
            Action::FlippedBy => self.ranking.other_test(),
            _ => action.short(),
        }
    }

    fn cancels(&self, view: &View<'_>) -> Option<&'static str> {
        self.ranking.is_open().then(|| if view.ranked.percent().is_some() { "stop" } else { "to the blocks" })
    }

    fn search(&mut self, needle: &str, forward: bool, from_here: bool, view: &View<'_>) -> Option<Response> {
        let matches = |row: usize| self.holds(row, needle, view);
        let here = self.list().selected();
        let row = if from_here && matches(here) { here } else { self.list().find(self.len(), forward, matches)? };
        let len = self.len();
        self.focus = Part::Questions;
        self.list_mut().select(row, len);
        Some(self.moved(view))
    }

    fn searched(&self, _view: &View<'_>) -> Option<(usize, usize)> {
        Some((self.list().selected(), self.len()))
    }

    fn holds(&self, row: usize, needle: &str, view: &View<'_>) -> bool {
        let question = self.question(row).and_then(|number| view.workspace.evaluation.question(number));
        question.is_some_and(|(_, question)| contains(&question.question, needle))
    }

    fn copy(&self, view: &View<'_>) -> Option<(&'static str, String)> {
        let (_, question) = view.workspace.evaluation.question(self.question(self.list().selected())?)?;
        Some(("question", question.question.clone()))
    }

    fn click(&mut self, column: u16, row: u16, open: bool, view: &View<'_>) -> Response {
        let at = Position::new(column, row);
        let Some(part) = Part::ALL.into_iter().zip(&self.areas).find(|(_, area)| area.get().contains(at)) else {
            return Response::Ignored;
        };
        self.focus = part.0;
        let spot = self.spots.borrow().iter().find(|(area, _)| area.contains(at)).map(|(_, strategy)| *strategy);
        if let Some(strategy) = spot {
            return self.select_strategy(strategy, view);
        }
        let len = self.len();
        match self.list().row_at(column, row, len) {
            Some(row) if part.0 == Part::Questions => {
                self.list_mut().select(row, len);
                if open { self.open(view) } else { self.moved(view) }
            }
            _ => Response::Done,
        }
    }
}
