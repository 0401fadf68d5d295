//! Rankings and what is relevant, in the format of TREC: for `trec_eval`, `ir_measures`, `ranx` and their like.
//!
//! A *qrels* file has a line `QUESTION 0 DOCUMENT 1` for each event that carries a required fact; a *run* file has a line
//! `QUESTION Q0 DOCUMENT RANK SCORE STRATEGY` for each candidate. A document is an event: its id, or `event-N` counted from 1
//! where it has none or another one has the same; a fact that no event carries is `missing-N`, which no ranking holds. The scores fall with the rank: those programs sort by score and break ties
//! in ways of their own, while the ranking here has broken them already.
//!
//! Those programs judge documents, not facts: where several events carry one fact they want all of them, so that their recall
//! and nDCG are other numbers than [`super::Measure`] gives. A line of another system that names no event is a document of
//! its own, relevant to nothing.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::facts::{Carriers, events_by_id};
use crate::case::Question;
use crate::evaluate::Evaluation;
use crate::memory::History;
use crate::select::{Blocks, Pool, Query};

/// Candidates of a question that are written at most: what TREC takes.
pub const DEPTH: usize = 1_000;

/// Writes which events carry required facts. Questions without required facts are not in it.
///
/// # Errors
/// `out` cannot be written.
pub fn qrels(evaluation: &Evaluation, out: &mut impl Write) -> io::Result<()> {
    each(evaluation, |history, after, _, questions| {
        let by_id = events_by_id(history);
        let mut carriers = Carriers::new(history, &by_id, after);
        for question in questions {
            let needs = carriers.of(question);
            let relevant = needs.events.iter().filter(|(_, carried)| !carried.required.is_empty());
            let mut relevant: Vec<usize> = relevant.map(|(event, _)| *event).collect();
            relevant.sort_unstable();
            for event in relevant {
                writeln!(out, "{} 0 {} 1", word(&question.id), document(history, event))?;
            }
            let is_carried = |fact: usize| needs.events.values().any(|carried| carried.required.contains(&fact));
            for fact in (0..needs.required).filter(|fact| !is_carried(*fact)) {
                writeln!(out, "{} 0 missing-{} 1", word(&question.id), fact + 1)?;
            }
        }
        Ok(())
    })
}

/// Writes the candidates of every question under a strategy, [`DEPTH`] of a question at most.
///
/// # Errors
/// `out` cannot be written.
pub fn run(evaluation: &Evaluation, strategy: usize, out: &mut impl Write) -> io::Result<()> {
    let Some(ranker) = evaluation.strategies.get(strategy) else { return Ok(()) };
    let tag = word(ranker.name());
    each(evaluation, |history, after, first, questions| {
        let ranked = matches!(ranker.blocks(), Blocks::Ranked);
        let pool = if ranked { Pool::at(history, ranker.store(), after) } else { Pool::default() };
        for (number, question) in (first..).zip(questions) {
            let Some(block) = evaluation.block(strategy, number) else { continue };
            let events: Vec<usize> = if ranked {
                let ranking = ranker.rank(Query { question, history }, &pool);
                ranking.iter().filter_map(|at| Some(pool.records().get(at.index)?.record.event)).take(DEPTH).collect()
            } else if let Some(lines) = evaluation.sent_ranking(strategy, number) {
                lines.iter().map(|line| line.event).take(DEPTH).collect()
            } else {
                block.lines.iter().map(|line| line.event).take(DEPTH).collect()
            };
            let mut seen = HashSet::new();
            let documents = events.iter().enumerate().map(|(place, event)| match origin(history, *event) {
                Some(event) => document(history, event),
                None => format!("line-{}", place + 1),
            });
            let documents: Vec<String> = documents.filter(|document| seen.insert(document.clone())).collect();
            for (place, document) in documents.iter().enumerate() {
                let score = documents.len() - place;
                writeln!(out, "{} Q0 {document} {} {score} {tag}", word(&question.id), place + 1)?;
            }
        }
        Ok(())
    })
}

/// Each conversation: its history, the events before its questions, the number of the first question, and the questions.
fn each(
    evaluation: &Evaluation,
    mut work: impl FnMut(&History, usize, usize, &[Question]) -> io::Result<()>,
) -> io::Result<()> {
    let mut first = 0;
    for conversation in &evaluation.cases.conversations {
        if let Some((history, after)) = evaluation.history(first).filter(|_| !conversation.questions.is_empty()) {
            work(history, after, first, &conversation.questions)?;
        }
        first += conversation.questions.len();
    }
    Ok(())
}

/// The user's event that a candidate was made from, where that is known.
fn origin(history: &History, event: usize) -> Option<usize> {
    if history.is_foreign(event) {
        return history.said(event)?.id.as_deref().and_then(|id| history.event_named(id));
    }
    Some(event)
}

fn document(history: &History, event: usize) -> String {
    let id = history.events.get(event).and_then(|event| event.id.as_deref());
    match id.filter(|id| history.event_named(id) == Some(event)) {
        Some(id) => word(id),
        None => format!("event-{}", event + 1),
    }
}

/// A name as one word: blanks part the fields of these files.
fn word(name: &str) -> String {
    let mut word = String::with_capacity(name.len());
    for c in name.chars() {
        if c == '%' || c.is_whitespace() || c.is_control() {
            // Writing into memory cannot fail.
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _ = write!(word, "%{byte:02X}");
            }
        } else {
            word.push(c);
        }
    }
    if word.is_empty() { "%".to_owned() } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_word() {
        assert_eq!(word("ada/1"), "ada/1");
        assert_eq!(word("a b\t%\u{a0}"), "a%20b%09%25%C2%A0");
        assert_eq!(word(""), "%");
    }
}
