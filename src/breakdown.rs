//! Totals by category, and of the questions to abstain from.

use std::collections::HashMap;

use serde::Serialize;

use crate::grade::BlockSummary;
use crate::workspace::{Tally, Workspace};

/// One strategy's answers and blocks on the questions of one category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryScore {
    /// The strategy's place in the evaluation.
    #[serde(skip)]
    pub strategy: usize,
    /// The category; none for questions without one.
    pub category: Option<String>,
    /// Answers, by the grader that counts.
    #[serde(skip)]
    pub answers: Tally,
    /// Blocks.
    #[serde(flatten)]
    pub blocks: BlockSummary,
}

/// The categories of a case set, in the order of their first question; `None` where a question has none.
pub fn categories(workspace: &Workspace) -> Vec<Option<&str>> {
    let mut found: Vec<Option<&str>> = Vec::new();
    let mut last = None;
    for (_, question) in workspace.evaluation.cases.questions() {
        let category = question.category.as_deref();
        // Questions of one category often stand together.
        if last != Some(category) && !found.contains(&category) {
            found.push(category);
        }
        last = Some(category);
    }
    found
}

/// Every strategy on every category, strategy by strategy. Questions that totals leave out are left out here too, with their
/// blocks.
pub fn by_category(workspace: &Workspace) -> Vec<CategoryScore> {
    let categories = categories(workspace);
    let places: HashMap<Option<&str>, usize> =
        categories.iter().enumerate().map(|(place, category)| (*category, place)).collect();
    let evaluation = &workspace.evaluation;
    let questions: Vec<Option<usize>> = evaluation
        .cases
        .questions()
        .enumerate()
        .map(|(number, (_, question))| {
            places.get(&question.category.as_deref()).copied().filter(|_| workspace.counts(Some(number)))
        })
        .collect();
    let mut scores = Vec::new();
    for strategy in 0..evaluation.strategies.len() {
        let mut answers = vec![Tally::default(); categories.len()];
        let mut blocks: Vec<Vec<&crate::grade::Block>> = vec![Vec::new(); categories.len()];
        for (number, category) in questions.iter().enumerate() {
            let Some(category) = *category else { continue };
            if let Some(tally) = answers.get_mut(category) {
                tally.merge(workspace.cell_tally(strategy, number));
            }
            if let (Some(blocks), Some(block)) = (blocks.get_mut(category), evaluation.block(strategy, number)) {
                blocks.push(block);
            }
        }
        let all = categories.iter().zip(answers).zip(blocks);
        scores.extend(all.map(|((category, answers), blocks)| CategoryScore {
            strategy,
            category: category.map(str::to_owned),
            answers,
            blocks: BlockSummary::of(blocks),
        }));
    }
    scores
}
