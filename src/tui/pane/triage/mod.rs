//! Triage: is the key at fault? A queue of questions, the most doubtful key first, made for deciding quickly.

mod detail;
mod draw;
mod edit;

use std::collections::HashSet;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Cursor, Pane, PaneKind, Response, Route, Typing, View};
use crate::triage::{AnswerChoice, Decision, DecisionVerdict, Proposal, Subject, SubjectKind};
use crate::tui::action::Action;
use crate::tui::text::contains;
use crate::tui::widget::list::ListState;
use detail::{Detail, Kind};
use edit::Editor;

/// Which part has the focus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Focus {
    #[default]
    Queue,
    Detail,
}

/// What the line being typed is for.
enum Pending {
    /// The reason of a decision.
    Reason {
        verdict: DecisionVerdict,
        answers: Option<AnswerChoice>,
        patterns: Vec<(String, String)>,
        published: Option<String>,
    },
    /// A pattern of the key.
    Pattern,
    /// What the published answer should say.
    Published,
    /// The event of a repaired case.
    Repair,
}

/// The Triage pane.
#[derive(Default)]
pub struct TriagePane {
    focus: Focus,
    undecided_only: bool,
    /// Numbers of the questions in the queue.
    rows: Vec<usize>,
    queue: ListState,
    /// Questions that were under the cursor.
    looked: HashSet<usize>,
    /// Questions with a decision that stands.
    decided: HashSet<usize>,
    detail: Detail,
    pending: Option<Pending>,
    editor: Option<Editor>,
}

impl TriagePane {
    /// The question under the cursor.
    pub fn question(&self) -> Option<usize> {
        self.rows.get(self.queue.selected()).copied()
    }

    /// Derives the queue again, with the cursor on the shared question where it is there.
    fn derive(&mut self, view: &View<'_>) {
        let Some(diagnosis) = view.diagnosis else { return };
        let begins = self.rows.is_empty() && view.cursor == Cursor::default();
        let numbers = diagnosis.suspects().iter().map(|audited| audited.number);
        self.decided = numbers.filter(|question| is_decided(*question, view)).collect();
        self.rows = diagnosis
            .suspects()
            .iter()
            .map(|audited| audited.number)
            .filter(|question| !self.undecided_only || !self.decided.contains(question))
            .collect();
        // Who begins here begins at the head of the queue.
        let row =
            if begins { Some(0) } else { self.rows.iter().position(|question| *question == view.cursor.question) };
        self.queue.select(row.unwrap_or(self.queue.selected()), self.rows.len());
        self.look(view);
    }

    /// Derives the detail of the question under the cursor.
    fn look(&mut self, view: &View<'_>) -> Cursor {
        let question = self.question().unwrap_or(view.cursor.question);
        self.looked.insert(question);
        let cursor = if question == view.cursor.question {
            view.cursor
        } else {
            Cursor { question, answer: None, ..view.cursor }
        };
        self.detail = Detail::of(&View { cursor, ..*view });
        cursor
    }

    fn step(&mut self, forward: bool, view: &View<'_>) -> Response {
        let row = self.queue.selected();
        let next = if forward { row + 1 } else { row.saturating_sub(1) };
        self.queue.select(next, self.rows.len());
        Response::Moved(self.look(view))
    }

    /// The verdict that an action stands for.
    fn verdict(action: Action) -> Option<DecisionVerdict> {
        Some(match action {
            Action::KeyWrong => DecisionVerdict::KeyWrong,
            Action::KeyTooNarrow => DecisionVerdict::KeyTooNarrow,
            Action::KeyTooWide => DecisionVerdict::KeyTooWide,
            Action::WrongPremise => DecisionVerdict::WrongPremise,
            Action::Ambiguous => DecisionVerdict::Ambiguous,
            Action::EvidenceWrong => DecisionVerdict::EvidenceWrong,
            Action::AnswerRight => DecisionVerdict::AnswerRight,
            Action::AnswerWrong => DecisionVerdict::AnswerWrong,
            Action::KeyRight => DecisionVerdict::KeyRight,
            _ => return None,
        })
    }

    /// Asks for the reason of a decision.
    fn ask_reason(&mut self, verdict: DecisionVerdict, patterns: Vec<(String, String)>) -> Response {
        let answers = (verdict.subject() == SubjectKind::Answer).then(|| match self.detail.kind() {
            Some(Kind::Answers(text)) if self.focus == Focus::Detail => AnswerChoice::Text(text.clone()),
            _ => AnswerChoice::All,
        });
        let label = match &answers {
            Some(AnswerChoice::All) => format!("{} (every answer), because", verdict.name()),
            _ => format!("{}, because", verdict.name()),
        };
        self.pending = Some(Pending::Reason { verdict, answers, patterns, published: None });
        Response::Prompt { label, text: String::new() }
    }

    /// Takes the last decision about the question back.
    fn undo(&self, view: &View<'_>) -> Response {
        let last = self.question().and_then(|question| decisions(question, view).last().copied());
        let Some(decision) = last else { return Response::Say("nothing was decided about this question".to_owned()) };
        let answers = decision.subject.answers().map(|selector| match (&selector.strategy, selector.seed) {
            (Some(strategy), Some(seed)) => AnswerChoice::Seed(strategy.clone(), seed),
            (Some(strategy), None) => AnswerChoice::Strategy(strategy.clone()),
            (None, _) => AnswerChoice::Text(selector.text.clone()),
        });
        Response::Decide(Box::new(Proposal {
            question: decision.question.clone(),
            verdict: decision.verdict,
            reason: "withdrawn in the explorer".to_owned(),
            author: decision.author.clone(),
            answers,
            patterns: Vec::new(),
            published: None,
            evidence: Vec::new(),
            withdraw: true,
        }))
    }

    fn start_edit(&mut self, view: &View<'_>) -> Response {
        let Some(diagnosis) = view.diagnosis else { return Response::Ignored };
        let Some(question) = self.question() else { return Response::Ignored };
        let wanted = match self.detail.kind() {
            Some(Kind::Pattern(name)) if self.focus == Focus::Detail => Some(name.clone()),
            _ => None,
        };
        match Editor::open(view.workspace, &diagnosis.standing, question, wanted) {
            Some(editor) => {
                let (label, text) = (format!("pattern {}", editor.name), editor.text.clone());
                self.editor = Some(editor);
                self.pending = Some(Pending::Pattern);
                Response::Prompt { label, text }
            }
            None => Response::Say("this question has no key to edit".to_owned()),
        }
    }

    /// Asks for the published answer as it should be.
    fn start_published(&mut self, view: &View<'_>) -> Response {
        let found =
            self.question().and_then(|question| Some((question, view.workspace.evaluation.question(question)?.1)));
        let Some((number, asked)) = found else { return Response::Ignored };
        let corrected = view.diagnosis.and_then(|diagnosis| diagnosis.standing.corrected_answer(number));
        let text = corrected.map(|(_, text)| text.to_owned()).or_else(|| asked.answer.clone()).unwrap_or_default();
        self.pending = Some(Pending::Published);
        Response::Prompt { label: "published answer".to_owned(), text }
    }

    /// What was typed as the published answer: asks for the reason next.
    fn typed_published(&mut self, question: usize, text: &str, view: &View<'_>) -> Response {
        let published = view.workspace.evaluation.question(question).and_then(|(_, asked)| asked.answer.as_deref());
        if text.trim().is_empty() || published.is_some_and(|published| published.trim() == text.trim()) {
            return Response::Say("the published answer is as it was".to_owned());
        }
        let response = self.ask_reason(DecisionVerdict::KeyWrong, Vec::new());
        if let Some(Pending::Reason { published, .. }) = &mut self.pending {
            *published = Some(text.trim().to_owned());
        }
        response
    }

    fn typed_pattern(&mut self, text: &str, typing: Typing) -> Response {
        let Some(editor) = &mut self.editor else { return Response::Ignored };
        match typing {
            Typing::Changed => {
                editor.change(text);
                self.pending = Some(Pending::Pattern);
                Response::Done
            }
            Typing::GivenUp => {
                self.editor = None;
                Response::Done
            }
            Typing::Finished => {
                let verdict = editor.verdict();
                let finished = self.editor.take().map(|editor| (editor.error.is_some(), editor.name.clone()));
                match (finished, verdict) {
                    (Some((true, _)), _) => {
                        Response::Say("the pattern is no regular expression: nothing was kept".to_owned())
                    }
                    (Some((false, name)), Some(verdict)) => self.ask_reason(verdict, vec![(name, text.to_owned())]),
                    _ => Response::Say("the pattern is as it was".to_owned()),
                }
            }
        }
    }

    fn decided(&mut self, question: usize, reason: &str, pending: Pending, view: &View<'_>) -> Response {
        let Pending::Reason { verdict, answers, patterns, published } = pending else { return Response::Ignored };
        if reason.trim().is_empty() {
            return Response::Say("a decision needs a reason: nothing was kept".to_owned());
        }
        let Some((_, asked)) = view.workspace.evaluation.question(question) else { return Response::Ignored };
        Response::Decide(Box::new(Proposal {
            question: asked.id.clone(),
            verdict,
            reason: reason.to_owned(),
            author: String::new(),
            answers,
            patterns,
            published,
            evidence: Vec::new(),
            withdraw: false,
        }))
    }
}

/// The decisions that stand about a question, in the file's order.
fn decisions<'a>(question: usize, view: &View<'a>) -> Vec<&'a Decision> {
    let Some(diagnosis) = view.diagnosis else { return Vec::new() };
    let Some((_, asked)) = view.workspace.evaluation.question(question) else { return Vec::new() };
    let all = diagnosis.standing.decisions().iter().enumerate();
    all.filter(|(place, decision)| {
        diagnosis.standing.is_current(*place) && (decision.question == asked.id || decision.asked == asked.question)
    })
    .map(|(_, decision)| decision)
    .collect()
}

fn is_decided(question: usize, view: &View<'_>) -> bool {
    let Some(diagnosis) = view.diagnosis else { return false };
    diagnosis.standing.on_key(question).is_some()
        || diagnosis.standing.on_case(question).is_some()
        || decisions(question, view).iter().any(|decision| matches!(decision.subject, Subject::Answer(_)))
}

impl Pane for TriagePane {
    fn kind(&self) -> PaneKind {
        PaneKind::Triage
    }

    fn enter(&mut self, view: &View<'_>) {
        let hidden = self.undecided_only && is_decided(view.cursor.question, view);
        self.undecided_only &= !hidden;
        self.derive(view);
    }

    fn cursor(&self, view: &View<'_>) -> Cursor {
        match self.question() {
            Some(question) if question != view.cursor.question => Cursor { question, answer: None, ..view.cursor },
            _ => view.cursor,
        }
    }

    fn update(&mut self, action: Action, view: &View<'_>) -> Response {
        if let Some(verdict) = Self::verdict(action) {
            return if self.question().is_some() { self.ask_reason(verdict, Vec::new()) } else { Response::Ignored };
        }
        match action {
            Action::NextPart | Action::PreviousPart => {
                self.focus = if self.focus == Focus::Queue { Focus::Detail } else { Focus::Queue };
            }
            Action::NextSuspect | Action::PreviousSuspect => return self.step(action == Action::NextSuspect, view),
            Action::Left | Action::Right => {
                let count = view.workspace.evaluation.strategies.len().max(1);
                let step = if action == Action::Right { 1 } else { count - 1 };
                let cursor = Cursor { strategy: (view.cursor.strategy + step) % count, answer: None, ..view.cursor };
                self.look(&View { cursor, ..*view });
                return Response::Moved(cursor);
            }
            Action::Open if self.focus == Focus::Queue => {
                let cursor = self.look(view);
                return Response::Go(Route { pane: PaneKind::Question, cursor });
            }
            Action::Open => return self.detail.open(view),
            Action::Undo => return self.undo(view),
            Action::EditPattern => return self.start_edit(view),
            Action::EditPublished => return self.start_published(view),
            Action::Undecided => {
                self.undecided_only = !self.undecided_only;
                self.derive(view);
            }
            Action::Export => return Response::Export,
            Action::Repair if self.question().is_some() => {
                self.pending = Some(Pending::Repair);
                let label = "event to add (TURN OP ATTRIBUTE TEXT)".to_owned();
                return Response::Prompt { label, text: String::new() };
            }
            Action::Cancel if self.undecided_only => {
                self.undecided_only = false;
                self.derive(view);
            }
            Action::Cancel => self.focus = Focus::Queue,
            _ if self.focus == Focus::Detail => {
                if !self.detail.motion(action) {
                    return Response::Ignored;
                }
            }
            _ if self.queue.motion(action, self.rows.len()) => return Response::Moved(self.look(view)),
            _ => return Response::Ignored,
        }
        Response::Done
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        draw::draw(self, frame, area, view);
    }

    fn actions(&self, view: &View<'_>) -> Vec<Action> {
        let mut actions = vec![
            Action::KeyWrong,
            Action::KeyRight,
            Action::EditPattern,
            Action::NextSuspect,
            Action::NextPart,
            Action::Undo,
            Action::AnswerRight,
            Action::KeyTooNarrow,
            Action::KeyTooWide,
            Action::WrongPremise,
            Action::Ambiguous,
            Action::EvidenceWrong,
            Action::Undecided,
            Action::Repair,
        ];
        let asked = self.question().and_then(|question| view.workspace.evaluation.question(question));
        if asked.is_some_and(|(_, asked)| asked.answer.is_some()) {
            actions.insert(2, Action::EditPublished);
        }
        actions
    }

    fn cancels(&self, _view: &View<'_>) -> Option<&'static str> {
        match self.focus {
            _ if self.undecided_only => Some("show all"),
            Focus::Detail => Some("to the queue"),
            Focus::Queue => None,
        }
    }

    fn search(&mut self, needle: &str, forward: bool, from_here: bool, view: &View<'_>) -> Option<Response> {
        let matches = |row: usize| self.holds(row, needle, view);
        let here = self.queue.selected();
        let row = if from_here && matches(here) { here } else { self.queue.find(self.rows.len(), forward, matches)? };
        self.queue.select(row, self.rows.len());
        Some(Response::Moved(self.look(view)))
    }

    fn searched(&self, _view: &View<'_>) -> Option<(usize, usize)> {
        Some((self.queue.selected(), self.rows.len()))
    }

    fn holds(&self, row: usize, needle: &str, view: &View<'_>) -> bool {
        let asked = self.rows.get(row).and_then(|question| view.workspace.evaluation.question(*question));
        asked.is_some_and(|(_, asked)| contains(&asked.question, needle) || contains(&asked.id, needle))
    }

    fn copy(&self, view: &View<'_>) -> Option<(&'static str, String)> {
        if self.focus == Focus::Detail {
            return Some(("line", self.detail.text()?));
        }
        let (_, asked) = view.workspace.evaluation.question(self.question()?)?;
        Some(("question", asked.question.clone()))
    }

    fn click(&mut self, column: u16, row: u16, open: bool, view: &View<'_>) -> Response {
        if let Some(index) = self.queue.row_at(column, row, self.rows.len()) {
            self.focus = Focus::Queue;
            self.queue.select(index, self.rows.len());
            let cursor = self.look(view);
            return if open { self.update(Action::Open, &View { cursor, ..*view }) } else { Response::Moved(cursor) };
        }
        if self.detail.click(column, row) {
            self.focus = Focus::Detail;
            return Response::Done;
        }
        Response::Ignored
    }

    fn typed(&mut self, text: &str, typing: Typing, view: &View<'_>) -> Response {
        match self.pending.take() {
            Some(Pending::Pattern) => self.typed_pattern(text, typing),
            pending if typing == Typing::Changed => {
                self.pending = pending;
                Response::Done
            }
            Some(_) if typing == Typing::GivenUp => Response::Say("nothing was kept".to_owned()),
            Some(Pending::Repair) => match self.question() {
                Some(question) => Response::Repair { question, event: text.to_owned() },
                None => Response::Ignored,
            },
            Some(Pending::Published) => match self.question() {
                Some(question) => self.typed_published(question, text, view),
                None => Response::Ignored,
            },
            Some(pending) => match self.question() {
                Some(question) => self.decided(question, text, pending, view),
                None => Response::Ignored,
            },
            None => Response::Ignored,
        }
    }
}
