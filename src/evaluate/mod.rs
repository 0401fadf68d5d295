//! The whole run: from a case set to graded blocks.
//!
//! Conversations are applied to one pair of stores in file order; each conversation's questions are asked right after its
//! events. What comes out is immutable and shared by every pane and report.

mod filling;

use std::collections::HashMap;
use std::sync::Arc;

use crate::case::{CaseSet, Conversation, Question};
use crate::grade::{Block, BlockSummary, grade_block};
use crate::memory::{History, RecordId, StoreError, Stores, line};
use crate::progress::Watch;
use crate::recording::SentBlock;
use crate::select::{Blocks, Strategy};
use crate::tokens::TokenCounter;

use filling::{Filled, Filling};

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
        let mut filling = Filling::new(stores, &strategies);
        let all = cases.conversations.len();
        for (place, conversation) in cases.conversations.iter().enumerate() {
            if watch.is_stopped() {
                return Err(EvaluateError::Stopped);
            }
            if place > 0 && place % TOLD_EVERY == 0 {
                watch.evaluating(&format!("{place} of {all} conversations stored and asked about"));
            }
            filling.conversation(conversation, &*counter)?;
            if filling.is_full() {
                filling.ask(&cases, &strategies);
            }
        }
        filling.ask(&cases, &strategies);
        if filling.asks_governed() && all > TOLD_EVERY {
            watch.evaluating(&format!("{} questions to the governed store", cases.question_count()));
        }
        let Filled { histories, asked, blocks } = filling.finish(&cases, &strategies, watch);
        if watch.is_stopped() {
            return Err(EvaluateError::Stopped);
        }
        let mut evaluation = Self {
            cases,
            strategies,
            counter,
            histories,
            asked,
            blocks,
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
