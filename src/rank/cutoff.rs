//! How much of a ranking is looked at.

use std::fmt;
use std::str::FromStr;

/// The part of a ranking that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cutoff {
    /// The first k candidates, whatever they cost.
    First(usize),
    /// The lines that fit into the facts quota: the memory block. Not always the first ones, for a line that does not fit is
    /// skipped and the next is tried.
    Quota,
    /// Every candidate.
    Whole,
}

impl Cutoff {
    /// Those that are measured where nobody names others.
    pub const DEFAULT: [Self; 6] =
        [Self::First(1), Self::First(3), Self::First(5), Self::First(10), Self::First(20), Self::Quota];

    /// The most places of the ranking that it looks at; none for the block, which is a list of its own.
    pub fn depth(self) -> Option<usize> {
        match self {
            Self::First(k) => Some(k),
            Self::Quota => None,
            Self::Whole => Some(usize::MAX),
        }
    }

    /// What stands behind a measure, such as `@10` or ` within quota`.
    pub fn suffix(self) -> String {
        match self {
            Self::First(k) => format!("@{k}"),
            Self::Quota => " within quota".to_owned(),
            Self::Whole => " of all candidates".to_owned(),
        }
    }
}

impl fmt::Display for Cutoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First(k) => write!(f, "{k}"),
            Self::Quota => f.write_str("quota"),
            Self::Whole => f.write_str("all"),
        }
    }
}

impl FromStr for Cutoff {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "quota" => Ok(Self::Quota),
            "all" => Ok(Self::Whole),
            number => match number.parse() {
                Ok(k) if (1..=MOST).contains(&k) => Ok(Self::First(k)),
                _ => Err(format!("expected a number from 1 to {MOST}, `quota` or `all`")),
            },
        }
    }
}

/// The largest k: beyond any block that a model reads.
const MOST: usize = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutoffs_survive_writing_and_reading() {
        for cutoff in Cutoff::DEFAULT.into_iter().chain([Cutoff::Whole]) {
            assert_eq!(cutoff.to_string().parse(), Ok(cutoff));
        }
        for wrong in ["0", "-1", "ten", "", "1.5", "99999999999999999999"] {
            assert!(wrong.parse::<Cutoff>().is_err(), "{wrong}");
        }
    }
}
