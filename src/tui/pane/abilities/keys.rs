//! What keys and clicks do in the Abilities pane.

use super::{AbilitiesPane, COLUMNS, Part};
use crate::tui::action::Action;
use crate::tui::pane::{Cursor, PaneKind, Response, Route, View};
use crate::tui::widget::list::ListState;

impl AbilitiesPane {
    pub(super) fn act(&mut self, action: Action, view: &View<'_>) -> Response {
        match action {
            Action::NextSuite => self.other_suite(true),
            Action::PreviousSuite => self.other_suite(false),
            Action::NextBudget => self.other_budget(),
            Action::NextPart | Action::PreviousPart => self.move_focus(action == Action::NextPart),
            Action::Left if self.focus == Part::Systems => self.cell(self.column.saturating_sub(1)),
            Action::Right if self.focus == Part::Systems => self.cell(self.column + 1),
            Action::Open => self.open(view),
            _ => {
                let len = self.len(self.focus);
                if self.list_mut(self.focus).motion(action, len) { Response::Done } else { Response::Ignored }
            }
        }
    }

    fn cell(&mut self, column: usize) -> Response {
        let column = column.min(COLUMNS - 1);
        if column != self.column {
            self.column = column;
            self.probes.rewind();
        }
        Response::Done
    }

    fn other_suite(&mut self, forward: bool) -> Response {
        let Some(Ok(facts)) = &mut self.facts else { return Response::Ignored };
        let len = facts.suites.len();
        if len < 2 {
            return Response::Say("there is no other suite".to_owned());
        }
        if let Err(error) = facts.show((facts.at + if forward { 1 } else { len - 1 }) % len) {
            return Response::Say(error);
        }
        self.probes.rewind();
        Response::Done
    }

    fn other_budget(&mut self) -> Response {
        let Some(Ok(facts)) = &mut self.facts else { return Response::Ignored };
        match facts.next_budget() {
            Ok(Some(_)) => Response::Done,
            Ok(None) => Response::Say("this suite has one budget only".to_owned()),
            Err(error) => Response::Say(error),
        }
    }

    fn move_focus(&mut self, forward: bool) -> Response {
        let step = if forward { 1 } else { Part::ALL.len() - 1 };
        self.focus = Part::ALL.get((self.focus.index() + step) % Part::ALL.len()).copied().unwrap_or_default();
        Response::Done
    }

    /// The probes of a cell, or the questions of a strategy.
    fn open(&mut self, view: &View<'_>) -> Response {
        match self.focus {
            Part::Systems => {
                self.focus = Part::Probes;
                Response::Done
            }
            Part::Probes => Response::Done,
            Part::Layers => match self.layers.strategy(view) {
                Some(strategy) => {
                    Response::Go(Route { pane: PaneKind::Overview, cursor: Cursor { strategy, ..view.cursor } })
                }
                None => Response::Ignored,
            },
        }
    }

    /// The actions that mean something now, the most useful first.
    pub(super) fn useful(&self) -> Vec<Action> {
        let facts = self.facts();
        let suite = facts.and_then(|facts| facts.suite());
        let actions = [
            (self.focus == Part::Systems && facts.is_some(), Action::Right),
            (self.focus != Part::Probes && self.len(self.focus) > 0, Action::Open),
            (facts.is_some_and(|facts| facts.suites.len() > 1), Action::NextSuite),
            (suite.is_some_and(|suite| suite.budgets.len() > 1), Action::NextBudget),
            (true, Action::NextPart),
            (facts.is_some(), Action::Search),
            (true, Action::Zoom),
        ];
        actions.into_iter().filter(|(now, _)| *now).map(|(_, action)| action).collect()
    }

    pub(super) fn clicked(&mut self, column: u16, row: u16, open: bool, view: &View<'_>) -> Response {
        for part in Part::ALL {
            let len = self.len(part);
            let Some(clicked) = self.list(part).row_at(column, row, len) else { continue };
            self.list_mut(part).select(clicked, len);
            self.focus = part;
            if part == Part::Systems
                && let Some(cell) = self.column_at(column)
            {
                self.cell(cell);
            }
            return if open { self.open(view) } else { Response::Done };
        }
        Response::Ignored
    }

    /// Takes all lists off the screen: a part that is not drawn takes no clicks.
    pub(super) fn hide(&self) {
        Part::ALL.into_iter().for_each(|part| ListState::hide(self.list(part)));
    }
}
