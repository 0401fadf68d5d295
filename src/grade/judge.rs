//! The grade by the judges whose votes or score a recording holds.

use super::{Grade, Grader, Verdict};
use crate::recording::Answer;

/// The least score of a right answer, where judges gave a score and no votes.
pub const PASS_FROM: f64 = 0.5;

/// The grade by the recorded judges; none where the recording has neither votes nor a score. A majority of votes decides; a
/// tie decides nothing. Votes count before the score, which is often only their mean.
pub fn judge_grade(answer: &Answer) -> Option<Grade> {
    let grade = |verdict, reason: String| Some(Grade::new(Grader::Judge, verdict, reason));
    let (votes, right) = (answer.judge.len(), answer.judge.iter().filter(|vote| **vote).count());
    if votes > 0 {
        let of = if votes == 1 { "vote" } else { "votes" };
        return match (right * 2).cmp(&votes) {
            std::cmp::Ordering::Greater => grade(Verdict::Pass, format!("{right} of {votes} {of}")),
            std::cmp::Ordering::Less => grade(Verdict::Fail, format!("{right} of {votes} {of}")),
            std::cmp::Ordering::Equal => grade(Verdict::Incomplete, "votes split evenly".to_owned()),
        };
    }
    let score = answer.score?;
    if !score.is_finite() {
        return grade(Verdict::Incomplete, "the score is no number".to_owned());
    }
    let verdict = if score >= PASS_FROM { Verdict::Pass } else { Verdict::Fail };
    grade(verdict, format!("score {}", (score * 1000.0).round() / 1000.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graded(judge: &[bool], score: Option<f64>) -> Option<(Verdict, String)> {
        let answer = Answer { judge: judge.to_vec(), score, ..Answer::default() };
        judge_grade(&answer).map(|grade| (grade.verdict, grade.reason))
    }

    #[test]
    fn a_majority_decides_and_a_tie_does_not() {
        assert_eq!(graded(&[true, true, false], None), Some((Verdict::Pass, "2 of 3 votes".into())));
        assert_eq!(graded(&[true, false, false], Some(0.9)), Some((Verdict::Fail, "1 of 3 votes".into())));
        assert_eq!(graded(&[true, false], None), Some((Verdict::Incomplete, "votes split evenly".into())));
        assert_eq!(graded(&[true], None), Some((Verdict::Pass, "1 of 1 vote".into())));
    }

    #[test]
    fn a_score_decides_from_one_half_on() {
        assert_eq!(graded(&[], Some(0.5)), Some((Verdict::Pass, "score 0.5".into())));
        assert_eq!(graded(&[], Some(0.499)), Some((Verdict::Fail, "score 0.499".into())));
        assert_eq!(graded(&[], Some(f64::NAN)).map(|(verdict, _)| verdict), Some(Verdict::Incomplete));
        assert_eq!(graded(&[], None), None);
    }
}
