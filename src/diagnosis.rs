//! What follows from a workspace and the decisions about it: causes, provenance, the key audit and the totals.
//!
//! Nothing flows back into the workspace: another decision makes another diagnosis.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::audit::{Audit, QuestionAudit, audit};
use crate::provenance::Provenance;
use crate::triage::{AnswerFinding, AnswerState, BlockFinding, Cause, Causes, Scores, Standing, Triage};
use crate::workspace::{AnswerRef, Workspace};

/// The key audit, and the place of each question in its queue.
pub struct Audited {
    audit: Audit,
    ranks: HashMap<usize, usize>,
}

impl Audited {
    /// Audits every key.
    pub fn of(workspace: &Workspace) -> Self {
        let audit = audit(workspace);
        let ranks = audit.questions.iter().enumerate().map(|(rank, question)| (question.number, rank)).collect();
        Self { audit, ranks }
    }
}

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
    /// Which keys are probably wrong, once that is known. Does not depend on decisions.
    audit: OnceLock<Arc<Audited>>,
    by_answer: HashMap<AnswerRef, usize>,
    by_block: HashMap<(usize, usize), usize>,
}

impl Diagnosis {
    /// Derives everything.
    pub fn of(workspace: &Workspace, triage: &Triage) -> Self {
        let diagnosis = Self::without_audit(workspace, triage);
        diagnosis.set_audit(Arc::new(Audited::of(workspace)));
        diagnosis
    }

    /// Derives everything but the audit, which takes longest and which only Triage waits for.
    pub fn without_audit(workspace: &Workspace, triage: &Triage) -> Self {
        Self::derive(workspace, triage, Arc::new(Provenance::of(workspace)), OnceLock::new())
    }

    /// Derives again what depends on decisions.
    pub fn with(&self, workspace: &Workspace, triage: &Triage) -> Self {
        Self::derive(workspace, triage, self.provenance.clone(), self.audit.clone())
    }

    /// Takes the audit, once it is there.
    pub fn set_audit(&self, audit: Arc<Audited>) {
        // A second one says the same: the audit depends on the workspace alone.
        let _ = self.audit.set(audit);
    }

    /// The audit, once it is there.
    pub fn audit(&self) -> Option<Arc<Audited>> {
        self.audit.get().cloned()
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
        audit: OnceLock<Arc<Audited>>,
    ) -> Self {
        let standing = Standing::of(triage, workspace);
        let causes = Causes::of(workspace, &standing, &provenance);
        let scores = Scores::of(workspace, &standing);
        let by_answer = causes.answers.iter().enumerate().map(|(place, finding)| (finding.at, place)).collect();
        let blocks = causes.blocks.iter().enumerate();
        let by_block = blocks.map(|(place, block)| ((block.strategy_at, block.question_at), place)).collect();
        Self { standing, causes, scores, provenance, audit, by_answer, by_block }
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
        self.rank(question).and_then(|rank| self.suspects().get(rank))
    }

    /// A question's place in the audit's queue, from 0.
    pub fn rank(&self, question: usize) -> Option<usize> {
        self.audit.get()?.ranks.get(&question).copied()
    }

    /// The questions by how likely their key is wrong; empty until that is known.
    pub fn suspects(&self) -> &[QuestionAudit] {
        self.audit.get().map_or(&[], |audited| &audited.audit.questions)
    }

    /// Whether the audit is there.
    pub fn is_audited(&self) -> bool {
        self.audit.get().is_some()
    }
}
