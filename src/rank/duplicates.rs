//! Which lines say nearly the same.

use std::collections::HashMap;

/// Lines whose sets of words overlap by at least four fifths are near-duplicates.
///
/// The overlap is Jaccard's: words in both, divided by words in either. As a fraction, for whole numbers compare exactly.
pub const OVERLAP: (usize, usize) = (4, 5);

/// Groups of near-duplicates: for each text the number of its group, from 0.
///
/// Two texts are near-duplicates where the Jaccard overlap of their word sets is at least [`OVERLAP`]; near-duplicates of
/// near-duplicates belong together, so that a group does not depend on any order. Words are runs of letters, digits and `_`,
/// lower-cased; stop words count, for a *not* makes another fact. Texts without words are near-duplicates of each other.
///
/// Texts with the same words are joined by a table; of the rest only those are held against each other that share one of
/// their rarest words: sets that overlap by four fifths must (prefix filtering, Bayardo, Ma and Srikant 2007). So the work
/// grows with the texts, not with their pairs.
pub fn groups<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<u32> {
    let mut words = Words::default();
    let mut sets: Vec<Vec<u32>> = Vec::new();
    let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
    let place: Vec<usize> = texts
        .into_iter()
        .map(|text| {
            let set = words.of(text);
            *known.entry(set).or_insert_with_key(|set| {
                sets.push(set.clone());
                sets.len() - 1
            })
        })
        .collect();
    drop(known);
    let joined = join(&mut sets, words.count);
    let mut numbers: HashMap<usize, u32> = HashMap::new();
    place
        .into_iter()
        .map(|place| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(joined.get(place).copied().unwrap_or(place)).or_insert(next)
        })
        .collect()
}

/// Numbers for words, so that sets are lists of numbers.
#[derive(Default)]
struct Words {
    numbers: HashMap<String, u32>,
    count: usize,
}

impl Words {
    /// The different words of a text, sorted.
    fn of(&mut self, text: &str) -> Vec<u32> {
        let mut set: Vec<u32> = text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| !word.is_empty())
            .map(|word| self.number(word.to_lowercase()))
            .collect();
        set.sort_unstable();
        set.dedup();
        set
    }

    fn number(&mut self, word: String) -> u32 {
        let next = u32::try_from(self.count).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(word).or_insert(next);
        self.count = self.numbers.len();
        number
    }
}

/// For each set the first one of its group.
fn join(sets: &mut [Vec<u32>], words: usize) -> Vec<usize> {
    let mut frequency = vec![0_u32; words];
    let place = |word: u32| usize::try_from(word).unwrap_or(usize::MAX);
    for word in sets.iter().flatten() {
        if let Some(count) = frequency.get_mut(place(*word)) {
            *count += 1;
        }
    }
    let rank = |word: u32| (frequency.get(place(word)).copied().unwrap_or(0), word);
    for set in sets.iter_mut() {
        set.sort_unstable_by_key(|word| rank(*word));
    }
    // The smaller sets first: a set only has to look for ones that are not larger.
    let mut order: Vec<usize> = (0..sets.len()).collect();
    order.sort_by_key(|index| sets.get(*index).map_or(0, Vec::len));
    let mut groups = Groups((0..sets.len()).collect());
    let mut begins: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut seen = vec![usize::MAX; sets.len()];
    for index in order {
        let Some(set) = sets.get(index) else { continue };
        // Whoever shares four fifths of the words shares one of these.
        let prefix = set.len() - (set.len() * OVERLAP.0).div_ceil(OVERLAP.1) + 1;
        for word in set.iter().take(prefix) {
            let others = begins.entry(*word).or_default();
            for &other in others.iter() {
                let fresh = seen.get_mut(other).is_some_and(|seen| std::mem::replace(seen, index) != index);
                if fresh
                    && groups.first(other) != groups.first(index)
                    && sets.get(other).is_some_and(|other| overlap(set, other, rank))
                {
                    groups.join(index, other);
                }
            }
            others.push(index);
        }
    }
    (0..sets.len()).map(|index| groups.first(index)).collect()
}

/// Whether two sets, sorted by `rank`, overlap enough.
fn overlap<K: Ord>(one: &[u32], other: &[u32], rank: impl Fn(u32) -> K) -> bool {
    let enough = |both: usize| both * OVERLAP.1 >= (one.len() + other.len() - both) * OVERLAP.0;
    if !enough(one.len().min(other.len())) {
        return false;
    }
    let (mut one_left, mut other_left) = (one.iter().peekable(), other.iter().peekable());
    let mut both = 0;
    while let (Some(a), Some(b)) = (one_left.peek(), other_left.peek()) {
        match rank(**a).cmp(&rank(**b)) {
            std::cmp::Ordering::Less => _ = one_left.next(),
            std::cmp::Ordering::Greater => _ = other_left.next(),
            std::cmp::Ordering::Equal => {
                both += 1;
                one_left.next();
                other_left.next();
            }
        }
    }
    enough(both)
}

/// Groups that grow together: each member points at another one, the first at itself.
struct Groups(Vec<usize>);

impl Groups {
    fn first(&mut self, mut member: usize) -> usize {
        while let Some(&next) = self.0.get(member)
            && next != member
        {
            let after = self.0.get(next).copied().unwrap_or(next);
            if let Some(link) = self.0.get_mut(member) {
                *link = after;
            }
            member = after;
        }
        member
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        if let Some(link) = self.0.get_mut(one.max(other)) {
            *link = one.min(other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn four_fifths_of_the_words_are_enough() {
        let texts = [
            "The budget is 180 euros.",
            "the BUDGET, is 180: euros!",      // the same words
            "The budget is 180 euros now",     // 5 of 6
            "The budget is 170 euros.",        // 4 of 6
            "The budget is not 180 euros now", // 6 of 7 with the third, 5 of 7 with the first
            "",
            "...",
        ];
        assert_eq!(groups(texts), [0, 0, 0, 1, 0, 2, 2]);
        assert_eq!(groups([]), [0_u32; 0]);
        // Exactly four fifths, where fractions of floating point would be a hair off.
        assert_eq!(groups(["a b c d", "a b c d e"]), [0, 0]);
        assert_eq!(groups(["a b c", "a b c d"]), [0, 1]);
    }

    /// Every pair, and what is reachable by pairs.
    fn by_pairs(texts: &[String]) -> Vec<u32> {
        let sets: Vec<BTreeSet<&str>> = texts.iter().map(|text| text.split_whitespace().collect()).collect();
        let near = |a: &BTreeSet<&str>, b: &BTreeSet<&str>| {
            let (both, either) = (a.intersection(b).count(), a.union(b).count());
            both * 5 >= either * 4
        };
        let mut group: Vec<usize> = (0..sets.len()).collect();
        for _ in 0..sets.len() {
            for i in 0..sets.len() {
                for j in 0..sets.len() {
                    if near(&sets[i], &sets[j]) {
                        group[i] = group[i].min(group[j]);
                    }
                }
            }
        }
        let mut seen = Vec::new();
        group
            .iter()
            .map(|first| {
                if !seen.contains(first) {
                    seen.push(*first);
                }
                seen.iter().position(|other| other == first).unwrap() as u32
            })
            .collect()
    }

    proptest! {
        #[test]
        fn no_pair_is_overlooked(texts in proptest::collection::vec("([a-f] ){0,9}", 0..14)) {
            prop_assert_eq!(groups(texts.iter().map(String::as_str)), by_pairs(&texts));
        }
    }
}
