//! What a person waits for while a pattern is being typed: 100,000 answers to one question, graded again within a frame
//! (16 ms).
//!
//! `cargo bench --bench triage`. Every answer has a text of its own, which is the worst case: equal texts are graded once.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use recallscope::bundled;
use recallscope::case::CaseSet;
use recallscope::grade::{AnswerKey, AnswerKeys};
use recallscope::provenance::Provenance;
use recallscope::recording::{Answer, AnswerGroup, Recording};
use recallscope::tokens::GemmaCounter;
use recallscope::triage::{Causes, Rescorer, Scores, Standing, Triage, compile};
use recallscope::workspace::Workspace;

const ANSWERS: usize = 100_000;
const QUESTION: &str = "Who approves my desk order?";

/// The bundled answers over and over, each a little different, all to one question.
fn workspace() -> Arc<Workspace> {
    let bundled_answers = Recording::load(&bundled::answers()).unwrap();
    let texts: Vec<String> =
        bundled_answers.groups.iter().flat_map(|group| &group.answers).map(|answer| answer.answer.clone()).collect();
    let strategies = ["managed-all", "managed-relevant", "append-all"];
    let answer = |number: usize| {
        let text = texts.iter().cycle().nth(number % texts.len()).cloned().unwrap_or_default();
        let text = if number.is_multiple_of(3) {
            format!("{text} Priya said so in note {number}.")
        } else {
            format!("{text} That is note {number}.")
        };
        Answer { seed: i64::try_from(number).ok(), answer: text, prompt_tokens: Some(100), ..Answer::default() }
    };
    let group = |(place, strategy): (usize, &str)| AnswerGroup {
        strategy: strategy.to_owned(),
        question: QUESTION.to_owned(),
        answers: (place..ANSWERS).step_by(strategies.len()).map(answer).collect(),
    };
    let recording = Recording {
        name: "bench".to_owned(),
        groups: strategies.into_iter().enumerate().map(group).collect(),
        ..bundled_answers
    };
    let cases = CaseSet::load(&bundled::cases()).unwrap();
    let keys = AnswerKeys::load(&bundled::answer_keys()).unwrap();
    Arc::new(Workspace::build(Arc::new(cases), keys, vec![recording], Arc::new(GemmaCounter)).unwrap())
}

fn key(must: &str, stale: Option<&str>) -> AnswerKey {
    let pattern = |text: &str| compile(text).unwrap();
    AnswerKey { must: vec![("Priya".to_owned(), pattern(must))], stale: stale.map(pattern), forgotten: None }
}

fn edits(c: &mut Criterion) {
    let workspace = workspace();
    let number = workspace.evaluation.cases.questions().position(|(_, q)| q.question == QUESTION).unwrap();
    let standing = Standing::of(&Triage::default(), &workspace);
    let mut group = c.benchmark_group("one edit over 100,000 answers");
    group.throughput(Throughput::Elements(ANSWERS as u64)).sample_size(40);
    let pairs = [
        ("a word", key(r"\bpriya\b", None), key(r"\bpriy\b", None)),
        ("a word that moves a third", key(r"\bpriya\b", None), key("note", None)),
        (
            "two numbers in a row",
            key(r"\b10(?:th)?\b[^\n]{0,25}\b13(?:th)?\b", None),
            key(r"\b10\b[^\n]{0,25}\b13\b", None),
        ),
        ("alternatives", key("manager|priya|approv", None), key("manager|priya|approve", None)),
        ("a refusal", key(r"do(?:es)? not have\b.*\bnotes", None), key(r"do(?:es)? not have\b.*\bnote", None)),
        ("stale, by sentence", key("note", Some(r"\blinux\b")), key("note", Some(r"\blinu\b"))),
    ];
    for (name, one, other) in pairs {
        let mut rescorer = Rescorer::new(workspace.clone(), &standing);
        rescorer.open(number);
        let mut flip = false;
        group.bench_function(name, |b| {
            b.iter(|| {
                flip = !flip;
                black_box(rescorer.edit(number, if flip { one.clone() } else { other.clone() }))
            });
        });
    }
    group.finish();
    let mut group = c.benchmark_group("100,000 answers");
    group.sample_size(10);
    group.bench_function("open the editor", |b| {
        b.iter_batched(
            || Rescorer::new(workspace.clone(), &standing),
            |mut rescorer| {
                rescorer.open(number);
                rescorer
            },
            criterion::BatchSize::LargeInput,
        );
    });
    group.bench_function("hold decisions against the answers", |b| {
        b.iter(|| black_box(Standing::of(&Triage::default(), &workspace)));
    });
    group.bench_function("three totals", |b| b.iter(|| black_box(Scores::of(&workspace, &standing))));
    group.bench_function("provenance", |b| b.iter(|| black_box(Provenance::of(&workspace))));
    let provenance = Provenance::of(&workspace);
    group.bench_function("causes", |b| b.iter(|| black_box(Causes::of(&workspace, &standing, &provenance))));
    group.finish();
}

criterion_group!(benches, edits);
criterion_main!(benches);
