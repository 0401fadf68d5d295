use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use tokenizers::Tokenizer;

use super::TokenCounter;

/// Why a tokenizer cannot be used. Each message names the file.
#[derive(Debug, Error)]
pub enum TokensError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {}", path.display(), crate::source::io_reason(reason))]
    Unreadable {
        /// The file as it was asked for.
        path: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
    /// The file is not JSON of the form that the `tokenizers` library saves.
    #[error(
        "{} is not a tokenizer.json: {reason} (expected the file that the tokenizers library saves, \
         with `model` and `added_tokens`)",
        path.display()
    )]
    NotATokenizer {
        /// The file as it was asked for.
        path: PathBuf,
        /// What the library said, with line and column where it knows them.
        reason: String,
    },
    /// The tokenizer has no token for some text, nor one for the unknown.
    #[error("the tokenizer {} cannot encode {text:?}: {reason}", path.display())]
    CannotEncode {
        /// The file as it was asked for.
        path: PathBuf,
        /// The beginning of the text, at most 40 characters.
        text: String,
        /// What the library said.
        reason: String,
    },
}

/// Counts with any Hugging Face `tokenizer.json`.
///
/// Loading parses the whole file and builds its merges: a second or more for a large vocabulary, so it
/// belongs into a background job.
pub struct HuggingFaceCounter {
    path: PathBuf,
    name: String,
    tokenizer: Tokenizer,
}

impl HuggingFaceCounter {
    /// Loads a `tokenizer.json`. Its truncation and padding are switched off: they would make the count
    /// that of a model's input, not of the text.
    ///
    /// # Errors
    /// [`TokensError`] if the file cannot be read, is not a tokenizer, or cannot encode a character
    /// that no vocabulary has. Such a tokenizer would fail on some text later, where a count is needed.
    pub fn load(path: &Path) -> Result<Self, TokensError> {
        let bytes = fs::read(path).map_err(|reason| TokensError::Unreadable { path: path.to_owned(), reason })?;
        let refused =
            |error: tokenizers::Error| TokensError::NotATokenizer { path: path.to_owned(), reason: error.to_string() };
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(refused)?;
        tokenizer.with_truncation(None).map_err(refused)?;
        tokenizer.with_padding(None);
        let file_name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let counter = Self { path: path.to_owned(), name: format!("{file_name} (tokenizers)"), tokenizer };
        counter.try_count("\u{10FFFD}")?;
        Ok(counter)
    }

    /// The number of tokens of `text` without special tokens around it; 0 for an empty text.
    ///
    /// # Errors
    /// [`TokensError::CannotEncode`] if the tokenizer fails on this text.
    pub fn try_count(&self, text: &str) -> Result<usize, TokensError> {
        let encoding = self.tokenizer.encode_fast(text, false);
        encoding.map(|encoding| encoding.len()).map_err(|error| TokensError::CannotEncode {
            path: self.path.clone(),
            text: text.chars().take(40).collect(),
            reason: error.to_string(),
        })
    }
}

impl TokenCounter for HuggingFaceCounter {
    fn name(&self) -> &str {
        &self.name
    }

    /// A text that the tokenizer fails on counts one token for each byte, more than any tokenizer
    /// gives; [`HuggingFaceCounter::load`] refuses the tokenizers known to fail.
    fn count(&self, text: &str) -> usize {
        self.try_count(text).unwrap_or(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = r#"{
        "version": "1.0", "normalizer": null, "decoder": null,
        "truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": null,
                    "pad_id": 0, "pad_type_id": 0, "pad_token": "[UNK]"},
        "added_tokens": [{"id": 3, "content": "[CLS]", "single_word": false, "lstrip": false,
                          "rstrip": false, "normalized": false, "special": true}],
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [3], "tokens": ["[CLS]"]}}},
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "memory": 1, "block": 2, "[CLS]": 3}, "unk_token": "[UNK]"}
    }"#;

    fn load(content: &str) -> Result<HuggingFaceCounter, TokensError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.json");
        fs::write(&path, content).unwrap();
        HuggingFaceCounter::load(&path)
    }

    fn error(content: &str) -> String {
        load(content).err().unwrap().to_string()
    }

    #[test]
    fn it_counts_without_special_tokens_truncation_or_padding() {
        let counter = load(WORDS).unwrap();
        assert_eq!(counter.name(), "words.json (tokenizers)");
        assert_eq!(counter.count(""), 0);
        assert_eq!(counter.count("memory block"), 2);
        assert_eq!(counter.count("memory block memory unheard-of block"), 7);
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = HuggingFaceCounter::load(Path::new("no/such/tokenizer.json")).err().unwrap().to_string();
        assert_eq!(message, "no/such/tokenizer.json: cannot be read: no such file");
    }

    #[test]
    fn a_file_that_is_no_tokenizer_is_named_with_the_reason() {
        for content in ["", "{", "[]", "{}", r#"{"questions": []}"#, &WORDS.replace("WordLevel", "Phrase")] {
            let message = error(content);
            assert!(message.contains("words.json is not a tokenizer.json: "), "{message}");
            assert!(message.contains("with `model` and `added_tokens`"), "{message}");
        }
        assert!(error("{\n \"version\": ").contains("line 2"), "{}", error("{\n \"version\": "));
    }

    #[test]
    fn a_tokenizer_without_a_token_for_the_unknown_is_refused() {
        let message = error(&WORDS.replace("\"unk_token\": \"[UNK]\"", "\"unk_token\": \"[NONE]\""));
        let expected = "words.json cannot encode \"\\u{10fffd}\": ";
        assert!(message.contains(expected), "{message}");
    }
}
