//! The governed store: what may become durable, who may read it, what was true and what was believed when, how it fades,
//! what experience earns a standing rule, and what is gone after "forget me".
//!
//! One SQLite database holds it all ([`Store`]). Every operation is one transaction, so a program that is killed leaves
//! either all of an operation or nothing of it. `fixtures/governed/governed-expected.json` specifies the behaviour.
//! Times are whole numbers in a unit of the caller's choice (turns, seconds); intervals are half-open, `[from, to)`.
//!
//! Decisions where that specification is silent, with their reasons:
//!
//! * **Empty names.** A shared row has no user, and its id is made with an empty user. [`Scope`] refuses an empty user, or a
//!   person could share the records of everybody.
//! * **Transaction time runs forward in a slot.** A write that names no time is recorded at the fact's own time, or at the
//!   last moment at which its slot learned something if that is later. One that names an earlier moment is refused: a belief
//!   that somebody may have acted on would change afterwards.
//! * **Retired rows keep their place in the timeline.** Whether a sweep has run never changes which interval another row gets.
//!   A retired value is not compared with, so saying a forgotten fact again records it again.
//! * **A correction restores what the corrected row had closed, then takes its own place** by the rule of every write.
//! * **Expiry is forgetting.** A swept row is gone at every clock. Until the sweep, a belief is read with its decision time as
//!   the present.
//! * **Two values that rank equally** in one slot, seen from the same scope but held by different scopes or sources, are
//!   reported as a conflict; neither is picked.
//! * **Working notes and model guesses without a horizon** are kept, but [`Candidate::asks_horizon`] asks for one.
//! * **The audit holds no content**: ids, decisions and reasons only. So it survives a deletion and leaks nothing.
//! * **Deletion never moves another row's interval.** That a summary is gone does not make an older fact true again.

mod abilities;
mod adapter;
mod agent;
mod audit;
mod cache;
mod compared;
mod consolidate;
#[cfg(test)]
mod crash;
pub mod curriculum;
mod database;
mod delete;
mod error;
mod events;
mod evidence;
mod forget;
mod gate;
mod history;
mod index;
mod lessons;
mod lineage;
mod policy_log;
mod query;
mod read;
mod record;
mod rehearse;
mod rehearse_rollback;
mod rights;
mod rows;
pub mod scenario;
mod scope;
mod shared;
mod snapshot;
mod steps;
mod suite;
mod timeline;
mod tokens;
mod wal;
mod write;

pub use abilities::{Ability, System};
pub use adapter::{Edit, Refusal, edits};
pub use agent::{Agent, Tool, ToolCall};
pub use audit::{AuditEntry, Resolution, ReviewItem};
pub use cache::Dimension;
pub use compared::{Compared, Comparison, Probe, SliceScore, TimedFact, compare, foreign, weigh};
pub use consolidate::Consolidated;
pub use database::Store;
pub use delete::{Forgotten, Manifest, TargetState, Targets};
pub use error::GovernedError;
pub use events::{CONFIDENCE, Clock, Heard, candidate_of, scope_of, time_of};
pub use evidence::quote;
pub use forget::{Drop, DropReason};
pub use gate::{Reason, gate};
pub use history::{Kept, ScopeHistory, ScopeSize, State, Version};
pub use index::Difference;
pub use lessons::{Attempt, Case, Curriculum, Lesson, Policy, Rule, Run, Trial};
pub use lineage::{Branch, Lineage, TreeLine, tree};
pub use policy_log::PolicyVersion;
pub use query::{Abstention, Answer, Clocks, Considered, Outcome, Query, Reading, THRESHOLD, Unsafe};
pub use record::{Candidate, Ending, Kind, Record, Source, Span, Status};
pub use rehearse::{Derived, Reached, Rehearsal, Stage, StageKind, StillAnswers};
pub use rehearse_rollback::{CaseUse, Rerouted, RollbackRehearsal, UsedCase};
pub use scope::Scope;
pub use shared::{Artifact, Judgement, SharedManifest};
pub use snapshot::Snapshot;
pub use steps::{Did, Step, steps};
pub use suite::{COST_MATCHED, FIVE_ABILITIES, Suite};
pub use tokens::{count, for_each_token, tokens};
pub use write::{Decision, Turn, Written};
