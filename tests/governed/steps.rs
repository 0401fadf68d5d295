//! Scenarios that run operations on a store.

use recallscope::governed::{Agent, Answer, Drop, Query, Record, Store, gate};
use serde_json::{Value, json};

use crate::read::Fields;

pub fn run(steps: &Value) {
    let mut store = Store::in_memory().unwrap();
    for (at, step) in steps.as_array().unwrap().iter().enumerate() {
        let mut fields = Fields::of(step);
        let operation = fields.text("do");
        let expected = fields.take("expect");
        let found = act(&mut store, &operation, &mut fields);
        fields.done();
        assert_eq!(found, expected, "step {}: {step}", at + 1);
        assert_eq!(store.verify_index().unwrap(), [], "the index after step {}: {step}", at + 1);
    }
}

fn record(record: &Record) -> Value {
    json!({"id": record.id, "value": record.value, "status": record.status, "span": [record.span.from, record.span.to]})
}

fn answer(answer: Option<&Answer>) -> Value {
    let Some(answer) = answer else { return Value::Null };
    let mut shown = record(&answer.record);
    shown["score"] = json!(answer.score);
    shown
}

fn ids(dropped: &[Drop]) -> Value {
    dropped.iter().map(|drop| drop.id.as_str()).collect()
}

fn query(fields: &mut Fields) -> Query {
    let text = fields.text("query");
    Query { as_of: fields.find_number("as_of"), now: fields.find_number("now"), ..Query::new(text, fields.scope()) }
}

fn act(store: &mut Store, operation: &str, fields: &mut Fields) -> Value {
    match operation {
        "gate" => json!(gate(&fields.candidate()).words()),
        "decide" => json!(store.decide(&fields.candidate()).unwrap().name()),
        "turn" => json!(store.turn(&fields.candidate(), fields.find_number("now")).unwrap().to_string()),
        "write" => {
            let corrects = fields.find("corrects").map(|id| id.as_str().unwrap().to_owned());
            let now = fields.find_number("now");
            let written = store.write(&fields.candidate(), now, corrects.as_deref()).unwrap();
            json!({"id": written.id, "reason": written.reason.words()})
        }
        "forget" => {
            let key = fields.text("key");
            json!(store.forget(&fields.scope(), &key).unwrap().ids)
        }
        "consolidate" => {
            let episodes: Vec<String> = serde_json::from_value(fields.take("episodes")).unwrap();
            let made = store.consolidate(&episodes, &fields.candidate(), fields.find_number("now")).unwrap();
            if let Some(id) = &made.id {
                assert_eq!(store.parents(id).unwrap(), made.parents);
            }
            json!({"id": made.id, "reason": made.reason.words(), "parents": made.parents})
        }
        "retrieve" => answer(store.retrieve(&query(fields)).unwrap().answer()),
        "retrieve_unsafe" => serde_json::to_value(store.retrieve_unsafe(&query(fields)).unwrap()).unwrap(),
        "believed_at" => {
            let (text, scope) = (fields.text("query"), fields.scope());
            let (decision, valid) = (fields.number("decision_time"), fields.find_number("valid_time"));
            json!(store.believed_at(&text, &scope, decision, valid).unwrap().value())
        }
        "records" => store.records().unwrap().iter().map(record).collect(),
        "postings" => json!(store.postings(&fields.text("token")).unwrap()),
        "index_is_rebuildable" => {
            let before = store.verify_index().unwrap();
            store.rebuild_index().unwrap();
            json!(before.is_empty() && store.verify_index().unwrap().is_empty())
        }
        "observe" => {
            let (text, time) = (fields.text("text"), fields.number("time"));
            let temporary = fields.find("temporary").is_some_and(|value| value.as_bool().unwrap());
            let calls = Agent::new(fields.scope(), temporary).observe(store, &text, time).unwrap();
            calls.iter().map(|call| json!([call.tool.name(), call.operation, call.key, call.value])).collect()
        }
        "expire" | "decay" | "evict" => forgetting(store, operation, fields),
        _ => deletion(store, operation, fields),
    }
}

/// Each policy names beforehand exactly what it drops.
fn forgetting(store: &mut Store, operation: &str, fields: &mut Fields) -> Value {
    let (would, did) = match operation {
        "expire" => {
            let now = fields.number("now");
            (store.would_expire(now).unwrap(), store.expire(now).unwrap())
        }
        "decay" => {
            let k = u32::try_from(fields.number("k")).unwrap();
            (store.would_decay(k).unwrap(), store.decay(k).unwrap())
        }
        _ => {
            let (n, scope) = (usize::try_from(fields.number("n")).unwrap(), fields.scope());
            (store.would_evict(&scope, n).unwrap(), store.evict(&scope, n).unwrap())
        }
    };
    assert_eq!(would, did);
    ids(&did)
}

fn deletion(store: &mut Store, operation: &str, fields: &mut Fields) -> Value {
    match operation {
        "delete_subject" => serde_json::to_value(store.delete_subject(&fields.scope()).unwrap()).unwrap(),
        "invalidate" => {
            let scope = fields.find("scope").map(|scope| crate::read::scope(&scope));
            json!(store.invalidate(scope.as_ref()).unwrap())
        }
        "delete_shared" => {
            let now = fields.number("now");
            serde_json::to_value(store.delete_shared(&fields.scope(), now).unwrap()).unwrap()
        }
        unknown => panic!("no check knows the operation {unknown}"),
    }
}
