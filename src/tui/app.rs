//! The explorer's state and what changes it: `update`, then `draw`.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::action::Action;
use super::keymap::Key;
use super::options::Settings;
use super::overlay::{Overlay, OverlayResponse};
use super::pane::{Cursor, Pane, PaneKind, Response, Route, Typing, View};
use super::panes::Panes;
use super::prompt::{Asker, Prompt};
use super::ranked::Ranked;
use super::search::Search;
use super::tabs::Tabs;
use super::trail::Trail;
use crate::diagnosis::{Audited, Diagnosis};
use crate::grade::Counting;
use crate::rank::{Cutoff, Ranking};
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
    /// Derive the ranking measures.
    Rank,
    /// Nobody wants them any more.
    StopRanking,
    /// Count other grades, or other questions.
    Count(Counting),
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

/// What follows from the data, and comes after it.
#[derive(Default)]
pub(super) struct Derived {
    pub(super) diagnosis: Option<Arc<Diagnosis>>,
    ranked: Ranked,
}

/// Everything that the screen shows.
pub struct App {
    pub(super) loading: Loading,
    pub(super) derived: Derived,
    panes: Panes,
    pub(super) active: PaneKind,
    pub(super) cursor: Cursor,
    pub(super) trail: Trail,
    pub(super) overlay: Option<Overlay>,
    pub(super) prompt: Option<Prompt>,
    pub(super) search: Search,
    pub(super) settings: Settings,
    pub(super) status: Option<String>,
    /// What still runs in the background, while the rest can be used already.
    pub(super) background: Option<String>,
    pub(super) zoomed: bool,
    pub(super) tabs: Tabs,
    /// Where the last click was, if nothing else happened since: a second one there opens.
    clicked: Option<(u16, u16)>,
    /// How answers are to be counted, from when that is asked for until it is done.
    pub(super) counting: Option<Counting>,
    pub(super) effects: Vec<Effect>,
}

impl App {
    /// An explorer whose data is still coming.
    pub fn new(settings: Settings, pane: PaneKind) -> Self {
        Self {
            loading: Loading::Under("Reading the cases".to_owned()),
            derived: Derived::default(),
            panes: Panes::default(),
            active: pane,
            cursor: Cursor::default(),
            trail: Trail::default(),
            overlay: None,
            prompt: None,
            search: Search::default(),
            settings,
            status: None,
            background: None,
            zoomed: false,
            tabs: Tabs::default(),
            clicked: None,
            counting: None,
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
        self.derived = Derived::default();
        self.counting = None;
        self.enter();
    }

    /// What follows from the data and the decisions is here, or follows anew.
    pub fn diagnosed(&mut self, diagnosis: Arc<Diagnosis>) {
        // A decision that was under way when the audit came knows nothing of it.
        if let Some(audit) = self.derived.diagnosis.as_ref().and_then(|before| before.audit()) {
            diagnosis.set_audit(audit);
        }
        self.derived.diagnosis = Some(diagnosis);
        self.enter();
    }

    /// The key audit is here.
    pub fn audited(&mut self, audit: Arc<Audited>) {
        if let Some(diagnosis) = &self.derived.diagnosis {
            diagnosis.set_audit(audit);
            self.enter();
        }
    }

    /// What follows from the data and the decisions, once it is here.
    pub fn diagnosis(&self) -> Option<&Arc<Diagnosis>> {
        self.derived.diagnosis.as_ref()
    }

    /// The ranking measures are here, or cannot be derived.
    pub fn ranked(&mut self, result: Result<Arc<Ranking>, String>) {
        self.derived.ranked = match result {
            Ok(ranking) => Ranked::Done(ranking),
            Err(message) => Ranked::Failed(message),
        };
        self.enter();
    }

    /// So many of so many questions are ranked.
    pub fn ranking(&mut self, done: usize, all: usize) {
        if let Ranked::Under { .. } = self.derived.ranked {
            self.derived.ranked = Ranked::Under { done, all };
        }
    }

    /// Ranks at once, where a job would have to: for screens that nobody waits at.
    pub fn rank_now(&mut self) {
        if let (Ranked::Under { .. }, Some(workspace)) = (&self.derived.ranked, self.workspace()) {
            let ranking = Ranking::of(&workspace.evaluation, &Cutoff::DEFAULT);
            self.effects.retain(|effect| *effect != Effect::Rank);
            self.ranked(Ok(Arc::new(ranking)));
        }
    }

    /// Has the ranking measures derived once somebody wants them, and not any longer than that.
    fn rank_on_demand(&mut self) {
        let wanted = self.panes.compare.wants_ranking();
        match (&self.derived.ranked, wanted, &self.loading) {
            (Ranked::Unasked, true, Loading::Done(_)) => {
                self.derived.ranked = Ranked::Under { done: 0, all: 0 };
                self.effects.push(Effect::Rank);
            }
            (Ranked::Under { .. }, false, _) => {
                self.derived.ranked = Ranked::Unasked;
                self.effects.push(Effect::StopRanking);
            }
            _ => {}
        }
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

    /// Whether the data is still being opened.
    pub fn is_opening(&self) -> bool {
        matches!(self.loading, Loading::Under(_))
    }

    /// Says what is being done while the data is still coming.
    pub fn opening(&mut self, what: String) {
        self.loading = Loading::Under(what);
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
        self.search.forget_matches();
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
        } else if event.kind == MouseEventKind::Down(MouseButton::Left) {
            if let Some(overlay) = &self.overlay {
                if self.prompt.is_none() && !overlay.contains(event.column, event.row) {
                    self.overlay = None;
                }
                return;
            }
            if event.row == 0 {
                if let Some(kind) = self.tabs.at(self.active, event.column) {
                    self.update(kind.action());
                }
                return;
            }
            let (column, row) = (event.column, event.row);
            self.search.forget_matches();
            let open = self.clicked.replace((column, row)) == Some((column, row));
            if let Some(response) = self.with_pane(|pane, view| pane.click(column, row, open, view)) {
                self.respond(response);
            }
        }
    }

    /// Does what an action asks for.
    pub fn update(&mut self, action: Action) {
        if !matches!(action, Action::SearchNext | Action::SearchPrevious) {
            self.search.forget_matches();
        }
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
            Action::StorePane => self.go_to(PaneKind::Store),
            Action::AbilitiesPane => self.go_to(PaneKind::Abilities),
            Action::LessonsPane => self.go_to(PaneKind::Lessons),
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
            Action::NextGrader => self.next_grader(&workspace.clone()),
            Action::Abstention => self.switch_abstention(&workspace.clone()),
            Action::Finder => self.overlay = Some(Overlay::finder(workspace, self.active)),
            Action::Warnings => self.overlay = Some(Overlay::warnings(workspace)),
            Action::Search => self.open_prompt("search".to_owned(), String::new(), Asker::Search),
            Action::SearchNext => self.search(true, false),
            Action::SearchPrevious => self.search(false, false),
            Action::Copy => match self.with_pane(|pane, view| pane.copy(view)).flatten() {
                Some((what, text)) => self.copy(what, text),
                None => self.say("there is nothing to copy here"),
            },
            Action::Zoom => self.zoomed = !self.zoomed,
            Action::Cancel if self.pane().takes_number() => self.update_pane(action),
            Action::Cancel if self.zoomed => self.zoomed = false,
            Action::Cancel if !self.search.needle.is_empty() => self.search.set(String::new()),
            _ => self.update_pane(action),
        }
    }

    fn copy(&mut self, what: &str, text: String) {
        let count = text.chars().count();
        self.say(format!("copied the {what}, {count} characters, through the terminal (OSC 52)"));
        self.effects.push(Effect::Copy(text));
    }

    fn update_pane(&mut self, action: Action) {
        if let Some(response) = self.with_pane(|pane, view| pane.update(action, view)) {
            self.respond(response);
        }
        self.rank_on_demand();
    }

    /// Does what a pane's response asks for.
    pub(super) fn respond(&mut self, response: Response) {
        match response {
            Response::Ignored | Response::Done => {}
            Response::Moved(cursor) => {
                // A question left is a place to come back to; a strategy is only another look at it.
                if self.active == PaneKind::Question && cursor.question != self.cursor.question {
                    self.trail.leave(self.here());
                }
                self.cursor = cursor;
            }
            Response::Go(route) => self.visit(route),
            Response::Prompt { label, text } => self.open_prompt(label, text, Asker::Pane),
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
            OverlayResponse::Search => self.open_prompt("search".to_owned(), String::new(), Asker::Overlay),
            OverlayResponse::Say(message) => self.say(message),
            OverlayResponse::Copy(text) => self.copy("whole text", text),
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
        let first = || self.diagnosis().and_then(|diagnosis| diagnosis.suspects().first()).map(|first| first.number);
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
        self.trail.leave(self.here());
        self.arrive(route);
    }

    fn travel(&mut self, back: bool) {
        match self.trail.travel(back, self.here()) {
            Some(route) => self.arrive(route),
            None => self.say(if back { "this is where you began" } else { "there is nothing further on" }),
        }
    }

    fn arrive(&mut self, route: Route) {
        if self.active != route.pane {
            self.zoomed = false;
            self.search.set(String::new());
        }
        self.active = route.pane;
        self.cursor = route.cursor;
        self.enter();
    }

    /// The pane in view derives again what it shows, and says where the cursor stands then.
    pub(super) fn enter(&mut self) {
        self.search.forget_matches();
        let cursor = self.with_pane(|pane, view| {
            pane.enter(view);
            pane.cursor(view)
        });
        self.cursor = cursor.unwrap_or(self.cursor);
        self.rank_on_demand();
    }

    /// The pane in view, ready to be drawn.
    pub(super) fn pane(&self) -> &dyn Pane {
        self.panes.get(self.active)
    }

    /// What panes may see.
    pub(super) fn view<'a>(&'a self, workspace: &'a Arc<Workspace>) -> View<'a> {
        View {
            workspace,
            diagnosis: self.derived.diagnosis.as_deref(),
            ranked: &self.derived.ranked,
            theme: &self.settings.theme,
            keymap: &self.settings.keymap,
            cursor: self.cursor,
            zoomed: self.zoomed,
            needle: &self.search.needle,
        }
    }

    /// Lets the pane in view work, if the data is here.
    pub(super) fn with_pane<T>(&mut self, work: impl FnOnce(&mut dyn Pane, &View<'_>) -> T) -> Option<T> {
        let Loading::Done(workspace) = &self.loading else { return None };
        let view = View {
            workspace,
            diagnosis: self.derived.diagnosis.as_deref(),
            ranked: &self.derived.ranked,
            theme: &self.settings.theme,
            keymap: &self.settings.keymap,
            cursor: self.cursor,
            zoomed: self.zoomed,
            needle: &self.search.needle,
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
