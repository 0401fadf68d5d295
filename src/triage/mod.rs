//! Why each question failed, and what people decided about it.
//!
//! * [`Causes`]: for every answer that did not pass and for every block, one cause with its proof, and the [`Layer`] that broke.
//! * [`Decision`], [`Triage`], [`TriageFile`]: what people decided; entries are added, never changed.
//! * [`Standing`]: what stands decided, held against the open case set and recordings.
//! * [`Scores`]: three totals side by side; [`Rescorer`]: the same while a pattern is being typed.
//! * [`repair`]: a question copied to a new case, to try what would have helped.
//!
//! Nothing flows back: a decision makes a new [`Triage`], and everything else is derived again from it.

mod cause;
mod correction;
mod decide;
mod decision;
mod diagnose;
pub mod disk;
pub mod export;
mod file;
mod layer;
mod link;
mod pattern;
mod proof;
pub mod repair;
mod rescore;
mod rescorer;
mod standing;

pub use cause::{
    AnswerFinding, AnswerState, BlockFinding, BlockState, Cause, Decided, FactProof, LineProof, MustProof, Overruled,
    Proof, Stated, StayedOut,
};
pub use correction::{CorrectedKey, KeyText};
pub use decide::{AnswerChoice, DecideError, Proposal, decide};
pub use decision::{
    AnswerSelector, Clock, Decision, DecisionAction, DecisionVerdict, Evidence, FixedClock, Previous, PreviousFacts,
    PreviousGrade, Subject, SubjectKind, SystemClock, UNKNOWN_AUTHOR, author,
};
pub use diagnose::{CauseTotals, Causes};
pub use file::{Triage, TriageError, TriageFile};
pub use layer::Layer;
pub use link::{Link, MustLink, link};
pub use pattern::{PatternError, compile};
pub use rescore::{Moved, Scores, SetAside, StrategyScore, wilson};
pub use rescorer::{Change, Rescored, Rescorer};
pub use standing::{Conflict, Dispute, Regraded, Resolver, Ruling, Standing};
