//! A model's edits, read from its `operations` JSON:
//! `{"operations": [{"op": "ADD", "key": "home city", "value": "Berlin"}, {"op": "DELETE", "key": "diet"}]}`.

use serde::Deserialize;
use serde_json::Value;

/// An edit that a model proposes.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// `ADD` or `UPDATE`. Which of them it is, the store decides by what it holds.
    Write {
        /// The slot.
        key: String,
        /// The value.
        value: String,
        /// 0 to 1, and 1 where it is absent.
        confidence: f64,
        /// How long it may be read.
        ttl: Option<i64>,
    },
    /// Nothing is to change.
    Noop,
    /// Forget a slot.
    Delete {
        /// The slot.
        key: String,
    },
}

/// Why an operation, or the whole text, was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The text is not JSON.
    #[error("found no JSON ({0}), expected an object with \"operations\"")]
    NoJson(String),
    /// The text is JSON of another shape.
    #[error("found {0}, expected an object whose only field \"operations\" is a list")]
    NoList(String),
    /// An operation has no known name.
    #[error("operation {place}: found the operation {found}, expected \"ADD\", \"UPDATE\", \"NOOP\" or \"DELETE\"")]
    Unknown {
        /// Its place, from 1.
        place: usize,
        /// What stands there.
        found: String,
    },
    /// An operation has a field too many, too few, or of the wrong sort.
    #[error("operation {place}: {problem}")]
    Malformed {
        /// Its place, from 1.
        place: usize,
        /// What is wrong.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteFields {
    #[serde(rename = "op")]
    _op: String,
    key: String,
    value: String,
    confidence: Option<f64>,
    ttl: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeleteFields {
    #[serde(rename = "op")]
    _op: String,
    key: String,
}

/// Reads a model's operations, each with its own refusal: one that is malformed does not spoil the others.
///
/// # Errors
/// If the text as a whole is no list of operations.
pub fn edits(text: &str) -> Result<Vec<Result<Edit, Refusal>>, Refusal> {
    let parsed: Value = serde_json::from_str(text).map_err(|error| Refusal::NoJson(error.to_string()))?;
    let Value::Object(mut fields) = parsed else { return Err(Refusal::NoList(sort(&parsed).to_owned())) };
    let Some(Value::Array(list)) = fields.remove("operations") else {
        return Err(Refusal::NoList("an object without such a list".to_owned()));
    };
    if let Some(name) = fields.keys().next() {
        return Err(Refusal::NoList(format!("the field {name:?} beside it")));
    }
    Ok(list.into_iter().enumerate().map(|(at, operation)| edit(at + 1, operation)).collect())
}

fn edit(place: usize, operation: Value) -> Result<Edit, Refusal> {
    let malformed = |problem: String| Refusal::Malformed { place, problem };
    if !operation.is_object() {
        return Err(malformed(format!("found {}, expected an object", sort(&operation))));
    }
    let name = operation.get("op").cloned().unwrap_or(Value::Null);
    match name.as_str() {
        Some("ADD" | "UPDATE") => {
            let fields: WriteFields =
                serde_json::from_value(operation).map_err(|error| malformed(error.to_string()))?;
            let confidence = fields.confidence.unwrap_or(1.0);
            if fields.key.trim().is_empty() || fields.value.trim().is_empty() {
                return Err(malformed("found an empty key or value, expected text".to_owned()));
            }
            if !(0.0..=1.0).contains(&confidence) || fields.ttl.is_some_and(|ttl| ttl < 0) {
                let problem = "found a confidence or ttl out of range, expected 0 to 1 and no negative time";
                return Err(malformed(problem.to_owned()));
            }
            Ok(Edit::Write { key: fields.key, value: fields.value, confidence, ttl: fields.ttl })
        }
        Some("DELETE") => {
            let fields: DeleteFields =
                serde_json::from_value(operation).map_err(|error| malformed(error.to_string()))?;
            Ok(Edit::Delete { key: fields.key })
        }
        Some("NOOP") => Ok(Edit::Noop),
        _ => Err(Refusal::Unknown { place, found: name.to_string() }),
    }
}

fn sort(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_is_read_or_refused_by_itself() {
        let read = edits(
            r#"{"operations": [{"op": "ADD", "key": "diet", "value": "vegan", "ttl": 5}, {"op": "DROP TABLE"},
                {"op": "UPDATE", "key": "diet"}, {"op": "DELETE", "key": "diet", "all": true}, 7, {"op": "NOOP"},
                {"op": "ADD", "key": "diet", "value": "vegan", "confidence": 3}]}"#,
        )
        .unwrap();
        assert!(matches!(&read[0], Ok(Edit::Write { ttl: Some(5), .. })));
        assert!(matches!(&read[1], Err(Refusal::Unknown { place: 2, .. })));
        for at in [2, 3, 4, 6] {
            assert!(matches!(&read[at], Err(Refusal::Malformed { place, .. }) if *place == at + 1), "{at}");
        }
        assert_eq!(read[5], Ok(Edit::Noop));
    }

    #[test]
    fn another_shape_is_refused_whole() {
        for text in ["", "[]", "{}", r#"{"operations": {}}"#, r#"{"operations": [], "system": "x"}"#] {
            assert!(edits(text).is_err(), "{text}");
        }
    }
}
