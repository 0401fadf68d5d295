//! A map from questions to attributes, to be filled in and added to a case file.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::case::CaseSet;

/// The map of a case set as the case file holds it: for each question, by its words or, where those stand several times, by
/// its id, the attributes that it asks about.
#[derive(Debug, Serialize)]
pub struct AttributeMap {
    attributes: Map<String, Value>,
}

impl AttributeMap {
    /// What the case set says so far. With `from_facts` a question that names no attributes gets those of the events that
    /// carry its required facts.
    pub fn of(cases: &CaseSet, from_facts: bool) -> Self {
        let mut attributes = Map::new();
        let names = cases.question_names();
        for (conversation, question) in cases.questions() {
            let mut named = question.attributes.clone();
            if named.is_empty() && from_facts {
                for fact in &question.required {
                    let carriers = conversation.events.iter().filter(|event| fact.is_carried_by(event));
                    for event in carriers.filter(|event| !event.attribute.is_empty()) {
                        if !named.contains(&event.attribute) {
                            named.push(event.attribute.clone());
                        }
                    }
                }
            }
            let once = names.get(question.question.as_str()).is_some_and(|numbers| numbers.len() == 1);
            let name = if once { &question.question } else { &question.id };
            attributes.insert(name.clone(), named.into());
        }
        Self { attributes }
    }
}
