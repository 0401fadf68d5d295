//! Compiling the audit's own patterns.

use regex::Regex;

/// The classes of a pattern and their ASCII sense.
const ASCII: [(&str, &str); 4] =
    [(r"\b", r"(?-u:\b)"), (r"\d", "[0-9]"), (r"\w", "[0-9A-Za-z_]"), (r"\s", r"[\x20\t\r\n]")];

/// Compiles a pattern of the audit, with its classes in their ASCII sense: the patterns' words are English, and the engine
/// searches ASCII classes ten times faster, above all in texts with typographic quotes or emoji.
///
/// The patterns are constants: each compiles, or the tests of its file fail.
pub fn compile(source: &str) -> Option<Regex> {
    let ascii = ASCII.iter().fold(source.to_owned(), |source, (class, ascii)| source.replace(class, ascii));
    Regex::new(&ascii).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_hold_in_any_text() {
        let pattern = compile(r"(?i)\byou\b").unwrap();
        assert!(pattern.is_match("It\u{2019}s you\u{2026} 🌟"));
        assert!(!pattern.is_match("young"));
    }
}
