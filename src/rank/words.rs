//! What a comparison of rankings says, in words.

use super::{Cutoff, Interval, McNemar, Measure, Test};

/// A measure with its cutoff, such as `recall@10`.
pub fn measure_words(measure: Measure, cutoff: Cutoff) -> String {
    format!("{}{}", measure.label(), cutoff.suffix())
}

/// A mean difference, such as `+0.070 recall@10, 95 % interval +0.050 to +0.090`.
pub fn difference_words(measure: Measure, cutoff: Cutoff, interval: &Interval) -> String {
    let places = if measure == Measure::Tokens { 0 } else { 3 };
    let [mean, low, high] = [interval.mean, interval.low, interval.high].map(|value| signed(value, places));
    format!("{mean} {}, 95 % interval {low} to {high}", measure_words(measure, cutoff))
}

/// A signed number with so many places; nothing is neither more nor less.
pub fn signed(value: f64, places: usize) -> String {
    let text = format!("{value:+.places$}");
    if text.chars().any(|c| c.is_ascii_digit() && c != '0') { text } else { text.replace(['+', '-'], "") }
}

/// A p value, such as `p < 0.001`.
pub fn p_words(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

/// A test, such as `112 questions gained, 41 lost, McNemar p < 0.001`. The adjusted p stands beside it where several
/// strategies are held against the baseline.
pub fn test_words(test: &McNemar, adjusted: Option<f64>) -> String {
    if test.gained + test.lost == 0 {
        return "no question flips".to_owned();
    }
    let plural = if test.gained == 1 { "" } else { "s" };
    let mut text = format!("{} question{plural} gained, {} lost, McNemar {}", test.gained, test.lost, p_words(test.p));
    if let Some(adjusted) = adjusted {
        text.push_str(&format!(" ({} after Holm)", p_words(adjusted)));
    }
    text
}

/// What a question gains or loses in a test.
pub fn test_label(test: Test, cutoff: Cutoff) -> String {
    measure_words(test.measure(), cutoff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_with_their_signs() {
        let interval = Interval { mean: 0.0704, low: -0.0002, high: 0.09, questions: 9 };
        assert_eq!(
            difference_words(Measure::Recall, Cutoff::First(10), &interval),
            "+0.070 recall@10, 95 % interval 0.000 to +0.090"
        );
        let tokens = Interval { mean: -12.6, low: -20.0, high: -1.4, questions: 9 };
        assert_eq!(
            difference_words(Measure::Tokens, Cutoff::Quota, &tokens),
            "-13 tokens within quota, 95 % interval -20 to -1"
        );
    }

    #[test]
    fn tests_are_said_with_their_p() {
        assert_eq!(test_words(&McNemar::of(112, 41), None), "112 questions gained, 41 lost, McNemar p < 0.001");
        assert_eq!(
            test_words(&McNemar::of(1, 4), Some(0.75)),
            "1 question gained, 4 lost, McNemar p = 0.375 (p = 0.750 after Holm)"
        );
        assert_eq!(test_words(&McNemar::of(0, 0), Some(1.0)), "no question flips");
    }
}
