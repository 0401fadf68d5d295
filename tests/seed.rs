//! The recorded evaluation, computed anew, and what must be true of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::sync::Arc;

use common::workspace;
use recallscope::case::generate::bundled_cases;
use recallscope::case::{CaseSet, Op};
use recallscope::evaluate::Evaluation;
use recallscope::explain::{Explanation, Fate};
use recallscope::memory::{History, Location, ManagedStore, MemoryStore, StoreKind, Stores, words};
use recallscope::report::{EvalReport, GradeReport};
use recallscope::select;
use recallscope::tokens::{GemmaCounter, TokenCounter};
use serde_json::Value;

const MANAGED_ALL: usize = 0;
const MANAGED_RELEVANT: usize = 1;
const APPEND_ALL: usize = 2;

fn recorded(name: &str) -> Value {
    let text = std::fs::read_to_string(format!("{}/recordings/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_recorded_evaluation_is_reproduced() {
    let workspace = workspace();
    let report = EvalReport::new(&workspace.evaluation, workspace.growth.as_deref()).unwrap();
    let mut computed = serde_json::to_value(report).unwrap();
    let mut expected = recorded("evaluation-result.json");
    for report in [&mut computed, &mut expected] {
        report.as_object_mut().unwrap().shift_remove("environment").unwrap();
    }
    // As text: the order of the keys counts too, and 1.0 is not 1.
    assert_eq!(serde_json::to_string_pretty(&computed).unwrap(), serde_json::to_string_pretty(&expected).unwrap());
}

#[test]
fn the_historical_grades_are_reproduced() {
    let workspace = workspace();
    let computed = serde_json::to_value(GradeReport::new(&workspace.recordings[0]).unwrap()).unwrap();
    let expected = recorded("answer-grades.json");
    assert_eq!(serde_json::to_string_pretty(&computed).unwrap(), serde_json::to_string_pretty(&expected).unwrap());
    assert_eq!(workspace.all_answers().count(), 150);
}

#[test]
fn each_listed_fact_was_said_by_its_user() {
    let workspace = workspace();
    for conversation in &workspace.evaluation.cases.conversations {
        for question in &conversation.questions {
            for fact in question.required.iter().chain(&question.stale).chain(&question.forgotten) {
                let said = |op: Op| op != Op::Forget;
                assert!(
                    conversation.events.iter().any(|event| said(event.op) && fact.is_carried_by(event)),
                    "{} of {}",
                    fact.label(),
                    question.id
                );
            }
        }
    }
    assert_eq!(workspace.warnings, []);
}

#[test]
fn managed_blocks_hold_nothing_stale_or_forgotten() {
    let workspace = workspace();
    for strategy in [MANAGED_ALL, MANAGED_RELEVANT] {
        let blocks: Vec<_> = workspace.evaluation.blocks(strategy).map(|(_, block)| block).collect();
        assert_eq!(blocks.len(), 10);
        assert!(blocks.iter().all(|block| block.stale() == 0 && block.forgotten() == 0));
    }
}

#[test]
fn append_only_leaks_the_passport_number() {
    let workspace = workspace();
    let number = (0..10).find(|n| workspace.evaluation.question(*n).unwrap().1.question.contains("passport")).unwrap();
    let explanation = Explanation::of(&workspace.evaluation, APPEND_ALL, number).unwrap();
    let (history, _) = workspace.evaluation.history(number).unwrap();
    let leaked: Vec<&str> = explanation
        .sent
        .iter()
        .filter(|line| line.role.forgotten)
        .map(|line| history.events[line.event].text.as_str())
        .collect();
    assert_eq!(leaked, ["My passport number is P1234567."]);
}

#[test]
fn every_miss_of_managed_relevant_shares_no_word_with_its_question() {
    let workspace = workspace();
    let evaluation = &workspace.evaluation;
    let mut misses = 0;
    for number in 0..evaluation.question_count() {
        let (conversation, question) = evaluation.question(number).unwrap();
        for missing in &evaluation.block(MANAGED_RELEVANT, number).unwrap().missing {
            misses += 1;
            let carrying = conversation.events.iter().filter(|event| question.required[*missing].is_carried_by(event));
            for event in carrying {
                assert!(
                    words(&question.question).is_disjoint(&words(&event.text)),
                    "{} / {}",
                    question.question,
                    event.text
                );
            }
        }
    }
    assert_eq!(misses, 4);
}

#[test]
fn no_block_is_over_its_quota() {
    for quota in [0, 1, 13, 14, 40, 120, 10_000] {
        let cases = CaseSet { facts_quota: quota, ..named(bundled_cases()) };
        let counter: Arc<dyn TokenCounter> = Arc::new(GemmaCounter);
        let evaluation = Evaluation::run(Arc::new(cases), select::builtin(), counter.clone()).unwrap();
        for strategy in 0..3 {
            for (number, block) in evaluation.blocks(strategy) {
                let (history, _) = evaluation.history(number).unwrap();
                let counted = block
                    .lines
                    .iter()
                    .map(|line| counter.count(&recallscope::memory::line(line.id, &history.events[line.event].text)));
                assert_eq!(counted.sum::<usize>(), block.tokens);
                assert!(block.tokens <= quota);
            }
        }
    }
}

fn named(mut cases: CaseSet) -> CaseSet {
    for conversation in &mut cases.conversations {
        for (number, question) in conversation.questions.iter_mut().enumerate() {
            question.id = format!("{}/{}", conversation.user, number + 1);
        }
    }
    cases
}

#[test]
fn the_explanation_of_each_block_is_the_block() {
    let workspace = workspace();
    let evaluation = &workspace.evaluation;
    for strategy in 0..3 {
        for number in 0..evaluation.question_count() {
            let block = evaluation.block(strategy, number).unwrap();
            let explanation = Explanation::of(evaluation, strategy, number).unwrap();
            let explained: Vec<_> = explanation.sent.iter().map(|line| (line.id, line.tokens, line.role)).collect();
            let sent: Vec<_> = block.lines.iter().map(|line| (line.id, line.tokens, line.role)).collect();
            assert_eq!(explained, sent);
            assert_eq!(explanation.tokens, block.tokens);
            // Every record that the user ever had is accounted for, once.
            let (history, after) = evaluation.history(number).unwrap();
            let kind = evaluation.strategies[strategy].store();
            let ever = history.store(kind).rows().iter().filter(|row| row.added < after).count();
            assert_eq!(explanation.sent.len() + explanation.left_out.len(), ever);
            for out in &explanation.left_out {
                assert_ne!(out.fate, Fate::Sent);
            }
        }
    }
}

#[test]
fn history_only_grows_with_one_deletion_record_a_forget() {
    let workspace = workspace();
    let replay = workspace.evaluation.cases.long_replay.as_ref().unwrap();
    let growth = workspace.growth.as_deref().unwrap();
    let mut forgets = 0;
    for (index, event) in replay.events.iter().enumerate() {
        let before = growth.history.store(StoreKind::Append).counts_after(index);
        let after = growth.history.store(StoreKind::Append).counts_after(index + 1);
        assert_eq!(after.stored_rows - before.stored_rows, usize::from(event.op != Op::Forget));
        forgets += usize::from(event.op == Op::Forget);
        let managed = growth.history.store(StoreKind::Managed).counts_after(index + 1);
        assert_eq!(managed.deletion_records, forgets);
        assert_eq!(managed.stored_rows, managed.current_facts + managed.superseded_rows);
    }
    assert_eq!(forgets, 4);
}

#[test]
fn the_history_equals_the_database_after_each_event() {
    let workspace = workspace();
    let replay = workspace.evaluation.cases.long_replay.as_ref().unwrap();
    let whole = &workspace.growth.as_deref().unwrap().history;
    let mut stores = Stores::in_memory().unwrap();
    let mut history = History::new(replay.user.clone());
    for (index, event) in replay.events.iter().enumerate() {
        stores.apply(&mut history, std::slice::from_ref(event), &GemmaCounter).unwrap();
        for kind in StoreKind::FILLED {
            let stored: Vec<_> =
                stores.get(kind).unwrap().readable(&replay.user).unwrap().iter().map(|record| record.id).collect();
            let seen: Vec<_> = whole.readable_after(kind, index + 1).map(|(row, _)| row.id).collect();
            assert_eq!(stored, seen, "after event {index}");
            assert_eq!(
                stores.get(kind).unwrap().counts(&replay.user).unwrap(),
                whole.store(kind).counts_after(index + 1)
            );
        }
    }
}

#[test]
fn a_forgotten_text_is_nowhere_in_the_database_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("managed.sqlite");
    let replay = bundled_cases().long_replay.unwrap();
    let holds = |text: &str| {
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    let mut store = ManagedStore::open(&Location::File(path.clone())).unwrap();
    let forgotten: Vec<&str> =
        replay.events.iter().filter(|event| event.op == Op::Forget).map(|event| event.attribute.as_str()).collect();
    let texts: Vec<&str> = replay
        .events
        .iter()
        .filter(|event| event.op == Op::Remember && forgotten.contains(&event.attribute.as_str()))
        .map(|event| event.text.as_str())
        .collect();
    assert_eq!(texts.len(), 4);
    for (index, event) in replay.events.iter().enumerate() {
        store.apply(&replay.user, index, std::slice::from_ref(event)).unwrap();
        if event.text == texts[0] {
            assert!(holds(texts[0]), "the check itself must be able to fail");
        }
    }
    let leftovers: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(leftovers, ["managed.sqlite"], "no journal beside the database");
    for text in texts {
        assert!(!holds(text), "{text:?} survived");
    }
    assert!(holds("Note 39: a detail the user mentioned at turn 195."));
}

#[test]
fn counts_name_their_counter_and_the_growth_has_ten_samples() {
    let workspace = workspace();
    assert_eq!(workspace.evaluation.counter.name(), "Gemma 4 E2B tokenizer (tokenizer-manifest.json)");
    assert_eq!(workspace.growth.unwrap().managed.len(), 10);
}
