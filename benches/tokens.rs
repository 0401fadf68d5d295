//! How fast tokens are counted: `cargo bench --bench tokens`.
#![allow(missing_docs, clippy::expect_used, reason = "the benchmark macros make undocumented items")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use recallscope::tokens::{GemmaCounter, TokenCounter};

#[path = "../tests/reference/mod.rs"]
mod reference;

use reference::vocabulary::Vocabulary;

/// Lines of the length of a memory block's.
const LINES: [&str; 8] = [
    "- [#8] Move the trip to 10 to 13 November.",
    "- [#2] I am vegetarian and allergic to peanuts.",
    "- [#5] The hotel may cost at most 140 euros per night.",
    "- [#11] My passport number is X1234567.",
    "- [#3] Please send the welcome package to the office in Lisbon.",
    "- [#21] The laptop runs Fedora 43.",
    "- [#14] Standups are on Tuesday at 9:30.",
    "- [#30] My manager approves the desk order.",
];

fn short_lines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("short lines");
    group.throughput(Throughput::Elements(LINES.len() as u64));
    group.bench_function("built-in", |bencher| {
        bencher.iter(|| LINES.iter().map(|line| GemmaCounter.count(black_box(line))).sum::<usize>());
    });
    let raw = reference::raw_vocabulary();
    let vocabulary = Vocabulary::parse(&raw).expect("the vendored vocabulary");
    let library = reference::tokenizer(&vocabulary);
    let count = |line: &str| library.encode_fast(black_box(line), false).expect("any text encodes").len();
    // First, before the other run fills the cache, which takes no more then.
    group.bench_function("tokenizers, each line in its cache", |bencher| {
        bencher.iter(|| LINES.iter().map(|line| count(line)).sum::<usize>());
    });
    group.bench_function("tokenizers, each line new to its cache", |bencher| {
        let mut number = 0_u64;
        bencher.iter(|| {
            number += 1;
            LINES.iter().map(|line| count(&format!("{line} {number}"))).sum::<usize>()
        });
    });
    group.finish();
}

fn load_and_count(criterion: &mut Criterion) {
    let raw = reference::raw_vocabulary();
    let vocabulary = Vocabulary::parse(&raw).expect("the vendored vocabulary");
    let mut group = criterion.benchmark_group("first count");
    group.sample_size(10);
    group.bench_function("tokenizers", |bencher| {
        bencher.iter_batched(
            || (),
            |()| reference::tokenizer(&vocabulary).encode_fast(LINES.concat(), false).expect("any text encodes").len(),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn long_text(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one line of 1 MB");
    group.sample_size(10);
    let words: String = LINES.join(" ").repeat(3000).chars().take(1_000_000).collect();
    for (name, text) in [("words", words), ("one character", "a".repeat(1_000_000))] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| GemmaCounter.count(black_box(&text))));
    }
    group.finish();
}

criterion_group!(benches, short_lines, load_and_count, long_text);
criterion_main!(benches);
