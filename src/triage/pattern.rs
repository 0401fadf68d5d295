//! Patterns as a person types them: compiled, or refused with the column and what is wrong there.

use crate::grade::Pattern;

/// Why a pattern is not a regular expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", column.map_or_else(String::new, |column| format!("column {column}: ")))]
pub struct PatternError {
    /// Where in the pattern, in characters from 1; none where the pattern as a whole is the fault, such as its size.
    pub column: Option<usize>,
    /// Where the fault ends, in characters from 1 (exclusive); equal to `column` for a fault between characters.
    pub end: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// Compiles a pattern as answer keys do.
///
/// # Errors
/// It is not a regular expression, or too large.
pub fn compile(text: &str) -> Result<Pattern, PatternError> {
    Pattern::new(text).map_err(|error| {
        // The engine's own error is a drawing; the parser beneath it gives the span.
        let (span, message) = match regex_syntax::Parser::new().parse(text) {
            Err(regex_syntax::Error::Parse(fault)) => (Some(*fault.span()), fault.kind().to_string()),
            Err(regex_syntax::Error::Translate(fault)) => (Some(*fault.span()), fault.kind().to_string()),
            _ => (None, last_line(&error.to_string())),
        };
        let column = |offset: usize| text.get(..offset).unwrap_or(text).chars().count() + 1;
        PatternError {
            column: span.map(|span| column(span.start.offset)),
            end: span.map(|span| column(span.end.offset)),
            message,
        }
    })
}

fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_its_column_in_characters() {
        assert_eq!(compile("ünd (fish").unwrap_err().to_string(), "column 5: unclosed group");
    }

    #[test]
    fn what_the_engine_does_not_know_is_said() {
        let error = compile("x(?=y)").unwrap_err();
        assert_eq!((error.column, error.end), (Some(2), Some(5)));
        assert!(error.message.contains("look-around"), "{error}");
        assert_eq!(compile(r"\p{Nope}").unwrap_err().column, Some(1));
        assert_eq!(compile("[b-a]").unwrap_err().column, Some(2));
    }

    #[test]
    fn a_pattern_that_is_too_large_has_no_column() {
        let error = compile(r"\w{1000}{1000}").unwrap_err();
        assert_eq!(error.column, None);
        assert!(error.to_string().contains("size limit"), "{error}");
    }

    #[test]
    fn a_good_pattern_compiles_as_keys_do() {
        assert!(compile(r"\bpriya\b").unwrap().regex().is_match("PRIYA"));
    }
}
