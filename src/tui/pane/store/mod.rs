//! Store: what is kept, and why? A governed store after each of its steps: its records, each key's versions over time at two
//! movable clocks, any question's answer there, every decision, and a deletion rehearsed.

mod choose;
mod clocks;
mod deletion;
mod detail;
mod draw;
mod facts;
mod keys;
mod log;
mod looks;
mod question;
mod records;
mod steps;
mod subject;
mod timeline;

use std::cell::Cell;
use std::sync::{Arc, Weak};
use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Cursor, Pane, PaneKind, Response, Subject as Moment, Typing, View};
use crate::evaluate::Evaluation;
use crate::governed::Scope;
use crate::governed::scenario::Scenarios;
use crate::tui::action::Action;
use crate::tui::text::contains;
use crate::tui::widget::list::ListState;

use choose::Chooser;
use clocks::{Hand, Pointers};
use deletion::Deletion;
use detail::Detail;
use facts::Facts;
use log::Log;
use question::Question;
pub(super) use question::reading_lines;
use records::Records;
use subject::{Player, Subject};
use timeline::Timeline;

/// How long the screen waits before more of the steps are run.
const BREATH: Duration = Duration::from_millis(1);
/// Steps on screen before and after the one just done.
const MARGIN: usize = 2;

/// What can have the focus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    Steps,
    #[default]
    Records,
    Timeline,
    Question,
    Log,
    Opened,
}

/// What is open in place of the other parts.
enum Opened {
    Detail(Box<Detail>),
    Deletion(Box<Deletion>),
    Chooser(Box<Chooser>),
}

/// The Store pane.
pub struct StorePane {
    /// What is open in the workspace: other data makes other stores.
    seen: Weak<Evaluation>,
    scenarios: Option<Arc<Scenarios>>,
    player: Option<Player>,
    failure: Option<String>,
    /// The moment of Replay that was followed last.
    followed: Option<(Moment, usize)>,
    /// The row under the cursor is the step just done; row 0 is before the first one.
    steps: ListState,
    /// The scope that the person chose, as long as the subject stays.
    scope: Option<Scope>,
    facts: Facts,
    pointers: Pointers,
    records: Records,
    timeline: Timeline,
    question: Question,
    log: Log,
    opened: Option<Opened>,
    focus: Part,
    /// Where the focus was before something was opened.
    before: Part,
    question_area: Cell<Rect>,
    opened_area: Cell<Rect>,
}

impl Default for StorePane {
    fn default() -> Self {
        Self {
            seen: Weak::new(),
            scenarios: None,
            player: None,
            failure: None,
            followed: None,
            steps: ListState::with_margin(MARGIN),
            scope: None,
            facts: Facts::default(),
            pointers: Pointers::default(),
            records: Records::default(),
            timeline: Timeline::default(),
            question: Question::default(),
            log: Log::default(),
            opened: None,
            focus: Part::default(),
            before: Part::default(),
            question_area: Cell::default(),
            opened_area: Cell::default(),
        }
    }
}

impl StorePane {
    /// Shows another subject, after so many of its steps.
    fn show(&mut self, subject: Subject, step: usize, view: &View<'_>) {
        let Some(scenarios) = self.scenarios.clone() else { return };
        self.pointers.rewind();
        self.scope = None;
        self.close();
        self.steps.rewind();
        self.failure = None;
        match Player::new(subject, scenarios, view.workspace) {
            Ok(player) => self.player = Some(player),
            Err(error) => {
                self.player = None;
                self.failure = Some(error);
            }
        }
        if subject == Subject::File && self.focus == Part::Steps {
            self.focus = Part::Records;
        }
        self.go(step, view);
    }

    /// Goes to where so many steps are done.
    fn go(&mut self, step: usize, view: &View<'_>) {
        let evaluation = &view.workspace.evaluation;
        if let Some(player) = &mut self.player {
            player.go(step, evaluation);
            self.steps.select(player.target(), player.len(evaluation) + 1);
        }
        self.derive(view);
    }

    /// Derives everything that the store's state says.
    fn derive(&mut self, view: &View<'_>) {
        let Some(player) = &self.player else {
            self.facts = Facts::default();
            return self.point();
        };
        // While steps are still run, what is half way is not worth looking at.
        if player.is_under_way() {
            return;
        }
        let evaluation = &view.workspace.evaluation;
        // Without a choice, the scope that the steps are about: the last one done, or else the first to come.
        let about = || {
            let len = player.len(evaluation);
            let done = (0..player.at()).rev().take(64);
            done.chain((player.at()..len).take(64)).find_map(|step| player.scope_of(step, evaluation))
        };
        let wanted = self.scope.clone().or_else(about);
        self.facts = Facts::read(player.playback().store(), wanted.as_ref());
        self.log.derive(&self.facts);
        self.point();
    }

    /// Derives what the pointers change.
    fn point(&mut self) {
        self.records.derive(&self.facts, &self.pointers);
        self.timeline.derive(&self.facts, &self.pointers);
        if let Some(player) = &self.player {
            self.question.derive(player.playback().store(), &self.facts, &self.pointers);
        }
    }

    /// The instants that the active pointer goes along.
    fn instants(&self) -> &[i64] {
        match self.pointers.hand {
            Hand::AsOf => &self.facts.valid,
            Hand::KnownAt => &self.facts.known,
        }
    }

    fn open(&mut self, opened: Opened) {
        if self.focus != Part::Opened {
            self.before = self.focus;
        }
        self.opened = Some(opened);
        self.focus = Part::Opened;
    }

    /// Closes what is open. Returns whether something was.
    fn close(&mut self) -> bool {
        let was = self.opened.take().is_some();
        if self.focus == Part::Opened {
            self.focus = self.before;
        }
        was
    }

    fn has_steps(&self) -> bool {
        self.player.as_ref().is_some_and(|player| player.subject() != Subject::File)
    }

    /// The shared cursor, at the moment of the user in view.
    fn moment(&self, view: &View<'_>) -> Cursor {
        match self.player.as_ref().map(|player| (player.subject(), player.target())) {
            Some((Subject::User(user), step)) => Cursor { moment: Some((Moment::User(user), step)), ..view.cursor },
            _ => view.cursor,
        }
    }

    /// The subject to begin with: the file that was named; else the user whose question is under the cursor, after all was
    /// said; else the first scenario.
    fn beginning(view: &View<'_>) -> (Subject, usize) {
        let evaluation = &view.workspace.evaluation;
        let asked = evaluation.asked.get(view.cursor.question).map(|asked| asked.history);
        let user = asked.or((!evaluation.histories.is_empty()).then_some(0));
        match (view.workspace.memory.is_some(), user) {
            (true, _) => (Subject::File, 0),
            (false, Some(user)) => (Subject::User(user), usize::MAX),
            (false, None) => (Subject::Scenario(0), usize::MAX),
        }
    }
}

impl Pane for StorePane {
    fn kind(&self) -> PaneKind {
        PaneKind::Store
    }

    fn enter(&mut self, view: &View<'_>) {
        if self.scenarios.is_none() {
            match subject::scenarios() {
                Ok(scenarios) => self.scenarios = Some(Arc::new(scenarios)),
                Err(error) => return self.failure = Some(error),
            }
        }
        let evaluation = &view.workspace.evaluation;
        let same = std::ptr::eq(self.seen.as_ptr(), Arc::as_ptr(evaluation));
        let followed = view.cursor.moment.filter(|moment| self.followed != Some(*moment));
        let user = |(moment, step)| match moment {
            Moment::User(user) if user < evaluation.histories.len() => Some((Subject::User(user), step)),
            _ => None,
        };
        if !same || self.player.is_none() {
            self.seen = Arc::downgrade(evaluation);
            let (subject, step) = match view.workspace.memory.is_some() {
                true => Self::beginning(view),
                false => followed.and_then(user).unwrap_or_else(|| Self::beginning(view)),
            };
            self.show(subject, step, view);
        } else if let Some((subject, step)) = followed.and_then(user) {
            match &self.player {
                Some(player) if player.subject() == subject => self.go(step, view),
                _ => self.show(subject, step, view),
            }
        }
        self.followed = view.cursor.moment;
    }

    fn update(&mut self, action: Action, view: &View<'_>) -> Response {
        let response = self.act(action, view);
        if let Response::Moved(cursor) = &response {
            self.followed = cursor.moment;
        }
        response
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.draw_all(frame, area, view);
    }

    fn actions(&self, view: &View<'_>) -> Vec<Action> {
        self.useful(view)
    }

    fn short(&self, action: Action) -> &'static str {
        match (action, &self.opened) {
            (Action::Left | Action::Right, _) => self.pointers.hand.name(),
            (Action::StorePointer, _) if self.pointers.hand == Hand::AsOf => "move known at",
            (Action::StorePointer, _) => "move as of",
            (Action::StoreFilter, _) if self.focus == Part::Log => "which decisions",
            (Action::StoreFilter, _) if self.records.all => "current only",
            (Action::StoreFilter, _) => "all records",
            (Action::Open, Some(Opened::Chooser(_))) => "choose",
            (Action::Open, _) => "details",
            _ => action.short(),
        }
    }

    fn cancels(&self, _view: &View<'_>) -> Option<&'static str> {
        if self.opened.is_some() {
            Some("close")
        } else if self.log.is_filtered() {
            Some("all decisions")
        } else if self.pointers.as_of.is_some() || self.pointers.known_at.is_some() {
            Some("to now")
        } else if !self.question.text.is_empty() {
            Some("drop question")
        } else {
            None
        }
    }

    fn search(&mut self, needle: &str, forward: bool, from_here: bool, view: &View<'_>) -> Option<Response> {
        let (here, len) = self.searched(view)?;
        let hit = |row: usize| self.holds(row, needle, view);
        let found = if from_here && hit(here) {
            Some(here)
        } else {
            let step = |by: usize| if forward { (here + by) % len.max(1) } else { (here + len - by) % len.max(1) };
            (1..=len).map(step).find(|row| hit(*row))
        };
        let row = found?;
        if self.focus == Part::Steps {
            self.go(row, view);
            return Some(Response::Moved(self.moment(view)));
        }
        if let Some(list) = self.list() {
            list.select(row, len);
        }
        Some(Response::Done)
    }

    fn searched(&self, view: &View<'_>) -> Option<(usize, usize)> {
        Some(match (self.focus, &self.opened) {
            (Part::Opened, Some(Opened::Chooser(chooser))) => (chooser.list.selected(), chooser.len()),
            (Part::Opened, _) | (Part::Question, _) => return None,
            (Part::Steps, _) => (self.steps.selected(), self.player.as_ref()?.len(&view.workspace.evaluation) + 1),
            (Part::Records, _) => (self.records.list.selected(), self.records.rows.len()),
            (Part::Timeline, _) => (self.timeline.list.selected(), self.timeline.len()),
            (Part::Log, _) => (self.log.list.selected(), self.log.len()),
        })
    }

    fn holds(&self, row: usize, needle: &str, view: &View<'_>) -> bool {
        let holds = |text: Option<String>| text.is_some_and(|text| contains(&text, needle));
        match (self.focus, &self.opened) {
            (Part::Opened, Some(Opened::Chooser(chooser))) => holds(chooser.words(row)),
            (Part::Opened, _) | (Part::Question, _) => false,
            (Part::Steps, _) => holds(row.checked_sub(1).and_then(|step| self.step_words(step, view))),
            (Part::Records, _) => {
                let kept = self.records.rows.get(row).and_then(|place| self.facts.history.kept.get(*place));
                holds(kept.map(|kept| format!("{} {}", looks::fact(&kept.record), kept.record.id)))
            }
            (Part::Timeline, _) => holds(self.timeline.key(row).map(str::to_owned)),
            (Part::Log, _) => holds(self.log.words(row, &self.facts)),
        }
    }

    fn copy(&self, view: &View<'_>) -> Option<(&'static str, String)> {
        match (self.focus, &self.opened) {
            (Part::Opened, Some(Opened::Detail(detail))) => Some(("record", detail.copy())),
            (Part::Opened, Some(Opened::Deletion(deletion))) => Some(("manifest", deletion.copy())),
            (Part::Opened, Some(Opened::Chooser(chooser))) => Some(("row", chooser.words(chooser.list.selected())?)),
            (Part::Steps, _) => {
                let step = self.steps.selected().checked_sub(1)?;
                Some(("step", self.step_words(step, view)?))
            }
            (Part::Question, _) => Some(("answer", self.question.copy()?)),
            (Part::Log, _) => Some(("decision", self.log.words(self.log.list.selected(), &self.facts)?)),
            _ => {
                let kept = self.facts.history.kept.get(self.selected()?)?;
                Some(("record", kept.record.value.clone().unwrap_or_else(|| kept.record.id.clone())))
            }
        }
    }

    fn click(&mut self, column: u16, row: u16, open: bool, view: &View<'_>) -> Response {
        self.clicked(column, row, open, view)
    }

    fn typed(&mut self, text: &str, typing: Typing, _view: &View<'_>) -> Response {
        let text = if typing == Typing::GivenUp { "" } else { text };
        text.clone_into(&mut self.question.text);
        self.question.scroll.reset();
        if let Some(player) = &self.player {
            self.question.derive(player.playback().store(), &self.facts, &self.pointers);
        }
        match (typing, self.focus) {
            (Typing::GivenUp, Part::Question) => self.focus = Part::Records,
            (Typing::GivenUp, _) => {}
            _ => self.focus = Part::Question,
        }
        Response::Done
    }

    fn ticking(&self) -> Option<Duration> {
        self.player.as_ref().filter(|player| player.is_under_way()).map(|_| BREATH)
    }

    fn tick(&mut self, view: &View<'_>) -> Response {
        if let Some(player) = &mut self.player {
            player.advance(&view.workspace.evaluation);
        }
        self.derive(view);
        Response::Done
    }
}
