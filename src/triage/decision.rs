//! A person's decision about a key, an answer or a case: what it says, who took it, when and why.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::case::{Event, Fact, Question};
use crate::grade::Verdict;

use super::correction::{CorrectedKey, KeyText};

/// The author of a decision that nobody signed.
pub const UNKNOWN_AUTHOR: &str = "unknown";

/// What a decision says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DecisionVerdict {
    /// The key demands or forbids the wrong thing.
    KeyWrong,
    /// The key misses right answers.
    KeyTooNarrow,
    /// The key lets wrong answers through.
    KeyTooWide,
    /// The question supposes what is not so.
    WrongPremise,
    /// More than one answer is right.
    Ambiguous,
    /// The question lists the wrong facts.
    EvidenceWrong,
    /// The answer is right, whatever the key says.
    AnswerRight,
    /// The answer is wrong, whatever the key says.
    AnswerWrong,
    /// The key was suspected and is right.
    KeyRight,
}

/// What a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubjectKind {
    /// The question's answer key.
    Key,
    /// One or more recorded answers.
    Answer,
    /// The question itself and the facts that it lists.
    Case,
}

impl SubjectKind {
    /// The word in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Answer => "answer",
            Self::Case => "case",
        }
    }
}

impl DecisionVerdict {
    /// All verdicts, in the order of menus.
    pub const ALL: [Self; 9] = [
        Self::KeyWrong,
        Self::KeyTooNarrow,
        Self::KeyTooWide,
        Self::WrongPremise,
        Self::Ambiguous,
        Self::EvidenceWrong,
        Self::AnswerRight,
        Self::AnswerWrong,
        Self::KeyRight,
    ];

    const NAMES: &[&str] = &[
        "key wrong",
        "key too narrow",
        "key too wide",
        "question has a wrong premise",
        "ambiguous",
        "evidence wrong",
        "answer right after all",
        "answer wrong after all",
        "key right",
    ];

    /// The words in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::KeyWrong => "key wrong",
            Self::KeyTooNarrow => "key too narrow",
            Self::KeyTooWide => "key too wide",
            Self::WrongPremise => "question has a wrong premise",
            Self::Ambiguous => "ambiguous",
            Self::EvidenceWrong => "evidence wrong",
            Self::AnswerRight => "answer right after all",
            Self::AnswerWrong => "answer wrong after all",
            Self::KeyRight => "key right",
        }
    }

    /// The word on the command line.
    pub fn slug(self) -> &'static str {
        match self {
            Self::KeyWrong => "key-wrong",
            Self::KeyTooNarrow => "key-too-narrow",
            Self::KeyTooWide => "key-too-wide",
            Self::WrongPremise => "wrong-premise",
            Self::Ambiguous => "ambiguous",
            Self::EvidenceWrong => "evidence-wrong",
            Self::AnswerRight => "answer-right",
            Self::AnswerWrong => "answer-wrong",
            Self::KeyRight => "key-right",
        }
    }

    /// The verdict of a name or a slug, in any case, with spaces or dashes.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |text: &str| text.trim().to_lowercase().replace(['-', '_'], " ");
        let wanted = plain(text);
        Self::ALL.into_iter().find(|verdict| wanted == verdict.name() || wanted == plain(verdict.slug()))
    }

    /// What it is about.
    pub fn subject(self) -> SubjectKind {
        match self {
            Self::KeyWrong | Self::KeyTooNarrow | Self::KeyTooWide | Self::KeyRight => SubjectKind::Key,
            Self::WrongPremise | Self::Ambiguous | Self::EvidenceWrong => SubjectKind::Case,
            Self::AnswerRight | Self::AnswerWrong => SubjectKind::Answer,
        }
    }

    /// Whether the question's grades cannot be relied on where this stands.
    pub fn disputes_question(self) -> bool {
        self.subject() != SubjectKind::Answer && self != Self::KeyRight
    }

    /// The verdict that it gives an answer, where it is about answers.
    pub fn of_answer(self) -> Option<Verdict> {
        match self {
            Self::AnswerRight => Some(Verdict::Pass),
            Self::AnswerWrong => Some(Verdict::Fail),
            _ => None,
        }
    }
}

impl fmt::Display for DecisionVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for DecisionVerdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for DecisionVerdict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::unknown_variant(&text, Self::NAMES))
    }
}

/// Which entry of a subject's history a decision is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecisionAction {
    /// The author's first word on the subject.
    #[default]
    Decide,
    /// Takes the place of the author's earlier decision on the subject.
    Revise,
    /// Takes the author's decision on the subject back.
    Withdraw,
}

impl DecisionAction {
    /// The word in files and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decide => "decide",
            Self::Revise => "revise",
            Self::Withdraw => "withdraw",
        }
    }
}

/// Which recorded answers a decision is about: those with this text, and with this strategy and seed where given.
///
/// The text is always there, so that a decision about one recording never falls on another model's answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AnswerSelector {
    /// Only under this strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Only with this seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// The words of the answer.
    pub text: String,
}

impl AnswerSelector {
    /// Whether an answer is meant.
    pub fn selects(&self, strategy: &str, seed: Option<i64>, text: &str) -> bool {
        self.text == text
            && self.strategy.as_ref().is_none_or(|wanted| wanted == strategy)
            && self.seed.is_none_or(|wanted| Some(wanted) == seed)
    }
}

/// What a decision is about, within its question.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// The answer key.
    Key,
    /// The question and the facts that it lists.
    Case,
    /// Recorded answers.
    Answer(AnswerSelector),
}

impl Subject {
    /// Its kind.
    pub fn kind(&self) -> SubjectKind {
        match self {
            Self::Key => SubjectKind::Key,
            Self::Case => SubjectKind::Case,
            Self::Answer(_) => SubjectKind::Answer,
        }
    }

    /// The answers, where it is about some.
    pub fn answers(&self) -> Option<&AnswerSelector> {
        match self {
            Self::Answer(selector) => Some(selector),
            Self::Key | Self::Case => None,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Answer(selector) = self else { return f.write_str(self.kind().name()) };
        match (&selector.strategy, selector.seed) {
            (Some(strategy), Some(seed)) => write!(f, "answer {strategy}/{seed}")?,
            (Some(strategy), None) => write!(f, "answers of {strategy}")?,
            (None, Some(seed)) => write!(f, "answers with seed {seed}")?,
            (None, None) => write!(f, "answers")?,
        }
        write!(f, " \u{201c}{}\u{201d}", selector.text)
    }
}

/// A line of the notes that a decision rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The turn at which it was said.
    pub turn: u64,
    /// The words.
    pub text: String,
}

impl From<&Event> for Evidence {
    fn from(event: &Event) -> Self {
        Self { turn: event.turn, text: event.text.clone() }
    }
}

/// A grade before a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousGrade {
    /// The recorded verdict.
    pub verdict: Verdict,
    /// Its reason.
    pub reason: String,
}

/// The facts of a question before a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousFacts {
    /// What the block must hold.
    pub required: Vec<Fact>,
    /// What was replaced.
    pub stale: Vec<Fact>,
    /// What was to be forgotten.
    pub forgotten: Vec<Fact>,
}

impl From<&Question> for PreviousFacts {
    fn from(question: &Question) -> Self {
        let Question { required, stale, forgotten, .. } = question.clone();
        Self { required, stale, forgotten }
    }
}

/// What stood before a decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Previous {
    /// The author's decision that this one revises or withdraws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionVerdict>,
    /// The key, for a decision about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyText>,
    /// The published answer, for a decision that corrects it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The answer's grade, for a decision about answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<PreviousGrade>,
    /// The question's facts, for a decision about the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<PreviousFacts>,
}

/// One entry of the list of decisions.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The question's id.
    pub question: String,
    /// The question's words when it was decided; empty where the file does not say.
    pub asked: String,
    /// What it is about.
    pub subject: Subject,
    /// What it says.
    pub verdict: DecisionVerdict,
    /// Whether it is a first word, a revision or a withdrawal.
    pub action: DecisionAction,
    /// Why; never empty.
    pub reason: String,
    /// Who; [`UNKNOWN_AUTHOR`] where nobody signed.
    pub author: String,
    /// When.
    pub time: Timestamp,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// What stood before.
    pub previous: Previous,
    /// The key that it proposes.
    pub patterns: Option<CorrectedKey>,
    /// The published answer that it proposes.
    pub published: Option<String>,
}

impl Serialize for Decision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'a> {
            question: &'a str,
            #[serde(skip_serializing_if = "str::is_empty")]
            asked: &'a str,
            subject: SubjectKind,
            #[serde(skip_serializing_if = "Option::is_none")]
            answer: Option<&'a AnswerSelector>,
            verdict: DecisionVerdict,
            action: DecisionAction,
            reason: &'a str,
            author: &'a str,
            time: String,
            evidence: &'a [Evidence],
            previous: &'a Previous,
            #[serde(skip_serializing_if = "Option::is_none")]
            patterns: Option<&'a CorrectedKey>,
            #[serde(skip_serializing_if = "Option::is_none")]
            published: Option<&'a str>,
        }
        Written {
            question: &self.question,
            asked: &self.asked,
            subject: self.subject.kind(),
            answer: self.subject.answers(),
            verdict: self.verdict,
            action: self.action,
            reason: &self.reason,
            author: &self.author,
            time: self.time.to_string(),
            evidence: &self.evidence,
            previous: &self.previous,
            patterns: self.patterns.as_ref(),
            published: self.published.as_deref(),
        }
        .serialize(serializer)
    }
}

/// Tells the time of a decision.
pub trait Clock {
    /// The moment, to the second.
    fn now(&self) -> Timestamp;
}

/// The computer's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_second(now.as_second()).unwrap_or(now)
    }
}

/// A clock that stands still, for tests.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// The author to sign with: the one given, else the configured one, else [`UNKNOWN_AUTHOR`] and a warning for the person.
/// The system's user name is never taken: a decision that is shared should carry the name that its author chose.
pub fn author(given: Option<&str>, configured: Option<&str>) -> (String, Option<String>) {
    let named = |name: Option<&str>| name.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    match named(given).or_else(|| named(configured)) {
        Some(author) => (author, None),
        None => (
            UNKNOWN_AUTHOR.to_owned(),
            Some(format!(
                "the decision is signed \"{UNKNOWN_AUTHOR}\": name its author with --author NAME, or with author = \"NAME\" in the settings file"
            )),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_slugs_are_read_back() {
        for (verdict, name) in DecisionVerdict::ALL.into_iter().zip(DecisionVerdict::NAMES) {
            assert_eq!(verdict.name(), *name);
            assert_eq!(DecisionVerdict::parse(name), Some(verdict));
            assert_eq!(DecisionVerdict::parse(verdict.slug()), Some(verdict));
            assert_eq!(DecisionVerdict::parse(&name.to_uppercase().replace(' ', "_")), Some(verdict));
        }
        assert_eq!(DecisionVerdict::parse("fine"), None);
    }

    #[test]
    fn an_author_is_given_configured_or_unknown_with_a_warning() {
        assert_eq!(author(Some(" ada "), Some("bo")), ("ada".into(), None));
        assert_eq!(author(Some(""), Some("bo")), ("bo".into(), None));
        let (name, warning) = author(None, None);
        assert_eq!(name, "unknown");
        assert!(warning.unwrap().contains("--author NAME"));
    }

    #[test]
    fn a_selector_with_more_words_selects_less() {
        let text = AnswerSelector { strategy: None, seed: None, text: "No.".into() };
        assert!(text.selects("a", None, "No.") && !text.selects("a", None, "No"));
        let one = AnswerSelector { strategy: Some("a".into()), seed: Some(1), ..text };
        assert!(one.selects("a", Some(1), "No."));
        assert!(!one.selects("b", Some(1), "No.") && !one.selects("a", None, "No."));
    }
}
