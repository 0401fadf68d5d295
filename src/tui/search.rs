//! Searching in the list or text that has the focus.

use super::app::App;

impl App {
    /// Goes to the next place that holds what is searched for. `from_here` lets the place under the cursor count.
    pub(super) fn search(&mut self, forward: bool, from_here: bool) {
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
}
