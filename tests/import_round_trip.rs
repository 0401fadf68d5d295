//! What was imported and written is read again as the same.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use proptest::prelude::*;
use recallscope::case::{CaseSet, Conversation, Event, Fact, LongReplay, Op, Question};
use recallscope::import::write::{CaseWriter, lines};
use recallscope::import::{Format, Opened, Options, Progress, fit, read_answers, read_cases};
use recallscope::recording::{Answer, AnswerGroup, BlockRun, Recording, SentBlock, SentLine};

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z0-9 .]{0,12}", "\\PC{0,8}", "[\\x00-\\x1f\"\\\\\u{202e}\u{85}é漢]{0,6}"]
}

fn event(turn: u64) -> impl Strategy<Value = Event> {
    (text(), text(), 0..3_usize, proptest::option::of(text()), proptest::option::of(text())).prop_map(
        move |(text, attribute, op, speaker, at)| Event {
            turn,
            text,
            op: [Op::Remember, Op::Correct, Op::Forget][op],
            attribute,
            id: Some(format!("e{turn}")),
            speaker,
            at,
        },
    )
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    (0..5_u64).prop_flat_map(|count| (0..count).map(event).collect::<Vec<_>>())
}

fn question(id: String) -> impl Strategy<Value = Question> {
    let facts = || {
        let fact = prop_oneof![text().prop_map(Fact::Text), text().prop_map(|event| Fact::Event { event })];
        proptest::collection::vec(fact, 0..3)
    };
    let option = || proptest::option::of(text());
    (text(), facts(), facts(), facts(), option(), option(), option(), any::<bool>(), option()).prop_map(
        move |(question, required, stale, forgotten, category, answer, asked_at, abstain, trap)| Question {
            id: id.clone(),
            question,
            required,
            stale,
            forgotten,
            category,
            answer,
            asked_at,
            abstain,
            trap,
            tags: vec!["t".into()],
            attributes: Vec::new(),
        },
    )
}

fn cases() -> impl Strategy<Value = CaseSet> {
    let conversation = |number: usize| {
        let questions = (0..3_usize)
            .prop_flat_map(move |count| (0..count).map(|q| question(format!("q{number}/{q}"))).collect::<Vec<_>>());
        (events(), questions).prop_map(move |(events, questions)| Conversation {
            user: format!("u{number}"),
            events,
            questions,
        })
    };
    let conversations = (0..4_usize).prop_flat_map(move |count| (0..count).map(conversation).collect::<Vec<_>>());
    (conversations, proptest::option::of(events()), 0..5000_usize).prop_map(|(conversations, replay, facts_quota)| {
        let long_replay = replay.map(|events| LongReplay { user: "r".into(), events, sample_every: 1 });
        CaseSet { conversations, long_replay, facts_quota, warnings: Vec::new() }
    })
}

fn number() -> impl Strategy<Value = Option<f64>> {
    proptest::option::of(any::<f64>().prop_filter("JSON has no infinity", |number| number.is_finite()))
}

fn answer() -> impl Strategy<Value = Answer> {
    let option = || proptest::option::of(text());
    let votes = proptest::collection::vec(any::<bool>(), 0..4);
    let tokens = || proptest::option::of(any::<u64>());
    (
        text(),
        any::<Option<i64>>(),
        option(),
        option(),
        votes,
        (number(), number(), number()),
        (tokens(), tokens(), tokens()),
    )
        .prop_map(|(answer, seed, done_reason, rationale, judge, (score, latency_ms, cost_usd), tokens)| Answer {
            seed,
            answer,
            tool_calls: vec![serde_json::json!({ "name": "f", "arguments": [1, null] })],
            done_reason,
            prompt_tokens: tokens.0,
            answer_tokens: tokens.1,
            total_tokens: tokens.2,
            judge,
            score,
            rationale,
            latency_ms,
            cost_usd,
        })
}

fn recording() -> impl Strategy<Value = Recording> {
    let groups = proptest::collection::vec((text(), proptest::collection::vec(answer(), 1..3)), 1..4);
    (groups, text()).prop_map(|(groups, system)| Recording {
        name: String::new(),
        model: serde_json::from_str("{\"name\": \"m\", \"options\": {\"b\": 1, \"a\": 0.1}}").unwrap(),
        system,
        groups: groups
            .into_iter()
            .enumerate()
            .map(|(place, (question, answers))| AnswerGroup {
                strategy: format!("s{}", place % 2),
                question: format!("{place}{question}"),
                answers,
            })
            .collect(),
        warnings: Vec::new(),
    })
}

fn run() -> impl Strategy<Value = BlockRun> {
    let option = || proptest::option::of(text());
    let line =
        (text(), option(), option(), number()).prop_map(|(text, id, event, score)| SentLine { text, id, event, score });
    let block = (proptest::option::of(text()), text(), proptest::collection::vec(line, 0..3), option());
    (proptest::collection::vec(block, 1..4), any::<bool>()).prop_map(|(blocks, ranked)| BlockRun {
        strategy: "s".into(),
        ranked,
        blocks: blocks
            .into_iter()
            .enumerate()
            .map(|(place, (user, question, lines, failure))| SentBlock {
                user,
                question: format!("{place}{question}"),
                lines,
                failure,
            })
            .collect(),
        ..BlockRun::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cases_stay_the_same(cases in cases()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cases.json");
        let mut writer = CaseWriter::create(&path).unwrap();
        for conversation in &cases.conversations {
            writer.write(conversation).unwrap();
        }
        writer.finish(cases.facts_quota, cases.long_replay.as_ref()).unwrap();
        let opened = Opened::open(&path, &Progress::default()).unwrap();
        prop_assert_eq!(Format::of(&opened).unwrap(), Format::Cases);
        let mut read = read_cases(opened, None, Format::Cases, Options::default()).unwrap().cases;
        read.warnings.clear();
        prop_assert_eq!(read, cases);
    }

    #[test]
    fn answers_and_blocks_stay_the_same(recording in recording(), run in run()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        lines(&path, Some(&recording), std::slice::from_ref(&run)).unwrap();
        let opened = Opened::open(&path, &Progress::default()).unwrap();
        prop_assert_eq!(Format::of(&opened).unwrap(), Format::Jsonl);
        let fitted = fit(vec![read_answers(opened, Format::Jsonl).unwrap()], None).unwrap();
        let read = &fitted.recordings[0];
        prop_assert_eq!(&read.groups, &recording.groups);
        prop_assert_eq!(&read.model, &recording.model);
        prop_assert_eq!(&read.system, &recording.system);
        let mut read = fitted.runs[0].clone();
        read.origin.clear();
        prop_assert_eq!(read, run);
    }
}
