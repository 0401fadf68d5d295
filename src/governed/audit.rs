//! The log of every decision, and the queue of what a person must decide.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

use super::error::Result;
use super::gate::gate_reviewed;
use super::{Candidate, GovernedError, Kind, Scope, Source, Store, Written, write};

/// One decision. It names records by id and holds nothing of their content, so it outlives them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditEntry {
    /// Its place in the log, from 1.
    pub seq: i64,
    /// The transaction time; `None` for operations without one.
    pub at: Option<i64>,
    /// The tenant.
    pub tenant: String,
    /// The user; `None` for what the tenant shares, or for all.
    pub user: Option<String>,
    /// The record that was made or changed, or that a refused candidate would have become.
    pub record: Option<String>,
    /// Who proposed it.
    pub source: Option<String>,
    /// What was asked for: `ADD`, `CORRECT`, `NOOP`, `REJECT`, `DELETE`, `EXPIRE`, `DECAY`, `EVICT` and the like.
    pub operation: String,
    /// Why it happened or did not.
    pub reason: String,
}

/// A candidate that waits for a person.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewItem {
    /// Its number.
    pub seq: i64,
    /// When it was proposed.
    pub at: i64,
    /// What was proposed.
    pub candidate: Candidate,
}

/// What a person decides about a waiting candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// Write it; the other bars of the gate still hold.
    Approve,
    /// Drop it.
    Dismiss,
}

/// Writes an entry.
pub(super) fn note(
    connection: &Connection,
    at: Option<i64>,
    scope: &Scope,
    record: Option<&str>,
    source: Option<Source>,
    (operation, reason): (&str, &str),
) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO audit (at, tenant, user, record, source, operation, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            at,
            scope.tenant(),
            scope.user_column(),
            record,
            source.map(Source::name),
            operation,
            reason
        ])?;
    Ok(())
}

/// Puts a candidate into the queue, unless the same one waits already.
pub(super) fn queue(connection: &Connection, scope: i64, candidate: &Candidate, at: i64) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO review (at, scope, key, value, evidence, kind, source, confidence, time, ttl)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE NOT EXISTS (SELECT 1 FROM review WHERE scope = ?2
             AND key = ?3 AND value = ?4 AND evidence = ?5 AND time = ?9)",
        )?
        .execute(params![
            at,
            scope,
            candidate.key,
            candidate.value,
            candidate.evidence,
            candidate.kind.name(),
            candidate.source.name(),
            candidate.confidence,
            candidate.time,
            candidate.ttl
        ])?;
    Ok(())
}

fn item(row: &Row<'_>) -> Result<ReviewItem> {
    Ok(ReviewItem {
        seq: row.get(0)?,
        at: row.get(1)?,
        candidate: Candidate {
            scope: Scope::of_columns(row.get(2)?, row.get(3)?),
            key: row.get(4)?,
            value: row.get(5)?,
            evidence: row.get(6)?,
            kind: Kind::of(&row.get::<_, String>(7)?)?,
            source: Source::of(&row.get::<_, String>(8)?)?,
            confidence: row.get(9)?,
            time: row.get(10)?,
            ttl: row.get(11)?,
        },
    })
}

const ITEM: &str = "SELECT v.seq, v.at, s.tenant, s.user, v.key, v.value, v.evidence, v.kind, v.source, v.confidence, v.time, \
     v.ttl FROM review v JOIN scope s ON s.id = v.scope WHERE s.tenant = ?1 AND s.user = ?2";

impl Store {
    /// The decisions about one scope, the oldest first.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn audit(&self, scope: &Scope) -> Result<Vec<AuditEntry>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT seq, at, tenant, user, record, source, operation, reason FROM audit
             WHERE tenant = ?1 AND user = ?2 ORDER BY seq",
        )?;
        let entries = statement.query_map(params![scope.tenant(), scope.user_column()], |row| {
            let user: String = row.get(3)?;
            Ok(AuditEntry {
                seq: row.get(0)?,
                at: row.get(1)?,
                tenant: row.get(2)?,
                user: (!user.is_empty()).then_some(user),
                record: row.get(4)?,
                source: row.get(5)?,
                operation: row.get(6)?,
                reason: row.get(7)?,
            })
        })?;
        Ok(entries.collect::<rusqlite::Result<_>>()?)
    }

    /// What waits for a person's decision in one scope, the oldest first.
    ///
    /// # Errors
    /// If SQLite refuses or a stored value is none of this program's.
    pub fn review_queue(&self, scope: &Scope) -> Result<Vec<ReviewItem>> {
        let mut statement = self.connection.prepare_cached(&format!("{ITEM} ORDER BY v.seq"))?;
        let mut rows = statement.query(params![scope.tenant(), scope.user_column()])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(item(row)?);
        }
        Ok(items)
    }

    /// Decides about a waiting candidate, and takes it out of the queue. `now` is the transaction time of the write.
    ///
    /// # Errors
    /// If nothing with this number waits in the scope, or SQLite refuses.
    pub fn resolve_review(
        &mut self,
        scope: &Scope,
        number: i64,
        resolution: Resolution,
        now: i64,
    ) -> Result<Option<Written>> {
        let change = self.begin()?;
        let waiting = change
            .prepare_cached(&format!("{ITEM} AND v.seq = ?3"))?
            .query_row(params![scope.tenant(), scope.user_column(), number], |row| Ok(item(row)))
            .optional()?
            .ok_or(GovernedError::NoReview(number))??;
        let candidate = &waiting.candidate;
        change.execute("DELETE FROM review WHERE seq = ?1", [number])?;
        let written = match resolution {
            Resolution::Dismiss => {
                let words = ("DISMISS", "a person dismissed it");
                note(&change, Some(now), scope, Some(&candidate.id()), Some(candidate.source), words)?;
                None
            }
            Resolution::Approve => {
                let words = ("APPROVE", "a person approved the wording");
                note(&change, Some(now), scope, Some(&candidate.id()), Some(candidate.source), words)?;
                let request = write::Request { now: Some(now), ..write::Request::new(candidate) };
                Some(write::admit(&change, &request, gate_reviewed(candidate))?)
            }
        };
        super::delete::note_deletion(&change, None, &[])?;
        change.commit()?;
        self.scrub()?;
        Ok(written)
    }
}
