//! One ranking of one question, counted at every cutoff.

use super::Cutoff;
use super::facts::Carried;

/// A candidate as the measures see it.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    /// What it carries of the question's facts; nothing where it carries none.
    pub carried: Option<&'a Carried>,
    /// Its group of near-duplicates.
    pub group: u32,
    /// Tokens of its line.
    pub tokens: usize,
}

/// What stands in the part of a ranking before a cutoff, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    /// Normalised discounted cumulative gain, 0 to 1; see [`super::Measure::Ndcg`].
    pub ndcg: f64,
    /// Candidates in it: k, or fewer where there are fewer.
    pub filled: u32,
    /// Required facts that a candidate carries.
    pub found: u32,
    /// Candidates that carry a required fact.
    pub relevant: u32,
    /// Candidates that carry a replaced fact.
    pub stale: u32,
    /// Candidates that carry a fact that the user asked to forget.
    pub forgotten: u32,
    /// Groups of near-duplicates.
    pub distinct: u32,
    /// Tokens of the candidates' lines.
    pub tokens: u32,
    /// The rank, from 1, of the first candidate that carries a required fact; 0 where none does.
    pub first: u32,
}

/// Where a ranking has what the question needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ranks {
    /// The number of candidates.
    pub candidates: u32,
    /// The rank, from 1, of the first candidate that carries a required fact; 0 where none does.
    pub first: u32,
    /// The rank at which the last required fact is there; 0 where one is not.
    pub complete: u32,
}

/// Counts rankings one after the other. Kept between them, so that nothing is allocated for each.
#[derive(Debug, Default)]
pub struct Judge {
    discounts: Vec<f64>,
    /// For each group of near-duplicates, the ranking in which it was last seen.
    seen: Vec<u32>,
    round: u32,
    has: Vec<bool>,
}

impl Judge {
    /// Counts `items`, best first, at each of `depths`, which must rise. `ideal` are the gains of the best possible ranking,
    /// `required` the different required facts. One look at each candidate, and none at those after everything is found.
    pub fn count<'a>(
        &mut self,
        items: impl ExactSizeIterator<Item = Item<'a>>,
        required: usize,
        ideal: &[usize],
        depths: &[usize],
        mut put: impl FnMut(Counts),
    ) -> Ranks {
        let candidates = items.len();
        self.round += 1;
        self.has.clear();
        self.has.resize(required, false);
        let mut ranks = Ranks { candidates: small(candidates), ..Ranks::default() };
        let mut counts = Counts::default();
        let mut gained = 0.0;
        let mut missing = required;
        let mut depths = depths.iter().copied().peekable();
        for (place, item) in items.enumerate() {
            while depths.next_if(|depth| *depth <= place).is_some() {
                put(self.finish(counts, gained, ideal, place));
            }
            if depths.peek().is_none() && missing == 0 {
                break;
            }
            let rank = small(place + 1);
            counts.filled = rank;
            counts.tokens = counts.tokens.saturating_add(small(item.tokens));
            counts.distinct += u32::from(self.is_new(item.group));
            let Some(carried) = item.carried else { continue };
            counts.stale += u32::from(carried.stale);
            counts.forgotten += u32::from(carried.forgotten);
            if carried.required.is_empty() {
                continue;
            }
            counts.relevant += 1;
            if counts.first == 0 {
                counts.first = rank;
                ranks.first = rank;
            }
            let fresh = carried.required.iter().filter(|fact| self.has.get(**fact) == Some(&false)).count();
            for fact in &carried.required {
                if let Some(has) = self.has.get_mut(*fact) {
                    *has = true;
                }
            }
            if fresh > 0 {
                counts.found += small(fresh);
                missing -= fresh;
                gained += fresh as f64 * self.discount(place);
                if missing == 0 {
                    ranks.complete = rank;
                }
            }
        }
        for depth in depths {
            put(self.finish(counts, gained, ideal, depth));
        }
        ranks
    }

    fn finish(&mut self, counts: Counts, gained: f64, ideal: &[usize], depth: usize) -> Counts {
        let mut best = 0.0;
        for (place, gain) in ideal.iter().enumerate().take(depth) {
            best += *gain as f64 * self.discount(place);
        }
        // A line of another system may carry more facts than any event: no ranking is better than the ideal one.
        let ndcg = if best > 0.0 { (gained / best).min(1.0) } else { 0.0 };
        Counts { ndcg, ..counts }
    }

    fn is_new(&mut self, group: u32) -> bool {
        let place = usize::try_from(group).unwrap_or(usize::MAX);
        if place >= self.seen.len() && place < usize::MAX {
            self.seen.resize(place + 1, 0);
        }
        self.seen.get_mut(place).is_some_and(|seen| std::mem::replace(seen, self.round) != self.round)
    }

    /// What a gain at a place, from 0, is worth: 1 / log2(rank + 1).
    fn discount(&mut self, place: usize) -> f64 {
        const KEPT: usize = 1_024;
        let discount = |place: usize| 1.0 / ((place + 2) as f64).log2();
        if self.discounts.is_empty() {
            self.discounts = (0..KEPT).map(discount).collect();
        }
        self.discounts.get(place).copied().unwrap_or_else(|| discount(place))
    }
}

/// Counts of a ranking are far below four billion; tokens of a whole history may not be.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The depths of cutoffs that look at the ranking, rising, each once.
pub fn depths(cutoffs: &[Cutoff]) -> Vec<usize> {
    let mut depths: Vec<usize> = cutoffs.iter().filter_map(|cutoff| cutoff.depth()).collect();
    depths.sort_unstable();
    depths.dedup();
    depths
}
