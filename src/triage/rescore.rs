//! Three totals side by side: as recorded, with corrected keys, and without what is disputed.
//!
//! * **as recorded**: every answer by the historical key, every block.
//! * **corrected**: every answer by its key as corrected, or by the decision about the answer itself. A decision that finds a
//!   fault and proposes no pattern changes nothing here: nobody said what would be right.
//! * **undisputed**: without the questions whose key, premise or facts a decision finds fault with (corrected or not), without
//!   those on which decisions disagree, and without the single answers whose grade a decision overturned or whose decisions
//!   disagree. What is left is graded as recorded, and nobody disputes it.

use serde::Serialize;

use crate::grade::{BlockSummary, Grade, Grader, Verdict, rounded};
use crate::workspace::{AnswerRef, Tally, Workspace};

use super::decision::{Decision, DecisionVerdict};
use super::standing::Standing;

/// The 97.5 % quantile of the normal distribution: 95 % lie between it and its negative.
const QUANTILE: f64 = 1.959_963_984_540_054;

/// The Wilson 95 % interval of a share; none where there is nothing to count.
///
/// It takes each answer as drawn by itself. Answers to one question that differ only in their seed are not: with few
/// questions the true interval is wider.
pub fn wilson(part: usize, whole: usize) -> Option<(f64, f64)> {
    if whole == 0 {
        return None;
    }
    let n = whole as f64;
    let share = part as f64 / n;
    let square = QUANTILE * QUANTILE;
    let middle = share + square / (2.0 * n);
    let half = QUANTILE * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    let scale = 1.0 + square / n;
    // Rounding may carry an end past the share itself at 0 and 1.
    Some((((middle - half) / scale).clamp(0.0, share), ((middle + half) / scale).clamp(share, 1.0)))
}

/// One strategy's answers and blocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StrategyScore {
    /// The strategy.
    #[serde(skip)]
    pub strategy: String,
    /// Answers that pass.
    pub pass: usize,
    /// Answers that fail.
    pub fail: usize,
    /// Answers that cannot be graded.
    pub incomplete: usize,
    /// All of them.
    pub answers: usize,
    /// `pass / answers`, to three places.
    pub pass_rate: Option<f64>,
    /// Its Wilson 95 % interval, to three places.
    pub interval: Option<[f64; 2]>,
    /// The blocks.
    #[serde(flatten)]
    pub blocks: BlockSummary,
}

impl StrategyScore {
    fn new(strategy: &str, tally: Tally, blocks: BlockSummary) -> Self {
        let places = |value: f64| format!("{value:.3}").parse().unwrap_or(value);
        Self {
            strategy: strategy.to_owned(),
            pass: tally.pass,
            fail: tally.fail,
            incomplete: tally.incomplete,
            answers: tally.total(),
            pass_rate: rounded(tally.pass, tally.total()),
            interval: wilson(tally.pass, tally.total()).map(|(low, high)| [places(low), places(high)]),
            blocks,
        }
    }
}

/// An answer whose verdict a decision changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Which answer.
    #[serde(skip)]
    pub at: AnswerRef,
    /// The recording that it is from.
    pub recording: String,
    /// Its strategy.
    pub strategy: String,
    /// Its question's id.
    pub question: String,
    /// The words of the question.
    pub asked: String,
    /// Its seed.
    pub seed: Option<i64>,
    /// The words of the model.
    pub answer: String,
    /// The recorded verdict.
    pub before: Verdict,
    /// The verdict now.
    pub after: Verdict,
    /// Why: who decided what, and the reason given.
    pub why: String,
}

/// A question that the undisputed totals leave out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetAside {
    /// The question's id.
    pub question: String,
    /// Its words.
    pub asked: String,
    /// Why: who decided what, or who disagrees.
    pub why: String,
}

/// The three totals, and what they differ by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// The graders whose grades they count.
    pub by: Vec<Grader>,
    /// By the historical grading; one entry a strategy of the evaluation.
    pub as_recorded: Vec<StrategyScore>,
    /// By corrected keys and decisions about answers.
    pub corrected: Vec<StrategyScore>,
    /// Without what is disputed.
    pub undisputed: Vec<StrategyScore>,
    /// The answers that differ between the first two.
    pub moved: Vec<Moved>,
    /// The questions that the third leaves out.
    pub set_aside: Vec<SetAside>,
    /// Single answers that the third leaves out, beyond those of whole questions.
    pub answers_set_aside: usize,
}

impl Scores {
    /// The totals of a workspace under what stands decided.
    pub fn of(workspace: &Workspace, standing: &Standing) -> Self {
        let evaluation = &workspace.evaluation;
        let strategies = evaluation.strategies.len();
        let mut tallies = [
            vec![Tally::default(); strategies],
            vec![Tally::default(); strategies],
            vec![Tally::default(); strategies],
        ];
        let mut scores = Self { by: workspace.by().to_vec(), ..Self::default() };
        let disputed: Vec<bool> =
            (0..evaluation.question_count()).map(|question| standing.dispute(question).is_some()).collect();
        let is_disputed = |question: usize| disputed.get(question).copied().unwrap_or_default();
        for at in workspace.all_answers() {
            let Some((graded, _, _, recorded)) = workspace.answer(at) else { continue };
            let Some((grade, changed)) = standing.grade(workspace, at) else { continue };
            scores.moved.extend(changed.and_then(|changed| moved(workspace, at, &grade, changed.decision())));
            let Some(strategy) = graded.strategy.get(at.group).copied().flatten() else { continue };
            let question = graded.question.get(at.group).copied().flatten();
            if !workspace.counts(question) {
                continue;
            }
            let in_disputed = question.is_some_and(is_disputed);
            let alone = !in_disputed && standing.is_answer_disputed(at, recorded.verdict);
            scores.answers_set_aside += usize::from(alone);
            let kept = (!in_disputed && !alone).then_some(recorded.verdict);
            for (tallies, verdict) in tallies.iter_mut().zip([Some(recorded.verdict), Some(grade.verdict), kept]) {
                if let (Some(tally), Some(verdict)) = (tallies.get_mut(strategy), verdict) {
                    tally.add(verdict);
                }
            }
        }
        let [as_recorded, corrected, undisputed] = tallies;
        let all = |_| true;
        scores.as_recorded = strategy_scores(workspace, &as_recorded, all);
        scores.corrected = strategy_scores(workspace, &corrected, all);
        scores.undisputed = strategy_scores(workspace, &undisputed, |question| !is_disputed(question));
        scores.set_aside = (0..evaluation.question_count()).filter_map(|n| set_aside(workspace, standing, n)).collect();
        scores
    }

    /// The three totals with their names in files.
    pub fn named(&self) -> [(&'static str, &[StrategyScore]); 3] {
        [("as_recorded", &self.as_recorded), ("corrected", &self.corrected), ("undisputed", &self.undisputed)]
    }
}

fn strategy_scores(workspace: &Workspace, tallies: &[Tally], keeps: impl Fn(usize) -> bool) -> Vec<StrategyScore> {
    let evaluation = &workspace.evaluation;
    let scores = evaluation.strategies.iter().zip(tallies).enumerate().map(|(index, (strategy, tally))| {
        let blocks = evaluation.blocks(index).filter(|(question, _)| keeps(*question));
        StrategyScore::new(strategy.name(), *tally, BlockSummary::of(blocks.map(|(_, block)| block)))
    });
    scores.collect()
}

/// Who decided what, and why.
pub(super) fn said(decision: &Decision) -> String {
    format!("{} decided \u{201c}{}\u{201d}: {}", decision.author, decision.verdict, decision.reason)
}

fn moved(workspace: &Workspace, at: AnswerRef, grade: &Grade, decision: &Decision) -> Option<Moved> {
    let (graded, group, answer, recorded) = workspace.answer(at)?;
    let question = graded.question.get(at.group).copied().flatten();
    let (_, question) = workspace.evaluation.question(question?)?;
    Some(Moved {
        at,
        recording: graded.recording.name.clone(),
        strategy: group.strategy.clone(),
        question: question.id.clone(),
        asked: question.question.clone(),
        seed: answer.seed,
        answer: answer.answer.clone(),
        before: recorded.verdict,
        after: grade.verdict,
        why: said(decision),
    })
}

fn set_aside(workspace: &Workspace, standing: &Standing, number: usize) -> Option<SetAside> {
    let why = super::export::dispute(standing, number)?;
    let (_, question) = workspace.evaluation.question(number)?;
    Some(SetAside { question: question.id.clone(), asked: question.question.clone(), why })
}

/// Who disagrees, in one sentence.
pub(super) fn disagreement(sides: &[(&str, DecisionVerdict)]) -> String {
    let sides: Vec<String> =
        sides.iter().map(|(author, verdict)| format!("{author} says \u{201c}{verdict}\u{201d}")).collect();
    format!("conflict, none is applied: {}", sides.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_intervals_as_published() {
        let near = |(low, high): (f64, f64), expected: (f64, f64)| {
            assert!((low - expected.0).abs() < 5e-4 && (high - expected.1).abs() < 5e-4, "{low} {high}");
        };
        near(wilson(40, 50).unwrap(), (0.670, 0.888));
        near(wilson(0, 10).unwrap(), (0.0, 0.278));
        near(wilson(10, 10).unwrap(), (0.722, 1.0));
        near(wilson(1, 2).unwrap(), (0.0945, 0.9055));
        assert_eq!(wilson(0, 0), None);
    }

    proptest::proptest! {
        #[test]
        fn an_interval_holds_its_share(part in 0_usize..2_000, more in 0_usize..2_000) {
            let whole = part + more;
            if let Some((low, high)) = wilson(part, whole) {
                let share = part as f64 / whole as f64;
                proptest::prop_assert!(0.0 <= low && low <= share && share <= high && high <= 1.0);
            }
        }
    }
}
