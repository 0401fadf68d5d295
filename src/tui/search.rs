//! Searching in the list or text that has the focus, and saying what was found.

use super::action::{Action, Scope};
use super::app::App;
use super::keymap::Keymap;

/// Matches are counted up to here: more are more than anyone goes through one by one.
const MOST: usize = 10_000;

/// The search in the list or text that has the focus.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// What is looked for; empty where there is no search.
    pub(super) needle: String,
    /// Where it stands: counted once, and again only after something else than the search has happened.
    matches: Option<Matches>,
}

impl Search {
    /// Looks for something else.
    pub(super) fn set(&mut self, needle: String) {
        *self = Self { needle, matches: None };
    }

    /// The list may be another one now.
    pub(super) fn forget_matches(&mut self) {
        self.matches = None;
    }
}

/// The rows of a list that hold what is looked for.
#[derive(Debug)]
pub(super) struct Matches {
    rows: Vec<usize>,
    /// Whether there are more.
    more: bool,
}

/// How a search came to where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Straight on.
    Straight,
    /// Over the end of the list, to its beginning.
    FromTop,
    /// Over the beginning of the list, to its end.
    FromEnd,
}

impl Way {
    /// The way from one row to another. Where there is only one match, that is no way at all.
    pub(super) fn of(forward: bool, from_here: bool, before: usize, now: usize) -> Self {
        match forward {
            true if now < before => Self::FromTop,
            false if now > before && !from_here => Self::FromEnd,
            _ => Self::Straight,
        }
    }
}

impl Matches {
    /// Goes through a list of `len` rows.
    pub(super) fn among(len: usize, holds: impl Fn(usize) -> bool) -> Self {
        let mut rows: Vec<usize> = (0..len).filter(|row| holds(*row)).take(MOST + 1).collect();
        let more = rows.len() > MOST;
        rows.truncate(MOST);
        Self { rows, more }
    }

    /// The first match after a row, or the last one before it, around the end.
    pub(super) fn next(&self, here: usize, forward: bool, from_here: bool) -> Option<usize> {
        let found = if forward {
            self.rows.iter().find(|row| **row > here || (from_here && **row == here)).or(self.rows.first())
        } else {
            self.rows.iter().rev().find(|row| **row < here).or(self.rows.last())
        };
        found.copied()
    }

    /// Which match the one in a row is, and how that was reached; `keys` name the ways on.
    pub(super) fn words(&self, row: usize, way: Way, keys: &str) -> String {
        let count = if self.more { "more than 10,000".to_owned() } else { self.rows.len().to_string() };
        let way = match way {
            Way::Straight => "",
            Way::FromTop => ", on from the top",
            Way::FromEnd => ", on from the end",
        };
        match (self.rows.binary_search(&row), self.rows.len(), self.more) {
            (Ok(_), 1, false) => "the only match".to_owned(),
            (Ok(place), ..) => format!("match {} of {count}{way}{keys}", place + 1),
            (Err(_), ..) => format!("a match, one of {count}{way}{keys}"),
        }
    }
}

impl App {
    /// Goes to the next place that holds what is searched for. `from_here` lets the place under the cursor count.
    pub(super) fn search(&mut self, forward: bool, from_here: bool) {
        if self.search.needle.is_empty() {
            if !from_here {
                self.say("nothing was searched for yet");
            }
            return;
        }
        let needle = self.search.needle.clone();
        let before = self.with_pane(|pane, view| pane.searched(view)).flatten().map_or(0, |(row, _)| row);
        match self.with_pane(|pane, view| pane.search(&needle, forward, from_here, view)).flatten() {
            Some(response) => {
                self.respond(response);
                let now = self.with_pane(|pane, view| pane.searched(view)).flatten();
                if let Some((now, _)) = now {
                    self.say_match(Way::of(forward, from_here, before, now));
                }
            }
            None => self.say(format!("\"{needle}\" is not here")),
        }
    }

    /// Says which match the cursor is at, where the pane counts them.
    pub(super) fn say_match(&mut self, way: Way) {
        let (matches, needle) = (self.search.matches.take(), self.search.needle.clone());
        let found = self.with_pane(|pane, view| {
            let (row, len) = pane.searched(view)?;
            Some((row, matches.unwrap_or_else(|| Matches::among(len, |row| pane.holds(row, &needle, view)))))
        });
        if let Some((row, matches)) = found.flatten() {
            if matches.rows.is_empty() {
                self.say(format!("\"{needle}\" is not here"));
            } else {
                self.say(matches.words(row, way, &search_keys(&self.settings.keymap, self.active.scope())));
            }
            self.search.matches = Some(matches);
        }
    }
}

/// The keys that lead on from a match in a scope, in brackets.
pub(super) fn search_keys(keymap: &Keymap, scope: Scope) -> String {
    let key = |action| keymap.hint(scope, action);
    match (key(Action::SearchNext), key(Action::SearchPrevious)) {
        (Some(next), Some(before)) => format!(" ({next} next, {before} before)"),
        (Some(next), None) => format!(" ({next} next)"),
        (None, Some(before)) => format!(" ({before} before)"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_says_its_place_and_how_it_was_reached() {
        let matches = Matches::among(10, |row| row % 4 == 1);
        assert_eq!(matches.words(5, Way::Straight, " (n next)"), "match 2 of 3 (n next)");
        assert_eq!(matches.words(1, Way::of(true, false, 9, 1), ""), "match 1 of 3, on from the top");
        assert_eq!(matches.words(9, Way::of(false, false, 1, 9), ""), "match 3 of 3, on from the end");
        let one = Matches::among(10, |row| row == 7);
        assert_eq!(one.words(7, Way::of(true, false, 7, 7), " (n next)"), "the only match");
    }

    #[test]
    fn more_than_can_be_gone_through_is_not_counted() {
        let matches = Matches::among(100_000, |row| row % 2 == 0);
        assert_eq!(matches.words(0, Way::Straight, ""), "match 1 of more than 10,000");
        assert_eq!(matches.words(60_000, Way::Straight, ""), "a match, one of more than 10,000");
    }
}
