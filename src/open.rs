//! From files to what a workspace is made of: which file is what, and what stands in for a file that is not named.

use std::path::PathBuf;
use std::sync::Arc;

use crate::bundled;
use crate::case::CaseSet;
use crate::grade::{AnswerKeys, Counting};
use crate::recording::Recording;
use crate::select;
use crate::source::{InputError, Source};
use crate::workspace::{OpenError, Parts};

/// Which files to open; what is not named is the bundled data.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// The case file; `-` is standard input.
    pub cases: Option<PathBuf>,
    /// Recordings and block runs, side by side.
    pub answers: Vec<PathBuf>,
    /// The answer keys.
    pub keys: Option<PathBuf>,
    /// The strategies to run, by name; where none is named, those of the recorded evaluation.
    pub strategies: Vec<String>,
    /// Whose grades count, and of which questions.
    pub counting: Counting,
}

/// Reads everything that the inputs name.
///
/// # Errors
/// An input cannot be read or is wrong, or a strategy is not known.
pub fn parts(inputs: &Inputs) -> Result<Parts, OpenError> {
    Ok(Parts {
        cases: Arc::new(load_cases(inputs)?),
        keys: load_keys(inputs)?,
        recordings: load_recordings(inputs)?,
        runs: Vec::new(),
        strategies: select::named(&inputs.strategies)?,
    })
}

/// The named case file or the bundled one.
///
/// # Errors
/// It cannot be read or is wrong.
pub fn load_cases(inputs: &Inputs) -> Result<CaseSet, InputError> {
    CaseSet::load(&inputs.cases.as_deref().map_or_else(|| Ok(bundled::cases()), Source::read)?)
}

/// The named keys; the bundled ones where neither cases nor answers nor keys are named; else none.
///
/// # Errors
/// They cannot be read or are wrong.
pub fn load_keys(inputs: &Inputs) -> Result<AnswerKeys, InputError> {
    match &inputs.keys {
        Some(path) => AnswerKeys::load(&Source::read(path)?),
        None if inputs.cases.is_none() => AnswerKeys::load(&bundled::answer_keys()),
        None => Ok(AnswerKeys::default()),
    }
}

/// The named recordings; the bundled one where no case file is named either; else none.
///
/// # Errors
/// One cannot be read or is wrong.
pub fn load_recordings(inputs: &Inputs) -> Result<Vec<Recording>, InputError> {
    if inputs.answers.is_empty() && inputs.cases.is_none() {
        return Ok(vec![Recording::load(&bundled::answers())?]);
    }
    inputs.answers.iter().map(|path| Recording::load(&Source::read(path)?)).collect()
}
