//! Cutting a text where no merge can reach across, and remembering what the short parts cost.

use std::cell::RefCell;

use super::gemma::{METASPACE, added_token};

/// A part of a text that is tokenised by itself.
pub(super) enum Part<'a> {
    /// An added token: its id.
    Added(u32),
    /// Characters that merge among themselves only.
    Piece(&'a str),
}

/// Calls `take` with each part of `text`, in order.
///
/// A piece ends before an added token, and before a space: the only token of the vocabulary that holds a space after
/// another character is `>▁</` (a test looks at all of them), so that no merge reaches across a space that follows
/// anything but `>` or another space.
pub(super) fn each_part<'a>(text: &'a str, mut take: impl FnMut(Part<'a>)) {
    let mut start = 0;
    let mut at = 0;
    let mut before = None;
    let piece = |start: usize, end: usize| text.get(start..end).filter(|piece| !piece.is_empty()).map(Part::Piece);
    while let Some(rest) = text.get(at..) {
        let Some(character) = rest.chars().next() else { break };
        if let Some((id, length)) = added_token(rest, character) {
            piece(start, at).into_iter().for_each(&mut take);
            take(Part::Added(id));
            at += length;
            start = at;
            before = None;
            continue;
        }
        if is_space(character) && before.is_some_and(|before| !is_space(before) && before != '>') {
            piece(start, at).into_iter().for_each(&mut take);
            start = at;
        }
        before = Some(character);
        at += character.len_utf8();
    }
    piece(start, text.len()).into_iter().for_each(&mut take);
}

fn is_space(character: char) -> bool {
    character == ' ' || character == METASPACE
}

/// Bytes of the longest piece that is remembered: with its length it fills a key.
const LONGEST: usize = 15;
/// Pieces that a thread remembers; a newer one takes the place of an older one of the same slot. 512 KiB a thread.
const SLOTS: usize = 1 << 14;

/// The tokens of short pieces, which are mostly words and return all the time. Exact: pieces are compared whole.
struct Counts {
    slots: Vec<(u128, u8)>,
}

thread_local! {
    static COUNTS: RefCell<Counts> = const { RefCell::new(Counts { slots: Vec::new() }) };
}

/// The number of tokens of a piece, by `count` where it is not remembered.
pub(super) fn remembered(piece: &str, count: impl FnOnce() -> usize) -> usize {
    let Some(key) = key(piece) else { return count() };
    COUNTS.with_borrow_mut(|counts| {
        if counts.slots.is_empty() {
            counts.slots.resize(SLOTS, (0, 0));
        }
        let Some((known, tokens)) = counts.slots.get_mut(slot(key)) else { return count() };
        if *known != key {
            // A piece has no more tokens than bytes.
            (*known, *tokens) = (key, u8::try_from(count()).unwrap_or(u8::MAX));
        }
        usize::from(*tokens)
    })
}

/// The piece itself as a number, with its length above: two pieces are equal when their keys are.
fn key(piece: &str) -> Option<u128> {
    let mut bytes = [0; 16];
    bytes.get_mut(..piece.len()).filter(|room| room.len() <= LONGEST)?.copy_from_slice(piece.as_bytes());
    Some(u128::from_le_bytes(bytes) | (piece.len() as u128) << 120)
}

fn slot(key: u128) -> usize {
    let folded = (key as u64) ^ ((key >> 64) as u64).rotate_left(29);
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 50) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{GemmaCounter, TokenCounter};
    use proptest::prelude::*;

    fn pieces(text: &str) -> Vec<&str> {
        let mut pieces = Vec::new();
        each_part(text, |part| pieces.extend(if let Part::Piece(piece) = part { Some(piece) } else { None }));
        pieces
    }

    #[test]
    fn a_text_is_cut_before_spaces_and_around_added_tokens() {
        assert_eq!(pieces("I eat  fish.\nNo"), ["I", " eat", "  fish.", "No"]);
        assert_eq!(pieces("a▁b <b> </b> c"), ["a", "▁b", " ", " ", " c"]);
        assert_eq!(pieces("x > </y"), ["x", " > </y"]);
        assert!(pieces("").is_empty());
    }

    #[test]
    fn only_one_token_holds_a_space_after_another_character() {
        let bytes = include_bytes!("../../fixtures/tokenizer/vocabulary.zst");
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(bytes.as_slice()).unwrap();
        let mut vocabulary = String::new();
        std::io::Read::read_to_string(&mut decoder, &mut vocabulary).unwrap();
        let crosses = |token: &&str| {
            let characters: Vec<char> = token.chars().collect();
            characters.windows(2).any(|pair| pair[0] != METASPACE && pair[1] == METASPACE)
        };
        assert_eq!(vocabulary.split('\0').filter(crosses).collect::<Vec<_>>(), [">▁</"]);
    }

    proptest! {
        #[test]
        fn what_is_remembered_counts_as_what_is_not(
            words in proptest::collection::vec("[a-c ▁>/<é\\n]{0,6}|[ -~]{0,20}", 0..12),
        ) {
            let text = words.concat();
            prop_assert_eq!(GemmaCounter.count(&text), GemmaCounter.encode_ids(&text).len());
            prop_assert_eq!(GemmaCounter.count(&text), GemmaCounter.encode_ids(&text).len(), "the second time");
        }
    }

    #[test]
    fn different_pieces_have_different_keys() {
        assert_ne!(key("a"), key("a\0"));
        assert_ne!(key(""), key("\0"));
        assert!(key("fifteen letters").is_some() && key("sixteen letters!").is_none());
    }
}
