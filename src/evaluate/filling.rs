//! Filling the stores and asking the questions: conversation by conversation, so that no more of them than the threads need lie
//! open at once.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::Asked;
use crate::case::{CaseSet, Conversation, Fact, Question};
use crate::grade::{Block, Cut, grade_block};
use crate::memory::{History, MemoryStore, StoreError, StoreKind, Stores};
use crate::progress::Watch;
use crate::select::{self, Blocks, Outcome, Pool, PoolRecord, Query, Ranked, Strategy, fill};
use crate::tokens::TokenCounter;

/// Records in all pools from which on questions are asked before more is stored: enough that every thread has work, few enough
/// that a benchmark's texts do not stand there twice more.
const FULL: usize = 20_000;

/// The stores while they are being filled, and what was asked of them so far.
pub(super) struct Filling {
    stores: Stores,
    histories: Vec<History>,
    by_user: HashMap<String, usize>,
    asked: Vec<Asked>,
    conversations: usize,
    /// Conversations whose questions wait.
    waiting: Vec<Moment>,
    records: usize,
    /// For each strategy the blocks so far; those of the governed store come at the end.
    blocks: Vec<Vec<Option<Block>>>,
    governed: bool,
}

/// What came of it.
pub(super) struct Filled {
    pub(super) histories: Vec<History>,
    pub(super) asked: Vec<Asked>,
    pub(super) blocks: Vec<Vec<Option<Block>>>,
}

/// What a conversation's questions may read: both stores as they stood after its last event.
struct Moment {
    conversation: usize,
    history: usize,
    managed: Pool,
    append: Pool,
}

/// Whether recallscope ranks for a strategy, from this store.
fn ranks(strategy: &dyn Strategy, kind: StoreKind) -> bool {
    matches!(strategy.blocks(), Blocks::Ranked) && strategy.store() == kind
}

impl Filling {
    pub(super) fn new(stores: Stores, strategies: &[Arc<dyn Strategy>]) -> Self {
        Self {
            stores,
            histories: Vec::new(),
            by_user: HashMap::new(),
            asked: Vec::new(),
            conversations: 0,
            waiting: Vec::new(),
            records: 0,
            blocks: strategies.iter().map(|_| Vec::new()).collect(),
            // Nobody else pays for it.
            governed: strategies.iter().any(|strategy| ranks(&**strategy, StoreKind::Governed)),
        }
    }

    /// Stores a conversation; its questions wait.
    pub(super) fn conversation(
        &mut self,
        conversation: &Conversation,
        counter: &dyn TokenCounter,
    ) -> Result<(), StoreError> {
        let number = *self.by_user.entry(conversation.user.clone()).or_insert_with(|| {
            self.histories.push(History::new(conversation.user.clone()));
            self.histories.len() - 1
        });
        let place = self.conversations;
        self.conversations += 1;
        let Some(history) = self.histories.get_mut(number) else { return Ok(()) };
        self.stores.apply(history, &conversation.events, counter)?;
        let after = history.len();
        let ask = |question| Asked { conversation: place, question, history: number, after };
        self.asked.extend((0..conversation.questions.len()).map(ask));
        if conversation.questions.is_empty() {
            return Ok(());
        }
        let managed = pool(history, &self.stores.managed)?;
        let append = pool(history, &self.stores.append)?;
        self.records += managed.records().len() + append.records().len();
        self.waiting.push(Moment { conversation: place, history: number, managed, append });
        Ok(())
    }

    /// Whether the questions that wait should be asked before more is stored.
    pub(super) fn is_full(&self) -> bool {
        self.records >= FULL && self.waiting.len() >= 2 * rayon::current_num_threads()
    }

    /// Asks the questions that wait of the managed and the append-only store, and lets go of what they read.
    pub(super) fn ask(&mut self, cases: &CaseSet, strategies: &[Arc<dyn Strategy>]) {
        let found: Vec<Vec<Vec<Block>>> = self
            .waiting
            .par_iter()
            .map(|moment| {
                let Some((conversation, history)) =
                    cases.conversations.get(moment.conversation).zip(self.histories.get(moment.history))
                else {
                    return Vec::new();
                };
                let blocks = |strategy: &Arc<dyn Strategy>| match strategy.store() {
                    StoreKind::Managed => {
                        blocks(&**strategy, conversation, &moment.managed, history, cases.facts_quota)
                    }
                    StoreKind::Append => blocks(&**strategy, conversation, &moment.append, history, cases.facts_quota),
                    StoreKind::Governed => Vec::new(),
                };
                strategies.iter().map(blocks).collect()
            })
            .collect();
        self.take(found);
        self.waiting = Vec::new();
        self.records = 0;
    }

    fn take(&mut self, found: Vec<Vec<Vec<Block>>>) {
        for conversation in found {
            for (all, blocks) in self.blocks.iter_mut().zip(conversation) {
                all.extend(blocks.into_iter().map(Some));
            }
        }
    }

    pub(super) fn asks_governed(&self) -> bool {
        self.governed
    }

    /// Asks the governed store, which makes its rows of whole histories, and gives everything back.
    pub(super) fn finish(mut self, cases: &CaseSet, strategies: &[Arc<dyn Strategy>], watch: &Watch) -> Filled {
        if self.governed {
            // Users apart from each other first: two conversations of one user would wait for one history.
            self.histories.par_iter().for_each(|history| {
                history.governed();
            });
            // The questions of a conversation stand together.
            let together = self.asked.chunk_by(|one, other| one.conversation == other.conversation);
            let first: Vec<Asked> = together.filter_map(|asked| asked.first().copied()).collect();
            let found = first
                .par_iter()
                .map(|asked| {
                    let places = cases.conversations.get(asked.conversation).zip(self.histories.get(asked.history));
                    let Some((conversation, history)) = places.filter(|_| !watch.is_stopped()) else {
                        return Vec::new();
                    };
                    let pool = Pool::at(history, StoreKind::Governed, asked.after);
                    let blocks = |strategy: &Arc<dyn Strategy>| {
                        if !ranks(&**strategy, StoreKind::Governed) {
                            return Vec::new();
                        }
                        blocks(&**strategy, conversation, &pool, history, cases.facts_quota)
                    };
                    strategies.iter().map(blocks).collect()
                })
                .collect();
            self.take(found);
        }
        Filled { histories: self.histories, asked: self.asked, blocks: self.blocks }
    }
}

/// The blocks of a conversation's questions under one strategy, where recallscope runs it itself.
fn blocks(
    strategy: &dyn Strategy,
    conversation: &Conversation,
    pool: &Pool,
    history: &History,
    quota: usize,
) -> Vec<Block> {
    if !matches!(strategy.blocks(), Blocks::Ranked) {
        return Vec::new();
    }
    conversation.questions.iter().map(|question| block(strategy, question, pool, history, quota)).collect()
}

/// The records that the store lets a question read now, with the tokens that the history counted.
fn pool(history: &History, store: &dyn MemoryStore) -> Result<Pool, StoreError> {
    let rows = history.store(store.kind());
    let counted =
        |record: crate::memory::Record| PoolRecord { tokens: rows.row(record.id).map_or(0, |row| row.tokens), record };
    Ok(Pool::new(store.readable(&history.user)?.into_iter().map(counted).collect()))
}

/// Ranks, fills the quota and grades: one strategy, one question.
fn block(strategy: &dyn Strategy, question: &Question, pool: &Pool, history: &History, quota: usize) -> Block {
    let ranking = strategy.rank(Query { question, history }, pool);
    let mut room = quota;
    let sent = fill(&ranking, pool, quota)
        .take_while(|placed| {
            // Once the shortest line no longer fits, nothing more can be sent.
            let possible = room >= pool.least_tokens();
            if placed.outcome == Outcome::Sent {
                room = room.saturating_sub(placed.tokens);
            }
            possible
        })
        .filter(|placed| placed.outcome == Outcome::Sent)
        .filter_map(|placed| {
            let record = &pool.records().get(placed.ranked.index)?.record;
            Some((record.id, record.event, placed.tokens))
        });
    let mut block = grade_block(question, sent, |event| history.events.get(event));
    block.cut = cut(&block, &ranking, question, pool, history, quota);
    block
}

/// The records that carry a fact which no line carries, and that the quota cut: why such a fact stayed out is known here, and
/// ranking once more to find out would cost as much as the evaluation.
fn cut(
    block: &Block,
    ranking: &[Ranked],
    question: &Question,
    pool: &Pool,
    history: &History,
    quota: usize,
) -> Vec<Cut> {
    let facts = question.required.iter().chain(&question.stale).chain(&question.forgotten);
    let mut carriers: Vec<usize> = Vec::new();
    for fact in facts {
        match fact {
            Fact::Event { event } => {
                let place = history.event_named(event).filter(|event| !block.holds(*event));
                carriers.extend(place.and_then(|event| pool.place_of(event)));
            }
            Fact::Text(text) => {
                let holds = |entry: &&PoolRecord| entry.record.text.contains(text.as_str());
                // A line that carries the fact was made from one of these, so that the fact is there.
                if !pool.records().iter().filter(holds).any(|entry| block.holds(entry.record.event)) {
                    let places = pool.records().iter().enumerate().filter(|(_, entry)| holds(entry));
                    carriers.extend(places.map(|(place, _)| place));
                }
            }
        }
    }
    if carriers.is_empty() {
        return Vec::new();
    }
    carriers.sort_unstable();
    carriers.dedup();
    let cut = select::cut(ranking, pool, quota, &carriers).into_iter();
    cut.filter_map(|(place, by)| Some(Cut { event: pool.records().get(place)?.record.event, by })).collect()
}
