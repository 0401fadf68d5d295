//! Makes the tables of the built-in Gemma 4 tokenizer from its vendored vocabulary.
//!
//! The tables are embedded in the program and read in place, so that counting needs no start-up.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[path = "src/tokens/layout.rs"]
mod layout;
#[path = "src/tokens/vocabulary.rs"]
mod vocabulary;

use vocabulary::{LONGEST_RUN, METASPACE, Merge, Vocabulary};

const VOCABULARY: &str = "fixtures/tokenizer/vocabulary.zst";
const INPUTS: [&str; 4] = ["build.rs", "src/tokens/vocabulary.rs", "src/tokens/layout.rs", VOCABULARY];

fn main() -> ExitCode {
    for input in INPUTS {
        println!("cargo::rerun-if-changed={input}");
    }
    match make_tables() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("cargo::error={message}");
            ExitCode::FAILURE
        }
    }
}

fn make_tables() -> Result<(), String> {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or("cargo has not set OUT_DIR")?;
    let about_vocabulary = |message: String| {
        format!("{VOCABULARY} is damaged: {message} (fixtures/tokenizer/vendor_vocabulary.rs remakes it)")
    };
    let packed = fs::read(VOCABULARY).map_err(|error| format!("cannot read {VOCABULARY}: {error}"))?;
    let raw = decompress(&packed).map_err(about_vocabulary)?;
    let vocabulary = Vocabulary::parse(&raw).map_err(about_vocabulary)?;
    let merges = vocabulary.merges().map_err(about_vocabulary)?;
    let (pages, characters) = character_tables(&vocabulary)?;
    let names = names(&vocabulary).map_err(about_vocabulary)?;

    write(&out, "pairs.bin", &pair_table(&merges)?)?;
    write(&out, "joined.bin", &merges.iter().flat_map(|merge| merge.joined.to_le_bytes()).collect::<Vec<_>>())?;
    write(&out, "pages.bin", &pages)?;
    write(&out, "characters.bin", &characters)?;
    write(&out, "names.rs", names.as_bytes())
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = folder.join(name);
    fs::write(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Decompresses and compares the checksum, which `ruzstd` computes but leaves to its caller.
fn decompress(packed: &[u8]) -> Result<Vec<u8>, String> {
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| error.to_string())?;
    let mut raw = Vec::new();
    decoder.read_to_end(&mut raw).map_err(|error| error.to_string())?;
    let frame = decoder.decoder;
    if frame.get_checksum_from_data() != frame.get_calculated_checksum() {
        return Err("its checksum does not match".to_owned());
    }
    Ok(raw)
}

fn pair_table(merges: &[Merge]) -> Result<Vec<u8>, String> {
    let mut slots = vec![0_u64; 1 << layout::SLOT_BITS];
    for (rank, merge) in (0..).zip(merges) {
        let key = layout::pair_key(merge.left, merge.right);
        let mut at = layout::first_slot(key);
        // Half of the slots stay empty, so the search ends.
        while slots.get(at).is_some_and(|&slot| slot != 0) {
            at = layout::next_slot(at);
        }
        let slot = slots.get_mut(at).ok_or("a slot beyond the table")?;
        *slot = layout::pack_slot(key, rank);
    }
    Ok(slots.into_iter().flat_map(u64::to_le_bytes).collect())
}

/// The page numbers and the pages of the characters that are tokens. Page 0 is all zero: it serves
/// each block without any.
fn character_tables(vocabulary: &Vocabulary<'_>) -> Result<(Vec<u8>, Vec<u8>), String> {
    const PAGE: usize = 256;
    let mut page_of = vec![0_u16; (char::MAX as usize + 1) / PAGE];
    let mut characters = vec![0_u32; PAGE];
    for (id, token) in (0_u32..).zip(&vocabulary.tokens) {
        let mut spelling = token.chars();
        let (Some(character), None) = (spelling.next(), spelling.next()) else {
            continue;
        };
        let code_point = character as usize;
        let page = page_of.get_mut(code_point / PAGE).ok_or("a page beyond the table")?;
        if *page == 0 {
            *page = u16::try_from(characters.len() / PAGE).map_err(|error| error.to_string())?;
            characters.resize(characters.len() + PAGE, 0);
        }
        let at = usize::from(*page) * PAGE + code_point % PAGE;
        *characters.get_mut(at).ok_or("a character beyond the table")? = id + 1;
    }
    Ok((
        page_of.into_iter().flat_map(u16::to_le_bytes).collect(),
        characters.into_iter().flat_map(u32::to_le_bytes).collect(),
    ))
}

/// Rust source with the ids that the encoder needs by name, and the sorted names in brackets.
fn names(vocabulary: &Vocabulary<'_>) -> Result<String, String> {
    let mut names: Vec<(&str, u32)> = (0..)
        .zip(&vocabulary.tokens)
        .map(|(id, &token)| (token, id))
        .filter(|&(token, _)| vocabulary::is_name(token))
        .collect();
    // The encoder takes the text from an opening bracket to the first closing one for the name.
    if let Some((name, _)) = names.iter().find(|(name, _)| name.matches(['<', '[', '>', ']']).count() != 2) {
        return Err(format!("the name {name:?} has a bracket inside"));
    }
    names.sort_unstable();
    let longest = names.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let first_of_run = |unit: &str, shortest: usize| -> Result<u32, String> {
        let first = vocabulary.id(&unit.repeat(shortest))?;
        let ids = (shortest..=LONGEST_RUN).map(|length| vocabulary.id(&unit.repeat(length)));
        for (id, expected) in ids.zip(first..) {
            if id? != expected {
                return Err(format!("the runs of {unit:?} do not have consecutive ids"));
            }
        }
        Ok(first)
    };
    for (byte, expected) in (0_u8..=255).zip(vocabulary.id("<0x00>")?..) {
        if vocabulary.id(&format!("<0x{byte:02X}>"))? != expected {
            return Err("the byte tokens do not have consecutive ids".to_owned());
        }
    }
    let mut source = String::new();
    let mut line = |text: std::fmt::Arguments<'_>| writeln!(source, "{text}").map_err(|error| error.to_string());
    line(format_args!("const LONGEST_RUN: usize = {LONGEST_RUN};"))?;
    line(format_args!("const NEWLINES: u32 = {};", first_of_run("\n", 1)?))?;
    line(format_args!("const TABS: u32 = {};", first_of_run("\t", 1)?))?;
    line(format_args!("const METASPACES: u32 = {};", first_of_run(&METASPACE.to_string(), 2)?))?;
    line(format_args!("const FIRST_BYTE: u32 = {};", vocabulary.id("<0x00>")?))?;
    line(format_args!("const LONGEST_NAME: usize = {longest};"))?;
    line(format_args!("static NAMES: [(&str, u32); {}] = {names:?};", names.len()))?;
    Ok(source)
}
