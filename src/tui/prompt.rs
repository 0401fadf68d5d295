//! The line of text being typed in the footer.

use crossterm::event::{Event, KeyCode, KeyEvent};
use tui_input::backend::crossterm::EventHandler;

use super::app::App;
use super::pane::{Cursor, Typing};
use super::search::Way;

/// What is being typed, and for whom.
pub struct Prompt {
    pub(super) label: String,
    pub(super) input: tui_input::Input,
    pub(super) asker: Asker,
    /// Where the person was before, to go back on Esc.
    before: Cursor,
}

/// Who asked for a line of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// The search in the pane in view.
    Search,
    /// The search in what is open on top.
    Overlay,
    /// The pane in view.
    Pane,
}

impl App {
    pub(super) fn open_prompt(&mut self, label: String, text: String, asker: Asker) {
        self.prompt = Some(Prompt { label, input: text.into(), asker, before: self.cursor });
    }

    pub(super) fn type_key(&mut self, event: KeyEvent) {
        let Some(prompt) = &mut self.prompt else { return };
        match event.code {
            KeyCode::Enter => self.typed(Typing::Finished),
            KeyCode::Esc => self.typed(Typing::GivenUp),
            _ => {
                let changed = prompt.input.handle_event(&Event::Key(event));
                if changed.is_some_and(|change| change.value) {
                    self.typed(Typing::Changed);
                }
            }
        }
    }

    /// The line being typed has changed, was finished or given up.
    pub(super) fn typed(&mut self, typing: Typing) {
        let Some(prompt) = &self.prompt else { return };
        let (text, asker, before) = (prompt.input.value().to_owned(), prompt.asker, prompt.before);
        if typing != Typing::Changed {
            self.prompt = None;
        }
        match asker {
            Asker::Pane => {
                if let Some(response) = self.with_pane(|pane, view| pane.typed(&text, typing, view)) {
                    self.respond(response);
                }
            }
            Asker::Overlay => {
                let overlay = self.overlay.as_mut();
                self.status = overlay.and_then(|overlay| overlay.typed(&text, typing, &self.settings.keymap));
            }
            Asker::Search => self.typed_search(text, typing, before),
        }
    }

    fn typed_search(&mut self, text: String, typing: Typing, before: Cursor) {
        match typing {
            Typing::Changed => {
                self.search.set(text);
                self.search(true, true);
            }
            // What was typed is found already, letter by letter.
            Typing::Finished if !text.is_empty() => self.say_match(Way::Straight),
            Typing::Finished => self.search.set(text),
            Typing::GivenUp => {
                self.search.set(String::new());
                self.cursor = before;
                self.enter();
            }
        }
    }
}
