//! The key audit as JSON and tables.

use serde::Serialize;

use crate::audit::{Audit, Finding, Part, QuestionAudit};

use super::Table;

/// Findings that a cell of the summary table names; further ones are counted.
const NAMED: usize = 3;

/// The audit's first questions, every signal with its weight and proof.
#[derive(Serialize)]
pub struct AuditReport<'a> {
    questions: &'a [QuestionAudit],
}

impl<'a> AuditReport<'a> {
    /// The first `limit` questions of the queue, or all.
    pub fn new(audit: &'a Audit, limit: Option<usize>) -> Self {
        Self { questions: first(audit, limit) }
    }
}

fn first(audit: &Audit, limit: Option<usize>) -> &[QuestionAudit] {
    let end = limit.unwrap_or(usize::MAX).min(audit.questions.len());
    audit.questions.get(..end).unwrap_or_default()
}

/// One row a question: its place in the queue, its score, and the signals that say most.
pub fn audit_table(audit: &Audit, limit: Option<usize>) -> Table {
    let mut table = Table::new(["rank", "score", "flagged", "evidence", "id", "question", "signals"]);
    for (place, question) in first(audit, limit).iter().enumerate() {
        let named = question.signals.iter().take(NAMED).map(|f| format!("{} +{:.2}", f.signal, f.points));
        let mut signals = named.collect::<Vec<_>>().join("; ");
        if let Some(more) = question.signals.len().checked_sub(NAMED).filter(|more| *more > 0) {
            signals.push_str(&format!("; {more} more"));
        }
        table.push([
            (place + 1).to_string(),
            format!("{:.3}", question.score),
            flag(question).to_owned(),
            format!("{:.3}", question.evidence_score),
            question.id.clone(),
            question.question.clone(),
            signals,
        ]);
    }
    table
}

/// One row a signal, with its proof; a question without signals has one row.
pub fn audit_signals_table(audit: &Audit, limit: Option<usize>) -> Table {
    let heads =
        ["rank", "id", "question", "score", "flagged", "signal", "doubts", "weight", "strength", "points", "proof"];
    let mut table = Table::new(heads);
    for (place, question) in first(audit, limit).iter().enumerate() {
        let about = [
            (place + 1).to_string(),
            question.id.clone(),
            question.question.clone(),
            question.score.to_string(),
            flag(question).to_owned(),
        ];
        if question.signals.is_empty() {
            table.push(about.clone().into_iter().chain(std::iter::repeat_n(String::new(), 6)));
        }
        for finding in &question.signals {
            table.push(about.clone().into_iter().chain(cells(finding)));
        }
    }
    table
}

fn flag(question: &QuestionAudit) -> &'static str {
    if question.flagged { "faulty key?" } else { "" }
}

fn cells(finding: &Finding) -> [String; 6] {
    [
        finding.signal.to_owned(),
        finding.doubts.name().to_owned(),
        finding.weight.to_string(),
        finding.strength.to_string(),
        finding.points.to_string(),
        finding.proof.iter().map(Part::words).collect::<Vec<_>>().join(" | "),
    ]
}
