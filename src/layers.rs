//! A number for each layer of a memory: formation, retrieval, use, lifecycle.
//!
//! One score over a whole memory cannot tell a store that never kept a fact from a model that did not use it. Each layer is
//! counted over what the layers before it let through, so that no failure is counted twice. See [`Layer::counts`] for what each
//! number counts.

use rayon::prelude::*;
use serde::Serialize;

use crate::case::Fact;
use crate::diagnosis::Diagnosis;
use crate::explain::{Kept, kept};
use crate::grade::{Block, Verdict};
use crate::memory::StoreKind;
use crate::select::Blocks;
use crate::triage::{AnswerState, Cause, Layer};
use crate::workspace::Workspace;

/// How much of what reached a layer went through it rightly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LayerScore {
    /// What went through.
    pub right: usize,
    /// What reached it.
    pub of: usize,
}

impl LayerScore {
    /// The share, from 0 to 1; none where nothing reached the layer.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.right as f64 / self.of as f64)
    }

    fn add(&mut self, right: bool) {
        self.of += 1;
        self.right += usize::from(right);
    }

    fn merged(self, other: Self) -> Self {
        Self { right: self.right + other.right, of: self.of + other.of }
    }
}

/// The layers of one strategy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StrategyLayers {
    /// Its name.
    pub strategy: String,
    /// Whether its store is seen. Of another system only blocks and answers are: nothing is known of its formation, what it
    /// does not send counts as not retrieved, and a fact that it no longer sends counts as removed.
    pub store_seen: bool,
    /// Facts that became records; none where the store is not seen.
    pub formation: Option<LayerScore>,
    /// Readable facts that reached their block.
    pub retrieval: LayerScore,
    /// Lines that carry a required fact: how much else was sent with them.
    pub useful_lines: LayerScore,
    /// Answers that used a sound block rightly. None are counted where a decision blames the key.
    #[serde(rename = "use")]
    pub used: LayerScore,
    /// Replaced and forgotten facts that were repaired or removed.
    pub lifecycle: LayerScore,
}

impl StrategyLayers {
    /// The number of a layer; none where it is not known.
    pub fn score(&self, layer: Layer) -> Option<LayerScore> {
        match layer {
            Layer::Formation => self.formation,
            Layer::Retrieval => Some(self.retrieval),
            Layer::Use => Some(self.used),
            Layer::Lifecycle => Some(self.lifecycle),
        }
    }
}

/// The layers of each strategy that has blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Layers {
    /// In the order of the evaluation.
    pub strategies: Vec<StrategyLayers>,
}

impl Layers {
    /// Counts the layers of an evaluation, under the decisions of a diagnosis and the graders that the workspace counts.
    pub fn of(workspace: &Workspace, diagnosis: &Diagnosis) -> Self {
        let evaluation = &workspace.evaluation;
        let seen: Vec<usize> =
            (0..evaluation.strategies.len()).filter(|strategy| evaluation.has_blocks(*strategy)).collect();
        let strategies = seen.into_par_iter().filter_map(|strategy| one(workspace, diagnosis, strategy));
        Self { strategies: strategies.collect() }
    }
}

/// What one question adds.
#[derive(Clone, Copy, Default)]
struct Counts {
    formation: LayerScore,
    retrieval: LayerScore,
    used: LayerScore,
    lifecycle: LayerScore,
}

impl Counts {
    fn merged(self, other: Self) -> Self {
        Self {
            formation: self.formation.merged(other.formation),
            retrieval: self.retrieval.merged(other.retrieval),
            used: self.used.merged(other.used),
            lifecycle: self.lifecycle.merged(other.lifecycle),
        }
    }
}

fn one(workspace: &Workspace, diagnosis: &Diagnosis, strategy: usize) -> Option<StrategyLayers> {
    let evaluation = &workspace.evaluation;
    let own = evaluation.strategies.get(strategy)?;
    let store = matches!(own.blocks(), Blocks::Ranked).then(|| own.store());
    let counts = (0..evaluation.question_count())
        .into_par_iter()
        .filter_map(|question| {
            let block = evaluation.block(strategy, question)?;
            let mut counts = facts(workspace, question, block, store)?;
            counts.used = used(workspace, diagnosis, strategy, question, block);
            Some(counts)
        })
        .reduce(Counts::default, Counts::merged);
    let summary = evaluation.summaries.get(strategy)?;
    Some(StrategyLayers {
        strategy: own.name().to_owned(),
        store_seen: store.is_some(),
        formation: store.map(|_| counts.formation),
        retrieval: counts.retrieval,
        useful_lines: LayerScore { right: summary.useful_lines, of: summary.lines_sent },
        used: counts.used,
        lifecycle: counts.lifecycle,
    })
}

/// Formation, retrieval and lifecycle of one question's facts.
fn facts(workspace: &Workspace, number: usize, block: &Block, store: Option<StoreKind>) -> Option<Counts> {
    let evaluation = &workspace.evaluation;
    let (_, question) = evaluation.question(number)?;
    let (history, after) = evaluation.history(number)?;
    // The append-only store has everything that was said: of another system's store nothing else is known.
    let kept = |fact: &Fact| kept(fact, history, store.unwrap_or(StoreKind::Append), after);
    let mut counts = Counts::default();
    for (place, fact) in question.required.iter().enumerate() {
        let sent = !block.missing.contains(&place);
        let kept = kept(fact);
        if kept != Kept::NeverSaid {
            counts.formation.add(kept != Kept::Unformed);
        }
        if sent || kept == Kept::Readable {
            counts.retrieval.add(sent);
        }
    }
    for fact in question.stale.iter().chain(&question.forgotten) {
        let sent = || block.lines.iter().any(|line| history.said(line.event).is_some_and(|e| fact.is_carried_by(e)));
        match (kept(fact), store) {
            (Kept::NeverSaid | Kept::Unformed, _) => {}
            (_, None) => counts.lifecycle.add(!sent()),
            (kept, Some(_)) => counts.lifecycle.add(kept == Kept::Gone),
        }
    }
    Some(counts)
}

/// The answers to a question whose block leaves them no excuse.
fn used(workspace: &Workspace, diagnosis: &Diagnosis, strategy: usize, question: usize, block: &Block) -> LayerScore {
    let mut score = LayerScore::default();
    if !block.is_sound() || !workspace.counts(Some(question)) {
        return score;
    }
    for at in workspace.answers(strategy, question) {
        let finding = diagnosis.answer(at);
        let blamed = finding.is_some_and(|finding| finding.cause == AnswerState::Cause(Cause::FaultyKey));
        let verdict = diagnosis.standing.grade(workspace, at).map(|(grade, _)| grade.verdict);
        match verdict {
            Some(verdict) if !blamed && verdict != Verdict::Incomplete => score.add(verdict == Verdict::Pass),
            _ => {}
        }
    }
    score
}
