//! How sure a mean difference is: intervals by resampling the questions.

use std::collections::BTreeMap;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Binomial, Distribution};
use rayon::prelude::*;
use serde::Serialize;

/// Resamples behind an interval.
pub const RESAMPLES: usize = 10_000;
/// The seed where nobody names one.
pub const SEED: u64 = 1;
/// Resamples drawn from one stream of the generator: what a thread does at a time, so that results do not hang on threads.
const CHUNK: usize = 250;
/// Drawing a count costs as much as drawing so many single questions.
const COUNT_COST: usize = 20;

/// A mean of differences with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The mean difference, selected less baseline.
    pub mean: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Questions that it averages over.
    pub questions: usize,
}

/// The mean of paired differences and its 95 % interval by the percentile bootstrap (Efron 1979; Koehn 2004 for test sets of
/// questions): as many questions are drawn with replacement as there are, [`RESAMPLES`] times; the interval runs from the
/// 2.5 % to the 97.5 % point of the means. Nothing where there are no differences, or one is not a number.
///
/// Percentiles, not BCa: what is averaged is bounded and nearly symmetric, where both agree; and where many differences are 0,
/// as here, the bias correction of BCa counts ties in a way that nobody agrees on.
///
/// The same values and the same seed give the same interval, whatever the number of threads. The generator is ChaCha8, whose
/// output is fixed by its definition; a chunk of resamples has a stream of its own.
///
/// A resample's sum only depends on how often each *different* value is drawn. Where few values differ (the differences of
/// recall are small fractions) these counts are drawn at once, from binomial distributions: a hundred thousand questions
/// then cost as little as a hundred.
pub fn interval(differences: &[f64], seed: u64) -> Option<Interval> {
    let questions = differences.len();
    if questions == 0 || differences.iter().any(|difference| !difference.is_finite()) {
        return None;
    }
    let mean = differences.iter().sum::<f64>() / questions as f64;
    let sampler = Sampler::of(differences);
    let mut means: Vec<f64> = (0..RESAMPLES / CHUNK)
        .into_par_iter()
        .flat_map_iter(|chunk| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(chunk as u64);
            let sums: Vec<f64> = (0..CHUNK).map(|_| sampler.sum(&mut rng) / questions as f64).collect();
            sums
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    // The 250th and the 9,750th of 10,000.
    let at = |place: usize| means.get(place).copied().unwrap_or(mean);
    Some(Interval { mean, low: at(RESAMPLES / 40 - 1), high: at(RESAMPLES - RESAMPLES / 40 - 1), questions })
}

/// Draws the sum of a resample.
struct Sampler {
    questions: u64,
    /// The different values with how often each stands, 0 left out.
    counted: Vec<(f64, u64)>,
    /// All values but 0, where drawing them one by one is faster.
    single: Option<Vec<f64>>,
}

impl Sampler {
    fn of(differences: &[f64]) -> Self {
        let single: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
        // By their bits: the order only has to be the same each time.
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for value in &single {
            *counts.entry(value.to_bits()).or_default() += 1;
        }
        let mut counted: Vec<(f64, u64)> =
            counts.into_iter().map(|(bits, count)| (f64::from_bits(bits), count)).collect();
        // The frequent ones first: soon nothing is left to share out.
        counted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
        let single = (single.len() < counted.len() * COUNT_COST).then_some(single);
        Self { questions: differences.len() as u64, counted, single }
    }

    fn sum(&self, rng: &mut ChaCha8Rng) -> f64 {
        let Some(single) = &self.single else { return self.counted_sum(rng) };
        let drawn = binomial(self.questions, single.len() as u64, self.questions, rng);
        // Fewer than 2^32 questions: the faster of two ways to draw a place.
        let Ok(len) = u32::try_from(single.len()) else { return self.counted_sum(rng) };
        if len == 0 {
            return 0.0;
        }
        (0..drawn).map(|_| single.get(rng.random_range(0..len) as usize).copied().unwrap_or_default()).sum()
    }

    /// A multinomial draw, value after value: each takes its share of what the ones before it left.
    fn counted_sum(&self, rng: &mut ChaCha8Rng) -> f64 {
        let (mut left, mut others) = (self.questions, self.questions);
        let mut sum = 0.0;
        for &(value, count) in &self.counted {
            if left == 0 {
                break;
            }
            let drawn = binomial(left, count, others, rng);
            sum += value * drawn as f64;
            left -= drawn;
            others -= count;
        }
        sum
    }
}

/// How many of `tosses` hit, where `hits` of `all` do.
fn binomial(tosses: u64, hits: u64, all: u64, rng: &mut ChaCha8Rng) -> u64 {
    if hits >= all {
        return tosses;
    }
    Binomial::new(tosses, hits as f64 / all as f64).map_or(0, |distribution| distribution.sample(rng))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_interval_is_that_of_resampled_means() {
        // A fair coin of -1 and 1: the standard error of the mean is 1/sqrt(n), and 1.96 of them are the interval.
        let coin = |n: usize| (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect::<Vec<f64>>();
        for n in [100, 10_000] {
            let interval = interval(&coin(n), SEED).unwrap();
            let error = 1.0 / (n as f64).sqrt();
            assert_eq!(interval.mean, 0.0);
            assert!((interval.high / error - 1.96).abs() < 0.12, "{interval:?}");
            assert!((interval.low / error + 1.96).abs() < 0.12, "{interval:?}");
        }
    }

    #[test]
    fn both_ways_to_draw_agree() {
        // All values differ, so that they are drawn one by one; rounded, so that they are counted.
        let fine: Vec<f64> = (0..2_000).map(|i| f64::from(i % 7) * 0.1 + f64::from(i) * 1e-9).collect();
        let coarse: Vec<f64> = (0..2_000).map(|i| f64::from(i % 7) * 0.1).collect();
        assert!(Sampler::of(&fine).single.is_some() && Sampler::of(&coarse).single.is_none());
        let (fine, coarse) = (interval(&fine, SEED).unwrap(), interval(&coarse, SEED).unwrap());
        // The standard error is 0.2/sqrt(2000) = 0.0045; two intervals differ by a fraction of it.
        assert!(
            (fine.low - coarse.low).abs() < 0.0006 && (fine.high - coarse.high).abs() < 0.0006,
            "{fine:?} {coarse:?}"
        );
    }

    #[test]
    fn nothing_differs_nothing_is_known() {
        assert_eq!(interval(&[], SEED), None);
        assert_eq!(interval(&[0.1, f64::NAN], SEED), None);
        let same = interval(&[0.0; 9], SEED).unwrap();
        assert_eq!((same.low, same.mean, same.high), (0.0, 0.0, 0.0));
        let all = interval(&[0.25; 9], SEED).unwrap();
        assert_eq!((all.low, all.mean, all.high), (0.25, 0.25, 0.25));
    }

    #[test]
    fn another_seed_is_another_draw() {
        let values: Vec<f64> = (0..50).map(|i| f64::from(i % 5) - 1.9).collect();
        assert_eq!(interval(&values, 7), interval(&values, 7));
        assert_ne!(interval(&values, 7), interval(&values, 8));
    }

    #[test]
    fn one_thread_draws_what_many_do() {
        let values: Vec<f64> = (0..300).map(|i| f64::from(i).sin()).collect();
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let many = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
        assert_eq!(one.install(|| interval(&values, SEED)), many.install(|| interval(&values, SEED)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn the_interval_holds_the_mean_and_shrinks(values in proptest::collection::vec(-4_i8..=4, 8..40)) {
            let values: Vec<f64> = values.into_iter().map(|value| f64::from(value) / 4.0).collect();
            let few = interval(&values, SEED).unwrap();
            prop_assert!(few.low <= few.mean + 1e-12 && few.mean <= few.high + 1e-12, "{few:?}");
            let more: Vec<f64> = values.iter().copied().cycle().take(values.len() * 9).collect();
            let more = interval(&more, SEED).unwrap();
            prop_assert!((more.mean - few.mean).abs() < 1e-9);
            prop_assert!(few.high == few.low || more.high - more.low < (few.high - few.low) * 0.6, "{few:?} {more:?}");
        }
    }
}
