//! One strategy against another, question by question.

use serde::Serialize;

use super::{Cutoff, Interval, McNemar, Measure, Ranking, interval};
use crate::workspace::Workspace;

/// What a question passes or fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Test {
    /// A required fact stands before the cutoff.
    Any,
    /// All required facts stand before the cutoff.
    All,
}

impl Test {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Any, Self::All];

    /// The measure that is 1 where the question passes.
    pub fn measure(self) -> Measure {
        match self {
            Self::Any => Measure::Any,
            Self::All => Measure::All,
        }
    }
}

/// A question that one of two strategies passes and the other one does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flip {
    /// The question's number.
    pub question: usize,
    /// Whether the selected strategy is the one that passes.
    pub gained: bool,
    /// The rank that decides, under the selected strategy: of the first required fact, or for [`Test::All`] of the last one
    /// to come. Nothing where it is not ranked.
    pub selected: Option<usize>,
    /// The same under the baseline.
    pub baseline: Option<usize>,
}

/// Two strategies at one cutoff, over the questions with required facts that both have a ranking for.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    ranking: &'a Ranking,
    selected: usize,
    baseline: usize,
    /// Place of the cutoff.
    cutoff: usize,
    category: Option<usize>,
}

impl<'a> Pair<'a> {
    /// The strategy at `selected` against the one at `baseline`, at the cutoff of a place, over all questions or those of the
    /// category of a place.
    pub fn new(ranking: &'a Ranking, selected: usize, baseline: usize, cutoff: usize, category: Option<usize>) -> Self {
        Self { ranking, selected, baseline, cutoff, category }
    }

    /// Both values of a measure for each question that has both, in the order of the questions.
    pub fn values(&self, measure: Measure) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        let questions = 0..self.ranking.question_count();
        questions.filter(|question| self.ranking.is_in(*question, self.category)).filter_map(move |question| {
            let value = |strategy| self.ranking.value(strategy, question, self.cutoff, measure);
            Some((question, value(self.selected)?, value(self.baseline)?))
        })
    }

    /// The mean difference of a measure with its interval; nothing where no question has both values.
    pub fn difference(&self, measure: Measure, seed: u64) -> Option<Interval> {
        let differences: Vec<f64> = self.values(measure).map(|(_, selected, baseline)| selected - baseline).collect();
        interval(&differences, seed)
    }

    /// The exact test of pass and fail.
    pub fn test(&self, test: Test) -> McNemar {
        let (mut gained, mut lost) = (0, 0);
        for (_, selected, baseline) in self.values(test.measure()) {
            gained += usize::from(selected > baseline);
            lost += usize::from(selected < baseline);
        }
        McNemar::of(gained, lost)
    }

    /// The questions that flip, in their order.
    pub fn flips(&self, test: Test) -> Vec<Flip> {
        self.values(test.measure())
            .filter(|(_, selected, baseline)| selected != baseline)
            .map(|(question, selected, baseline)| Flip {
                question,
                gained: selected > baseline,
                selected: self.rank(self.selected, question, test),
                baseline: self.rank(self.baseline, question, test),
            })
            .collect()
    }

    fn rank(&self, strategy: usize, question: usize, test: Test) -> Option<usize> {
        let ranks = self.ranking.row(strategy, question)?.ranks;
        // Within the quota too this is the rank among all candidates: what to look at to see why it was cut.
        let rank = match test {
            Test::Any => ranks.first,
            Test::All => ranks.complete,
        };
        usize::try_from(rank).ok().filter(|rank| *rank > 0)
    }

    /// The cutoff.
    pub fn cutoff(&self) -> Cutoff {
        self.ranking.cutoffs().get(self.cutoff).copied().unwrap_or(Cutoff::Whole)
    }
}

/// The recorded answers of two strategies, question by question.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerPair {
    /// Questions that pass: more than half of their answers pass by their key.
    pub test: McNemar,
    /// The difference of the shares of answers that pass.
    pub difference: Interval,
}

impl AnswerPair {
    /// Over the questions that are answered under both; nothing where there are none. Answers that cannot be graded take no
    /// part.
    pub fn of(workspace: &Workspace, selected: usize, baseline: usize, seed: u64) -> Option<Self> {
        let share = |strategy: usize, question: usize| {
            let tally = workspace.cell_tally(strategy, question);
            let graded = tally.pass + tally.fail;
            (graded > 0).then(|| tally.pass as f64 / graded as f64)
        };
        let (mut gained, mut lost, mut differences) = (0, 0, Vec::new());
        for question in 0..workspace.evaluation.question_count() {
            let (Some(own), Some(base)) = (share(selected, question), share(baseline, question)) else { continue };
            let passes = |share: f64| share > 0.5;
            gained += usize::from(passes(own) && !passes(base));
            lost += usize::from(!passes(own) && passes(base));
            differences.push(own - base);
        }
        Some(Self { test: McNemar::of(gained, lost), difference: interval(&differences, seed)? })
    }
}
