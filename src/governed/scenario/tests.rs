use super::*;
use crate::governed::{State, Status, Store};

fn bundled() -> Scenarios {
    Scenarios::load(&crate::bundled::governed()).unwrap()
}

/// The store after the first steps of a bundled scenario.
pub(in crate::governed) fn after(name: &str, steps: usize) -> Store {
    let scenario = bundled().scenarios.into_iter().find(|scenario| scenario.name == name).unwrap();
    let mut store = Store::in_memory().unwrap();
    for step in scenario.steps.iter().take(steps) {
        step.operation.run(&mut store).unwrap();
    }
    store
}

fn error(steps: &str) -> String {
    let text = format!(
        "{{\"about\": \"\", \"operations\": {{}}, \"rules\": [],\n \"scenarios\": [\n  {{\"name\": \"one\", \"steps\": [\n   {steps}]}}]}}"
    );
    Scenarios::load(&Source::new("s.json", text)).unwrap_err().to_string()
}

const CANDIDATE: &str = r#"{"key": "k", "value": "v", "scope": ["a", "m"], "evidence": "t", "time": 1, "kind": "semantic", "source": "user", "confidence": 1.0, "ttl": null}"#;

#[test]
fn the_bundled_scenarios_with_steps_are_read() {
    let read = bundled();
    let steps: usize = read.scenarios.iter().map(|scenario| scenario.steps.len()).sum();
    assert_eq!(steps, 209);
    let names = |operation: &Operation| Operation::NAMES.contains(&operation.name());
    assert!(read.scenarios.iter().flat_map(|scenario| &scenario.steps).all(|step| names(&step.operation)));
    assert!(read.operations.keys().all(|name| Operation::NAMES.contains(&name.as_str())));
    assert!(read.scenarios.iter().all(|scenario| !scenario.about.is_empty()));
}

#[test]
fn what_is_wrong_in_a_step_is_told_with_its_place() {
    assert_eq!(
        error(r#"{"do": "expire", "now": "ten", "expect": []}"#),
        "s.json:4:28: scenario `one`, step 1: now: found string \"ten\", expected a whole number"
    );
    assert_eq!(
        error(&format!(
            r#"{{"do": "gate", "candidate": {}, "expect": "accepted"}}"#,
            CANDIDATE.replace("\"semantic\"", "\"semantik\"")
        )),
        "s.json:4:116: scenario `one`, step 1: candidate.kind: unknown variant `semantik`, expected one of `semantic`, \
         `episodic`, `procedural`, `working`"
    );
    assert_eq!(
        error("{\"do\": \"records\", \"expect\": []},\n   {\"do\": \"retrive\", \"expect\": null}"),
        format!(
            "s.json:5:11: scenario `one`, step 2: found the operation `retrive`, expected one of {}; did you mean `retrieve`?",
            Operation::NAMES.join(", ")
        )
    );
    let unknown = error(r#"{"do": "postings", "token": "x", "tokens": 1, "expect": 0}"#);
    assert!(unknown.starts_with("s.json:4:4") || unknown.starts_with("s.json:4:47"), "{unknown}");
    assert!(unknown.contains("step 1") && unknown.contains("unknown field `tokens`, expected `token`"), "{unknown}");
    assert!(error(r#"{"do": "records"}"#).contains("step 1: missing field `expect`"));
    assert!(error(r#"{"expect": 1}"#).contains("step 1: missing field `do`"));
    assert!(error(r#"{"do": "expire", "now": 1, "now": 2, "expect": []}"#).contains("found `now` twice"));
    assert!(error(r#"{"do": "forget", "key": "k", "scope": ["", null], "expect": []}"#).contains("tenant is empty"));
}

#[test]
fn a_scenario_has_steps_or_an_output() {
    let load = |entries: &str| {
        let text = format!("{{\"about\": \"\", \"operations\": {{}}, \"rules\": [], \"scenarios\": [{entries}]}}");
        Scenarios::load(&Source::new("s.json", text)).map_err(|error| error.to_string())
    };
    assert_eq!(load(r#"{"name": "p", "input": 1, "expect": 2}"#).unwrap().scenarios, []);
    assert!(load(r#"{"name": "p"}"#).unwrap_err().contains("found neither steps nor"));
    assert!(load(r#"{"name": "p", "steps": [], "expect": 2}"#).unwrap_err().contains("found steps beside"));
    assert!(
        load(r#"{"name": "p", "steps": []}, {"name": "p", "steps": []}"#).unwrap_err().contains("a second scenario")
    );
    assert!(load(r#"{"name": "p", "step": []}"#).unwrap_err().contains("unknown field `step`"));
}

#[test]
fn a_playback_is_the_same_from_every_side() {
    for scenario in bundled().scenarios {
        let records = |to: usize| {
            let mut store = Store::in_memory().unwrap();
            for step in scenario.steps.iter().take(to) {
                step.operation.run(&mut store).unwrap();
            }
            store.records().unwrap()
        };
        let mut play = Playback::new().unwrap();
        let len = scenario.steps.len();
        let ways = (0..=len).chain((0..=len).rev()).chain((0..=len).flat_map(|at| [at, len - at]));
        for to in ways {
            let there =
                play.go(to, usize::MAX, |store, step| scenario.steps[step].operation.run(store).map(|_| ())).unwrap();
            assert!(there);
            assert_eq!((play.at(), play.store().records().unwrap()), (to, records(to)), "{}", scenario.name);
        }
    }
}

#[test]
fn a_long_playback_keeps_few_copies_and_goes_in_slices() {
    let candidate: crate::governed::Candidate = serde_json::from_str(CANDIDATE).unwrap();
    let write = |store: &mut Store, step: usize| {
        let time = step as i64;
        let said = crate::governed::Candidate {
            time,
            value: format!("v{step}"),
            evidence: time.to_string(),
            ..candidate.clone()
        };
        store.turn(&said, None).map(|_| ())
    };
    let mut play = Playback::new().unwrap();
    assert!(!play.go(2000, 700, write).unwrap());
    assert_eq!(play.at(), 700);
    while !play.go(2000, 700, write).unwrap() {}
    assert!(play.copies.len() <= MOST_COPIES);
    for to in [1999, 1500, 64, 63, 0, 2000] {
        while !play.go(to, usize::MAX, write).unwrap() {}
        let records = play.store().records().unwrap();
        assert_eq!(records.len(), to);
        assert_eq!(records.iter().filter(|record| record.status == Status::Active).count(), usize::from(to > 0));
        assert_eq!(play.store().verify_index().unwrap(), []);
    }
}

const MOST_COPIES: usize = 16;

#[test]
fn states_are_told_apart() {
    let names: std::collections::BTreeSet<_> = State::ALL.map(State::name).into();
    assert_eq!(names.len(), State::ALL.len());
}
