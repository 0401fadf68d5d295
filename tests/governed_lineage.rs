//! Random lineages: after one of the contributors is deleted, nothing that is left tells a word of theirs alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use proptest::prelude::*;
use recallscope::governed::{Candidate, Kind, Scope, Source, Status, Store};

const PEOPLE: [Option<&str>; 4] = [Some("mina"), Some("li"), Some("omar"), None];

#[derive(Debug, Clone)]
struct Summary {
    owner: usize,
    procedural: bool,
    parents: Vec<usize>,
    /// Which words of its parents it repeats.
    repeats: u64,
}

fn summary() -> impl Strategy<Value = Summary> {
    (prop_oneof![1 => 0..3_usize, 4 => Just(3)], any::<bool>(), prop::collection::vec(0..20_usize, 2..7), any::<u64>())
        .prop_map(|(owner, procedural, parents, repeats)| Summary { owner, procedural, parents, repeats })
}

fn candidate(owner: usize, kind: Kind, value: String, time: i64) -> Candidate {
    Candidate {
        key: format!("note{time}"),
        value,
        scope: Scope::new("acme", PEOPLE[owner].map(str::to_owned)).unwrap(),
        evidence: format!("evidence{time}"),
        time,
        kind,
        source: Source::VerifiedTool,
        confidence: 1.0,
        ttl: None,
    }
}

/// Episodes with a word of their owner's alone, and summaries of those and of episodic summaries.
fn build(owners: &[usize], summaries: &[Summary]) -> Store {
    let mut store = Store::in_memory().unwrap();
    let mut episodes: Vec<(String, String)> = Vec::new();
    for (at, owner) in owners.iter().enumerate() {
        let value = format!("word{owner}x{at} common");
        let written = store.write(&candidate(*owner, Kind::Episodic, value.clone(), at as i64), None, None).unwrap();
        episodes.push((written.id.unwrap(), value));
    }
    for (at, made) in summaries.iter().enumerate() {
        let parents: Vec<&(String, String)> =
            made.parents.iter().map(|parent| &episodes[parent % episodes.len()]).collect();
        let words = parents.iter().flat_map(|(_, text)| text.split(' ')).enumerate();
        let told: Vec<&str> =
            words.filter(|(place, _)| made.repeats >> (place % 64) & 1 == 1).map(|(_, word)| word).collect();
        let value = format!("gist {}", told.join(" "));
        let ids: Vec<String> = parents.iter().map(|(id, _)| id.clone()).collect();
        let kind = if made.procedural { Kind::Procedural } else { Kind::Episodic };
        let proposed = candidate(made.owner, kind, value.clone(), 100 + at as i64);
        // Summaries of what their owner may not read are refused; they are no part of the lineage.
        if let Some(id) = store.consolidate(&ids, &proposed, None).unwrap().id
            && kind == Kind::Episodic
        {
            episodes.push((id, value));
        }
    }
    store
}

fn check(store: &Store) {
    assert_eq!(store.verify_index().unwrap(), []);
    let records = store.records().unwrap();
    let deleted = |id: &String| records.iter().any(|row| row.id == *id && row.status == Status::Deleted);
    for row in records.iter().filter(|row| row.status != Status::Deleted) {
        let text = row.value.as_deref().unwrap();
        assert!(!text.contains("word0x"), "{} still says {text:?}", row.id);
        assert_ne!(row.scope.user(), PEOPLE[0]);
        assert!(!store.parents(&row.id).unwrap().iter().any(deleted), "{} rests on what was deleted", row.id);
    }
}

fn delete_the_first(owners: &[usize], summaries: &[Summary], in_two_steps: bool) {
    let mut store = build(owners, summaries);
    let mina = Scope::new("acme", PEOPLE[0].map(str::to_owned)).unwrap();
    if in_two_steps {
        let open = store.delete_subject(&mina).unwrap().open;
        assert_eq!(store.invalidate(Some(&mina)).unwrap(), open);
        assert!(store.delete_subject(&mina).unwrap().complete);
    } else {
        assert!(store.delete_shared(&mina, 1000).unwrap().manifest.complete);
    }
    check(&store);
    // A second deletion finds nothing to do.
    let again = store.delete_shared(&mina, 2000).unwrap();
    assert!(again.manifest.complete && again.manifest.record_ids.is_empty() && again.artifacts.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_word_of_a_deleted_person_is_left(
        owners in prop::collection::vec(0..4_usize, 3..9),
        summaries in prop::collection::vec(summary(), 0..9),
        in_two_steps in any::<bool>(),
    ) {
        delete_the_first(&owners, &summaries, in_two_steps);
    }
}

/// A subject that owns no record of its own, but a summary on which a shared one rests: the shared one is as open as hers.
#[test]
fn what_rests_on_a_derived_record_of_the_subject_is_open_with_it() {
    let of =
        |owner: usize, parents: [usize; 2]| Summary { owner, procedural: false, parents: parents.into(), repeats: 0 };
    let summaries = [of(2, [3, 0]), of(3, [4, 0]), of(0, [8, 5]), of(3, [0, 6])];
    for in_two_steps in [true, false] {
        delete_the_first(&[2, 2, 3, 2], &summaries, in_two_steps);
    }
}
