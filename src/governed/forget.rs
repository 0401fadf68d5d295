//! Forgetting: horizons, decay and capacity. Each says what it would drop before it drops it. What is dropped is read no
//! more and leaves the index; its row stays for the audit until it is deleted.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::error::Result;
use super::rows::{self, Stored};
use super::{Scope, Store, audit, index};

/// Why a record is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum DropReason {
    /// Its horizon is reached.
    Horizon {
        /// From when on it may not be read.
        expires_at: i64,
    },
    /// Reads of people who may see it have not returned it since it was written or last returned.
    Unread {
        /// How many in a row.
        reads: i64,
    },
    /// Its scope holds too many; this one's place counts from the newest and surest, from 1.
    Capacity {
        /// Its place.
        place: usize,
        /// How many places there are.
        kept: usize,
    },
}

impl std::fmt::Display for DropReason {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Horizon { expires_at } => write!(formatter, "its horizon {expires_at} is reached"),
            Self::Unread { reads } => write!(formatter, "the last {reads} reads did not return it"),
            Self::Capacity { place, kept } => write!(formatter, "it is number {place} in a scope that keeps {kept}"),
        }
    }
}

/// A record that a policy drops, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drop {
    /// The record's id.
    pub id: String,
    /// Its slot.
    pub key: Option<String>,
    /// Why.
    pub reason: DropReason,
}

type Doomed = Vec<(Stored, DropReason)>;

impl Store {
    /// The active records whose horizon is reached at `now`.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn would_expire(&self, now: i64) -> Result<Vec<Drop>> {
        Ok(explain(&expired(&self.connection, now)?))
    }

    /// Retires the active records whose horizon is reached at `now`. A superseded one is hidden by its horizon alone.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn expire(&mut self, now: i64) -> Result<Vec<Drop>> {
        self.retire("EXPIRE", Some(now), |connection| expired(connection, now))
    }

    /// The active records that the last `k` reads did not return.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn would_decay(&self, k: u32) -> Result<Vec<Drop>> {
        Ok(explain(&unread(&self.connection, k)?))
    }

    /// Retires the active records that the last `k` reads did not return. Only reads count that could have returned the
    /// record: by its owner (or by anyone in the tenant where it is shared), since it was written. So no one's reads let
    /// another person's memory fade. No reads (`k` of 0) prove nothing and retire nothing.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn decay(&mut self, k: u32) -> Result<Vec<Drop>> {
        self.retire("DECAY", None, |connection| unread(connection, k))
    }

    /// The active records of a scope beyond the `n` newest, then surest.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn would_evict(&self, scope: &Scope, n: usize) -> Result<Vec<Drop>> {
        Ok(explain(&excess(&self.connection, scope, n)?))
    }

    /// Keeps the `n` newest by recorded time, then surest, then smallest by id, of a scope's active records.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn evict(&mut self, scope: &Scope, n: usize) -> Result<Vec<Drop>> {
        self.retire("EVICT", None, |connection| excess(connection, scope, n))
    }

    fn retire(
        &mut self,
        operation: &str,
        at: Option<i64>,
        choose: impl FnOnce(&Connection) -> Result<Doomed>,
    ) -> Result<Vec<Drop>> {
        let change = self.begin()?;
        let doomed = choose(&change)?;
        for (row, reason) in &doomed {
            change.prepare_cached("UPDATE record SET status = 'expired' WHERE seq = ?1")?.execute([row.seq])?;
            index::remove(&change, row.seq)?;
            let scope = &row.record.scope;
            rows::drop_cache(&change, scope.tenant())?;
            audit::note(&change, at, scope, Some(&row.record.id), None, (operation, &reason.to_string()))?;
        }
        change.commit()?;
        Ok(explain(&doomed))
    }
}

fn explain(doomed: &Doomed) -> Vec<Drop> {
    let drop = |(row, reason): &(Stored, DropReason)| Drop {
        id: row.record.id.clone(),
        key: row.record.key.clone(),
        reason: *reason,
    };
    doomed.iter().map(drop).collect()
}

fn expired(connection: &Connection, now: i64) -> Result<Doomed> {
    let due =
        rows::select(connection, "r.status = 'active' AND r.expires_at IS NOT NULL AND r.expires_at <= ?1", [now])?;
    Ok(due
        .into_iter()
        .filter_map(|row| row.record.expires_at.map(|expires_at| (row, DropReason::Horizon { expires_at })))
        .collect())
}

fn unread(connection: &Connection, k: u32) -> Result<Doomed> {
    if k == 0 {
        return Ok(Vec::new());
    }
    let condition = "r.status = 'active' AND ?1 <= (SELECT coalesce(sum(o.reads), 0) FROM scope o
                     WHERE CASE WHEN s.user = '' THEN o.tenant = s.tenant ELSE o.id = s.id END) - r.read_mark";
    let faded = rows::select(connection, condition, [k])?;
    Ok(faded.into_iter().map(|row| (row, DropReason::Unread { reads: i64::from(k) })).collect())
}

fn excess(connection: &Connection, scope: &Scope, kept: usize) -> Result<Doomed> {
    let values = params![scope.tenant(), scope.user_column()];
    let mut held = rows::select(connection, "r.status = 'active' AND s.tenant = ?1 AND s.user = ?2", values)?;
    held.sort_by(|a, b| {
        let (a, b) = (&a.record, &b.record);
        let newest = b.recorded_at.cmp(&a.recorded_at);
        newest.then(b.confidence.total_cmp(&a.confidence)).then_with(|| a.id.cmp(&b.id))
    });
    let beyond = held.into_iter().enumerate().skip(kept);
    Ok(beyond.map(|(at, row)| (row, DropReason::Capacity { place: at + 1, kept })).collect())
}
