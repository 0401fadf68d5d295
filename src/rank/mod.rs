//! How well strategies rank: measures of each question's candidates before the facts quota cuts, and of what it leaves.
//!
//! The candidates are the records as a strategy ranks them; of a block that another system sent, its lines in their order.
//! [`Ranking`] holds, for each strategy and question, the counts at every [`Cutoff`], and the means of each [`Measure`] over
//! all questions and over each category. [`Pair`] holds one strategy against another: which questions flip, whether that may
//! be chance ([`McNemar`]) and how sure the differences of means are ([`interval`]). [`trec`] writes the rankings for other
//! programs.

mod bootstrap;
mod cutoff;
mod duplicates;
mod facts;
mod judge;
mod mcnemar;
mod measure;
mod pair;
mod run;
mod summary;
pub mod trec;
pub mod words;

use crate::case::CaseSet;
use crate::evaluate::Evaluation;

pub use bootstrap::{Interval, RESAMPLES, SEED, interval};
pub use cutoff::Cutoff;
pub use duplicates::{OVERLAP, groups};
pub use facts::{Carried, different};
pub use judge::{Counts, Item, Judge, Ranks};
pub use mcnemar::{McNemar, holm};
pub use measure::Measure;
pub use pair::{AnswerPair, Flip, Pair, Test};
pub use run::Watch;
pub use summary::{Mean, Saturation, Summary};

/// One question under one strategy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Row {
    /// Whether the strategy has a ranking for the question: another system may have sent none.
    pub known: bool,
    /// Whether the question names replaced facts.
    pub names_stale: bool,
    /// Whether the question names facts that the user asked to forget.
    pub names_forgotten: bool,
    /// The different required facts of the question.
    pub required: u32,
    /// Where the ranking has what the question needs.
    pub ranks: Ranks,
}

/// All questions under one strategy.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rows {
    /// One a question, in the order of the evaluation.
    pub(crate) rows: Vec<Row>,
    /// For each question the counts at each cutoff.
    pub(crate) counts: Vec<Counts>,
}

/// The rankings of all strategies of an evaluation, counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    cutoffs: Vec<Cutoff>,
    /// The categories of the questions, sorted; empty where no question has one.
    categories: Vec<String>,
    /// For each question the place of its category; beyond the last one where it has none.
    category_of: Vec<u32>,
    strategies: Vec<Rows>,
    /// For each strategy and cutoff the means over all questions, then over each category.
    summaries: Vec<Vec<Vec<Summary>>>,
}

/// The group of questions that have no category, where others have one.
pub const UNCATEGORISED: &str = "(no category)";

impl Ranking {
    /// Counts the rankings of an evaluation at these cutoffs, in their order.
    pub fn of(evaluation: &Evaluation, cutoffs: &[Cutoff]) -> Self {
        let watched = run::rows(evaluation, cutoffs, &|_, _| true);
        // Nobody watches, nobody stops it.
        Self::summed(evaluation, cutoffs, watched.unwrap_or_default())
    }

    /// The same, telling `watch` from time to time how many of how many questions are done. Nothing where that says to stop.
    pub fn watched(evaluation: &Evaluation, cutoffs: &[Cutoff], watch: &Watch<'_>) -> Option<Self> {
        Some(Self::summed(evaluation, cutoffs, run::rows(evaluation, cutoffs, watch)?))
    }

    fn summed(evaluation: &Evaluation, cutoffs: &[Cutoff], strategies: Vec<Rows>) -> Self {
        let (categories, category_of) = categories(&evaluation.cases);
        let mut ranking =
            Self { cutoffs: cutoffs.to_vec(), categories, category_of, strategies, summaries: Vec::new() };
        ranking.summaries = summary::of(&ranking);
        ranking
    }

    /// The cutoffs, in the order in which they were asked for.
    pub fn cutoffs(&self) -> &[Cutoff] {
        &self.cutoffs
    }

    /// The categories of the questions, sorted; empty where no question has one.
    pub fn categories(&self) -> &[String] {
        &self.categories
    }

    /// The number of strategies, as in the evaluation.
    pub fn strategy_count(&self) -> usize {
        self.strategies.len()
    }

    /// The number of questions, as in the evaluation.
    pub fn question_count(&self) -> usize {
        self.category_of.len()
    }

    /// A question under a strategy.
    pub fn row(&self, strategy: usize, question: usize) -> Option<&Row> {
        self.strategies.get(strategy)?.rows.get(question)
    }

    /// The counts of a question under a strategy at the cutoff of this place.
    pub fn counts(&self, strategy: usize, question: usize, cutoff: usize) -> Option<&Counts> {
        self.strategies.get(strategy)?.counts.get(question * self.cutoffs.len() + cutoff)
    }

    /// A measure of a question under a strategy at the cutoff of this place; none where the measure does not average over it.
    pub fn value(&self, strategy: usize, question: usize, cutoff: usize, measure: Measure) -> Option<f64> {
        let counts = self.counts(strategy, question, cutoff)?;
        measure.of(self.row(strategy, question)?, counts, *self.cutoffs.get(cutoff)?)
    }

    /// The means of a strategy at the cutoff of this place, over all questions or over those of the category of that place.
    pub fn summary(&self, strategy: usize, cutoff: usize, category: Option<usize>) -> Option<&Summary> {
        let group = category.map_or(0, |category| category + 1);
        self.summaries.get(strategy)?.get(cutoff)?.get(group)
    }

    /// Whether a question is of the category of this place.
    pub fn is_in(&self, question: usize, category: Option<usize>) -> bool {
        category.is_none_or(|category| self.category_place(question) == Some(category))
    }

    fn category_place(&self, question: usize) -> Option<usize> {
        self.category_of.get(question).and_then(|place| usize::try_from(*place).ok())
    }
}

/// The categories, sorted, and for each question the place of its own.
fn categories(cases: &CaseSet) -> (Vec<String>, Vec<u32>) {
    let of = |question: &'_ crate::case::Question| question.category.clone();
    let mut names: Vec<String> = cases.questions().filter_map(|(_, question)| of(question)).collect();
    names.sort();
    names.dedup();
    let place = |name: &Option<String>| {
        let found = name.as_ref().and_then(|name| names.binary_search(name).ok());
        u32::try_from(found.unwrap_or(names.len())).unwrap_or(u32::MAX)
    };
    let places: Vec<u32> = cases.questions().map(|(_, question)| place(&question.category)).collect();
    let none = u32::try_from(names.len()).unwrap_or(u32::MAX);
    if !names.is_empty() && places.contains(&none) {
        names.push(UNCATEGORISED.to_owned());
    }
    (names, places)
}
