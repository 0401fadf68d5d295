//! The finder: a question, a user, a pane or an action by a few letters.

use std::cell::RefCell;
use std::sync::Arc;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str, Utf32String};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use rayon::prelude::*;
use tui_input::Input;
use tui_input::backend::crossterm::EventHandler;

use super::OverlayResponse;
use crate::text::width;
use crate::tui::action::Action;
use crate::tui::pane::{PaneKind, Subject};
use crate::tui::text::{highlighted, span};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::list::ListState;
use crate::tui::widget::part::{empty, part};
use crate::workspace::Workspace;

/// What can be found.
#[derive(Debug, Clone, Copy)]
enum Target {
    Pane(PaneKind),
    Action(Action),
    User(Subject),
    Question(usize),
}

/// The finder's state.
pub struct Finder {
    targets: Vec<Target>,
    /// What is matched and shown of each target.
    texts: Vec<Utf32String>,
    input: Input,
    /// What was searched for: more letters can only narrow what was found.
    searched: String,
    /// Places in `targets`, best first.
    found: Vec<usize>,
    list: ListState,
    matcher: RefCell<Matcher>,
}

impl Finder {
    pub(super) fn new(workspace: &Arc<Workspace>) -> Self {
        let evaluation = &workspace.evaluation;
        let mut targets: Vec<Target> = PaneKind::ALL.into_iter().map(Target::Pane).collect();
        targets.extend((0..evaluation.question_count()).map(Target::Question));
        targets.extend((0..evaluation.histories.len()).map(|user| Target::User(Subject::User(user))));
        if workspace.growth.is_some() {
            targets.push(Target::User(Subject::LongReplay));
        }
        let actions = Action::ALL.iter().filter(|action| action.scope() == crate::tui::action::Scope::Global);
        targets.extend(actions.copied().map(Target::Action));
        let found = (0..targets.len()).collect();
        let texts = targets.par_iter().map(|target| Utf32String::from(target.text(workspace))).collect();
        Self {
            targets,
            texts,
            searched: String::new(),
            input: Input::default(),
            found,
            list: ListState::default(),
            matcher: RefCell::new(Matcher::new(Config::DEFAULT)),
        }
    }

    pub(super) fn key(&mut self, event: KeyEvent) -> OverlayResponse {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        match event.code {
            KeyCode::Esc => return OverlayResponse::Close,
            KeyCode::Char('c') if control => return OverlayResponse::Quit,
            KeyCode::Enter => return self.open(),
            KeyCode::Down => self.motion(Action::Down),
            KeyCode::Char('n' | 'j') if control => self.motion(Action::Down),
            KeyCode::Up => self.motion(Action::Up),
            KeyCode::Char('p' | 'k') if control => self.motion(Action::Up),
            KeyCode::PageDown => self.motion(Action::PageDown),
            KeyCode::PageUp => self.motion(Action::PageUp),
            _ => {
                let changed = self.input.handle_event(&Event::Key(event));
                if changed.is_some_and(|change| change.value) {
                    self.find();
                }
            }
        }
        OverlayResponse::Stay
    }

    pub(super) fn paste(&mut self, text: &str) {
        for c in text.chars() {
            self.input.handle(tui_input::InputRequest::InsertChar(c));
        }
        self.find();
    }

    pub(super) fn motion(&mut self, action: Action) {
        self.list.motion(action, self.found.len());
    }

    fn open(&self) -> OverlayResponse {
        let target = self.found.get(self.list.selected()).and_then(|place| self.targets.get(*place));
        match target {
            Some(Target::Pane(kind)) => OverlayResponse::Go(*kind, None),
            Some(Target::Question(number)) => OverlayResponse::Go(PaneKind::Question, Some(*number)),
            Some(Target::User(subject)) => OverlayResponse::Replay(*subject),
            Some(Target::Action(action)) => OverlayResponse::Act(*action),
            None => OverlayResponse::Stay,
        }
    }

    fn find(&mut self) {
        let wanted = self.input.value().to_owned();
        let pattern = Pattern::parse(&wanted, CaseMatching::Smart, Normalization::Smart);
        // Only plain letters narrow: a `!` or `^` added to a pattern changes what it means.
        let narrows = wanted.starts_with(&self.searched) && wanted.chars().all(char::is_alphanumeric);
        let among: Vec<usize> =
            if narrows { std::mem::take(&mut self.found) } else { (0..self.targets.len()).collect() };
        let (texts, targets) = (&self.texts, &self.targets);
        let mut scored: Vec<(u32, usize)> = among
            .par_iter()
            .map_init(
                || Matcher::new(Config::DEFAULT),
                |matcher, place| {
                    let score = pattern.score(texts.get(*place)?.slice(..), matcher)?;
                    Some((score + targets.get(*place)?.bonus(), *place))
                },
            )
            .flatten()
            .collect();
        scored.par_sort_unstable_by_key(|(score, place)| (std::cmp::Reverse(*score), *place));
        self.found = scored.into_iter().map(|(_, place)| place).collect();
        self.searched = wanted;
        self.list.select(0, self.found.len());
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        let title = vec![
            span("Find", theme.style(Role::Heading)),
            span(&format!(" {} of {}", self.found.len(), self.targets.len()), theme.style(Role::Dim)),
        ];
        let inner = part(frame, area, title, true, theme);
        let [input, list] = ratatui::layout::Layout::vertical([
            ratatui::layout::Constraint::Length(1),
            ratatui::layout::Constraint::Min(0),
        ])
        .areas(inner);
        let prompt = format!("{} ", theme.pick("❯", ">"));
        let cursor = width(&prompt) + self.input.visual_cursor();
        let line = Line::from(vec![
            Span::styled(prompt, theme.style(Role::Key)),
            span(self.input.value(), theme.style(Role::Text)),
        ]);
        frame.render_widget(line, input);
        let x = u16::try_from(cursor).unwrap_or(u16::MAX).min(input.width.saturating_sub(1));
        frame.set_cursor_position((input.x + x, input.y));
        if self.found.is_empty() {
            empty(frame, list, "Nothing is called that.", theme);
        }
        let pattern = Pattern::parse(self.input.value(), CaseMatching::Smart, Normalization::Smart);
        self.list.draw(frame, list, self.found.len(), true, theme, |row| {
            let found =
                self.found.get(row).and_then(|place| Some((self.targets.get(*place)?, self.texts.get(*place)?)));
            let Some((target, text)) = found else { return Line::default() };
            let text = text.to_string();
            let kind = Span::styled(format!(" {:<9}", target.kind()), theme.style(Role::Dim));
            let mut spans = vec![kind];
            spans.extend(highlighted(&text, &self.hits(&pattern, &text, theme), theme.style(Role::Text)));
            Line::from(spans)
        });
    }

    /// The letters of a row that the pattern matched.
    fn hits(
        &self,
        pattern: &Pattern,
        text: &str,
        theme: &Theme,
    ) -> Vec<(std::ops::Range<usize>, ratatui::style::Style)> {
        let (mut buffer, mut indices) = (Vec::new(), Vec::new());
        pattern.indices(Utf32Str::new(text, &mut buffer), &mut self.matcher.borrow_mut(), &mut indices);
        let style = theme.style(Role::Focus);
        // The matcher counts graphemes, or bytes of an ASCII text; both agree with characters often enough for a highlight.
        let offsets: Vec<(usize, char)> = text.char_indices().collect();
        let range = |index: u32| {
            let (start, c) = offsets.get(index as usize).copied()?;
            Some((start..start + c.len_utf8(), style))
        };
        indices.into_iter().filter_map(range).collect()
    }
}

impl Target {
    /// Actions are looked up by their whole sentence, which matches nearly any letters: what was meant goes first.
    fn bonus(self) -> u32 {
        if matches!(self, Self::Action(_)) { 0 } else { 40 }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Pane(_) => "pane",
            Self::Action(_) => "action",
            Self::User(_) => "user",
            Self::Question(_) => "question",
        }
    }

    fn text(self, workspace: &Workspace) -> String {
        match self {
            Self::Pane(kind) => format!("{}: {}", kind.title(), kind.asks()),
            Self::Action(action) => format!("{}: {}", action.name(), action.sentence()),
            Self::User(Subject::User(user)) => {
                workspace.evaluation.histories.get(user).map_or_else(String::new, |history| history.user.clone())
            }
            Self::User(Subject::LongReplay) => workspace
                .growth
                .as_ref()
                .map_or_else(String::new, |growth| format!("{} (long replay)", growth.history.user)),
            Self::Question(number) => workspace
                .evaluation
                .question(number)
                .map_or_else(String::new, |(_, question)| format!("{}  {}", question.id, question.question)),
        }
    }
}
