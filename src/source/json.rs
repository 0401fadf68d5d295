//! JSON into typed values, with errors that name line and column and with unknown fields as warnings.

use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::{InputError, Position, Segment, Source, Warning};

/// Unknown fields reported one by one; further ones are only counted, so that a foreign file cannot flood the screen.
const REPORTED_UNKNOWN_FIELDS: usize = 20;

/// Parses a whole source. `known` lists the format's field names, for "did you mean".
///
/// # Errors
/// Broken JSON, a missing field, a value of the wrong type: with its line and column.
pub fn parse<T: DeserializeOwned>(source: &Source, known: &[&str]) -> Result<(T, Vec<Warning>), InputError> {
    let mut unknown = Vec::new();
    let mut more = 0_usize;
    let mut deserializer = serde_json::Deserializer::from_str(source.text());
    let parsed = serde_ignored::deserialize(&mut deserializer, |path| {
        if unknown.len() < REPORTED_UNKNOWN_FIELDS {
            unknown.push(segments(&path));
        } else {
            more += 1;
        }
    });
    let parsed = parsed.and_then(|value: T| deserializer.end().map(|()| value));
    match parsed {
        Ok(value) => {
            let told = unknown.into_iter().map(|path| (path.clone(), unknown_field(&path, known)));
            let mut warnings: Vec<Warning> = source.errors_at(told.collect());
            if more > 0 {
                warnings.push(InputError::plain(source.name(), format!("{more} more unknown fields are ignored")));
            }
            Ok((value, warnings))
        }
        Err(error) => Err(explain::<T>(source, &error, &unknown, known)),
    }
}

fn segments(path: &serde_ignored::Path<'_>) -> Vec<Segment> {
    use serde_ignored::Path;
    let (parent, last) = match path {
        Path::Root => return Vec::new(),
        Path::Seq { parent, index } => (parent, Some(Segment::Index(*index))),
        Path::Map { parent, key } => (parent, Some(Segment::Key(key.clone()))),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => (parent, None),
    };
    let mut all = segments(parent);
    all.extend(last);
    all
}

fn unknown_field(path: &[Segment], known: &[&str]) -> String {
    let name = match path.last() {
        Some(Segment::Key(key)) => key.as_str(),
        _ => "?",
    };
    let hint = did_you_mean(name, known).map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
    format!("unknown field `{name}` is ignored{hint}")
}

/// The known name nearest to `name`, if one is near enough to be what was meant.
pub fn did_you_mean<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&name.to_lowercase(), candidate), *candidate))
        .filter(|(distance, candidate)| *distance > 0 && *distance <= 1 + candidate.chars().count() / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Turns serde's error into words with a place. Parses once more, this time keeping track of the path.
fn explain<T: DeserializeOwned>(
    source: &Source,
    error: &serde_json::Error,
    unknown: &[Vec<Segment>],
    known: &[&str],
) -> InputError {
    let reported = error.to_string();
    let reason = reported.rsplit_once(" at line ").map_or(reported.as_str(), |(reason, _)| reason);
    if error.is_data() {
        let mut deserializer = serde_json::Deserializer::from_str(source.text());
        if let Err(tracked) = serde_path_to_error::deserialize::<_, T>(&mut deserializer) {
            let path = tracked_segments(tracked.path());
            let mut message = in_words(reason);
            if let Some(missing) = reason.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
                let near = unknown.iter().find_map(|unknown_path| match unknown_path.split_last() {
                    Some((Segment::Key(key), parent)) if parent == path && did_you_mean(key, &[missing]).is_some() => {
                        Some(key)
                    }
                    _ => None,
                });
                if let Some(near) = near {
                    message.push_str(&format!("; found `{near}`, did you mean `{missing}`?"));
                }
            } else if let Some(hint) = variant_hint(reason, known) {
                message.push_str(&hint);
            }
            let label = path_in_words(&path);
            let message = if label.is_empty() { message } else { format!("{label}: {message}") };
            return source.error_at(&path, message);
        }
    }
    let message = match error.classify() {
        serde_json::error::Category::Eof => "the JSON ends too early, expected its closing quote or bracket".to_owned(),
        _ => format!("this is not JSON: {reason}"),
    };
    InputError { source: source.name.clone(), position: Some(character_position(source, error)), message }
}

/// serde_json counts columns in bytes.
fn character_position(source: &Source, error: &serde_json::Error) -> Position {
    let line_text = source.text().split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let bytes = error.column().saturating_sub(1);
    let column = line_text.char_indices().take_while(|(offset, _)| *offset < bytes).count() + 1;
    Position { line: error.line().max(1), column }
}

fn tracked_segments(path: &serde_path_to_error::Path) -> Vec<Segment> {
    path.iter()
        .filter_map(|segment| match segment {
            serde_path_to_error::Segment::Seq { index } => Some(Segment::Index(*index)),
            serde_path_to_error::Segment::Map { key } => Some(Segment::Key(key.clone())),
            _ => None,
        })
        .collect()
}

fn path_in_words(path: &[Segment]) -> String {
    let mut words = String::new();
    for segment in path {
        match segment {
            Segment::Key(key) if words.is_empty() => words.push_str(key),
            Segment::Key(key) => {
                words.push('.');
                words.push_str(key);
            }
            Segment::Index(index) => words.push_str(&format!("[{index}]")),
        }
    }
    words
}

/// serde speaks of Rust's types; a reader of JSON thinks in JSON's.
fn in_words(reason: &str) -> String {
    let (found, expected) = match reason.split_once(", expected ") {
        Some((found, expected)) => (found, Some(expected)),
        None => (reason, None),
    };
    let found = found.strip_prefix("invalid type: ").or_else(|| found.strip_prefix("invalid value: ")).map_or_else(
        || found.to_owned(),
        |what| format!("found {}", what.replace("sequence", "a list").replace("map", "an object")),
    );
    match expected {
        None => found,
        Some(expected) => {
            let expected = match expected {
                "u64" | "u32" | "usize" | "i64" => "a whole number",
                "f64" => "a number",
                "a string" => "a text in quotes",
                "a sequence" => "a list",
                "a map" => "an object",
                other => other.strip_prefix("struct ").map_or(other, |_| "an object"),
            };
            format!("{found}, expected {expected}")
        }
    }
}

fn variant_hint(reason: &str, known: &[&str]) -> Option<String> {
    let name = reason.strip_prefix("unknown variant `")?.split('`').next()?;
    let choices: Vec<&str> = reason.split("expected").nth(1)?.split('`').skip(1).step_by(2).collect();
    let near = did_you_mean(name, &choices).or_else(|| did_you_mean(name, known))?;
    Some(format!("; did you mean `{near}`?"))
}

/// An object whose members keep the file's order; a name that stands twice is kept twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedMap<V>(pub Vec<(String, V)>);

impl<V> Default for OrderedMap<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> OrderedMap<V> {
    /// The first value under `key`. Walks the members: for small objects.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for OrderedMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<V>(std::marker::PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Members<V> {
            type Value = OrderedMap<V>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(OrderedMap(members))
            }
        }
        deserializer.deserialize_map(Members(std::marker::PhantomData))
    }
}

impl<V: Serialize> Serialize for OrderedMap<V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Sample {
        #[allow(dead_code)]
        turn: u64,
        #[allow(dead_code)]
        text: String,
    }

    fn error(text: &str) -> String {
        parse::<Vec<Sample>>(&Source::new("s.json", text), &["turn", "text"]).unwrap_err().to_string()
    }

    #[test]
    fn a_wrong_type_names_what_was_found_and_expected() {
        assert_eq!(
            error("[\n {\"turn\": \"3\", \"text\": \"a\"}]"),
            "s.json:2:11: [0].turn: found string \"3\", expected a whole number"
        );
    }

    #[test]
    fn a_misspelt_field_is_named_beside_the_missing_one() {
        assert_eq!(
            error("[{\"turn\": 3, \"txet\": \"a\"}]"),
            "s.json:1:2: [0]: missing field `text`; found `txet`, did you mean `text`?"
        );
    }

    #[test]
    fn broken_json_has_a_place() {
        assert_eq!(error("[{\"turn\": 3,, \"text\": \"a\"}]"), "s.json:1:13: this is not JSON: key must be a string");
        assert!(error("[{\"turn\": 3").starts_with("s.json:1:11: the JSON ends too early"));
        assert!(error("[] x").starts_with("s.json:1:4: this is not JSON: trailing characters"));
    }

    #[test]
    fn unknown_fields_are_warnings_with_a_hint() {
        let source = Source::new("s.json", "[{\"turn\": 3, \"text\": \"a\", \"turm\": 1}]");
        let (_, warnings) = parse::<Vec<Sample>>(&source, &["turn", "text"]).unwrap();
        assert_eq!(warnings[0].to_string(), "s.json:1:35: unknown field `turm` is ignored; did you mean `turn`?");
    }
}
