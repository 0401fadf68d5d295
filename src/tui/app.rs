//! The explorer's state and what changes it: `update`, then `draw`.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use tui_input::backend::crossterm::EventHandler;

use super::action::Action;
use super::keymap::Key;
use super::options::Settings;
use super::overlay::{Overlay, OverlayResponse};
use super::pane::answers::AnswersPane;
use super::pane::compare::ComparePane;
use super::pane::overview::OverviewPane;
use super::pane::question::QuestionPane;
use super::pane::replay::ReplayPane;
use super::pane::triage::TriagePane;
use super::pane::{Cursor, Pane, PaneKind, Response, Route, Typing, View};
use crate::diagnosis::Diagnosis;
use crate::triage::Proposal;
use crate::workspace::Workspace;

/// What the explorer wants done outside itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Leave.
    Quit,
    /// Put a text on the clipboard.
    Copy(String),
    /// Stop the process, as Ctrl-Z does.
    Suspend,
    /// Draw the whole screen again.
    Redraw,
    /// Turn the mouse on or off.
    Mouse(bool),
    /// Keep a decision in the triage file.
    Decide(Box<Proposal>),
    /// Copy a question to a new case file with one event more, and open it.
    Repair(usize, String),
    /// Write the decisions as JSONL and Markdown.
    Export,
}

/// Where the data is.
pub enum Loading {
    /// Still coming; what is being done.
    Under(String),
    /// Here.
    Done(Arc<Workspace>),
    /// It cannot be opened; why.
    Failed(String),
}

/// The line of text being typed in the footer.
pub struct Prompt {
    pub(super) label: String,
    pub(super) input: tui_input::Input,
    /// Whether it is the search; else the pane asked for it.
    pub(super) search: bool,
    /// Where the person was before, to go back on Esc.
    before: Cursor,
}

/// The panes.
pub struct Panes {
    overview: OverviewPane,
    question: QuestionPane,
    compare: ComparePane,
    replay: ReplayPane,
    answers: AnswersPane,
    triage: TriagePane,
}

impl Panes {
    fn new() -> Self {
        Self {
            overview: OverviewPane::default(),
            question: QuestionPane::default(),
            compare: ComparePane::default(),
            replay: ReplayPane::default(),
            answers: AnswersPane::default(),
            triage: TriagePane::default(),
        }
    }

    fn get(&self, kind: PaneKind) -> &dyn Pane {
        match kind {
            PaneKind::Overview => &self.overview,
            PaneKind::Question => &self.question,
            PaneKind::Compare => &self.compare,
            PaneKind::Replay => &self.replay,
            PaneKind::Answers => &self.answers,
            PaneKind::Triage => &self.triage,
        }
    }

    fn get_mut(&mut self, kind: PaneKind) -> &mut dyn Pane {
        match kind {
            PaneKind::Overview => &mut self.overview,
            PaneKind::Question => &mut self.question,
            PaneKind::Compare => &mut self.compare,
            PaneKind::Replay => &mut self.replay,
            PaneKind::Answers => &mut self.answers,
            PaneKind::Triage => &mut self.triage,
        }
    }
}

/// The way here: places to go back to, and forward again.
#[derive(Debug, Default)]
struct Trail {
    back: Vec<Route>,
    forward: Vec<Route>,
}

/// Everything that the screen shows.
pub struct App {
    pub(super) loading: Loading,
    diagnosis: Option<Arc<Diagnosis>>,
    panes: Panes,
    pub(super) active: PaneKind,
    pub(super) cursor: Cursor,
    trail: Trail,
    pub(super) overlay: Option<Overlay>,
    pub(super) prompt: Option<Prompt>,
    pub(super) needle: String,
    pub(super) settings: Settings,
    pub(super) status: Option<String>,
    /// What still runs in the background, while the rest can be used already.
    pub(super) background: Option<String>,
    zoomed: bool,
    /// Where the last click was, if nothing else happened since: a second one there opens.
    clicked: Option<(u16, u16)>,
    effects: Vec<Effect>,
}

impl App {
    /// An explorer whose data is still coming.
    pub fn new(settings: Settings, pane: PaneKind) -> Self {
        Self {
            loading: Loading::Under("Reading the cases".to_owned()),
            diagnosis: None,
            panes: Panes::new(),
            active: pane,
            cursor: Cursor::default(),
            trail: Trail::default(),
            overlay: None,
            prompt: None,
            needle: String::new(),
            settings,
            status: None,
            background: None,
            zoomed: false,
            clicked: None,
            effects: Vec::new(),
        }
    }

    /// The data is here, or there is other data now.
    pub fn loaded(&mut self, workspace: Arc<Workspace>) {
        let questions = workspace.evaluation.question_count();
        self.cursor.question = self.cursor.question.min(questions.saturating_sub(1));
        if !workspace.warnings.is_empty() && self.status.is_none() {
            let count = workspace.warnings.len();
            let key = self.settings.keymap.hint(self.active.scope(), Action::Warnings).unwrap_or_default();
            let plural = if count == 1 { "" } else { "s" };
            self.status = Some(format!("{count} thing{plural} in the files look odd ({key} shows them)"));
        }
        self.loading = Loading::Done(workspace);
        self.diagnosis = None;
        self.with_pane(|pane, view| pane.enter(view));
    }

    /// What follows from the data and the decisions is here, or follows anew.
    pub fn diagnosed(&mut self, diagnosis: Arc<Diagnosis>) {
        self.diagnosis = Some(diagnosis);
        self.with_pane(|pane, view| pane.enter(view));
    }

    /// What follows from the data and the decisions, once it is here.
    pub fn diagnosis(&self) -> Option<&Arc<Diagnosis>> {
        self.diagnosis.as_ref()
    }

    /// The data, once it is here.
    pub fn workspace(&self) -> Option<&Arc<Workspace>> {
        match &self.loading {
            Loading::Done(workspace) => Some(workspace),
            _ => None,
        }
    }

    /// The data cannot be opened.
    pub fn failed(&mut self, message: String) {
        self.loading = Loading::Failed(message);
    }

    /// Says what runs in the background, or that nothing does any more.
    pub fn set_background(&mut self, what: Option<String>) {
        self.background = what;
    }

    /// Says something in the footer.
    pub fn say(&mut self, message: impl Into<String>) {
        self.status = Some(message.into());
    }

    /// What should be done outside since the last call.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// How long to wait before [`App::tick`]; nothing while nothing moves by itself.
    pub fn ticking(&self) -> Option<Duration> {
        let free = self.overlay.is_none() && self.prompt.is_none() && matches!(self.loading, Loading::Done(_));
        free.then(|| self.panes.get(self.active).ticking()).flatten()
    }

    /// Time has passed.
    pub fn tick(&mut self) {
        if let Some(response) = self.with_pane(|pane, view| pane.tick(view)) {
            self.respond(response);
        }
    }

    /// A key was pressed. Releases are ignored: some terminals report them.
    pub fn key(&mut self, event: KeyEvent) {
        if event.kind == KeyEventKind::Release {
            return;
        }
        self.status = None;
        self.clicked = None;
        let interrupt = event.code == KeyCode::Char('c') && event.modifiers.contains(KeyModifiers::CONTROL);
        if interrupt {
            self.effects.push(Effect::Quit);
        } else if self.prompt.is_some() {
            self.type_key(event);
        } else if let Some(overlay) = &mut self.overlay {
            let response = overlay.key(event, &self.settings.keymap);
            self.overlay_response(response);
        } else if let Some(digit) = digit(event)
            && matches!(self.loading, Loading::Done(_))
            && self.panes.get_mut(self.active).digit(digit)
        {
            // The pane collects it.
        } else if let Some(action) = self.settings.keymap.action(self.active.scope(), Key::of(event)) {
            self.update(action);
        }
    }

    /// Text was pasted: it goes into the line being typed, without its control characters, and nowhere else.
    pub fn paste(&mut self, text: &str) {
        let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let insert = |input: &mut tui_input::Input| {
            for c in clean.chars() {
                input.handle(tui_input::InputRequest::InsertChar(c));
            }
        };
        if let Some(prompt) = &mut self.prompt {
            insert(&mut prompt.input);
            self.typed(Typing::Changed);
        } else if let Some(overlay) = &mut self.overlay {
            overlay.paste(&clean);
        } else {
            self.say("pasted text is not taken for keys");
        }
    }

    /// The mouse did something (it is off unless turned on).
    pub fn mouse(&mut self, event: MouseEvent) {
        let wheel = match event.kind {
            MouseEventKind::ScrollDown => Some(Action::Down),
            MouseEventKind::ScrollUp => Some(Action::Up),
            _ => None,
        };
        if let Some(action) = wheel {
            for _ in 0..3 {
                match &mut self.overlay {
                    Some(overlay) => overlay.motion(action),
                    None => self.update(action),
                }
            }
        } else if event.kind == MouseEventKind::Down(MouseButton::Left) && self.overlay.is_none() {
            if event.row == 0 {
                if let Some(kind) = super::tabs::tab_at(event.column) {
                    self.update(kind.action());
                }
                return;
            }
            let (column, row) = (event.column, event.row);
            let open = self.clicked.replace((column, row)) == Some((column, row));
            if let Some(response) = self.with_pane(|pane, view| pane.click(column, row, open, view)) {
                self.respond(response);
            }
        }
    }

    /// Does what an action asks for.
    pub fn update(&mut self, action: Action) {
        match action {
            Action::Quit => self.effects.push(Effect::Quit),
            Action::Suspend => self.effects.push(Effect::Suspend),
            Action::Redraw => self.effects.push(Effect::Redraw),
            Action::Mouse => {
                self.settings.mouse = !self.settings.mouse;
                self.effects.push(Effect::Mouse(self.settings.mouse));
                self.say(if self.settings.mouse {
                    "mouse on: wheel and click work, the terminal's own selection does not"
                } else {
                    "mouse off: the terminal selects text again"
                });
            }
            Action::Help => self.overlay = Some(Overlay::help(self.active, &self.settings)),
            Action::OverviewPane => self.go_to(PaneKind::Overview),
            Action::QuestionPane => self.go_to(PaneKind::Question),
            Action::ComparePane => self.go_to(PaneKind::Compare),
            Action::ReplayPane => self.go_to(PaneKind::Replay),
            Action::AnswersPane => self.go_to(PaneKind::Answers),
            Action::TriageHere => self.go_to(PaneKind::Triage),
            Action::TriagePane => self.go_to_suspect(),
            Action::NextPane => self.go_to_index(self.active.index() + 1),
            Action::PreviousPane => self.go_to_index(self.active.index() + PaneKind::ALL.len() - 1),
            Action::Back => self.travel(true),
            Action::Forward => self.travel(false),
            _ => self.update_with_data(action),
        }
    }

    /// The actions that need the data to be here.
    fn update_with_data(&mut self, action: Action) {
        let Loading::Done(workspace) = &self.loading else {
            return;
        };
        match action {
            Action::Finder => self.overlay = Some(Overlay::finder(workspace)),
            Action::Warnings => self.overlay = Some(Overlay::warnings(workspace)),
            Action::Search => self.open_prompt("search".to_owned(), String::new(), true),
            Action::SearchNext => self.search(true, false),
            Action::SearchPrevious => self.search(false, false),
            Action::Copy => match self.with_pane(|pane, view| pane.copy(view)).flatten() {
                Some((what, text)) => {
                    let count = text.chars().count();
                    self.say(format!("copied the {what}, {count} characters, through the terminal (OSC 52)"));
                    self.effects.push(Effect::Copy(text));
                }
                None => self.say("there is nothing to copy here"),
            },
            Action::Zoom => self.zoomed = !self.zoomed,
            Action::Cancel if self.zoomed => self.zoomed = false,
            Action::Cancel if !self.needle.is_empty() => self.needle.clear(),
            _ => {
                if let Some(response) = self.with_pane(|pane, view| pane.update(action, view)) {
                    self.respond(response);
                }
            }
        }
    }

    /// Does what a pane's response asks for.
    fn respond(&mut self, response: Response) {
        match response {
            Response::Ignored | Response::Done => {}
            Response::Moved(cursor) => self.cursor = cursor,
            Response::Go(route) => self.visit(route),
            Response::Prompt { label, text } => self.open_prompt(label, text, false),
            Response::Say(message) => self.say(message),
            Response::Decide(proposal) => self.effects.push(Effect::Decide(proposal)),
            Response::Repair { question, event } => self.effects.push(Effect::Repair(question, event)),
            Response::Export => self.effects.push(Effect::Export),
        }
    }

    fn overlay_response(&mut self, response: OverlayResponse) {
        match response {
            OverlayResponse::Stay => {}
            OverlayResponse::Close => self.overlay = None,
            OverlayResponse::Quit => self.effects.push(Effect::Quit),
            OverlayResponse::Go(pane, question) => {
                self.overlay = None;
                let cursor = Cursor { question: question.unwrap_or(self.cursor.question), ..self.cursor };
                self.visit(Route { pane, cursor });
            }
            OverlayResponse::Replay(subject) => {
                self.overlay = None;
                let cursor = Cursor { moment: Some((subject, subject.beginning())), ..self.cursor };
                self.visit(Route { pane: PaneKind::Replay, cursor });
            }
            OverlayResponse::Act(action) => {
                self.overlay = None;
                self.update(action);
            }
        }
    }

    fn go_to(&mut self, pane: PaneKind) {
        self.visit(Route { pane, cursor: self.cursor });
    }

    /// To the suspect that was under the cursor last, or to the first one.
    fn go_to_suspect(&mut self) {
        let first = || {
            self.diagnosis.as_ref().and_then(|diagnosis| diagnosis.audit.questions.first()).map(|first| first.number)
        };
        let question = self.panes.triage.question().or_else(first).unwrap_or(self.cursor.question);
        let answer = self.cursor.answer.filter(|_| question == self.cursor.question);
        self.visit(Route { pane: PaneKind::Triage, cursor: Cursor { question, answer, ..self.cursor } });
    }

    fn go_to_index(&mut self, index: usize) {
        if let Some(kind) = PaneKind::ALL.get(index % PaneKind::ALL.len()) {
            self.update(kind.action());
        }
    }

    fn here(&self) -> Route {
        Route { pane: self.active, cursor: self.cursor }
    }

    /// Goes somewhere and remembers the way back.
    fn visit(&mut self, route: Route) {
        if route == self.here() {
            return;
        }
        self.trail.back.push(self.here());
        self.trail.forward.clear();
        self.arrive(route);
    }

    fn travel(&mut self, back: bool) {
        let here = self.here();
        let (from, to) = if back {
            (&mut self.trail.back, &mut self.trail.forward)
        } else {
            (&mut self.trail.forward, &mut self.trail.back)
        };
        match from.pop() {
            Some(route) => {
                to.push(here);
                self.arrive(route);
            }
            None => self.say(if back { "this is where you began" } else { "there is nothing further on" }),
        }
    }

    fn arrive(&mut self, route: Route) {
        if self.active != route.pane {
            self.zoomed = false;
            self.needle.clear();
        }
        self.active = route.pane;
        self.cursor = route.cursor;
        self.with_pane(|pane, view| pane.enter(view));
    }

    fn open_prompt(&mut self, label: String, text: String, search: bool) {
        self.prompt = Some(Prompt { label, input: text.into(), search, before: self.cursor });
    }

    fn type_key(&mut self, event: KeyEvent) {
        let Some(prompt) = &mut self.prompt else { return };
        match event.code {
            KeyCode::Enter => self.typed(Typing::Finished),
            KeyCode::Esc => self.typed(Typing::GivenUp),
            _ => {
                let changed = prompt.input.handle_event(&crossterm::event::Event::Key(event));
                if changed.is_some_and(|change| change.value) {
                    self.typed(Typing::Changed);
                }
            }
        }
    }

    /// The line being typed has changed, was finished or given up.
    fn typed(&mut self, typing: Typing) {
        let Some(prompt) = &self.prompt else { return };
        let (text, search, before) = (prompt.input.value().to_owned(), prompt.search, prompt.before);
        if typing != Typing::Changed {
            self.prompt = None;
        }
        if !search {
            if let Some(response) = self.with_pane(|pane, view| pane.typed(&text, typing, view)) {
                self.respond(response);
            }
        } else if typing == Typing::GivenUp {
            self.needle.clear();
            self.cursor = before;
            self.with_pane(|pane, view| pane.enter(view));
        } else {
            self.needle = text;
            if typing == Typing::Changed {
                self.search(true, true);
            }
        }
    }

    fn search(&mut self, forward: bool, from_here: bool) {
        if self.needle.is_empty() {
            if !from_here {
                self.say("nothing was searched for yet");
            }
            return;
        }
        let needle = self.needle.clone();
        match self.with_pane(|pane, view| pane.search(&needle, forward, from_here, view)).flatten() {
            Some(response) => self.respond(response),
            None => self.say(format!("\"{needle}\" is not here")),
        }
    }

    /// The pane in view, ready to be drawn.
    pub(super) fn pane(&self) -> &dyn Pane {
        self.panes.get(self.active)
    }

    /// What panes may see.
    pub(super) fn view<'a>(&'a self, workspace: &'a Arc<Workspace>) -> View<'a> {
        View {
            workspace,
            diagnosis: self.diagnosis.as_deref(),
            theme: &self.settings.theme,
            keymap: &self.settings.keymap,
            cursor: self.cursor,
            zoomed: self.zoomed,
            needle: &self.needle,
        }
    }

    /// Lets the pane in view work, if the data is here.
    fn with_pane<T>(&mut self, work: impl FnOnce(&mut dyn Pane, &View<'_>) -> T) -> Option<T> {
        let Loading::Done(workspace) = &self.loading else { return None };
        let view = View {
            workspace,
            diagnosis: self.diagnosis.as_deref(),
            theme: &self.settings.theme,
            keymap: &self.settings.keymap,
            cursor: self.cursor,
            zoomed: self.zoomed,
            needle: &self.needle,
        };
        Some(work(self.panes.get_mut(self.active), &view))
    }
}

fn digit(event: KeyEvent) -> Option<u8> {
    match event.code {
        KeyCode::Char(c) if event.modifiers.is_empty() => c.to_digit(10).and_then(|digit| u8::try_from(digit).ok()),
        _ => None,
    }
}
