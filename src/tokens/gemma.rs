//! The built-in Gemma 4 tokenizer: the ids that the `tokenizers` library gives for the model's own
//! `tokenizer.json`, from tables that are read in place. The source of the vocabulary does not say which
//! tokens are added ones: the names are inferred from their form, so that a text that spells an HTML tag
//! or `<unusedN>` is the one place where a model file may count more.
//!
//! 1. *Added tokens* are taken out of the raw text, the leftmost first and of those the longest: runs
//!    of line breaks, tabs and `▁`, and names in brackets such as `<bos>`.
//! 2. In the pieces between them each space becomes `▁`, and each character a token; a character that
//!    has none becomes one token per UTF-8 byte.
//! 3. In each piece the adjacent pair that merges with the lowest rank is joined, the leftmost of
//!    equals first, until no pair merges. A piece is mostly a word, but it can be a whole line, so a queue
//!    orders the pairs: n characters take at most 3n queue entries.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::TokenCounter;
use super::layout::{first_slot, next_slot, pair_key, rank_in_slot};
use super::pieces::{Part, each_part, remembered};

include!(concat!(env!("OUT_DIR"), "/names.rs"));

static PAIRS: &[[u8; 8]] = include_bytes!(concat!(env!("OUT_DIR"), "/pairs.bin")).as_chunks().0;
static JOINED: &[[u8; 4]] = include_bytes!(concat!(env!("OUT_DIR"), "/joined.bin")).as_chunks().0;
static PAGES: &[[u8; 2]] = include_bytes!(concat!(env!("OUT_DIR"), "/pages.bin")).as_chunks().0;
static CHARACTERS: &[[u8; 4]] = include_bytes!(concat!(env!("OUT_DIR"), "/characters.bin")).as_chunks().0;

/// The character that stands for a space.
pub(super) const METASPACE: char = '▁';
/// No symbol, no rank.
const NONE: u32 = u32::MAX;

/// Counts with the tokenizer of Gemma 4, which is part of the program: no file, no start-up.
///
/// The vocabulary is vendored with its licence in `fixtures/tokenizer`; the manifest there names its
/// source.
#[derive(Debug, Clone, Copy, Default)]
pub struct GemmaCounter;

impl GemmaCounter {
    /// The ids of the tokens of `text`, in order, without special tokens around them.
    ///
    /// Takes time in proportion to n log n for n characters, and about 40 bytes of memory for each
    /// character of the longest piece without a line break or a tab.
    pub fn encode_ids(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        each_token(text, |id| ids.push(id));
        ids
    }
}

impl TokenCounter for GemmaCounter {
    fn name(&self) -> &str {
        "Gemma 4 E2B tokenizer (tokenizer-manifest.json)"
    }

    fn count(&self, text: &str) -> usize {
        let mut piece = Piece::default();
        let mut tokens = 0;
        each_part(text, |part| match part {
            Part::Added(_) => tokens += 1,
            Part::Piece(characters) => {
                tokens += remembered(characters, || {
                    characters.chars().for_each(|character| piece.push(character));
                    let mut own = 0;
                    piece.finish(&mut |_| own += 1);
                    own
                });
            }
        });
        tokens
    }
}

/// Calls `emit` with each token's id; returns how many queue entries that took.
fn each_token(text: &str, mut emit: impl FnMut(u32)) -> usize {
    let mut piece = Piece::default();
    let mut steps = 0;
    each_part(text, |part| match part {
        Part::Added(id) => emit(id),
        Part::Piece(characters) => {
            characters.chars().for_each(|character| piece.push(character));
            steps += piece.finish(&mut emit);
        }
    });
    steps
}

/// The longest added token at the start of `rest`, whose first character is `first`: its id and its
/// length in bytes.
pub(super) fn added_token(rest: &str, first: char) -> Option<(u32, usize)> {
    let run = |shortest: usize, ids: u32| {
        let length = rest.chars().take(LONGEST_RUN).take_while(|&character| character == first).count();
        let longer = u32::try_from(length.checked_sub(shortest)?).ok()?;
        Some((ids + longer, length * first.len_utf8()))
    };
    match first {
        '\n' => run(1, NEWLINES),
        '\t' => run(1, TABS),
        METASPACE => run(2, METASPACES),
        '<' => name(rest, b'>'),
        '[' => name(rest, b']'),
        _ => None,
    }
}

/// The name in brackets at the start of `rest`. No name has a bracket inside, so none begins another.
fn name(rest: &str, closing: u8) -> Option<(u32, usize)> {
    let last = rest.bytes().take(LONGEST_NAME).position(|byte| byte == closing)?;
    let name = rest.get(..=last)?;
    let at = NAMES.binary_search_by_key(&name, |&(name, _)| name).ok()?;
    NAMES.get(at).map(|&(name, id)| (id, name.len()))
}

/// The id of the token that is this character alone.
fn character_id(character: char) -> Option<u32> {
    let code_point = u32::from(character);
    let page = PAGES.get((code_point >> 8) as usize).copied().map(u16::from_le_bytes)?;
    let at = (usize::from(page) << 8) | (code_point & 0xFF) as usize;
    CHARACTERS.get(at).copied().map(u32::from_le_bytes)?.checked_sub(1)
}

/// The rank of the merge of two adjacent tokens, [`NONE`] if they do not merge.
fn pair_rank(left: u32, right: u32) -> u32 {
    let key = pair_key(left, right);
    let mut at = first_slot(key);
    while let Some(slot) = PAIRS.get(at).copied().map(u64::from_le_bytes) {
        if let Some(rank) = rank_in_slot(slot, key) {
            return rank;
        }
        if slot == 0 {
            break;
        }
        at = next_slot(at);
    }
    NONE
}

/// The id of the token that the merge of this rank makes.
fn joined(rank: u32) -> u32 {
    JOINED.get(rank as usize).copied().map_or(NONE, u32::from_le_bytes)
}

/// A token in the making, linked to its neighbours; it stays at the place of its first character.
#[derive(Clone, Copy)]
struct Symbol {
    id: u32,
    previous: u32,
    next: u32,
    /// The rank of the merge with the next symbol; [`NONE`] also once another symbol took this one in.
    rank: u32,
}

/// The text between two added tokens.
#[derive(Default)]
struct Piece {
    symbols: Vec<Symbol>,
    /// Merges that were possible when they were queued: the rank above, the place of the left symbol below.
    queue: BinaryHeap<Reverse<u64>>,
}

impl Piece {
    fn push(&mut self, character: char) {
        let character = if character == ' ' { METASPACE } else { character };
        if let Some(id) = character_id(character) {
            self.push_id(id);
        } else {
            for &byte in character.encode_utf8(&mut [0; 4]).as_bytes() {
                self.push_id(FIRST_BYTE + u32::from(byte));
            }
        }
    }

    fn push_id(&mut self, id: u32) {
        let at = place(self.symbols.len());
        let mut previous = NONE;
        if let Some(left) = self.symbols.last_mut() {
            previous = at - 1;
            left.next = at;
            left.rank = pair_rank(left.id, id);
        }
        self.symbols.push(Symbol { id, previous, next: NONE, rank: NONE });
    }

    /// Merges, emits the tokens and empties the piece; returns the number of queue entries.
    fn finish(&mut self, emit: &mut impl FnMut(u32)) -> usize {
        let steps = self.merge();
        let mut at = 0;
        while let Some(symbol) = self.symbols.get(at as usize) {
            emit(symbol.id);
            at = symbol.next;
        }
        self.symbols.clear();
        steps
    }

    fn merge(&mut self) -> usize {
        let mut entries = std::mem::take(&mut self.queue).into_vec();
        let merging = (0..).zip(&self.symbols).filter(|(_, symbol)| symbol.rank != NONE);
        entries.extend(merging.map(|(at, symbol)| entry(symbol.rank, at)));
        self.queue = BinaryHeap::from(entries);
        let mut steps = 0;
        while let Some(Reverse(entry)) = self.queue.pop() {
            steps += 1;
            let (rank, at) = ((entry >> 32) as u32, entry as u32);
            self.merge_at(at, rank);
        }
        steps
    }

    /// Joins the symbol at `at` with its next one if the queued `rank` still holds there.
    fn merge_at(&mut self, at: u32, rank: u32) -> Option<()> {
        let left = self.symbols.get(at as usize).copied()?;
        // The pair may have changed since it was queued. The reference compares the token that would
        // result, which comes to the same: a pair that changed spans more text and makes another token.
        if left.rank != rank {
            return None;
        }
        let id = joined(rank);
        let right = self.symbols.get_mut(left.next as usize)?;
        right.rank = NONE;
        let next = right.next;
        if let Some(symbol) = self.symbols.get_mut(at as usize) {
            *symbol = Symbol { id, next, ..left };
        }
        if let Some(symbol) = self.symbols.get_mut(next as usize) {
            symbol.previous = at;
        }
        self.pair_up(left.previous);
        self.pair_up(at);
        Some(())
    }

    /// Looks up the merge of the symbol at `at` with its next one and queues it.
    fn pair_up(&mut self, at: u32) {
        let Some(left) = self.symbols.get(at as usize) else {
            return;
        };
        let rank = self.symbols.get(left.next as usize).map_or(NONE, |right| pair_rank(left.id, right.id));
        if rank != NONE {
            self.queue.push(entry(rank, at));
        }
        if let Some(symbol) = self.symbols.get_mut(at as usize) {
            symbol.rank = rank;
        }
    }
}

/// A queue entry: the lowest rank comes first, then the leftmost place.
fn entry(rank: u32, at: u32) -> Reverse<u64> {
    Reverse((u64::from(rank) << 32) | u64::from(at))
}

/// A place as it is kept in a symbol. A piece of 2^32 characters would need 160 GB of memory.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> usize {
        each_token(text, |_| {})
    }

    #[test]
    fn a_long_line_takes_steps_in_proportion_to_its_length() {
        let units = ["=", "the ", "字", "\u{378}", "▁", "\n", "<", "<b", "[multi", "👩‍👩‍👧‍👦"];
        let shorter = units.map(|unit| (unit, 100_000));
        for (unit, bytes) in [("a", 1_000_000), (" ", 1_000_000)].into_iter().chain(shorter) {
            let text = unit.repeat(bytes / unit.len());
            let (steps, characters) = (steps(&text), text.chars().count());
            assert!(steps <= 3 * characters, "{unit:?}: {steps} steps for {characters}");
        }
    }

    #[test]
    fn an_empty_text_has_no_token() {
        assert_eq!(GemmaCounter.count(""), 0);
        assert_eq!(GemmaCounter.encode_ids(""), [0; 0]);
    }

    #[test]
    fn the_lines_of_a_memory_block_have_the_tokens_that_the_model_counts() {
        let lines = [
            ("- [#3] We are going to Porto.", 10),
            ("- [#6] I want a hotel near the river.", 12),
            ("- [#7] Raise the budget to 180 euros per night.", 16),
            ("- [#8] I eat fish now, but still no meat.", 14),
            ("- [#9] Move the trip to 10 to 13 November.", 17),
            ("- [#10] Bob will join us on the second day.", 14),
        ];
        for (line, tokens) in lines {
            assert_eq!(GemmaCounter.count(line), tokens, "{line}");
        }
        // The recorded cost of this block in `recordings/evaluation-result.json`.
        assert_eq!(lines.iter().map(|(_, tokens)| tokens).sum::<usize>(), 83);
    }

    #[test]
    fn runs_are_cut_at_the_longest_token_and_a_single_metaspace_joins_the_text() {
        let run = |unit: &str, length: usize| GemmaCounter.encode_ids(&unit.repeat(length));
        assert_eq!(run("\n", 31), [NEWLINES + 30]);
        assert_eq!(run("\n", 33), [NEWLINES + 30, NEWLINES + 1]);
        assert_eq!(run("\t", 32), [TABS + 30, TABS]);
        assert_eq!(run("▁", 2), [METASPACES]);
        assert_eq!(run("▁", 32).len(), 2);
        assert_eq!(GemmaCounter.encode_ids("▁the"), GemmaCounter.encode_ids(" the"));
        assert_eq!(run(" ", 31), run("▁", 31));
    }

    #[test]
    fn names_in_brackets_are_one_token_wherever_they_stand() {
        for name in ["<bos>", "<h1>", "</td>", "<unused5>", "<|\"|>", "[multimodal]", "<|turn>"] {
            let ids = GemmaCounter.encode_ids(name);
            assert_eq!(ids.len(), 1, "{name}");
            let inside = GemmaCounter.encode_ids(&format!("<{name}>"));
            assert_eq!(inside.get(1), ids.first(), "{name}");
        }
        for other in ["<bos", "bos>", "<h7>", "<0x0A>", "[multimodal", "<unused99999>", "<é>"] {
            assert!(GemmaCounter.encode_ids(other).len() > 1, "{other}");
        }
    }

    #[test]
    fn a_character_without_a_token_is_one_token_for_each_byte() {
        let bytes = "\u{378}".bytes().map(|byte| FIRST_BYTE + u32::from(byte));
        assert_eq!(GemmaCounter.encode_ids("\u{378}"), bytes.collect::<Vec<_>>());
        assert_eq!(GemmaCounter.encode_ids("\r"), [FIRST_BYTE + 13]);
        assert_eq!(GemmaCounter.encode_ids("\0"), [FIRST_BYTE]);
        assert_eq!(GemmaCounter.count("\u{10FFFD}"), 4);
    }
}
