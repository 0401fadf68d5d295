//! The patterns of a key as a person writes them, and the key that a decision proposes instead.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::grade::{AnswerKey, Pattern};
use crate::source::json::OrderedMap;

use super::pattern::{PatternError, compile};

/// The patterns of a key as texts, written as in the key file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyText {
    /// What the answer must state.
    pub must: OrderedMap<String>,
    /// What the answer must not state as current.
    #[serde(default)]
    pub stale: Option<String>,
    /// What the answer must not state at all.
    #[serde(default)]
    pub forgotten: Option<String>,
}

impl KeyText {
    /// The texts of a key.
    pub fn of(key: &AnswerKey) -> Self {
        let text = |pattern: &Pattern| pattern.source().to_owned();
        Self {
            must: OrderedMap(key.must.iter().map(|(name, pattern)| (name.clone(), text(pattern))).collect()),
            stale: key.stale.as_ref().map(text),
            forgotten: key.forgotten.as_ref().map(text),
        }
    }

    /// Sets one pattern by its name: `stale`, `forgotten`, or the name of a fact that the answer must state (written
    /// `must.NAME` where it is called like one of those two). An empty text takes the pattern away.
    pub fn set(&mut self, name: &str, text: &str) {
        let value = (!text.is_empty()).then(|| text.to_owned());
        match name {
            "stale" => self.stale = value,
            "forgotten" => self.forgotten = value,
            _ => {
                let name = name.strip_prefix("must.").unwrap_or(name);
                let place = self.must.0.iter().position(|(known, _)| known == name);
                match (place, value) {
                    (Some(place), Some(value)) => {
                        if let Some((_, text)) = self.must.0.get_mut(place) {
                            *text = value;
                        }
                    }
                    (Some(place), None) => drop(self.must.0.remove(place)),
                    (None, Some(value)) => self.must.0.push((name.to_owned(), value)),
                    (None, None) => {}
                }
            }
        }
    }

    /// Every pattern with its name.
    pub fn patterns(&self) -> impl Iterator<Item = (&str, &str)> {
        let optional = [("stale", &self.stale), ("forgotten", &self.forgotten)];
        let musts = self.must.0.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        musts.chain(optional.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?))))
    }
}

/// A key that a decision proposes instead of the recorded one.
#[derive(Debug, Clone)]
pub struct CorrectedKey {
    /// Its patterns, as they are written.
    pub text: KeyText,
    /// The same, compiled.
    pub key: Arc<AnswerKey>,
}

impl CorrectedKey {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// The name of the first pattern that is not a regular expression, and what is wrong with it.
    pub fn new(text: KeyText) -> Result<Self, (String, PatternError)> {
        let named = |name: &str, text: &str| compile(text).map_err(|error| (name.to_owned(), error));
        let optional = |name: &str, text: &Option<String>| text.as_ref().map(|text| named(name, text)).transpose();
        let musts = text.must.0.iter().map(|(name, text)| Ok((name.clone(), named(name, text)?)));
        let key = AnswerKey {
            must: musts.collect::<Result<_, _>>()?,
            stale: optional("stale", &text.stale)?,
            forgotten: optional("forgotten", &text.forgotten)?,
        };
        Ok(Self { key: Arc::new(key), text })
    }
}

impl PartialEq for CorrectedKey {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Serialize for CorrectedKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_set_by_name_and_keep_their_order() {
        let mut key = KeyText::default();
        for (name, text) in
            [("Priya", "priya"), ("desk", "desk"), ("stale", "x"), ("must.stale", "old"), ("Priya", "p")]
        {
            key.set(name, text);
        }
        let patterns: Vec<_> = key.patterns().collect();
        assert_eq!(patterns, [("Priya", "p"), ("desk", "desk"), ("stale", "old"), ("stale", "x")]);
        key.set("desk", "");
        key.set("stale", "");
        assert_eq!(key.patterns().count(), 2);
        let (name, error) = CorrectedKey::new(KeyText { stale: Some("(".into()), ..key }).unwrap_err();
        assert_eq!((name.as_str(), error.column), ("stale", Some(1)));
    }
}
