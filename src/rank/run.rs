//! Ranks every question under every strategy, and counts.
//!
//! Conversations are independent: each has its own pools and finds the events that carry its questions' facts once. Nothing
//! here counts tokens or opens a store; the histories know it all.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::duplicates;
use super::facts::{Carried, Carriers, Needs, carried_by, events_by_id};
use super::judge::{Counts, Item, Judge, Ranks, depths};
use super::{Cutoff, Row, Rows};
use crate::case::Question;
use crate::evaluate::Evaluation;
use crate::memory::{History, StoreKind};
use crate::select::{Blocks, Pool, Query, Strategy};

/// Told how many of how many questions are done; answers whether to go on.
pub type Watch<'a> = dyn Fn(usize, usize) -> bool + Sync + 'a;

/// Questions that are done in one go.
const CHUNK: usize = 128;

/// For each strategy all questions; nothing where `watch` says to stop.
pub(super) fn rows(evaluation: &Evaluation, cutoffs: &[Cutoff], watch: &Watch<'_>) -> Option<Vec<Rows>> {
    let groups: Vec<Vec<u32>> = evaluation.histories.par_iter().map(near_duplicates).collect();
    let progress = Progress { watch, done: AtomicUsize::new(0), all: evaluation.question_count(), go: true.into() };
    let runs: Vec<Conversation<'_>> = conversations(evaluation, &groups);
    let parts: Vec<Vec<Rows>> = runs.par_iter().flat_map_iter(|run| run.rows(cutoffs, &progress)).collect();
    if !progress.go.into_inner() {
        return None;
    }
    let mut all = vec![Rows::default(); evaluation.strategies.len()];
    for part in parts {
        for (all, mut rows) in all.iter_mut().zip(part) {
            all.rows.append(&mut rows.rows);
            all.counts.append(&mut rows.counts);
        }
    }
    Some(all)
}

struct Progress<'a> {
    watch: &'a Watch<'a>,
    done: AtomicUsize,
    all: usize,
    go: AtomicBool,
}

impl Progress<'_> {
    fn add(&self, questions: usize) {
        let done = self.done.fetch_add(questions, Ordering::Relaxed) + questions;
        if !(self.watch)(done, self.all) {
            self.go.store(false, Ordering::Relaxed);
        }
    }

    fn stopped(&self) -> bool {
        !self.go.load(Ordering::Relaxed)
    }
}

/// The groups of near-duplicates among everything that was said and every line of other systems, by place.
fn near_duplicates(history: &History) -> Vec<u32> {
    let texts = (0..).map_while(|place| history.said(place)).map(|event| event.text.as_str());
    duplicates::groups(texts)
}

/// The questions of one conversation.
struct Conversation<'a> {
    evaluation: &'a Evaluation,
    history: &'a History,
    groups: &'a [u32],
    after: usize,
    /// The number of its first question.
    first: usize,
    questions: &'a [Question],
}

fn conversations<'a>(evaluation: &'a Evaluation, groups: &'a [Vec<u32>]) -> Vec<Conversation<'a>> {
    let mut first = 0;
    let mut all = Vec::with_capacity(evaluation.cases.conversations.len());
    for conversation in &evaluation.cases.conversations {
        let asked = evaluation.asked.get(first);
        if let Some(asked) = asked.filter(|_| !conversation.questions.is_empty())
            && let (Some(history), Some(groups)) = (evaluation.histories.get(asked.history), groups.get(asked.history))
        {
            let questions = &conversation.questions;
            all.push(Conversation { evaluation, history, groups, after: asked.after, first, questions });
        }
        first += conversation.questions.len();
    }
    all
}

impl Conversation<'_> {
    /// For each chunk of questions, each strategy's rows.
    fn rows(&self, cutoffs: &[Cutoff], progress: &Progress<'_>) -> Vec<Vec<Rows>> {
        let reads =
            |kind| self.evaluation.strategies.iter().any(|s| matches!(s.blocks(), Blocks::Ranked) && s.store() == kind);
        let pool = |kind| if reads(kind) { Pool::at(self.history, kind, self.after) } else { Pool::default() };
        let pools = StoreKind::ALL.map(pool);
        let by_id = events_by_id(self.history);
        let chunks: Vec<(usize, &[Question])> = self
            .questions
            .chunks(CHUNK)
            .enumerate()
            .map(|(chunk, questions)| (self.first + chunk * CHUNK, questions))
            .collect();
        chunks
            .into_par_iter()
            .map(|(first, questions)| {
                let mut carriers = Carriers::new(self.history, &by_id, self.after);
                let mut counting = Counting::new(self.history.len(), cutoffs);
                let mut rows = vec![Rows::default(); self.evaluation.strategies.len()];
                for (number, question) in (first..).zip(questions) {
                    if progress.stopped() {
                        break;
                    }
                    let needs = carriers.of(question);
                    counting.mark(&needs);
                    for (strategy, rows) in rows.iter_mut().enumerate() {
                        self.row(&mut counting, &pools, (strategy, number), question, &needs, rows);
                    }
                    counting.unmark();
                }
                progress.add(questions.len());
                rows
            })
            .collect()
    }

    /// Ranks one question under one strategy and appends what is counted.
    fn row(
        &self,
        counting: &mut Counting<'_>,
        pools: &[Pool; 3],
        (place, number): (usize, usize),
        question: &Question,
        needs: &Needs,
        rows: &mut Rows,
    ) {
        let mut row = Row {
            known: false,
            names_stale: needs.names_stale,
            names_forgotten: needs.names_forgotten,
            required: u32::try_from(needs.required).unwrap_or(u32::MAX),
            ranks: Ranks::default(),
        };
        let block = self.evaluation.block(place, number);
        if let (Some(strategy), Some(block)) = (self.evaluation.strategies.get(place), block) {
            row.known = true;
            let sent = block.lines.iter().map(|line| (line.event, line.tokens));
            let foreign: Vec<(usize, usize)> = match strategy.blocks() {
                Blocks::Ranked => Vec::new(),
                _ => match self.evaluation.sent_ranking(place, number) {
                    Some(lines) => lines.iter().map(|line| (line.event, line.tokens)).collect(),
                    None => sent.clone().collect(),
                },
            };
            let carried: Vec<Carried> = foreign.iter().map(|(event, _)| self.carried(*event, question)).collect();
            row.ranks = match strategy.blocks() {
                Blocks::Ranked => self.ranked(counting, &**strategy, pools, question, needs),
                _ => {
                    let lines = foreign.iter().zip(&carried).map(|(line, carried)| self.item(*line, Some(carried)));
                    counting.ranking(lines, needs)
                }
            };
            // The lines of a block that another system sent stand in its ranking too, in the same order.
            let mut rest = foreign.iter().zip(&carried);
            let mut carried = |event: usize| rest.find(|(line, _)| line.0 == event).map(|(_, carried)| carried);
            let sent: Vec<_> = sent.map(|line| (line, carried(line.0))).collect();
            counting.block(sent.into_iter().map(|(line, carried)| self.item(line, carried)), needs);
        } else {
            counting.nothing();
        }
        counting.put(&mut rows.counts);
        rows.rows.push(row);
    }

    fn ranked(
        &self,
        counting: &mut Counting<'_>,
        strategy: &dyn Strategy,
        [managed, append, governed]: &[Pool; 3],
        question: &Question,
        needs: &Needs,
    ) -> Ranks {
        let pool = match strategy.store() {
            StoreKind::Managed => managed,
            StoreKind::Append => append,
            StoreKind::Governed => governed,
        };
        let ranking = strategy.rank(Query { question, history: self.history }, pool);
        let items = ranking.iter().map(|ranked| {
            let entry = pool.records().get(ranked.index);
            let line = entry.map_or((usize::MAX, 0), |entry| (entry.record.event, entry.tokens));
            self.item(line, None)
        });
        counting.ranking(items, needs)
    }

    fn carried(&self, event: usize, question: &Question) -> Carried {
        self.history.said(event).map(|line| carried_by(line, question)).unwrap_or_default()
    }

    fn item<'c>(&self, (event, tokens): (usize, usize), carried: Option<&'c Carried>) -> Line<'c> {
        Line { event, carried, tokens, group: self.groups.get(event).copied().unwrap_or(u32::MAX) }
    }
}

/// A candidate before it is known what it carries; lines of other systems know it already.
struct Line<'a> {
    event: usize,
    carried: Option<&'a Carried>,
    tokens: usize,
    group: u32,
}

/// What is kept from one question to the next.
struct Counting<'a> {
    cutoffs: &'a [Cutoff],
    depths: Vec<usize>,
    judge: Judge,
    /// For each event 0, or 1 + the place of what it carries.
    marks: Vec<u32>,
    carried: Vec<Carried>,
    marked: Vec<usize>,
    /// The counts at each depth.
    prefixes: Vec<Counts>,
    block: Counts,
}

impl<'a> Counting<'a> {
    fn new(events: usize, cutoffs: &'a [Cutoff]) -> Self {
        Self {
            cutoffs,
            depths: depths(cutoffs),
            judge: Judge::default(),
            marks: vec![0; events],
            carried: Vec::new(),
            marked: Vec::new(),
            prefixes: Vec::new(),
            block: Counts::default(),
        }
    }

    fn mark(&mut self, needs: &Needs) {
        for (event, carried) in &needs.events {
            self.carried.push(carried.clone());
            if let Some(mark) = self.marks.get_mut(*event) {
                *mark = u32::try_from(self.carried.len()).unwrap_or(u32::MAX);
                self.marked.push(*event);
            }
        }
    }

    fn unmark(&mut self) {
        for event in self.marked.drain(..) {
            if let Some(mark) = self.marks.get_mut(event) {
                *mark = 0;
            }
        }
        self.carried.clear();
    }

    fn ranking<'l>(&mut self, lines: impl ExactSizeIterator<Item = Line<'l>>, needs: &Needs) -> Ranks {
        self.prefixes.clear();
        let (marks, carried, prefixes) = (&self.marks, &self.carried, &mut self.prefixes);
        let items = lines.map(|line| line.item(marks, carried));
        self.judge.count(items, needs.required, &needs.ideal, &self.depths, |counts| prefixes.push(counts))
    }

    fn block<'l>(&mut self, lines: impl ExactSizeIterator<Item = Line<'l>>, needs: &Needs) {
        let (marks, carried, block) = (&self.marks, &self.carried, &mut self.block);
        let items = lines.map(|line| line.item(marks, carried));
        self.judge.count(items, needs.required, &needs.ideal, &[usize::MAX], |counts| *block = counts);
    }

    fn nothing(&mut self) {
        self.prefixes.clear();
        self.block = Counts::default();
    }

    /// Appends the counts at each cutoff.
    fn put(&self, counts: &mut Vec<Counts>) {
        counts.extend(self.cutoffs.iter().map(|cutoff| match cutoff.depth() {
            None => self.block,
            Some(depth) => {
                let place = self.depths.binary_search(&depth).ok();
                place.and_then(|place| self.prefixes.get(place)).copied().unwrap_or_default()
            }
        }));
    }
}

impl<'a> Line<'a> {
    fn item<'c>(self, marks: &[u32], carried: &'c [Carried]) -> Item<'c>
    where
        'a: 'c,
    {
        let marked = || {
            let mark = marks.get(self.event).copied().unwrap_or(0);
            usize::try_from(mark).ok()?.checked_sub(1).and_then(|place| carried.get(place))
        };
        Item { carried: self.carried.or_else(marked), group: self.group, tokens: self.tokens }
    }
}
