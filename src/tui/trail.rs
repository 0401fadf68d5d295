//! The way here.

use super::pane::Route;

/// Places to go back to, and forward again.
#[derive(Debug, Default)]
pub(super) struct Trail {
    back: Vec<Route>,
    forward: Vec<Route>,
}

impl Trail {
    /// A place is left for a new one: what lay ahead is another way now.
    pub(super) fn leave(&mut self, here: Route) {
        self.back.push(here);
        self.forward.clear();
    }

    /// The place before, or after where one went back, while `here` is left.
    pub(super) fn travel(&mut self, back: bool, here: Route) -> Option<Route> {
        let (from, to) = if back { (&mut self.back, &mut self.forward) } else { (&mut self.forward, &mut self.back) };
        let route = from.pop()?;
        to.push(here);
        Some(route)
    }

    /// Whether there is a place to go back to.
    pub(super) fn leads_back(&self) -> bool {
        !self.back.is_empty()
    }
}
