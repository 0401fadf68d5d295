//! Scenarios: steps on an empty store, each with what it should come to. They say in data how the store behaves, and let a
//! person watch it work.
//!
//! A file of scenarios holds `about`, `operations` (what each operation does, in words), `rules` and `scenarios`. Those with
//! `steps` are read here; the others give an `input` and an output and are read elsewhere.

mod operation;
mod outcome;
mod play;
mod words;

pub use operation::Operation;
pub use outcome::Outcome;
pub use play::Playback;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::path;
use crate::source::json::{self, OrderedMap, did_you_mean};
use crate::source::{InputError, Segment, Source};

/// The fields of a file of scenarios and of its steps, for "did you mean".
const FIELDS: &[&str] = &["about", "operations", "rules", "scenarios", "name", "steps", "input", "expect", "do"];

/// The scenarios of a file that have steps, and what the file says about them all.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenarios {
    /// What each operation does, in words.
    pub operations: BTreeMap<String, String>,
    /// How the store behaves, in words.
    pub rules: Vec<String>,
    /// The scenarios, in the order of the file.
    pub scenarios: Vec<Scenario>,
}

/// Steps that begin with an empty store.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Its name; each stands once in a file.
    pub name: String,
    /// What it shows, in words.
    pub about: String,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// An operation and what it should come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What is done.
    pub operation: Operation,
    /// What should come of it, as [`Outcome::to_value`] writes it.
    pub expect: Value,
}

impl Step {
    /// Whether an outcome is the expected one.
    pub fn holds(&self, outcome: &Outcome) -> bool {
        outcome.to_value() == self.expect
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "about")]
    _about: String,
    operations: BTreeMap<String, String>,
    rules: Vec<String>,
    scenarios: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    steps: Option<Vec<OrderedMap<Value>>>,
    #[serde(default)]
    input: Option<IgnoredAny>,
    #[serde(default)]
    expect: Option<IgnoredAny>,
}

impl Scenarios {
    /// Reads a file of scenarios.
    ///
    /// # Errors
    /// Broken JSON, a missing or unknown field, a value of the wrong type, an operation that there is not, a scenario with
    /// both steps and an input or with neither, a name that stands twice: with line and column, and for steps with the
    /// scenario's name and the step's number.
    pub fn load(source: &Source) -> Result<Self, InputError> {
        let (file, _) = json::parse::<File>(source, FIELDS)?;
        let mut scenarios: Vec<Scenario> = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for (place, entry) in file.scenarios.iter().enumerate() {
            let at = |what: &str| source.error_at(&path!["scenarios", place, "name"], what);
            if names.contains(&entry.name.as_str()) {
                return Err(at(&format!("found a second scenario `{}`, expected each name once", entry.name)));
            }
            names.push(&entry.name);
            let pure = entry.input.is_some() || entry.expect.is_some();
            match &entry.steps {
                Some(_) if pure => {
                    return Err(at(&format!(
                        "scenario `{}`: found steps beside an input or an expected output, expected one of both",
                        entry.name
                    )));
                }
                None if !pure => {
                    return Err(at(&format!("scenario `{}`: found neither steps nor an expected output", entry.name)));
                }
                None => {}
                Some(steps) => {
                    let read = |(number, fields)| step(source, place, number, &entry.name, fields);
                    let steps = steps.iter().enumerate().map(read).collect::<Result<_, _>>()?;
                    scenarios.push(Scenario { name: entry.name.clone(), about: entry.about.clone(), steps });
                }
            }
        }
        Ok(Self { operations: file.operations, rules: file.rules, scenarios })
    }
}

/// Reads one step. An operation and its fields are read as `{"OPERATION": {FIELDS}}`, so that each problem has its place.
fn step(
    source: &Source,
    scenario: usize,
    number: usize,
    name: &str,
    fields: &OrderedMap<Value>,
) -> Result<Step, InputError> {
    let wrong = |inside: &[Segment], message: String| {
        let way = path!["scenarios", scenario, "steps", number].into_iter().chain(inside.iter().cloned());
        source.error_at(&way.collect::<Vec<_>>(), format!("scenario `{name}`, step {}: {message}", number + 1))
    };
    let mut left: Map<String, Value> = Map::new();
    for (field, value) in &fields.0 {
        if left.insert(field.clone(), value.clone()).is_some() {
            return Err(wrong(&path![field.as_str()], format!("found `{field}` twice, expected it once")));
        }
    }
    let expect = left.shift_remove("expect").ok_or_else(|| wrong(&[], "missing field `expect`".to_owned()))?;
    let operation = match left.shift_remove("do") {
        Some(Value::String(operation)) => operation,
        Some(other) => {
            return Err(wrong(&path!["do"], format!("do: found {other}, expected the name of an operation")));
        }
        None => return Err(wrong(&[], "missing field `do`".to_owned())),
    };
    if !Operation::NAMES.contains(&operation.as_str()) {
        let near = did_you_mean(&operation, Operation::NAMES).map(|near| format!("; did you mean `{near}`?"));
        let known = Operation::NAMES.join(", ");
        let message = format!("found the operation `{operation}`, expected one of {known}{}", near.unwrap_or_default());
        return Err(wrong(&path!["do"], message));
    }
    let tagged = Value::Object(Map::from_iter([(operation, Value::Object(left))]));
    let operation = serde_path_to_error::deserialize(&tagged).map_err(|error| {
        let (inside, message) = json::tracked(&error);
        let label = json::path_in_words(&inside);
        wrong(&inside, if label.is_empty() { message } else { format!("{label}: {message}") })
    })?;
    Ok(Step { operation, expect })
}

#[cfg(test)]
pub(super) mod tests;
