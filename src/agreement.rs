//! How far graders agree with each other.

use serde::Serialize;

use crate::grade::{Grade, Grader, Verdict, Verdicts};
use crate::triage::Standing;
use crate::workspace::{AnswerRef, Workspace};

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

/// One way in which those who judge an answer disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Disagreement {
    /// One grader passes what the other fails.
    Between {
        /// Who passes it.
        passes: Grader,
        /// Who fails it.
        fails: Grader,
    },
    /// The votes of the judges are not one.
    VotesSplit,
    /// A person's decision gives the answer another verdict than the grader that counts.
    Overruled,
}

impl Disagreement {
    /// All of them, in the order of filters.
    pub const ALL: [Self; 8] = {
        let [key, judge, published] = Grader::BY_THEMSELVES;
        [
            Self::Between { passes: judge, fails: key },
            Self::Between { passes: key, fails: judge },
            Self::Between { passes: published, fails: judge },
            Self::Between { passes: judge, fails: published },
            Self::Between { passes: published, fails: key },
            Self::Between { passes: key, fails: published },
            Self::VotesSplit,
            Self::Overruled,
        ]
    };

    /// The words on screen.
    pub fn words(self) -> String {
        match self {
            Self::Between { passes, fails } => format!("{} passes, {} fails", passes.singular(), fails.singular()),
            Self::VotesSplit => "votes split".to_owned(),
            Self::Overruled => "decision overrules".to_owned(),
        }
    }

    /// Whether an answer is one of these. Without decisions none is overruled.
    pub fn holds(self, workspace: &Workspace, standing: Option<&Standing>, at: AnswerRef) -> bool {
        match self {
            Self::Between { passes, fails } => {
                workspace.verdicts(at).is_some_and(|verdicts| is_between(verdicts, passes, fails))
            }
            Self::VotesSplit => workspace
                .answer(at)
                .is_some_and(|(_, _, answer, _)| answer.judge.contains(&true) && answer.judge.contains(&false)),
            Self::Overruled => standing.is_some_and(|standing| {
                standing.has_regrades() && standing.grade(workspace, at).is_some_and(|(_, changed)| changed.is_some())
            }),
        }
    }

    /// Those that an answer is of.
    pub fn of(workspace: &Workspace, standing: Option<&Standing>, at: AnswerRef) -> Vec<Self> {
        Self::ALL.into_iter().filter(|found| found.holds(workspace, standing, at)).collect()
    }
}

fn is_between(verdicts: &Verdicts, passes: Grader, fails: Grader) -> bool {
    let says = |grader| verdicts.by(grader).map(|grade| grade.verdict);
    says(passes) == Some(Verdict::Pass) && says(fails) == Some(Verdict::Fail)
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
