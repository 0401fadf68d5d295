//! Filling the facts quota.

use super::{Pool, Ranked};

/// What became of a ranked record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Its line is in the block.
    Sent,
    /// Its line would have gone over the quota by this many tokens when its turn came.
    OverQuota {
        /// Tokens over the quota.
        by: usize,
    },
}

/// A ranked record with its outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// The record and its score.
    pub ranked: Ranked,
    /// Tokens of its line.
    pub tokens: usize,
    /// Whether its line is in the block.
    pub outcome: Outcome,
}

/// Takes lines in rank order while the sum of their tokens stays within `quota`. A line that does not fit is skipped and
/// the next is tried. Yields every ranked record; stop early with [`Pool::least_tokens`] when only the sent ones matter.
pub fn fill<'a>(ranking: &'a [Ranked], pool: &'a Pool, quota: usize) -> impl Iterator<Item = Placed> + 'a {
    let mut used = 0_usize;
    ranking.iter().filter_map(move |&ranked| {
        let tokens = pool.records().get(ranked.index)?.tokens;
        let outcome = match (used + tokens).checked_sub(quota) {
            Some(by) if by > 0 => Outcome::OverQuota { by },
            _ => {
                used += tokens;
                Outcome::Sent
            }
        };
        Some(Placed { ranked, tokens, outcome })
    })
}

/// Of the records at these places, those that [`fill`] cuts, with the tokens over the quota. It finds them without placing
/// every record: once the shortest line no longer fits, nothing more is sent.
pub fn cut(ranking: &[Ranked], pool: &Pool, quota: usize, places: &[usize]) -> Vec<(usize, usize)> {
    let mut used = 0_usize;
    let mut found = Vec::new();
    let mut left = places.len();
    for ranked in ranking {
        let wanted = places.contains(&ranked.index);
        if !wanted && quota.saturating_sub(used) < pool.least_tokens() {
            continue;
        }
        let Some(record) = pool.records().get(ranked.index) else { continue };
        match (used + record.tokens).checked_sub(quota) {
            Some(by) if by > 0 => found.extend(wanted.then_some((ranked.index, by))),
            _ => used += record.tokens,
        }
        left -= usize::from(wanted);
        if left == 0 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Record;
    use crate::select::PoolRecord;
    use proptest::prelude::*;

    fn pool(tokens: &[usize]) -> (Pool, Vec<Ranked>) {
        let record = |id| Record { id, event: 0, turn: 0, attribute: String::new(), text: String::new() };
        let records = tokens.iter().map(|&tokens| PoolRecord { record: record(1), tokens }).collect();
        let ranking = (0..tokens.len()).map(|index| Ranked { index, score: 0.0 }).collect();
        (Pool::new(records), ranking)
    }

    #[test]
    fn what_does_not_fit_is_skipped_and_the_next_is_tried() {
        let (pool, ranking) = pool(&[50, 60, 20, 10, 1]);
        let outcomes: Vec<_> = fill(&ranking, &pool, 80).map(|placed| placed.outcome).collect();
        let over = |by| Outcome::OverQuota { by };
        assert_eq!(outcomes, [Outcome::Sent, over(30), Outcome::Sent, Outcome::Sent, over(1)]);
    }

    proptest! {
        #[test]
        fn a_block_never_exceeds_its_quota(tokens in proptest::collection::vec(0_usize..50, 0..40), quota in 0_usize..200) {
            let (pool, ranking) = pool(&tokens);
            let sent: usize = fill(&ranking, &pool, quota)
                .filter(|placed| placed.outcome == Outcome::Sent)
                .map(|placed| placed.tokens)
                .sum();
            prop_assert!(sent <= quota);
            let over: Vec<(usize, usize)> = fill(&ranking, &pool, quota)
                .filter_map(|placed| match placed.outcome {
                    Outcome::OverQuota { by } => Some((placed.ranked.index, by)),
                    Outcome::Sent => None,
                })
                .collect();
            let all: Vec<usize> = (0..tokens.len()).collect();
            prop_assert_eq!(&cut(&ranking, &pool, quota, &all), &over);
            for place in all {
                let own: Vec<_> = over.iter().copied().filter(|(cut, _)| *cut == place).collect();
                prop_assert_eq!(cut(&ranking, &pool, quota, &[place]), own);
            }
        }
    }
}
