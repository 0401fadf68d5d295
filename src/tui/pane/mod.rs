//! The panes: each answers one question that a person has.

pub mod abilities;
pub mod answers;
pub mod compare;
pub mod lessons;
pub mod overview;
pub mod question;
pub mod replay;
pub mod store;
pub mod triage;

use std::sync::Arc;
use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::action::{Action, Scope};
use super::keymap::Keymap;
use super::ranked::Ranked;
use super::theme::Theme;
use crate::diagnosis::Diagnosis;
use crate::triage::Proposal;
use crate::workspace::{AnswerRef, Workspace};

/// Which pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum PaneKind {
    /// What went wrong, where?
    Overview,
    /// Why did it fail?
    Question,
    /// Which strategy pays?
    Compare,
    /// How did it come to this?
    Replay,
    /// What did the model say?
    Answers,
    /// Is the key at fault?
    Triage,
    /// What is kept, and why?
    Store,
    /// What can a memory do?
    Abilities,
    /// What earned a rule?
    Lessons,
}

impl PaneKind {
    /// All panes, in the order of their tabs.
    pub const ALL: [Self; 9] = [
        Self::Overview,
        Self::Question,
        Self::Compare,
        Self::Replay,
        Self::Answers,
        Self::Triage,
        Self::Store,
        Self::Abilities,
        Self::Lessons,
    ];

    /// The title on its tab.
    pub fn title(self) -> &'static str {
        self.scope().title()
    }

    /// The question that it answers.
    pub fn asks(self) -> &'static str {
        match self {
            Self::Overview => "What went wrong, where?",
            Self::Question => "Why did it fail?",
            Self::Compare => "Which strategy pays?",
            Self::Replay => "How did it come to this?",
            Self::Answers => "What did the model say?",
            Self::Triage => "Is the key at fault?",
            Self::Store => "What is kept, and why?",
            Self::Abilities => "What can a memory do?",
            Self::Lessons => "What earned a rule?",
        }
    }

    /// The scope of its own actions.
    pub fn scope(self) -> Scope {
        match self {
            Self::Overview => Scope::Overview,
            Self::Question => Scope::Question,
            Self::Compare => Scope::Compare,
            Self::Replay => Scope::Replay,
            Self::Answers => Scope::Answers,
            Self::Triage => Scope::Triage,
            Self::Store => Scope::Store,
            Self::Abilities => Scope::Abilities,
            Self::Lessons => Scope::Lessons,
        }
    }

    /// The action that goes there.
    pub fn action(self) -> Action {
        match self {
            Self::Overview => Action::OverviewPane,
            Self::Question => Action::QuestionPane,
            Self::Compare => Action::ComparePane,
            Self::Replay => Action::ReplayPane,
            Self::Answers => Action::AnswersPane,
            Self::Triage => Action::TriagePane,
            Self::Store => Action::StorePane,
            Self::Abilities => Action::AbilitiesPane,
            Self::Lessons => Action::LessonsPane,
        }
    }

    /// Its place among the tabs.
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|kind| *kind == self).unwrap_or(0)
    }
}

/// What a person is looking at, shared by all panes: moving it in one moves it in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// A question's number.
    pub question: usize,
    /// A strategy's place.
    pub strategy: usize,
    /// A recorded answer, once one was chosen.
    pub answer: Option<AnswerRef>,
    /// A moment of a history, once one was chosen: whose (see [`Subject`]), and after how many events.
    pub moment: Option<(Subject, usize)>,
}

/// Whose history Replay shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The long replay.
    LongReplay,
    /// The user whose history stands at this place in the evaluation.
    User(usize),
}

impl Subject {
    /// The moment to begin at where none is named: the long replay before its first event, to be watched growing; a user
    /// after the last event, whose number Replay knows, because that is what questions are asked about.
    pub fn beginning(self) -> usize {
        match self {
            Self::LongReplay => 0,
            Self::User(_) => usize::MAX,
        }
    }
}

/// A place to go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The pane.
    pub pane: PaneKind,
    /// What to look at there.
    pub cursor: Cursor,
}

/// What a pane may see. Panes change only themselves; what else should happen is in their [`Response`].
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Everything that is open.
    pub workspace: &'a Arc<Workspace>,
    /// What follows from it and from the decisions; it comes a little later than the data.
    pub diagnosis: Option<&'a Diagnosis>,
    /// The ranking measures, as far as they are.
    pub ranked: &'a Ranked,
    /// How things look.
    pub theme: &'a Theme,
    /// Which keys do what.
    pub keymap: &'a Keymap,
    /// What the person is looking at.
    pub cursor: Cursor,
    /// Whether the part with the focus has the whole pane.
    pub zoomed: bool,
    /// What the search looks for; empty where there is no search.
    pub needle: &'a str,
}

/// What a pane makes of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    /// It means nothing here.
    Ignored,
    /// Done, inside the pane.
    Done,
    /// Done, and the shared cursor moves.
    Moved(Cursor),
    /// Go somewhere else; the way back is remembered.
    Go(Route),
    /// Ask for a line of text; each change comes back through [`Pane::typed`].
    Prompt {
        /// What is asked for, such as `ask`.
        label: String,
        /// What stands there already.
        text: String,
    },
    /// Say something in the footer.
    Say(String),
    /// Keep a decision.
    Decide(Box<Proposal>),
    /// Copy a question to a new case file, with one event more.
    Repair {
        /// The question's number.
        question: usize,
        /// The event: turn, op, attribute and words.
        event: String,
    },
    /// Write the decisions as JSONL and Markdown.
    Export,
}

/// How a line of text that a pane asked for is coming along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// It was changed.
    Changed,
    /// It was finished with Enter.
    Finished,
    /// It was given up with Esc.
    GivenUp,
}

/// One pane: its state, what actions do to it, and how it is drawn.
pub trait Pane {
    /// Which one it is.
    fn kind(&self) -> PaneKind;

    /// It comes into view, or what it shows has changed from outside: derive again what is not derived while drawing.
    fn enter(&mut self, view: &View<'_>);

    /// Where the shared cursor belongs after [`Pane::enter`]: a pane that cannot show what the cursor stands on shows
    /// something else, and then the other panes must agree.
    fn cursor(&self, view: &View<'_>) -> Cursor {
        view.cursor
    }

    /// Does what an action asks for.
    fn update(&mut self, action: Action, view: &View<'_>) -> Response;

    /// Draws it. No reading of files, no database, no counting of tokens.
    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>);

    /// The actions that mean something now, the most useful first: the footer shows as many as fit.
    fn actions(&self, view: &View<'_>) -> Vec<Action>;

    /// What an action does here in one or two words, where the general word says too little.
    fn short(&self, action: Action) -> &'static str {
        action.short()
    }

    /// What Esc does now, in a word or two; nothing where it does nothing.
    fn cancels(&self, _view: &View<'_>) -> Option<&'static str> {
        None
    }

    /// Whether the digits of a number are being collected: then Esc drops it before anything else.
    fn takes_number(&self) -> bool {
        false
    }

    /// Moves the cursor to the next place that holds `needle` (ignoring case): among those after the cursor, or before
    /// it, going around the end. `from_here` lets the cursor's own place count. Returns where the shared cursor is then,
    /// or nothing where there is no such place.
    fn search(&mut self, needle: &str, forward: bool, from_here: bool, view: &View<'_>) -> Option<Response>;

    /// The list that the search goes through: the row of its cursor, and how many rows it has. Nothing where the matches
    /// cannot be counted.
    fn searched(&self, _view: &View<'_>) -> Option<(usize, usize)> {
        None
    }

    /// Whether a row of that list holds `needle`.
    fn holds(&self, _row: usize, _needle: &str, _view: &View<'_>) -> bool {
        false
    }

    /// The raw text under the cursor, and what it is, such as `answer`.
    fn copy(&self, view: &View<'_>) -> Option<(&'static str, String)>;

    /// A click at a place of the screen; `open` for a second one at the same place.
    fn click(&mut self, column: u16, row: u16, open: bool, view: &View<'_>) -> Response;

    /// A line of text that the pane asked for has changed.
    fn typed(&mut self, _text: &str, _typing: Typing, _view: &View<'_>) -> Response {
        Response::Done
    }

    /// A digit was pressed. Returns whether the pane takes digits, as for a turn's number; else they choose panes.
    fn digit(&mut self, _digit: u8) -> bool {
        false
    }

    /// How long to wait before [`Pane::tick`]; nothing while the pane moves only when asked.
    fn ticking(&self) -> Option<Duration> {
        None
    }

    /// Time has passed.
    fn tick(&mut self, _view: &View<'_>) -> Response {
        Response::Ignored
    }
}
