//! Importing: made files of LongMemEval's shape at doubling sizes, beside a plain Python script of the same rules, and LoCoMo
//! with its seven answer sets where `RECALLSCOPE_LOCOMO` names their folder.
#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use recallscope::case::{CaseSet, Fact};
use recallscope::import::write::CaseWriter;
use recallscope::import::{CaseImport, Format, Opened, Options, Progress, generate, read_cases, stream_cases};
use recallscope::open::{self, Inputs};
use recallscope::source::Source;

fn read(path: &Path) -> CaseSet {
    let opened = Opened::open(path, &Progress::default()).unwrap();
    let CaseImport { cases, .. } = read_cases(opened, None, Format::Longmemeval, Options::default()).unwrap();
    cases
}

fn write(path: &Path, to: &Path) {
    let opened = Opened::open(path, &Progress::default()).unwrap();
    let mut writer = CaseWriter::create(to).unwrap();
    let mut take = |conversation| writer.write(&conversation);
    let (_, quota) = stream_cases(opened, None, Format::Longmemeval, Options::default(), &mut take).unwrap();
    writer.finish(quota, None).unwrap();
}

/// Questions, events and facts: what both programs must agree on.
fn sums(cases: &CaseSet) -> (usize, usize, usize) {
    let events = cases.conversations.iter().map(|conversation| conversation.events.len()).sum();
    let facts = |facts: &[Fact]| facts.len();
    let facts = cases.questions().map(|(_, question)| facts(&question.required) + facts(&question.stale)).sum();
    (cases.question_count(), events, facts)
}

/// Runs the script once and prints how many times longer it took.
fn against_python(path: &Path, to: &Path, bytes: u64) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/python/import_longmemeval.py");
    for written in [false, true] {
        let mut command = Command::new("python3");
        command.arg(script).arg(path);
        let started = Instant::now();
        if written {
            command.arg(to);
            write(path, to);
        } else {
            black_box(read(path));
        }
        let ours = started.elapsed().as_secs_f64();
        let what = if written { "read and written" } else { "read" };
        let Ok(output) = command.output() else { return println!("python3 is not there to compare with") };
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let numbers: Vec<f64> = printed.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let [theirs, questions, events, facts] = numbers.as_slice() else { return println!("the script failed") };
        let (own_questions, own_events, own_facts) = sums(&read(path));
        assert_eq!([*questions, *events, *facts], [own_questions, own_events, own_facts].map(|number| number as f64));
        let rate = bytes as f64 / 1e6;
        println!(
            "{rate:.0} MB {what}: {:.0} MB/s, in Python {:.0} MB/s, {:.1} times as long",
            rate / ours,
            rate / theirs,
            theirs / ours
        );
    }
}

fn longmemeval(c: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let mut group = c.benchmark_group("import/longmemeval");
    group.sample_size(10);
    for questions in [25, 50, 100] {
        let path = folder.path().join(format!("{questions}.json"));
        let to = folder.path().join("out.json");
        generate::longmemeval(questions, &mut std::fs::File::create(&path).unwrap()).unwrap();
        let bytes = std::fs::metadata(&path).unwrap().len();
        group.throughput(Throughput::Bytes(bytes));
        group.bench_with_input(BenchmarkId::new("read", questions), &path, |b, path| b.iter(|| black_box(read(path))));
        group.bench_with_input(BenchmarkId::new("read and write", questions), &path, |b, path| {
            b.iter(|| write(path, &to));
        });
        let own = std::fs::metadata(&to).unwrap().len();
        group.throughput(Throughput::Bytes(own));
        group.bench_with_input(BenchmarkId::new("own cases", questions), &to, |b, path| {
            b.iter(|| black_box(CaseSet::load(&Source::read(path).unwrap()).unwrap()));
        });
        against_python(&path, &to, bytes);
    }
    group.finish();
}

fn locomo(c: &mut Criterion) {
    let Some(folder) = std::env::var_os("RECALLSCOPE_LOCOMO").map(std::path::PathBuf::from) else {
        return println!("RECALLSCOPE_LOCOMO names no folder with the LoCoMo data");
    };
    let mut files: Vec<_> =
        std::fs::read_dir(folder.join("answers")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let inputs = Inputs { cases: Some(folder.join("locomo10.json")), files, ..Inputs::default() };
    c.bench_function("import/locomo with seven answer sets", |b| {
        b.iter(|| black_box(open::read(&inputs, &Progress::default()).unwrap()));
    });
}

criterion_group!(benches, longmemeval, locomo);
criterion_main!(benches);
