//! JSON into typed values, with errors that name line and column and with unknown fields as warnings.

use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::{InputError, Position, Segment, Source, Warning};
use crate::text::truncate;

/// Unknown fields reported one by one; further ones are only counted, so that a foreign file cannot flood the screen.
const REPORTED_UNKNOWN_FIELDS: usize = 20;

/// Columns of a found value that a message shows.
const SHOWN: usize = 60;

/// Parses a whole source, which must hold an object. `known` lists the format's field names, for "did you mean".
///
/// # Errors
/// Broken JSON, a missing field, a value of the wrong type: with its line and column.
pub fn parse<T: DeserializeOwned>(source: &Source, known: &[&str]) -> Result<(T, Vec<Warning>), InputError> {
    check_root(source, '{')?;
    parse_any(source, known)
}

/// [`parse`] for a source that must hold a list.
///
/// # Errors
/// See [`parse`].
pub fn parse_list<T: DeserializeOwned>(source: &Source, known: &[&str]) -> Result<(Vec<T>, Vec<Warning>), InputError> {
    check_root(source, '[')?;
    parse_any(source, known)
}

fn parse_any<T: DeserializeOwned>(source: &Source, known: &[&str]) -> Result<(T, Vec<Warning>), InputError> {
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

/// serde takes a list for an object whose fields come in order; nobody means that.
fn check_root(source: &Source, wanted: char) -> Result<(), InputError> {
    let start = source.text().trim_start();
    let found = match start.chars().next() {
        Some(bracket) if bracket == wanted => return Ok(()),
        None => "found nothing",
        Some(_) if serde_json::from_str::<IgnoredAny>(start).is_err() => return Ok(()),
        Some('[') => "found a list",
        Some('{') => "found an object",
        Some('"') => "found a text",
        Some('t' | 'f') => "found true or false",
        Some('n') => "found null",
        Some(_) => "found a number",
    };
    let position = Some(source.position(source.text().len() - start.len()));
    let expected = if wanted == '{' { "an object" } else { "a list" };
    Err(InputError { source: source.name.clone(), position, message: format!("{found}, expected {expected}") })
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
    // A text that is broken further on has no places to look up: that it is broken is the first thing to say.
    let broken = serde_json::from_str::<IgnoredAny>(source.text()).err().filter(|_| error.is_data());
    let error = broken.as_ref().unwrap_or(error);
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
    broken_json(source, error, reason)
}

/// What a parser says of a text, in words and with its place; without the way to the value, which only
/// [`parse`] finds.
pub(crate) fn explained(source: &Source, error: &serde_json::Error) -> InputError {
    let reported = error.to_string();
    let reason = reported.rsplit_once(" at line ").map_or(reported.as_str(), |(reason, _)| reason);
    if error.is_data() {
        let position = Some(character_position(source, error));
        return InputError { source: source.name.clone(), position, message: in_words(reason) };
    }
    broken_json(source, error, reason)
}

fn broken_json(source: &Source, error: &serde_json::Error, reason: &str) -> InputError {
    let position = character_position(source, error);
    let message = match error.classify() {
        serde_json::error::Category::Eof => "the JSON ends too early, expected its closing quote or bracket".to_owned(),
        _ => format!("this is not JSON: {}", syntax_in_words(reason, character_at(source, position))),
    };
    InputError { source: source.name.clone(), position: Some(position), message }
}

fn character_at(source: &Source, position: Position) -> Option<char> {
    source.text().split('\n').nth(position.line - 1)?.chars().nth(position.column - 1)
}

/// What the parser stumbled over, as found and expected.
fn syntax_in_words(reason: &str, found: Option<char>) -> String {
    let expected = match reason {
        "expected value" => "a value",
        "key must be a string" => "a name in quotes",
        "trailing characters" => "the end",
        "trailing comma" => "a value after the comma",
        "expected ident" => "true, false or null",
        other => match other.strip_prefix("expected ") {
            Some(expected) => expected,
            None if other.starts_with("control character") => {
                return "found a line break or another control character in a text, expected it written as \\n or \\u..."
                    .to_owned();
            }
            None if other == "recursion limit exceeded" => {
                return "found lists and objects inside each other 128 deep, expected fewer".to_owned();
            }
            None if other == "number out of range" => {
                return "found a number out of range, expected one that fits into 64 bits".to_owned();
            }
            None => return other.to_owned(),
        },
    };
    match found {
        Some(found) => format!("found `{found}`, expected {expected}"),
        None => format!("expected {expected}"),
    }
}

/// serde_json counts columns in bytes.
fn character_position(source: &Source, error: &serde_json::Error) -> Position {
    let line_text = source.text().split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let bytes = error.column().saturating_sub(1);
    let column = line_text.char_indices().take_while(|(offset, _)| *offset < bytes).count() + 1;
    Position { line: error.line().max(1), column }
}

/// The way to the value that a parser refuses, and its words for it.
pub(crate) fn tracked(error: &serde_path_to_error::Error<serde_json::Error>) -> (Vec<Segment>, String) {
    let reported = error.inner().to_string();
    // Only a parser of text knows a line; it is one of the part that it was given, and the path says where that is.
    let reason = match reported.rsplit_once(" at line ") {
        Some((reason, _)) if error.inner().line() > 0 => reason,
        _ => reported.as_str(),
    };
    (tracked_segments(error.path()), in_words(reason))
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

/// A path as people write it, such as `events[3].turn`.
pub(crate) fn path_in_words(path: &[Segment]) -> String {
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
    if let Some(twice) = reason.strip_prefix("duplicate field `").and_then(|rest| rest.strip_suffix('`')) {
        return format!("found `{twice}` twice, expected it once");
    }
    let (found, expected) = match reason.rsplit_once(", expected ") {
        Some((found, expected)) => (found, Some(expected)),
        None => (reason, None),
    };
    let negative = found.starts_with("invalid value: integer `-");
    let found = match found.strip_prefix("invalid type: ").or_else(|| found.strip_prefix("invalid value: ")) {
        Some("sequence") => "found a list".to_owned(),
        Some("map") => "found an object".to_owned(),
        Some(what) => format!("found {}", truncate(&what.replace("floating point", "the number"), SHOWN)),
        None => match found.strip_prefix("invalid length ") {
            Some(length) => format!("found a list of {length}"),
            None => found.to_owned(),
        },
    };
    match expected {
        None => found,
        Some(expected) => {
            let expected = match expected {
                "u64" | "u32" | "usize" if negative => "a whole number of at least 0",
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
    struct Samples {
        #[allow(dead_code)]
        s: Vec<Sample>,
    }

    #[derive(Debug, Deserialize)]
    struct Sample {
        #[allow(dead_code)]
        turn: u64,
        #[allow(dead_code)]
        text: String,
    }

    fn error(text: &str) -> String {
        parse::<Samples>(&Source::new("s.json", text), &["turn", "text"]).unwrap_err().to_string()
    }

    #[test]
    fn a_wrong_type_names_what_was_found_and_expected() {
        assert_eq!(
            error("{\"s\": [\n {\"turn\": \"3\", \"text\": \"a\"}]}"),
            "s.json:2:11: s[0].turn: found string \"3\", expected a whole number"
        );
    }

    #[test]
    fn a_misspelt_field_is_named_beside_the_missing_one() {
        assert_eq!(
            error("{\"s\": [{\"turn\": 3, \"txet\": \"a\"}]}"),
            "s.json:1:8: s[0]: missing field `text`; found `txet`, did you mean `text`?"
        );
    }

    #[test]
    fn broken_json_has_a_place() {
        let not_json = "this is not JSON: found";
        assert_eq!(
            error("{\"s\": [{\"turn\": 3,, \"text\": \"a\"}]}"),
            format!("s.json:1:19: {not_json} `,`, expected a name in quotes")
        );
        assert!(error("{\"s\": [{\"turn\": 3").starts_with("s.json:1:17: the JSON ends too early"));
        assert_eq!(error("{\"s\": []} x"), format!("s.json:1:11: {not_json} `x`, expected the end"));
        assert_eq!(error("{\"s\": NaN}"), format!("s.json:1:7: {not_json} `N`, expected a value"));
        assert_eq!(
            error("{\"s\": 3, \"é\": oops}"),
            format!("s.json:1:15: {not_json} `o`, expected a value"),
            "what is broken further on has a place all the same"
        );
    }

    #[test]
    fn another_kind_of_json_is_named() {
        assert_eq!(error("\n [1]"), "s.json:2:2: found a list, expected an object");
        assert_eq!(error(""), "s.json:1:1: found nothing, expected an object");
        assert_eq!(error("{\"s\": [[3]]}"), "s.json:1:8: s[0]: found a list of 1, expected an object");
    }

    #[test]
    fn a_found_value_is_told_word_for_word_but_not_at_length() {
        assert_eq!(
            error("{\"s\": \"a map, expected a sequence\"}"),
            "s.json:1:7: s: found string \"a map, expected a sequence\", expected a list"
        );
        let long = error(&format!("{{\"s\": \"{}\"}}", "x".repeat(1_000_000)));
        assert!(long.len() < 200 && long.ends_with("…, expected a list"), "{}", long.len());
        assert_eq!(
            error("{\"s\": [{\"turn\": -1}]}"),
            "s.json:1:17: s[0].turn: found integer `-1`, expected a whole number of at least 0"
        );
        assert_eq!(
            error("{\"s\": [{\"turn\": 1, \"turn\": 2}]}"),
            "s.json:1:8: s[0]: found `turn` twice, expected it once"
        );
    }

    #[test]
    fn unknown_fields_are_warnings_with_a_hint() {
        let source = Source::new("s.json", "{\"s\": [{\"turn\": 3, \"text\": \"a\", \"turm\": 1}]}");
        let (_, warnings) = parse::<Samples>(&source, &["turn", "text"]).unwrap();
        assert_eq!(warnings[0].to_string(), "s.json:1:41: unknown field `turm` is ignored; did you mean `turn`?");
    }
}
