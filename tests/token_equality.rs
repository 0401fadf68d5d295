//! The built-in tokenizer gives the ids that the `tokenizers` library gives.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::indexing_slicing, reason = "test helpers")]

mod reference;

use std::collections::HashSet;
use std::sync::LazyLock;

use recallscope::tokens::{GemmaCounter, TokenCounter, count_lines};
use reference::vocabulary::{self, MERGES, Merge, TOKENS, Vocabulary};
use sha2::{Digest, Sha256};
use tokenizers::Tokenizer;

static RAW: LazyLock<Vec<u8>> = LazyLock::new(reference::raw_vocabulary);
static VOCABULARY: LazyLock<Vocabulary<'_>> = LazyLock::new(|| Vocabulary::parse(&RAW).unwrap());
/// Built once: that takes longer than to compare a thousand lines.
static LIBRARY: LazyLock<Tokenizer> = LazyLock::new(|| reference::tokenizer(&VOCABULARY));

/// A generator that gives the same numbers on each machine (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn character(&mut self, first: u32, last: u32) -> char {
        let code_point = first + self.below((last - first + 1) as usize) as u32;
        char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// One of the kinds of text that this file promises, a few words or characters long.
    fn fragment(&mut self, tokens: &[&str], line: &mut String) {
        const WORDS: [&str; 20] = [
            "the",
            "trip",
            "Porto",
            "vegetarian",
            "budget",
            "hotel",
            "per night",
            "I'd",
            "don't",
            "Überraschung",
            "naïve",
            "São",
            "memory",
            "recall",
            "antidisestablishmentarianism",
            "HTTP",
            "camelCaseWord",
            "x",
            "A",
            "déjà vu",
        ];
        const CODE: [&str; 14] = [
            "fn main() {",
            "let x: Vec<u8> = vec![];",
            "if (a != b) && c >= 0x1F",
            "->",
            "::",
            "\\n\\t",
            "/* … */",
            "#[derive(Debug)]",
            "SELECT * FROM t;",
            "</div><p class=\"x\">",
            "\"\"\"",
            "${HOME}/.config",
            "a[i] += b[j];",
            "<T>",
        ];
        const JOINED: [&str; 10] = ["👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇵🇹", "❤️", "🧑🏿‍🚀", "😀", "🫨", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"];
        const SPELLED: [&str; 26] = [
            "<bos>",
            "<eos>",
            "<pad>",
            "<unk>",
            "<mask>",
            "<start_of_turn>",
            "<end_of_turn>",
            "<|turn>",
            "<turn|>",
            "<|\"|>",
            "<h1>",
            "</h1>",
            "<table>",
            "</td>",
            "<code>",
            "<unused5>",
            "<unused99>",
            "<unused6226>",
            "<unused99999>",
            "<0x0A>",
            "[multimodal]",
            "[multimodal",
            "<<b>>",
            "<b",
            "b>",
            "<|image|>",
        ];
        match self.below(16) {
            0 | 1 => line.push_str(self.pick(&WORDS)),
            2 => (0..=self.below(12)).for_each(|_| line.push(self.character('0' as u32, '9' as u32))),
            3 => line.push_str(self.pick(&CODE)),
            4 => line.push_str(self.pick(&JOINED)),
            5 => (0..=self.below(8)).for_each(|_| line.push(self.character(0x4E00, 0x9FFF))),
            6 => (0..=self.below(8)).for_each(|_| line.push(self.character(0x3041, 0x30FF))),
            7 => (0..=self.below(8)).for_each(|_| line.push(self.character(0x0600, 0x06FF))),
            8 => (0..=self.below(4)).for_each(|_| line.extend(['e', self.character(0x0300, 0x036F)])),
            9 => line.push_str(
                &self.pick(&[" ", "\n", "\t", "▁", "\u{a0}", "\r\n", "\u{3000}", " \t"]).repeat(1 + self.below(70)),
            ),
            10 => (0..=self.below(3)).for_each(|_| line.push(self.character(0, 0x9F))),
            11 => line.push_str(self.pick(&SPELLED)),
            12 => line.push(self.character(0, 0x10_FFFF)),
            13 => line.push_str(tokens[self.below(tokens.len())]),
            14 => line.push_str(&self.pick(&["a", "ab", "-", "=", ".", "ha", "1", "字"]).repeat(1 + self.below(40))),
            _ => (0..=self.below(10)).for_each(|_| line.push(self.character(0x20, 0x7E))),
        }
    }

    fn line(&mut self, tokens: &[&str]) -> String {
        let mut line = String::new();
        for _ in 0..self.below(9) {
            self.fragment(tokens, &mut line);
            line.push_str(self.pick(&[" ", " ", "", "", ", ", "▁", "\n"]));
        }
        line
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_ids_equal_those_of_the_tokenizers_library() {
    let (vocabulary, library) = (&*VOCABULARY, &*LIBRARY);
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    let mut lines: HashSet<String> = HashSet::new();
    let mut ids_seen = HashSet::new();
    let check = |line: &str| {
        let encoding = library.encode_fast(line, false).unwrap();
        let ours = GemmaCounter.encode_ids(line);
        assert_eq!(ours, encoding.get_ids(), "{line:?}");
        assert_eq!(GemmaCounter.count(line), ours.len(), "{line:?}");
        ours
    };
    // Each token's own spelling, then each of the kinds that `fragment` mixes.
    for token in vocabulary.tokens.iter().step_by(37) {
        check(token);
    }
    while lines.len() < 24_000 {
        let line = numbers.line(&vocabulary.tokens);
        if lines.insert(line.clone()) {
            ids_seen.extend(check(&line));
        }
    }
    assert!(lines.contains(""));
    let seen = |kind: fn(&str) -> bool| {
        let of_kind = |id: &&u32| kind(vocabulary.tokens[**id as usize]);
        ids_seen.iter().filter(of_kind).count()
    };
    let (all, bytes, added) = (seen(|_| true), seen(vocabulary::is_byte), seen(vocabulary::is_added));
    assert!(
        all > 15_000 && bytes > 100 && added > 150,
        "only {all} tokens occurred, {bytes} of them bytes and {added} added tokens"
    );
}

#[test]
fn long_texts_equal_the_library_too() {
    let (vocabulary, library) = (&*VOCABULARY, &*LIBRARY);
    let mut numbers = Numbers(7);
    let mixed: String = (0..4000).map(|_| numbers.line(&vocabulary.tokens)).collect();
    for text in [mixed, "a".repeat(50_000), " ".repeat(50_000), "\u{378}".repeat(20_000), "ab▁".repeat(20_000)] {
        let encoding = library.encode_fast(text.as_str(), false).unwrap();
        assert!(
            GemmaCounter.encode_ids(&text) == encoding.get_ids(),
            "{:?}…",
            text.chars().take(20).collect::<String>()
        );
    }
}

#[test]
fn the_ids_of_a_real_text_are_those_of_a_real_model() {
    // As llama.cpp tokenizes it with a Gemma 4 model file (its issue 23252). The other ids quoted there come
    // from a pre-tokenizer for another family of models.
    let ids = [9259, 1902, 236_888, 62_367, 29_234, 11_042, 2192, 236_743, 236_770, 236_778, 236_800, 103_453];
    assert_eq!(GemmaCounter.encode_ids("Hello world! Café déjà vu — 123 😊"), ids);
}

#[test]
fn the_blocks_of_the_recorded_evaluation_have_the_recorded_tokens() {
    let cases: serde_json::Value = serde_json::from_str(include_str!("../fixtures/cases.json")).unwrap();
    let recorded: serde_json::Value =
        serde_json::from_str(include_str!("../recordings/evaluation-result.json")).unwrap();
    // What is left of each user's facts when corrections replace and requests to forget remove them.
    // Records are numbered through all conversations; a request to forget makes none.
    let mut number = 0;
    for conversation in cases["conversations"].as_array().unwrap() {
        let mut records: Vec<(&str, u32, &str)> = Vec::new();
        for event in conversation["events"].as_array().unwrap() {
            let attribute = event["attribute"].as_str().unwrap();
            if event["op"] != "remember" {
                records.retain(|(kept, ..)| *kept != attribute);
            }
            if event["op"] != "forget" {
                number += 1;
                records.push((attribute, number, event["text"].as_str().unwrap()));
            }
        }
        let block: String = records.iter().map(|(_, number, text)| format!("- [#{number}] {text}\n")).collect();
        let tokens: usize = count_lines(&block, &GemmaCounter).iter().sum();
        for question in recorded["questions"]["managed-all"].as_array().unwrap() {
            if question["user"] == conversation["user"] {
                assert_eq!(tokens as u64, question["memory_tokens"].as_u64().unwrap(), "{block}");
            }
        }
    }
}

#[test]
fn the_manifest_states_the_vendored_bytes() {
    let manifest: serde_json::Value =
        serde_json::from_str(include_str!("../fixtures/tokenizer/tokenizer-manifest.json")).unwrap();
    for (part, bytes) in [("vocabulary", RAW.as_slice()), ("compressed", reference::COMPRESSED)] {
        assert_eq!(manifest[part]["bytes"], bytes.len(), "{part}");
        assert_eq!(manifest[part]["sha256"], sha256(bytes), "{part}");
    }
    assert_eq!(manifest["vocabulary"]["tokens"], TOKENS);
    assert_eq!(manifest["merges"]["count"], MERGES);
    let merges = VOCABULARY.merges().unwrap();
    let merges = sha256(&Merge::bytes(&merges));
    assert_eq!(manifest["merges"]["sha256"], merges);
    let model = manifest["model"].as_str().unwrap();
    assert_eq!(GemmaCounter.name(), format!("{model} tokenizer (tokenizer-manifest.json)"));
}

#[test]
fn a_damaged_vocabulary_is_explained() {
    let raw = &*RAW;
    let message = |bytes: &[u8]| Vocabulary::parse(bytes).err().unwrap();
    assert_eq!(message(b"a\0b"), "2 tokens, expected 262144");
    assert!(message(&raw[..raw.len() - 20]).contains("expected 262144"));
    assert!(message(b"\xFF").starts_with("not UTF-8: "));
    let doubled = String::from_utf8(raw.clone()).unwrap().replacen("<eos>", "<pad>", 1);
    assert_eq!(message(doubled.as_bytes()), "tokens 0 and 1 are both \"<pad>\"");
    let renamed = String::from_utf8(raw.clone()).unwrap().replacen("\0the\0", "\0\u{1}\u{2}\0", 1);
    let merges = Vocabulary::parse(renamed.as_bytes()).unwrap().merges().err().unwrap();
    assert!(merges.ends_with("merges follow from it, expected 514906"), "{merges}");
}
