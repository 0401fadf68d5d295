//! Where Replay goes: from event to event, from change to change, to a turn, to another user, to a question.

use super::{Part, ReplayPane, subjects};
use crate::case::{Event, Op};
use crate::memory::History;
use crate::tui::action::Action;
use crate::tui::pane::{Cursor, PaneKind, Response, Route, Subject, View};

impl ReplayPane {
    pub(super) fn step(&mut self, forward: bool, view: &View<'_>) -> Response {
        let Some(history) = self.history(view) else { return Response::Ignored };
        match (forward, self.moment()) {
            (true, moment) if moment >= history.len() => Response::Say("this is the last event".to_owned()),
            (true, moment) => self.go(moment + 1, view),
            (false, 0) => Response::Say("this is before the first event".to_owned()),
            (false, moment) => self.go(moment - 1, view),
        }
    }

    /// To the next or the previous correct or forget.
    pub(super) fn change(&mut self, forward: bool, view: &View<'_>) -> Response {
        let Some(history) = self.history(view) else { return Response::Ignored };
        let is_change = |event: &Event| event.op != Op::Remember;
        let moment = self.moment();
        let found = if forward {
            history.events.iter().skip(moment).position(is_change).map(|steps| moment + steps + 1)
        } else {
            history.events.iter().take(moment.saturating_sub(1)).rposition(is_change).map(|event| event + 1)
        };
        match found {
            Some(moment) => self.go(moment, view),
            None if forward => Response::Say("no correct or forget comes after this".to_owned()),
            None => Response::Say("no correct or forget came before this".to_owned()),
        }
    }

    /// To the last event whose turn is at most the typed number.
    pub(super) fn go_to_turn(&mut self, view: &View<'_>) -> Response {
        let turn = std::mem::take(&mut self.number).parse().unwrap_or(u64::MAX);
        let Some(history) = self.history(view) else { return Response::Ignored };
        let moment = history.events.iter().rposition(|event| event.turn <= turn).map_or(0, |event| event + 1);
        self.go(moment, view)
    }

    pub(super) fn play(&mut self, was_playing: bool, view: &View<'_>) -> Response {
        let Some(history) = self.history(view) else { return Response::Ignored };
        self.playing = !was_playing && !history.is_empty();
        if self.playing && self.moment() >= history.len() {
            return self.go(0, view);
        }
        Response::Done
    }

    /// The history of the next or the previous user, the long replay among them.
    pub(super) fn user(&mut self, forward: bool, view: &View<'_>) -> Response {
        let all = subjects(view.workspace);
        let at = all.iter().position(|subject| Some(*subject) == self.subject).unwrap_or(0);
        let step = if forward { 1 } else { all.len().saturating_sub(1) };
        match all.get((at + step) % all.len().max(1)) {
            Some(subject) if all.len() > 1 => {
                self.show(*subject, subject.beginning(), view);
                Response::Moved(self.cursor(view))
            }
            _ => Response::Say("there is no other history".to_owned()),
        }
    }

    pub(super) fn parts(&self) -> &'static [Part] {
        match self.ask {
            Some(_) => &[Part::Events, Part::Ask],
            None => &[Part::Events, Part::Managed, Part::Append, Part::Governed, Part::Chart],
        }
    }

    pub(super) fn move_focus(&mut self, forward: bool) -> Response {
        let parts = self.parts();
        let at = parts.iter().position(|part| *part == self.focus).unwrap_or(0);
        let step = if forward { 1 } else { parts.len() - 1 };
        self.focus = parts.get((at + step) % parts.len()).copied().unwrap_or_default();
        if let Some(rows) = self.focused_mut() {
            rows.settle();
        }
        Response::Done
    }

    pub(super) fn motion(&mut self, action: Action, view: &View<'_>) -> Response {
        let Some(history) = self.history(view) else { return Response::Ignored };
        let moved = match self.focus {
            Part::Managed | Part::Append | Part::Governed => self.focused_mut().is_some_and(|rows| rows.motion(action)),
            Part::Ask => self.ask.as_ref().is_some_and(|ask| ask.scroll.motion(action)),
            Part::Events | Part::Chart => {
                return match action {
                    Action::Left => self.step(false, view),
                    Action::Right => self.step(true, view),
                    _ if self.events.motion(action, history.len() + 1) => self.go(self.moment(), view),
                    _ => Response::Ignored,
                };
            }
        };
        if moved { Response::Done } else { Response::Ignored }
    }

    /// The event under the cursor: that of the row, where a store has the focus.
    pub(super) fn selected<'a>(&self, history: &'a History) -> Option<&'a Event> {
        match self.focused() {
            Some(rows) => rows.selected(history).map(|(_, event)| event),
            None => self.event(history),
        }
    }

    /// Opens the first question that is about the event under the cursor, or the pane whose number was typed.
    pub(super) fn open(&mut self, view: &View<'_>) -> Response {
        if !self.number.is_empty() {
            return match self.typed_pane() {
                Some(pane) => {
                    self.number.clear();
                    Response::Go(Route { pane, cursor: view.cursor })
                }
                None => Response::Say(format!("no pane has the number {}", self.number)),
            };
        }
        let Some(event) = self.history(view).and_then(|history| self.selected(history)) else {
            return Response::Say("there is no event here yet".to_owned());
        };
        let Some(Subject::User(user)) = self.subject else {
            return Response::Say("the long replay has no questions of its own: ask one here".to_owned());
        };
        let evaluation = &view.workspace.evaluation;
        let about = |number: usize| {
            let facts = evaluation.question(number).map(|(_, q)| q.required.iter().chain(&q.stale).chain(&q.forgotten));
            facts.is_some_and(|mut facts| facts.any(|fact| fact.is_carried_by(event)))
        };
        let asked = evaluation.asked.iter().enumerate().filter(|(_, asked)| asked.history == user);
        match asked.map(|(number, _)| number).find(|number| about(*number)) {
            Some(question) => {
                let cursor = Cursor { question, answer: None, ..self.cursor(view) };
                Response::Go(Route { pane: PaneKind::Question, cursor })
            }
            None => Response::Say("no question has a fact that these words carry".to_owned()),
        }
    }

    /// The pane that the typed digits name.
    pub(super) fn typed_pane(&self) -> Option<PaneKind> {
        let number: usize = self.number.parse().ok()?;
        PaneKind::ALL.get(number.checked_sub(1)?).copied()
    }
}
