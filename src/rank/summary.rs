//! Means over questions.

use rayon::prelude::*;

use super::{Cutoff, Measure, Ranking};

/// The mean of a measure, and over how many questions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Mean {
    /// The mean over the questions, each counting the same; none where there are none.
    pub value: Option<f64>,
    /// The number of questions that it averages over.
    pub questions: usize,
}

/// How many questions have no more candidates than the cutoff takes: of those the measures say nothing about the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saturation {
    /// Fewer than half.
    Few,
    /// At least half.
    Most,
    /// All.
    All,
}

impl Saturation {
    /// The word in files; none where few are.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Few => None,
            Self::Most => Some("most"),
            Self::All => Some("all"),
        }
    }
}

/// The means of one strategy at one cutoff over a group of questions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// One a measure, in the order of [`Measure::ALL`].
    means: [Mean; Measure::ALL.len()],
    /// Questions of the group for which the strategy has a ranking.
    pub ranked: usize,
    /// Questions of the group for which it has none.
    pub unranked: usize,
    /// Ranked questions without required facts, such as those to abstain from: recall and its kin leave them out.
    pub without_required: usize,
    /// Questions with required facts whose candidates all stand before the cutoff.
    pub saturated: usize,
    /// Candidates of the questions with required facts, all together.
    pub candidates: usize,
}

impl Summary {
    /// The mean of a measure.
    pub fn mean(&self, measure: Measure) -> Mean {
        let place = Measure::ALL.iter().position(|other| *other == measure);
        place.and_then(|place| self.means.get(place)).copied().unwrap_or_default()
    }

    /// Questions with required facts that have a ranking.
    pub fn measured(&self) -> usize {
        self.ranked - self.without_required
    }

    /// Whether the cutoff takes all candidates of most questions with required facts.
    pub fn saturation(&self) -> Saturation {
        match self.measured() {
            0 => Saturation::Few,
            measured if self.saturated == measured => Saturation::All,
            measured if self.saturated * 2 >= measured => Saturation::Most,
            _ => Saturation::Few,
        }
    }
}

/// A group's sums.
#[derive(Clone, Default)]
struct Sums {
    sums: [f64; Measure::ALL.len()],
    summary: Summary,
}

/// For each strategy and cutoff the means over all questions, then over each category.
pub(super) fn of(ranking: &Ranking) -> Vec<Vec<Vec<Summary>>> {
    let strategies = 0..ranking.strategy_count();
    strategies
        .into_par_iter()
        .map(|strategy| {
            let cutoffs: Vec<_> = ranking.cutoffs().iter().copied().enumerate().collect();
            cutoffs.into_par_iter().map(|cutoff| groups(ranking, strategy, cutoff)).collect()
        })
        .collect()
}

/// The sums go through the questions in their order, so that they come out the same to the last bit.
fn groups(ranking: &Ranking, strategy: usize, (place, cutoff): (usize, Cutoff)) -> Vec<Summary> {
    let mut groups = vec![Sums::default(); ranking.categories().len() + 1];
    for question in 0..ranking.question_count() {
        let own = ranking.category_place(question).map_or(usize::MAX, |category| category + 1);
        for group in [0, own] {
            if let Some(sums) = groups.get_mut(group) {
                sums.add(ranking, strategy, question, (place, cutoff));
            }
        }
    }
    groups.into_iter().map(Sums::means).collect()
}

impl Sums {
    fn add(&mut self, ranking: &Ranking, strategy: usize, question: usize, (place, cutoff): (usize, Cutoff)) {
        let row = ranking.row(strategy, question).copied().unwrap_or_default();
        let Some(counts) = ranking.counts(strategy, question, place).filter(|_| row.known) else {
            self.summary.unranked += 1;
            return;
        };
        self.summary.ranked += 1;
        if row.required == 0 {
            self.summary.without_required += 1;
        } else {
            self.summary.saturated += usize::from(counts.filled == row.ranks.candidates);
            self.summary.candidates += usize::try_from(row.ranks.candidates).unwrap_or(usize::MAX);
        }
        for ((measure, sum), mean) in Measure::ALL.iter().zip(&mut self.sums).zip(&mut self.summary.means) {
            if let Some(value) = measure.of(&row, counts, cutoff) {
                *sum += value;
                mean.questions += 1;
            }
        }
    }

    fn means(self) -> Summary {
        let mut summary = self.summary;
        for (sum, mean) in self.sums.iter().zip(&mut summary.means) {
            mean.value = (mean.questions > 0).then(|| sum / mean.questions as f64);
        }
        summary
    }
}
