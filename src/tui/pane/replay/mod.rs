//! Replay: how did it come to this? One event at a time, with the rows of all stores as they stood after it.

mod ask;
mod draw;
mod rows;
mod steps;

use std::cell::Cell;
use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::{Cursor, Pane, PaneKind, Response, Subject, Typing, View};
use crate::case::Event;
use crate::memory::{History, StoreKind};
use crate::tui::action::Action;
use crate::tui::text::contains;
use crate::tui::widget::list::ListState;
use crate::workspace::Workspace;

use ask::Ask;
use rows::StoreRows;

/// How long Play stays at each event.
const STEP: Duration = Duration::from_millis(400);
/// Events on screen before and after the moment: what comes next matters as much as what came before.
const MARGIN: usize = 3;
/// The events that the governed store is told while somebody waits: more would be felt.
const GOVERNED_EVENTS: usize = 20_000;
/// The most digits of a turn's number.
const DIGITS: usize = 18;

/// What can have the focus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Events,
    Managed,
    Append,
    Governed,
    Chart,
    Ask,
}

impl Part {
    /// The store that it shows.
    fn store(self) -> Option<StoreKind> {
        match self {
            Self::Managed => Some(StoreKind::Managed),
            Self::Append => Some(StoreKind::Append),
            Self::Governed => Some(StoreKind::Governed),
            Self::Events | Self::Chart | Self::Ask => None,
        }
    }

    /// The part that shows a store.
    fn of(kind: StoreKind) -> Self {
        match kind {
            StoreKind::Managed => Self::Managed,
            StoreKind::Append => Self::Append,
            StoreKind::Governed => Self::Governed,
        }
    }
}

/// The Replay pane.
pub struct ReplayPane {
    subject: Option<Subject>,
    /// The moment is the row under the cursor: row 0 is before the first event, row k after k events.
    events: ListState,
    /// One for each store.
    stores: [StoreRows; 3],
    focus: Part,
    /// The digits typed so far.
    number: String,
    playing: bool,
    ask: Option<Ask>,
    /// Whether the turns never fall. They may where a user has several conversations.
    by_turn: bool,
    chart_area: Cell<Rect>,
    ask_area: Cell<Rect>,
}

impl Default for ReplayPane {
    fn default() -> Self {
        Self {
            subject: None,
            events: ListState::with_margin(MARGIN),
            stores: StoreKind::ALL.map(StoreRows::new),
            focus: Part::Events,
            number: String::new(),
            playing: false,
            ask: None,
            by_turn: true,
            chart_area: Cell::default(),
            ask_area: Cell::default(),
        }
    }
}

fn history_of(workspace: &Workspace, subject: Subject) -> Option<&History> {
    match subject {
        Subject::LongReplay => workspace.growth.as_ref().map(|growth| &growth.history),
        Subject::User(user) => workspace.evaluation.histories.get(user),
    }
}

/// Whether a store's rows are there, or are worked out within a frame.
fn can_show(kind: StoreKind, history: &History) -> bool {
    kind != StoreKind::Governed || history.len() <= GOVERNED_EVENTS || history.is_governed_known()
}

fn subjects(workspace: &Workspace) -> Vec<Subject> {
    let long = workspace.growth.is_some().then_some(Subject::LongReplay);
    long.into_iter().chain((0..workspace.evaluation.histories.len()).map(Subject::User)).collect()
}

impl ReplayPane {
    fn history<'a>(&self, view: &View<'a>) -> Option<&'a History> {
        history_of(view.workspace, self.subject?)
    }

    /// The rows of the store with the focus.
    fn focused(&self) -> Option<&StoreRows> {
        self.rows(self.focus.store()?)
    }

    fn focused_mut(&mut self) -> Option<&mut StoreRows> {
        let kind = self.focus.store()?;
        self.stores.iter_mut().find(|rows| rows.kind == kind)
    }

    fn rows(&self, kind: StoreKind) -> Option<&StoreRows> {
        self.stores.iter().find(|rows| rows.kind == kind)
    }

    /// After how many events.
    fn moment(&self) -> usize {
        self.events.selected()
    }

    /// The event that was just applied.
    fn event<'a>(&self, history: &'a History) -> Option<&'a Event> {
        history.events.get(self.moment().checked_sub(1)?)
    }

    /// Looks at a moment of the history in view: everything that depends on it is derived again, here and not while drawing.
    fn look(&mut self, moment: usize, view: &View<'_>) {
        let Some(history) = self.history(view) else { return };
        self.events.select(moment, history.len() + 1);
        let moment = self.moment();
        self.stores.iter_mut().filter(|rows| can_show(rows.kind, history)).for_each(|rows| rows.look(history, moment));
        if let Some(ask) = &mut self.ask {
            ask.look(history, moment, &view.workspace.evaluation);
        }
    }

    /// Looks at a moment and moves the shared cursor there.
    fn go(&mut self, moment: usize, view: &View<'_>) -> Response {
        self.look(moment, view);
        Response::Moved(self.cursor(view))
    }

    fn cursor(&self, view: &View<'_>) -> Cursor {
        Cursor { moment: self.subject.map(|subject| (subject, self.moment())), ..view.cursor }
    }

    /// Shows another history.
    fn show(&mut self, subject: Subject, moment: usize, view: &View<'_>) {
        if self.subject != Some(subject) {
            self.events.rewind();
            self.ask.iter_mut().for_each(Ask::start_over);
        }
        self.subject = Some(subject);
        self.by_turn = history_of(view.workspace, subject)
            .is_some_and(|history| history.events.is_sorted_by_key(|event| event.turn));
        self.look(moment, view);
    }

    /// Where the pane begins: the long replay before its first event; without one, where the cursor's question was asked.
    fn beginning(view: &View<'_>) -> Option<(Subject, usize)> {
        if view.workspace.growth.is_some() {
            return Some((Subject::LongReplay, 0));
        }
        let evaluation = &view.workspace.evaluation;
        match evaluation.asked.get(view.cursor.question) {
            Some(asked) => Some((Subject::User(asked.history), asked.after)),
            None => evaluation.histories.first().map(|history| (Subject::User(0), history.len())),
        }
    }

    fn close_ask(&mut self) {
        self.ask = None;
        if self.focus == Part::Ask {
            self.focus = Part::Events;
        }
    }
}

impl Pane for ReplayPane {
    fn kind(&self) -> PaneKind {
        PaneKind::Replay
    }

    fn enter(&mut self, view: &View<'_>) {
        self.playing = false;
        self.number.clear();
        // The data may be other than before, under the same name.
        self.ask.iter_mut().for_each(Ask::start_over);
        let here = self.subject.map(|subject| (subject, self.moment()));
        let there = |(subject, moment)| history_of(view.workspace, subject).map(|_| (subject, moment));
        let place = view.cursor.moment.and_then(there).or(here.and_then(there)).or_else(|| Self::beginning(view));
        match place {
            Some((subject, moment)) => self.show(subject, moment, view),
            None => self.subject = None,
        }
    }

    fn update(&mut self, action: Action, view: &View<'_>) -> Response {
        let was_playing = std::mem::take(&mut self.playing);
        if action == Action::Last && !self.number.is_empty() {
            return self.go_to_turn(view);
        }
        if action == Action::Open {
            return self.open(view);
        }
        let had_number = !std::mem::take(&mut self.number).is_empty();
        match action {
            Action::StepBack => self.step(false, view),
            Action::StepForward => self.step(true, view),
            Action::ChangeBack => self.change(false, view),
            Action::ChangeForward => self.change(true, view),
            Action::Play => self.play(was_playing, view),
            Action::NextUser => self.user(true, view),
            Action::PreviousUser => self.user(false, view),
            Action::NextPart => self.move_focus(true),
            Action::PreviousPart => self.move_focus(false),
            Action::Ask if self.subject.is_some() => {
                let text = self.ask.as_ref().map(|ask| ask.text.clone()).unwrap_or_default();
                self.typed(&text, Typing::Changed, view);
                Response::Prompt { label: "ask".to_owned(), text }
            }
            Action::Cancel if had_number => Response::Done,
            Action::Cancel if self.ask.is_some() => {
                self.close_ask();
                Response::Done
            }
            _ => self.motion(action, view),
        }
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.draw_all(frame, area, view);
    }

    fn actions(&self, view: &View<'_>) -> Vec<Action> {
        if self.history(view).is_none() {
            return Vec::new();
        }
        let first: &[Action] = match (self.number.is_empty(), &self.ask) {
            (false, _) => {
                let open = self.typed_pane().map(|_| Action::Open);
                return [Some(Action::Last), open, Some(Action::Cancel)].into_iter().flatten().collect();
            }
            (true, Some(_)) => &[Action::Cancel],
            (true, None) => &[],
        };
        let always = [
            Action::StepForward,
            Action::StepBack,
            Action::ChangeForward,
            Action::NextPart,
            Action::Zoom,
            Action::Ask,
            Action::Play,
            Action::NextUser,
            Action::Open,
        ];
        let open = matches!(self.subject, Some(Subject::User(_)));
        let always = always.into_iter().filter(|action| open || *action != Action::Open);
        first.iter().copied().chain(always).collect()
    }

    fn short(&self, action: Action) -> &'static str {
        match action {
            Action::Last if self.takes_number() => "go to turn",
            Action::Open if self.takes_number() => self.typed_pane().map_or("no pane", PaneKind::title),
            _ => action.short(),
        }
    }

    fn cancels(&self, _view: &View<'_>) -> Option<&'static str> {
        if self.takes_number() {
            return Some("drop");
        }
        self.ask.as_ref().map(|_| "close")
    }

    fn takes_number(&self) -> bool {
        !self.number.is_empty()
    }

    fn search(&mut self, needle: &str, forward: bool, from_here: bool, view: &View<'_>) -> Option<Response> {
        let history = self.history(view)?;
        let matches = |text: &str| contains(text, needle);
        let found = match self.focus {
            Part::Managed | Part::Append | Part::Governed => {
                self.focused_mut()?.search(history, forward, from_here, matches)
            }
            Part::Ask => self.ask.as_ref()?.search(forward, from_here, matches),
            Part::Events | Part::Chart => {
                let hit = |row: usize| self.holds(row, needle, view);
                let here = self.moment();
                let found = match from_here && hit(here) {
                    true => Some(here),
                    false => self.events.find(history.len() + 1, forward, hit),
                };
                return found.map(|moment| self.go(moment, view));
            }
        };
        found.then_some(Response::Done)
    }

    fn searched(&self, view: &View<'_>) -> Option<(usize, usize)> {
        match self.focus {
            Part::Managed | Part::Append | Part::Governed => Some(self.focused()?.searched()),
            Part::Events | Part::Chart => Some((self.moment(), self.history(view)?.len() + 1)),
            // It scrolls without a cursor.
            Part::Ask => None,
        }
    }

    fn holds(&self, row: usize, needle: &str, view: &View<'_>) -> bool {
        let Some(history) = self.history(view) else { return false };
        let matches = |text: &str| contains(text, needle);
        match self.focus {
            Part::Managed | Part::Append | Part::Governed => {
                self.focused().is_some_and(|rows| rows.holds(history, row, matches))
            }
            Part::Events | Part::Chart => {
                row.checked_sub(1).and_then(|event| history.events.get(event)).is_some_and(|event| matches(&event.text))
            }
            Part::Ask => false,
        }
    }

    fn copy(&self, view: &View<'_>) -> Option<(&'static str, String)> {
        let history = self.history(view)?;
        match (self.focus, &self.ask) {
            (Part::Ask, Some(ask)) => Some(("blocks", ask.copy(history))),
            (Part::Managed | Part::Append | Part::Governed, _) => Some(("row", self.selected(history)?.text.clone())),
            _ => Some(("event", self.event(history)?.text.clone())),
        }
    }

    fn click(&mut self, column: u16, row: u16, open: bool, view: &View<'_>) -> Response {
        let Some(history) = self.history(view) else { return Response::Ignored };
        self.playing = false;
        let at = Position::new(column, row);
        let response = if self.ask_area.get().contains(at) && self.ask.is_some() {
            self.focus = Part::Ask;
            Response::Done
        } else if self.chart_area.get().contains(at) {
            self.focus = Part::Chart;
            Response::Done
        } else if let Some(kind) = self.stores.iter_mut().find_map(|rows| rows.click(column, row).then_some(rows.kind))
        {
            self.focus = Part::of(kind);
            Response::Done
        } else if let Some(moment) = self.events.row_at(column, row, history.len() + 1) {
            self.focus = Part::Events;
            self.go(moment, view)
        } else {
            return Response::Ignored;
        };
        if open { self.open(view) } else { response }
    }

    fn typed(&mut self, text: &str, typing: Typing, view: &View<'_>) -> Response {
        let Some(history) = self.history(view) else { return Response::Done };
        if typing == Typing::GivenUp || (typing == Typing::Finished && text.trim().is_empty()) {
            self.close_ask();
            return Response::Done;
        }
        let evaluation = &view.workspace.evaluation;
        let moment = self.moment();
        let ask = self.ask.get_or_insert_with(|| {
            let mut ask = Ask::default();
            ask.look(history, moment, evaluation);
            ask
        });
        ask.set_text(text, history, evaluation);
        if self.focus != Part::Events {
            self.focus = Part::Ask;
        }
        Response::Done
    }

    fn digit(&mut self, digit: u8) -> bool {
        self.playing = false;
        if self.subject.is_none() {
            return false;
        }
        if self.number.len() < DIGITS {
            self.number.push(char::from(b'0' + digit.min(9)));
        }
        true
    }

    fn ticking(&self) -> Option<Duration> {
        self.playing.then_some(STEP)
    }

    fn tick(&mut self, view: &View<'_>) -> Response {
        let Some(history) = self.history(view).filter(|_| self.playing) else { return Response::Ignored };
        let response = self.step(true, view);
        self.playing = self.moment() < history.len();
        response
    }
}
