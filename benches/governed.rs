//! The governed store in a file, from 125,000 to 1,000,000 records in 100 to a scope: writing, reading at present, reading at
//! both clocks, deleting a subject, each size beside the one before.
//!
//! `cargo bench --bench governed`. A ratio of 2 is linear growth, of 1 none. `RECALLSCOPE_RECORDS=N` stops at so many.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, missing_docs)]

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use recallscope::governed::{Candidate, Kind, Query, Scope, Source, Store};

/// Records of each scope: 40 slots, told two or three times.
const PER_SCOPE: usize = 100;
const SLOTS: usize = 40;
const TENANTS: usize = 100;
/// Candidates that one transaction takes.
const BATCH: usize = 10_000;
/// Reads that are timed, each of another scope.
const READS: usize = 2_000;

const WORDS: [&str; 16] = [
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven", "iris", "juniper", "krill", "lotus",
    "maple", "nectar", "onyx", "pearl",
];

fn scope(number: usize) -> Scope {
    Scope::new(format!("tenant-{}", number % TENANTS), Some(format!("user-{number}"))).unwrap()
}

/// The record of a scope: the first 40 begin its slots, the others replace their values.
fn candidate(scope_number: usize, record: usize) -> Candidate {
    let slot = record % SLOTS;
    Candidate {
        key: format!("{} {}", WORDS[slot % WORDS.len()], slot),
        value: format!("{} {record} of {scope_number}", WORDS[(slot + record) % WORDS.len()]),
        scope: scope(scope_number),
        evidence: format!("turn-{record}"),
        time: 10 * record as i64,
        kind: Kind::Semantic,
        source: Source::User,
        confidence: 1.0,
        ttl: None,
    }
}

fn seconds<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let done = black_box(work());
    (done, started.elapsed().as_secs_f64())
}

struct Costs {
    records: usize,
    /// Seconds a record.
    write: f64,
    /// Seconds a read.
    present: f64,
    both: f64,
    /// Seconds for one subject, the file rewritten without its text; and for rewriting alone.
    delete: f64,
    rewrite: f64,
    bytes: u64,
}

fn costs(path: &Path, records: usize) -> Costs {
    let scopes = records / PER_SCOPE;
    let mut store = Store::open(path).unwrap();
    let mut write = 0.0;
    let all = (0..records).map(|at| (at % scopes, at / scopes));
    let mut batch = Vec::with_capacity(BATCH);
    for (scope, record) in all {
        batch.push(candidate(scope, record));
        if batch.len() == BATCH {
            write += seconds(|| store.turn_all(&batch).unwrap()).1;
            batch.clear();
        }
    }
    write += seconds(|| store.turn_all(&batch).unwrap()).1;
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    let asked: Vec<(Query, i64)> = (0..READS)
        .map(|read| {
            let slot = read % SLOTS;
            let query = Query::new(
                format!("what is {} {slot}?", WORDS[slot % WORDS.len()]),
                // A step that shares no factor with the number of scopes visits other ones each time.
                scope((read * 7919) % scopes),
            );
            (query, 10 * (slot as i64 + 20))
        })
        .collect();
    let (answered, present) =
        seconds(|| asked.iter().filter(|(query, _)| store.look(query).unwrap().answer().is_some()).count());
    assert_eq!(answered, READS, "every slot has a value");
    let ((), both) = seconds(|| {
        for (query, at) in &asked {
            let past = store.believed_at(&query.text, &query.scope, *at + 5, Some(*at)).unwrap();
            assert!(past.answer().is_some(), "every slot had a value by then");
        }
    });
    let subject = scope(scopes / 2);
    let (manifest, delete) = seconds(|| store.delete_subject(&subject).unwrap());
    assert!(manifest.complete && manifest.record_ids.len() == PER_SCOPE);
    // The file is written anew at each deletion; what that alone takes, by SQLite itself.
    let own = rusqlite::Connection::open(path).unwrap();
    let ((), rewrite) = seconds(|| own.execute_batch("PRAGMA secure_delete = ON; VACUUM").unwrap());
    Costs {
        records,
        write: write / records as f64,
        present: present / READS as f64,
        both: both / READS as f64,
        delete,
        rewrite,
        bytes,
    }
}

fn main() {
    let most = std::env::var("RECALLSCOPE_RECORDS").ok().and_then(|most| most.parse().ok()).unwrap_or(1_000_000);
    println!("{PER_SCOPE} records a scope; the ratio to half as many records in brackets");
    println!("   records  scopes   write/s    present us   both clocks us   delete ms    of that rewriting ms    MB");
    let mut before: Option<Costs> = None;
    for records in [125_000, 250_000, 500_000, 1_000_000].into_iter().filter(|records| *records <= most) {
        let folder = tempfile::tempdir().unwrap();
        let now = costs(&folder.path().join("memory.sqlite"), records);
        let ratio = |of: fn(&Costs) -> f64| {
            before.as_ref().map_or_else(String::new, |before| format!("({:.2})", of(&now) / of(before)))
        };
        println!(
            "{:>10} {:>7} {:>7.0} {:<6} {:>6.1} {:<6} {:>7.1} {:<6} {:>7.1} {:<6} {:>7.0} {:<6} {:>5.0}",
            now.records,
            now.records / PER_SCOPE,
            1.0 / now.write,
            ratio(|costs| costs.write),
            now.present * 1e6,
            ratio(|costs| costs.present),
            now.both * 1e6,
            ratio(|costs| costs.both),
            now.delete * 1e3,
            ratio(|costs| costs.delete),
            now.rewrite * 1e3,
            ratio(|costs| costs.rewrite),
            now.bytes as f64 / 1e6,
        );
        before = Some(now);
    }
}
