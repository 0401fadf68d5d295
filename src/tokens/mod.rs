//! Counting tokens: the [`TokenCounter`] trait, the built-in Gemma 4 model and any Hugging Face `tokenizer.json`.

/// Counts the tokens of a text exactly as a model's tokenizer would, without special tokens such as `<bos>`.
pub trait TokenCounter: Send + Sync {
    /// A name to show beside each count, e.g. `Gemma 4 E2B tokenizer (tokenizer-manifest.json)`.
    fn name(&self) -> &str;

    /// The number of tokens of `text`; 0 for an empty text.
    fn count(&self, text: &str) -> usize;
}
