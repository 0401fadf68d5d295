//! What keys and clicks do in the Lessons pane.

use super::{LessonsPane, Part, facts};
use crate::governed::{Lesson, Rule};
use crate::tui::action::Action;
use crate::tui::pane::Response;
use crate::tui::widget::list::ListState;

impl LessonsPane {
    pub(super) fn act(&mut self, action: Action) -> Response {
        match action {
            Action::NextCurriculum => self.other(true),
            Action::PreviousCurriculum => self.other(false),
            Action::RollBack => self.roll_back(),
            Action::NextPart | Action::PreviousPart => self.move_focus(action == Action::NextPart),
            Action::Cancel if self.rollback.is_some() => {
                self.end_rehearsal();
                Response::Done
            }
            _ => {
                let len = self.len(self.focus);
                let moved = self.lists.get_mut(self.focus.index()).is_some_and(|list| list.motion(action, len));
                if moved { Response::Done } else { Response::Ignored }
            }
        }
    }

    fn other(&mut self, forward: bool) -> Response {
        let len = self.all().len();
        if len < 2 {
            return Response::Say("there is no other curriculum".to_owned());
        }
        self.at = (self.at + if forward { 1 } else { len - 1 }) % len;
        self.rollback = None;
        self.lists.iter_mut().for_each(ListState::rewind);
        Response::Done
    }

    fn end_rehearsal(&mut self) {
        self.rollback = None;
        self.keep_cursors();
    }

    /// The policy has other rules than before: no cursor may stand beyond its last one.
    fn keep_cursors(&mut self) {
        for part in Part::ALL {
            let (row, len) = (self.selected(part), self.len(part));
            if let Some(list) = self.lists.get_mut(part.index()) {
                list.select(row, len);
            }
        }
    }

    /// The lesson under the cursor: of an attempt, of the policy, or the one that decides a case.
    fn lesson(&self) -> Option<&Lesson> {
        let facts = self.facts()?;
        let row = self.selected(self.focus);
        match self.focus {
            Part::Curve => {
                facts.run.log.iter().find(|tried| tried.promoted && tried.episode == row).map(|tried| &tried.lesson)
            }
            Part::Log => facts.run.log.get(row).map(|attempt| &attempt.lesson),
            Part::Policy => match facts::rules(self.policy(facts)).get(row)? {
                Rule::Lesson(lesson) => Some(lesson),
                _ => None,
            },
            Part::Cases => self.policy(facts).deciding(&facts.cases.get(row)?.case.keywords),
        }
    }

    fn roll_back(&mut self) -> Response {
        if self.rollback.is_some() {
            self.end_rehearsal();
            return Response::Done;
        }
        let Some(facts) = self.facts() else { return Response::Ignored };
        let Some(lesson) = self.lesson() else {
            return Response::Say("there is no lesson under the cursor to roll back".to_owned());
        };
        match facts.named.curriculum.rehearse_rollback(&facts.run.policy, lesson) {
            Some(rehearsal) => {
                self.rollback = Some(rehearsal);
                self.keep_cursors();
                Response::Done
            }
            None => Response::Say("this lesson was blocked: there is nothing to roll back".to_owned()),
        }
    }

    fn move_focus(&mut self, forward: bool) -> Response {
        let step = if forward { 1 } else { Part::ALL.len() - 1 };
        self.focus = Part::ALL.get((self.focus.index() + step) % Part::ALL.len()).copied().unwrap_or_default();
        Response::Done
    }

    /// The actions that mean something now, the most useful first.
    pub(super) fn useful(&self) -> Vec<Action> {
        let some = self.facts().is_some();
        let actions = [
            (self.rollback.is_some(), Action::Cancel),
            (some && self.rollback.is_none() && self.lesson().is_some(), Action::RollBack),
            (self.all().len() > 1, Action::NextCurriculum),
            (self.all().len() > 1, Action::PreviousCurriculum),
            (some, Action::NextPart),
            (some, Action::Search),
            (some, Action::Zoom),
        ];
        actions.into_iter().filter(|(now, _)| *now).map(|(_, action)| action).collect()
    }

    pub(super) fn clicked(&mut self, column: u16, row: u16, open: bool) -> Response {
        for part in Part::ALL {
            let len = self.len(part);
            let Some(list) = self.lists.get_mut(part.index()) else { continue };
            if let Some(clicked) = list.row_at(column, row, len) {
                list.select(clicked, len);
                self.focus = part;
                return if open { self.roll_back() } else { Response::Done };
            }
        }
        Response::Ignored
    }
}
