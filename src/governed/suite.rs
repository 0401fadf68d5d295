//! Suites of probes, as a file of scenarios holds them: which questions, of whom, about when, and what a system must score to
//! ship.
//!
//! * `five abilities` lists the abilities; its one probe of each is built in, under 128 tokens a question.
//! * `cost-matched comparison` holds facts, transcript, questions and floors. Its budgets are those that its expected outcomes
//!   name (`governed at 64`), or the list `budgets` of its input. The subject that is deleted before the deletion questions is
//!   `deleted`, or else the one asker of those of them that expect no answer.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::Scope;
use super::abilities::{Ability, probes};
use super::compared::{Comparison, Probe, TimedFact};
use crate::path;
use crate::source::json;
use crate::source::{InputError, Segment, Source};

/// The name of the suite of one probe an ability.
pub const FIVE_ABILITIES: &str = "five abilities";
/// The name of the suite that holds all systems to one token budget.
pub const COST_MATCHED: &str = "cost-matched comparison";

const FIELDS: &[&str] =
    &["about", "scenarios", "name", "input", "expect", "facts", "log", "cases", "floors", "budgets", "deleted"];

/// Questions to systems, with the budgets under which they are asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    /// Its name; each stands once.
    pub name: String,
    /// What it shows, in words.
    pub about: String,
    /// What is told and asked, under the last of the budgets. Its floors hold those that no file can lower.
    pub comparison: Comparison,
    /// Tokens of question and memory together, the least first; never empty.
    pub budgets: Vec<usize>,
}

#[derive(Deserialize)]
struct File {
    scenarios: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    input: Option<Value>,
    #[serde(default)]
    expect: Option<Value>,
}

/// Ability, question, asker, the time that is asked about, and the right answer.
type Asked = (Ability, String, Scope, Option<i64>, Option<String>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    facts: Vec<(String, String, Scope, i64)>,
    log: Vec<String>,
    cases: Vec<Asked>,
    floors: BTreeMap<Ability, f64>,
    #[serde(default)]
    budgets: Option<Vec<usize>>,
    #[serde(default)]
    deleted: Option<Scope>,
}

impl Suite {
    /// The suites of the bundled file.
    ///
    /// # Errors
    /// See [`Suite::load`].
    pub fn bundled() -> Result<Vec<Self>, InputError> {
        Self::load(&crate::bundled::governed())
    }

    /// Reads the suites of a file of scenarios, in its order. Other scenarios are passed over.
    ///
    /// # Errors
    /// Broken JSON, a missing or unknown field, a value of the wrong type, an ability that there is not, a floor outside of 0 to
    /// 1, a floor of isolation or deletion below 1, no budget, a deletion that nobody can tell the subject of, a file
    /// without a suite: with line, column and the suite's name.
    pub fn load(source: &Source) -> Result<Vec<Self>, InputError> {
        let (file, _) = json::parse::<File>(source, FIELDS)?;
        let mut suites: Vec<Self> = Vec::new();
        for (place, entry) in file.scenarios.iter().enumerate() {
            let reader = Reader { source, place, entry };
            let suite = match entry.name.as_str() {
                FIVE_ABILITIES => reader.five()?,
                COST_MATCHED => reader.matched()?,
                _ => continue,
            };
            if suites.iter().any(|known| known.name == suite.name) {
                return Err(reader.wrong(&path!["name"], "found the suite a second time, expected each name once"));
            }
            suites.push(suite);
        }
        if suites.is_empty() {
            let message = format!("found no suite of probes, expected `{FIVE_ABILITIES}` or `{COST_MATCHED}`");
            return Err(source.error_at(&path!["scenarios"], message));
        }
        Ok(suites)
    }

    /// The comparison under a budget of tokens a question.
    pub fn at(&self, budget: usize) -> Comparison {
        Comparison { budget, ..self.comparison.clone() }
    }
}

struct Reader<'a> {
    source: &'a Source,
    place: usize,
    entry: &'a Entry,
}

impl Reader<'_> {
    fn wrong(&self, inside: &[Segment], message: impl std::fmt::Display) -> InputError {
        let way: Vec<Segment> = path!["scenarios", self.place].into_iter().chain(inside.iter().cloned()).collect();
        self.source.error_at(&way, format!("suite `{}`: {message}", self.entry.name))
    }

    fn input<T: serde::de::DeserializeOwned>(&self) -> Result<T, InputError> {
        let input = self.entry.input.as_ref().ok_or_else(|| self.wrong(&[], "missing field `input`"))?;
        serde_path_to_error::deserialize(input).map_err(|error| {
            let (inside, message) = json::tracked(&error);
            let way: Vec<Segment> = path!["input"].into_iter().chain(inside).collect();
            let label = json::path_in_words(&way);
            self.wrong(&way, format!("{label}: {message}"))
        })
    }

    fn five(&self) -> Result<Suite, InputError> {
        let named: Vec<Ability> = self.input()?;
        if named != Ability::ALL {
            let all = Ability::ALL.map(Ability::name).join(", ");
            let found = named.iter().map(|ability| ability.name()).collect::<Vec<_>>().join(", ");
            return Err(self.wrong(&path!["input"], format!("found {found}, expected {all}")));
        }
        let comparison = probes().map_err(|error| self.wrong(&[], error))?;
        let budgets = vec![comparison.budget];
        Ok(self.suite(comparison, budgets))
    }

    fn matched(&self) -> Result<Suite, InputError> {
        let input: Input = self.input()?;
        for (ability, floor) in &input.floors {
            let least = ability.least_floor().unwrap_or(0.0);
            if !(least..=1.0).contains(floor) {
                let expected = if least < 1.0 { "a share from 0 to 1" } else { "1: this floor is not negotiable" };
                let message = format!("found the floor {floor} of {}, expected {expected}", ability.name());
                return Err(self.wrong(&path!["input", "floors", ability.name()], message));
            }
        }
        let budgets = self.budgets(input.budgets.as_deref())?;
        let fact = |(key, value, scope, time)| TimedFact { key, value, scope, time };
        let probe = |(ability, question, scope, as_of, expected)| Probe { ability, question, scope, as_of, expected };
        let probes: Vec<Probe> = input.cases.into_iter().map(probe).collect();
        let comparison = Comparison {
            deleted: self.deleted(input.deleted, &probes)?,
            facts: input.facts.into_iter().map(fact).collect(),
            log: input.log,
            probes,
            budget: budgets.last().copied().unwrap_or_default(),
            floors: input.floors,
        };
        Ok(self.suite(comparison, budgets))
    }

    fn suite(&self, mut comparison: Comparison, budgets: Vec<usize>) -> Suite {
        for ability in Ability::ALL {
            if let Some(floor) = ability.least_floor() {
                comparison.floors.entry(ability).or_insert(floor);
            }
        }
        Suite { name: self.entry.name.clone(), about: self.entry.about.clone(), comparison, budgets }
    }

    /// The budgets, each once, the least first.
    fn budgets(&self, listed: Option<&[usize]>) -> Result<Vec<usize>, InputError> {
        let mut budgets: BTreeSet<usize> = listed.into_iter().flatten().copied().collect();
        if let (None, Some(Value::Object(outcomes))) = (listed, &self.entry.expect) {
            for name in outcomes.keys() {
                let budget = name.rsplit_once(" at ").and_then(|(_, budget)| budget.parse().ok());
                let wrong = || {
                    let message =
                        format!("found the outcome `{name}`, expected SYSTEM at BUDGET, such as `governed at 64`");
                    self.wrong(&path!["expect", name.as_str()], message)
                };
                budgets.insert(budget.ok_or_else(wrong)?);
            }
        }
        if budgets.is_empty() {
            let message = "found no budget, expected `budgets` in the input or outcomes such as `governed at 64`";
            return Err(self.wrong(&path!["input"], message));
        }
        Ok(budgets.into_iter().collect())
    }

    fn deleted(&self, named: Option<Scope>, probes: &[Probe]) -> Result<Scope, InputError> {
        let gone = probes.iter().filter(|probe| probe.ability == Ability::Deletion && probe.expected.is_none());
        let subjects: BTreeSet<&Scope> = gone.map(|probe| &probe.scope).collect();
        match (named, subjects.into_iter().collect::<Vec<_>>().as_slice()) {
            (Some(named), _) => Ok(named),
            (None, [only]) => Ok((*only).clone()),
            (None, several) => {
                let message = format!(
                    "found {} askers of deletion questions that expect no answer, expected one, or `deleted` to name whose \
                     records are deleted",
                    several.len()
                );
                Err(self.wrong(&path!["input", "cases"], message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"facts": [["city", "Oslo", ["a", "m"], 1]], "log": [], "floors": {"update": 0.5},
  "cases": [["update", "city?", ["a", "m"], null, "Oslo"], ["deletion", "city?", ["a", "m"], null, null]]}"#;

    fn load(input: &str, expect: &str) -> Result<Vec<Suite>, String> {
        let text = format!(
            "{{\"scenarios\": [{{\"name\": \"{COST_MATCHED}\",\n \"input\": {input},\n \"expect\": {expect}}}]}}"
        );
        Suite::load(&Source::new("s.json", text)).map_err(|error| error.to_string())
    }

    #[test]
    fn the_bundled_suites_are_read() {
        let suites = Suite::bundled().unwrap();
        let named: Vec<_> = suites.iter().map(|suite| (suite.name.as_str(), suite.budgets.as_slice())).collect();
        assert_eq!(named, [(FIVE_ABILITIES, &[128][..]), (COST_MATCHED, &[16, 64, 128][..])]);
        let matched = &suites[1].comparison;
        assert_eq!((matched.facts.len(), matched.log.len(), matched.probes.len()), (8, 14, 15));
        assert_eq!(matched.deleted.to_string(), "acme/mina");
        assert_eq!(matched.floors.values().copied().collect::<Vec<_>>(), [0.9, 0.9, 0.9, 1.0, 1.0]);
        assert_eq!(
            suites[0].comparison.floors.keys().copied().collect::<Vec<_>>(),
            [Ability::Isolation, Ability::Deletion]
        );
    }

    #[test]
    fn budgets_come_from_the_outcomes_or_are_listed() {
        let budgets = |input: &str, expect| load(input, expect).map(|suites| suites[0].budgets.clone());
        assert_eq!(
            budgets(GOOD, r#"{"governed at 9": {}, "no-memory at 9": {}, "governed at 3": {}}"#).unwrap(),
            [3, 9]
        );
        let listed = GOOD.replacen('{', "{\"budgets\": [7], ", 1);
        assert_eq!(budgets(&listed, "{}").unwrap(), [7]);
        assert_eq!(
            budgets(GOOD, "{}").unwrap_err(),
            "s.json:2:11: suite `cost-matched comparison`: found no budget, expected `budgets` in the input or outcomes such \
             as `governed at 64`"
        );
        assert!(
            budgets(GOOD, r#"{"governed": {}}"#).unwrap_err().contains("found the outcome `governed`, expected SYSTEM")
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let error = |from: &str, to: &str| load(&GOOD.replacen(from, to, 1), r#"{"x at 1": 1}"#).unwrap_err();
        assert_eq!(
            error("0.5", "1.5"),
            "s.json:2:88: suite `cost-matched comparison`: found the floor 1.5 of update, expected a share from 0 to 1"
        );
        assert!(
            error("\"update\": 0.5", "\"deletion\": 0.9")
                .ends_with("found the floor 0.9 of deletion, expected 1: this floor is not negotiable")
        );
        let unknown = error("[\"update\"", "[\"updat\"");
        assert!(
            unknown.starts_with("s.json:3:") && unknown.contains("input.cases[0][0]: unknown variant `updat`"),
            "{unknown}"
        );
        assert!(
            error("\"Oslo\", [", "7, [").contains("input.facts[0][1]: found integer `7`, expected a text in quotes")
        );
        assert!(error("[\"a\", \"m\"], 1", "[\"\", \"m\"], 1").contains("a scope's tenant is empty"));
        assert!(error("\"log\"", "\"logs\"").contains("unknown field `logs`"));
        assert!(error("[\"a\", \"m\"], null, null", "[\"a\", \"m\"], null, \"x\"").contains("found 0 askers"));
        let none = Suite::load(&Source::new("s.json", "{\"scenarios\": []}")).unwrap_err().to_string();
        assert!(
            none.ends_with("found no suite of probes, expected `five abilities` or `cost-matched comparison`"),
            "{none}"
        );
    }
}
