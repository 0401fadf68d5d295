//! The Gemma 4 vocabulary as it is vendored, and the merge list that follows from its order.
//!
//! Used by `build.rs` to make the tables, and included by the equality test, the benchmark and
//! `fixtures/tokenizer/vendor_vocabulary.rs`, which checks the list against the one that the source states.

use std::collections::HashMap;

/// How many tokens the vocabulary has.
pub const TOKENS: usize = 262_144;
/// How many merges the reference tokenizer lists; each pair of tokens occurs once.
pub const MERGES: usize = 514_906;
/// The longest run of one white-space character that is a token.
pub const LONGEST_RUN: usize = 31;
/// The character that stands for a space.
pub const METASPACE: char = '▁';

/// The characters whose runs are tokens, in the order in which the merge list interleaves them.
const RUN_CHARACTERS: [char; 3] = ['\n', METASPACE, '\t'];
/// The one ordinary merge among the white-space merges: its halves and its place in the list.
const STRAY: (&str, &str, &str) = ("▁", "t", "▁t");
const STRAY_AT: usize = 1394;

/// The tokens in id order.
pub struct Vocabulary<'a> {
    /// The spelling of each token; the position is the id.
    pub tokens: Vec<&'a str>,
    ids: HashMap<&'a str, u32>,
}

#[allow(dead_code, reason = "not each program that includes this file reads all parts")]
/// One merge: two adjacent tokens become a third. The position in the list is the rank.
#[derive(Clone, Copy)]
pub struct Merge {
    /// The id of the first half.
    pub left: u32,
    /// The id of the second half.
    pub right: u32,
    /// The id of the token that both make.
    pub joined: u32,
}

#[allow(dead_code, reason = "not each program that includes this file hashes the list")]
impl Merge {
    /// The list as the manifest hashes it: the ids of both halves of each merge, little-endian.
    pub fn bytes(merges: &[Self]) -> Vec<u8> {
        let halves = merges.iter().flat_map(|merge| [merge.left, merge.right]);
        halves.flat_map(u32::to_le_bytes).collect()
    }
}

impl<'a> Vocabulary<'a> {
    /// Reads the vendored form: all spellings in id order, joined by NUL.
    ///
    /// # Errors
    /// Says what is wrong when the bytes are not UTF-8, the number of tokens is not [`TOKENS`] or
    /// two tokens are spelled alike.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
        let tokens: Vec<&str> = text.split('\0').collect();
        if tokens.len() != TOKENS {
            return Err(format!("{} tokens, expected {TOKENS}", tokens.len()));
        }
        let mut ids = HashMap::with_capacity(tokens.len());
        for (id, &token) in (0..).zip(&tokens) {
            if let Some(first) = ids.insert(token, id) {
                return Err(format!("tokens {first} and {id} are both {token:?}"));
            }
        }
        Ok(Self { tokens, ids })
    }

    /// The id of the token spelled `token`.
    ///
    /// # Errors
    /// Names the token when the vocabulary lacks it.
    pub fn id(&self, token: &str) -> Result<u32, String> {
        let id = self.ids.get(token).copied();
        id.ok_or_else(|| format!("the token {token:?} is not there"))
    }

    /// Each merge in order of rank.
    ///
    /// The list is not vendored because it follows from the vocabulary: first every split of every
    /// white-space run, then, token by token, each split whose halves are tokens too, the one with
    /// the longest first half first.
    ///
    /// # Errors
    /// Says what is wrong when a white-space run is missing or the number of merges is not [`MERGES`].
    pub fn merges(&self) -> Result<Vec<Merge>, String> {
        let mut merges = self.run_merges()?;
        for (joined, &token) in (0..).zip(&self.tokens) {
            if is_added(token) || is_byte(token) || token == STRAY.2 {
                continue;
            }
            for (at, _) in token.char_indices().skip(1).collect::<Vec<_>>().into_iter().rev() {
                let (left, right) = token.split_at(at);
                if let (Some(&left), Some(&right)) = (self.ids.get(left), self.ids.get(right)) {
                    merges.push(Merge { left, right, joined });
                }
            }
        }
        if merges.len() != MERGES {
            return Err(format!("{} merges follow from it, expected {MERGES}", merges.len()));
        }
        Ok(merges)
    }

    /// The merges that build the white-space runs, longest first half first.
    fn run_merges(&self) -> Result<Vec<Merge>, String> {
        let run = |character: char, length: usize| self.id(&character.to_string().repeat(length));
        let mut merges = Vec::with_capacity(MERGES);
        for first in (1..LONGEST_RUN).rev() {
            for second in (1..=LONGEST_RUN - first).rev() {
                for character in RUN_CHARACTERS {
                    merges.push(Merge {
                        left: run(character, first)?,
                        right: run(character, second)?,
                        joined: run(character, first + second)?,
                    });
                }
            }
        }
        let stray = Merge { left: self.id(STRAY.0)?, right: self.id(STRAY.1)?, joined: self.id(STRAY.2)? };
        merges.insert(STRAY_AT.min(merges.len()), stray);
        Ok(merges)
    }
}

/// Whether a token is matched in the raw text before any merging: a run of line breaks, of tabs or
/// of two or more `▁`, a name in angle brackets, or `[multimodal]`.
pub fn is_added(token: &str) -> bool {
    let run_of = |character| token.chars().all(|c| c == character);
    run_of('\n') || run_of('\t') || (run_of(METASPACE) && token.chars().nth(1).is_some()) || is_name(token)
}

/// Whether a token is a name in brackets. `<=>` and `<?>`, which merges build, are not.
pub fn is_name(token: &str) -> bool {
    let inner = token.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let named = |inner: &str| inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '|');
    token == "[multimodal]" || (inner.is_some_and(named) && !is_byte(token))
}

/// Whether a token stands for one byte of a character that has no token of its own: `<0x0A>`.
pub fn is_byte(token: &str) -> bool {
    token.len() == 6 && token.starts_with("<0x") && token.ends_with('>')
}
