//! The whole run: from a case set to graded blocks.
//!
//! Conversations are applied to one pair of stores in file order; each conversation's questions are asked right after its
//! events. What comes out is immutable and shared by every pane and report.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::case::{CaseSet, Conversation, Event, Question};
use crate::grade::{Block, BlockSummary, grade_block};
use crate::memory::{History, MemoryStore, StoreError, StoreKind, Stores};
use crate::select::{Outcome, Pool, PoolRecord, Query, Strategy, fill};
use crate::tokens::TokenCounter;

/// Where a question stands: which conversation, which history, and how many of the user's events came before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Place of its conversation in the case set.
    pub conversation: usize,
    /// Its place among the conversation's questions.
    pub question: usize,
    /// Place of its user's history in [`Evaluation::histories`].
    pub history: usize,
    /// The number of the user's events that came before it.
    pub after: usize,
}

/// A case set, evaluated.
pub struct Evaluation {
    /// What was evaluated.
    pub cases: Arc<CaseSet>,
    /// The strategies, in the order of reports.
    pub strategies: Arc<[Box<dyn Strategy>]>,
    /// Counted all tokens.
    pub counter: Arc<dyn TokenCounter>,
    /// One history for each user of the conversations, in order of first appearance.
    pub histories: Vec<History>,
    /// All questions, in file order. A question's place in this list is its number everywhere else.
    pub asked: Vec<Asked>,
    /// For each strategy the block of each question.
    blocks: Vec<Vec<Block>>,
    /// For each strategy its blocks, added up.
    pub summaries: Vec<BlockSummary>,
}

impl Evaluation {
    /// Runs the evaluation in stores of its own, in memory.
    ///
    /// # Errors
    /// A store's database refuses.
    pub fn run(
        cases: Arc<CaseSet>,
        strategies: Arc<[Box<dyn Strategy>]>,
        counter: Arc<dyn TokenCounter>,
    ) -> Result<Self, StoreError> {
        Self::run_in(Stores::in_memory()?, cases, strategies, counter)
    }

    /// Runs the evaluation in stores of the caller's, which must be empty.
    ///
    /// # Errors
    /// A store's database refuses.
    pub fn run_in(
        stores: Stores,
        cases: Arc<CaseSet>,
        strategies: Arc<[Box<dyn Strategy>]>,
        counter: Arc<dyn TokenCounter>,
    ) -> Result<Self, StoreError> {
        let mut filling = Filling { stores, histories: Vec::new(), by_user: HashMap::new(), moments: Vec::new() };
        for conversation in &cases.conversations {
            filling.conversation(conversation, &*counter)?;
        }
        let Filling { histories, moments, .. } = filling;
        // The stores are done: from here on every conversation stands for itself.
        let by_conversation: Vec<Vec<Vec<Block>>> = cases
            .conversations
            .par_iter()
            .zip(&moments)
            .map(|(conversation, moment)| {
                let history = histories.get(moment.history);
                strategies
                    .iter()
                    .map(|strategy| blocks(&**strategy, conversation, moment, history, cases.facts_quota))
                    .collect()
            })
            .collect();
        let mut all: Vec<Vec<Block>> = strategies.iter().map(|_| Vec::with_capacity(cases.question_count())).collect();
        for conversation in by_conversation {
            for (all, blocks) in all.iter_mut().zip(conversation) {
                all.extend(blocks);
            }
        }
        let asked = cases.conversations.iter().zip(&moments).enumerate().flat_map(|(index, (conversation, moment))| {
            let ask =
                move |question| Asked { conversation: index, question, history: moment.history, after: moment.after };
            (0..conversation.questions.len()).map(ask)
        });
        let asked = asked.collect();
        let summaries = all.iter().map(BlockSummary::of).collect();
        Ok(Self { cases, strategies, counter, histories, asked, blocks: all, summaries })
    }

    /// The number of questions.
    pub fn question_count(&self) -> usize {
        self.asked.len()
    }

    /// A question and the conversation it belongs to.
    pub fn question(&self, number: usize) -> Option<(&Conversation, &Question)> {
        let asked = self.asked.get(number)?;
        let conversation = self.cases.conversations.get(asked.conversation)?;
        Some((conversation, conversation.questions.get(asked.question)?))
    }

    /// The history behind a question, and the number of its events that came before the question.
    pub fn history(&self, number: usize) -> Option<(&History, usize)> {
        let asked = self.asked.get(number)?;
        Some((self.histories.get(asked.history)?, asked.after))
    }

    /// The block of a question under a strategy.
    pub fn block(&self, strategy: usize, question: usize) -> Option<&Block> {
        self.blocks.get(strategy)?.get(question)
    }

    /// All blocks of a strategy, in the order of the questions.
    pub fn blocks(&self, strategy: usize) -> &[Block] {
        self.blocks.get(strategy).map_or(&[], Vec::as_slice)
    }

    /// The place of a strategy by its name.
    pub fn strategy_named(&self, name: &str) -> Option<usize> {
        self.strategies.iter().position(|strategy| strategy.name() == name)
    }
}

/// The stores while they are being filled, and what each conversation's questions may read.
struct Filling {
    stores: Stores,
    histories: Vec<History>,
    by_user: HashMap<String, usize>,
    moments: Vec<Moment>,
}

/// What a conversation's questions may read: both stores as they stood after its last event.
struct Moment {
    history: usize,
    after: usize,
    managed: Pool,
    append: Pool,
}

impl Filling {
    fn conversation(&mut self, conversation: &Conversation, counter: &dyn TokenCounter) -> Result<(), StoreError> {
        let number = *self.by_user.entry(conversation.user.clone()).or_insert_with(|| {
            self.histories.push(History::new(conversation.user.clone()));
            self.histories.len() - 1
        });
        let Some(history) = self.histories.get_mut(number) else { return Ok(()) };
        self.stores.apply(history, &conversation.events, counter)?;
        self.moments.push(Moment {
            history: number,
            after: history.len(),
            managed: pool(history, &self.stores.managed, conversation)?,
            append: pool(history, &self.stores.append, conversation)?,
        });
        Ok(())
    }
}

/// The blocks of a conversation's questions under one strategy.
fn blocks(
    strategy: &dyn Strategy,
    conversation: &Conversation,
    moment: &Moment,
    history: Option<&History>,
    quota: usize,
) -> Vec<Block> {
    let pool = match strategy.store() {
        StoreKind::Managed => &moment.managed,
        StoreKind::Append => &moment.append,
    };
    let event_of = |event: usize| history.and_then(|history| history.events.get(event));
    conversation.questions.iter().map(|question| block(strategy, question, pool, event_of, quota)).collect()
}

/// The records that the store lets a question read now, with the tokens that the history counted.
fn pool(history: &History, store: &dyn MemoryStore, conversation: &Conversation) -> Result<Pool, StoreError> {
    if conversation.questions.is_empty() {
        return Ok(Pool::default());
    }
    let rows = history.store(store.kind());
    let counted =
        |record: crate::memory::Record| PoolRecord { tokens: rows.row(record.id).map_or(0, |row| row.tokens), record };
    Ok(Pool::new(store.readable(&history.user)?.into_iter().map(counted).collect()))
}

/// Ranks, fills the quota and grades: one strategy, one question.
fn block<'a>(
    strategy: &dyn Strategy,
    question: &Question,
    pool: &Pool,
    event_of: impl Fn(usize) -> Option<&'a Event>,
    quota: usize,
) -> Block {
    let ranking = strategy.rank(Query { text: &question.question }, pool);
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
    grade_block(question, sent, event_of)
}
