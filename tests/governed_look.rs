//! Looking at a store's file: what its log holds is seen, nothing of it changes, and what is wrong with it is said.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::path::Path;

use recallscope::governed::{Candidate, GovernedError, Kind, Scope, Snapshot, Source, Store};

fn mina() -> Scope {
    Scope::new("acme", Some("mina".into())).unwrap()
}

fn fact(value: &str, time: i64) -> Candidate {
    Candidate {
        key: "home city".into(),
        value: value.into(),
        scope: mina(),
        evidence: format!("t{time}"),
        time,
        kind: Kind::Semantic,
        source: Source::User,
        confidence: 1.0,
        ttl: None,
    }
}

/// Every file of a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap()))
        .collect()
}

#[test]
fn a_file_that_is_looked_at_keeps_its_bytes_and_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.sqlite");
    let mut store = Store::open(&path).unwrap();
    store.write(&fact("Munich", 10), None, None).unwrap();
    drop(store);
    let before = files(folder.path());
    assert_eq!(before.len(), 1, "closed: the log is folded in");
    let mut looked = Snapshot::read(&path).unwrap().open().unwrap();
    assert_eq!(looked.list(&mina()).unwrap()[0].value.as_deref(), Some("Munich"));
    looked.write(&fact("Berlin", 20), None, None).unwrap();
    assert!(looked.delete_subject(&mina()).unwrap().complete);
    drop(looked);
    assert_eq!(files(folder.path()), before);
}

#[test]
fn what_only_the_log_holds_is_seen_while_a_writer_lives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.sqlite");
    let mut store = Store::open(&path).unwrap();
    for time in 0..200 {
        store.write(&fact(&format!("place {time}"), time), None, None).unwrap();
        if time % 37 == 0 {
            // The writer's own reading marks its place in the shared memory, so it comes first.
            let records = store.records().unwrap();
            let before = files(folder.path());
            assert!(!before["memory.sqlite-wal"].is_empty());
            let looked = Snapshot::read(&path).unwrap().open().unwrap();
            assert_eq!(looked.records().unwrap(), records, "after {time}");
            assert_eq!(looked.verify_index().unwrap(), []);
            drop(looked);
            assert!(files(folder.path()) == before, "a file changed after {time}");
        }
    }
}

#[test]
fn half_a_transaction_in_the_log_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.sqlite");
    let mut store = Store::open(&path).unwrap();
    store.write(&fact("Munich", 10), None, None).unwrap();
    let all = store.records().unwrap();
    let copy = folder.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    let log = std::fs::read(folder.path().join("memory.sqlite-wal")).unwrap();
    let at = copy.join("memory.sqlite");
    std::fs::copy(&path, &at).unwrap();
    let seen = |log: &[u8]| {
        std::fs::write(copy.join("memory.sqlite-wal"), log).unwrap();
        Snapshot::read(&at).and_then(|snapshot| snapshot.open()).and_then(|store| store.records())
    };
    assert_eq!(seen(&log).unwrap(), all);
    let mut torn = log.clone();
    torn.truncate(log.len() - 1000);
    let fewer = seen(&torn).map_or(0, |records| records.len());
    assert_eq!(fewer, 0, "the write was not whole");
    let mut flipped = log.clone();
    let last = flipped.len() - 100;
    flipped[last] ^= 1;
    assert_eq!(seen(&flipped).map_or(0, |records| records.len()), 0);
    let mut foreign = log.clone();
    foreign[0] ^= 1;
    assert!(seen(&foreign).map_or(0, |records| records.len()) == 0);
}

#[test]
fn what_cannot_be_looked_at_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.sqlite");
    let words = |path: &Path| Snapshot::read(path).unwrap_err().to_string();
    assert_eq!(words(&path), "cannot be read: no such file");
    assert_eq!(words(folder.path()), "cannot be read: it is a folder");
    std::fs::write(&path, "").unwrap();
    assert!(matches!(Snapshot::read(&path), Err(GovernedError::Empty)));
    std::fs::write(&path, "no database, only words ".repeat(100)).unwrap();
    assert!(words(&path).contains("file is not a database"), "{}", words(&path));
    std::fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    assert!(matches!(Snapshot::read(&path), Err(GovernedError::Foreign)));

    std::fs::remove_file(&path).unwrap();
    let mut store = Store::open(&path).unwrap();
    for time in 0..300 {
        store.write(&fact(&format!("place {time}"), time), None, None).unwrap();
    }
    drop(store);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let cut = words(&path);
    assert!(cut.contains("malformed") || cut.contains("damaged"), "{cut}");
    std::fs::write(&path, &whole).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    assert!(words(&path).contains("use a newer recallscope"), "{}", words(&path));
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn an_interrupted_deletion_is_told_and_left_to_the_next_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.sqlite");
    let mut store = Store::open(&path).unwrap();
    store.write(&fact("Munich", 10), None, None).unwrap();
    drop(store);
    assert!(!Snapshot::read(&path).unwrap().open().unwrap().waits_for_scrub().unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("INSERT INTO deletion (scope, subject, records, up_to) VALUES (1, 1, '[]', 1)", []).unwrap();
    drop(connection);
    let before = files(folder.path());
    assert!(Snapshot::read(&path).unwrap().open().unwrap().waits_for_scrub().unwrap());
    assert_eq!(files(folder.path()), before);
    assert!(!Store::open(&path).unwrap().waits_for_scrub().unwrap());
}

/// Belief in the history is the belief that a read finds, at every pair of clocks.
#[test]
fn the_history_believes_what_a_read_believes() {
    let mut store = Store::in_memory().unwrap();
    let write = |store: &mut Store, value: &str, time: i64, now: i64, corrects: Option<&str>| {
        store.write(&Candidate { evidence: format!("e{now}"), ..fact(value, time) }, Some(now), corrects).unwrap().id
    };
    write(&mut store, "Munich", 10, 10, None);
    let wrong = write(&mut store, "Berlin", 18, 30, None).unwrap();
    write(&mut store, "Ulm", 14, 31, None);
    write(&mut store, "Hamburg", 12, 40, Some(&wrong));
    write(&mut store, "Rome", 50, 45, None);
    let history = store.history(&mina()).unwrap();
    assert_eq!(history.valid_instants(), [10, 12, 14, 18, 50]);
    assert_eq!(history.known_moments(), [10, 30, 31, 40, 45]);
    for known in 9..50 {
        for valid in 8..55 {
            let read = store.believed_at("home city", &mina(), known, Some(valid)).unwrap();
            let held: Vec<_> = history.believed(Some(known)).filter(|version| version.span.holds(valid)).collect();
            let values: Vec<_> = held.iter().map(|version| version.kept.record.value.as_deref()).collect();
            assert!(values.len() < 2, "known at {known}, as of {valid}: {values:?}");
            assert_eq!(values.first().copied().flatten(), read.value(), "known at {known}, as of {valid}");
        }
    }
}
