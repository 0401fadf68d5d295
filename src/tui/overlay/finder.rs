//! The finder: a question, a user, a pane or an action by a few letters.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32String};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;
use rayon::prelude::*;
use tui_input::Input;
use tui_input::backend::crossterm::EventHandler;
use unicode_segmentation::UnicodeSegmentation;

use super::{OverlayResponse, middle};
use crate::text::width;
use crate::tui::action::{Action, Scope};
use crate::tui::pane::{PaneKind, Subject};
use crate::tui::text::{highlighted, span};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::list::ListState;
use crate::tui::widget::part::{empty, part};
use crate::workspace::Workspace;

/// Columns of the finder, its border included.
const COLUMNS: u16 = 100;

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
    workspace: Arc<Workspace>,
    targets: Vec<Target>,
    /// What is matched of each target: the first character of each of its graphemes.
    texts: Vec<Utf32String>,
    input: Input,
    /// What was searched for: more letters can only narrow what was found.
    searched: String,
    /// Places in `targets`, best first.
    found: Vec<usize>,
    list: ListState,
    matcher: RefCell<Matcher>,
    area: Cell<Rect>,
}

impl Finder {
    pub(super) fn new(workspace: &Arc<Workspace>, pane: PaneKind) -> Self {
        let evaluation = &workspace.evaluation;
        let mut targets: Vec<Target> = PaneKind::ALL.into_iter().map(Target::Pane).collect();
        targets.extend((0..evaluation.question_count()).map(Target::Question));
        targets.extend((0..evaluation.histories.len()).map(|user| Target::User(Subject::User(user))));
        if workspace.growth.is_some() {
            targets.push(Target::User(Subject::LongReplay));
        }
        // In Triage that question is there already.
        let means = |action: Action| action != Action::TriageHere || pane != PaneKind::Triage;
        let actions = Action::ALL.iter().copied().filter(|action| action.scope() == Scope::Global && means(*action));
        targets.extend(actions.map(Target::Action));
        let found = (0..targets.len()).collect();
        let texts = targets.par_iter().map(|target| matched(&target.text(workspace))).collect();
        Self {
            workspace: workspace.clone(),
            targets,
            texts,
            searched: String::new(),
            input: Input::default(),
            found,
            list: ListState::default(),
            matcher: RefCell::new(Matcher::new(Config::DEFAULT)),
            area: Cell::default(),
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
        self.list.select(0, self.targets.len());
        if wanted.is_empty() {
            self.found = (0..self.targets.len()).collect();
            self.searched.clear();
            return;
        }
        let pattern = pattern(&wanted);
        // Only plain letters narrow: a `!` or `^` added to a pattern changes what it means.
        let narrows = wanted.starts_with(&self.searched) && wanted.chars().all(char::is_alphanumeric);
        let among: Vec<usize> =
            if narrows { std::mem::take(&mut self.found) } else { (0..self.targets.len()).collect() };
        let (texts, targets) = (&self.texts, &self.targets);
        // A matcher takes a large piece of memory: one for many targets.
        let mut scored: Vec<(u32, usize)> = among
            .par_iter()
            .with_min_len(8_192)
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
    }

    pub(super) fn area(&self) -> Rect {
        self.area.get()
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, body: Rect, theme: &Theme) {
        // Nothing of the pane is left beside the box: half a sentence there would be read as part of it.
        frame.render_widget(Clear, body);
        let area = middle(body, COLUMNS, body.height.saturating_sub(2));
        self.area.set(area);
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
        let pattern = pattern(self.input.value());
        self.list.draw(frame, list, self.found.len(), true, theme, |row| {
            let found = self.found.get(row).and_then(|place| self.targets.get(*place));
            let Some(target) = found else { return Line::default() };
            let text = target.text(&self.workspace);
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
        let mut indices = Vec::new();
        pattern.indices(matched(text).slice(..), &mut self.matcher.borrow_mut(), &mut indices);
        let style = theme.style(Role::Focus);
        let graphemes: Vec<(usize, &str)> = graphemes(text).collect();
        let range = |index: u32| {
            let (start, grapheme) = graphemes.get(usize::try_from(index).ok()?)?;
            Some((*start..start + grapheme.len(), style))
        };
        indices.into_iter().filter_map(range).collect()
    }
}

/// What the matcher counts as one: a grapheme, or a byte where all of a text is ASCII.
fn graphemes(text: &str) -> Box<dyn Iterator<Item = (usize, &str)> + '_> {
    if text.is_ascii() {
        Box::new(text.char_indices().filter_map(|(at, _)| Some((at, text.get(at..=at)?))))
    } else {
        Box::new(text.grapheme_indices(true))
    }
}

/// A text as the matcher takes it: the first character of each grapheme. Its own conversion takes a text of ASCII letters
/// under combining marks for one of bytes, and counts the marks as letters.
fn matched(text: &str) -> Utf32String {
    if text.is_ascii() {
        return Utf32String::Ascii(text.into());
    }
    Utf32String::Unicode(graphemes(text).filter_map(|(_, grapheme)| grapheme.chars().next()).collect())
}

/// What is typed as a pattern. Nobody presses Shift to find less.
fn pattern(typed: &str) -> Pattern {
    Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::CaseSet;
    use crate::grade::AnswerKeys;
    use crate::open::Inputs;
    use crate::source::Source;
    use crate::tokens::GemmaCounter;
    use crossterm::event::KeyEvent;

    fn finder(workspace: Workspace) -> Finder {
        Finder::new(&Arc::new(workspace), PaneKind::Overview)
    }

    fn bundled() -> Finder {
        finder(Workspace::open(&Inputs::default(), Arc::new(GemmaCounter)).unwrap())
    }

    fn asking(question: &str) -> Finder {
        let cases = serde_json::json!({"facts_quota": 9, "conversations": [{"user": "u", "events": [], "questions": [
            {"question": question, "required": [], "stale": [], "forgotten": []}
        ]}]});
        let cases = CaseSet::load(&Source::new("cases", cases.to_string())).unwrap();
        finder(Workspace::build(Arc::new(cases), AnswerKeys::default(), Vec::new(), Arc::new(GemmaCounter)).unwrap())
    }

    fn type_in(finder: &mut Finder, text: &str) {
        for c in text.chars() {
            finder.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
        }
    }

    /// The letters that are highlighted in the question.
    fn highlighted_letters(finder: &Finder, typed: &str) -> String {
        let text = Target::Question(0).text(&finder.workspace);
        let hits = finder.hits(&pattern(typed), &text, &Theme::default());
        hits.into_iter().map(|(range, _)| text.get(range).unwrap()).collect()
    }

    #[test]
    fn capitals_find_what_small_letters_find() {
        let (mut small, mut capital) = (bundled(), bundled());
        type_in(&mut small, "porto");
        type_in(&mut capital, "PORTO");
        assert!(!small.found.is_empty());
        assert_eq!(small.found, capital.found);
    }

    #[test]
    fn highlights_are_on_the_letters_meant_after_marks_and_joined_emoji() {
        let finder = asking("cafe\u{301} \u{1f469}\u{200d}\u{1f52c} e\u{301}\u{302}t porto");
        assert_eq!(highlighted_letters(&finder, "porto"), "porto");
        assert_eq!(highlighted_letters(&finder, "cafe"), "cafe\u{301}");
        let finder = asking("cafe\u{301} and porto");
        assert_eq!(highlighted_letters(&finder, "PORTO"), "porto");
        assert_eq!(highlighted_letters(&finder, "porto"), "porto");
        let finder = asking("plain porto");
        assert_eq!(highlighted_letters(&finder, "porto"), "porto");
    }

    #[test]
    fn letters_one_by_one_find_what_all_at_once_find() {
        for typed in ["wh", "porto", "Porto trip", "e", "zzz", "!port", "^wh", "bob 1", "d\u{e9}", "'on-call"] {
            let mut slow = bundled();
            type_in(&mut slow, typed);
            let mut fast = bundled();
            fast.paste(typed);
            assert_eq!(slow.found, fast.found, "{typed}");
            slow.key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE));
            let mut short = bundled();
            short.paste(&typed.chars().take(typed.chars().count() - 1).collect::<String>());
            assert_eq!(slow.found, short.found, "{typed} less one");
        }
    }
}
