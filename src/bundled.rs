//! The data inside the binary, so that recallscope opens on something real from any folder, offline.
//!
//! The slice of LongMemEval is embedded as it is: 2.5 MB of some 30, which need no decompressing.

use std::ffi::OsStr;

use crate::source::Source;

/// The name of the first bundled case set, which stands where a case file may be named.
pub const CASES: &str = "bundled";
/// The name of the bundled slice of LongMemEval.
pub const SLICE: &str = "longmemeval-slice";

/// Whether a path is the name of bundled data.
pub fn is_name(path: &OsStr) -> bool {
    path == CASES || path == SLICE
}

/// Name and text of the bundled case set.
pub fn cases() -> Source {
    Source::new("fixtures/cases.json (bundled)", include_str!("../fixtures/cases.json"))
}

/// The bundled answer keys.
pub fn answer_keys() -> Source {
    Source::new("fixtures/answer-keys.json (bundled)", include_str!("../fixtures/answer-keys.json"))
}

/// The bundled recording: 150 answers of Gemma 4 E2B.
pub fn answers() -> Source {
    Source::new("recordings/answer-result.json (bundled)", include_str!("../recordings/answer-result.json"))
}

/// How the governed store behaves, as scenarios, with the curricula of its lessons and its comparison with other systems.
pub fn governed() -> Source {
    Source::new(
        "fixtures/governed/governed-expected.json (bundled)",
        include_str!("../fixtures/governed/governed-expected.json"),
    )
}

/// A file of the bundled slice of LongMemEval.
#[derive(Debug, Clone, Copy)]
pub struct BundledFile {
    /// The name under which problems are reported.
    pub name: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

macro_rules! slice_file {
    ($path:expr) => {
        BundledFile {
            name: concat!("fixtures/longmemeval-slice/", $path),
            bytes: include_bytes!(concat!("../fixtures/longmemeval-slice/", $path)),
        }
    };
}

macro_rules! slice_results {
    ($($name:literal,)*) => {
        &[$(slice_file!(concat!("results/longmemeval-s_", $name, ".json"))),*]
    };
}

/// The questions of the slice.
pub const SLICE_QUESTIONS: BundledFile = slice_file!("questions.jsonl");
/// The sessions of the slice.
pub const SLICE_SESSIONS: BundledFile = slice_file!("sessions.jsonl");
/// The results of the slice: one file for each memory system and seed.
pub const SLICE_RESULTS: &[BundledFile] = slice_results![
    "bm25_seed0",
    "bm25_seed1",
    "bm25_seed2",
    "cognee_seed0",
    "full_context_seed0",
    "graphiti_seed0",
    "hybrid_rrf_seed0",
    "hybrid_rrf_seed1",
    "hybrid_rrf_seed2",
    "hyde_seed0",
    "hyde_seed1",
    "hyde_seed2",
    "karpathy_llm_wiki_seed0",
    "langmem_seed0",
    "langmem_seed1",
    "langmem_seed2",
    "mem0_seed0",
    "mem0_seed1",
    "mem0_seed2",
    "mem0g_seed0",
    "memori_seed0",
    "naive_vector_seed0",
    "naive_vector_seed1",
    "naive_vector_seed2",
    "persona_profile_seed0",
    "persona_profile_seed1",
    "persona_profile_seed2",
    "raptor_seed0",
    "raptor_seed1",
    "raptor_seed2",
    "recency_window_seed0",
    "recency_window_seed1",
    "recency_window_seed2",
    "reflection_seed0",
    "reflection_seed1",
    "reflection_seed2",
];
