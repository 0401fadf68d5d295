//! The strategies: all of them on doubling sizes of a made case set, BM25 beside a plain Python script of the same rules,
//! and all questions of LoCoMo where `RECALLSCOPE_LOCOMO` names its folder.
//!
//! `cargo bench --bench strategies`. Prints a table: a size, its time, and the ratio to the line before, which is 2 where the
//! cost is linear.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

use std::hint::black_box;
use std::io::Write;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use recallscope::case::generate::{scaled, to_json};
use recallscope::case::{CaseSet, Question};
use recallscope::evaluate::Evaluation;
use recallscope::memory::StoreKind;
use recallscope::select::{self, Analysis, Bm25, Pool, Projection, Query, Strategy};
use recallscope::tokens::GemmaCounter;

#[path = "../tests/locomo/mod.rs"]
mod locomo;

/// The least of three runs, in seconds.
fn timed<T>(mut work: impl FnMut() -> T) -> f64 {
    let run = |_| {
        let started = Instant::now();
        black_box(work());
        started.elapsed().as_secs_f64()
    };
    (0..3).map(run).fold(f64::INFINITY, f64::min)
}

fn builtin() -> Vec<Arc<dyn Strategy>> {
    let all = select::choose(&["all".to_owned()]).unwrap();
    all.iter().filter_map(|chosen| chosen.strategy(None)).collect()
}

/// What the strategies take beside what an evaluation takes without any.
fn of_strategies(cases: &Arc<CaseSet>, strategies: &[Arc<dyn Strategy>]) -> f64 {
    let run = |strategies: Vec<Arc<dyn Strategy>>| {
        timed(|| Evaluation::run(Arc::clone(cases), strategies.clone(), Arc::new(GemmaCounter)).unwrap())
    };
    run(strategies.to_vec()) - run(Vec::new())
}

fn doubling() {
    println!("all {} built-in strategies, by questions (100 to a conversation of 100 events):", builtin().len());
    let mut before = None;
    for users in [125, 250, 500, 1000] {
        let cases = Arc::new(scaled(users, 100, 100));
        let seconds = of_strategies(&cases, &builtin());
        let ratio = before.map_or_else(String::new, |before: f64| format!("  x {:.2}", seconds / before));
        println!("  {:>7} questions {:>8.0} ms{ratio}", cases.question_count(), seconds * 1e3);
        before = Some(seconds);
    }
    println!("bm25-stem alone, by events of one user (1,000 questions):");
    let mut before = None;
    for events in [12_500, 25_000, 50_000, 100_000] {
        let cases = Arc::new(scaled(1, events, 1000));
        let seconds = of_strategies(&cases, &[Arc::new(Bm25(Analysis::Stem))]);
        let ratio = before.map_or_else(String::new, |before: f64| format!("  x {:.2}", seconds / before));
        println!("  {events:>7} events    {:>8.0} ms{ratio}", seconds * 1e3);
        before = Some(seconds);
    }
}

/// The place of the first record's event, added up: what the Python script prints too.
fn by_bm25(cases: &CaseSet, histories: &[recallscope::memory::History]) -> usize {
    let mut check = 0;
    for (conversation, history) in cases.conversations.iter().zip(histories) {
        let pool = Pool::at(history, StoreKind::Managed, history.len());
        for question in &conversation.questions {
            let ranking = Bm25(Analysis::Plain).rank(Query { question, history }, &pool);
            check += ranking.first().map_or(0, |ranked| pool.records()[ranked.index].record.event);
        }
    }
    check
}

fn beside_python() {
    println!("bm25 beside plain Python (one thread each):");
    for users in [125, 250, 500] {
        let cases = Arc::new(scaled(users, 100, 100));
        let evaluation = Evaluation::run(Arc::clone(&cases), Vec::new(), Arc::new(GemmaCounter)).unwrap();
        let ours = timed(|| by_bm25(&cases, &evaluation.histories));
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(to_json(&cases).unwrap().as_bytes()).unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/python/bm25.py");
        let Ok(output) = Command::new("python3").arg(script).arg(file.path()).output() else {
            println!("  skipped: there is no python3");
            return;
        };
        let theirs: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the script prints JSON");
        assert_eq!(theirs["check"], by_bm25(&cases, &evaluation.histories), "both rank alike");
        let python = theirs["seconds"].as_f64().unwrap();
        println!(
            "  {:>7} questions {:>8.1} ms, Python {:>8.1} ms: {:.0} times as fast",
            cases.question_count(),
            ours * 1e3,
            python * 1e3,
            python / ours
        );
    }
}

fn on_locomo() {
    let Some(folder) = locomo::folder() else {
        println!("LoCoMo: skipped, RECALLSCOPE_LOCOMO names no folder");
        return;
    };
    let mut cases = locomo::cases(&folder);
    let text = std::fs::read_to_string(folder.join("locomo10.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (conversation, value) in cases.conversations.iter_mut().zip(file.as_array().unwrap()) {
        for event in &mut conversation.events {
            event.text = format!("{}: {}", event.speaker.as_deref().unwrap_or_default(), event.text);
        }
        // Those to abstain from as well.
        for qa in value["qa"].as_array().unwrap().iter().filter(|qa| qa["category"] == 5) {
            let id = format!("{}/{}", conversation.user, conversation.questions.len());
            let question = qa["question"].as_str().unwrap().to_owned();
            conversation.questions.push(Question { id, question, ..Question::default() });
        }
    }
    let cases = Arc::new(cases);
    println!("LoCoMo, {} questions:", cases.question_count());
    println!("  every built-in strategy {:>8.0} ms", of_strategies(&cases, &builtin()) * 1e3);
    for strategy in builtin() {
        let seconds = of_strategies(&cases, std::slice::from_ref(&strategy));
        println!("  {:23} {:>8.1} ms", strategy.name(), seconds * 1e3);
    }
    let evaluation = Evaluation::run(Arc::clone(&cases), Vec::new(), Arc::new(GemmaCounter)).unwrap();
    for analysis in Analysis::ALL {
        let seconds = timed(|| {
            for (conversation, history) in cases.conversations.iter().zip(&evaluation.histories) {
                let pool = Pool::at(history, StoreKind::Managed, history.len());
                let texts = pool.records().iter().map(|entry| entry.record.text.as_str());
                let projection = Projection::of(texts, analysis).unwrap();
                for question in &conversation.questions {
                    black_box(projection.rank(&question.question).unwrap());
                }
            }
        });
        println!("  the same ranking by an FTS5 table, {}, one thread: {:.0} ms", analysis.tokenizer(), seconds * 1e3);
    }
}

fn main() {
    on_locomo();
    doubling();
    beside_python();
}
