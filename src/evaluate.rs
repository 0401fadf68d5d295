//! The whole run: from a case set to graded blocks.
//!
//! Conversations are applied to one pair of stores in file order; each conversation's questions are asked right after its
//! events. What comes out is immutable and shared by every pane and report.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::case::{CaseSet, Conversation, Fact, Question};
use crate::grade::{Block, BlockSummary, Cut, grade_block};
use crate::memory::{History, MemoryStore, RecordId, StoreError, StoreKind, Stores, line};
use crate::progress::Watch;
use crate::recording::SentBlock;
use crate::select::{self, Blocks, Outcome, Pool, PoolRecord, Query, Ranked, Strategy, fill};

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
    pub strategies: Vec<Arc<dyn Strategy>>,
    /// Counted all tokens.
    pub counter: Arc<dyn TokenCounter>,
    /// One history for each user of the conversations, in order of first appearance.
    pub histories: Vec<History>,
    /// All questions, in file order. A question's place in this list is its number everywhere else.
    pub asked: Vec<Asked>,
    /// For each strategy the block of each question; empty where the strategy's blocks are not known at all.
    blocks: Vec<Vec<Option<Block>>>,
    /// For each strategy its blocks, added up.
    pub summaries: Vec<BlockSummary>,
    /// Why a strategy has no block for a question, where its system said so.
    failures: HashMap<(usize, usize), String>,
    /// What another system ranked, by strategy and question, where the facts quota still cut it.
    rankings: HashMap<(usize, usize), Vec<RankedLine>>,
    /// For each strategy how many those are.
    failed: Vec<usize>,
}

/// A line of a ranking that another system sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedLine {
    /// Its place for [`History::said`].
    pub event: usize,
    /// Tokens of the line, counted on its own.
    pub tokens: usize,
}

/// Why there is no evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// A store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Somebody stopped it.
    #[error("stopped before everything was evaluated")]
    Stopped,
}

/// Conversations between two words on how far the work is: each takes a few milliseconds.
const TOLD_EVERY: usize = 25;

impl Evaluation {
    /// Runs the evaluation in stores of its own, in memory.
    ///
    /// # Errors
    /// A store's database refuses.
    pub fn run(
        cases: Arc<CaseSet>,
        strategies: Vec<Arc<dyn Strategy>>,
        counter: Arc<dyn TokenCounter>,
    ) -> Result<Self, EvaluateError> {
        Self::run_in(Stores::in_memory()?, cases, strategies, counter)
    }

    /// Runs the evaluation in stores of the caller's, which must be empty.
    ///
    /// # Errors
    /// A store's database refuses.
    pub fn run_in(
        stores: Stores,
        cases: Arc<CaseSet>,
        strategies: Vec<Arc<dyn Strategy>>,
        counter: Arc<dyn TokenCounter>,
    ) -> Result<Self, EvaluateError> {
        Self::run_watched(stores, cases, strategies, counter, &Watch::default())
    }

    /// [`Evaluation::run_in`], with its work to be seen and to be stopped by another thread.
    ///
    /// # Errors
    /// A store's database refuses, or the work was stopped.
    pub fn run_watched(
        stores: Stores,
        cases: Arc<CaseSet>,
        strategies: Vec<Arc<dyn Strategy>>,
        counter: Arc<dyn TokenCounter>,
        watch: &Watch,
    ) -> Result<Self, EvaluateError> {
        let mut filling = Filling { stores, histories: Vec::new(), by_user: HashMap::new(), moments: Vec::new() };
        let all = cases.conversations.len();
        for (done, conversation) in cases.conversations.iter().enumerate() {
            if watch.is_stopped() {
                return Err(EvaluateError::Stopped);
            }
            if done > 0 && done % TOLD_EVERY == 0 {
                watch.evaluating(&format!("{done} of {all} conversations stored"));
            }
            filling.conversation(conversation, &*counter)?;
        }
        let Filling { histories, moments, .. } = filling;
        if all > TOLD_EVERY {
            watch.evaluating(&format!("{} questions under {} strategies", cases.question_count(), strategies.len()));
        }
        // Users apart from each other first: two conversations of one user would wait for one history.
        if reads_governed(&strategies) {
            histories.par_iter().for_each(|history| {
                history.governed();
            });
        }
        // The stores are done: from here on every conversation stands for itself.
        let by_conversation: Vec<Vec<Vec<Block>>> = cases
            .conversations
            .par_iter()
            .zip(&moments)
            .map(|(conversation, moment)| {
                let Some(history) = histories.get(moment.history).filter(|_| !watch.is_stopped()) else {
                    return Vec::new();
                };
                let asks = !conversation.questions.is_empty() && reads_governed(&strategies);
                let governed =
                    if asks { Pool::at(history, StoreKind::Governed, moment.after) } else { Pool::default() };
                let pools = [&moment.managed, &moment.append, &governed];
                let of =
                    |strategy: &Arc<dyn Strategy>| blocks(&**strategy, conversation, pools, history, cases.facts_quota);
                strategies.iter().map(of).collect()
            })
            .collect();
        if watch.is_stopped() {
            return Err(EvaluateError::Stopped);
        }
        let mut all: Vec<Vec<Option<Block>>> = strategies.iter().map(|_| Vec::new()).collect();
        for conversation in by_conversation {
            for (all, blocks) in all.iter_mut().zip(conversation) {
                all.extend(blocks.into_iter().map(Some));
            }
        }
        let asked = cases.conversations.iter().zip(&moments).enumerate().flat_map(|(index, (conversation, moment))| {
            let ask =
                move |question| Asked { conversation: index, question, history: moment.history, after: moment.after };
            (0..conversation.questions.len()).map(ask)
        });
        let asked = asked.collect();
        let mut evaluation = Self {
            cases,
            strategies,
            counter,
            histories,
            asked,
            blocks: all,
            summaries: Vec::new(),
            failures: HashMap::new(),
            rankings: HashMap::new(),
            failed: Vec::new(),
        };
        evaluation.take_sent_blocks();
        evaluation.failed = vec![0; evaluation.strategies.len()];
        for (strategy, _) in evaluation.failures.keys() {
            if let Some(count) = evaluation.failed.get_mut(*strategy) {
                *count += 1;
            }
        }
        evaluation.summaries =
            evaluation.blocks.iter().map(|blocks| BlockSummary::of(blocks.iter().flatten())).collect();
        Ok(evaluation)
    }

    /// Grades the blocks that other systems sent.
    fn take_sent_blocks(&mut self) {
        let cases = Arc::clone(&self.cases);
        let names = cases.question_names();
        for (place, strategy) in self.strategies.clone().iter().enumerate() {
            let Blocks::Sent(run) = strategy.blocks() else { continue };
            let mut blocks: Vec<Option<Block>> = Vec::new();
            blocks.resize_with(self.asked.len(), || None);
            for sent in &run.blocks {
                let named = names.get(sent.question.as_str()).map_or(&[][..], Vec::as_slice);
                for &number in named {
                    if !self.is_of(number, sent.user.as_deref()) {
                        continue;
                    }
                    if let Some(failure) = &sent.failure {
                        self.failures.insert((place, number), failure.clone());
                    } else if let Some(block) = blocks.get_mut(number) {
                        *block = self.sent_block((place, number), sent, run.ranked);
                    }
                }
            }
            if let Some(own) = self.blocks.get_mut(place) {
                *own = blocks;
            }
        }
    }

    fn is_of(&self, question: usize, user: Option<&str>) -> bool {
        user.is_none_or(|user| self.question(question).is_some_and(|(conversation, _)| conversation.user == user))
    }

    /// Keeps the lines of a sent block beside the history of its user, and grades it.
    fn sent_block(&mut self, (place, number): (usize, usize), sent: &SentBlock, ranked: bool) -> Option<Block> {
        let asked = *self.asked.get(number)?;
        let history = self.histories.get_mut(asked.history)?;
        let mut room = if ranked { self.cases.facts_quota } else { usize::MAX };
        let mut lines = Vec::with_capacity(sent.lines.len());
        let mut ranking = Vec::new();
        for sent in &sent.lines {
            let id = RecordId::try_from(lines.len() + 1).unwrap_or(RecordId::MAX);
            let tokens = self.counter.count(&line(id, &sent.text));
            let event = history.add_foreign(sent);
            if ranked {
                ranking.push(RankedLine { event, tokens });
            }
            if let Some(left) = room.checked_sub(tokens) {
                room = left;
                lines.push((id, event, tokens));
            }
        }
        if ranked {
            self.rankings.insert((place, number), ranking);
        }
        let question = self.cases.conversations.get(asked.conversation)?.questions.get(asked.question)?;
        Some(grade_block(question, lines, |place| history.said(place)))
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
        self.blocks.get(strategy)?.get(question)?.as_ref()
    }

    /// All blocks of a strategy, each with its question's number, in the order of the questions.
    pub fn blocks(&self, strategy: usize) -> impl Iterator<Item = (usize, &Block)> {
        let blocks = self.blocks.get(strategy).map_or(&[][..], Vec::as_slice);
        blocks.iter().enumerate().filter_map(|(question, block)| Some((question, block.as_ref()?)))
    }

    /// Whether a strategy has blocks: one that is known only by its answers has none.
    pub fn has_blocks(&self, strategy: usize) -> bool {
        self.blocks.get(strategy).is_some_and(|blocks| !blocks.is_empty())
    }

    /// Why a strategy gave no block for a question, where its system failed on it.
    pub fn failure(&self, strategy: usize, question: usize) -> Option<&str> {
        self.failures.get(&(strategy, question)).map(String::as_str)
    }

    /// What another system ranked for a question, best first, before the facts quota cut it. Nothing where it sent its block
    /// as it was, and for strategies that recallscope runs.
    pub fn sent_ranking(&self, strategy: usize, question: usize) -> Option<&[RankedLine]> {
        self.rankings.get(&(strategy, question)).map(Vec::as_slice)
    }

    /// The questions on which a strategy's system failed: they have no block, and count in no measure.
    pub fn failure_count(&self, strategy: usize) -> usize {
        self.failed.get(strategy).copied().unwrap_or(0)
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

/// Whether anybody needs the governed store: nobody else pays for it.
fn reads_governed(strategies: &[Arc<dyn Strategy>]) -> bool {
    let ranked = |strategy: &&Arc<dyn Strategy>| matches!(strategy.blocks(), Blocks::Ranked);
    strategies.iter().filter(ranked).any(|strategy| strategy.store() == StoreKind::Governed)
}

/// The blocks of a conversation's questions under one strategy that recallscope runs itself. The pools are those of the
/// managed, the append-only and the governed store.
fn blocks(
    strategy: &dyn Strategy,
    conversation: &Conversation,
    [managed, append, governed]: [&Pool; 3],
    history: &History,
    quota: usize,
) -> Vec<Block> {
    if !matches!(strategy.blocks(), Blocks::Ranked) {
        return Vec::new();
    }
    let pool = match strategy.store() {
        StoreKind::Managed => managed,
        StoreKind::Append => append,
        StoreKind::Governed => governed,
    };
    conversation.questions.iter().map(|question| block(strategy, question, pool, history, quota)).collect()
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
