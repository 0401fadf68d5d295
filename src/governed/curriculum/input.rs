//! The input of a curriculum and of a rollback, as a file writes it.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::governed::{Case, Curriculum, Lesson, Policy};
use crate::path;
use crate::source::Segment;

/// Passes that a file may ask for at most: the work grows with each.
const EPISODES: usize = 1000;

/// Keywords and their route, as a list of both.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Pair(BTreeSet<String>, String);

impl From<Pair> for Case {
    fn from(Pair(keywords, route): Pair) -> Self {
        Self { keywords, route }
    }
}

impl From<Pair> for Lesson {
    fn from(Pair(keywords, route): Pair) -> Self {
        Self { keywords, route }
    }
}

impl From<&Lesson> for Pair {
    fn from(Lesson { keywords, route }: &Lesson) -> Self {
        Self(keywords.clone(), route.clone())
    }
}

/// What an input is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Curriculum,
    Rollback,
    Other,
}

/// The fields by which a curriculum or a rollback is recognised, whatever is in them: a curriculum whose `train` is
/// misspelled must not be passed over.
#[derive(Deserialize)]
struct Recognised {
    train: Option<IgnoredAny>,
    held_out: Option<IgnoredAny>,
    negatives: Option<IgnoredAny>,
    regression: Option<IgnoredAny>,
    otherwise: Option<IgnoredAny>,
    episodes: Option<IgnoredAny>,
    rolled_back: Option<IgnoredAny>,
}

impl Shape {
    pub(super) fn of(raw: &RawValue) -> Self {
        // A list would be taken for the fields in their order.
        if !raw.get().starts_with('{') {
            return Self::Other;
        }
        match serde_json::from_str::<Recognised>(raw.get()) {
            // A field that stands twice: the reading of a curriculum says so.
            Err(_) => Self::Curriculum,
            Ok(Recognised { train, held_out, negatives, regression, otherwise, episodes, rolled_back }) => {
                let found = [train, held_out, negatives, regression, otherwise, episodes];
                match (found.iter().any(Option::is_some), rolled_back.is_some()) {
                    (true, _) => Self::Curriculum,
                    (false, true) => Self::Rollback,
                    (false, false) => Self::Other,
                }
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Train {
    base: Vec<(String, String)>,
    otherwise: String,
    episodes: usize,
    train: Vec<Pair>,
    held_out: Vec<Pair>,
    negatives: Vec<Pair>,
    #[serde(default)]
    regression: Option<Vec<Pair>>,
    #[serde(default = "one")]
    support: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RollbackInput {
    pub(super) rolled_back: Pair,
    pub(super) cases: Vec<Pair>,
}

fn one() -> usize {
    1
}

type Wrong = (Vec<Segment>, String);

impl Train {
    /// What types do not say: what is wrong, and the way to it.
    pub(super) fn check(&self) -> Result<(), Wrong> {
        if !(1..=EPISODES).contains(&self.episodes) {
            let message = format!("found {}, expected a number of passes from 1 to {EPISODES}", self.episodes);
            return Err((path!["episodes"].into(), message));
        }
        if self.support == 0 {
            return Err((path!["support"].into(), "found 0, expected at least 1 held-out case".to_owned()));
        }
        if self.train.is_empty() {
            return Err((path!["train"].into(), "found no case, expected at least one".to_owned()));
        }
        if self.otherwise.is_empty() {
            return Err((path!["otherwise"].into(), "found an empty text, expected a route".to_owned()));
        }
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for (place, (keyword, route)) in self.base.iter().enumerate() {
            for (index, text, what) in [(0, keyword, "a keyword"), (1, route, "a route")] {
                if text.is_empty() {
                    return Err((path!["base", place, index].into(), format!("found an empty text, expected {what}")));
                }
            }
            if !known.insert(keyword) {
                let message = format!("found a second rule for `{keyword}`, which never fires, expected one");
                return Err((path!["base", place].into(), message));
            }
        }
        let regression = self.regression.as_deref().unwrap_or_default();
        let lists: [(&str, &[Pair]); 4] = [
            ("train", &self.train),
            ("held_out", &self.held_out),
            ("negatives", &self.negatives),
            ("regression", regression),
        ];
        for (list, pairs) in lists {
            for (place, Pair(keywords, route)) in pairs.iter().enumerate() {
                if keywords.contains("") {
                    let message = "found an empty keyword, expected words".to_owned();
                    return Err((path![list, place, 0].into(), message));
                }
                if route.is_empty() {
                    let message = "found an empty text, expected a route".to_owned();
                    return Err((path![list, place, 1].into(), message));
                }
            }
        }
        Ok(())
    }

    /// The cases, the policy before the first pass, and the number of passes.
    pub(super) fn taken(self) -> (Curriculum, Policy, usize) {
        let cases = |pairs: Vec<Pair>| pairs.into_iter().map(Case::from).collect();
        let curriculum = Curriculum {
            train: cases(self.train),
            held_out: cases(self.held_out),
            negatives: cases(self.negatives),
            regression: self.regression.map(cases),
            support: self.support,
        };
        let policy = Policy { base: self.base, otherwise: self.otherwise, lessons: Vec::new() };
        (curriculum, policy, self.episodes)
    }
}
