//! Reading the fixture: every field must be taken by somebody.

use recallscope::governed::{Candidate, Kind, Scope, Source};
use serde_json::{Map, Value};

pub struct Fields {
    left: Map<String, Value>,
    whole: String,
}

impl Fields {
    pub fn of(value: &Value) -> Self {
        Self { left: value.as_object().unwrap().clone(), whole: value.to_string() }
    }

    pub fn find(&mut self, name: &str) -> Option<Value> {
        self.left.remove(name)
    }

    pub fn take(&mut self, name: &str) -> Value {
        self.find(name).unwrap_or_else(|| panic!("no {name} in {}", self.whole))
    }

    pub fn text(&mut self, name: &str) -> String {
        self.take(name).as_str().unwrap().to_owned()
    }

    pub fn number(&mut self, name: &str) -> i64 {
        self.take(name).as_i64().unwrap()
    }

    pub fn find_number(&mut self, name: &str) -> Option<i64> {
        self.find(name).and_then(|value| optional(&value))
    }

    pub fn scope(&mut self) -> Scope {
        scope(&self.take("scope"))
    }

    pub fn done(self) {
        assert!(self.left.is_empty(), "nothing checks {:?} of {}", self.left.keys(), self.whole);
    }
}

fn optional(value: &Value) -> Option<i64> {
    if value.is_null() { None } else { Some(value.as_i64().unwrap()) }
}

pub fn scope(value: &Value) -> Scope {
    let user = if value[1].is_null() { None } else { Some(value[1].as_str().unwrap().to_owned()) };
    assert_eq!(value.as_array().unwrap().len(), 2);
    Scope::new(value[0].as_str().unwrap(), user).unwrap()
}

pub fn candidate(value: &Value) -> Candidate {
    let mut fields = Fields::of(value);
    let named = |value: &Value| value.clone();
    let read = Candidate {
        key: fields.text("key"),
        value: fields.text("value"),
        scope: fields.scope(),
        evidence: fields.text("evidence"),
        time: fields.number("time"),
        kind: serde_json::from_value::<Kind>(named(&fields.take("kind"))).unwrap(),
        source: serde_json::from_value::<Source>(named(&fields.take("source"))).unwrap(),
        confidence: fields.take("confidence").as_f64().unwrap(),
        ttl: optional(&fields.take("ttl")),
    };
    fields.done();
    read
}
