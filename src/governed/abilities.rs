//! The five abilities that a memory needs, tried on three systems with one probe each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Scope;
use super::compared::{Comparison, Probe, TimedFact, compare};
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

/// A system's score in each ability, and their mean.
#[derive(Debug, Clone, PartialEq)]
pub struct AbilityScores {
    /// The system.
    pub system: System,
    /// In the order of [`Ability::ALL`], 0 to 1.
    pub scores: Vec<f64>,
    /// Their mean, which hides which abilities fail.
    pub average: f64,
}

/// Tries the five abilities on the three systems.
///
/// # Errors
/// If SQLite refuses.
pub fn abilities() -> Result<Vec<AbilityScores>> {
    let comparison = probes()?;
    let score = |system| {
        let compared = compare(&comparison, system)?;
        let slice = |ability: Ability| compared.slices.get(&ability).map_or(0.0, |slice| slice.score());
        Ok(AbilityScores { system, scores: Ability::ALL.map(slice).to_vec(), average: compared.average() })
    };
    System::ALL.into_iter().map(score).collect()
}

/// One probe of each ability: two people in two companies, one of whom moves and then asks to be forgotten.
fn probes() -> Result<Comparison> {
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
