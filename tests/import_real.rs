//! Importers on the real files: the bundled slice of LongMemEval, and LoCoMo where `RECALLSCOPE_LOCOMO` names its folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod locomo;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use recallscope::case::Fact;
use recallscope::import::{DoubtKind, Imported, Memories, Progress};
use recallscope::open::{self, Inputs, Read};
use recallscope::select;
use recallscope::workspace::{Parts, Workspace};

fn kinds(about: &[Imported]) -> BTreeMap<DoubtKind, usize> {
    let mut kinds = BTreeMap::new();
    for doubt in about.iter().flat_map(|imported| &imported.doubts) {
        *kinds.entry(doubt.kind).or_default() += 1;
    }
    kinds
}

fn counts(about: &Imported) -> Vec<(&str, usize, usize)> {
    about.counts.iter().map(|count| (count.what, count.read, count.mapped)).collect()
}

fn locomo_folder() -> Option<PathBuf> {
    let folder = locomo::folder();
    if folder.is_none() {
        eprintln!("skipped: RECALLSCOPE_LOCOMO names no folder with the LoCoMo data");
    }
    folder
}

const ANSWERS: [&str; 7] = [
    "full-context-gpt-4.1-mini-cot",
    "full-context-gpt-4.1-mini-memos",
    "full-context-gpt-4o-mini-cot",
    "full-context-gpt-4o-mini-memos",
    "memobase-0.0.37",
    "wrong-on-purpose-specific",
    "wrong-on-purpose-vague",
];

#[test]
fn locomo_is_read_as_it_is() {
    let Some(folder) = locomo_folder() else { return };
    let Read { cases, about, .. } = locomo::read(&folder, &[]);
    assert_eq!(
        counts(&about[0]),
        [
            ("conversations", 10, 10),
            ("sessions", 288, 272),
            ("turns", 5882, 5882),
            ("evidence", 2364, 2360),
            ("questions", 1986, 1986),
        ]
    );
    use DoubtKind as K;
    let expected = BTreeMap::from([
        (K::UnresolvedEvidence, 3),
        (K::RepairedEvidence, 15),
        (K::RepeatedEvidence, 1),
        (K::NoEvidence, 4),
        (K::OtherAnswerType, 6),
        (K::UnexpectedAnswer, 2),
        (K::DuplicateQuestion, 12),
        (K::EmptySession, 16),
    ]);
    assert_eq!(kinds(&about), expected);
    let adversarial: Vec<_> = cases.questions().filter(|(_, question)| question.abstain).collect();
    assert_eq!(adversarial.len(), 446);
    assert_eq!(adversarial.iter().filter(|(_, question)| question.answer.is_none()).count(), 444);
    assert!(adversarial.iter().all(|(_, question)| question.trap.is_some() && question.required.is_empty()));
    let of = |name: &str| cases.questions().filter(|(_, question)| question.category.as_deref() == Some(name)).count();
    assert_eq!(["single-hop", "multi-hop", "temporal", "open-domain", "adversarial"].map(of), [841, 282, 321, 96, 446]);
    let question = cases.questions().find(|(_, question)| question.id == "locomo_4_qa18").unwrap().1;
    assert!(question.required.contains(&Fact::Event { event: "D11:26".into() }));
    let captions = cases.conversations.iter().flat_map(|conversation| &conversation.events);
    assert_eq!(captions.filter(|event| event.text.ends_with(']')).count(), 1226);
    assert_eq!(cases.warnings.len(), 59, "{:?}", cases.warnings);
}

#[test]
fn locomo_has_other_memories() {
    let Some(folder) = locomo_folder() else { return };
    let read = |memories| {
        let inputs = Inputs { cases: Some(folder.join("locomo10.json")), memories, ..Inputs::default() };
        open::read(&inputs, &Progress::default()).unwrap()
    };
    let sessions = read(Memories::Sessions);
    assert_eq!(sessions.cases.conversations.iter().map(|conversation| conversation.events.len()).sum::<usize>(), 272);
    let observations = read(Memories::Observations);
    let events = observations.cases.conversations.iter().map(|conversation| conversation.events.len());
    assert_eq!(events.sum::<usize>(), 2541);
    let kinds = kinds(&observations.about);
    assert_eq!((kinds[&DoubtKind::NoObservation], kinds[&DoubtKind::SeveralObservations]), (481, 174));
}

#[test]
fn seven_answer_sets_stand_side_by_side() {
    let Some(folder) = locomo_folder() else { return };
    let Read { recordings, about, runs, .. } = locomo::read(&folder, &ANSWERS);
    assert_eq!(recordings.len(), 7);
    assert!(runs.is_empty());
    for (recording, about) in recordings.iter().zip(&about[1..]) {
        assert_eq!(counts(about), [("answers", 1540, 1540)], "{}", recording.name);
        let kinds = kinds(std::slice::from_ref(about));
        assert_eq!(kinds, BTreeMap::from([(DoubtKind::Unanswered, 1)]), "{}", recording.name);
        assert_eq!(about.doubts[0].subject, "adversarial");
        let votes: usize = recording.groups.iter().map(|group| group.answers[0].judge.len()).sum();
        assert_eq!(votes, if recording.name.contains("memobase") { 1540 } else { 4620 });
    }
    let accepted = |name: &str| {
        let recording = recordings.iter().find(|recording| recording.name.contains(name)).unwrap();
        let votes = recording.groups.iter().flat_map(|group| &group.answers[0].judge);
        let (right, all) = votes.fold((0, 0), |(right, all), vote| (right + usize::from(*vote), all + 1));
        (right * 1540 + all / 2) / all
    };
    // The means of the votes that the published files give; memobase: 1167 scores of 1.
    assert_eq!(accepted("specific"), 163);
    assert_eq!(accepted("vague"), 967);
    assert_eq!(accepted("memobase"), 1167);
}

fn slice(memories: Memories) -> Read {
    let inputs = Inputs { cases: Some("longmemeval-slice".into()), memories, ..Inputs::default() };
    open::read(&inputs, &Progress::default()).unwrap()
}

#[test]
fn the_bundled_slice_opens_with_its_results() {
    let Read { cases, recordings, runs, about, .. } = slice(Memories::Turns);
    assert_eq!(
        counts(&about[0]),
        [
            ("conversations", 1, 1),
            ("sessions", 82, 80),
            ("turns", 612, 612),
            ("evidence", 39, 35),
            ("questions", 16, 16),
        ]
    );
    assert_eq!(recordings.len(), 36);
    assert_eq!(recordings.iter().map(|recording| recording.answer_count()).sum::<usize>(), 572);
    let names: Vec<&str> = runs.iter().map(|run| run.strategy.as_str()).collect();
    let known = [
        "recorded-bm25",
        "hybrid_rrf",
        "hyde",
        "naive_vector",
        "persona_profile",
        "raptor",
        "recency_window",
        "reflection",
    ];
    assert_eq!(names, known, "of the other eight only sessions are known, or nothing");
    let bm25 = &runs[0];
    assert!(bm25.blocks.len() == 16 && bm25.blocks.iter().all(|block| block.lines.len() == 5));
    assert!(bm25.blocks.iter().flat_map(|block| &block.lines).all(|line| line.event.is_some()));

    let question = |id: &str| cases.questions().find(|(_, question)| question.id == id).unwrap().1;
    let facts = |facts: &[Fact]| facts.iter().map(Fact::label).map(str::to_owned).collect::<Vec<_>>();
    let moved = question("830ce83f");
    assert_eq!(facts(&moved.required), ["answer_0b1a0942_2_turn_002"]);
    assert_eq!(facts(&moved.stale), ["answer_0b1a0942_1_turn_002", "answer_0b1a0942_1_turn_004"]);
    assert_eq!(moved.asked_at.as_deref(), Some("2023/06/13 (Tue) 15:15"));
    assert!(question("118b2229").required.is_empty(), "no turn of its session is flagged");
    let events = &cases.conversations[0].events;
    assert!(events.windows(2).all(|pair| pair[0].at <= pair[1].at), "in the order of their dates");
    use DoubtKind as K;
    let kinds = kinds(&about);
    assert_eq!(
        [K::NoFlaggedTurn, K::NoEvidence, K::EmptySession, K::UnorderedSessions, K::NoSources, K::FailedRecord]
            .map(|kind| kinds.get(&kind).copied().unwrap_or_default()),
        [4, 1, 2, 1, 80, 1]
    );
    assert_eq!(kinds[&K::Unanswered], 1, "full_context answered three of four categories");
}

#[test]
fn by_sessions_every_system_that_names_its_sources_is_graded() {
    let Read { cases, runs, .. } = slice(Memories::Sessions);
    assert_eq!(cases.conversations[0].events.len(), 80);
    assert_eq!(runs.len(), 13, "all but cognee, langmem and memori");
    let strategies = select::builtin();
    let parts = Parts { cases: Arc::new(cases), keys: Default::default(), recordings: Vec::new(), runs, strategies };
    let workspace = Workspace::assemble(parts, Arc::new(locomo::NoTokens)).unwrap();
    let evaluation = &workspace.evaluation;
    // The file's own `mean_session_hit_at_k` of bm25, seed 0, is 1: a session with the answer is among its five at most.
    let bm25 = evaluation.strategies.iter().position(|strategy| strategy.name() == "recorded-bm25").unwrap();
    assert_eq!(evaluation.blocks(bm25).count(), 16);
}

#[test]
fn a_folder_or_either_file_of_a_slice_will_do() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/longmemeval-slice");
    let read = |path: String| {
        let inputs = Inputs { cases: Some(path.into()), ..Inputs::default() };
        open::read(&inputs, &Progress::default()).unwrap()
    };
    let bundled = slice(Memories::Turns);
    let whole = read(folder.to_owned());
    assert_eq!(whole.cases.conversations, bundled.cases.conversations);
    assert_eq!(whole.recordings.len(), 36);
    let passed_over: Vec<_> =
        whole.about[0].doubts.iter().filter(|doubt| doubt.kind == DoubtKind::PassedOver).collect();
    assert!(passed_over.len() == 1 && passed_over[0].file.ends_with("manifest.json"));
    for name in ["questions.jsonl", "sessions.jsonl"] {
        let one = read(format!("{folder}/{name}"));
        assert_eq!(one.cases.conversations, bundled.cases.conversations, "{name}");
        assert!(one.recordings.is_empty());
    }
}
