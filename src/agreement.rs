//! How far graders agree with each other.

use serde::Serialize;

use crate::grade::{Grade, Grader, Verdict};
use crate::workspace::Workspace;

/// Two graders on the answers that both judge. Where one says "incomplete" there is nothing to agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// One of them.
    pub first: Grader,
    /// The other.
    pub second: Grader,
    /// Answers that both pass.
    pub both_pass: usize,
    /// Answers that both fail.
    pub both_fail: usize,
    /// Answers that the first alone passes.
    pub first_alone: usize,
    /// Answers that the second alone passes.
    pub second_alone: usize,
}

impl Agreement {
    /// Two graders over all answers of a workspace that its totals count.
    pub fn between(workspace: &Workspace, first: Grader, second: Grader) -> Self {
        let mut found = Self { first, second, both_pass: 0, both_fail: 0, first_alone: 0, second_alone: 0 };
        let passes = |grade: &Grade| match grade.verdict {
            Verdict::Pass => Some(true),
            Verdict::Fail => Some(false),
            Verdict::Incomplete => None,
        };
        for graded in &workspace.recordings {
            for (verdicts, question) in graded.verdicts.iter().zip(graded.question.iter()) {
                if !workspace.counts(*question) {
                    continue;
                }
                for verdicts in verdicts {
                    let says = |grader| verdicts.by(grader).and_then(passes);
                    match (says(first), says(second)) {
                        (Some(true), Some(true)) => found.both_pass += 1,
                        (Some(false), Some(false)) => found.both_fail += 1,
                        (Some(true), Some(false)) => found.first_alone += 1,
                        (Some(false), Some(true)) => found.second_alone += 1,
                        _ => {}
                    }
                }
            }
        }
        found
    }

    /// Every pair of graders that both judge an answer.
    pub fn pairs(workspace: &Workspace) -> Vec<Self> {
        let [key, judge, published] = Grader::BY_THEMSELVES;
        let pairs = [(key, judge), (key, published), (judge, published)];
        let found = pairs.into_iter().map(|(first, second)| Self::between(workspace, first, second));
        found.filter(|pair| pair.both() > 0).collect()
    }

    /// Answers that both judge.
    pub fn both(&self) -> usize {
        self.agree() + self.disagree()
    }

    /// Answers on which they say the same.
    pub fn agree(&self) -> usize {
        self.both_pass + self.both_fail
    }

    /// Answers on which they do not.
    pub fn disagree(&self) -> usize {
        self.first_alone + self.second_alone
    }

    /// The share of answers on which they agree; none where there are none.
    pub fn rate(&self) -> Option<f64> {
        (self.both() > 0).then(|| self.agree() as f64 / self.both() as f64)
    }

    /// Cohen's kappa (Cohen 1960): how much of the agreement is more than chance, from 1 (all) over 0 (none) to below; none
    /// where chance alone would agree on everything.
    pub fn kappa(&self) -> Option<f64> {
        let all = self.both() as f64;
        let share = |passed: usize| passed as f64 / all;
        let (first, second) = (share(self.both_pass + self.first_alone), share(self.both_pass + self.second_alone));
        let chance = first * second + (1.0 - first) * (1.0 - second);
        let rate = self.rate()?;
        (chance < 1.0).then(|| (rate - chance) / (1.0 - chance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_as_published() {
        let pair = |both_pass, first_alone, second_alone, both_fail| Agreement {
            first: Grader::Key,
            second: Grader::Judge,
            both_pass,
            both_fail,
            first_alone,
            second_alone,
        };
        // The example that textbooks give: 20, 5, 10, 15 of 50.
        let found = pair(20, 5, 10, 15);
        assert_eq!((found.both(), found.agree(), found.disagree()), (50, 35, 15));
        assert!((found.kappa().unwrap() - 0.4).abs() < 1e-12);
        assert_eq!(pair(10, 0, 0, 0).kappa(), None, "chance agrees on everything");
        assert_eq!(pair(0, 0, 0, 0).rate(), None);
    }
}
