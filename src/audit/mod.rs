//! The key audit: which questions probably have a wrong *key*, and why.
//!
//! Each [`Signal`] looks at one question and says how strongly it shows, with its proof. A signal's weight is the logarithm
//! of how many times more often a wrong key shows it than a sound one; the weights are reasoned in each signal's file, not
//! fitted to any benchmark.
//!
//! **Score.** Each observation is worth `weight × strength` points. Observations of one [`Doubt`] are ordered by their points
//! and added up, and the sum is moved by the prior: a published audit found 6.4 % wrong keys in a benchmark that nobody had
//! suspected, so a question starts at the log-odds of 1 in 16. The score is the probability that belongs to the sum. It grows
//! with every observation and every strength, and never falls by one. [`QuestionAudit::score`] is the score of the doubts in
//! the key, [`QuestionAudit::evidence_score`] that of the doubts in the evidence it cites.
//!
//! **Flag.** A question is flagged from a score of [`FLAG_FROM`]: the key is then more likely wrong than right.
//!
//! The work is linear in events, questions and answers: what a signal needs to know of a whole history is counted once.

pub mod calendar;
mod index;
mod measured;
mod numbers;
mod pattern;
mod refusal;
mod signal;
mod signals;
mod subject;
pub mod terms;
#[cfg(test)]
mod testing;

use std::cmp::Ordering;

use rayon::prelude::*;
use serde::Serialize;

use crate::case::Question;
use crate::workspace::Workspace;

pub use index::Index;
pub use measured::{Found, Known};
pub use refusal::{last_word_refuses, refusal};
pub use signal::{Doubt, Observation, Part, Signal};
pub use signals::SIGNALS;
pub use subject::{Cited, Run, Said, Subject};

/// The log-odds with which a question starts: 1 wrong key among 16.
const PRIOR: f64 = -2.7;

/// The score from which a key is more likely wrong than right.
pub const FLAG_FROM: f64 = 0.5;

/// All questions, the most doubtful key first.
#[derive(Debug, Clone, Serialize)]
pub struct Audit {
    /// In rank order: by points, then in the order of the case file.
    pub questions: Vec<QuestionAudit>,
}

/// What the audit says of one question.
#[derive(Debug, Clone, Serialize)]
pub struct QuestionAudit {
    /// The question's number in the evaluation.
    #[serde(skip)]
    pub number: usize,
    /// The question's id.
    pub id: String,
    /// The words of the question.
    pub question: String,
    /// How likely the key is wrong, 0 to 1.
    pub score: f64,
    /// The points of all doubts in the key together: what the score is made from, and what the rank follows.
    pub points: f64,
    /// Whether the key is more likely wrong than right.
    pub flagged: bool,
    /// How likely the cited evidence is wrong, 0 to 1.
    pub evidence_score: f64,
    /// Every signal that shows, those worth most first.
    pub signals: Vec<Finding>,
}

/// A signal that shows in a question.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The signal's name.
    pub signal: &'static str,
    /// What it casts doubt on.
    pub doubts: Doubt,
    /// The signal's weight.
    pub weight: f64,
    /// How strongly it shows, above 0 and at most 1.
    pub strength: f64,
    /// Weight times strength: what it adds to the score's log-odds.
    pub points: f64,
    /// Why.
    pub proof: Vec<Part>,
}

/// Audits every key of a workspace.
pub fn audit(workspace: &Workspace) -> Audit {
    let evaluation = &workspace.evaluation;
    let mut by_history: Vec<Vec<&Question>> = vec![Vec::new(); evaluation.histories.len()];
    for number in 0..evaluation.question_count() {
        let asked = evaluation.asked.get(number).and_then(|asked| by_history.get_mut(asked.history));
        if let (Some(questions), Some((_, question))) = (asked, evaluation.question(number)) {
            questions.push(question);
        }
    }
    let indexes: Vec<Index> = evaluation
        .histories
        .par_iter()
        .zip(by_history)
        .map(|(history, questions)| Index::of(history, &questions))
        .collect();
    let (runs, answers) = subject::gather(workspace);
    let mut questions: Vec<QuestionAudit> = answers
        .into_par_iter()
        .enumerate()
        .filter_map(|(number, answers)| {
            let index = indexes.get(evaluation.asked.get(number)?.history)?;
            Some(QuestionAudit::of(&Subject::new(workspace, number, index, &runs, answers)?))
        })
        .collect();
    questions.sort_by(|a, b| b.points.total_cmp(&a.points).then(a.number.cmp(&b.number)));
    Audit { questions }
}

impl QuestionAudit {
    /// Asks every signal about one question.
    pub fn of(subject: &Subject<'_>) -> Self {
        let mut findings: Vec<Finding> = SIGNALS
            .iter()
            .filter_map(|signal| {
                let Observation { strength, proof } = signal.observe(subject)?;
                let (weight, points) = (signal.weight(), rounded(signal.weight() * strength));
                let strength = rounded(strength);
                Some(Finding { signal: signal.name(), doubts: signal.doubts(), weight, strength, points, proof })
            })
            .collect();
        // A stable sort: signals of equal worth stay in the order of the list.
        findings.sort_by(|a, b| b.points.partial_cmp(&a.points).unwrap_or(Ordering::Equal));
        let points = points(&findings, Doubt::Key);
        let score = probability(points);
        Self {
            number: subject.number,
            id: subject.question.id.clone(),
            question: subject.question.question.clone(),
            score,
            points,
            flagged: score >= FLAG_FROM,
            evidence_score: probability(self::points(&findings, Doubt::Evidence)),
            signals: findings,
        }
    }
}

/// The points of the findings that cast one doubt, together.
fn points(findings: &[Finding], doubt: Doubt) -> f64 {
    rounded(findings.iter().filter(|finding| finding.doubts == doubt).map(|finding| finding.points).sum())
}

/// The probability to which so many points raise the prior.
fn probability(points: f64) -> f64 {
    rounded(1.0 / (1.0 + (-(PRIOR + points)).exp()))
}

/// Four places: more than anyone reads, and the same on every machine.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
