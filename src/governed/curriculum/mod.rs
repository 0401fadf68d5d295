//! Curricula in a file: cases, and the base rules that lessons are put on top of.
//!
//! They stand in a file of scenarios, as those with an `input.train`; a file of one's own needs nothing but `scenarios`. A
//! scenario with an `input.rolled_back` takes a lesson back from the policy that the curriculum before it comes to.

mod expected;
mod input;
#[cfg(test)]
mod tests;

pub use expected::{Expected, Logged, Then};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{Case, Curriculum, Lesson, Policy, Run};
use crate::path;
use crate::source::{InputError, Segment, Source, json};
use input::{RollbackInput, Shape, Train};

/// The fields of a file of curricula, for "did you mean".
const FIELDS: &[&str] = &["about", "operations", "rules", "scenarios", "name", "steps", "input", "expect"];

/// The curricula of a file, in its order; at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Curricula {
    /// The curricula.
    pub curricula: Vec<NamedCurriculum>,
}

/// A curriculum, with what it begins on and what the file says about it.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedCurriculum {
    /// Its name; each stands once in a file.
    pub name: String,
    /// What it shows, in words.
    pub about: String,
    /// The cases.
    pub curriculum: Curriculum,
    /// The policy before the first pass: base rules and no lesson.
    pub policy: Policy,
    /// How many passes are run, from 1.
    pub episodes: usize,
    /// What the file says that it comes to.
    pub expected: Option<Expected>,
    /// Lessons that the file takes back from the resulting policy.
    pub rollbacks: Vec<NamedRollback>,
}

/// A lesson to take back, and cases to look at afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRollback {
    /// Its name.
    pub name: String,
    /// What it shows, in words.
    pub about: String,
    /// The lesson.
    pub lesson: Lesson,
    /// The cases.
    pub cases: Vec<Case>,
    /// The route of each case afterwards, as the file expects it.
    pub expected: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "about", default)]
    _about: Option<IgnoredAny>,
    #[serde(rename = "operations", default)]
    _operations: Option<IgnoredAny>,
    #[serde(rename = "rules", default)]
    _rules: Option<IgnoredAny>,
    scenarios: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    #[serde(default)]
    about: String,
    #[serde(rename = "steps", default)]
    _steps: Option<IgnoredAny>,
    #[serde(default)]
    input: Option<Box<RawValue>>,
    #[serde(default)]
    expect: Option<Box<RawValue>>,
}

impl Curricula {
    /// Reads a file of curricula; scenarios of other sorts are passed over.
    ///
    /// # Errors
    /// Broken JSON, a missing or unknown field, a value of the wrong type, a name that stands twice, an empty keyword or
    /// route, a base rule that can never fire, a number outside its bounds, no curriculum at all: with line and column, and
    /// with the name of the curriculum.
    pub fn load(source: &Source) -> Result<Self, InputError> {
        let (file, _) = json::parse::<File>(source, FIELDS)?;
        let mut curricula: Vec<NamedCurriculum> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for (place, entry) in file.scenarios.iter().enumerate() {
            let reader = Reader { source, place, entry };
            if names.contains(&entry.name.as_str()) {
                return Err(reader.wrong(&path!["name"], "found this name a second time, expected each name once"));
            }
            names.push(&entry.name);
            match entry.input.as_deref().map_or(Shape::Other, Shape::of) {
                Shape::Curriculum => curricula.push(reader.curriculum()?),
                Shape::Rollback => {
                    let read = reader.rollback()?;
                    let before = curricula.last_mut().ok_or_else(|| {
                        reader
                            .wrong(&path!["name"], "found a rollback before any curriculum, expected it after its own")
                    })?;
                    before.rollbacks.push(read);
                }
                Shape::Other => {}
            }
        }
        if curricula.is_empty() {
            let message = "found no curriculum, expected at least one scenario with an `input.train`";
            return Err(source.error_at(&path!["scenarios"], message));
        }
        Ok(Self { curricula })
    }

    /// The curriculum of a name.
    pub fn find(&self, name: &str) -> Option<&NamedCurriculum> {
        self.curricula.iter().find(|curriculum| curriculum.name == name)
    }
}

impl NamedCurriculum {
    /// Runs all passes, from the policy before the first.
    pub fn run(&self) -> Run {
        self.curriculum.run(self.policy.clone(), self.episodes)
    }
}

/// Reads one scenario.
struct Reader<'a> {
    source: &'a Source,
    place: usize,
    entry: &'a Entry,
}

impl Reader<'_> {
    fn wrong(&self, inside: &[Segment], message: impl std::fmt::Display) -> InputError {
        let way: Vec<Segment> = path!["scenarios", self.place].into_iter().chain(inside.iter().cloned()).collect();
        self.source.error_at(&way, format!("`{}`: {message}", self.entry.name))
    }

    fn read<'de, T: Deserialize<'de>>(&self, field: &str, raw: &'de RawValue) -> Result<T, InputError> {
        let mut parser = serde_json::Deserializer::from_str(raw.get());
        serde_path_to_error::deserialize(&mut parser).map_err(|error| {
            let (inside, message) = json::tracked(&error);
            let way: Vec<Segment> = path![field].into_iter().chain(inside).collect();
            self.wrong(&way, format!("{}: {message}", json::path_in_words(&way)))
        })
    }

    fn find<'de, T: Deserialize<'de>>(&self, field: &str, raw: Option<&'de RawValue>) -> Result<Option<T>, InputError> {
        raw.map(|raw| self.read(field, raw)).transpose()
    }

    fn curriculum(&self) -> Result<NamedCurriculum, InputError> {
        let Entry { name, about, input, expect, .. } = self.entry;
        let raw = input.as_deref().unwrap_or(RawValue::NULL);
        let read: Train = self.read("input", raw)?;
        read.check().map_err(|(inside, message)| {
            let way: Vec<Segment> = path!["input"].into_iter().chain(inside).collect();
            self.wrong(&way, format!("{}: {message}", json::path_in_words(&way)))
        })?;
        let (curriculum, policy, episodes) = read.taken();
        let expected = self.find("expect", expect.as_deref())?;
        let (name, about) = (name.clone(), about.clone());
        Ok(NamedCurriculum { name, about, curriculum, policy, episodes, expected, rollbacks: Vec::new() })
    }

    fn rollback(&self) -> Result<NamedRollback, InputError> {
        let Entry { name, about, input, expect, .. } = self.entry;
        let raw = input.as_deref().unwrap_or(RawValue::NULL);
        let read: RollbackInput = self.read("input", raw)?;
        let expected = self.find::<Vec<String>>("expect", expect.as_deref())?;
        if let Some(routes) = expected.as_ref().filter(|routes| routes.len() != read.cases.len()) {
            let message =
                format!("found {} routes, expected one for each of the {} cases", routes.len(), read.cases.len());
            return Err(self.wrong(&path!["expect"], message));
        }
        Ok(NamedRollback {
            name: name.clone(),
            about: about.clone(),
            lesson: read.rolled_back.into(),
            cases: read.cases.into_iter().map(Case::from).collect(),
            expected,
        })
    }
}
