//! What keys and clicks do in the Store pane.

use ratatui::layout::Position;

use super::choose::{Choice, Chooser};
use super::deletion::Deletion;
use super::detail::Detail;
use super::subject::{Subject, subjects};
use super::{Opened, Part, StorePane};
use crate::tui::action::Action;
use crate::tui::pane::{Response, View};
use crate::tui::widget::list::ListState;

impl StorePane {
    pub(super) fn act(&mut self, action: Action, view: &View<'_>) -> Response {
        match action {
            Action::StoreForward | Action::StoreBack => self.step(action == Action::StoreForward, view),
            Action::StoreFirst => self.jump(0, view),
            Action::StoreLast => self.jump(usize::MAX, view),
            Action::NextSubject => self.other_subject(true, view),
            Action::PreviousSubject => self.other_subject(false, view),
            Action::ChooseSubject => self.choose(Choice::Subject, view),
            Action::NextScope => self.next_scope(view),
            Action::ChooseScope => self.choose(Choice::Scope, view),
            Action::Left => self.pointer(false, false),
            Action::Right => self.pointer(true, false),
            Action::PointerBack => self.pointer(false, true),
            Action::PointerForward => self.pointer(true, true),
            Action::StorePointer => {
                self.pointers.swap();
                Response::Done
            }
            Action::StoreAsk if self.facts.scope.is_some() => {
                Response::Prompt { label: "ask".to_owned(), text: self.question.text.clone() }
            }
            Action::StoreAsk => {
                Response::Say("nobody is known to the store yet: there is nobody to ask for".to_owned())
            }
            Action::StoreFilter if self.focus == Part::Log => {
                self.log.next_filter(&self.facts);
                Response::Done
            }
            Action::StoreFilter => {
                self.records.all = !self.records.all;
                self.records.derive(&self.facts, &self.pointers);
                Response::Done
            }
            Action::LogReason => {
                self.log.next_reason(&self.facts);
                Response::Done
            }
            Action::RehearseDeletion => self.rehearse(),
            Action::NextPart => self.move_focus(true),
            Action::PreviousPart => self.move_focus(false),
            Action::Open => self.open_here(view),
            Action::Cancel => self.cancel(),
            _ => self.motion(action, view),
        }
    }

    fn step(&mut self, forward: bool, view: &View<'_>) -> Response {
        if let Some(Opened::Deletion(deletion)) = &mut self.opened {
            return match (deletion.step(forward), forward) {
                (true, _) => Response::Done,
                (false, true) => Response::Say("this is the last step of the deletion".to_owned()),
                (false, false) => Response::Say("this is before the deletion".to_owned()),
            };
        }
        let Some(player) = &self.player else { return Response::Ignored };
        let (at, len) = (player.target(), player.len(&view.workspace.evaluation));
        match (player.subject(), forward) {
            (Subject::File, _) => Response::Say("a file has no steps: it is as it was when it was opened".to_owned()),
            (_, true) if at >= len => Response::Say("this is the last step".to_owned()),
            (_, false) if at == 0 => Response::Say("this is before the first step".to_owned()),
            (_, true) => self.jump(at + 1, view),
            (_, false) => self.jump(at - 1, view),
        }
    }

    fn jump(&mut self, step: usize, view: &View<'_>) -> Response {
        self.close();
        self.go(step, view);
        Response::Moved(self.moment(view))
    }

    fn other_subject(&mut self, forward: bool, view: &View<'_>) -> Response {
        let Some(scenarios) = &self.scenarios else { return Response::Ignored };
        let all = subjects(view.workspace, scenarios);
        let here = self.player.as_ref().map(|player| player.subject());
        let at = all.iter().position(|subject| Some(*subject) == here).unwrap_or(0);
        let step = if forward { 1 } else { all.len().saturating_sub(1) };
        match all.get((at + step) % all.len().max(1)) {
            Some(subject) if all.len() > 1 => self.pick(*subject, view),
            _ => Response::Say("there is no other store".to_owned()),
        }
    }

    /// A subject is shown after all of its steps: what is kept in the end, and then how it came to that.
    fn pick(&mut self, subject: Subject, view: &View<'_>) -> Response {
        self.show(subject, usize::MAX, view);
        Response::Moved(self.moment(view))
    }

    fn choose(&mut self, choice: Choice, view: &View<'_>) -> Response {
        if matches!(&self.opened, Some(Opened::Chooser(chooser)) if chooser.choice == choice) {
            self.close();
            return Response::Done;
        }
        let Some(scenarios) = &self.scenarios else { return Response::Ignored };
        let chooser = match choice {
            Choice::Subject => {
                let here = self.player.as_ref().map(|player| player.subject());
                Chooser::subjects(&subjects(view.workspace, scenarios), here, scenarios, view)
            }
            Choice::Scope if self.facts.scopes.is_empty() => {
                return Response::Say("the store knows nobody yet".to_owned());
            }
            Choice::Scope => Chooser::scopes(&self.facts),
        };
        self.open(Opened::Chooser(Box::new(chooser)));
        Response::Done
    }

    fn next_scope(&mut self, view: &View<'_>) -> Response {
        let scopes = &self.facts.scopes;
        let at = scopes.iter().position(|size| Some(size.scope()) == self.facts.scope);
        let next = at.map_or(0, |at| (at + 1) % scopes.len().max(1));
        match scopes.get(next) {
            Some(size) if Some(size.scope()) != self.facts.scope => {
                self.scope = Some(size.scope());
                self.close();
                self.derive(view);
                Response::Done
            }
            _ => Response::Say("the store knows no other scope".to_owned()),
        }
    }

    fn pointer(&mut self, forward: bool, large: bool) -> Response {
        if matches!(self.opened, Some(Opened::Chooser(_))) {
            return Response::Ignored;
        }
        let instants = self.instants().to_vec();
        if !self.pointers.step(&instants, forward, large) {
            let name = self.pointers.hand.name();
            return Response::Say(match (instants.is_empty(), forward) {
                (true, _) => "there is no time here yet".to_owned(),
                (false, true) => format!("{name} is now"),
                (false, false) => format!("{name} is before everything"),
            });
        }
        self.point();
        Response::Done
    }

    fn rehearse(&mut self) -> Response {
        if matches!(self.opened, Some(Opened::Deletion(_))) {
            self.close();
            return Response::Done;
        }
        let (Some(player), Some(scope)) = (&mut self.player, &self.facts.scope) else {
            return Response::Say("the store knows nobody who could be forgotten".to_owned());
        };
        if player.is_under_way() {
            return Response::Say("the store is still being told its steps".to_owned());
        }
        let text = self.question.text.trim();
        let question = (!text.is_empty()).then_some(text);
        match player.playback_mut().store_mut().rehearse_deletion(scope, question) {
            Ok(rehearsal) => {
                self.open(Opened::Deletion(Box::new(Deletion::new(rehearsal))));
                Response::Done
            }
            Err(error) => Response::Say(error.to_string()),
        }
    }

    pub(super) fn parts(&self) -> Vec<Part> {
        let steps = self.has_steps().then_some(Part::Steps);
        let rest: &[Part] = match self.opened {
            Some(_) => &[Part::Opened],
            None => &[Part::Records, Part::Timeline, Part::Question, Part::Log],
        };
        steps.into_iter().chain(rest.iter().copied()).collect()
    }

    fn move_focus(&mut self, forward: bool) -> Response {
        let parts = self.parts();
        let at = parts.iter().position(|part| *part == self.focus).unwrap_or(0);
        let step = if forward { 1 } else { parts.len().saturating_sub(1) };
        self.focus = parts.get((at + step) % parts.len().max(1)).copied().unwrap_or_default();
        Response::Done
    }

    /// The list that has the focus.
    pub(super) fn list(&mut self) -> Option<&mut ListState> {
        match (self.focus, &mut self.opened) {
            (Part::Opened, Some(Opened::Chooser(chooser))) => Some(&mut chooser.list),
            (Part::Opened, _) | (Part::Question, _) => None,
            (Part::Steps, _) => Some(&mut self.steps),
            (Part::Records, _) => Some(&mut self.records.list),
            (Part::Timeline, _) => Some(&mut self.timeline.list),
            (Part::Log, _) => Some(&mut self.log.list),
        }
    }

    /// The place of the record under the cursor, whichever part has it.
    pub(super) fn selected(&self) -> Option<usize> {
        match self.focus {
            Part::Timeline => self.timeline.selected(&self.facts, &self.pointers),
            Part::Log => {
                let id = self.log.record(&self.facts)?;
                self.facts.history.kept.iter().position(|kept| kept.record.id == id)
            }
            _ => self.records.selected(),
        }
    }

    fn open_here(&mut self, view: &View<'_>) -> Response {
        if let Some(Opened::Chooser(chooser)) = &self.opened {
            let (choice, row) = (chooser.choice, chooser.list.selected());
            self.close();
            return self.chosen(choice, row, view);
        }
        if self.opened.is_some() {
            return Response::Ignored;
        }
        let kept = self.selected().and_then(|place| self.facts.history.kept.get(place)).cloned();
        let Some(kept) = kept else {
            return Response::Say("there is no record under the cursor".to_owned());
        };
        let reader = self.facts.scope.as_ref();
        let lineage = self.player.as_ref().zip(reader);
        let lineage = lineage.map(|(player, reader)| player.playback().store().lineage(&kept.record.id, reader));
        let lineage = match lineage {
            Some(Err(error)) => return Response::Say(error.to_string()),
            Some(Ok(lineage)) => lineage,
            None => None,
        };
        let detail = Detail::new(kept, lineage, &self.facts);
        self.open(Opened::Detail(Box::new(detail)));
        Response::Done
    }

    fn chosen(&mut self, choice: Choice, row: usize, view: &View<'_>) -> Response {
        match choice {
            Choice::Subject => {
                let Some(scenarios) = &self.scenarios else { return Response::Ignored };
                match subjects(view.workspace, scenarios).get(row) {
                    Some(subject) => self.pick(*subject, view),
                    None => Response::Ignored,
                }
            }
            Choice::Scope => {
                if let Some(size) = self.facts.scopes.get(row) {
                    self.scope = Some(size.scope());
                    self.derive(view);
                }
                Response::Done
            }
        }
    }

    /// Closes what is open, or ends the filters of the log, or puts the pointers back to now, or drops the question.
    fn cancel(&mut self) -> Response {
        if self.close() {
            return Response::Done;
        }
        if self.log.is_filtered() {
            self.log.clear_filters(&self.facts);
        } else if self.pointers.as_of.is_some() || self.pointers.known_at.is_some() {
            self.pointers.rewind();
            self.point();
        } else if !self.question.text.is_empty() {
            self.question.text.clear();
            self.point();
        } else {
            return Response::Ignored;
        }
        Response::Done
    }

    fn motion(&mut self, action: Action, view: &View<'_>) -> Response {
        let evaluation = &view.workspace.evaluation;
        let (records, lanes, log) = (self.records.rows.len(), self.timeline.len(), self.log.len());
        let moved = match (self.focus, &mut self.opened) {
            (Part::Opened, Some(Opened::Chooser(chooser))) => {
                let len = chooser.len();
                chooser.list.motion(action, len)
            }
            (Part::Opened, Some(Opened::Detail(detail))) => detail.scroll.motion(action),
            (Part::Opened, Some(Opened::Deletion(deletion))) => deletion.scroll.motion(action),
            (Part::Opened, None) => false,
            (Part::Question, _) => self.question.scroll.motion(action),
            (Part::Records, _) => self.records.list.motion(action, records),
            (Part::Timeline, _) => self.timeline.list.motion(action, lanes),
            (Part::Log, _) => self.log.list.motion(action, log),
            (Part::Steps, _) => {
                let len = self.player.as_ref().map_or(0, |player| player.len(evaluation));
                if !self.steps.motion(action, len + 1) {
                    return Response::Ignored;
                }
                let step = self.steps.selected();
                self.go(step, view);
                return Response::Moved(self.moment(view));
            }
        };
        if moved { Response::Done } else { Response::Ignored }
    }

    /// The actions that mean something now, the most useful first.
    pub(super) fn useful(&self, _view: &View<'_>) -> Vec<Action> {
        if self.player.is_none() {
            return vec![Action::NextSubject, Action::ChooseSubject];
        }
        match &self.opened {
            Some(Opened::Chooser(_)) => return vec![Action::Open, Action::Cancel, Action::Search],
            Some(Opened::Deletion(_)) => {
                return vec![Action::StoreBack, Action::StoreForward, Action::Cancel, Action::NextPart];
            }
            Some(Opened::Detail(_)) => return vec![Action::Cancel, Action::NextPart],
            None => {}
        }
        let log = self.focus == Part::Log;
        let actions = [
            (true, Action::Cancel),
            (self.has_steps(), Action::StoreBack),
            (self.has_steps(), Action::StoreForward),
            (!self.facts.history.kept.is_empty(), Action::Left),
            (!self.facts.history.kept.is_empty(), Action::Right),
            (!self.facts.history.kept.is_empty(), Action::StorePointer),
            (self.facts.scope.is_some(), Action::StoreAsk),
            (log || !self.facts.history.kept.is_empty(), Action::StoreFilter),
            (log, Action::LogReason),
            (self.selected().is_some(), Action::Open),
            (self.facts.scope.is_some(), Action::RehearseDeletion),
            (self.facts.scopes.len() > 1, Action::NextScope),
            (true, Action::ChooseSubject),
            (true, Action::NextSubject),
            (true, Action::NextPart),
            (true, Action::Zoom),
        ];
        actions.into_iter().filter(|(now, _)| *now).map(|(_, action)| action).collect()
    }

    pub(super) fn clicked(&mut self, column: u16, row: u16, open: bool, view: &View<'_>) -> Response {
        let at = Position::new(column, row);
        if self.opened.is_some() && self.opened_area.get().contains(at) {
            self.focus = Part::Opened;
            if let Some(Opened::Chooser(chooser)) = &mut self.opened
                && let Some(clicked) = chooser.list.row_at(column, row, chooser.len())
            {
                let len = chooser.len();
                chooser.list.select(clicked, len);
                return if open { self.open_here(view) } else { Response::Done };
            }
            return Response::Done;
        }
        let len = self.player.as_ref().map_or(0, |player| player.len(&view.workspace.evaluation));
        if let Some(step) = self.steps.row_at(column, row, len + 1).filter(|_| self.has_steps()) {
            self.focus = Part::Steps;
            self.go(step, view);
            return Response::Moved(self.moment(view));
        }
        if self.opened.is_some() {
            return Response::Ignored;
        }
        let (records, lanes, log) = (self.records.rows.len(), self.timeline.len(), self.log.len());
        let lists = [
            (Part::Records, &mut self.records.list, records),
            (Part::Timeline, &mut self.timeline.list, lanes),
            (Part::Log, &mut self.log.list, log),
        ];
        let clicked = lists.into_iter().find_map(|(part, list, len)| {
            let row = list.row_at(column, row, len)?;
            list.select(row, len);
            Some(part)
        });
        if let Some(part) = clicked {
            self.focus = part;
            return if open { self.open_here(view) } else { Response::Done };
        }
        if self.question_area.get().contains(at) {
            self.focus = Part::Question;
            return Response::Done;
        }
        Response::Ignored
    }
}
