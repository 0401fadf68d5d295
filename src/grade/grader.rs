//! Who may say whether an answer is right, and which of them counts.
//!
//! Each answer is judged by everybody who can: its answer key, the judges of its recording, and the rules that hold it against
//! the published answer. All of their grades are kept side by side in its [`Verdicts`]. The one that counts in every total is
//! that of the chosen grader; a person's decisions go on top of it.

use crate::deferred::Deferred;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Grade, Verdict};

/// Who gave a grade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grader {
    /// The patterns of the question's answer key.
    Key,
    /// The judges whose votes or score the recording holds.
    Judge,
    /// Rules that hold the answer against the published one.
    Published,
    /// A person's decision.
    Decision,
}

impl Grader {
    /// Those that grade by themselves, in the order in which the first that can counts.
    pub const BY_THEMSELVES: [Self; 3] = [Self::Key, Self::Judge, Self::Published];

    /// The word on screen, as the answer to "by whom?".
    pub fn name(self) -> &'static str {
        match self {
            Self::Key => "keys",
            Self::Judge => "judges",
            Self::Published => "published",
            Self::Decision => "decisions",
        }
    }

    /// One of them, such as `judge passes`.
    pub fn singular(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Judge => "judge",
            Self::Published => "published",
            Self::Decision => "decision",
        }
    }
}

impl fmt::Display for Grader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whose grades count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum GraderChoice {
    /// Of each answer the first that can grade it: key, then judges, then published answer.
    #[default]
    Auto,
    /// Answer keys alone.
    Key,
    /// Recorded judges alone.
    #[value(alias = "judges")]
    Judge,
    /// Published answers alone.
    Published,
}

impl GraderChoice {
    /// The one grader that counts, where it is not left to each answer.
    pub fn only(self) -> Option<Grader> {
        match self {
            Self::Auto => None,
            Self::Key => Some(Grader::Key),
            Self::Judge => Some(Grader::Judge),
            Self::Published => Some(Grader::Published),
        }
    }

    /// The choice of one grader; none for decisions, which go on top of every other.
    pub fn of(grader: Grader) -> Option<Self> {
        match grader {
            Grader::Key => Some(Self::Key),
            Grader::Judge => Some(Self::Judge),
            Grader::Published => Some(Self::Published),
            Grader::Decision => None,
        }
    }
}

/// Whether questions to abstain from are among those that pass rates count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Abstention {
    /// They count like all others.
    #[default]
    In,
    /// They are left out.
    Out,
    /// They alone count.
    Only,
}

impl Abstention {
    /// Whether a question counts.
    pub fn counts(self, abstain: bool) -> bool {
        match self {
            Self::In => true,
            Self::Out => !abstain,
            Self::Only => abstain,
        }
    }

    /// The next setting of the switch.
    pub fn next(self) -> Self {
        match self {
            Self::In => Self::Out,
            Self::Out => Self::Only,
            Self::Only => Self::In,
        }
    }

    /// The words in titles; nothing where nothing is left out.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Self::In => None,
            Self::Out => Some("abstention out"),
            Self::Only => Some("abstention only"),
        }
    }
}

/// What totals count: whose grades, and of which questions.
///
/// Questions to abstain from count unless they are switched off: nothing is left out that nobody asked to leave out. LoCoMo's
/// customary scores leave its category 5 out, and so do its published answer sets: they do not answer it, and a rate counts
/// answers. LongMemEval's customary scores count its `_abs` questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Counting {
    /// Whose grades.
    pub grader: GraderChoice,
    /// Whether those of questions to abstain from.
    pub abstention: Abstention,
}

/// The grades of one answer, side by side; nothing by a grader that has nothing to grade it by.
#[derive(Debug, Clone, Default)]
pub struct Verdicts {
    /// By the answer key.
    pub key: Option<Grade>,
    /// By the recorded judges.
    pub judge: Option<Grade>,
    /// By the published answer, worked out when first asked for: its rules take as long as everything else that is done with an
    /// answer, and where judges have graded it, nobody may ask.
    pub published: Option<Deferred<Grade>>,
}

impl Verdicts {
    /// The grade by one grader.
    pub fn by(&self, grader: Grader) -> Option<&Grade> {
        match grader {
            Grader::Key => self.key.as_ref(),
            Grader::Judge => self.judge.as_ref(),
            Grader::Published => self.published.as_deref(),
            Grader::Decision => None,
        }
    }

    /// Whether a grader has graded the answer, without working its grade out.
    pub fn has(&self, grader: Grader) -> bool {
        match grader {
            Grader::Key => self.key.is_some(),
            Grader::Judge => self.judge.is_some(),
            Grader::Published => self.published.is_some(),
            Grader::Decision => false,
        }
    }

    /// Every grade, in the order of [`Grader::BY_THEMSELVES`].
    pub fn all(&self) -> impl Iterator<Item = &Grade> {
        Grader::BY_THEMSELVES.into_iter().filter_map(|grader| self.by(grader))
    }

    /// The grade that counts.
    pub fn chosen(&self, choice: GraderChoice) -> Grade {
        let found = match choice.only() {
            Some(grader) => self.by(grader),
            None => self.all().next(),
        };
        found.cloned().unwrap_or_else(|| Grade::without(choice.only().unwrap_or(Grader::Key)))
    }

    /// Whether one grader passes what another fails. Who says "incomplete" says neither.
    pub fn disagree(&self) -> bool {
        let says = |verdict| self.all().any(|grade| grade.verdict == verdict);
        says(Verdict::Pass) && says(Verdict::Fail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts() -> Verdicts {
        let grade = |grader, verdict| Some(Grade::new(grader, verdict, "because"));
        Verdicts {
            key: None,
            judge: grade(Grader::Judge, Verdict::Pass),
            published: grade(Grader::Published, Verdict::Fail).map(|grade| Deferred::new(move || grade)),
        }
    }

    #[test]
    fn the_first_that_can_grade_counts() {
        assert_eq!(verdicts().chosen(GraderChoice::Auto).grader, Grader::Judge);
        assert_eq!(verdicts().chosen(GraderChoice::Published).verdict, Verdict::Fail);
        let by_key = verdicts().chosen(GraderChoice::Key);
        assert_eq!((by_key.verdict, by_key.reason.as_str()), (Verdict::Incomplete, "no answer key"));
        assert_eq!(Verdicts::default().chosen(GraderChoice::Auto).reason, "no answer key");
    }

    #[test]
    fn an_incomplete_grade_disagrees_with_nobody() {
        assert!(verdicts().disagree());
        let unsure = Some(Deferred::new(|| Grade::new(Grader::Published, Verdict::Incomplete, "too free")));
        assert!(!Verdicts { published: unsure, ..verdicts() }.disagree());
    }

    #[test]
    fn the_switch_goes_around() {
        let all = [Abstention::In, Abstention::Out, Abstention::Only];
        assert_eq!(all.map(Abstention::next), [Abstention::Out, Abstention::Only, Abstention::In]);
        assert_eq!(
            all.map(|switch| (switch.counts(true), switch.counts(false))),
            [(true, true), (false, true), (true, false)]
        );
    }
}
