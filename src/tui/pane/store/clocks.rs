//! The two pointers: the valid time that is asked about, and when it was known.

/// Which pointer the keys move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Hand {
    #[default]
    AsOf,
    KnownAt,
}

impl Hand {
    /// What it says.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::AsOf => "as of",
            Self::KnownAt => "known at",
        }
    }
}

/// Both pointers. One that points nowhere asks about now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pointers {
    pub(super) as_of: Option<i64>,
    pub(super) known_at: Option<i64>,
    pub(super) hand: Hand,
}

/// Parts of all instants that a larger step passes.
const LARGE: usize = 8;

impl Pointers {
    /// Both at now.
    pub(super) fn rewind(&mut self) {
        (self.as_of, self.known_at) = (None, None);
    }

    /// The pointer that the keys move.
    pub(super) fn active(&self) -> Option<i64> {
        match self.hand {
            Hand::AsOf => self.as_of,
            Hand::KnownAt => self.known_at,
        }
    }

    /// The keys move the other one.
    pub(super) fn swap(&mut self) {
        self.hand = match self.hand {
            Hand::AsOf => Hand::KnownAt,
            Hand::KnownAt => Hand::AsOf,
        };
    }

    /// Moves the active pointer among instants in order, by one of them or by an eighth of all: back to just before the first
    /// one, on to now. Returns whether it moved.
    pub(super) fn step(&mut self, instants: &[i64], forward: bool, large: bool) -> bool {
        let by = if large { (instants.len() / LARGE).max(2) } else { 1 };
        // Place 0 is before the first instant; after the last one comes now.
        let now = instants.len() + 1;
        let place = match self.active() {
            None => now,
            Some(at) => instants.partition_point(|known| *known <= at),
        };
        let exact = self.active().is_none_or(|at| place > 0 && instants.get(place - 1) == Some(&at) || place == 0);
        let next = match (forward, exact) {
            (true, _) => (place + by).min(now),
            (false, true) => place.saturating_sub(by),
            // From between two instants, one step leads to the one before.
            (false, false) => place.saturating_sub(by - 1),
        };
        let next = match next {
            _ if next == now => None,
            0 => instants.first().map(|first| first.saturating_sub(1)),
            _ => instants.get(next - 1).copied(),
        };
        let hand = match self.hand {
            Hand::AsOf => &mut self.as_of,
            Hand::KnownAt => &mut self.known_at,
        };
        std::mem::replace(hand, next) != next
    }
}

/// A pointer in words.
pub(super) fn words(instant: Option<i64>) -> String {
    instant.map_or_else(|| "now".to_owned(), |instant| instant.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_goes_from_now_to_before_the_first_instant_and_back() {
        let instants = [10, 20, 30];
        let mut pointers = Pointers::default();
        let mut way = Vec::new();
        while pointers.step(&instants, false, false) {
            way.push(pointers.as_of);
        }
        assert_eq!(way, [Some(30), Some(20), Some(10), Some(9)]);
        way.clear();
        while pointers.step(&instants, true, false) {
            way.push(pointers.as_of);
        }
        assert_eq!(way, [Some(10), Some(20), Some(30), None]);
        assert_eq!(pointers.known_at, None);
    }

    #[test]
    fn large_steps_are_larger_and_the_ends_of_time_are_no_trouble() {
        let instants: Vec<i64> = (0..80).collect();
        let mut pointers = Pointers { hand: Hand::KnownAt, ..Pointers::default() };
        assert!(pointers.step(&instants, false, true));
        assert_eq!(pointers.known_at, Some(70));
        let mut pointers = Pointers::default();
        assert!(!pointers.step(&[], false, true) && !pointers.step(&[], true, false));
        assert!(pointers.step(&[i64::MIN, i64::MAX], false, true));
        pointers.step(&[i64::MIN, i64::MAX], false, false);
        assert_eq!(pointers.as_of, Some(i64::MIN));
        let mut between = Pointers { as_of: Some(25), ..Pointers::default() };
        between.step(&[10, 20, 30], false, false);
        assert_eq!(between.as_of, Some(20));
    }
}
