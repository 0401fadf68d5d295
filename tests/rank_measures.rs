//! The ranking measures on rankings that a person can count.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use recallscope::case::CaseSet;
use recallscope::evaluate::Evaluation;
use recallscope::memory::StoreKind;
use recallscope::rank::{Counts, Cutoff, Measure, Pair, Ranking, Saturation, Test, UNCATEGORISED};
use recallscope::recording::{BlockRun, SentBlock, SentLine};
use recallscope::select::{AnswersOnly, Pool, Query, Ranked, SentByOther, Strategy};
use recallscope::source::Source;
use recallscope::tokens::TokenCounter;
use serde_json::{Value, json};

/// Ten tokens a line, whatever it says.
struct Ten;

impl TokenCounter for Ten {
    fn name(&self) -> &str {
        "ten"
    }
    fn count(&self, _: &str) -> usize {
        10
    }
}

/// Ranks events by their places in a list; the others not at all.
struct Fixed(&'static str, Vec<usize>);

impl Strategy for Fixed {
    fn name(&self) -> &str {
        self.0
    }
    fn summary(&self) -> &str {
        "for a test"
    }
    fn store(&self) -> StoreKind {
        StoreKind::Append
    }
    fn rank(&self, _: Query<'_>, pool: &Pool) -> Vec<Ranked> {
        let index = |event: &usize| pool.records().iter().position(|entry| entry.record.event == *event);
        self.1.iter().filter_map(index).map(|index| Ranked { index, score: 0.0 }).collect()
    }
}

fn case_set(events: &[&str], questions: Value, quota: usize) -> CaseSet {
    let event = |(turn, text): (usize, &&str)| json!({ "turn": turn + 1, "text": text, "op": "remember", "attribute": turn.to_string(), "id": format!("e{turn}") });
    let events: Vec<Value> = events.iter().enumerate().map(event).collect();
    let text =
        json!({ "facts_quota": quota, "conversations": [{ "user": "ann", "events": events, "questions": questions }] });
    CaseSet::load(&Source::new("test", text.to_string())).unwrap()
}

fn question(required: Value, stale: Value, forgotten: Value) -> Value {
    json!({ "question": "?", "required": required, "stale": stale, "forgotten": forgotten })
}

fn evaluated(cases: CaseSet, strategies: Vec<Arc<dyn Strategy>>) -> Evaluation {
    Evaluation::run(Arc::new(cases), strategies, Arc::new(Ten)).unwrap()
}

fn fixed(name: &'static str, ranked: &[usize]) -> Arc<dyn Strategy> {
    Arc::new(Fixed(name, ranked.to_vec()))
}

/// Five events that say different things.
const EVENTS: [&str; 5] = ["alpha one", "beta two", "gamma three", "delta four", "epsilon five"];

const CUTOFFS: [Cutoff; 5] = [Cutoff::First(1), Cutoff::First(3), Cutoff::First(10), Cutoff::Quota, Cutoff::Whole];

/// The values of a measure at every cutoff, for the first question.
fn values(ranking: &Ranking, measure: Measure) -> Vec<Option<f64>> {
    (0..CUTOFFS.len()).map(|cutoff| ranking.value(0, 0, cutoff, measure)).collect()
}

fn ranked(questions: Value, quota: usize, order: &[usize]) -> Ranking {
    let evaluation = evaluated(case_set(&EVENTS, questions, quota), vec![fixed("fixed", order)]);
    Ranking::of(&evaluation, &CUTOFFS)
}

fn some(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().copied().map(Some).collect()
}

#[track_caller]
fn close(own: &[Option<f64>], expected: &[f64]) {
    let near = |(own, expected): (&Option<f64>, &f64)| (own.unwrap() - expected).abs() < 1e-12;
    assert!(own.iter().zip(expected).all(near), "{own:?} is not {expected:?}");
}

#[test]
fn two_facts_at_the_second_and_fourth_place() {
    // Four candidates of ten tokens; 25 tokens hold the first two.
    let questions = json!([question(json!([{ "event": "e1" }, { "event": "e3" }]), json!([]), json!([]))]);
    let ranking = ranked(questions, 25, &[0, 1, 2, 3]);
    let (second, fourth) = (1.0 / 3_f64.log2(), 1.0 / 5_f64.log2());
    let ideal = 1.0 + 1.0 / 3_f64.log2();
    assert_eq!(values(&ranking, Measure::Recall), some(&[0.0, 0.5, 1.0, 0.5, 1.0]));
    assert_eq!(values(&ranking, Measure::Any), some(&[0.0, 1.0, 1.0, 1.0, 1.0]));
    assert_eq!(values(&ranking, Measure::All), some(&[0.0, 0.0, 1.0, 0.0, 1.0]));
    // Of k places, filled or not; of the lines in the block and of all candidates where there is no k.
    assert_eq!(values(&ranking, Measure::Precision), some(&[0.0, 1.0 / 3.0, 2.0 / 10.0, 1.0 / 2.0, 2.0 / 4.0]));
    assert_eq!(values(&ranking, Measure::Mrr), some(&[0.0, 0.5, 0.5, 0.5, 0.5]));
    let both = (second + fourth) / ideal;
    close(&values(&ranking, Measure::Ndcg), &[0.0, second / ideal, both, second / ideal, both]);
    assert_eq!(values(&ranking, Measure::Distinct), some(&[1.0; 5]));
    assert_eq!(values(&ranking, Measure::Tokens), some(&[10.0, 30.0, 40.0, 20.0, 40.0]));
    assert_eq!(values(&ranking, Measure::Stale), [None; 5], "the question names no replaced fact");
    let ranks = ranking.row(0, 0).unwrap().ranks;
    assert_eq!((ranks.candidates, ranks.first, ranks.complete), (4, 2, 4));
}

#[test]
fn a_fact_that_two_records_carry_is_one_fact() {
    let events = ["my cat is Tom", "weather", "my cat is Tom, I said", "my dog is Rex"];
    let questions = json!([question(json!(["cat is Tom", "dog is Rex"]), json!([]), json!([]))]);
    let evaluation = evaluated(case_set(&events, questions, 100), vec![fixed("fixed", &[0, 2, 1, 3])]);
    let ranking = Ranking::of(&evaluation, &CUTOFFS);
    assert_eq!(values(&ranking, Measure::Recall), some(&[0.5, 0.5, 1.0, 1.0, 1.0]));
    // Both records are relevant; only the first of them gains.
    assert_eq!(values(&ranking, Measure::Precision), some(&[1.0, 2.0 / 3.0, 3.0 / 10.0, 3.0 / 4.0, 3.0 / 4.0]));
    let ideal = 1.0 + 1.0 / 3_f64.log2();
    close(&values(&ranking, Measure::Ndcg), &[1.0, 1.0 / ideal, (1.0 + 1.0 / 5_f64.log2()) / ideal]);
}

#[test]
fn a_record_that_carries_two_facts_is_the_ideal_by_itself() {
    let events = ["cat Tom and dog Rex", "cat Tom", "dog Rex", "bird Pip"];
    let facts = json!(["cat Tom", "dog Rex", "bird Pip"]);
    let questions = json!([question(facts, json!([]), json!([]))]);
    let run = |order: &[usize]| {
        let evaluation = evaluated(case_set(&events, questions.clone(), 100), vec![fixed("fixed", order)]);
        values(&Ranking::of(&evaluation, &CUTOFFS), Measure::Ndcg)
    };
    // The best that these events allow: two facts first, then the third.
    assert_eq!(run(&[0, 3, 1, 2]), some(&[1.0; 5]));
    let ideal = 2.0 + 1.0 / 3_f64.log2();
    let split = 1.0 + 1.0 / 3_f64.log2() + 1.0 / 4_f64.log2();
    close(&run(&[1, 2, 3, 0]), &[1.0 / 2.0, split / ideal]);
}

#[test]
fn a_fact_that_stands_twice_is_one_and_a_fact_that_nobody_said_counts() {
    let twice = json!([question(json!([{ "event": "e0" }, { "event": "e0" }]), json!([]), json!([]))]);
    assert_eq!(values(&ranked(twice, 100, &[0, 1]), Measure::All), some(&[1.0; 5]));
    let nowhere = json!([question(json!([{ "event": "e0" }, { "event": "e77" }]), json!([]), json!([]))]);
    let ranking = ranked(nowhere, 100, &[0, 1]);
    assert_eq!(values(&ranking, Measure::Recall), some(&[0.5; 5]));
    close(&values(&ranking, Measure::Ndcg)[1..2], &[1.0 / (1.0 + 1.0 / 3_f64.log2())]);
    assert_eq!(ranking.row(0, 0).unwrap().ranks.complete, 0, "not all can be found");
}

#[test]
fn leaks_are_shares_of_the_candidates_there() {
    let questions = json!([question(json!([{ "event": "e0" }]), json!([{ "event": "e1" }]), json!(["gamma"]))]);
    let ranking = ranked(questions, 35, &[1, 2, 0]);
    assert_eq!(values(&ranking, Measure::Stale), some(&[1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]));
    assert_eq!(values(&ranking, Measure::Forgotten), some(&[0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]));
}

#[test]
fn near_duplicates_are_not_distinct() {
    let events =
        ["the meeting is on Monday at ten", "lunch", "The meeting is on Monday at ten!", "the meeting is over"];
    let questions = json!([question(json!([{ "event": "e0" }]), json!([]), json!([]))]);
    let evaluation = evaluated(case_set(&events, questions, 100), vec![fixed("fixed", &[0, 2, 3, 1])]);
    let ranking = Ranking::of(&evaluation, &CUTOFFS);
    assert_eq!(values(&ranking, Measure::Distinct), some(&[1.0, 2.0 / 3.0, 3.0 / 4.0, 3.0 / 4.0, 3.0 / 4.0]));
}

#[test]
fn nothing_ranked_is_found_nowhere() {
    let questions = json!([question(json!([{ "event": "e0" }]), json!([{ "event": "e1" }]), json!([]))]);
    let ranking = ranked(questions, 100, &[]);
    for measure in [Measure::Recall, Measure::Any, Measure::All, Measure::Precision, Measure::Mrr, Measure::Ndcg] {
        assert_eq!(values(&ranking, measure), some(&[0.0; 5]), "{measure:?}");
    }
    // Shares of nothing are nothing, not 0 and not NaN.
    assert_eq!(values(&ranking, Measure::Distinct), [None; 5]);
    assert_eq!(values(&ranking, Measure::Stale), [None; 5]);
    assert_eq!(values(&ranking, Measure::Tokens), some(&[0.0; 5]));
    assert_eq!(ranking.summary(0, 0, None).unwrap().saturation(), Saturation::All);
}

#[test]
fn a_question_without_required_facts_is_left_out_and_counted() {
    let questions = json!([
        question(json!([]), json!([]), json!([{ "event": "e0" }])),
        question(json!([{ "event": "e0" }]), json!([]), json!([])),
    ]);
    let ranking = ranked(questions, 100, &[0, 1]);
    let summary = ranking.summary(0, 1, None).unwrap();
    assert_eq!((summary.ranked, summary.without_required, summary.measured()), (2, 1, 1));
    let mean = |measure| (summary.mean(measure).value, summary.mean(measure).questions);
    assert_eq!(mean(Measure::Recall), (Some(1.0), 1));
    assert_eq!(mean(Measure::Forgotten), (Some(0.5), 1), "half of the two lines, over the one question that names it");
    assert_eq!(mean(Measure::Stale), (None, 0));
    assert_eq!(mean(Measure::Tokens), (Some(20.0), 2));
    assert_eq!(ranking.value(0, 0, 1, Measure::Recall), None);
}

#[test]
fn categories_have_means_of_their_own() {
    let of = |category: Value, event: &str| {
        let mut question = question(json!([{ "event": event }]), json!([]), json!([]));
        question["category"] = category;
        question
    };
    let questions =
        json!([of(json!("time"), "e0"), of(json!("place"), "e4"), of(Value::Null, "e1"), of(json!("time"), "e4")]);
    let ranking = ranked(questions, 100, &[0, 1]);
    assert_eq!(ranking.categories(), ["place", "time", UNCATEGORISED]);
    let recall = |category| ranking.summary(0, 1, category).unwrap().mean(Measure::Recall).value;
    assert_eq!([None, Some(0), Some(1), Some(2)].map(recall), [Some(0.5), Some(0.0), Some(0.5), Some(1.0)]);
    assert!(ranking.is_in(2, Some(2)) && !ranking.is_in(2, Some(1)));
}

#[test]
fn saturation_is_flagged_where_most_questions_have_no_more_candidates() {
    let one = question(json!([{ "event": "e0" }]), json!([]), json!([]));
    let ranking = ranked(json!([one]), 15, &[0, 1, 2]);
    let flags: Vec<_> =
        (0..CUTOFFS.len()).map(|cutoff| ranking.summary(0, cutoff, None).unwrap().saturation()).collect();
    assert_eq!(flags, [Saturation::Few, Saturation::All, Saturation::All, Saturation::Few, Saturation::All]);
    assert_eq!(
        [Saturation::Few, Saturation::Most, Saturation::All].map(Saturation::word),
        [None, Some("most"), Some("all")]
    );
}

fn sent(ranked: bool, lines: &[(&str, Option<&str>)]) -> Arc<dyn Strategy> {
    let line = |(text, event): &(&str, Option<&str>)| SentLine {
        text: (*text).to_owned(),
        event: event.map(str::to_owned),
        ..SentLine::default()
    };
    let block =
        SentBlock { question: "ann/1".to_owned(), lines: lines.iter().map(line).collect(), ..SentBlock::default() };
    let run = BlockRun {
        origin: "test".to_owned(),
        strategy: "other".to_owned(),
        blocks: vec![block],
        ranked,
        warnings: Vec::new(),
    };
    Arc::new(SentByOther::new(run))
}

#[test]
fn lines_of_other_systems_are_ranked_in_their_order() {
    let questions = json!([
        question(json!([{ "event": "e1" }, "gamma"]), json!([]), json!([])),
        question(json!([{ "event": "e1" }]), json!([]), json!([])),
    ]);
    let lines = [("nothing", None), ("about beta", Some("e1")), ("both gamma and more", None)];
    for (ranked, in_block) in [(true, 0.5), (false, 1.0)] {
        let strategies = vec![sent(ranked, &lines), Arc::new(AnswersOnly::new("answers")) as Arc<dyn Strategy>];
        let evaluation = evaluated(case_set(&EVENTS, questions.clone(), 25), strategies);
        let ranking = Ranking::of(&evaluation, &CUTOFFS);
        // What the quota cuts of a ranking is a candidate all the same; a block is sent whole.
        assert_eq!(values(&ranking, Measure::Recall), some(&[0.0, 1.0, 1.0, in_block, 1.0]), "ranked: {ranked}");
        assert_eq!(ranking.row(0, 0).unwrap().ranks.candidates, 3);
        let summary = ranking.summary(0, 0, None).unwrap();
        assert_eq!((summary.ranked, summary.unranked), (1, 1), "nothing was sent for the second question");
        assert_eq!(ranking.summary(1, 0, None).unwrap().mean(Measure::Recall).value, None, "nobody knows");
    }
}

#[test]
fn a_line_that_carries_more_facts_than_any_event_is_no_better_than_ideal() {
    let questions = json!([question(json!(["alpha", "beta"]), json!([]), json!([]))]);
    let evaluation = evaluated(case_set(&EVENTS, questions, 100), vec![sent(false, &[("alpha and beta", None)])]);
    assert_eq!(values(&Ranking::of(&evaluation, &CUTOFFS), Measure::Ndcg), some(&[1.0; 5]));
}

#[test]
fn the_flipped_questions_come_with_their_ranks() {
    let need = |events: &[&str]| {
        let facts: Vec<Value> = events.iter().map(|event| json!({ "event": event })).collect();
        question(json!(facts), json!([]), json!([]))
    };
    let questions = json!([need(&["e0"]), need(&["e4"]), need(&["e0", "e4"]), need(&["e2"])]);
    let strategies = vec![fixed("base", &[0, 1, 2, 3, 4]), fixed("new", &[4, 3, 2, 1])];
    let evaluation = evaluated(case_set(&EVENTS, questions, 100), strategies);
    let ranking = Ranking::of(&evaluation, &[Cutoff::First(1), Cutoff::First(3), Cutoff::First(5)]);
    let pair = Pair::new(&ranking, 1, 0, 1, None);
    let flips: Vec<_> = pair.flips(Test::Any).iter().map(|f| (f.question, f.gained, f.selected, f.baseline)).collect();
    assert_eq!(flips, [(0, false, None, Some(1)), (1, true, Some(1), Some(5))]);
    let test = pair.test(Test::Any);
    assert_eq!((test.gained, test.lost, test.p), (1, 1, 1.0));
    let all = Pair::new(&ranking, 1, 0, 2, None).flips(Test::All);
    assert_eq!(
        all.iter().map(|f| (f.question, f.gained, f.selected, f.baseline)).collect::<Vec<_>>(),
        [(0, false, None, Some(1)), (2, false, None, Some(5))]
    );
    let recall = pair.difference(Measure::Recall, 1).unwrap();
    assert_eq!((recall.mean, recall.questions), (0.0, 4));
    assert!(recall.low < 0.0 && recall.high > 0.0);
    assert_eq!(pair.difference(Measure::Stale, 1), None);
}

#[test]
fn a_stopped_ranking_is_none() {
    let questions = json!([question(json!([{ "event": "e0" }]), json!([]), json!([]))]);
    let evaluation = evaluated(case_set(&EVENTS, questions, 100), vec![fixed("fixed", &[0])]);
    assert!(Ranking::watched(&evaluation, &CUTOFFS, &|_, _| false).is_none());
    let told = std::sync::Mutex::new(Vec::new());
    let watch = |done, all| {
        told.lock().unwrap().push((done, all));
        true
    };
    assert_eq!(Ranking::watched(&evaluation, &CUTOFFS, &watch), Some(Ranking::of(&evaluation, &CUTOFFS)));
    assert_eq!(told.into_inner().unwrap(), [(1, 1)]);
}

proptest! {
    #[test]
    fn measures_keep_their_bounds(
        order in Just((0..8_usize).collect::<Vec<_>>()).prop_shuffle(),
        length in 0_usize..=8,
        required in proptest::collection::vec(0_usize..10, 1..5),
        leaks in proptest::collection::vec(0_usize..8, 0..4),
        quota in 0_usize..100,
    ) {
        let events: Vec<String> = (0..8).map(|event| format!("line {event} {}", "x ".repeat(event % 3))).collect();
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let name = |events: &[usize]| events.iter().map(|e| json!({ "event": format!("e{e}") })).collect::<Vec<_>>();
        let questions = json!([question(json!(name(&required)), json!(name(&leaks)), json!([]))]);
        let name: &'static str = "fixed";
        let evaluation = evaluated(case_set(&events, questions, quota), vec![fixed(name, &order[..length])]);
        let cutoffs: Vec<Cutoff> = (1..=9).map(Cutoff::First).chain([Cutoff::Quota, Cutoff::Whole]).collect();
        let ranking = Ranking::of(&evaluation, &cutoffs);
        let value = |cutoff, measure| ranking.value(0, 0, cutoff, measure);
        for (place, _) in cutoffs.iter().enumerate() {
            for measure in Measure::ALL.into_iter().filter(|measure| *measure != Measure::Tokens) {
                prop_assert!(value(place, measure).is_none_or(|value| (0.0..=1.0).contains(&value)), "{measure:?}");
            }
            let [any, recall, all] = [Measure::Any, Measure::Recall, Measure::All].map(|m| value(place, m).unwrap());
            prop_assert!(any >= recall && recall >= all);
            prop_assert_eq!(any > 0.0, value(place, Measure::Mrr).unwrap() > 0.0);
        }
        for k in 1..9 {
            for measure in [Measure::Recall, Measure::Any, Measure::All, Measure::Mrr, Measure::Tokens] {
                prop_assert!(value(k, measure) >= value(k - 1, measure), "{measure:?} falls at {k}");
            }
        }
        let block = evaluation.block(0, 0).unwrap();
        let counts: &Counts = ranking.counts(0, 0, 9).unwrap();
        prop_assert_eq!(counts.filled as usize, block.lines.len());
        prop_assert_eq!(counts.tokens as usize, block.tokens);
        prop_assert_eq!(counts.relevant as usize, block.useful());
        prop_assert_eq!(counts.stale as usize, block.stale());
        prop_assert_eq!(counts.found == ranking.row(0, 0).unwrap().required, block.missing.is_empty());
    }

    #[test]
    fn the_ideal_order_is_exactly_one(required in proptest::collection::hash_set(0_usize..8, 1..6)) {
        let mut order: Vec<usize> = required.iter().copied().collect();
        order.extend((0..8).filter(|event| !required.contains(event)));
        let events = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let facts: Vec<_> = required.iter().map(|event| json!({ "event": format!("e{event}") })).collect();
        let questions = json!([question(json!(facts), json!([]), json!([]))]);
        let evaluation = evaluated(case_set(&events, questions, 1_000), vec![fixed("fixed", &order)]);
        prop_assert_eq!(values(&Ranking::of(&evaluation, &CUTOFFS), Measure::Ndcg), some(&[1.0; 5]));
    }
}
