//! Why each record that a user ever had went into a block or stayed out.

use crate::case::{Event, Op, Question};
use crate::evaluate::Evaluation;
use crate::grade::LineRole;
use crate::memory::{History, RecordId, Row, RowState, StoreKind, words};
use crate::select::{Outcome, Pool, Query, Strategy, fill};

/// What became of a record, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// In the block.
    Sent,
    /// Ranked, but its line would have gone over the quota.
    OverQuota {
        /// Tokens over the quota when its turn came.
        by: usize,
    },
    /// Readable, but the strategy did not rank it.
    Unranked {
        /// The strategy's own words.
        reason: String,
    },
    /// Replaced by a correction.
    Superseded {
        /// The record that took its place.
        by: RecordId,
        /// The turn of the correction.
        turn: u64,
    },
    /// Deleted at the user's request.
    Forgotten {
        /// The turn of the request.
        turn: u64,
    },
}

impl Fate {
    /// The reason in a few words, for a list.
    pub fn words(&self) -> String {
        match self {
            Self::Sent => "sent".to_owned(),
            Self::OverQuota { by } => format!("over the quota by {by} token{}", plural(*by)),
            Self::Unranked { reason } => reason.clone(),
            Self::Superseded { by, turn } => format!("superseded by #{by} at turn {turn}"),
            Self::Forgotten { turn } => format!("forgotten at turn {turn}"),
        }
    }
}

/// A later event that overruled a record's fact, which the store did not heed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ignored {
    /// `correct` or `forget`.
    pub op: Op,
    /// The turn of that event.
    pub turn: u64,
}

impl Ignored {
    /// The finding in a few words.
    pub fn words(self) -> String {
        match self.op {
            Op::Forget => format!("ignored the forget request of turn {}", self.turn),
            _ => format!("ignored the correction of turn {}", self.turn),
        }
    }
}

/// One record that the user ever had in the store, as a strategy treated it for one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The record's number.
    pub id: RecordId,
    /// The user's event it was made from, from 0.
    pub event: usize,
    /// Tokens of its line.
    pub tokens: usize,
    /// Its place in the ranking, from 1, where it was ranked.
    pub rank: Option<usize>,
    /// The strategy's score, where it was ranked.
    pub score: Option<f64>,
    /// Words that it shares with the question.
    pub shared: Vec<String>,
    /// How it stands to the question's facts.
    pub role: LineRole,
    /// What became of it.
    pub fate: Fate,
    /// What the store should have heeded and did not.
    pub ignored: Option<Ignored>,
}

/// One strategy's treatment of one question: every record, those in the block first in rank order.
#[derive(Debug, Clone, Default)]
pub struct Explanation {
    /// The lines of the block, in rank order.
    pub sent: Vec<Candidate>,
    /// Everything else the user ever had in the store: ranked ones first, then newest first.
    pub left_out: Vec<Candidate>,
    /// Tokens of the block.
    pub tokens: usize,
    /// The facts quota.
    pub quota: usize,
}

impl Explanation {
    /// Explains a question of an evaluation under one of its strategies.
    pub fn of(evaluation: &Evaluation, strategy: usize, question: usize) -> Option<Self> {
        let (history, after) = evaluation.history(question)?;
        let (_, asked) = evaluation.question(question)?;
        let strategy = evaluation.strategies.get(strategy)?;
        Some(Self::at(history, after, &**strategy, asked, evaluation.cases.facts_quota))
    }

    /// Explains any question, asked after the first `after` events of a history.
    pub fn at(history: &History, after: usize, strategy: &dyn Strategy, question: &Question, quota: usize) -> Self {
        let pool = Pool::at(history, strategy.store(), after);
        let ranking = strategy.rank(Query { text: &question.question }, &pool);
        let mut builder =
            Builder { history, after, kind: strategy.store(), question, wanted: words(&question.question) };
        let mut explanation = Self { quota, ..Self::default() };
        let mut ranked = vec![false; pool.records().len()];
        for (place, placed) in fill(&ranking, &pool, quota).enumerate() {
            if let Some(seen) = ranked.get_mut(placed.ranked.index) {
                *seen = true;
            }
            let Some(entry) = pool.records().get(placed.ranked.index) else { continue };
            let fate = match placed.outcome {
                Outcome::Sent => Fate::Sent,
                Outcome::OverQuota { by } => Fate::OverQuota { by },
            };
            let Some(mut candidate) = builder.candidate_of(entry.record.id, fate) else { continue };
            candidate.rank = Some(place + 1);
            candidate.score = Some(placed.ranked.score);
            if placed.outcome == Outcome::Sent {
                explanation.tokens += placed.tokens;
                explanation.sent.push(candidate);
            } else {
                explanation.left_out.push(candidate);
            }
        }
        let unranked = pool.records().iter().zip(ranked).filter(|(_, ranked)| !ranked).filter_map(|(entry, _)| {
            let fate = Fate::Unranked { reason: strategy.unranked_reason().to_owned() };
            builder.candidate_of(entry.record.id, fate)
        });
        explanation.left_out.extend(unranked);
        explanation.left_out.extend(builder.unreadable());
        explanation
    }
}

/// What every candidate of one explanation is made from.
struct Builder<'a> {
    history: &'a History,
    after: usize,
    kind: StoreKind,
    question: &'a Question,
    wanted: std::collections::BTreeSet<String>,
}

impl Builder<'_> {
    fn candidate_of(&self, id: RecordId, fate: Fate) -> Option<Candidate> {
        self.candidate(self.history.store(self.kind).row(id)?, fate)
    }

    fn candidate(&self, row: &Row, fate: Fate) -> Option<Candidate> {
        let event: &Event = self.history.event_of(row)?;
        let ignored = match (self.kind, self.history.overruled(row.added, self.after)) {
            (StoreKind::Append, Some((_, by))) => Some(Ignored { op: by.op, turn: by.turn }),
            _ => None,
        };
        Some(Candidate {
            id: row.id,
            event: row.added,
            tokens: row.tokens,
            rank: None,
            score: None,
            shared: words(&event.text).intersection(&self.wanted).cloned().collect(),
            role: LineRole::of(event, self.question),
            fate,
            ignored,
        })
    }

    /// The records that the store no longer lets a question read, newest first.
    fn unreadable(&mut self) -> Vec<Candidate> {
        let rows = self.history.store(self.kind).rows().iter().rev();
        rows.filter_map(|row| {
            let fate = match row.state_after(self.after) {
                RowState::Superseded => {
                    let (at, by) = row.superseded?;
                    Fate::Superseded { by, turn: self.history.turn(at) }
                }
                RowState::Deleted => Fate::Forgotten { turn: self.history.turn(row.deleted?) },
                RowState::Current | RowState::Future => return None,
            };
            self.candidate(row, fate)
        })
        .collect()
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
