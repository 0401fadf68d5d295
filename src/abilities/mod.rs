//! Which abilities each memory has: the probes of a suite, put to the three systems of the comparison and to built-in
//! strategies, under one token budget a question.

mod strategies;

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::governed::{Ability, Compared, Comparison, GovernedError, Probe, SliceScore, Suite, System, compare};
use crate::memory::StoreError;

/// A suite's probes and what everybody made of them under one budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The suite's name.
    pub suite: String,
    /// What was told and asked, and under which budget.
    pub comparison: Comparison,
    /// The three systems, then the strategies.
    pub tried: Vec<Tried>,
}

/// What one system or strategy made of the probes.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// Its name; one trial has each once.
    pub name: String,
    /// Whether it is a strategy, whose answer is the value on the best line of its block.
    pub is_strategy: bool,
    /// Each ability that the suite has probes of.
    pub slices: BTreeMap<Ability, Slice>,
    /// What it answered to each probe, in the order of the probes.
    pub answers: Vec<Answered>,
    /// Answers that are another owner's fact and none of the asker's.
    pub foreign_answers: usize,
}

/// An ability of one system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Slice {
    /// Its probes were asked.
    Scored(SliceScore),
    /// They were not, since the question makes no sense there; why.
    Apart(&'static str),
}

impl Slice {
    /// The score, where its probes were asked.
    pub fn score(self) -> Option<SliceScore> {
        match self {
            Self::Scored(score) => Some(score),
            Self::Apart(_) => None,
        }
    }

    /// Whether it may ship: its score reaches the floor; none where it was not asked.
    pub fn ships(self) -> Option<bool> {
        self.score().map(SliceScore::ships)
    }
}

/// What came of one probe.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Answered {
    /// It was asked.
    Asked {
        /// The answer; none is to abstain.
        answer: Option<String>,
        /// Tokens of question and memory together, as runs of `[a-z0-9]`.
        tokens: usize,
        /// Whether it is the expected one.
        right: bool,
    },
    /// It was not.
    NotAsked {
        /// Why.
        reason: &'static str,
    },
}

impl Answered {
    /// The answer in words: the value, `no answer`, or a dash where it was not asked.
    pub fn words(&self) -> &str {
        match self {
            Self::Asked { answer, .. } => answer_words(answer.as_deref()),
            Self::NotAsked { .. } => NOT_ASKED,
        }
    }

    fn tokens(&self) -> Option<usize> {
        match self {
            Self::Asked { tokens, .. } => Some(*tokens),
            Self::NotAsked { .. } => None,
        }
    }
}

/// What stands where nothing was asked.
pub const NOT_ASKED: &str = "\u{2013}";

/// An answer or an expected answer in words.
pub fn answer_words(answer: Option<&str>) -> &str {
    answer.unwrap_or("no answer")
}

impl Serialize for Slice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown {
            #[serde(skip_serializing_if = "Option::is_none")]
            score: Option<f64>,
            right: usize,
            of: usize,
            floor: Option<f64>,
            ships: Option<bool>,
            #[serde(skip_serializing_if = "Option::is_none")]
            not_asked: Option<&'static str>,
        }
        let shown = match self {
            Self::Scored(slice) => Shown {
                score: Some(slice.score()),
                right: slice.right,
                of: slice.of,
                floor: slice.floor,
                ships: Some(slice.ships()),
                not_asked: None,
            },
            Self::Apart(reason) => {
                Shown { score: None, right: 0, of: 0, floor: None, ships: None, not_asked: Some(reason) }
            }
        };
        shown.serialize(serializer)
    }
}

/// Why the probes could not be put.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The governed store's database refused.
    #[error(transparent)]
    Governed(#[from] GovernedError),
    /// A strategy's store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Trial {
    /// Puts a suite's probes to everybody under a budget of tokens a question.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn run(suite: &Suite, budget: usize) -> Result<Self, TrialError> {
        let comparison = suite.at(budget);
        let mut tried = Vec::new();
        for system in System::ALL {
            let compared = compare(&comparison, system)?;
            tried.push(Tried::of_system(&comparison, compared));
        }
        tried.extend(strategies::all(&comparison)?);
        Ok(Self { suite: suite.name.clone(), comparison, tried })
    }

    /// The governed store's row.
    pub fn governed(&self) -> Option<&Tried> {
        self.tried.iter().find(|tried| !tried.is_strategy && tried.name == System::Governed.name())
    }

    /// The abilities in which the governed store may not ship.
    pub fn failing(&self) -> Vec<(Ability, SliceScore)> {
        let slices = self.governed().into_iter().flat_map(|tried| &tried.slices);
        let scored = slices.filter_map(|(ability, slice)| Some((*ability, slice.score()?)));
        scored.filter(|(_, score)| !score.ships()).collect()
    }

    /// The places of an ability's probes.
    pub fn probes_of(&self, ability: Ability) -> impl Iterator<Item = (usize, &Probe)> {
        self.comparison.probes.iter().enumerate().filter(move |(_, probe)| probe.ability == ability)
    }
}

impl Tried {
    fn of_system(comparison: &Comparison, compared: Compared) -> Self {
        let pairs = compared.answers.into_iter().zip(compared.tokens).zip(&comparison.probes);
        let answers =
            pairs.map(|((answer, tokens), probe)| Answered::Asked { right: answer == probe.expected, answer, tokens });
        Self::of(compared.system.name().to_owned(), false, comparison, answers.collect())
    }

    /// Counts the answers, which stand in the order of the probes.
    fn of(name: String, is_strategy: bool, comparison: &Comparison, answers: Vec<Answered>) -> Self {
        let mut slices: BTreeMap<Ability, Slice> = BTreeMap::new();
        let mut foreign_answers = 0;
        for (probe, answered) in comparison.probes.iter().zip(&answers) {
            match answered {
                Answered::NotAsked { reason } => {
                    slices.entry(probe.ability).or_insert(Slice::Apart(reason));
                }
                Answered::Asked { answer, right, .. } => {
                    let floor = comparison.floors.get(&probe.ability).copied();
                    let none = Slice::Scored(SliceScore { right: 0, of: 0, floor });
                    if let Slice::Scored(score) = slices.entry(probe.ability).or_insert(none) {
                        score.of += 1;
                        score.right += usize::from(*right);
                    }
                    let foreign = crate::governed::foreign(&comparison.facts, probe, answer.as_deref());
                    foreign_answers += usize::from(foreign);
                }
            }
        }
        Self { name, is_strategy, slices, answers, foreign_answers }
    }

    /// The share of right answers over all probes that were asked, which hides which abilities fail; none where none was.
    pub fn average(&self) -> Option<f64> {
        let scores = self.slices.values().filter_map(|slice| slice.score());
        let (right, of) = scores.fold((0, 0), |(right, of), score| (right + score.right, of + score.of));
        (of > 0).then(|| right as f64 / of as f64)
    }

    /// The mean number of tokens of a query that was asked; none where none was.
    pub fn tokens_per_query(&self) -> Option<f64> {
        let tokens: Vec<usize> = self.answers.iter().filter_map(Answered::tokens).collect();
        (!tokens.is_empty()).then(|| tokens.iter().sum::<usize>() as f64 / tokens.len() as f64)
    }

    /// The largest number of tokens of a query.
    pub fn most_tokens(&self) -> usize {
        self.answers.iter().filter_map(Answered::tokens).max().unwrap_or(0)
    }

    /// Why some abilities were not asked of it, each reason once.
    pub fn apart(&self) -> Vec<(Ability, &'static str)> {
        let apart = |(ability, slice): (&Ability, &Slice)| match slice {
            Slice::Apart(reason) => Some((*ability, *reason)),
            Slice::Scored(_) => None,
        };
        self.slices.iter().filter_map(apart).collect()
    }
}
