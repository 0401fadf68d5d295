//! The layout of the tables that `build.rs` writes and [`super::gemma`] reads, shared by both so that
//! they cannot disagree. All numbers are little-endian.
//!
//! * Pairs: 2^[`SLOT_BITS`] slots of 8 bytes, a hash table with linear probing. A slot holds
//!   `(left << 18 | right) << 20 | rank + 1`; 0 is an empty slot.
//! * Joined: for each rank the id (4 bytes) of the token that the merge makes.
//! * Pages: for each block of 256 code points the number (2 bytes) of its page among the characters.
//! * Characters: pages of 256 ids (4 bytes each, plus one); 0 is a character without a token.

/// The number of slots as a power of two: about half of them are taken.
pub const SLOT_BITS: u32 = 20;
/// The bits of a token id; the vocabulary has exactly 2^18 tokens.
const ID_BITS: u32 = 18;
/// The bits of a slot that hold the rank.
const RANK_BITS: u32 = 20;
/// Multiplying by 2^64 divided by the golden ratio spreads neighbouring pairs over the table.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// A pair of ids as one number.
pub fn pair_key(left: u32, right: u32) -> u64 {
    (u64::from(left) << ID_BITS) | u64::from(right)
}

/// The slot where the search for a pair begins.
pub fn first_slot(key: u64) -> usize {
    (key.wrapping_mul(SPREAD) >> (u64::BITS - SLOT_BITS)) as usize
}

/// The slot to look into after `slot`.
pub fn next_slot(slot: usize) -> usize {
    (slot + 1) & ((1 << SLOT_BITS) - 1)
}

/// What a slot holds for the merge of a pair.
#[allow(dead_code, reason = "only build.rs packs")]
pub fn pack_slot(key: u64, rank: u32) -> u64 {
    (key << RANK_BITS) | (u64::from(rank) + 1)
}

/// The rank in a slot if the slot is taken by `key`.
#[allow(dead_code, reason = "only the library unpacks")]
pub fn rank_in_slot(slot: u64, key: u64) -> Option<u32> {
    let rank = (slot & ((1 << RANK_BITS) - 1)) as u32;
    if slot >> RANK_BITS == key { rank.checked_sub(1) } else { None }
}
