//! Counting tokens: the [`TokenCounter`] trait, the built-in Gemma 4 model and any Hugging Face `tokenizer.json`.

mod cache;
mod gemma;
mod hugging_face;
mod layout;
mod lines;
mod pieces;

pub use cache::CachedCounter;
pub use gemma::GemmaCounter;
pub use hugging_face::{HuggingFaceCounter, TokensError};
pub use lines::count_lines;

/// Counts the tokens of a text exactly as a model's tokenizer would, without special tokens such as `<bos>`.
///
/// Tokens of parts do not add up to the tokens of the whole: a merge may reach over the seam. Whoever
/// sums counts says what was counted, e.g. each line of a memory block by itself ([`count_lines`]).
pub trait TokenCounter: Send + Sync {
    /// A name to show beside each count, e.g. `Gemma 4 E2B tokenizer (tokenizer-manifest.json)`.
    fn name(&self) -> &str;

    /// The number of tokens of `text`; 0 for an empty text.
    fn count(&self, text: &str) -> usize;
}
