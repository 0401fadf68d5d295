//! What follows from a workspace and the decisions about it: causes, provenance, the key audit and the totals.
//!
//! Nothing flows back into the workspace: another decision makes another diagnosis.

use std::collections::HashMap;
use std::sync::Arc;

use crate::audit::{Audit, QuestionAudit, audit};
use crate::provenance::Provenance;
use crate::triage::{AnswerFinding, AnswerState, BlockFinding, Cause, Causes, Scores, Standing, Triage};
use crate::workspace::{AnswerRef, Workspace};

/// Everything that is derived from a workspace and its decisions.
pub struct Diagnosis {
    /// The decisions, and which of them stand.
    pub standing: Standing,
    /// Why each answer failed and how each block stands.
    pub causes: Causes,
    /// The three totals.
    pub scores: Scores,
    /// Whether the answers were made from these blocks.
    pub provenance: Arc<Provenance>,
    /// Which keys are probably wrong. Does not depend on decisions.
    pub audit: Arc<Audit>,
    /// The place of each question in the audit's queue.
    ranks: Arc<HashMap<usize, usize>>,
    by_answer: HashMap<AnswerRef, usize>,
    by_block: HashMap<(usize, usize), usize>,
}

impl Diagnosis {
    /// Derives everything.
    pub fn of(workspace: &Workspace, triage: &Triage) -> Self {
        let audit = audit(workspace);
        let ranks = audit.questions.iter().enumerate().map(|(rank, question)| (question.number, rank)).collect();
        Self::derive(workspace, triage, Arc::new(Provenance::of(workspace)), Arc::new(audit), Arc::new(ranks))
    }

    /// Derives again what depends on decisions.
    pub fn with(&self, workspace: &Workspace, triage: &Triage) -> Self {
        Self::derive(workspace, triage, self.provenance.clone(), self.audit.clone(), self.ranks.clone())
    }

    /// Derives again what depends on whose grades count, under the same decisions.
    pub fn again(&self, workspace: &Workspace) -> Self {
        let triage = Triage { decisions: self.standing.decisions().to_vec(), ..Triage::default() };
        self.with(workspace, &triage)
    }

    fn derive(
        workspace: &Workspace,
        triage: &Triage,
        provenance: Arc<Provenance>,
        audit: Arc<Audit>,
        ranks: Arc<HashMap<usize, usize>>,
    ) -> Self {
        let standing = Standing::of(triage, workspace);
        let causes = Causes::of(workspace, &standing, &provenance);
        let scores = Scores::of(workspace, &standing);
        let by_answer = causes.answers.iter().enumerate().map(|(place, finding)| (finding.at, place)).collect();
        let blocks = causes.blocks.iter().enumerate();
        let by_block = blocks.map(|(place, block)| ((block.strategy_at, block.question_at), place)).collect();
        Self { standing, causes, scores, provenance, audit, ranks, by_answer, by_block }
    }

    /// Why an answer did not pass; nothing where it did.
    pub fn answer(&self, at: AnswerRef) -> Option<&AnswerFinding> {
        self.by_answer.get(&at).and_then(|place| self.causes.answers.get(*place))
    }

    /// The cause of an answer that did not pass.
    pub fn cause(&self, at: AnswerRef) -> Option<Cause> {
        match self.answer(at)?.cause {
            AnswerState::Cause(cause) => Some(cause),
            AnswerState::Incomplete | AnswerState::NoBlock => None,
        }
    }

    /// How a block stands.
    pub fn block(&self, strategy: usize, question: usize) -> Option<&BlockFinding> {
        self.by_block.get(&(strategy, question)).and_then(|place| self.causes.blocks.get(*place))
    }

    /// What the audit says of a question.
    pub fn audited(&self, question: usize) -> Option<&QuestionAudit> {
        self.rank(question).and_then(|rank| self.audit.questions.get(rank))
    }

    /// A question's place in the audit's queue, from 0.
    pub fn rank(&self, question: usize) -> Option<usize> {
        self.ranks.get(&question).copied()
    }
}
