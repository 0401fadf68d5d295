//! Compiling the audit's own patterns.

use regex::Regex;

/// Compiles a pattern of the audit, with word boundaries and digits in their ASCII sense. The engine searches an ASCII
/// boundary ten times faster in texts with typographic quotes or emoji, and the patterns' words are English.
///
/// The patterns are constants: each compiles, or the tests of its file fail.
pub fn compile(source: &str) -> Option<Regex> {
    Regex::new(&source.replace(r"\b", r"(?-u:\b)").replace(r"\d", "[0-9]")).ok()
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
