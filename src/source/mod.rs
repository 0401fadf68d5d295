//! Reading input text and saying exactly where something in it is wrong.
//!
//! Everything that recallscope reads (case sets, answer keys, recordings) passes through a [`Source`]: the text together
//! with the name under which it is reported. [`json`] parses it with positions for errors and unknown fields.

pub mod json;
mod locate;

use std::collections::HashMap;
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

pub use locate::{Locator, Segment, locate};

/// A text and the name under which its problems are reported.
#[derive(Debug, Clone)]
pub struct Source {
    name: Arc<str>,
    // Not `Arc<str>`, which would be a copy of a text that may be large.
    text: Arc<String>,
}

impl Source {
    /// A source from a text already in memory, such as a bundled file.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: Arc::new(text.into()) }
    }

    /// Reads a file, or standard input when `path` is `-`.
    ///
    /// # Errors
    /// The file cannot be read, or is not UTF-8 (the message names line and column of the first bad byte).
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let (name, bytes) = if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map_err(|error| InputError::plain("standard input", format!("cannot be read: {error}")))?;
            ("standard input".to_owned(), bytes)
        } else {
            let name = path.display().to_string();
            let bytes = std::fs::read(path)
                .map_err(|error| InputError::plain(&name, format!("cannot be read: {}", io_reason(&error))))?;
            (name, bytes)
        };
        Self::from_bytes(name, bytes)
    }

    /// A source from raw bytes, which must be UTF-8; a leading byte order mark is dropped.
    ///
    /// # Errors
    /// The bytes are not UTF-8; the message names line and column of the first bad byte.
    pub fn from_bytes(name: impl Into<Arc<str>>, bytes: Vec<u8>) -> Result<Self, InputError> {
        let name = name.into();
        match String::from_utf8(bytes) {
            Ok(mut text) => {
                if text.starts_with('\u{feff}') {
                    text.remove(0);
                }
                Ok(Self { name, text: Arc::new(text) })
            }
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let bad = error.as_bytes().get(good).copied().unwrap_or_default();
                let before = String::from_utf8_lossy(error.as_bytes().get(..good).unwrap_or_default()).into_owned();
                Err(InputError {
                    source: name,
                    position: Some(position_of(&before, before.len())),
                    message: format!("found the byte 0x{bad:02x}, expected UTF-8 text"),
                })
            }
        }
    }

    /// The name under which problems are reported: a path, `standard input` or the name of a bundled file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The position of a byte offset.
    pub fn position(&self, offset: usize) -> Position {
        position_of(&self.text, offset)
    }

    /// An error about this source, at the value that `path` leads to.
    pub fn error_at(&self, path: &[Segment], message: impl Into<String>) -> InputError {
        InputError { source: self.name.clone(), position: self.find(path), message: message.into() }
    }

    fn find(&self, path: &[Segment]) -> Option<Position> {
        locate(&self.text, path).map(|offset| self.position(offset))
    }

    /// Errors about this source, each at the value that its path leads to. The text is taken apart once for all.
    pub fn errors_at(&self, problems: Vec<(Vec<Segment>, String)>) -> Vec<InputError> {
        let mut locator = Locator::new(&self.text);
        let errors = problems.into_iter().map(|(path, message)| InputError {
            source: self.name.clone(),
            position: locator.locate(&path).map(|offset| self.position(offset)),
            message,
        });
        errors.collect()
    }
}

/// A place in a text: line and column count from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

fn position_of(text: &str, offset: usize) -> Position {
    let before = text.get(..offset.min(text.len())).unwrap_or(text);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Position { line, column }
}

/// Columns of a message: texts of the input may stand in it.
const MESSAGE: usize = 1000;

/// Something wrong with an input: which one, where, what was found and what was expected.
///
/// Displayed as `NAME:LINE:COLUMN: MESSAGE`, the form that editors turn into a link. Control characters of the input are
/// shown as escapes, since messages go to a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    /// The file, `standard input` or the name of a bundled file.
    pub source: Arc<str>,
    /// Where in it, if the problem has a place.
    pub position: Option<Position>,
    /// What was found and what was expected.
    pub message: String,
}

impl InputError {
    /// An error about a whole input.
    pub fn plain(source: &str, message: impl Into<String>) -> Self {
        Self { source: source.into(), position: None, message: message.into() }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", crate::text::displayable(&self.source))?;
        if let Some(Position { line, column }) = self.position {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", crate::text::truncate(&crate::text::displayable(&self.message), MESSAGE))
    }
}

impl std::error::Error for InputError {}

/// Something odd in an input that does not stop the work: shown to the person, never dropped in silence.
pub type Warning = InputError;

/// The first of the warnings that say the same of different things in one file, each with how many others there are.
pub fn alike(warnings: &[Warning]) -> Vec<(&Warning, usize)> {
    let mut places: HashMap<(&str, String), usize> = HashMap::new();
    let mut groups: Vec<(&Warning, usize)> = Vec::new();
    for warning in warnings {
        let place = *places.entry((&warning.source, shape(&warning.message))).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, others)) => *others += 1,
            None => groups.push((warning, 0)),
        }
    }
    groups
}

/// What a message says, whatever it says it of: without the subject at its head, texts in quotes, and words that hold digits,
/// as ids and amounts do.
fn shape(message: &str) -> String {
    let said = message.split_once(": ").map_or(message, |(_, said)| said);
    let outside = said.split('"').step_by(2);
    let words = outside.flat_map(str::split_whitespace).filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
    words.collect::<Vec<_>>().join(" ")
}

/// The system's own words for an error, without its number.
pub fn io_reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => {
            let words = error.to_string();
            words.split(" (os error ").next().unwrap_or(&words).to_lowercase()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let source = Source::new("a.json", "one\nzwölf x");
        assert_eq!(source.position("one\nzwölf ".len()), Position { line: 2, column: 7 });
    }

    #[test]
    fn warnings_that_say_the_same_of_different_things_are_alike() {
        let warnings = [
            ("a.json", "session 1: it has a date and no turns; nothing was said"),
            ("a.json", "q7: its answer is a number; it is the text \"2022\""),
            ("a.json", "session 2: it has a date and no turns; nothing was said"),
            ("a.json", "q9: its answer is a number; it is the text \"nine or ten\""),
            ("b.json", "session 2: it has a date and no turns; nothing was said"),
            ("a.json", "q9: it cites no evidence; it has no required facts"),
        ]
        .map(|(file, message)| InputError::plain(file, message));
        let found: Vec<_> = alike(&warnings).iter().map(|(first, others)| (first.to_string(), *others)).collect();
        assert_eq!(found.iter().map(|(_, others)| *others).collect::<Vec<_>>(), [1, 1, 0, 0]);
        assert_eq!(found[0].0, "a.json: session 1: it has a date and no turns; nothing was said");
        assert!(found[2].0.starts_with("b.json: session 2"));
    }

    #[test]
    fn invalid_utf8_names_the_byte_and_its_place() {
        let error = Source::from_bytes("a.json", b"ok\nab\xff".to_vec()).unwrap_err();
        assert_eq!(error.to_string(), "a.json:2:3: found the byte 0xff, expected UTF-8 text");
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        let source = Source::from_bytes("a.json", b"\xef\xbb\xbf{}".to_vec()).unwrap();
        assert_eq!(source.text(), "{}");
    }

    #[test]
    fn a_message_about_a_long_text_is_short() {
        assert!(InputError::plain("a", "x".repeat(1_000_000)).to_string().len() < 1100);
    }

    #[test]
    fn escape_sequences_in_names_stay_text() {
        let error = InputError::plain("\x1b[2Jx", "no \u{202e}such");
        assert!(!error.to_string().contains('\x1b'));
        assert!(!error.to_string().contains('\u{202e}'));
    }
}
