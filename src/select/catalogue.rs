//! The strategies by name: what may be asked for, and what is run where nobody asks.

use std::sync::Arc;

use super::{
    Analysis, AppendAll, Attribute, Bm25, Dense, Governed, Hybrid, ManagedAll, ManagedRelevant, Nothing, Oracle,
    Recency, RelevantStem, Strategy, Top,
};
use crate::case::{CaseSet, Op};
use crate::embed::Vectors;
use crate::source::json::did_you_mean;

/// The name that stands for every built-in strategy.
const ALL: &str = "all";
/// The one strategy that cannot do without embeddings.
const DENSE: &str = "dense";

/// The built-in strategies that need nothing but the records, in the order of `all`.
const NAMES: [&str; 12] = [
    "managed-all",
    "managed-relevant",
    "append-all",
    "governed",
    "recency",
    "relevant-stem",
    "bm25",
    "bm25-stem",
    "hybrid",
    "attribute",
    "oracle",
    "nothing",
];

/// Those of a case set in which nothing is ever corrected or forgotten: what a person who opens a benchmark wants to see
/// beside the recorded answers. The stores are alike then, so `append-all` and `managed-all` would show `recency` thrice.
const FOR_BENCHMARKS: [&str; 4] = ["recency", "managed-relevant", "bm25-stem", "oracle"];

/// A strategy that cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UnknownStrategy {
    /// What was asked for.
    pub name: String,
    message: String,
}

/// What somebody asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// A strategy of recallscope's own, and how many of its first records count.
    BuiltIn {
        /// Its name.
        name: &'static str,
        /// How many records of its ranking count at most.
        most: Option<usize>,
    },
    /// A program of the user's: `NAME=COMMAND`.
    Command {
        /// The name of the strategy.
        name: String,
        /// The command, for `sh -c`.
        command: String,
    },
}

impl Chosen {
    /// The name that its strategy has.
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn { name, most: Some(most) } => format!("{name}:{most}"),
            Self::BuiltIn { name, most: None } => (*name).to_owned(),
            Self::Command { name, .. } => name.clone(),
        }
    }

    /// Whether embeddings make a difference to it.
    pub fn wants_vectors(&self) -> bool {
        matches!(self, Self::BuiltIn { name: DENSE | "hybrid", .. })
    }

    /// The strategy; none for a command, and none for `dense` where there are no embeddings.
    pub fn strategy(&self, vectors: Option<&Arc<Vectors>>) -> Option<Arc<dyn Strategy>> {
        let Self::BuiltIn { name, most } = self else { return None };
        let strategy: Arc<dyn Strategy> = match *name {
            "managed-all" => Arc::new(ManagedAll),
            "managed-relevant" => Arc::new(ManagedRelevant),
            "append-all" => Arc::new(AppendAll),
            "governed" => Arc::new(Governed),
            "recency" => Arc::new(Recency),
            "relevant-stem" => Arc::new(RelevantStem),
            "bm25" => Arc::new(Bm25(Analysis::Plain)),
            "bm25-stem" => Arc::new(Bm25(Analysis::Stem)),
            "hybrid" => Arc::new(Hybrid::new(vectors.cloned())),
            "attribute" => Arc::new(Attribute),
            "oracle" => Arc::new(Oracle),
            "nothing" => Arc::new(Nothing),
            DENSE => Arc::new(Dense::new(Arc::clone(vectors?))),
            _ => return None,
        };
        Some(match most {
            Some(most) => Arc::new(Top::new(strategy, *most)),
            None => strategy,
        })
    }
}

fn known() -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().chain([DENSE])
}

/// Whether a strategy of recallscope's own has this name.
pub fn is_builtin(name: &str) -> bool {
    known().any(|known| known == name)
}

/// What these words ask for, in their order: `NAME`, `NAME:K` for the first K records of its ranking, `all`, and
/// `NAME=COMMAND` for a program of the user's. What is asked for twice is there once.
///
/// # Errors
/// A name that no strategy has, a K that is not a number from 1, a command whose name is taken or empty.
pub fn choose(words: &[String]) -> Result<Vec<Chosen>, UnknownStrategy> {
    let mut chosen: Vec<Chosen> = Vec::new();
    for word in words {
        let refused = |message: String| UnknownStrategy { name: word.clone(), message };
        if word == ALL {
            for name in known() {
                let builtin = Chosen::BuiltIn { name, most: None };
                if !chosen.contains(&builtin) {
                    chosen.push(builtin);
                }
            }
            continue;
        }
        let next = match word.split_once('=') {
            Some((name, command)) => self::command(name, command).map_err(refused)?,
            None => builtin_named(word).map_err(refused)?,
        };
        let taken = chosen.iter().find(|earlier| earlier.name() == next.name());
        match (taken, &next) {
            (None, _) => chosen.push(next),
            (Some(_), Chosen::BuiltIn { .. }) => {}
            (Some(_), Chosen::Command { name, .. }) => {
                return Err(refused(format!("two strategies are called {name}, expected names of their own")));
            }
        }
    }
    Ok(chosen)
}

fn command(name: &str, command: &str) -> Result<Chosen, String> {
    if name.trim() != name || name.is_empty() || name.chars().any(char::is_control) {
        return Err(format!("found \"{name}\" before the `=` of a command, expected a name"));
    }
    if is_builtin(name) || name == ALL {
        return Err(format!("{name} is a built-in strategy, expected another name for the command"));
    }
    if command.trim().is_empty() {
        return Err(format!("found nothing behind \"{name}=\", expected a command"));
    }
    Ok(Chosen::Command { name: name.to_owned(), command: command.to_owned() })
}

fn builtin_named(word: &str) -> Result<Chosen, String> {
    let (wanted, most) = match word.split_once(':') {
        Some((name, most)) => (name, Some(most)),
        None => (word, None),
    };
    let Some(name) = known().find(|known| *known == wanted) else {
        let names: Vec<&str> = known().chain([ALL]).collect();
        let hint = did_you_mean(wanted, &names).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        let names = names.join(", ");
        return Err(format!("there is no strategy {wanted}, expected one of {names}, or NAME=COMMAND{hint}"));
    };
    let most = most
        .map(|most| {
            let number = most.parse().ok().filter(|number| *number > 0);
            number.ok_or_else(|| format!("found \"{most}\" behind {name}:, expected how many records, from 1"))
        })
        .transpose()?;
    Ok(Chosen::BuiltIn { name, most })
}

/// The strategies of these names, in their order; those of the recorded evaluation where none is named. Commands are not
/// run, and `dense` has no embeddings: see [`crate::open`] for both.
///
/// # Errors
/// A name that no strategy has.
pub fn named(names: &[String]) -> Result<Vec<Arc<dyn Strategy>>, UnknownStrategy> {
    if names.is_empty() {
        return Ok(builtin());
    }
    Ok(choose(names)?.iter().filter_map(|chosen| chosen.strategy(None)).collect())
}

/// The strategies of the recorded evaluation, in its order.
pub fn builtin() -> Vec<Arc<dyn Strategy>> {
    vec![Arc::new(ManagedAll), Arc::new(ManagedRelevant), Arc::new(AppendAll)]
}

/// What is run on a case set where nobody asks for anything: the strategies of the recorded evaluation where something is
/// corrected or forgotten, which is what they differ in; else those that benchmarks are compared by.
pub fn default_for(cases: &CaseSet) -> Vec<Chosen> {
    let changes = |op: Op| op != Op::Remember;
    let changing =
        cases.conversations.iter().flat_map(|conversation| &conversation.events).any(|event| changes(event.op));
    let asked = cases.question_count() > 0;
    let names: &[&'static str] =
        if changing || !asked { &["managed-all", "managed-relevant", "append-all"] } else { &FOR_BENCHMARKS };
    names.iter().map(|&name| Chosen::BuiltIn { name, most: None }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(words: &[&str]) -> Result<Vec<String>, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let chosen = choose(&words).map_err(|error| error.to_string())?;
        Ok(chosen.iter().map(Chosen::name).collect())
    }

    #[test]
    fn names_numbers_and_commands_are_told_apart() {
        assert_eq!(chosen(&["recency:10", "bm25", "bm25"]).unwrap(), ["recency:10", "bm25"]);
        let words = ["mine=python3 a.py --k=3:4".to_owned()];
        let command = Chosen::Command { name: "mine".into(), command: "python3 a.py --k=3:4".into() };
        assert_eq!(choose(&words).unwrap(), [command]);
        let all = chosen(&["oracle", "all"]).unwrap();
        assert_eq!((all.len(), all[0].as_str(), all.last().unwrap().as_str()), (13, "oracle", "dense"));
    }

    #[test]
    fn mistakes_say_what_was_expected() {
        let error = |word: &str| chosen(&[word]).unwrap_err();
        assert!(
            error("bm52")
                .ends_with("hybrid, attribute, oracle, nothing, dense, all, or NAME=COMMAND; did you mean bm25?")
        );
        assert_eq!(error("recency:0"), "found \"0\" behind recency:, expected how many records, from 1");
        assert_eq!(error("recency:ten"), "found \"ten\" behind recency:, expected how many records, from 1");
        assert_eq!(error("bm25=cat"), "bm25 is a built-in strategy, expected another name for the command");
        assert_eq!(error("=cat"), "found \"\" before the `=` of a command, expected a name");
        assert_eq!(error("mine= "), "found nothing behind \"mine=\", expected a command");
        assert_eq!(
            chosen(&["a=cat", "a=tac"]).unwrap_err(),
            "two strategies are called a, expected names of their own"
        );
    }

    #[test]
    fn every_name_makes_the_strategy_of_that_name() {
        for chosen in choose(&["all".to_owned()]).unwrap() {
            match chosen.strategy(None) {
                Some(strategy) => assert_eq!(strategy.name(), chosen.name()),
                None => assert_eq!(chosen.name(), DENSE),
            }
        }
        let top = choose(&["bm25-stem:3".to_owned()]).unwrap()[0].strategy(None).unwrap();
        assert_eq!((top.name(), top.unranked_reason()), ("bm25-stem:3", "not among the first 3 of bm25-stem"));
    }

    #[test]
    fn the_bundled_cases_keep_the_recorded_strategies() {
        let names = |cases: &CaseSet| default_for(cases).iter().map(Chosen::name).collect::<Vec<_>>();
        let mut cases = crate::case::generate::bundled_cases();
        assert_eq!(names(&cases), ["managed-all", "managed-relevant", "append-all"]);
        for conversation in &mut cases.conversations {
            conversation.events.retain(|event| event.op == Op::Remember);
        }
        assert_eq!(names(&cases), FOR_BENCHMARKS);
    }
}
