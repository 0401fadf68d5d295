use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::TokenCounter;

/// Threads that count different texts seldom meet in one of so many.
const SHARDS: usize = 16;

/// Counts each distinct text once and remembers the count.
///
/// Worth its memory (it keeps every text) for a caller that counts the same texts many times: the
/// lines of memory blocks, where most lines of a store return for each question and each strategy.
/// Not for texts that are counted once, such as the turns of a long conversation, and not for one text
/// with repeated lines: [`count_lines`](super::count_lines) remembers lines while it runs.
///
/// Texts are compared whole, so that no two share a count by the accident of a hash.
pub struct CachedCounter {
    counter: Arc<dyn TokenCounter>,
    hasher: RandomState,
    shards: [Mutex<HashMap<Box<str>, usize>>; SHARDS],
}

impl CachedCounter {
    /// Wraps a counter; several threads may share the cache.
    pub fn new(counter: Arc<dyn TokenCounter>) -> Self {
        Self { counter, hasher: RandomState::new(), shards: Default::default() }
    }

    /// How many distinct texts have been counted.
    pub fn distinct(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }
}

impl TokenCounter for CachedCounter {
    fn name(&self) -> &str {
        self.counter.name()
    }

    fn count(&self, text: &str) -> usize {
        let number = self.hasher.hash_one(text) as usize % SHARDS;
        let Some(shard) = self.shards.get(number) else {
            return self.counter.count(text);
        };
        // Held while counting: a second thread with the same text waits for the count instead of
        // doing it again.
        let mut counts = lock(shard);
        if let Some(&tokens) = counts.get(text) {
            return tokens;
        }
        let tokens = self.counter.count(text);
        counts.insert(text.into(), tokens);
        tokens
    }
}

/// A shard is whole at each moment, even if a counter panicked in another thread.
fn lock(shard: &Mutex<HashMap<Box<str>, usize>>) -> MutexGuard<'_, HashMap<Box<str>, usize>> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;
    use crate::tokens::GemmaCounter;

    /// Counts bytes, and its own calls.
    #[derive(Default)]
    struct Calls(AtomicUsize);

    impl TokenCounter for Calls {
        fn name(&self) -> &str {
            "bytes"
        }

        fn count(&self, text: &str) -> usize {
            self.0.fetch_add(1, Ordering::SeqCst);
            text.len()
        }
    }

    #[test]
    fn each_distinct_text_is_counted_once_by_all_threads_together() {
        let calls = Arc::new(Calls::default());
        let cached = CachedCounter::new(calls.clone());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..1000 {
                        let text = "x".repeat(number % 100);
                        assert_eq!(cached.count(&text), text.len());
                    }
                });
            }
        });
        assert_eq!(cached.distinct(), 100);
        assert_eq!(calls.0.load(Ordering::SeqCst), 100);
    }

    #[test]
    fn it_counts_and_is_named_as_the_counter_inside() {
        let cached = CachedCounter::new(Arc::new(GemmaCounter));
        assert_eq!(cached.name(), GemmaCounter.name());
        for text in ["", "Vegetarian", "Vegetarian", "a\nb"] {
            assert_eq!(cached.count(text), GemmaCounter.count(text), "{text:?}");
        }
        assert_eq!(cached.distinct(), 3);
    }

    #[test]
    fn a_panic_in_one_thread_leaves_the_cache_usable() {
        struct Panics;
        impl TokenCounter for Panics {
            fn name(&self) -> &str {
                "panics on an empty text"
            }
            fn count(&self, text: &str) -> usize {
                assert!(!text.is_empty());
                1
            }
        }
        let cached = CachedCounter::new(Arc::new(Panics));
        thread::scope(|scope| assert!(scope.spawn(|| cached.count("")).join().is_err()));
        assert_eq!(cached.distinct(), 0);
        let texts: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        assert_eq!(texts.iter().map(|text| cached.count(text)).sum::<usize>(), 100);
    }
}
