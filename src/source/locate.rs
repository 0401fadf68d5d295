//! From a path inside a JSON document to the byte offset of its value.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

/// One step into a JSON document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Into the member of an object.
    Key(String),
    /// Into the element of a list, from 0.
    Index(usize),
}

impl From<&str> for Segment {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Segment {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// Builds a path from keys and indices: `path!["events", 3, "turn"]`.
#[macro_export]
macro_rules! path {
    ($($segment:expr),* $(,)?) => { [$($crate::source::Segment::from($segment)),*] };
}

/// The byte offset at which the value begins that `path` leads to, in a text that is valid JSON as far as the path goes.
///
/// Where the path ends in a member that does not exist, the enclosing value's offset is the answer. For several paths of one
/// text use one [`Locator`].
pub fn locate(text: &str, path: &[Segment]) -> Option<usize> {
    Locator::new(text).locate(path)
}

/// Finds values in one JSON text. Each object or list on the way is taken apart once, however many paths lead through it.
pub struct Locator<'a> {
    text: &'a str,
    root: Option<&'a RawValue>,
    levels: HashMap<Vec<Segment>, Level<'a>>,
}

/// The parts of one value, not parsed any further.
enum Level<'a> {
    Members(HashMap<Cow<'a, str>, &'a RawValue>),
    Items(Vec<&'a RawValue>),
    Leaf,
}

impl<'a> Locator<'a> {
    /// A locator for a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, root: serde_json::from_str(text).ok(), levels: HashMap::new() }
    }

    /// See [`locate`].
    pub fn locate(&mut self, path: &[Segment]) -> Option<usize> {
        let mut here = self.root?;
        for (depth, segment) in path.iter().enumerate() {
            let way = path.get(..depth).unwrap_or_default();
            if !self.levels.contains_key(way) {
                self.levels.insert(way.to_vec(), Level::of(here));
            }
            let next = match (self.levels.get(way), segment) {
                (Some(Level::Members(members)), Segment::Key(key)) => members.get(key.as_str()).copied(),
                (Some(Level::Items(items)), Segment::Index(index)) => items.get(*index).copied(),
                _ => None,
            };
            match next {
                Some(value) => here = value,
                None => break,
            }
        }
        let offset = (here.get().as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        (offset <= self.text.len()).then_some(offset)
    }
}

impl<'a> Level<'a> {
    fn of(value: &'a RawValue) -> Self {
        let text = value.get();
        if text.starts_with('{') {
            serde_json::from_str(text).map_or(Self::Leaf, Self::Members)
        } else if text.starts_with('[') {
            serde_json::from_str(text).map_or(Self::Leaf, Self::Items)
        } else {
            Self::Leaf
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\n  \"events\": [\n    {\"turn\": 1},\n    {\"turn\": \"two\"}\n  ]\n}";

    #[test]
    fn finds_a_nested_value() {
        let offset = locate(TEXT, &path!["events", 1, "turn"]).unwrap();
        assert!(TEXT.get(offset..).unwrap().starts_with("\"two\""));
    }

    #[test]
    fn a_missing_member_points_at_its_object() {
        let offset = locate(TEXT, &path!["events", 0, "text"]).unwrap();
        assert!(TEXT.get(offset..).unwrap().starts_with("{\"turn\": 1}"));
    }

    #[test]
    fn broken_json_has_no_place() {
        assert_eq!(locate("{\"a\": ", &path!["a"]), None);
    }
}
