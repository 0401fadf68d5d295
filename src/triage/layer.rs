//! The four layers of a memory, and the one in which a question broke.
//!
//! A fact goes through them in order: an event becomes a record (*formation*), is kept current or removed (*lifecycle*), is
//! found and sent with a question (*retrieval*), and changes the answer (*use*). A failure belongs to the first layer that
//! broke, since nothing after it could have mended it.

use serde::Serialize;

use super::cause::{AnswerState, BlockState, Cause, FactProof, Proof, StayedOut};
use crate::explain::FactKind;

/// A layer of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Did the right event become the right record?
    Formation,
    /// Was what was replaced repaired, and what was to be forgotten removed?
    Lifecycle,
    /// Was the record available to the question?
    Retrieval,
    /// Did it change the answer rightly?
    Use,
}

impl Layer {
    /// All layers, in the order of reports.
    pub const ALL: [Self; 4] = [Self::Formation, Self::Retrieval, Self::Use, Self::Lifecycle];

    /// The word on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Formation => "formation",
            Self::Retrieval => "retrieval",
            Self::Use => "use",
            Self::Lifecycle => "lifecycle",
        }
    }

    /// What its number counts, in a few words.
    pub fn counts(self) -> &'static str {
        match self {
            Self::Formation => "required facts that became a record of the store",
            Self::Retrieval => "required facts that the store lets the question read, and that its block holds",
            Self::Use => "answers that pass where the block holds all that is required and leaks nothing",
            Self::Lifecycle => "replaced and forgotten facts that the store no longer lets the question read",
        }
    }

    /// The layer of a fact that is not where it should be; nothing where it is.
    pub fn of_fact(fact: &FactProof) -> Option<Self> {
        match (fact.kind, fact.in_block) {
            (FactKind::Required, false) => {}
            (FactKind::Stale | FactKind::Forgotten, true) => return Some(Self::Lifecycle),
            _ => return None,
        }
        // One of its records that came further than the others is the one that counts.
        let reached = fact.lines.iter().filter_map(|line| line.stayed_out.as_ref()).map(Self::of_record);
        Some(reached.max().unwrap_or(Self::Formation))
    }

    /// The layer in which a record that carries a required fact was stopped.
    fn of_record(out: &StayedOut) -> Self {
        match out {
            StayedOut::NeverStored | StayedOut::Refused { .. } => Self::Formation,
            StayedOut::Superseded { .. } | StayedOut::Forgotten { .. } => Self::Lifecycle,
            // The store holds the same value in another record, which the block lacks.
            StayedOut::Repeats { .. } | StayedOut::NotRanked { .. } | StayedOut::OverQuota { .. } => Self::Retrieval,
        }
    }

    /// The first layer that any of these facts broke in.
    fn first<'a>(facts: impl Iterator<Item = &'a FactProof>) -> Option<Self> {
        facts.filter_map(Self::of_fact).min()
    }

    /// The layer in which an answer's question broke; nothing where no layer of the memory did, or nobody knows.
    pub(super) fn of_answer(state: AnswerState, proof: &Proof) -> Option<Self> {
        let AnswerState::Cause(cause) = state else { return None };
        match (cause, proof) {
            (Cause::FaultyKey, _) => None,
            (Cause::Unused, _) => Some(Self::Use),
            (_, Proof::Stated { facts, .. }) => {
                // What the block does not hold, the memory did not say.
                Some(if facts.iter().any(|fact| fact.in_block) { Self::Lifecycle } else { Self::Use })
            }
            (_, Proof::Lacks(musts)) => {
                let lacking = musts.iter().filter(|must| !must.held).flat_map(|must| &must.facts);
                Some(Self::first(lacking).unwrap_or(Self::Formation))
            }
            (_, Proof::Facts(facts)) => Self::first(facts.iter()),
            (_, Proof::Decided(_) | Proof::Nothing(_)) => None,
        }
    }

    /// The layer in which a block broke.
    pub(super) fn of_block(state: BlockState, facts: &[FactProof]) -> Option<Self> {
        match state.cause()? {
            Cause::FaultyKey => None,
            Cause::Stale | Cause::Forgotten => Some(Self::Lifecycle),
            Cause::Missing | Cause::Unused => Self::first(facts.iter()),
        }
    }
}

/// A cause with its layer, such as `missing (retrieval)`.
pub(super) fn in_words(cause: &str, layer: Option<Layer>) -> String {
    layer.map_or_else(|| cause.to_owned(), |layer| format!("{cause} ({})", layer.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::cause::LineProof;

    fn fact(kind: FactKind, in_block: bool, out: &[StayedOut]) -> FactProof {
        let line = |out: &StayedOut| LineProof {
            record: Some(1),
            turn: None,
            text: None,
            overruled: None,
            stayed_out: Some(out.clone()),
        };
        FactProof { fact: "f".to_owned(), kind, in_block, lines: out.iter().map(line).collect() }
    }

    fn gone() -> StayedOut {
        StayedOut::Superseded { by: 2, turn: 3 }
    }

    fn over() -> StayedOut {
        StayedOut::OverQuota { tokens: 4 }
    }

    #[test]
    fn a_fact_broke_where_its_furthest_record_was_stopped() {
        let of = |out: &[StayedOut]| Layer::of_fact(&fact(FactKind::Required, false, out));
        assert_eq!(of(&[]), Some(Layer::Formation));
        assert_eq!(of(&[gone()]), Some(Layer::Lifecycle));
        assert_eq!(of(&[gone(), over()]), Some(Layer::Retrieval), "an older version was sent for nothing");
        assert_eq!(Layer::of_fact(&fact(FactKind::Required, true, &[])), None);
        assert_eq!(Layer::of_fact(&fact(FactKind::Stale, true, &[])), Some(Layer::Lifecycle));
        assert_eq!(Layer::of_fact(&fact(FactKind::Stale, false, &[over()])), None);
    }

    #[test]
    fn a_question_broke_in_the_first_layer_that_did() {
        let facts = vec![
            fact(FactKind::Required, false, &[over()]),
            fact(FactKind::Required, false, &[]),
            fact(FactKind::Required, true, &[]),
        ];
        let of =
            |facts: &[FactProof]| Layer::of_answer(AnswerState::Cause(Cause::Missing), &Proof::Facts(facts.to_vec()));
        assert_eq!(of(&facts), Some(Layer::Formation));
        assert_eq!(of(&facts[..1]), Some(Layer::Retrieval));
        assert_eq!(Layer::of_block(BlockState::Cause(Cause::Missing), &facts), Some(Layer::Formation));
        assert_eq!(Layer::of_block(BlockState::LeakedUnharmed(Cause::Stale), &[]), Some(Layer::Lifecycle));
        assert_eq!(Layer::of_block(BlockState::Sound, &facts), None);
    }

    #[test]
    fn what_the_block_does_not_hold_the_model_made_up() {
        let stated = |in_block| Proof::Stated {
            pattern: String::new(),
            stated: Vec::new(),
            facts: vec![fact(FactKind::Stale, in_block, &[])],
        };
        let of = |in_block| Layer::of_answer(AnswerState::Cause(Cause::Stale), &stated(in_block));
        assert_eq!((of(true), of(false)), (Some(Layer::Lifecycle), Some(Layer::Use)));
        assert_eq!(Layer::of_answer(AnswerState::Cause(Cause::FaultyKey), &stated(true)), None);
        assert_eq!(Layer::of_answer(AnswerState::Incomplete, &stated(true)), None);
    }
}
