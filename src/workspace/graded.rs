//! A recording, with what every grader says of each of its answers.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::case::{Conversation, Question};
use crate::deferred::Deferred;
use crate::evaluate::Evaluation;
use crate::grade::published::Standard;
use crate::grade::{AnswerKey, AnswerKeys, Grade, Grader, GraderChoice, Verdicts, grade_answer, judge_grade};
use crate::recording::{Answer, AnswerGroup, Recording};
use crate::select::{Blocks, Strategy};
use crate::source::json::did_you_mean;
use crate::source::{InputError, Warning};

/// A recording with the grades of each of its answers.
pub struct GradedRecording {
    /// The answers.
    pub recording: Arc<Recording>,
    /// For each group, the grade of each answer that counts: that of the chosen grader.
    pub grades: Vec<Vec<Grade>>,
    /// For each group, the grades of each answer by every grader, side by side.
    pub verdicts: Arc<Vec<Vec<Verdicts>>>,
    /// For each group, its strategy's place in the evaluation, where it has one.
    pub strategy: Arc<Vec<Option<usize>>>,
    /// For each group, its question's number in the evaluation, where it has one.
    pub question: Arc<Vec<Option<usize>>>,
    /// For each strategy and question, the groups with its answers.
    pub(super) by_cell: Arc<HashMap<(usize, usize), Vec<usize>>>,
}

impl GradedRecording {
    pub(super) fn new(
        recording: Recording,
        by_name: &HashMap<&str, Vec<usize>>,
        keys: &AnswerKeys,
        standards: &Standards,
        evaluation: &Evaluation,
    ) -> Self {
        let mut by_cell: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        let mut strategies = Vec::with_capacity(recording.groups.len());
        let mut numbers = Vec::with_capacity(recording.groups.len());
        for (index, group) in recording.groups.iter().enumerate() {
            let questions = by_name.get(group.question.as_str()).map_or(&[][..], Vec::as_slice);
            let strategy = evaluation.strategy_named(&group.strategy);
            if let Some(strategy) = strategy {
                for &question in questions {
                    by_cell.entry((strategy, question)).or_default().push(index);
                }
            }
            strategies.push(strategy);
            numbers.push(questions.first().copied());
        }
        let recording = Arc::new(recording);
        let verdicts = verdicts(&recording, &numbers, keys, standards, evaluation);
        Self {
            grades: chosen(&verdicts, GraderChoice::default()),
            verdicts: Arc::new(verdicts),
            strategy: Arc::new(strategies),
            question: Arc::new(numbers),
            by_cell: Arc::new(by_cell),
            recording,
        }
    }

    /// Groups whose question the case set does not have, or whose strategy looks misspelt: kept, graded where a key fits,
    /// and reported.
    pub(super) fn strangers(&self, evaluation: &Evaluation) -> Vec<Warning> {
        let groups = || self.recording.groups.iter();
        let unknown = groups().zip(self.question.iter()).filter(|(_, place)| place.is_none());
        let mut questions: Vec<&str> = unknown.map(|(group, _)| group.question.as_str()).collect();
        questions.sort_unstable();
        questions.dedup();
        let no_question = questions.first().map(|first| {
            let more = if questions.len() > 1 { format!(" and {} more", questions.len() - 1) } else { String::new() };
            format!("answers to a question that the case set does not have: \"{first}\"{more}")
        });
        let named = |strategy: &&Arc<dyn Strategy>| !matches!(strategy.blocks(), Blocks::Unknown);
        let known: Vec<&str> = evaluation.strategies.iter().filter(named).map(|strategy| strategy.name()).collect();
        let mut strategies: Vec<&str> = groups().map(|group| group.strategy.as_str()).collect();
        strategies.sort_unstable();
        strategies.dedup();
        let misspelt = strategies.iter().filter(|name| !known.contains(name)).filter_map(|name| {
            let near = did_you_mean(name, &known)?;
            Some(format!("answers of the strategy \"{name}\", whose blocks are not known; did you mean \"{near}\"?"))
        });
        no_question.into_iter().chain(misspelt).map(|text| InputError::plain(&self.recording.name, text)).collect()
    }
}

pub(super) fn key_for<'a>(
    keys: &'a AnswerKeys,
    evaluation: &Evaluation,
    group: &AnswerGroup,
    question: Option<usize>,
) -> Option<&'a AnswerKey> {
    question
        .and_then(|number| evaluation.question(number))
        .and_then(|(_, question)| keys.key(question))
        .or_else(|| keys.by_name(&group.question))
}

/// What the answers to a question are held against, made when the first of them is graded by it.
pub(super) type Standards = Vec<Option<Deferred<Option<Standard>>>>;

/// One for each question that has a published answer or is to be abstained from.
pub(super) fn standards(evaluation: &Evaluation) -> Standards {
    let of = |(number, (_, question)): (usize, (&Conversation, &Question))| {
        let cases = Arc::clone(&evaluation.cases);
        let asked = *evaluation.asked.get(number)?;
        let make = move || {
            let conversation = cases.conversations.get(asked.conversation)?;
            conversation.questions.get(asked.question).and_then(Standard::of)
        };
        (question.abstain || question.answer.is_some()).then(|| Deferred::new(make))
    };
    evaluation.cases.questions().enumerate().map(of).collect()
}

/// What each grader says of each answer of a recording.
fn verdicts(
    recording: &Arc<Recording>,
    numbers: &[Option<usize>],
    keys: &AnswerKeys,
    standards: &Standards,
    evaluation: &Evaluation,
) -> Vec<Vec<Verdicts>> {
    let group = |(place, (group, question)): (usize, (&AnswerGroup, &Option<usize>))| {
        let key = key_for(keys, evaluation, group, *question);
        let standard = question.and_then(|question| standards.get(question)).and_then(Option::as_ref);
        let answer = |(index, answer): (usize, &Answer)| Verdicts {
            key: key.map(|key| grade_answer(&answer.answer, key, keys.replaced.as_ref())),
            judge: judge_grade(answer),
            published: standard.map(|standard| {
                let (standard, recording) = (standard.clone(), Arc::clone(recording));
                Deferred::new(move || {
                    let answer = recording.groups.get(place).and_then(|group| group.answers.get(index));
                    let graded = answer.and_then(|answer| Some(standard.as_ref()?.grade(&answer.answer)));
                    graded.unwrap_or_else(|| Grade::without(Grader::Published))
                })
            }),
        };
        group.answers.iter().enumerate().map(answer).collect()
    };
    recording.groups.par_iter().zip(numbers).enumerate().map(group).collect()
}

pub(super) fn chosen(verdicts: &[Vec<Verdicts>], choice: GraderChoice) -> Vec<Vec<Grade>> {
    let group = |group: &Vec<Verdicts>| group.iter().map(|verdicts| verdicts.chosen(choice)).collect();
    verdicts.par_iter().map(group).collect()
}
