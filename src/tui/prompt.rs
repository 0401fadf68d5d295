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
    /// Whether it is the search; else the pane asked for it.
    pub(super) search: bool,
    /// Where the person was before, to go back on Esc.
    before: Cursor,
}

impl App {
    pub(super) fn open_prompt(&mut self, label: String, text: String, search: bool) {
        self.prompt = Some(Prompt { label, input: text.into(), search, before: self.cursor });
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
        let (text, search, before) = (prompt.input.value().to_owned(), prompt.search, prompt.before);
        if typing != Typing::Changed {
            self.prompt = None;
        }
        if !search {
            if let Some(response) = self.with_pane(|pane, view| pane.typed(&text, typing, view)) {
                self.respond(response);
            }
        } else if typing == Typing::GivenUp {
            self.search.set(String::new());
            self.cursor = before;
            self.enter();
        } else {
            // What was typed is found already, letter by letter.
            if typing == Typing::Changed {
                self.search.set(text);
                self.search(true, true);
            } else if !text.is_empty() {
                self.say_match(Way::Straight);
            }
        }
    }
}
