//! Reading a case set: types first, then the rules that types cannot say.

use std::collections::{BTreeMap, HashMap, HashSet};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use serde::Deserialize;

use rayon::prelude::*;
use serde_json::value::RawValue;

use crate::path;
use crate::source::{InputError, Segment, Source, Warning, json};

use super::{CaseSet, Conversation, Event, Fact, LongReplay, MOST_SAMPLES, sample_count};

const FIELDS: &[&str] = &[
    "conversations",
    "long_replay",
    "facts_quota",
    "user",
    "events",
    "questions",
    "turn",
    "text",
    "op",
    "attribute",
    "id",
    "speaker",
    "at",
    "question",
    "required",
    "stale",
    "forgotten",
    "category",
    "tags",
    "answer",
    "asked_at",
    "abstain",
    "trap",
    "attributes",
    "sample_every",
    "event",
];

/// The last turn that the stores can hold.
const LAST_TURN: u64 = i64::MAX as u64;

/// Warnings of one kind that are written out; further ones are counted.
const REPORTED: usize = 20;

/// A case set as its file has it.
#[derive(Deserialize)]
struct CaseFile {
    conversations: Vec<Conversation>,
    #[serde(default)]
    long_replay: Option<LongReplay>,
    facts_quota: usize,
    /// For the strategy `attribute`: questions, by id or words, and the attributes that they ask about.
    #[serde(default)]
    attributes: BTreeMap<String, Vec<String>>,
}

impl CaseSet {
    /// Reads a case set.
    ///
    /// # Errors
    /// Broken JSON, a wrong type, a missing field, an unknown op, a turn smaller than the one before, a question id that
    /// stands twice, an event id that stands twice for one user, a sampling step of 0: each with its line and column.
    pub fn load(source: &Source) -> Result<Self, InputError> {
        let (file, mut warnings): (CaseFile, _) = match parse_in_parts(source.text()) {
            Some(file) => (file, Vec::new()),
            None => json::parse(source, FIELDS)?,
        };
        let CaseFile { conversations, long_replay, facts_quota, attributes } = file;
        let mut cases = Self { conversations, long_replay, facts_quota, warnings: Vec::new() };
        name_questions(&mut cases);
        warnings.extend(map_attributes(source, &mut cases, attributes));
        check_turns(source, &cases)?;
        check_ids(source, &cases)?;
        warnings.extend(repeated_questions(source, &cases));
        warnings.extend(unsaid_facts(source, &cases));
        cases.warnings = warnings;
        Ok(cases)
    }
}

/// A case set whose conversations are parsed on all cores. Nothing where anything is wrong or odd in it: what that is, and
/// where, is for the slower parser to say.
fn parse_in_parts(text: &str) -> Option<CaseFile> {
    #[derive(Deserialize)]
    struct Outline<'a> {
        #[serde(borrow)]
        conversations: Vec<&'a RawValue>,
        #[serde(default)]
        long_replay: Option<LongReplay>,
        facts_quota: usize,
        #[serde(default)]
        attributes: BTreeMap<String, Vec<String>>,
    }
    // serde takes a list for an object whose fields come in order.
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let Outline { conversations, long_replay, facts_quota, attributes } = parse_known(text)?;
    let conversations: Option<Vec<Conversation>> =
        conversations.par_iter().map(|part| parse_known(part.get())).collect();
    Some(CaseFile { conversations: conversations?, long_replay, facts_quota, attributes })
}

/// A value that holds no unknown field.
fn parse_known<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    let mut unknown = false;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = serde_ignored::deserialize(&mut deserializer, |_| unknown = true).ok()?;
    deserializer.end().ok().filter(|()| !unknown).map(|()| value)
}

/// Gives each question without an id the name `USER/N`, N counting the user's questions from 1.
fn name_questions(cases: &mut CaseSet) {
    let mut asked: HashMap<String, usize> = HashMap::new();
    for conversation in &mut cases.conversations {
        let count = asked.entry(conversation.user.clone()).or_default();
        for question in &mut conversation.questions {
            *count += 1;
            if question.id.is_empty() {
                question.id = format!("{}/{count}", conversation.user);
            }
        }
    }
}

/// Gives the questions the attributes of the file's map; what a question names itself goes before. Returns what the map
/// says that can mean nothing: questions that are not there, attributes that no event of their user has.
fn map_attributes(source: &Source, cases: &mut CaseSet, map: BTreeMap<String, Vec<String>>) -> Vec<Warning> {
    if map.is_empty() && cases.questions().all(|(_, question)| question.attributes.is_empty()) {
        return Vec::new();
    }
    let mut known: HashSet<&str> = HashSet::new();
    let mut said: HashSet<(&str, &str)> = HashSet::new();
    for conversation in &cases.conversations {
        let user = conversation.user.as_str();
        known.extend(conversation.questions.iter().flat_map(|q| [q.id.as_str(), q.question.as_str()]));
        said.extend(conversation.events.iter().map(|event| (user, event.attribute.as_str())));
    }
    let mut odd = Vec::new();
    for name in map.keys().filter(|name| !known.contains(name.as_str())) {
        odd.push((path!["attributes", name.as_str()].to_vec(), format!("there is no question \"{name}\"")));
    }
    for (c, conversation) in cases.conversations.iter().enumerate() {
        for (q, question) in conversation.questions.iter().enumerate() {
            let user = conversation.user.as_str();
            let (own, place) =
                match (&question.attributes, map.get(&question.id).or_else(|| map.get(&question.question))) {
                    (own, Some(mapped)) if own.is_empty() => {
                        let name = if map.contains_key(&question.id) { &question.id } else { &question.question };
                        (mapped, path!["attributes", name.as_str()].to_vec())
                    }
                    (own, _) => (own, path!["conversations", c, "questions", q, "attributes"].to_vec()),
                };
            for attribute in own.iter().filter(|attribute| !said.contains(&(user, attribute.as_str()))) {
                let message = format!("no event of {user} has the attribute \"{attribute}\"");
                odd.push((place.clone(), message));
            }
        }
    }
    for question in cases.conversations.iter_mut().flat_map(|conversation| &mut conversation.questions) {
        let mapped = map.get(&question.id).or_else(|| map.get(&question.question));
        if let Some(mapped) = mapped.filter(|_| question.attributes.is_empty()) {
            question.attributes.clone_from(mapped);
        }
    }
    written_out(source, odd, "names in the map of attributes mean nothing")
}

fn check_turns(source: &Source, cases: &CaseSet) -> Result<(), InputError> {
    let check = |events: &[Event], place: &dyn Fn(usize) -> Vec<Segment>| {
        if let Some((index, event)) = events.iter().enumerate().find(|(_, event)| event.turn > LAST_TURN) {
            let message = format!("found turn {}, expected at most {LAST_TURN}", event.turn);
            return Err(source.error_at(&place(index), message));
        }
        let disorder = events.windows(2).position(|pair| matches!(pair, [a, b] if b.turn < a.turn));
        match disorder
            .map(|before| before + 1)
            .and_then(|index| Some((index, events.get(index)?, events.get(index - 1)?)))
        {
            Some((index, event, before)) => Err(source.error_at(
                &place(index),
                format!("found turn {} after turn {}, expected turns in order", event.turn, before.turn),
            )),
            None => Ok(()),
        }
    };
    for (c, conversation) in cases.conversations.iter().enumerate() {
        check(&conversation.events, &|e| path!["conversations", c, "events", e, "turn"].to_vec())?;
    }
    let Some(LongReplay { events, sample_every, .. }) = &cases.long_replay else { return Ok(()) };
    if *sample_every == 0 {
        let message = "found a sampling step of 0, expected at least 1 turn";
        return Err(source.error_at(&path!["long_replay", "sample_every"], message));
    }
    check(events, &|e| path!["long_replay", "events", e, "turn"].to_vec())?;
    let samples = sample_count(events, *sample_every);
    if samples > MOST_SAMPLES {
        let message = format!(
            "found a sampling step of {sample_every}, which makes {samples} samples, expected at most {MOST_SAMPLES}"
        );
        return Err(source.error_at(&path!["long_replay", "sample_every"], message));
    }
    Ok(())
}

fn check_ids(source: &Source, cases: &CaseSet) -> Result<(), InputError> {
    let mut questions: HashSet<&str> = HashSet::new();
    let mut events: HashSet<(&str, &str)> = HashSet::new();
    for (c, conversation) in cases.conversations.iter().enumerate() {
        for (e, event) in conversation.events.iter().enumerate() {
            let Some(id) = &event.id else { continue };
            if !events.insert((&conversation.user, id)) {
                let message = format!("found a second event `{id}` of {}, expected each id once", conversation.user);
                return Err(source.error_at(&path!["conversations", c, "events", e, "id"], message));
            }
        }
        for (q, question) in conversation.questions.iter().enumerate() {
            if !questions.insert(&question.id) {
                let message = format!("found a second question with the id `{}`, expected each id once", question.id);
                return Err(source.error_at(&path!["conversations", c, "questions", q, "id"], message));
            }
        }
    }
    Ok(())
}

fn repeated_questions(source: &Source, cases: &CaseSet) -> Vec<Warning> {
    let mut first: HashMap<&str, &str> = HashMap::new();
    let mut repeated = Vec::new();
    for (c, conversation) in cases.conversations.iter().enumerate() {
        for (q, question) in conversation.questions.iter().enumerate() {
            if let Some(earlier) = first.get(question.question.as_str()) {
                let message = format!(
                    "the question \"{}\" stands twice, as {earlier} and {}: answers and keys given by its text go to both",
                    question.question, question.id
                );
                repeated.push((path!["conversations", c, "questions", q, "question"].to_vec(), message));
            } else {
                first.insert(&question.question, &question.id);
            }
        }
    }
    written_out(source, repeated, "questions stand twice")
}

/// Facts that no event of their user said. Linear in the text, however many facts a user's questions list.
fn unsaid_facts(source: &Source, cases: &CaseSet) -> Vec<Warning> {
    let mut said: HashMap<&str, Vec<&Event>> = HashMap::new();
    for conversation in &cases.conversations {
        said.entry(&conversation.user).or_default().extend(&conversation.events);
    }
    let mut listed: HashMap<&str, Vec<&Fact>> = HashMap::new();
    for conversation in &cases.conversations {
        let facts = conversation.questions.iter().flat_map(|q| q.required.iter().chain(&q.stale).chain(&q.forgotten));
        listed.entry(&conversation.user).or_default().extend(facts);
    }
    let unsaid: HashMap<&str, HashSet<&Fact>> = listed
        .into_iter()
        .map(|(user, facts)| (user, never_said(&facts, said.get(user).map_or(&[], Vec::as_slice))))
        .collect();
    if unsaid.values().all(HashSet::is_empty) {
        return Vec::new();
    }
    let mut warnings = Vec::new();
    for (c, conversation) in cases.conversations.iter().enumerate() {
        let Some(unsaid) = unsaid.get(conversation.user.as_str()) else { continue };
        for (q, question) in conversation.questions.iter().enumerate() {
            for (list, facts) in
                [("required", &question.required), ("stale", &question.stale), ("forgotten", &question.forgotten)]
            {
                for (f, fact) in facts.iter().enumerate().filter(|(_, fact)| unsaid.contains(fact)) {
                    let message =
                        format!("no event of {} said the {list} fact \"{}\"", conversation.user, fact.label());
                    warnings.push((path!["conversations", c, "questions", q, list, f].to_vec(), message));
                }
            }
        }
    }
    written_out(source, warnings, "listed facts were said by no event")
}

fn never_said<'a>(facts: &[&'a Fact], events: &[&Event]) -> HashSet<&'a Fact> {
    let mut missing: HashSet<&Fact> = facts.iter().copied().collect();
    let ids: HashSet<&str> = events.iter().filter_map(|event| event.id.as_deref()).collect();
    let texts: Vec<&str> = missing
        .iter()
        .filter_map(|fact| match fact {
            Fact::Text(text) => Some(text.as_str()),
            Fact::Event { .. } => None,
        })
        .collect();
    // One pass of an automaton over the events; building it fails only beyond its size limits, where nothing is claimed.
    // It is used once, so it is built for a cheap start rather than for speed.
    let automaton = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(&texts);
    let Ok(automaton) = automaton else { return HashSet::new() };
    let mut found = vec![false; texts.len()];
    for event in events.iter().filter(|event| event.op != super::Op::Forget) {
        for hit in automaton.find_overlapping_iter(&event.text) {
            if let Some(found) = found.get_mut(hit.pattern().as_usize()) {
                *found = true;
            }
        }
    }
    let said: HashSet<&str> = texts.into_iter().zip(found).filter_map(|(text, found)| found.then_some(text)).collect();
    missing.retain(|fact| match fact {
        Fact::Text(text) => !said.contains(text.as_str()),
        Fact::Event { event } => !ids.contains(event.as_str()),
    });
    missing
}

fn written_out(source: &Source, problems: Vec<(Vec<Segment>, String)>, kind: &str) -> Vec<Warning> {
    let more = problems.len().saturating_sub(REPORTED);
    let mut warnings = source.errors_at(problems.into_iter().take(REPORTED).collect());
    if more > 0 {
        warnings.push(InputError::plain(source.name(), format!("{more} more {kind}")));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<CaseSet, String> {
        CaseSet::load(&Source::new("c.json", text)).map_err(|error| error.to_string())
    }

    fn one(events: &str, questions: &str) -> String {
        format!(
            "{{\"facts_quota\": 120, \"conversations\": [\n{{\"user\": \"a\", \"events\": [{events}],\n\"questions\": [{questions}]}}]}}"
        )
    }

    const EVENT: &str = r#"{"turn": 1, "text": "I eat fish.", "op": "remember", "attribute": "diet"}"#;
    const QUESTION: &str = r#"{"question": "Dinner?", "required": ["fish"], "stale": [], "forgotten": []}"#;

    #[test]
    fn a_question_without_an_id_is_named_after_its_user() {
        let cases = load(&one(EVENT, &format!("{QUESTION}, {}", QUESTION.replace("Dinner", "Lunch")))).unwrap();
        let ids: Vec<_> = cases.questions().map(|(_, question)| question.id.as_str()).collect();
        assert_eq!(ids, ["a/1", "a/2"]);
        assert_eq!(cases.warnings, []);
    }

    #[test]
    fn an_unknown_op_names_its_place_and_the_choices() {
        let error = load(&one(&EVENT.replace("remember", "rememebr"), "")).unwrap_err();
        assert_eq!(
            error,
            "c.json:2:67: conversations[0].events[0].op: unknown variant `rememebr`, expected one of `remember`, \
             `correct`, `forget`; did you mean `remember`?"
        );
    }

    #[test]
    fn a_turn_out_of_order_names_both_turns() {
        let error = load(&one(&format!("{}, {EVENT}", EVENT.replace("\"turn\": 1", "\"turn\": 7")), "")).unwrap_err();
        assert_eq!(error, "c.json:2:110: found turn 1 after turn 7, expected turns in order");
    }

    #[test]
    fn two_questions_with_one_id_are_refused() {
        let question = QUESTION.replace("{\"question\"", "{\"id\": \"q1\", \"question\"");
        let error = load(&one(EVENT, &format!("{question},\n{question}"))).unwrap_err();
        assert_eq!(error, "c.json:4:8: found a second question with the id `q1`, expected each id once");
    }

    #[test]
    fn odd_but_usable_things_are_warnings() {
        let question = QUESTION.replace("fish", "meat");
        let cases = load(&one(EVENT, &format!("{question}, {QUESTION}"))).unwrap();
        let warnings: Vec<_> = cases.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].contains("stands twice, as a/1 and a/2"), "{warnings:?}");
        assert_eq!(warnings[1], "c.json:3:52: no event of a said the required fact \"meat\"");
    }

    #[test]
    fn a_map_names_the_attributes_of_questions() {
        let events = format!("{EVENT}, {}", EVENT.replace("\"turn\": 1", "\"turn\": 2").replace("diet", "city"));
        let questions = format!("{QUESTION}, {}", QUESTION.replace("Dinner?", "Home?"));
        let with = |map: &str| one(&events, &questions).replacen('{', &format!("{{\"attributes\": {map},\n"), 1);
        let cases = load(&with(r#"{"Dinner?": ["diet"], "a/2": ["city", "diet"]}"#)).unwrap();
        let mapped: Vec<_> = cases.questions().map(|(_, question)| question.attributes.join(" ")).collect();
        assert_eq!((mapped, cases.warnings.len()), (vec!["diet".to_owned(), "city diet".to_owned()], 0));
        let cases = load(&with(r#"{"Diner?": ["diet"], "a/2": ["town"]}"#)).unwrap();
        let warnings: Vec<_> = cases.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            warnings,
            ["c.json:1:27: there is no question \"Diner?\"", "c.json:1:44: no event of a has the attribute \"town\""]
        );
    }

    #[test]
    fn a_fact_of_the_wrong_kind_says_what_is_expected() {
        let error = load(&one(EVENT, &QUESTION.replace("[\"fish\"]", "[3]"))).unwrap_err();
        assert!(error.starts_with("c.json:3:52: conversations[0].questions[0].required[0]: found"), "{error}");
    }

    #[test]
    fn a_fact_may_name_its_event() {
        let event = EVENT.replace("{\"turn\"", "{\"id\": \"D1:3\", \"turn\"");
        let cases =
            load(&one(&event, &QUESTION.replace("\"fish\"", "{\"event\": \"D1:3\"}, {\"event\": \"D9:9\"}"))).unwrap();
        assert_eq!(cases.warnings.len(), 1);
        assert!(cases.warnings[0].message.contains("D9:9"));
        let question = &cases.conversations[0].questions[0];
        assert!(question.required[0].is_carried_by(&cases.conversations[0].events[0]));
    }
}
