//! The data inside the binary, so that recallscope opens on something real from any folder, offline.

use crate::source::Source;

/// Name and text of the bundled case set.
pub fn cases() -> Source {
    Source::new("fixtures/cases.json (bundled)", include_str!("../fixtures/cases.json"))
}

/// The bundled answer keys.
pub fn answer_keys() -> Source {
    Source::new("fixtures/answer-keys.json (bundled)", include_str!("../fixtures/answer-keys.json"))
}

/// The bundled recording: 150 answers of Gemma 4 E2B.
pub fn answers() -> Source {
    Source::new("recordings/answer-result.json (bundled)", include_str!("../recordings/answer-result.json"))
}
