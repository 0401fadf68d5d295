//! Lessons: what earned a standing rule? A curriculum's passes, every lesson that was tried with its report, the policy that
//! came of it, the rule that decides each case, and a rollback rehearsed.

mod draw;
mod facts;
mod keys;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Pane, PaneKind, Response, View};
use crate::bundled;
use crate::governed::RollbackRehearsal;
use crate::governed::curriculum::Curricula;
use crate::tui::action::Action;
use crate::tui::text::contains;
use crate::tui::widget::list::ListState;

use facts::Facts;

/// What can have the focus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    Curve,
    #[default]
    Log,
    Policy,
    Cases,
}

impl Part {
    const ALL: [Self; 4] = [Self::Curve, Self::Log, Self::Policy, Self::Cases];

    fn index(self) -> usize {
        Self::ALL.iter().position(|part| *part == self).unwrap_or(0)
    }
}

/// The Lessons pane.
#[derive(Default)]
pub struct LessonsPane {
    /// The bundled curricula, run when the pane is first seen.
    read: Option<Result<Vec<Facts>, String>>,
    /// The curriculum in view.
    at: usize,
    /// A rollback that is rehearsed: policy and cases are shown as they would be.
    rollback: Option<RollbackRehearsal>,
    /// The cursor of each part.
    lists: [ListState; 4],
    focus: Part,
}

impl LessonsPane {
    fn all(&self) -> &[Facts] {
        match &self.read {
            Some(Ok(all)) => all,
            _ => &[],
        }
    }

    fn facts(&self) -> Option<&Facts> {
        self.all().get(self.at)
    }

    fn list(&self, part: Part) -> Option<&ListState> {
        self.lists.get(part.index())
    }

    fn selected(&self, part: Part) -> usize {
        self.list(part).map_or(0, ListState::selected)
    }

    fn len(&self, part: Part) -> usize {
        let Some(facts) = self.facts() else { return 0 };
        match part {
            Part::Curve => facts.run.curve.len(),
            Part::Log => facts.run.log.len(),
            Part::Policy => facts::rules(self.policy(facts)).len(),
            Part::Cases => facts.cases.len(),
        }
    }

    /// The words of a row, to search and to copy.
    fn words(&self, part: Part, row: usize) -> Option<String> {
        let facts = self.facts()?;
        match part {
            Part::Curve => facts.run.curve.get(row).map(|share| format!("episode {row} {share:.3}")),
            Part::Log => facts.run.log.get(row).map(facts::attempt_words),
            Part::Policy => facts::rules(self.policy(facts)).get(row).map(|rule| format!("{rule} {}", rule.route())),
            Part::Cases => {
                let used = facts.cases.get(row)?;
                let rule = self.policy(facts).rule(&used.case.keywords);
                Some(format!("{} {} by {rule}, {}", used.case.words(), rule.route(), used.uses_in_words()))
            }
        }
    }
}

impl Pane for LessonsPane {
    fn kind(&self) -> PaneKind {
        PaneKind::Lessons
    }

    fn enter(&mut self, _view: &View<'_>) {
        self.read.get_or_insert_with(|| {
            let read = Curricula::load(&bundled::governed()).map_err(|error| error.to_string())?;
            Ok(read.curricula.into_iter().map(Facts::new).collect())
        });
    }

    fn update(&mut self, action: Action, _view: &View<'_>) -> Response {
        self.act(action)
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.draw_all(frame, area, view);
    }

    fn actions(&self, _view: &View<'_>) -> Vec<Action> {
        self.useful()
    }

    fn cancels(&self, _view: &View<'_>) -> Option<&'static str> {
        self.rollback.is_some().then_some("end rehearsal")
    }

    fn search(&mut self, needle: &str, forward: bool, from_here: bool, view: &View<'_>) -> Option<Response> {
        let (here, len) = self.searched(view)?;
        let hit = |row: usize| self.holds(row, needle, view);
        let row = match from_here && hit(here) {
            true => here,
            false => self.list(self.focus)?.find(len, forward, hit)?,
        };
        self.lists.get_mut(self.focus.index())?.select(row, len);
        Some(Response::Done)
    }

    fn searched(&self, _view: &View<'_>) -> Option<(usize, usize)> {
        let len = self.len(self.focus);
        (len > 0).then(|| (self.selected(self.focus), len))
    }

    fn holds(&self, row: usize, needle: &str, _view: &View<'_>) -> bool {
        self.words(self.focus, row).is_some_and(|words| contains(&words, needle))
    }

    fn copy(&self, _view: &View<'_>) -> Option<(&'static str, String)> {
        let what = match self.focus {
            Part::Curve => "episode",
            Part::Log => "attempt",
            Part::Policy => "rule",
            Part::Cases => "case",
        };
        Some((what, self.words(self.focus, self.selected(self.focus))?))
    }

    fn click(&mut self, column: u16, row: u16, open: bool, _view: &View<'_>) -> Response {
        self.clicked(column, row, open)
    }
}
