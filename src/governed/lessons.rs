//! Lessons: what a failed case teaches becomes a standing rule only if cases that were held out confirm it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// A case: its keywords, and the route that is right for it. Files write it `[[keywords], route]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "(BTreeSet<String>, String)")]
pub struct Case {
    /// The keywords.
    pub keywords: BTreeSet<String>,
    /// The right route.
    pub route: String,
}

impl From<(BTreeSet<String>, String)> for Case {
    fn from((keywords, route): (BTreeSet<String>, String)) -> Self {
        Self { keywords, route }
    }
}

/// A rule: cases with all of these keywords take this route.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lesson {
    /// The keywords.
    pub keywords: BTreeSet<String>,
    /// The route.
    pub route: String,
}

impl Lesson {
    /// Whether it fires for a case. A lesson without a keyword would fire for all, so it fires for none.
    pub fn fires(&self, keywords: &BTreeSet<String>) -> bool {
        !self.keywords.is_empty() && self.keywords.is_subset(keywords)
    }
}

/// The base rules with the lessons on top of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// A keyword and its route; the first that the case has wins.
    pub base: Vec<(String, String)>,
    /// The route of a case without any.
    pub otherwise: String,
    /// The lessons, in the order of their promotion.
    pub lessons: Vec<Lesson>,
}

impl Policy {
    /// The lesson that decides a case: the most specific one, and of equals the first promoted.
    pub fn deciding(&self, keywords: &BTreeSet<String>) -> Option<&Lesson> {
        let mut best: Option<&Lesson> = None;
        for lesson in self.lessons.iter().filter(|lesson| lesson.fires(keywords)) {
            if best.is_none_or(|best| lesson.keywords.len() > best.keywords.len()) {
                best = Some(lesson);
            }
        }
        best
    }

    /// The route of a case.
    pub fn route(&self, keywords: &BTreeSet<String>) -> &str {
        if let Some(lesson) = self.deciding(keywords) {
            return &lesson.route;
        }
        let base = self.base.iter().find(|(keyword, _)| keywords.contains(keyword));
        base.map_or(&self.otherwise, |(_, route)| route)
    }

    /// Takes a lesson back. Returns whether it was there.
    pub fn roll_back(&mut self, lesson: &Lesson) -> bool {
        let before = self.lessons.len();
        self.lessons.retain(|known| known != lesson);
        self.lessons.len() < before
    }

    fn with(&self, lesson: &Lesson) -> Self {
        let mut trial = self.clone();
        trial.lessons.push(lesson.clone());
        trial
    }

    fn solves(&self, case: &Case) -> bool {
        self.route(&case.keywords) == case.route
    }
}

/// What lessons are learned from and held against.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Curriculum {
    /// The cases of each pass, in order.
    pub train: Vec<Case>,
    /// Cases that no lesson was made from.
    pub held_out: Vec<Case>,
    /// Cases that a lesson must not misroute.
    pub negatives: Vec<Case>,
    /// Cases that must stay solved, if such a set is kept.
    pub regression: Option<Vec<Case>>,
    /// How many held-out cases with distinct keywords must match; at least one.
    pub support: usize,
}

/// How a lesson stands the test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trial {
    /// Held-out cases in which it fires.
    pub matching: usize,
    /// How many of them are routed rightly with it.
    pub fixed: usize,
    /// How many distinct keyword sets they have.
    pub distinct: usize,
    /// Negatives that it misroutes.
    pub misfires: usize,
    /// Regression cases that were solved and are not with it; `None` without such a set.
    pub broken: Option<usize>,
    /// How many distinct keyword sets are needed.
    pub support: usize,
}

impl Trial {
    /// Whether the lesson is promoted.
    pub fn promotes(&self) -> bool {
        let held = self.matching > 0 && self.fixed == self.matching && self.distinct >= self.support;
        held && self.misfires == 0 && self.broken.is_none_or(|broken| broken == 0)
    }
}

impl std::fmt::Display for Trial {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { fixed, matching, misfires, .. } = self;
        write!(formatter, "held-out {fixed}/{matching} fixed, {misfires} negative misfire")?;
        self.broken.map_or(Ok(()), |broken| write!(formatter, ", {broken} solved case broken"))
    }
}

impl Curriculum {
    /// Holds a lesson against the held-out cases, the negatives and the regression set, on top of a policy.
    pub fn trial(&self, policy: &Policy, lesson: &Lesson) -> Trial {
        let with = policy.with(lesson);
        let matching: Vec<&Case> = self.held_out.iter().filter(|case| lesson.fires(&case.keywords)).collect();
        let misfires = |case: &&Case| with.deciding(&case.keywords) == Some(lesson) && !with.solves(case);
        Trial {
            matching: matching.len(),
            fixed: matching.iter().filter(|case| with.solves(case)).count(),
            distinct: matching.iter().map(|case| &case.keywords).collect::<BTreeSet<_>>().len(),
            misfires: self.negatives.iter().filter(misfires).count(),
            broken: self
                .regression
                .as_ref()
                .map(|cases| cases.iter().filter(|case| policy.solves(case) && !with.solves(case)).count()),
            support: self.support,
        }
    }

    /// Runs passes over the training cases. A failed case proposes its lesson; at most one is promoted in a pass, and it counts
    /// from the next case on.
    pub fn run(&self, mut policy: Policy, episodes: usize) -> Run {
        let (mut curve, mut log) = (Vec::new(), Vec::new());
        for episode in 0..episodes {
            let (mut right, mut promoted) = (0_usize, false);
            for case in &self.train {
                if policy.solves(case) {
                    right += 1;
                    continue;
                }
                if promoted {
                    continue;
                }
                let lesson = Lesson { keywords: case.keywords.clone(), route: case.route.clone() };
                let trial = self.trial(&policy, &lesson);
                promoted = trial.promotes();
                if promoted {
                    policy.lessons.push(lesson.clone());
                }
                log.push(Attempt { episode, lesson, promoted, trial });
            }
            curve.push(if self.train.is_empty() { 0.0 } else { right as f64 / self.train.len() as f64 });
        }
        Run { policy, curve, log }
    }
}

/// A lesson's attempt to be promoted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attempt {
    /// The pass, from 0.
    pub episode: usize,
    /// The lesson.
    pub lesson: Lesson,
    /// Whether it was promoted; else it was blocked.
    pub promoted: bool,
    /// Why.
    pub trial: Trial,
}

/// What a run of passes came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The policy at the end.
    pub policy: Policy,
    /// The share of training cases that were routed rightly, of each pass and while it ran.
    pub curve: Vec<f64>,
    /// Every attempt.
    pub log: Vec<Attempt>,
}
