//! The five causes, and what proves each.

use std::sync::Arc;

use serde::Serialize;

use crate::explain::{FactKind, Fate};
use crate::grade::Verdict;
use crate::memory::RecordId;
use crate::workspace::AnswerRef;

use super::decision::DecisionVerdict;
use super::layer::{Layer, in_words};
use super::link::Link;
use super::standing::shared;

/// What broke a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A fact that the user asked to forget reached the block or the answer.
    Forgotten,
    /// A replaced fact reached the block, or the answer as current.
    Stale,
    /// A needed fact never reached the block.
    Missing,
    /// Every needed fact was in the block, and the answer does not state it.
    Unused,
    /// A decision says that the key, the question or its facts are at fault.
    FaultyKey,
}

impl Cause {
    /// All causes, in the order in which they are looked for and reported.
    pub const ALL: [Self; 5] = [Self::Forgotten, Self::Stale, Self::Missing, Self::Unused, Self::FaultyKey];

    /// The words on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forgotten => "forgotten",
            Self::Stale => "stale",
            Self::Missing => "missing",
            Self::Unused => "unused",
            Self::FaultyKey => "faulty key",
        }
    }
}

/// Why an answer did not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AnswerState {
    /// For this cause.
    Cause(Cause),
    /// There is nothing to grade: no answer, or no key.
    Incomplete,
    /// It lacks a fact, but the case set has no block for it: its strategy or its question is not there.
    NoBlock,
}

impl AnswerState {
    /// The words on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cause(cause) => cause.name(),
            Self::Incomplete => "incomplete",
            Self::NoBlock => "no block",
        }
    }
}

impl Serialize for AnswerState {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Cause(cause) => cause.serialize(serializer),
            Self::Incomplete => serializer.serialize_str("incomplete"),
            Self::NoBlock => serializer.serialize_str("no_block"),
        }
    }
}

/// How a block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlockState {
    /// It holds what it must and leaks nothing.
    Sound,
    /// Something is wrong with it.
    Cause(Cause),
    /// It leaks for this cause, and each recorded answer passes all the same. The gate still fails: the next answer may not.
    LeakedUnharmed(Cause),
}

impl BlockState {
    /// The words on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sound => "sound",
            Self::Cause(cause) => cause.name(),
            Self::LeakedUnharmed(_) => "leaked, unharmed",
        }
    }

    /// The cause, if there is one.
    pub fn cause(self) -> Option<Cause> {
        match self {
            Self::Sound => None,
            Self::Cause(cause) | Self::LeakedUnharmed(cause) => Some(cause),
        }
    }
}

impl Serialize for BlockState {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Sound => serializer.serialize_str("sound"),
            Self::Cause(cause) => cause.serialize(serializer),
            Self::LeakedUnharmed(_) => serializer.serialize_str("leaked_unharmed"),
        }
    }
}

/// Why a record that carries a fact is not in the block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum StayedOut {
    /// No event that was stored carries the fact.
    NeverStored,
    /// A correction took its place.
    Superseded {
        /// The record that took its place.
        by: RecordId,
        /// The turn of the correction.
        turn: u64,
    },
    /// It was deleted at the user's request.
    Forgotten {
        /// The turn of the request.
        turn: u64,
    },
    /// The governed store refused it.
    Refused {
        /// The store's own words, such as `instruction-like content requires review`.
        why: crate::governed::Reason,
    },
    /// The governed store holds the same value, and did not store it again.
    Repeats {
        /// The record that holds it.
        record: RecordId,
    },
    /// The strategy did not rank it.
    NotRanked {
        /// The strategy's own words, such as `shares no word with the question`.
        why: String,
    },
    /// Its line would have gone over the quota.
    OverQuota {
        /// By this many tokens.
        tokens: usize,
    },
}

impl StayedOut {
    pub(super) fn of(fate: &Fate) -> Option<Self> {
        match fate {
            Fate::Sent => None,
            Fate::OverQuota { by } => Some(Self::OverQuota { tokens: *by }),
            Fate::Unranked { reason } => Some(Self::NotRanked { why: reason.clone() }),
            Fate::Superseded { by, turn } => Some(Self::Superseded { by: *by, turn: *turn }),
            Fate::Forgotten { turn } => Some(Self::Forgotten { turn: *turn }),
            Fate::Refused { reason } => Some(Self::Refused { why: *reason }),
            Fate::Repeats { id } => Some(Self::Repeats { record: *id }),
        }
    }

    /// The reason in a few words.
    pub fn words(&self) -> String {
        match self {
            Self::NeverStored => "never stored".to_owned(),
            Self::Superseded { by, turn } => Fate::Superseded { by: *by, turn: *turn }.words(),
            Self::Forgotten { turn } => Fate::Forgotten { turn: *turn }.words(),
            Self::Refused { why } => Fate::Refused { reason: *why }.words(),
            Self::Repeats { record } => Fate::Repeats { id: *record }.words(),
            Self::NotRanked { why } => why.clone(),
            Self::OverQuota { tokens } => Fate::OverQuota { by: *tokens }.words(),
        }
    }
}

/// A later event that overruled a line's fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overruled {
    /// `correct` or `forget`.
    pub op: &'static str,
    /// The turn of that event.
    pub turn: u64,
    /// What the user said then: the version that replaced it, or the request.
    pub text: String,
}

/// A record that carries a fact: in the block, or not and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineProof {
    /// The record's number; none for a fact that was never stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordId>,
    /// The turn at which it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// The words of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What overruled it later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overruled: Option<Overruled>,
    /// Why it is not in the block; none where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stayed_out: Option<StayedOut>,
}

/// Where a fact of the question went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactProof {
    /// The fact's words, or the id of its event.
    pub fact: String,
    /// Which of the question's lists names it.
    #[serde(serialize_with = "kind_name")]
    pub kind: FactKind,
    /// Whether a line of the block carries it.
    pub in_block: bool,
    /// The lines of the block that carry it, or else the records that do and why each stayed out.
    pub lines: Vec<LineProof>,
}

fn kind_name<S: serde::Serializer>(kind: &FactKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

impl FactProof {
    /// Where the fact is, in a few words, such as `#7 shares no word with the question`.
    pub fn words(&self) -> String {
        let line = self.lines.first();
        let number = line.and_then(|line| line.record).map(|record| format!("#{record}"));
        match (number, line.and_then(|line| line.stayed_out.as_ref())) {
            (Some(number), None) => format!("line {number}"),
            (Some(number), Some(out)) => format!("{number}: {}", out.words()),
            (None, _) => StayedOut::NeverStored.words(),
        }
    }
}

/// A pattern that the answer must match and does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MustProof {
    /// The name that the key gives it.
    pub name: String,
    /// The pattern, as it is written.
    pub pattern: String,
    /// How it is tied to the question's required facts (see [`super::link()`]); `none` is suspicious.
    pub link: Link,
    /// Whether the block held what it stands for.
    pub held: bool,
    /// The facts that it stands for.
    pub facts: Vec<FactProof>,
}

/// What an answer states and must not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stated {
    /// The words of the answer.
    pub text: String,
    /// Where they begin in the answer, in bytes.
    pub start: usize,
    /// Where they end.
    pub end: usize,
}

/// A decision that speaks of a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decided {
    /// What was decided.
    pub verdict: DecisionVerdict,
    /// By whom.
    pub author: String,
    /// When.
    pub time: String,
    /// Why.
    pub reason: String,
}

/// What proves a cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// Of forgotten and stale: the words of the answer, and where the fact is.
    Stated {
        /// The pattern that found them.
        pattern: String,
        /// The words.
        stated: Vec<Stated>,
        /// The question's facts of that kind whose line the pattern matches; all of that kind where it matches none.
        facts: Vec<FactProof>,
    },
    /// Of missing and unused: each pattern that the answer does not match.
    Lacks(Vec<MustProof>),
    /// Of missing and unused, where judges or the published answer found the answer wrong: each required fact, and where it is.
    Facts(Vec<FactProof>),
    /// Of faulty key.
    Decided(Decided),
    /// Of an answer that cannot be graded or explained: why.
    Nothing(String),
}

/// An answer that does not pass, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerFinding {
    /// Which answer.
    #[serde(skip)]
    pub at: AnswerRef,
    /// The recording that it is from.
    pub recording: String,
    /// Its strategy.
    pub strategy: String,
    /// Its question's id, or what the recording calls it where the case set does not have it.
    pub question: String,
    /// The words of the question, or what the recording calls it.
    pub asked: String,
    /// Its seed.
    pub seed: Option<i64>,
    /// Why it does not pass.
    pub cause: AnswerState,
    /// The layer of the memory that broke; none of a faulty key, and where nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// The recorded verdict.
    pub verdict: Verdict,
    /// The verdict after all decisions, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected: Option<Verdict>,
    /// The recorded reason.
    pub reason: String,
    /// The words of the model.
    pub answer: String,
    /// Whether its recorded prompt shows that it was made from this block; none where that cannot be told. Of an answer that
    /// was not, the block proves nothing.
    pub made_from_block: Option<bool>,
    /// The finding in one sentence.
    pub sentence: String,
    /// What proves it.
    #[serde(serialize_with = "shared")]
    pub proof: Arc<Proof>,
}

/// A block, and how it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlockFinding {
    /// Its strategy.
    pub strategy: String,
    /// The place of its strategy in the evaluation.
    #[serde(skip)]
    pub strategy_at: usize,
    /// Its question's id.
    pub question: String,
    /// The place of its question in the evaluation.
    #[serde(skip)]
    pub question_at: usize,
    /// The words of the question.
    pub asked: String,
    /// How it stands.
    pub cause: BlockState,
    /// The layer of the memory that broke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// For a leak: which kind. Else none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaks: Option<Cause>,
    /// Recorded answers that pass, after all decisions.
    pub pass: usize,
    /// Recorded answers.
    pub answers: usize,
    /// The finding in one sentence.
    pub sentence: String,
    /// The facts that are not where they should be.
    pub facts: Vec<FactProof>,
    /// The decision that finds fault with the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
}

impl AnswerFinding {
    /// The cause with its layer, such as `missing (retrieval)`.
    pub fn cause_in_words(&self) -> String {
        in_words(self.cause.name(), self.layer)
    }
}

impl BlockFinding {
    /// The cause with its layer, such as `stale (lifecycle)`.
    pub fn cause_in_words(&self) -> String {
        in_words(self.cause.name(), self.layer)
    }
}
