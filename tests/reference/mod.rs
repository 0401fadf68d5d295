//! The same tokenizer through the `tokenizers` library, set up as the model's own `tokenizer.json` is,
//! from the vendored vocabulary: what our encoder must equal. Shared by the test and the benchmark.
#![allow(clippy::expect_used, reason = "a test may stop at a damaged fixture")]

use std::io::Read as _;

use ahash::AHashMap;
use tokenizers::models::bpe::BPE;
use tokenizers::normalizers::Replace;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;
use tokenizers::{AddedToken, Tokenizer};

#[path = "../../src/tokens/vocabulary.rs"]
pub mod vocabulary;

use vocabulary::Vocabulary;

/// The compressed vocabulary as it is vendored.
pub const COMPRESSED: &[u8] = include_bytes!("../../fixtures/tokenizer/vocabulary.zst");

/// The vendored vocabulary, decompressed: the spellings in id order, joined by NUL.
pub fn raw_vocabulary() -> Vec<u8> {
    let mut raw = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(COMPRESSED).expect("a zstd frame");
    decoder.read_to_end(&mut raw).expect("a whole zstd frame");
    raw
}

/// Builds the library's tokenizer.
pub fn tokenizer(vocabulary: &Vocabulary<'_>) -> Tokenizer {
    let spelling = |id: u32| vocabulary.tokens.get(id as usize).copied().unwrap_or_default().to_owned();
    let merges = vocabulary.merges().expect("the merges follow from the vocabulary");
    let merges = merges.iter().map(|merge| (spelling(merge.left), spelling(merge.right))).collect();
    let ids = (0..).zip(&vocabulary.tokens).map(|(id, &token)| (token.to_owned(), id));
    let model = BPE::builder()
        .vocab_and_merges(ids.collect::<AHashMap<_, u32>>(), merges)
        .unk_token("<unk>".to_owned())
        .fuse_unk(true)
        .byte_fallback(true)
        .build()
        .expect("a model of these merges");
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_normalizer(Some(Replace::new(" ", "▁").expect("a plain pattern"))).expect("a normalizer");
    let split = Split::new(SplitPattern::String(" ".to_owned()), SplitDelimiterBehavior::MergedWithPrevious, false);
    tokenizer.with_pre_tokenizer(Some(split.expect("a plain pattern")));
    let added = vocabulary.tokens.iter().filter(|token| vocabulary::is_added(token));
    tokenizer
        .add_tokens(added.map(|&token| AddedToken::from(token, false).normalized(false)))
        .expect("tokens of the vocabulary");
    tokenizer
}
