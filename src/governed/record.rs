//! What the store holds: candidates, records and their ids.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{GovernedError, Scope};

macro_rules! names {
    ($(#[$about:meta])* $name:ident, $what:literal { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name { $($(#[$doc])* #[serde(rename = $text)] $variant),+ }

        impl $name {
            /// All of them, in the order of their definition.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name, as data and the database hold it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            pub(super) fn of(text: &str) -> Result<Self, GovernedError> {
                Self::ALL.iter().copied().find(|known| known.name() == text).ok_or_else(|| GovernedError::Damaged {
                    found: format!("{text:?}"),
                    expected: $what,
                })
            }
        }
    };
}

names! {
    /// What sort of memory a record is.
    Kind, "a kind of record" {
        /// A fact about the world: one value at a time in its slot, on a timeline.
        Semantic = "semantic",
        /// Something that happened. Episodes of one key stand side by side.
        Episodic = "episodic",
        /// How to do something.
        Procedural = "procedural",
        /// A note for the task at hand.
        Working = "working",
    }
}

names! {
    /// Who says so.
    Source, "a source" {
        /// The person.
        User = "user",
        /// A tool whose output is trusted.
        VerifiedTool = "verified_tool",
        /// A model's guess.
        ModelInference = "model_inference",
        /// Text from a document: data, never a command.
        RetrievedDocument = "retrieved_document",
    }
}

names! {
    /// What became of a record.
    Status, "a status" {
        /// Its interval has no end.
        Active = "active",
        /// Its interval has an end.
        Superseded = "superseded",
        /// Retired by a horizon, by decay or for capacity; read no more.
        Expired = "expired",
        /// Deleted: the row keeps no key, value or evidence.
        Deleted = "deleted",
    }
}

/// What somebody proposes to remember.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// The slot's name: `home city`.
    pub key: String,
    /// What the slot holds.
    pub value: String,
    /// Who owns it.
    pub scope: Scope,
    /// Where it comes from: the name of a turn, a document, a call.
    pub evidence: String,
    /// When it began to be true.
    pub time: i64,
    /// What sort of memory it is.
    pub kind: Kind,
    /// Who says so.
    pub source: Source,
    /// How sure the source is, 0 to 1.
    pub confidence: f64,
    /// How long it may be read, from `time` on.
    pub ttl: Option<i64>,
}

impl Candidate {
    /// The id of the record that this becomes: the first 12 hex digits of SHA-256 over `tenant|user|key|evidence|time`, with
    /// an empty user where the row is shared. A `\` or `|` inside a field gets a `\` before it.
    pub fn id(&self) -> String {
        let fields = [self.scope.tenant(), self.scope.user_column(), &self.key, &self.evidence].map(escape);
        let digest = Sha256::digest(format!("{}|{}", fields.join("|"), self.time).as_bytes());
        digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether this is a working note or a model's guess without a horizon. It is kept, but it should be given one: nobody will
    /// come back to say that it is no longer so.
    pub fn asks_horizon(&self) -> bool {
        self.ttl.is_none() && (self.kind == Kind::Working || self.source == Source::ModelInference)
    }

    /// When it may no longer be read. A horizon past the last instant is none.
    pub fn expires_at(&self) -> Option<i64> {
        self.ttl.and_then(|ttl| self.time.checked_add(ttl))
    }
}

fn escape(field: &str) -> String {
    field.replace('\\', "\\\\").replace('|', "\\|")
}

/// A half-open interval of valid time; without an end, it lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The first instant.
    pub from: i64,
    /// The first instant after it.
    pub to: Option<i64>,
}

impl Span {
    /// Whether an instant is inside.
    pub fn holds(self, instant: i64) -> bool {
        self.from <= instant && self.to.is_none_or(|to| instant < to)
    }
}

/// A row of the store.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    /// See [`Candidate::id`].
    pub id: String,
    /// Who owns it.
    #[serde(serialize_with = "as_text")]
    pub scope: Scope,
    /// The slot; `None` once deleted.
    pub key: Option<String>,
    /// The value; `None` once deleted.
    pub value: Option<String>,
    /// Where it came from; `None` once deleted.
    pub evidence: Option<String>,
    /// What sort of memory it is.
    pub kind: Kind,
    /// Who said so.
    pub source: Source,
    /// How sure the source was, 0 to 1.
    pub confidence: f64,
    /// When it is true, as known now.
    pub span: Span,
    /// When the store learned it.
    pub recorded_at: i64,
    /// From when on it is hidden.
    pub expires_at: Option<i64>,
    /// What became of it.
    pub status: Status,
}

impl Record {
    /// The record as a reader may see it: without its text where it is not the reader's to read.
    pub(super) fn seen_by(self, reader: &Scope) -> Self {
        if reader.reads(&self.scope) {
            return self;
        }
        Self { key: None, value: None, evidence: None, ..self }
    }
}

fn as_text<S: serde::Serializer>(scope: &Scope, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(scope)
}

/// An entry of the log of ends: from `known_at` on, the record's interval ended at `ends`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ending {
    /// The record.
    pub id: String,
    /// The end; `None` where it lasts.
    pub ends: Option<i64>,
    /// When the store learned this.
    pub known_at: i64,
    /// The record that caused it.
    pub by: Option<String>,
    /// Whether the record was withdrawn: its interval is empty, and it never comes back.
    pub withdrawn: bool,
}

impl Ending {
    /// The entry of a row that begins with id, end, moment, cause and whether it withdraws.
    pub(super) fn of_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { id: row.get(0)?, ends: row.get(1)?, known_at: row.get(2)?, by: row.get(3)?, withdrawn: row.get(4)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_part_owners_whose_names_run_together() {
        let of = |tenant: &str, user: &str| {
            Candidate {
                key: "home city".into(),
                value: String::new(),
                scope: Scope::new(tenant, Some(user.into())).unwrap(),
                evidence: "t1".into(),
                time: 10,
                kind: Kind::Semantic,
                source: Source::User,
                confidence: 1.0,
                ttl: None,
            }
            .id()
        };
        assert_eq!(of("a|b", "c"), "122d5975a2c9");
        assert_eq!(of("a", "b|c"), "273c443f2151");
        assert_ne!(of("a\\", "b"), of("a", "\\b"));
    }
}
