//! Remakes `fixtures/tokenizer/vocabulary.zst` and `tokenizer-manifest.json` from their source.
//!
//! The source is the file `vocabs/gemma4.mbpe` of the package `splintr-vocab-gemma4` 1.0.0, which
//! cargo unpacks when a scratch project asks for it:
//!
//! ```text
//! cargo new scratch && cd scratch && cargo add splintr-vocab-gemma4@=1.0.0 && cargo fetch
//! ls "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/splintr-vocab-gemma4-1.0.0/vocabs/gemma4.mbpe
//! ```
//!
//! Then, in this repository and with the `zstd` program installed:
//!
//! ```text
//! cargo run --example vendor_vocabulary -- PATH-OF-gemma4.mbpe
//! ```
//!
//! It refuses to write unless the merge list that `build.rs` derives from the vocabulary is the one
//! that the source states. Another release of `zstd` may compress to other bytes; the manifest then
//! changes in `compressed` only.

use std::collections::HashSet;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use sha2::{Digest, Sha256};

#[path = "../build/vocabulary.rs"]
mod vocabulary;

use vocabulary::{MERGES, Merge, TOKENS, Vocabulary};

/// A merge as the source states it: the id of the token that it makes, the length of the first half in bytes.
type StatedMerge = (usize, usize);

/// Compresses best of the levels that every decoder reads.
const LEVEL: &str = "-19";

fn main() -> Result<(), Box<dyn Error>> {
    let source_path = std::env::args_os()
        .nth(1)
        .ok_or("usage: vendor_vocabulary PATH-OF-gemma4.mbpe")?;
    let source = fs::read_to_string(&source_path)
        .map_err(|error| format!("cannot read {}: {error}", Path::new(&source_path).display()))?;
    let (tokens, stated_merges) = parse_source(&source)?;
    let raw = tokens.join("\0");
    let vocabulary = Vocabulary::parse(raw.as_bytes())?;
    let merges = vocabulary.merges()?;
    check_merges(&vocabulary, &merges, &stated_merges)?;

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tokenizer");
    fs::create_dir_all(&folder)?;
    let compressed = compress(&folder, raw.as_bytes())?;
    let manifest = json!({
        "model": "Gemma 4 E2B",
        "counts": "tokens of a text without special tokens such as <bos>",
        "licence": "Apache-2.0 (LICENSE and NOTICE beside this file)",
        "source": {
            "package": "splintr-vocab-gemma4",
            "version": "1.0.0",
            "file": "vocabs/gemma4.mbpe",
            "bytes": source.len(),
            "sha256": sha256(source.as_bytes()),
            "converted_from": "tokenizer.json of google/gemma-4-12B-it",
            "converted_from_sha256": "cc8d3a0ce36466ccc1278bf987df5f71db1719b9ca6b4118264f45cb627bfe0f",
        },
        "vocabulary": {
            "form": "the spelling of each token in id order, joined by NUL",
            "tokens": TOKENS,
            "bytes": raw.len(),
            "sha256": sha256(raw.as_bytes()),
        },
        "merges": {
            "form": "derived from the vocabulary by build.rs, not vendored",
            "count": MERGES,
            "hashed_form": "for each merge in order of rank the ids of its halves, each as 4 bytes, the lowest first",
            "sha256": sha256(&Merge::bytes(&merges)),
            "checked_against_source": stated_merges.len(),
        },
        "added_tokens": {
            "form": "runs of line breaks, tabs and ▁, and names in brackets, matched in the raw text",
            "count": vocabulary.tokens.iter().filter(|token| vocabulary::is_added(token)).count(),
            "basis": "inferred from the spellings (build/vocabulary.rs): the source does not state them",
        },
        "compressed": {
            "file": "vocabulary.zst",
            "command": format!("zstd {LEVEL}"),
            "bytes": compressed.len(),
            "sha256": sha256(&compressed),
        },
    });
    let path = folder.join("tokenizer-manifest.json");
    fs::write(&path, format!("{manifest:#}\n"))?;
    println!(
        "wrote {} and vocabulary.zst ({} bytes) beside it",
        path.display(),
        compressed.len()
    );
    Ok(())
}

/// Takes the spellings and the merges out of the source: a line with the
/// format's name, `key value` lines, an empty line, then one line for each token in id
/// order and one for each merge in order of rank.
fn parse_source(source: &str) -> Result<(Vec<String>, Vec<StatedMerge>), Box<dyn Error>> {
    let body = source
        .strip_prefix("mbpe 1\n")
        .ok_or("the first line is not `mbpe 1`")?;
    let (header, body) = body
        .split_once("\n\n")
        .ok_or("no empty line ends the header")?;
    if !header.lines().any(|line| line == format!("vocab {TOKENS}")) {
        return Err(format!("the header does not say `vocab {TOKENS}`").into());
    }
    let mut lines = body.split_terminator('\n');
    let tokens = lines
        .by_ref()
        .take(TOKENS)
        .map(unescape)
        .collect::<Result<Vec<_>, _>>()?;
    let merge = |line: &str| -> Result<StatedMerge, Box<dyn Error>> {
        let (id, split) = line
            .split_once(' ')
            .ok_or_else(|| format!("not a merge: {line:?}"))?;
        Ok((id.parse()?, split.parse()?))
    };
    Ok((tokens, lines.map(merge).collect::<Result<_, _>>()?))
}

/// Undoes the escapes of one token line: `\\`, `\n` and `\r`.
fn unescape(line: &str) -> Result<String, String> {
    let mut token = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        token.push(match character {
            '\\' => match characters.next() {
                Some('\\') => '\\',
                Some('n') => '\n',
                Some('r') => '\r',
                other => return Err(format!("unexpected escape {other:?} in {line:?}")),
            },
            plain => plain,
        });
    }
    Ok(token)
}

/// The source lists each token once, with the first merge that builds it: the same must be left of
/// the derived list when only the first merge of each token is kept.
fn check_merges(
    vocabulary: &Vocabulary<'_>,
    merges: &[Merge],
    stated: &[StatedMerge],
) -> Result<(), Box<dyn Error>> {
    let mut seen = HashSet::new();
    let mut derived = Vec::with_capacity(stated.len());
    for merge in merges {
        if seen.insert(merge.joined) {
            let left = vocabulary
                .tokens
                .get(merge.left as usize)
                .ok_or("a merge of an unknown token")?;
            derived.push((merge.joined as usize, left.len()));
        }
    }
    match derived
        .iter()
        .zip(stated)
        .position(|(ours, theirs)| ours != theirs)
    {
        None if derived.len() == stated.len() => Ok(()),
        None => Err(format!("{} merges derived, {} stated", derived.len(), stated.len()).into()),
        Some(rank) => Err(format!("merge {rank} differs from the stated one").into()),
    }
}

/// Runs the `zstd` program: no Rust encoder without C compresses as well.
fn compress(folder: &Path, raw: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let (plain, packed) = (folder.join("vocabulary"), folder.join("vocabulary.zst"));
    fs::write(&plain, raw)?;
    let status = Command::new("zstd")
        .args(["--quiet", "--force", "--rm", LEVEL])
        .arg(&plain)
        .arg("-o")
        .arg(&packed)
        .status();
    let status = status.map_err(|error| format!("cannot run zstd, is it installed? {error}"))?;
    if !status.success() {
        return Err(format!("zstd failed: {status}").into());
    }
    Ok(fs::read(&packed)?)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
