//! Each built-in strategy on records made by hand: what it ranks, in which order, and what nobody else's records change.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use recallscope::case::{CaseSet, Conversation, Event, Fact, Op, Question};
use recallscope::evaluate::Evaluation;
use recallscope::explain::Explanation;
use recallscope::memory::{History, StoreKind, Stores};
use recallscope::select::{self, Analysis, Bm25, Pool, Projection, Query, Strategy, WordIndex, for_each_term};
use recallscope::tokens::GemmaCounter;

fn event(turn: usize, op: Op, attribute: &str, text: &str) -> Event {
    Event {
        turn: turn as u64,
        text: text.to_owned(),
        op,
        attribute: attribute.to_owned(),
        id: Some(format!("e{turn}")),
        speaker: None,
        at: None,
    }
}

fn history(texts: &[&str]) -> History {
    let events: Vec<Event> =
        texts.iter().enumerate().map(|(turn, text)| event(turn, Op::Remember, &format!("a{turn}"), text)).collect();
    history_of(&events)
}

fn history_of(events: &[Event]) -> History {
    let mut history = History::new("ann");
    Stores::in_memory().unwrap().apply(&mut history, events, &GemmaCounter).unwrap();
    history
}

fn strategy(name: &str) -> Arc<dyn Strategy> {
    select::choose(&[name.to_owned()]).unwrap()[0].strategy(None).unwrap()
}

fn asking(text: &str) -> Question {
    Question { question: text.to_owned(), ..Question::default() }
}

/// The places of the events that a strategy ranks, with their scores.
fn ranked(name: &str, question: &Question, history: &History) -> Vec<(usize, f64)> {
    let strategy = strategy(name);
    let pool = Pool::at(history, strategy.store(), history.len());
    let ranking = strategy.rank(Query { question, history }, &pool);
    ranking.iter().map(|ranked| (pool.records()[ranked.index].record.event, ranked.score)).collect()
}

fn order(name: &str, question: &str, texts: &[&str]) -> Vec<usize> {
    ranked(name, &asking(question), &history(texts)).into_iter().map(|(event, _)| event).collect()
}

const PETS: [&str; 5] = [
    "My cat is called Mia.",
    "We hiked up a hill.",
    "Hiking is what I like, hiking most of all.",
    "The dog sleeps.",
    "I hike.",
];

#[test]
fn recency_and_nothing_do_not_read_the_question() {
    for question in ["What is my cat called?", ""] {
        assert_eq!(order("recency", question, &PETS), [4, 3, 2, 1, 0]);
        assert_eq!(order("recency:2", question, &PETS), [4, 3]);
        assert_eq!(order("nothing", question, &PETS), [0; 0]);
    }
}

#[test]
fn bm25_matches_words_and_stems_as_they_are_asked_for() {
    let question = "Who likes hiking, and what is a cat?";
    // As words: `hiking` twice with `is` and `what`, then `cat` with `is`, then `a`; never `hiked` or `hike`.
    assert_eq!(order("bm25", question, &PETS), [2, 0, 1]);
    // As stems `like`, `hike`, `cat`. Three of five lines hike, so that this weighs next to nothing: the cat in a short line,
    // then what is liked in a long one, then the shorter line that hikes.
    assert_eq!(order("bm25-stem", question, &PETS), [0, 2, 4, 1]);
    assert_eq!(order("bm25-stem:1", question, &PETS), [0]);
    // One line shares two stems.
    assert_eq!(order("relevant-stem", question, &PETS), [2, 4, 1, 0]);
    // 1/62 + 1/61, then 1/61 + 1/64, 1/63 + 1/62, 1/64 + 1/63.
    assert_eq!(order("hybrid", question, &PETS), [2, 0, 4, 1]);
}

#[test]
fn ties_are_broken_newest_first_by_every_strategy() {
    let same = ["The same words.", "Nothing of it.", "The same words.", "The same words."];
    for name in ["bm25", "bm25-stem", "relevant-stem", "managed-relevant", "hybrid"] {
        assert_eq!(order(name, "same?", &same), [3, 2, 0], "{name}");
    }
}

#[test]
fn the_scores_are_those_of_fts5_to_the_last_bit() {
    let texts = ["fish", "fish and fish and chips", "chips", "peas", "mushy peas", "gravy"];
    let found = ranked("bm25", &asking("fish chips"), &history(&texts));
    // N = 6, 11 terms, avgdl = 11/6; both words stand in two records: weight ln(4.5 / 2.5).
    let weight = (4.5_f64 / 2.5).ln();
    let part = |times: f64, length: f64| weight * (times * 2.2) / (times + 1.2 * (0.25 + 0.75 * length * 6.0 / 11.0));
    let expected = [(2, part(1.0, 1.0)), (0, part(1.0, 1.0)), (1, part(2.0, 5.0) + part(1.0, 5.0))];
    let mut expected = expected.to_vec();
    expected.sort_by(|a, b| b.1.total_cmp(&a.1));
    assert_eq!(found.iter().map(|(event, _)| *event).collect::<Vec<_>>(), [1, 2, 0]);
    for ((event, score), (wanted, value)) in found.iter().zip(&expected) {
        assert!(event == wanted || (score - value).abs() < 1e-12);
        assert!((score - value).abs() < 1e-12, "{event}: {score} {value}");
    }
}

#[test]
fn no_other_user_and_no_later_event_moves_a_score() {
    let conversation = |user: &str, texts: &[&str]| Conversation {
        user: user.to_owned(),
        events: texts.iter().enumerate().map(|(turn, text)| event(turn, Op::Remember, "a", text)).collect(),
        questions: vec![Question { id: user.to_owned(), ..asking("Which hills did I hike?") }],
    };
    let alone = vec![conversation("ann", &PETS)];
    let crowd =
        [conversation("bo", &["hike hike hills"; 40]), conversation("ann", &PETS), conversation("cy", &["hills"])];
    let names = ["bm25", "bm25-stem", "relevant-stem", "hybrid"];
    let evaluated = |conversations: Vec<Conversation>| {
        let cases = CaseSet { conversations, long_replay: None, facts_quota: 60, warnings: Vec::new() };
        let strategies = names.iter().map(|name| strategy(name)).collect();
        Evaluation::run(Arc::new(cases), strategies, Arc::new(GemmaCounter)).unwrap()
    };
    let scores = |evaluation: &Evaluation, question: usize| {
        let of = |place: usize| {
            let explained = Explanation::of(evaluation, place, question).unwrap();
            explained.sent.iter().map(|found| (found.event, found.score.unwrap())).collect::<Vec<_>>()
        };
        (0..names.len()).map(of).collect::<Vec<_>>()
    };
    let (alone, crowd) = (evaluated(alone), evaluated(crowd.to_vec()));
    assert_eq!(scores(&alone, 0), scores(&crowd, 1));
    assert!(scores(&alone, 0).iter().all(|found| !found.is_empty()));
}

#[test]
fn what_is_superseded_or_forgotten_counts_in_no_statistic() {
    let said = [
        event(1, Op::Remember, "car", "My car is red."),
        event(2, Op::Remember, "pin", "My pin is red too."),
        event(3, Op::Correct, "car", "My car is blue."),
        event(4, Op::Forget, "pin", "Forget my pin."),
        event(5, Op::Remember, "hat", "My hat is green."),
        event(6, Op::Remember, "bag", "A bag."),
    ];
    let left = [said[2].clone(), said[4].clone(), said[5].clone()];
    for name in ["bm25", "bm25-stem", "hybrid"] {
        let scores = |events: &[Event]| -> Vec<f64> {
            ranked(name, &asking("Is my car red or blue?"), &history_of(events))
                .iter()
                .map(|(_, score)| *score)
                .collect()
        };
        assert_eq!(scores(&said), scores(&left), "{name}");
    }
}

#[test]
fn a_question_asks_for_what_its_map_names_and_says_when_it_has_none() {
    let said = [
        event(1, Op::Remember, "diet", "I eat fish."),
        event(2, Op::Remember, "city", "I live in Porto."),
        event(3, Op::Remember, "diet", "No nuts."),
        event(4, Op::Remember, "car", "I drive a van."),
    ];
    let history = history_of(&said);
    let mapped = Question { attributes: vec!["city".into(), "diet".into()], ..asking("Dinner in town?") };
    let places: Vec<_> = ranked("attribute", &mapped, &history).iter().map(|(event, _)| *event).collect();
    assert_eq!(places, [2, 1, 0]);
    let attribute = strategy("attribute");
    let note = |question: &Question| attribute.note(Query { question, history: &history });
    assert_eq!(note(&mapped), None);
    let bare = asking("What do I drive?");
    assert_eq!(ranked("attribute", &bare, &history), ranked("bm25-stem", &bare, &history));
    assert!(note(&bare).unwrap().contains("names no attributes for this question: ranked by bm25-stem instead"));
}

#[test]
fn the_oracle_sends_the_required_facts_and_never_leaks() {
    let said = [
        event(1, Op::Remember, "diet", "I eat fish."),
        event(2, Op::Remember, "diet", "I eat fish, and I used to smoke."),
        event(3, Op::Remember, "city", "I live in Porto."),
        event(4, Op::Remember, "pin", "My pin is 1234."),
        event(5, Op::Forget, "pin", "Forget my pin."),
    ];
    let text = |text: &str| Fact::Text(text.to_owned());
    let question = Question {
        required: vec![
            Fact::Event { event: "e3".into() },
            text("fish"),
            text("pin"),
            text("Porto"),
            text("never said"),
        ],
        stale: vec![text("smoke")],
        ..asking("?")
    };
    // In the order of the list, one record a fact, the newest that holds nothing stale; what was deleted is not there.
    let found = ranked("oracle", &question, &history_of(&said));
    assert_eq!(found, [(2, 2.0), (0, 1.0)]);
}

#[test]
fn hostile_and_empty_questions_are_only_words() {
    let history = history(&["A NEAR miss AND \"quoted\" words", "x:y^2 (brackets)*", "nothing", "col : umn", "x", "y"]);
    let long = "quoted ".repeat(100_000);
    let pool = Pool::at(&history, StoreKind::Managed, history.len());
    let texts: Vec<&str> = pool.records().iter().map(|entry| entry.record.text.as_str()).collect();
    for analysis in Analysis::ALL {
        let projection = Projection::of(texts.iter().copied(), analysis).unwrap();
        for question in [
            "\"",
            "\"\"",
            "*",
            "^x",
            "x*",
            "a:b",
            "(",
            "x OR",
            "NEAR(x y, 2)",
            "AND NOT OR",
            "-x",
            "x + y",
            "{a b}: x",
            "'; DROP TABLE record; --",
            "\0",
            "",
            "   ",
            "what is the",
            "😀",
            "\u{301}",
            "qu\u{301}oted",
            &long,
        ] {
            let query = asking(question);
            let own = Bm25(analysis).rank(Query { question: &query, history: &history }, &pool);
            let own: Vec<(usize, f64)> = own.iter().map(|ranked| (ranked.index, ranked.score)).collect();
            assert_eq!(own, projection.rank(question).unwrap(), "{analysis:?} {question:.40}");
        }
    }
    let none = |name: &str, question: &str| ranked(name, &asking(question), &history).is_empty();
    assert!(none("bm25", "") && none("bm25-stem", "What is the?") && none("hybrid", "😀") && none("bm25", "\"*\""));
}

/// `unicode61` takes a run of Chinese or Japanese for one word, so only whole runs match. That is what FTS5 does, and what
/// its users meet; `dense` has no such limit.
#[test]
fn cjk_matches_by_whole_runs() {
    let texts = ["東京に住んでいます", "東京 タワー", "大阪"];
    assert_eq!(order("bm25", "東京", &texts), [1]);
    assert_eq!(order("bm25", "東京に住んでいます", &texts), [0]);
}

/// A moment of a history ranks as a store that never saw more, whether the pool was made for it or moved to it.
#[test]
fn every_moment_ranks_as_if_it_were_the_last() {
    let ops = [Op::Remember, Op::Remember, Op::Correct, Op::Remember, Op::Forget, Op::Correct, Op::Remember];
    let events: Vec<Event> = (0..40)
        .map(|turn| {
            let text = format!("{} number {turn} of hikes and hills", PETS[turn % 5]);
            event(turn, ops[turn % 7], &format!("a{}", turn % 4), &text)
        })
        .collect();
    let whole = history_of(&events);
    let index = Arc::new(WordIndex::of(&whole));
    let question = asking("Which hill did I hike with my cat?");
    for name in ["bm25", "bm25-stem", "relevant-stem", "hybrid", "oracle", "recency"] {
        let strategy = strategy(name);
        let mut moved = Pool::default();
        for moment in 0..=events.len() {
            moved = moved.moved(&whole, StoreKind::Managed, moment, &index);
            let query = Query { question: &question, history: &whole };
            let there = strategy.rank(query, &moved);
            let then = history_of(&events[..moment]);
            let pool = Pool::at(&then, StoreKind::Managed, moment);
            let ranking = strategy.rank(Query { question: &question, history: &then }, &pool);
            assert_eq!(there, ranking, "{name} at {moment}");
        }
    }
}

fn words() -> impl proptest::strategy::Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z]{1,12}(s|ed|ing|ly|ness|ational|izer|ies|y|e|ll)?",
        "[A-Za-z0-9_'’.-]{1,8}",
        "[àéîõüßçñÀÉøłŒœǅſΑΩάςЖйё東京ひかカ한글\u{301}\u{308}٣①²™€]{1,5}",
        "[\\PC\\t\\n]{1,6}",
    ];
    proptest::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// The index in memory is the FTS5 table, term by term and score by score, whatever the texts are; and the table is one
    /// built anew, since that is all it ever is.
    #[test]
    fn the_index_equals_the_projection(texts in proptest::collection::vec(words(), 1..12), question in words()) {
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        let history = history(&borrowed);
        let pool = Pool::at(&history, StoreKind::Managed, history.len());
        let records = || pool.records().iter().map(|entry| entry.record.text.as_str());
        for analysis in Analysis::ALL {
            let projection = Projection::of(records(), analysis).unwrap();
            let mut terms = Vec::new();
            for (record, text) in records().enumerate() {
                let mut place = 0;
                for_each_term(text, analysis, |term| {
                    terms.push((record, place, term.to_vec()));
                    place += 1;
                });
            }
            prop_assert_eq!(&terms, &projection.terms().unwrap());
            let question = asking(&question);
            let own = Bm25(analysis).rank(Query { question: &question, history: &history }, &pool);
            let own: Vec<(usize, f64)> = own.iter().map(|ranked| (ranked.index, ranked.score)).collect();
            prop_assert_eq!(own, projection.rank(&question.question).unwrap());
        }
    }
}
