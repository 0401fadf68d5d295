//! One question with its events, key and answers, for the tests of the signals: built whole, audited whole.

use std::sync::Arc;

use crate::case::{CaseSet, Conversation, Event, Fact, Op, Question};
use crate::grade::AnswerKeys;
use crate::recording::{Answer, AnswerGroup, Recording};
use crate::source::Source;
use crate::tokens::TokenCounter;
use crate::workspace::Workspace;

use super::{Finding, audit};

/// Every text is one token.
struct OneToken;

impl TokenCounter for OneToken {
    fn name(&self) -> &str {
        "one"
    }
    fn count(&self, _: &str) -> usize {
        1
    }
}

/// What the tests put together.
pub struct Scene {
    events: Vec<Event>,
    questions: Vec<Question>,
    key: serde_json::Value,
    recordings: Vec<Recording>,
}

impl Scene {
    /// A scene in which this is asked.
    pub fn asking(question: &str) -> Self {
        let key = serde_json::json!({ "replaced": "\\bnot\\b", "keys": {} });
        Self { events: Vec::new(), questions: vec![asked("q", question)], key, recordings: Vec::new() }
    }

    fn question(&mut self) -> &mut Question {
        &mut self.questions[0]
    }

    /// The published answer.
    pub fn answer(mut self, answer: &str) -> Self {
        self.question().answer = Some(answer.to_owned());
        self
    }

    /// A turn of a dialogue, on 22 June 2023, a Thursday.
    pub fn turn(self, id: &str, speaker: &str, text: &str) -> Self {
        self.turn_at(id, speaker, "1:14 pm on 22 June, 2023", text)
    }

    /// A turn of a dialogue.
    pub fn turn_at(mut self, id: &str, speaker: &str, at: &str, text: &str) -> Self {
        self.events.push(Event {
            turn: self.events.len() as u64,
            text: text.to_owned(),
            op: Op::Remember,
            attribute: id.to_owned(),
            id: Some(id.to_owned()),
            speaker: Some(speaker.to_owned()),
            at: Some(at.to_owned()),
        });
        self
    }

    /// A note of the user.
    pub fn note(mut self, text: &str) -> Self {
        let turn = self.events.len() as u64;
        let (text, attribute) = (text.to_owned(), format!("note-{turn}"));
        self.events.push(Event { turn, text, op: Op::Remember, attribute, id: None, speaker: None, at: None });
        self
    }

    /// Evidence by event ids.
    pub fn cites(mut self, ids: &[&str]) -> Self {
        self.question().required.extend(ids.iter().map(|id| Fact::Event { event: (*id).to_owned() }));
        self
    }

    /// Required facts by their words.
    pub fn requires(mut self, facts: &[&str]) -> Self {
        self.question().required.extend(facts.iter().map(|fact| Fact::Text((*fact).to_owned())));
        self
    }

    /// A key with required patterns under their facts' names.
    pub fn must(mut self, must: &[(&str, &str)]) -> Self {
        let must: serde_json::Map<String, serde_json::Value> =
            must.iter().map(|(name, pattern)| ((*name).to_owned(), (*pattern).into())).collect();
        self.key["keys"]["q"]["must"] = must.into();
        self
    }

    /// The key's stale pattern; call after [`Self::must`].
    pub fn stale(mut self, pattern: &str) -> Self {
        self.key["keys"]["q"]["stale"] = pattern.into();
        self
    }

    /// The answer of an independent run of that name, with its judges' votes.
    pub fn run(mut self, name: &str, answer: &str, judge: &[bool]) -> Self {
        let groups = vec![group(name, "q", answer, judge)];
        let (name, model, system) = (name.to_owned(), serde_json::Map::default(), String::new());
        self.recordings.push(Recording { name, model, system, groups, warnings: Vec::new() });
        self
    }

    /// So many further questions, which the runs so far all pass.
    pub fn others(mut self, count: usize) -> Self {
        for number in 0..count {
            let id = format!("other-{number}");
            for recording in &mut self.recordings {
                let name = recording.name.clone();
                recording.groups.push(group(&name, &id, "Fine.", &[true]));
            }
            self.questions.push(asked(&id, &format!("Other question {number}?")));
        }
        self
    }

    /// What a signal says of the question.
    pub fn finding(self, signal: &dyn super::Signal) -> Option<Finding> {
        let Self { events, questions, key, recordings } = self;
        let conversations = vec![Conversation { user: "Uma".into(), events, questions }];
        let cases = CaseSet { conversations, long_replay: None, facts_quota: 100, warnings: Vec::new() };
        let keys = AnswerKeys::load(&Source::new("keys.json", key.to_string())).unwrap();
        let workspace = Workspace::build(Arc::new(cases), keys, recordings, Arc::new(OneToken)).unwrap();
        let audit = audit(&workspace);
        let question = audit.questions.into_iter().find(|question| question.id == "q").unwrap();
        question.signals.into_iter().find(|finding| finding.signal == signal.name())
    }

    /// How strongly a signal shows; 0 where it does not.
    pub fn strength(self, signal: &dyn super::Signal) -> f64 {
        let finding = self.finding(signal);
        assert!(finding.as_ref().is_none_or(|finding| !finding.proof.is_empty()), "no finding without a proof");
        finding.map_or(0.0, |finding| finding.strength)
    }
}

fn asked(id: &str, question: &str) -> Question {
    Question { id: id.to_owned(), question: question.to_owned(), ..Question::default() }
}

fn group(strategy: &str, question: &str, answer: &str, judge: &[bool]) -> AnswerGroup {
    let answer = Answer { answer: answer.to_owned(), judge: judge.to_vec(), ..Answer::default() };
    AnswerGroup { strategy: strategy.to_owned(), question: question.to_owned(), answers: vec![answer] }
}
