//! Which required facts a pattern of a key stands for.
//!
//! A key names what an answer must state in its own words (`eats fish`), a question lists what its block must hold in others
//! (`fish now`). The names need not be equal, so they are never compared. What links the two is the pattern itself: **a
//! pattern stands for a required fact when it matches a line that carries the fact** (or the fact's own words), for then an
//! answer that quotes the line passes. A pattern that stands for several facts is served by any one of them.
//!
//! A pattern that matches the line of no required fact is suspicious: nothing that the block ought to hold would make the
//! answer pass. Then only the question as a whole can be judged: the block counts as holding what the pattern wants when it
//! holds every required fact.

use crate::case::{Event, Fact, Op, Question};
use crate::grade::{AnswerKey, Pattern};

/// How a pattern is tied to the question's required facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// It matches the line of at least one required fact.
    Line,
    /// It matches the line of none: suspicious. All required facts are taken instead.
    None,
}

/// A pattern of a key and the facts that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MustLink {
    /// The name that the key gives it.
    pub name: String,
    /// The pattern, as it is written.
    pub pattern: String,
    /// How it is tied.
    pub link: Link,
    /// The facts, as places in [`Question::required`]; all of them where it is tied to none.
    pub facts: Vec<usize>,
}

/// Ties each pattern that an answer must match to the question's required facts. `said` are the user's events before the
/// question.
pub fn link(key: &AnswerKey, question: &Question, said: &[Event]) -> Vec<MustLink> {
    key.must.iter().map(|(name, pattern)| link_one(name, pattern, question, said)).collect()
}

fn link_one(name: &str, pattern: &Pattern, question: &Question, said: &[Event]) -> MustLink {
    let stands_for = |fact: &Fact| {
        let words = match fact {
            Fact::Text(text) => pattern.regex().is_match(text),
            Fact::Event { .. } => false,
        };
        words
            || said
                .iter()
                .filter(|event| event.op != Op::Forget && fact.is_carried_by(event))
                .any(|event| pattern.regex().is_match(&event.text))
    };
    let required = question.required.iter().enumerate();
    let mut facts: Vec<usize> = required.filter(|(_, fact)| stands_for(fact)).map(|(place, _)| place).collect();
    let link = if facts.is_empty() { Link::None } else { Link::Line };
    if link == Link::None {
        facts.extend(0..question.required.len());
    }
    MustLink { name: name.to_owned(), pattern: pattern.source().to_owned(), link, facts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled;
    use crate::case::CaseSet;
    use crate::grade::AnswerKeys;

    #[test]
    fn every_bundled_pattern_stands_for_one_fact_whatever_its_name() {
        let cases = CaseSet::load(&bundled::cases()).unwrap();
        let keys = AnswerKeys::load(&bundled::answer_keys()).unwrap();
        let mut linked = Vec::new();
        for (conversation, question) in cases.questions() {
            for must in link(keys.key(question).unwrap(), question, &conversation.events) {
                assert_eq!((must.link, must.facts.len()), (Link::Line, 1), "{}", must.name);
                linked.push((must.name, question.required[must.facts[0]].label().to_owned()));
            }
        }
        let fact_of = |name: &str| linked.iter().find(|(known, _)| known == name).unwrap().1.as_str();
        assert_eq!(linked.len(), 8);
        assert_eq!(fact_of("eats fish"), "fish now");
        assert_eq!(fact_of("Priya"), "manager is Priya");
        assert_eq!(fact_of("peanut allergy"), "allergic to peanuts");
    }

    #[test]
    fn a_pattern_that_no_required_line_matches_is_suspicious_and_takes_them_all() {
        let cases = CaseSet::load(&bundled::cases()).unwrap();
        let (conversation, question) = cases.questions().find(|(_, question)| question.id == "bob/2").unwrap();
        let pattern = |text: &str| Pattern::new(text).unwrap();
        let key = AnswerKey {
            must: vec![("boss".into(), pattern("head of facilities")), ("either".into(), pattern("priya|desk"))],
            ..AnswerKey::default()
        };
        let links = link(&key, question, &conversation.events);
        assert_eq!((links[0].link, links[0].facts.as_slice()), (Link::None, &[0, 1][..]));
        assert_eq!((links[1].link, links[1].facts.as_slice()), (Link::Line, &[0, 1][..]));
    }

    #[test]
    fn a_line_that_only_asks_to_forget_links_nothing() {
        let cases = CaseSet::load(&bundled::cases()).unwrap();
        let (conversation, question) = cases.questions().find(|(_, question)| question.id == "bob/2").unwrap();
        let question = Question { required: vec![Fact::Text("home address".into())], ..question.clone() };
        let key =
            AnswerKey { must: vec![("x".into(), Pattern::new("please delete").unwrap())], ..AnswerKey::default() };
        assert_eq!(link(&key, &question, &conversation.events)[0].link, Link::None);
    }
}
