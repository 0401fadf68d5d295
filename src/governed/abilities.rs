//! The five abilities that a memory needs, the systems that are tried, and one built-in probe of each ability.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Scope;
use super::compared::{Comparison, Probe, TimedFact};
use super::error::Result;

/// What a probe tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ability {
    /// The newest value of a fact.
    Update,
    /// The value at an earlier time.
    Temporal,
    /// No answer where nothing is known.
    Abstention,
    /// The asker's own fact, and nobody else's.
    Isolation,
    /// No answer from what was deleted.
    Deletion,
}

impl Ability {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 5] = [Self::Update, Self::Temporal, Self::Abstention, Self::Isolation, Self::Deletion];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Update => "update",
            Self::Temporal => "temporal",
            Self::Abstention => "abstention",
            Self::Isolation => "isolation",
            Self::Deletion => "deletion",
        }
    }

    /// The floor that no suite may go below: another user's fact, or a deleted one, is one too many.
    pub fn least_floor(self) -> Option<f64> {
        matches!(self, Self::Isolation | Self::Deletion).then_some(1.0)
    }
}

/// A system that answers questions about what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum System {
    /// Sees the question only.
    NoMemory,
    /// Sees the newest lines of everybody's conversations.
    TranscriptOnly,
    /// The governed store.
    Governed,
}

impl System {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 3] = [Self::NoMemory, Self::TranscriptOnly, Self::Governed];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoMemory => "no-memory",
            Self::TranscriptOnly => "transcript-only",
            Self::Governed => "governed",
        }
    }
}

/// One probe of each ability: two people in two companies, one of whom moves and then asks to be forgotten.
pub(super) fn probes() -> Result<Comparison> {
    let mina = Scope::new("acme", Some("mina".to_owned()))?;
    let raj = Scope::new("globex", Some("raj".to_owned()))?;
    let lives = |value: &str, scope: &Scope, time| TimedFact {
        key: "home city".to_owned(),
        value: value.to_owned(),
        scope: scope.clone(),
        time,
    };
    let facts = vec![lives("Munich", &mina, 10), lives("Paris", &raj, 10), lives("Berlin", &mina, 20)];
    let said = |fact: &TimedFact| {
        let who = fact.scope.user().unwrap_or_default();
        format!("t={} {who}: My {} is {}", fact.time, fact.key, fact.value)
    };
    let probe = |ability, question: &str, scope: &Scope, as_of, expected: Option<&str>| Probe {
        ability,
        question: question.to_owned(),
        scope: scope.clone(),
        as_of,
        expected: expected.map(str::to_owned),
    };
    let city = "what is my home city?";
    Ok(Comparison {
        log: facts.iter().map(said).collect(),
        facts,
        probes: vec![
            probe(Ability::Update, city, &mina, None, Some("Berlin")),
            probe(Ability::Temporal, "what was my home city?", &mina, Some(15), Some("Munich")),
            probe(Ability::Abstention, "what is my favorite color?", &mina, None, None),
            probe(Ability::Isolation, city, &raj, None, Some("Paris")),
            probe(Ability::Deletion, city, &mina, None, None),
        ],
        deleted: mina,
        budget: 128,
        floors: BTreeMap::new(),
    })
}
