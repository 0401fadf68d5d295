//! Scenarios that give an input and an output.

use recallscope::governed::curriculum::Curricula;
use recallscope::governed::{
    Ability, COST_MATCHED, Dimension, FIVE_ABILITIES, Probe, Query, Run, Store, Suite, System, compare,
};
use serde_json::{Value, json};

use crate::read::{Fields, candidate};

pub fn run(name: &str, input: Option<&Value>, expected: &Value) {
    match (name, input) {
        (_, Some(input)) if input.get("rolled_back").is_some() => rollback(name),
        ("abstention threshold", None) => thresholds(expected),
        ("cache keys", Some(input)) => cache_keys(input, expected),
        ("five abilities", Some(input)) => five_abilities(input, expected),
        ("cost-matched comparison", Some(input)) => cost_matched(input, expected),
        (_, Some(input)) if input.get("train").is_some() => lessons(name),
        _ => panic!("no check knows the scenario {name}"),
    }
}

fn four_places(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

fn curricula() -> Curricula {
    Curricula::load(&recallscope::bundled::governed()).unwrap()
}

/// What the library reads and runs, held against what the file expects. That the file's own reading takes every field, its
/// errors say.
fn lessons(name: &str) {
    let read = curricula();
    let curriculum = read.find(name).unwrap();
    let run = curriculum.run();
    assert_eq!(Some(curriculum.outcome(&run)), curriculum.expected);
    assert_eq!(curriculum.holds(&run), Some(true));
}

/// Takes back a lesson of the policy that the curriculum before it comes to; in the store too.
fn rollback(name: &str) {
    let read = curricula();
    let before = read.curricula.iter().find(|one| one.rollbacks.iter().any(|back| back.name == name)).unwrap();
    assert_eq!(before.name, "lessons earn promotion");
    let back = before.rollbacks.iter().find(|back| back.name == name).unwrap();
    let Run { mut policy, log, .. } = before.run();
    let mut store = Store::in_memory().unwrap();
    for attempt in log.iter().filter(|attempt| attempt.promoted) {
        store.promote("triage", &attempt.lesson, &attempt.trial.to_string()).unwrap();
    }
    let promoted = policy.lessons.clone();
    let version = store.policy_log("triage").unwrap().last().unwrap().version;

    let rehearsal = before.curriculum.rehearse_rollback(&policy, &back.lesson).unwrap();
    assert_eq!(policy.lessons, promoted, "a rehearsal changes nothing");
    assert!(policy.roll_back(&back.lesson));
    assert_eq!(rehearsal.policy, policy);
    store.roll_back("triage", &back.lesson, "on request").unwrap();
    assert_eq!(store.lessons("triage", None).unwrap(), policy.lessons);
    assert_eq!(store.lessons("triage", Some(version)).unwrap(), promoted);

    let routes: Vec<String> = back.cases.iter().map(|case| policy.route(&case.keywords).to_owned()).collect();
    assert_eq!(Some(routes), back.expected);
}

fn thresholds(expected: &Value) {
    for (_, part) in expected.as_object().unwrap() {
        let mut fields = Fields::of(part);
        let mut store = Store::in_memory().unwrap();
        for fact in fields.take("facts").as_array().unwrap() {
            assert!(store.write(&candidate(fact), None, None).unwrap().id.is_some());
        }
        for row in fields.take("rows").as_array().unwrap() {
            let mut row = Fields::of(row);
            let query = Query { as_of: row.find_number("as_of"), ..Query::new(row.text("query"), row.scope()) };
            let answered = |tenths: i64| {
                let reading = store.look(&Query { threshold: tenths as f64 / 10.0, ..query.clone() }).unwrap();
                reading.value().map(|value| (tenths, value.to_owned()))
            };
            let all: Vec<(i64, String)> = (10..=40).filter_map(answered).collect();
            let best = all.last();
            assert_eq!(json!(best.map(|(tenths, _)| *tenths as f64 / 10.0)), row.take("answers_up_to"), "{query:?}");
            assert_eq!(json!(best.map(|(_, value)| value)), row.take("value"), "{query:?}");
            let within = all.iter().filter(|(tenths, _)| *tenths <= 30).count();
            assert_eq!(json!(within), row.take("answered_in_1_to_3"), "{query:?}");
            assert_eq!(json!((10..=30).count()), row.take("of"));
            row.done();
        }
        fields.done();
    }
}

/// The facts of the plain store and the note with a horizon of the scenario before.
fn cached_store() -> Store {
    let fixture = crate::fixture();
    let scenario = |name: &str| {
        fixture["scenarios"].as_array().unwrap().iter().find(|scenario| scenario["name"] == name).unwrap().clone()
    };
    let facts = scenario("abstention threshold")["expect"]["plain store"]["facts"].clone();
    let note = scenario("time to live")["steps"][0]["candidate"].clone();
    let mut store = Store::in_memory().unwrap();
    for fact in facts.as_array().unwrap().iter().chain([&note]) {
        assert!(store.write(&candidate(fact), None, None).unwrap().id.is_some());
    }
    store
}

fn cache_keys(input: &Value, expected: &Value) {
    for row in expected.as_array().unwrap() {
        let mut row = Fields::of(row);
        let named = row.take("key");
        let dimensions: Vec<Dimension> = named.as_array().unwrap().iter().map(dimension).collect();
        let mut store = cached_store();
        let mut answers = Vec::new();
        for read in input.as_array().unwrap() {
            let mut read = Fields::of(read);
            let plain = Query::new(read.text("query"), read.scope());
            let threshold = read.find("threshold").map_or(plain.threshold, |value| value.as_f64().unwrap());
            let (as_of, now) = (read.find_number("as_of"), read.find_number("now"));
            read.done();
            let query = Query { as_of, now, threshold, ..plain };
            let found = if dimensions.len() == Dimension::ALL.len() {
                store.retrieve_cached(&query).unwrap()
            } else {
                store.retrieve_cached_by(&query, &dimensions).unwrap()
            };
            answers.push(found.and_then(|record| record.value));
        }
        assert_eq!(json!(answers), row.take("answers"), "{named}");
        row.done();
    }
}

fn dimension(name: &Value) -> Dimension {
    match name.as_str().unwrap() {
        "query" => Dimension::Query,
        "scope" => Dimension::Scope,
        "as_of" => Dimension::AsOf,
        "now" => Dimension::Now,
        "threshold" => Dimension::Threshold,
        unknown => panic!("no dimension {unknown}"),
    }
}

fn suite(name: &str) -> Suite {
    Suite::bundled().unwrap().into_iter().find(|suite| suite.name == name).unwrap()
}

fn five_abilities(input: &Value, expected: &Value) {
    assert_eq!(input, &json!(Ability::ALL.map(Ability::name)));
    let suite = suite(FIVE_ABILITIES);
    let mut found = serde_json::Map::new();
    for system in System::ALL {
        let compared = compare(&suite.comparison, system).unwrap();
        let scores = Ability::ALL.map(|ability| compared.slices[&ability].score() as i64);
        found.insert(system.name().to_owned(), json!({"scores": scores, "average": compared.average()}));
    }
    assert_eq!(&Value::Object(found), expected);
}

/// Whatever the input holds is in the suite.
fn read_whole(input: &Value, suite: &Suite) {
    let mut fields = Fields::of(input);
    let comparison = &suite.comparison;
    let facts: Value =
        comparison.facts.iter().map(|fact| json!([fact.key, fact.value, fact.scope, fact.time])).collect();
    assert_eq!(facts, fields.take("facts"));
    assert_eq!(json!(comparison.log), fields.take("log"));
    let probe = |probe: &Probe| json!([probe.ability, probe.question, probe.scope, probe.as_of, probe.expected]);
    assert_eq!(comparison.probes.iter().map(probe).collect::<Value>(), fields.take("cases"));
    assert_eq!(json!(comparison.floors), fields.take("floors"));
    fields.done();
}

fn cost_matched(input: &Value, expected: &Value) {
    let suite = suite(COST_MATCHED);
    read_whole(input, &suite);
    let mut found = serde_json::Map::new();
    for budget in &suite.budgets {
        for system in System::ALL {
            let compared = compare(&suite.at(*budget), system).unwrap();
            assert!(compared.most_tokens() <= *budget);
            let each = |of: &dyn Fn(Ability) -> Value| -> Value {
                Value::Object(Ability::ALL.iter().map(|ability| (ability.name().to_owned(), of(*ability))).collect())
            };
            let shown = json!({
                "scores": each(&|ability| json!(four_places(compared.slices[&ability].score()))),
                "average": four_places(compared.average()),
                "tokens_per_query": (compared.tokens_per_query() * 100.0).round() / 100.0,
                "most_tokens": compared.most_tokens(),
                "foreign_answers": compared.foreign_answers,
                "ship": each(&|ability| json!(compared.slices[&ability].ships())),
            });
            found.insert(format!("{} at {budget}", system.name()), shown);
        }
    }
    assert_eq!(Value::Object(found), *expected);
}
