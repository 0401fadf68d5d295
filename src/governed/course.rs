//! A file of what lessons are learned from: a policy's base rules, the training cases, and what holds a lesson in check.

use serde::Deserialize;

use super::{Case, Curriculum, Policy};
use crate::source::{InputError, Source, Warning, json};

/// The fields of the file, for "did you mean".
const FIELDS: &[&str] = &["base", "otherwise", "episodes", "train", "held_out", "negatives", "regression", "support"];

/// A curriculum, the policy that it begins with, and how often it is gone through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    /// The base rules, without a lesson.
    pub policy: Policy,
    /// The cases.
    pub curriculum: Curriculum,
    /// The passes over the training cases.
    pub episodes: usize,
}

#[derive(Deserialize)]
struct File {
    base: Vec<(String, String)>,
    otherwise: String,
    episodes: usize,
    train: Vec<Case>,
    held_out: Vec<Case>,
    negatives: Vec<Case>,
    #[serde(default)]
    regression: Option<Vec<Case>>,
    #[serde(default = "one")]
    support: usize,
}

fn one() -> usize {
    1
}

/// The most passes: no curriculum takes more to settle than it has training cases, and each pass costs all of them.
const MOST_EPISODES: usize = 10_000;

impl Course {
    /// Reads a course as `fixtures/governed/governed-expected.json` gives it as the input of its lessons: rules of `base` are
    /// `[keyword, route]`, cases are `[[keywords], route]`.
    ///
    /// # Errors
    /// Broken JSON, a missing field, a value of the wrong type, too many passes, a support of 0: with line and column. Unknown
    /// fields are warnings.
    pub fn load(source: &Source) -> Result<(Self, Vec<Warning>), InputError> {
        let (file, warnings) = json::parse::<File>(source, FIELDS)?;
        let File { base, otherwise, episodes, train, held_out, negatives, regression, support } = file;
        if episodes > MOST_EPISODES {
            let message = format!("found {episodes} episodes, expected at most {MOST_EPISODES}");
            return Err(source.error_at(&crate::path!["episodes"], message));
        }
        if support == 0 {
            return Err(source.error_at(&crate::path!["support"], "found a support of 0, expected at least 1"));
        }
        let policy = Policy { base, otherwise, lessons: Vec::new() };
        let curriculum = Curriculum { train, held_out, negatives, regression, support };
        Ok((Self { policy, curriculum, episodes }, warnings))
    }
}
