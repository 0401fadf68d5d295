//! Everything a reader may see, with all that was ever known about when it ends: read once, then looked at from any moment.

use serde::Serialize;

use super::error::Result;
use super::rows;
use super::{Ending, Record, Scope, Span, Status, Store};

/// A record with its log of ends.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kept {
    /// The record, as known now.
    pub record: Record,
    /// What was learned about its end, the oldest entry first.
    pub endings: Vec<Ending>,
    /// Whether it is derived from others.
    pub derived: bool,
}

/// What a version was to somebody who looked at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It lasts.
    Active,
    /// It ended.
    Superseded,
    /// It was found to be wrong: its interval is empty.
    Withdrawn,
    /// It was retired, or has reached its horizon.
    Expired,
    /// It was deleted, at every moment.
    Deleted,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Active, Self::Superseded, Self::Withdrawn, Self::Expired, Self::Deleted];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Superseded => "superseded",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
            Self::Deleted => "deleted",
        }
    }
}

/// A record as it was believed at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Version<'a> {
    /// Its place in [`ScopeHistory::kept`].
    pub place: usize,
    /// The record with all that is known of it now.
    pub kept: &'a Kept,
    /// The interval that was believed.
    pub span: Span,
    /// What it was.
    pub state: State,
}

/// The records that a reader may see: the reader's own, and what the tenant shares.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ScopeHistory {
    /// The records by valid_from, recorded time and id; those that were deleted too, without their text.
    pub kept: Vec<Kept>,
}

impl ScopeHistory {
    /// The records as believed at a moment, those recorded later left out; without one, as known now.
    pub fn believed(&self, known_at: Option<i64>) -> impl Iterator<Item = Version<'_>> {
        self.kept.iter().enumerate().filter_map(move |(place, kept)| {
            let known = known_at.is_none_or(|moment| kept.record.recorded_at <= moment);
            let (span, state) = kept.believed(known_at);
            known.then_some(Version { place, kept, span, state })
        })
    }

    /// The record with an id.
    pub fn find(&self, id: &str) -> Option<&Kept> {
        self.kept.iter().find(|kept| kept.record.id == id)
    }

    /// Every instant at which something began or was ever thought to end, in order, each once.
    pub fn valid_instants(&self) -> Vec<i64> {
        let of = |kept: &Kept| {
            let ends = kept.endings.iter().filter_map(|ending| ending.ends).collect::<Vec<_>>();
            [Some(kept.record.span.from), kept.record.expires_at].into_iter().flatten().chain(ends)
        };
        ordered(self.kept.iter().flat_map(of))
    }

    /// Every moment at which the store learned something, in order, each once.
    pub fn known_moments(&self) -> Vec<i64> {
        let of = |kept: &Kept| {
            let learned = kept.endings.iter().map(|ending| ending.known_at).collect::<Vec<_>>();
            std::iter::once(kept.record.recorded_at).chain(learned)
        };
        ordered(self.kept.iter().flat_map(of))
    }
}

fn ordered(instants: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut instants: Vec<i64> = instants.collect();
    instants.sort_unstable();
    instants.dedup();
    instants
}

impl Kept {
    /// The interval and the state that were believed at a moment; without one, as known now.
    pub fn believed(&self, known_at: Option<i64>) -> (Span, State) {
        let mut last: Option<&Ending> = None;
        for ending in self.endings.iter().filter(|ending| known_at.is_none_or(|moment| ending.known_at <= moment)) {
            // Of entries of one moment the later one counts, as in every read.
            if last.is_none_or(|last| last.known_at <= ending.known_at) {
                last = Some(ending);
            }
        }
        let span = Span { to: last.and_then(|ending| ending.ends), ..self.record.span };
        let lapsed = known_at.zip(self.record.expires_at).is_some_and(|(moment, horizon)| horizon <= moment);
        let state = match self.record.status {
            Status::Deleted => State::Deleted,
            Status::Expired => State::Expired,
            Status::Active | Status::Superseded if lapsed => State::Expired,
            _ if last.is_some_and(|ending| ending.withdrawn) => State::Withdrawn,
            _ if span.to.is_some() => State::Superseded,
            _ => State::Active,
        };
        (span, state)
    }
}

/// A scope and how much it holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScopeSize {
    /// The tenant.
    pub tenant: String,
    /// The user; `None` for what the tenant shares.
    pub user: Option<String>,
    /// Its rows, those that were deleted too.
    pub rows: usize,
    /// Its active rows.
    pub active: usize,
    /// What waits for a review.
    pub waiting: usize,
}

impl ScopeSize {
    /// The scope.
    pub fn scope(&self) -> Scope {
        Scope::of_columns(self.tenant.clone(), self.user.clone().unwrap_or_default())
    }
}

impl Store {
    /// The history of what a reader may see.
    ///
    /// # Errors
    /// If SQLite refuses or a stored value is none of this program's.
    pub fn history(&self, reader: &Scope) -> Result<ScopeHistory> {
        let view = self.connection.unchecked_transaction()?;
        let owners = [reader.user_column(), ""];
        let condition = "s.tenant = ?1 AND s.user IN (?2, ?3)";
        let found = rows::select(&view, condition, rusqlite::params![reader.tenant(), owners[0], owners[1]])?;
        let place_of: std::collections::HashMap<i64, usize> =
            found.iter().enumerate().map(|(place, row)| (row.seq, place)).collect();
        let mut kept: Vec<Kept> =
            found.into_iter().map(|row| Kept { record: row.record, endings: Vec::new(), derived: false }).collect();
        let mut statement = view.prepare_cached(
            "SELECT r.id, e.ends, e.known_at, c.id, e.withdrawn, e.record FROM ending e JOIN record r ON r.seq = e.record
             JOIN scope s ON s.id = r.scope LEFT JOIN record c ON c.seq = e.cause
             WHERE s.tenant = ?1 AND s.user IN (?2, ?3) ORDER BY e.seq",
        )?;
        let mut entries = statement.query(rusqlite::params![reader.tenant(), owners[0], owners[1]])?;
        while let Some(row) = entries.next()? {
            if let Some(kept) = place_of.get(&row.get(5)?).and_then(|place| kept.get_mut(*place)) {
                kept.endings.push(Ending::of_row(row)?);
            }
        }
        drop(entries);
        let mut statement = view.prepare_cached(
            "SELECT DISTINCT p.child FROM parent p JOIN record r ON r.seq = p.child JOIN scope s ON s.id = r.scope
             WHERE s.tenant = ?1 AND s.user IN (?2, ?3)",
        )?;
        let mut derived = statement.query(rusqlite::params![reader.tenant(), owners[0], owners[1]])?;
        while let Some(row) = derived.next()? {
            if let Some(kept) = place_of.get(&row.get(0)?).and_then(|place| kept.get_mut(*place)) {
                kept.derived = true;
            }
        }
        Ok(ScopeHistory { kept })
    }

    /// Every scope that holds or held something, by tenant and user; of a tenant, what it shares first.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn scopes(&self) -> Result<Vec<ScopeSize>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT s.tenant, s.user, (SELECT count(*) FROM record r WHERE r.scope = s.id),
             (SELECT count(*) FROM record r WHERE r.scope = s.id AND r.status = 'active'),
             (SELECT count(*) FROM review v WHERE v.scope = s.id) FROM scope s ORDER BY s.tenant, s.user",
        )?;
        let scopes = statement.query_map([], |row| {
            let user: String = row.get(1)?;
            Ok(ScopeSize {
                tenant: row.get(0)?,
                user: (!user.is_empty()).then_some(user),
                rows: row.get(2)?,
                active: row.get(3)?,
                waiting: row.get(4)?,
            })
        })?;
        Ok(scopes.collect::<rusqlite::Result<_>>()?)
    }

    /// The record with an id, whoever owns it. For maintenance; a person sees [`Store::list`].
    ///
    /// # Errors
    /// If SQLite refuses or a stored value is none of this program's.
    pub fn record(&self, id: &str) -> Result<Option<Record>> {
        Ok(rows::by_id(&self.connection, id)?.map(|row| row.record))
    }

    /// The ids of the records that rest directly on a record, in the order of their writing.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn children(&self, id: &str) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT c.id FROM parent p JOIN record c ON c.seq = p.child JOIN record r ON r.seq = p.parent
             WHERE r.id = ?1 ORDER BY c.seq",
        )?;
        Ok(statement.query_map([id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
    }
}
