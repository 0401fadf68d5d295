//! Benchmarks and the answers of other memory systems, made into case sets, recordings and block runs.
//!
//! ```text
//! file ─ recognise ─▶ Format ─┬─ locomo, longmemeval, slice ─▶ CaseSet ──────┐
//!                             └─ answers: rows ─▶ AnswerSet ─ fit ─▶ Recording, BlockRun
//! ```
//!
//! Whatever cannot be taken as it stands is a [`Doubt`]: listed with its place and with what was made of it. An answer set
//! is read on its own, in parallel with all others, and [`fit`] then finds its questions in the case set.
//!
//! LoCoMo: Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents", 2024. LongMemEval: Wu et al.,
//! "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory", 2025.

mod answers;
mod cases;
mod doubt;
mod fit;
pub mod generate;
mod locomo;
mod longmemeval;
mod own;
mod read;
mod recognise;
mod rows;
mod slice;
mod split;
mod value;
pub mod write;

use serde::Serialize;

pub use crate::progress::Progress;
pub use answers::{AnswerSet, read_answers};
pub use cases::{CaseImport, Imported, read_cases, stream_cases};
pub use doubt::{Count, Doubt, DoubtKind, warnings};
pub use fit::{Fitted, fit};
pub use read::Opened;
pub use recognise::{Format, Role};
pub use slice::Slice;

/// What becomes a record of the memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Memories {
    /// Each turn of a conversation.
    #[default]
    Turns,
    /// Each session as a whole. Evidence counts by session then.
    Sessions,
    /// LoCoMo's own extracted facts. Evidence counts by the first fact that names its turn.
    Observations,
}

/// How to import a benchmark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// What becomes a record.
    pub memories: Memories,
    /// The facts quota in tokens, instead of the one of the file or the format.
    pub quota: Option<usize>,
}

/// The facts quota of an imported LoCoMo, in tokens: some 30 turns, what memory systems commonly retrieve for one of its
/// questions, and a twentieth of a conversation.
pub const LOCOMO_QUOTA: usize = 1_000;
/// The facts quota of an imported LongMemEval, in tokens: its turns are chat answers of several hundred tokens each, so that
/// ten of them need that much; a thirtieth of a haystack of the smaller variant.
pub const LONGMEMEVAL_QUOTA: usize = 4_000;
