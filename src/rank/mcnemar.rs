//! The exact test for two strategies that each pass or fail the same questions.

use serde::Serialize;

/// How two strategies differ in pass and fail, and how likely so lopsided a split is by chance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct McNemar {
    /// Questions that only the selected strategy passes.
    pub gained: usize,
    /// Questions that only the baseline passes.
    pub lost: usize,
    /// Two-sided p value. 1 where nothing differs.
    pub p: f64,
}

impl McNemar {
    /// The exact test (McNemar 1947, in its binomial form): where neither strategy is better, each question on which they
    /// differ goes either way like a fair coin. `p` is the probability of a split at least as lopsided, both ways counted:
    /// min(1, 2 · P(X ≤ min(gained, lost))) with X binomial of gained + lost tosses. It is what `scipy.stats.binomtest` and
    /// R's `binom.test` give. Takes time in proportion to the smaller of the two counts.
    pub fn of(gained: usize, lost: usize) -> Self {
        Self { gained, lost, p: two_sided(gained, lost) }
    }
}

fn two_sided(gained: usize, lost: usize) -> f64 {
    let (fewer, tosses) = (gained.min(lost), gained + lost);
    if gained == lost {
        // The middle of the distribution is on both sides: the doubled tail is more than everything.
        return 1.0;
    }
    // In logarithms: 2^-n is 0 in floating point from 1,075 tosses on.
    let all = tosses as f64;
    let log_choose: f64 = (1..=fewer).map(|i| (((tosses - fewer + i) as f64) / i as f64).ln()).sum();
    // The tail in units of its largest term: each term is the one above it, times i / (n - i + 1).
    let mut term = 1.0;
    let mut tail = 1.0;
    for i in (1..=fewer).rev() {
        term *= i as f64 / (all - i as f64 + 1.0);
        tail += term;
        if term < f64::EPSILON * 1e-3 {
            break;
        }
    }
    (2.0 * (log_choose - all * std::f64::consts::LN_2 + tail.ln()).exp()).min(1.0)
}

/// Adjusts the p values of several comparisons against one baseline (Holm 1979): the probability that any of them is called a
/// difference where there is none stays below the level of the test, whatever they have to do with each other. The answers
/// stand in the order of the values. `None` takes no part: nothing was tested.
pub fn holm(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut order: Vec<(usize, f64)> =
        values.iter().enumerate().filter_map(|(place, value)| Some((place, (*value)?))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let tests = order.len();
    let mut adjusted = vec![None; values.len()];
    let mut largest = 0.0_f64;
    for (rank, (place, value)) in order.into_iter().enumerate() {
        largest = largest.max(value * (tests - rank) as f64).min(1.0);
        if let Some(adjusted) = adjusted.get_mut(place) {
            *adjusted = Some(largest);
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.binomtest(gained, gained + lost, 0.5).pvalue`, scipy 1.17.1.
    const EXACT: &[(usize, usize, f64)] = &[
        (1, 0, 1.0),
        (5, 0, 0.0625),
        (5, 1, 0.21875),
        (10, 2, 0.03857421875),
        (41, 112, 8.26739094435605e-09),
        (112, 41, 8.26739094435605e-09),
        (30, 29, 1.0),
        (500, 430, 0.023608839292547163),
        (3_000, 2_750, 0.001022793454938191),
        (1_600, 1_000, 3.905400961770497e-32),
        (20_000, 19_500, 0.012046830244306037),
    ];

    #[test]
    fn p_is_that_of_an_exact_binomial_test() {
        for &(gained, lost, p) in EXACT {
            let close = |own: f64| (own - p).abs() <= 1e-10 * p;
            assert!(close(McNemar::of(gained, lost).p), "{gained} {lost}: {} is not {p}", McNemar::of(gained, lost).p);
            assert_eq!(McNemar::of(lost, gained).p, McNemar::of(gained, lost).p, "both ways are one");
        }
        assert_eq!(McNemar::of(0, 0).p, 1.0, "nothing differs");
        assert_eq!(McNemar::of(4_000, 0).p, 0.0, "2^-3999 is smaller than any number that a float holds");
    }

    #[test]
    fn holm_multiplies_the_smallest_by_the_most() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") is 0.03 0.06 0.06 0.02.
        let adjusted = holm(&[Some(0.01), None, Some(0.04), Some(0.03), Some(0.005)]);
        let expected = [Some(0.03), None, Some(0.06), Some(0.06), Some(0.02)];
        for (own, expected) in adjusted.iter().zip(expected) {
            assert_eq!(own.is_some(), expected.is_some());
            assert!((own.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(holm(&[Some(0.9), Some(0.8)]), [Some(1.0), Some(1.0)], "never more than certain");
        assert_eq!(holm(&[None]), [None]);
    }
}
