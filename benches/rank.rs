//! Ranking measures at doubling sizes, the intervals of a comparison, and LoCoMo where `RECALLSCOPE_LOCOMO` names its folder.
//!
//! `cargo bench --bench rank`. Then `python benches/python/rank.py` does the measuring of the same rankings in plain Python:
//! run it on what `RECALLSCOPE_TREC_OUT=FOLDER cargo bench --bench rank -- trec` wrote.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fs::File;
use std::hint::black_box;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use recallscope::case::generate::scaled;
use recallscope::evaluate::Evaluation;
use recallscope::rank::{Cutoff, Measure, Pair, Ranking, SEED, Test, groups, interval, trec};
use recallscope::select;
use recallscope::tokens::TokenCounter;

#[path = "../tests/locomo/mod.rs"]
mod locomo;

/// Counts nothing: the histories have counted before.
struct NoTokens;

impl TokenCounter for NoTokens {
    fn name(&self) -> &str {
        "none"
    }
    fn count(&self, _: &str) -> usize {
        1
    }
}

fn evaluated(cases: recallscope::case::CaseSet) -> Evaluation {
    Evaluation::run(Arc::new(cases), select::builtin(), Arc::new(NoTokens)).unwrap()
}

fn rankings(c: &mut Criterion) {
    let mut group = c.benchmark_group("rank, three strategies");
    group.sample_size(10);
    for users in [125, 250, 500, 1_000] {
        let evaluation = evaluated(scaled(users, 100, 100));
        let questions = evaluation.question_count();
        group.throughput(Throughput::Elements(questions as u64));
        group.bench_with_input(BenchmarkId::new("questions", questions), &evaluation, |b, evaluation| {
            b.iter(|| black_box(Ranking::of(evaluation, &Cutoff::DEFAULT)));
        });
    }
    for events in [1_000, 2_000, 4_000, 8_000] {
        let evaluation = evaluated(scaled(1, events, 100));
        group.throughput(Throughput::Elements(events as u64));
        group.bench_with_input(BenchmarkId::new("100 questions, events", events), &evaluation, |b, evaluation| {
            b.iter(|| black_box(Ranking::of(evaluation, &Cutoff::DEFAULT)));
        });
    }
    match locomo::folder() {
        Some(folder) => {
            let evaluation = evaluated(locomo::cases(&folder));
            group.throughput(Throughput::Elements(evaluation.question_count() as u64));
            group.bench_function("LoCoMo", |b| b.iter(|| black_box(Ranking::of(&evaluation, &Cutoff::DEFAULT))));
            let texts: Vec<&str> =
                evaluation.histories.iter().flat_map(|h| &h.events).map(|event| event.text.as_str()).collect();
            group.throughput(Throughput::Elements(texts.len() as u64));
            group.bench_function("LoCoMo, near-duplicates of all turns as one history", |b| {
                b.iter(|| black_box(groups(texts.iter().copied())));
            });
        }
        None => eprintln!("skipped: RECALLSCOPE_LOCOMO names no folder with the LoCoMo data"),
    }
    group.finish();
}

fn pairs(c: &mut Criterion) {
    let mut group = c.benchmark_group("pair");
    group.sample_size(10);
    let evaluation = evaluated(scaled(1_000, 100, 100));
    let ranking = Ranking::of(&evaluation, &Cutoff::DEFAULT);
    let pair = Pair::new(&ranking, 1, 0, 3, None);
    group.bench_function("what a key in Compare derives, 100,000 questions", |b| {
        b.iter(|| {
            black_box((
                pair.difference(Measure::Recall, SEED),
                Test::ALL.map(|test| pair.test(test)),
                pair.flips(Test::Any),
            ))
        });
    });
    for questions in [12_500, 25_000, 50_000, 100_000] {
        // All different: drawn one by one, the slow way.
        let values: Vec<f64> = (0..questions).map(|i| f64::from(i).sin()).collect();
        group.throughput(Throughput::Elements(u64::try_from(questions).unwrap()));
        group.bench_with_input(BenchmarkId::new("interval, all values differ", questions), &values, |b, values| {
            b.iter(|| black_box(interval(values, SEED)));
        });
    }
    group.finish();
}

/// Writes rankings for `benches/python/rank.py`, and says how long it takes here to count them: sent rankings, so that
/// neither side ranks anything.
fn trec_for_python(_: &mut Criterion) {
    let Some(folder) = std::env::var_os("RECALLSCOPE_TREC_OUT").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    let cases = locomo::folder().map_or_else(|| scaled(20, 500, 100), |folder| locomo::cases(&folder));
    let evaluation = evaluated(cases);
    let file = |name: &str| BufWriter::new(File::create(folder.join(name)).unwrap());
    trec::qrels(&evaluation, &mut file("qrels.txt")).unwrap();
    for (place, strategy) in evaluation.strategies.iter().enumerate() {
        trec::run(&evaluation, place, &mut file(&format!("{}.run", strategy.name()))).unwrap();
    }
    let began = Instant::now();
    let ranking = Ranking::of(&evaluation, &Cutoff::DEFAULT);
    let ranked = began.elapsed().as_secs_f64();
    let began = Instant::now();
    for cutoff in 0..ranking.cutoffs().len() {
        for measure in Measure::ALL {
            black_box(Pair::new(&ranking, 1, 0, cutoff, None).difference(measure, SEED));
        }
    }
    let text = serde_json::json!({
        "questions": evaluation.question_count(),
        "ranked": ranked,
        "intervals": began.elapsed().as_secs_f64(),
    });
    std::fs::write(folder.join("ours.json"), text.to_string()).unwrap();
}

criterion_group!(benches, rankings, pairs, trec_for_python);
criterion_main!(benches);
