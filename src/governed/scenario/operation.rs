//! What a step does.

use serde::Deserialize;

use super::Outcome;
use crate::governed::error::Result;
use crate::governed::{Agent, Candidate, Query, Scope, Store, gate};

/// One operation on a store, with everything that it needs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// Asks the gate alone.
    Gate {
        /// What is proposed.
        candidate: Candidate,
    },
    /// Asks what a candidate would do.
    Decide {
        /// What is proposed.
        candidate: Candidate,
    },
    /// Decides, then writes unless nothing changes.
    Turn {
        /// What is proposed.
        candidate: Candidate,
        /// The transaction time.
        now: Option<i64>,
    },
    /// Meets the gate, then records.
    Write {
        /// What is proposed.
        candidate: Candidate,
        /// The transaction time.
        now: Option<i64>,
        /// The record that was wrong.
        corrects: Option<String>,
    },
    /// Deletes every version of a slot.
    Forget {
        /// The slot.
        key: String,
        /// Whose.
        scope: Scope,
    },
    /// Writes a summary of episodes.
    Consolidate {
        /// Their ids.
        episodes: Vec<String>,
        /// The summary.
        candidate: Candidate,
        /// The transaction time.
        now: Option<i64>,
    },
    /// Asks a question.
    Retrieve {
        /// Its words.
        query: String,
        /// Who asks.
        scope: Scope,
        /// The valid time that is asked about.
        as_of: Option<i64>,
        /// The present.
        now: Option<i64>,
    },
    /// Asks a question in the wrong order, ranking before filtering.
    RetrieveUnsafe {
        /// Its words.
        query: String,
        /// Who asks.
        scope: Scope,
    },
    /// Asks what was believed.
    BelievedAt {
        /// The words of the question.
        query: String,
        /// Who asks.
        scope: Scope,
        /// When it was believed.
        decision_time: i64,
        /// The valid time that is asked about; the same instant when absent.
        valid_time: Option<i64>,
    },
    /// Lists all records.
    Records {},
    /// Counts the records that the index lists for a token.
    Postings {
        /// The token.
        token: String,
    },
    /// Holds the index against one built anew.
    IndexIsRebuildable {},
    /// One turn of the self-editing agent.
    Observe {
        /// What was said.
        text: String,
        /// When.
        time: i64,
        /// By whom.
        scope: Scope,
        /// Whether nothing may be kept.
        #[serde(default)]
        temporary: bool,
    },
    /// Retires what has reached its horizon.
    Expire {
        /// The present.
        now: i64,
    },
    /// Retires what reads did not return.
    Decay {
        /// How many reads in a row.
        k: u32,
    },
    /// Retires what is beyond a scope's capacity.
    Evict {
        /// How many records stay.
        n: usize,
        /// Whose.
        scope: Scope,
    },
    /// Deletes a subject's own records.
    DeleteSubject {
        /// The subject.
        scope: Scope,
    },
    /// Deletes what rests on deleted records.
    Invalidate {
        /// Of one subject; of all when absent.
        scope: Option<Scope>,
    },
    /// Deletes a subject and judges what rests on its records.
    DeleteShared {
        /// The subject.
        scope: Scope,
        /// The transaction time.
        now: i64,
    },
}

impl Operation {
    /// The names of all operations, as files have them.
    pub const NAMES: &[&str] = &[
        "gate",
        "decide",
        "turn",
        "write",
        "forget",
        "consolidate",
        "retrieve",
        "retrieve_unsafe",
        "believed_at",
        "records",
        "postings",
        "index_is_rebuildable",
        "observe",
        "expire",
        "decay",
        "evict",
        "delete_subject",
        "invalidate",
        "delete_shared",
    ];

    /// Its name, as files have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Gate { .. } => "gate",
            Self::Decide { .. } => "decide",
            Self::Turn { .. } => "turn",
            Self::Write { .. } => "write",
            Self::Forget { .. } => "forget",
            Self::Consolidate { .. } => "consolidate",
            Self::Retrieve { .. } => "retrieve",
            Self::RetrieveUnsafe { .. } => "retrieve_unsafe",
            Self::BelievedAt { .. } => "believed_at",
            Self::Records {} => "records",
            Self::Postings { .. } => "postings",
            Self::IndexIsRebuildable {} => "index_is_rebuildable",
            Self::Observe { .. } => "observe",
            Self::Expire { .. } => "expire",
            Self::Decay { .. } => "decay",
            Self::Evict { .. } => "evict",
            Self::DeleteSubject { .. } => "delete_subject",
            Self::Invalidate { .. } => "invalidate",
            Self::DeleteShared { .. } => "delete_shared",
        }
    }

    /// Whose records it is about, where it is about one scope's.
    pub fn scope(&self) -> Option<&Scope> {
        match self {
            Self::Gate { candidate }
            | Self::Decide { candidate }
            | Self::Turn { candidate, .. }
            | Self::Write { candidate, .. }
            | Self::Consolidate { candidate, .. } => Some(&candidate.scope),
            Self::Forget { scope, .. }
            | Self::Retrieve { scope, .. }
            | Self::RetrieveUnsafe { scope, .. }
            | Self::BelievedAt { scope, .. }
            | Self::Observe { scope, .. }
            | Self::Evict { scope, .. }
            | Self::DeleteSubject { scope }
            | Self::DeleteShared { scope, .. } => Some(scope),
            Self::Invalidate { scope } => scope.as_ref(),
            Self::Records {}
            | Self::Postings { .. }
            | Self::IndexIsRebuildable {}
            | Self::Expire { .. }
            | Self::Decay { .. } => None,
        }
    }

    /// Does it.
    ///
    /// # Errors
    /// If SQLite refuses. That a gate refuses or a question has no answer is an outcome.
    pub fn run(&self, store: &mut Store) -> Result<Outcome> {
        Ok(match self {
            Self::Gate { candidate } => Outcome::Gate(gate(candidate)),
            Self::Decide { candidate } => Outcome::Decision(store.decide(candidate)?),
            Self::Turn { candidate, now } => Outcome::Turn(store.turn(candidate, *now)?),
            Self::Write { candidate, now, corrects } => {
                Outcome::Written(store.write(candidate, *now, corrects.as_deref())?)
            }
            Self::Forget { key, scope } => Outcome::Forgotten(store.forget(scope, key)?),
            Self::Consolidate { episodes, candidate, now } => {
                Outcome::Consolidated(store.consolidate(episodes, candidate, *now)?)
            }
            Self::Retrieve { query, scope, as_of, now } => {
                let query = Query { as_of: *as_of, now: *now, ..Query::new(query, scope.clone()) };
                Outcome::Retrieved(store.retrieve(&query)?)
            }
            Self::RetrieveUnsafe { query, scope } => {
                Outcome::Leaked(store.retrieve_unsafe(&Query::new(query, scope.clone()))?)
            }
            Self::BelievedAt { query, scope, decision_time, valid_time } => {
                Outcome::Believed(store.believed_at(query, scope, *decision_time, *valid_time)?)
            }
            Self::Records {} => Outcome::Records(store.records()?),
            Self::Postings { token } => Outcome::Postings(store.postings(token)?),
            Self::IndexIsRebuildable {} => {
                let before = store.verify_index()?;
                store.rebuild_index()?;
                Outcome::Rebuildable(before.is_empty() && store.verify_index()?.is_empty())
            }
            Self::Observe { text, time, scope, temporary } => {
                Outcome::Called(Agent::new(scope.clone(), *temporary).observe(store, text, *time)?)
            }
            Self::Expire { now } => Outcome::Dropped(store.expire(*now)?),
            Self::Decay { k } => Outcome::Dropped(store.decay(*k)?),
            Self::Evict { n, scope } => Outcome::Dropped(store.evict(scope, *n)?),
            Self::DeleteSubject { scope } => Outcome::Deleted(store.delete_subject(scope)?),
            Self::Invalidate { scope } => Outcome::Invalidated(store.invalidate(scope.as_ref())?),
            Self::DeleteShared { scope, now } => Outcome::Judged(store.delete_shared(scope, *now)?),
        })
    }
}
