//! Values of foreign files that are mostly texts.

use serde_json::Value;

/// A value as a text, and whether it was one in the file; nothing for null or where it is missing.
pub(super) fn text(value: Option<&Value>) -> Option<(String, bool)> {
    match value? {
        Value::Null => None,
        Value::String(text) => Some((text.clone(), true)),
        other => Some((other.to_string(), false)),
    }
}

/// What a value is, in a reader's words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A text cut to what a message shows.
pub(super) fn shown(text: &str) -> String {
    crate::text::truncate(text, 60).into_owned()
}
