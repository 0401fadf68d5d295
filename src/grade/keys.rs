//! Answer keys: for each question, patterns that a right answer must match and must not match.

use std::collections::HashMap;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::case::Question;
use crate::path;
use crate::source::json::{self, OrderedMap};
use crate::source::{InputError, Segment, Source, Warning};

const FIELDS: &[&str] = &["replaced", "keys", "must", "stale", "forgotten"];

/// A compiled pattern, matched case-insensitively, beside the text that it was made from.
#[derive(Debug, Clone)]
pub struct Pattern {
    source: String,
    regex: Regex,
}

impl Pattern {
    /// Compiles a pattern: Unicode-aware, case-insensitive, in linear time (no look-around).
    ///
    /// # Errors
    /// The pattern is not a regular expression, or too large.
    pub fn new(source: &str) -> Result<Self, regex::Error> {
        let regex = RegexBuilder::new(source).case_insensitive(true).build()?;
        Ok(Self { source: source.to_owned(), regex })
    }

    /// The pattern as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The compiled pattern.
    pub fn regex(&self) -> &Regex {
        &self.regex
    }
}

/// The key of one question.
#[derive(Debug, Clone, Default)]
pub struct AnswerKey {
    /// What the answer must state: the fact's name and its pattern, in the file's order.
    pub must: Vec<(String, Pattern)>,
    /// What the answer must not state as current.
    pub stale: Option<Pattern>,
    /// What the answer must not state at all.
    pub forgotten: Option<Pattern>,
}

/// The keys of a case set.
#[derive(Debug, Clone, Default)]
pub struct AnswerKeys {
    /// A sentence that matches this marks the value in it as replaced, which excuses a stale match.
    pub replaced: Option<Pattern>,
    keys: HashMap<String, AnswerKey>,
    /// What was odd in the file.
    pub warnings: Vec<Warning>,
}

#[derive(Deserialize)]
struct RawKeys {
    #[serde(default)]
    replaced: Option<String>,
    keys: OrderedMap<RawKey>,
}

#[derive(Deserialize)]
struct RawKey {
    must: OrderedMap<String>,
    #[serde(default)]
    stale: Option<String>,
    #[serde(default)]
    forgotten: Option<String>,
}

impl AnswerKeys {
    /// Reads answer keys: `replaced` and, for each question (by its text or id), `must`, `stale` and `forgotten`.
    ///
    /// # Errors
    /// Broken JSON, a wrong type, a missing field, a pattern that is not a regular expression, two keys for one question.
    pub fn load(source: &Source) -> Result<Self, InputError> {
        let (raw, warnings): (RawKeys, _) = json::parse(source, FIELDS)?;
        let replaced = raw.replaced.map(|text| compile(source, &path!["replaced"], &text)).transpose()?;
        let mut keys = HashMap::with_capacity(raw.keys.0.len());
        for (question, key) in raw.keys.0 {
            let compiled = compile_key(source, &question, &key)?;
            if keys.insert(question.clone(), compiled).is_some() {
                let message = format!("found a second key for \"{question}\", expected one");
                return Err(source.error_at(&path!["keys", question.as_str()], message));
            }
        }
        Ok(Self { replaced, keys, warnings })
    }

    /// The key of a question, by its id or else by its text.
    pub fn key(&self, question: &Question) -> Option<&AnswerKey> {
        self.by_name(&question.id).or_else(|| self.by_name(&question.question))
    }

    /// The key that the file lists under this id or text.
    pub fn by_name(&self, name: &str) -> Option<&AnswerKey> {
        self.keys.get(name)
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

fn compile_key(source: &Source, question: &str, key: &RawKey) -> Result<AnswerKey, InputError> {
    let at = |last: &[Segment]| [path!["keys", question].as_slice(), last].concat();
    let must = key
        .must
        .0
        .iter()
        .map(|(name, text)| Ok((name.clone(), compile(source, &at(&path!["must", name.as_str()]), text)?)))
        .collect::<Result<_, InputError>>()?;
    let optional = |field: &str, text: &Option<String>| {
        text.as_ref().map(|text| compile(source, &at(&path![field]), text)).transpose()
    };
    Ok(AnswerKey { must, stale: optional("stale", &key.stale)?, forgotten: optional("forgotten", &key.forgotten)? })
}

fn compile(source: &Source, path: &[Segment], text: &str) -> Result<Pattern, InputError> {
    Pattern::new(text).map_err(|error| {
        // The engine draws the pattern with a marker under the fault; its last line says what the fault is.
        let reported = error.to_string();
        let reason = reported.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        source.error_at(path, format!("found the pattern \"{text}\", expected a regular expression: {reason}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_pattern_names_its_place_and_fault() {
        let text = "{\"keys\": {\"Dinner?\":\n  {\"must\": {\"fish\": \"(fish\"}, \"stale\": null}}}";
        let error = AnswerKeys::load(&Source::new("k.json", text)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "k.json:2:21: found the pattern \"(fish\", expected a regular expression: unclosed group"
        );
    }

    #[test]
    fn a_key_is_found_by_id_before_text() {
        let text = r#"{"keys": {"q7": {"must": {}, "forgotten": "x"}, "Dinner?": {"must": {}}}}"#;
        let keys = AnswerKeys::load(&Source::new("k.json", text)).unwrap();
        let mut question = crate::case::generate::bundled_cases().conversations[0].questions[0].clone();
        question.question = "Dinner?".into();
        assert!(keys.key(&question).unwrap().forgotten.is_none());
        question.id = "q7".into();
        assert!(keys.key(&question).unwrap().forgotten.is_some());
    }
}
