//! From grades, blocks and decisions to causes.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::explain::Explanation;
use crate::grade::{AnswerKey, Grade, Grader, Verdict};
use crate::memory::StoreKind;
use crate::provenance::Provenance;
use crate::select::Blocks;
use crate::workspace::{AnswerRef, Workspace};

use super::cause::{AnswerFinding, AnswerState, BlockFinding, BlockState, Cause, Decided};
use super::decision::{Decision, SubjectKind};
use super::layer::Layer;
use super::proof::{Cell, Found, Judged, by_decision, nothing, stated, states};
use super::standing::{Regraded, Standing};

/// The answers of one strategy by cause.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CauseTotals {
    /// The strategy's name, as the recordings have it.
    pub strategy: String,
    /// Answers that pass, as recorded and after all decisions.
    pub pass: usize,
    /// Answers of each state that occurs.
    pub states: HashMap<AnswerState, usize>,
}

impl CauseTotals {
    /// Answers with a cause.
    pub fn of(&self, cause: Cause) -> usize {
        self.state(AnswerState::Cause(cause))
    }

    /// Answers in a state.
    pub fn state(&self, state: AnswerState) -> usize {
        self.states.get(&state).copied().unwrap_or_default()
    }
}

/// Why each answer did not pass, and how each block stands.
#[derive(Debug, Clone, Default)]
pub struct Causes {
    /// One entry a strategy: those of the evaluation, then those that only recordings name.
    pub totals: Vec<CauseTotals>,
    /// Every answer that did not pass as recorded or does not pass after all decisions, in file order.
    pub answers: Vec<AnswerFinding>,
    /// Every block, strategy by strategy.
    pub blocks: Vec<BlockFinding>,
}

impl Causes {
    /// Derives the causes of a workspace under what stands decided.
    pub fn of(workspace: &Workspace, standing: &Standing, provenance: &Provenance) -> Self {
        let context = Context { workspace, standing, provenance };
        let asked = workspace.evaluation.question_count();
        let found: Vec<(Vec<AnswerFinding>, Option<BlockFinding>)> = (0..asked * workspace.evaluation.strategies.len())
            .into_par_iter()
            .map(|cell| context.cell(cell / asked.max(1), cell % asked.max(1)))
            .collect();
        let mut causes = Self::default();
        for (answers, block) in found {
            causes.answers.extend(answers);
            causes.blocks.extend(block);
        }
        causes.answers.extend(context.strangers());
        causes.answers.sort_by_key(|finding| finding.at);
        causes.count(workspace);
        causes
    }

    fn count(&mut self, workspace: &Workspace) {
        let strategies = workspace.evaluation.strategies.iter();
        self.totals = strategies
            .map(|strategy| CauseTotals { strategy: strategy.name().to_owned(), ..CauseTotals::default() })
            .collect();
        let mut places: HashMap<String, usize> =
            self.totals.iter().enumerate().map(|(place, totals)| (totals.strategy.clone(), place)).collect();
        let mut findings = self.answers.iter().peekable();
        for at in workspace.all_answers() {
            let Some((graded, group, ..)) = workspace.answer(at) else { continue };
            let finding = findings.next_if(|finding| finding.at == at);
            if !workspace.counts(graded.question.get(at.group).copied().flatten()) {
                continue;
            }
            let place = *places.entry(group.strategy.clone()).or_insert_with(|| {
                self.totals.push(CauseTotals { strategy: group.strategy.clone(), ..CauseTotals::default() });
                self.totals.len() - 1
            });
            let Some(totals) = self.totals.get_mut(place) else { continue };
            match finding {
                Some(finding) => *totals.states.entry(finding.cause).or_default() += 1,
                None => totals.pass += 1,
            }
        }
    }
}

/// The grade that says why: a decision that agrees with the recorded grade gives no reason of its own.
fn judging<'a>(now: &'a Grade, recorded: &'a Grade) -> &'a Grade {
    if now.grader == Grader::Decision { recorded } else { now }
}

/// Why an answer has no block.
fn no_block(question: Option<usize>) -> &'static str {
    match question {
        None => "the case set does not have its question",
        Some(_) => "nobody knows what was sent with the question",
    }
}

#[derive(Clone, Copy)]
struct Context<'a> {
    workspace: &'a Workspace,
    standing: &'a Standing,
    provenance: &'a Provenance,
}

impl<'a> Context<'a> {
    fn cell(&self, strategy: usize, number: usize) -> (Vec<AnswerFinding>, Option<BlockFinding>) {
        let evaluation = &self.workspace.evaluation;
        let (Some((_, question)), Some((history, after)), Some(block)) =
            (evaluation.question(number), evaluation.history(number), evaluation.block(strategy, number))
        else {
            return (Vec::new(), None);
        };
        let kind = evaluation.strategies.get(strategy).map_or(StoreKind::Managed, |strategy| strategy.store());
        let mut cell = Cell { question, history, after, kind, explanation: None };
        let explain = |cell: &mut Cell<'a>| {
            let quota = evaluation.cases.facts_quota;
            let of = || {
                let place = strategy;
                let strategy = evaluation.strategies.get(place)?;
                if !matches!(strategy.blocks(), Blocks::Ranked) {
                    return Explanation::of(evaluation, place, number);
                }
                Some(Explanation::of_facts(block, history, after, &**strategy, question, quota))
            };
            cell.explanation.get_or_insert_with(|| of().unwrap_or_default());
        };
        let mut known: HashMap<&str, Found> = HashMap::new();
        let mut findings = Vec::new();
        let (mut pass, mut answers) = (0, 0);
        // A question's words may stand twice; an answer given by words belongs to the first.
        let own = |at: &AnswerRef| {
            let graded = self.workspace.recordings.get(at.recording);
            graded.and_then(|graded| graded.question.get(at.group).copied().flatten()) == Some(number)
        };
        for at in self.workspace.answers(strategy, number).filter(own) {
            let Some((grade, changed)) = self.standing.grade(self.workspace, at) else { continue };
            answers += 1;
            pass += usize::from(grade.verdict == Verdict::Pass);
            let Some((_, _, answer, recorded)) = self.workspace.answer(at) else { continue };
            if grade.verdict == Verdict::Pass && recorded.verdict == Verdict::Pass {
                continue;
            }
            let found = match self.fault(at, number, grade.verdict, changed) {
                Some(decision) => by_decision(decision),
                None if judging(&grade, recorded).grader != Grader::Key => {
                    explain(&mut cell);
                    cell.by_facts(judging(&grade, recorded))
                }
                None => {
                    explain(&mut cell);
                    let found = || cell.explained(answer.answer.as_str(), self.key(at, number), self.workspace);
                    known.entry(answer.answer.as_str()).or_insert_with(found).clone()
                }
            };
            findings.extend(self.finding(at, grade.verdict, found));
        }
        if !block.is_sound() {
            explain(&mut cell);
        }
        let block = self.block_finding(strategy, number, &cell, pass, answers);
        (findings, block)
    }

    /// The key that counts for an answer.
    fn key(&self, at: AnswerRef, question: usize) -> Option<&'a AnswerKey> {
        let corrected = self.standing.corrected(question).map(|(_, corrected)| &*corrected.key);
        corrected.or_else(|| self.workspace.key_of(at))
    }

    /// The decision by which an answer's grade is at fault, and not the memory or the model.
    fn fault(
        &self,
        at: AnswerRef,
        question: usize,
        now: Verdict,
        changed: Option<Regraded<'a>>,
    ) -> Option<&'a Decision> {
        match changed {
            Some(Regraded::Answer(decision)) => return Some(decision),
            Some(Regraded::Key(decision)) if now == Verdict::Pass => return Some(decision),
            _ => {}
        }
        if self.workspace.answer(at)?.3.verdict == Verdict::Incomplete {
            return None;
        }
        let decision = self.standing.fault(question)?;
        // A key that was corrected has a say of its own: what fails by it too has another cause.
        let answered = decision.verdict.subject() == SubjectKind::Key && self.standing.corrected(question).is_some();
        (!answered).then_some(decision)
    }

    fn finding(&self, at: AnswerRef, now: Verdict, (cause, proof, sentence): Found) -> Option<AnswerFinding> {
        let (graded, group, answer, recorded) = self.workspace.answer(at)?;
        let number = graded.question.get(at.group).copied().flatten();
        let question =
            number.and_then(|number| self.workspace.evaluation.question(number)).map(|(_, question)| question);
        Some(AnswerFinding {
            at,
            recording: graded.recording.name.clone(),
            strategy: group.strategy.clone(),
            question: question.map_or(&group.question, |question| &question.id).clone(),
            asked: question.map_or(&group.question, |question| &question.question).clone(),
            seed: answer.seed,
            cause,
            layer: Layer::of_answer(cause, &proof),
            verdict: recorded.verdict,
            corrected: (now != recorded.verdict).then_some(now),
            reason: recorded.reason.clone(),
            answer: answer.answer.clone(),
            made_from_block: self.provenance.made_from_block(self.workspace, at),
            sentence,
            proof,
        })
    }

    fn block_finding(
        &self,
        strategy: usize,
        number: usize,
        cell: &Cell<'_>,
        pass: usize,
        answers: usize,
    ) -> Option<BlockFinding> {
        let evaluation = &self.workspace.evaluation;
        let block = evaluation.block(strategy, number)?;
        let leaks = match (block.forgotten(), block.stale()) {
            (0, 0) => None,
            (0, _) => Some(Cause::Stale),
            _ => Some(Cause::Forgotten),
        };
        let fault = self.standing.fault(number);
        // A leak is a leak whatever the key says; what the block lacks is the key's word.
        let cause = match (leaks, block.missing.is_empty(), fault) {
            (Some(leak), ..) if answers > 0 && pass == answers => BlockState::LeakedUnharmed(leak),
            (Some(leak), ..) => BlockState::Cause(leak),
            (None, false, Some(_)) => BlockState::Cause(Cause::FaultyKey),
            (None, false, None) => BlockState::Cause(Cause::Missing),
            (None, true, _) => BlockState::Sound,
        };
        let wrong = cell.explanation.iter().flat_map(|explanation| &explanation.facts).filter(|fact| !fact.is_fine());
        let facts = if block.is_sound() { Vec::new() } else { wrong.map(|fact| cell.fact(fact)).collect() };
        let sentence = match (&cell.explanation, block.required) {
            (Some(explanation), _) if !block.is_sound() => explanation.sentence(),
            (_, 0) => "The question needs no fact, and the block leaks nothing".to_owned(),
            _ => "The block holds every required fact and leaks nothing".to_owned(),
        };
        Some(BlockFinding {
            strategy: evaluation.strategies.get(strategy)?.name().to_owned(),
            strategy_at: strategy,
            question: cell.question.id.clone(),
            question_at: number,
            asked: cell.question.question.clone(),
            cause,
            layer: Layer::of_block(cause, &facts),
            leaks,
            pass,
            answers,
            sentence,
            facts,
            decided: fault.map(Decided::from),
        })
    }

    /// Findings on answers that the case set has no block for.
    fn strangers(&self) -> Vec<AnswerFinding> {
        let unexplained = |at: AnswerRef| {
            let (graded, _, answer, recorded) = self.workspace.answer(at)?;
            let place = |places: &[Option<usize>]| places.get(at.group).copied().flatten();
            let question = place(&graded.question);
            let strategy = place(&graded.strategy);
            let block = strategy.zip(question).and_then(|(s, q)| self.workspace.evaluation.block(s, q));
            if block.is_some() {
                return None;
            }
            let (grade, changed) = self.standing.grade(self.workspace, at)?;
            if grade.verdict == Verdict::Pass && recorded.verdict == Verdict::Pass {
                return None;
            }
            if let Some(decision) = question.and_then(|question| self.fault(at, question, grade.verdict, changed)) {
                return self.finding(at, grade.verdict, by_decision(decision));
            }
            let by = judging(&grade, recorded);
            if by.grader != Grader::Key {
                let found = match by.verdict {
                    Verdict::Incomplete => nothing(AnswerState::Incomplete, by.reason.clone()),
                    _ => nothing(AnswerState::NoBlock, format!("{}; {}", by.reason, no_block(question))),
                };
                return self.finding(at, grade.verdict, found);
            }
            let corrected = question.and_then(|question| self.standing.corrected(question));
            let key = corrected.map(|(_, corrected)| &*corrected.key).or_else(|| self.workspace.key_of(at));
            let found = match Judged::of(&answer.answer, key, self.workspace) {
                Judged::Incomplete(why) => nothing(AnswerState::Incomplete, why),
                Judged::States(cause, hit) => {
                    let sentence = states(&hit, &answer.answer, cause, &[]);
                    (AnswerState::Cause(cause), Arc::new(stated(&hit, &answer.answer, Vec::new())), sentence)
                }
                Judged::Lacks(_) => {
                    nothing(AnswerState::NoBlock, format!("{}; {}", recorded.reason, no_block(question)))
                }
            };
            self.finding(at, grade.verdict, found)
        };
        self.workspace.all_answers().filter_map(unexplained).collect()
    }
}
