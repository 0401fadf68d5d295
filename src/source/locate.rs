//! From a path inside a JSON document to the byte offset of its value.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// One step into a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
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
/// Each step parses the enclosing value once, so the cost is the size of the text times the depth: for messages, not for loops.
/// Where the path ends in a member that does not exist, the enclosing value's offset is the answer.
pub fn locate(text: &str, path: &[Segment]) -> Option<usize> {
    let trimmed = text.trim_start();
    let mut here: &RawValue = serde_json::from_str(text).ok()?;
    let base = text.as_ptr() as usize;
    for segment in path {
        let next = match segment {
            Segment::Key(key) => serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(here.get())
                .ok()
                .and_then(|members| members.get(key.as_str()).copied()),
            Segment::Index(index) => {
                serde_json::from_str::<Vec<&RawValue>>(here.get()).ok().and_then(|items| items.get(*index).copied())
            }
        };
        match next {
            Some(value) => here = value,
            None => break,
        }
    }
    let offset = (here.get().as_ptr() as usize).checked_sub(base)?;
    (offset <= text.len()).then_some(offset.max(text.len() - trimmed.len()))
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
