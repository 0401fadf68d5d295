//! The key audit: doubling sizes of a made case set, and LoCoMo with five runs where `RECALLSCOPE_LOCOMO` names its folder.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use recallscope::audit::audit;
use recallscope::case::CaseSet;
use recallscope::case::generate::scaled;
use recallscope::grade::AnswerKeys;
use recallscope::recording::Recording;
use recallscope::source::Source;
use recallscope::tokens::GemmaCounter;
use recallscope::workspace::Workspace;

#[path = "../tests/locomo/mod.rs"]
mod locomo;

/// A made case set whose questions are all answered once.
fn answered(users: usize) -> Workspace {
    let cases: CaseSet = scaled(users, 100, 100);
    let answers: serde_json::Map<String, serde_json::Value> = cases
        .questions()
        .map(|(_, question)| {
            let answer =
                serde_json::json!([{ "answer": "I do not have any stored notes about that.", "judge": [false] }]);
            (question.id.clone(), answer)
        })
        .collect();
    let text = serde_json::json!({ "answers": { "managed-all": answers } }).to_string();
    let recording = Recording::load(&Source::new("answers.json", text)).unwrap();
    Workspace::build(Arc::new(cases), AnswerKeys::default(), vec![recording], Arc::new(GemmaCounter)).unwrap()
}

fn audits(c: &mut Criterion) {
    let mut group = c.benchmark_group("audit");
    group.sample_size(10);
    for users in [25, 50, 100] {
        let workspace = answered(users);
        let questions = workspace.evaluation.question_count();
        group.throughput(Throughput::Elements(questions as u64));
        group.bench_with_input(BenchmarkId::new("questions", questions), &workspace, |b, workspace| {
            b.iter(|| black_box(audit(workspace)));
        });
    }
    match locomo::folder() {
        Some(folder) => {
            let workspace = locomo::workspace(&folder);
            group.throughput(Throughput::Elements(workspace.evaluation.question_count() as u64));
            group.bench_function("LoCoMo, five runs", |b| b.iter(|| black_box(audit(&workspace))));
        }
        None => eprintln!("skipped: RECALLSCOPE_LOCOMO names no folder with the LoCoMo data"),
    }
    group.finish();
}

criterion_group!(benches, audits);
criterion_main!(benches);
