//! Deletion as a traversal: primary rows, index, cache, review queue, and what was derived from them at every depth.
//!
//! Each operation is one transaction that also notes that its text has yet to leave the log of the database. So a program
//! that is killed leaves the deletion done or not begun, and the next [`Store::open`] or [`Store::scrub`] finishes the rest.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::error::Result;
use super::rows::{self, Stored};
use super::{Scope, Store, audit, index};

/// Whether a target of a deletion is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum TargetState {
    /// Nothing of the subject is left there.
    #[serde(rename = "deleted")]
    Deleted,
    /// Something is.
    #[serde(rename = "OPEN")]
    Open,
}

impl TargetState {
    fn of(clear: bool) -> Self {
        if clear { Self::Deleted } else { Self::Open }
    }
}

/// The state of each place that could hold something of the subject, looked up after the deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Targets {
    /// The subject's own rows that are not derived, and the bytes of the database and its log.
    pub primary_store: TargetState,
    /// The token index.
    pub search_index: TargetState,
    /// The cached reads of the tenant.
    pub cache: TargetState,
    /// What rests on the subject's rows, at every depth, and derived rows that the subject owns.
    pub derived_summaries: TargetState,
}

/// What a deletion did and what is still open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Manifest {
    /// The user, or the tenant for what it shares.
    pub subject: String,
    /// The rows that this call deleted, by valid_from, recorded time and id.
    pub record_ids: Vec<String>,
    /// The state of each target.
    pub targets: Targets,
    /// Whether no target is open.
    pub complete: bool,
    /// The derived records that are still open.
    #[serde(skip)]
    pub open: Vec<String>,
    /// What stands in the way, in words.
    #[serde(skip)]
    pub exceptions: Vec<String>,
}

/// What forgetting a slot did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// The versions that were deleted.
    pub ids: Vec<String>,
    /// Derived records that rest on deleted ones; [`Store::invalidate`] deletes them.
    pub open: Vec<String>,
    /// Whether the text has left the database's files; [`Store::scrub`] tries again.
    pub scrubbed: bool,
}

impl Store {
    /// Deletes every version of a slot, of whatever kind and status, and what waits for a review there.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn forget(&mut self, scope: &Scope, key: &str) -> Result<Forgotten> {
        let change = self.begin()?;
        let forgotten = forget(&change, scope, key)?;
        change.commit()?;
        Ok(Forgotten { scrubbed: self.scrub()?, ..forgotten })
    }

    /// Deletes the records that a subject owns and that are not derived. What rests on them stays open, and readable, until
    /// [`Store::invalidate`] has followed the lineage.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn delete_subject(&mut self, scope: &Scope) -> Result<Manifest> {
        let change = self.begin()?;
        let doomed = delete_primary(&change, scope)?;
        change.commit()?;
        self.manifest(scope, rows::ids(&doomed))
    }

    /// Deletes the artifacts that rest on deleted records, at all levels: of one subject, with the derived records that it owns
    /// once its deletion was asked for; or of all.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn invalidate(&mut self, scope: Option<&Scope>) -> Result<Vec<String>> {
        let change = self.begin()?;
        let doomed = match scope {
            Some(scope) => open_of(&change, scope)?,
            None => rows::select(&change, &format!("{LIVE} AND r.seq IN ({})", down("status = 'deleted'")), [])?,
        };
        erase(&change, &doomed, "rests on deleted records")?;
        if !doomed.is_empty() {
            note_deletion(&change, None, &doomed)?;
        }
        change.commit()?;
        self.scrub()?;
        Ok(rows::ids(&doomed))
    }

    /// What a subject's deletion has left open, as the database is now.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn manifest(&mut self, scope: &Scope, record_ids: Vec<String>) -> Result<Manifest> {
        let scrubbed = self.scrub()?;
        let view = self.connection.unchecked_transaction()?;
        let own = params![scope.tenant(), scope.user_column()];
        let any = |sql: &str| -> Result<bool> { Ok(view.query_row(sql, own, |row| row.get(0))?) };
        let primary = any(&format!(
            "SELECT EXISTS (SELECT 1 FROM record r JOIN scope s ON s.id = r.scope WHERE {OWN} AND {LIVE} AND {RAW})
             OR EXISTS (SELECT 1 FROM review v JOIN scope s ON s.id = v.scope WHERE {OWN})"
        ))?;
        let index = any(&format!(
            "SELECT EXISTS (SELECT 1 FROM posting p LEFT JOIN record r ON r.seq = p.record JOIN scope s ON s.id = p.scope
             WHERE {OWN} AND (r.seq IS NULL OR r.status = 'deleted' OR {RAW}))"
        ))?;
        // A cached read names a record only; one that answers with a row of the subject would still tell that it was there.
        let cache = any(&format!(
            "SELECT EXISTS (SELECT 1 FROM cache c JOIN record r ON r.id = c.record JOIN scope s ON s.id = r.scope
             WHERE {OWN} AND ({RAW} OR r.status = 'deleted'))"
        ))?;
        let open = rows::ids(&open_of(&view, scope)?);
        let targets = Targets {
            primary_store: TargetState::of(!primary && scrubbed),
            search_index: TargetState::of(!index),
            cache: TargetState::of(!cache),
            derived_summaries: TargetState::of(open.is_empty()),
        };
        let mut exceptions = Vec::new();
        if !scrubbed {
            exceptions
                .push("another program still reads the state before; its pages stay in the log until it ends".into());
        }
        if !open.is_empty() {
            exceptions.push(format!("derived records rest on deleted ones: {}", open.join(", ")));
        }
        Ok(Manifest {
            subject: scope.user().unwrap_or(scope.tenant()).to_owned(),
            record_ids,
            complete: !primary && !index && !cache && open.is_empty() && scrubbed,
            targets,
            open,
            exceptions,
        })
    }
}

/// Deletes every version of a slot, and what waits for a review there. Its text has yet to leave the files.
pub(super) fn forget(connection: &Connection, scope: &Scope, key: &str) -> Result<Forgotten> {
    let values = params![scope.tenant(), scope.user_column(), key];
    let doomed =
        rows::select(connection, "s.tenant = ?1 AND s.user = ?2 AND r.key = ?3 AND r.status <> 'deleted'", values)?;
    erase(connection, &doomed, "forgotten on request")?;
    connection.execute(
        "DELETE FROM review WHERE key = ?3 AND scope IN (SELECT id FROM scope WHERE tenant = ?1 AND user = ?2)",
        values,
    )?;
    rows::drop_cache(connection, scope.tenant())?;
    note_deletion(connection, None, &doomed)?;
    let seqs: Vec<i64> = doomed.iter().map(|row| row.seq).collect();
    let open = rows::ids(&resting_on(connection, &seqs)?);
    Ok(Forgotten { ids: rows::ids(&doomed), open, scrubbed: false })
}

const OWN: &str = "s.tenant = ?1 AND s.user = ?2";
const LIVE: &str = "r.status <> 'deleted'";
const RAW: &str = "NOT EXISTS (SELECT 1 FROM parent q WHERE q.child = r.seq)";

/// A query for everything that rests on the records of a condition, at every depth.
fn down(condition: &str) -> String {
    format!(
        "WITH RECURSIVE down (seq) AS (SELECT p.child FROM parent p JOIN record o ON o.seq = p.parent WHERE o.{condition}
         UNION SELECT p.child FROM parent p JOIN down ON p.parent = down.seq) SELECT seq FROM down"
    )
}

/// The live records that rest on any of these.
fn resting_on(connection: &Connection, seqs: &[i64]) -> Result<Vec<Stored>> {
    let list = serde_json::Value::from_iter(seqs.iter().copied()).to_string();
    let below = down("seq IN (SELECT value FROM json_each(?1))");
    rows::select(connection, &format!("{LIVE} AND r.seq IN ({below})"), [list])
}

/// What of a subject is derived and live: what rests on its deleted records, and, once its deletion was asked for, what it owns
/// and what rests on that.
pub(super) fn open_of(connection: &Connection, scope: &Scope) -> Result<Vec<Stored>> {
    let Some(id) = rows::scope_id(connection, scope)? else { return Ok(Vec::new()) };
    let asked = |row: &str| {
        format!("EXISTS (SELECT 1 FROM deletion d WHERE d.scope = ?1 AND d.subject AND {row}.seq <= d.up_to)")
    };
    let below = down(&format!("scope = ?1 AND (o.status = 'deleted' OR {})", asked("o")));
    let own = format!("r.scope = ?1 AND NOT ({RAW}) AND {}", asked("r"));
    rows::select(connection, &format!("{LIVE} AND (r.seq IN ({below}) OR ({own}))"), [id])
}

/// Deletes a subject's rows that are not derived, its waiting reviews and its tenant's cached reads.
pub(super) fn delete_primary(connection: &Connection, scope: &Scope) -> Result<Vec<Stored>> {
    let id = rows::ensure_scope(connection, scope)?;
    let doomed = rows::select(connection, &format!("r.scope = ?1 AND {LIVE} AND {RAW}"), [id])?;
    erase(connection, &doomed, "its subject was deleted")?;
    connection.execute("DELETE FROM review WHERE scope = ?1", [id])?;
    rows::drop_cache(connection, scope.tenant())?;
    note_deletion(connection, Some(id), &doomed)?;
    Ok(doomed)
}

/// Takes key, value and evidence out of rows, and the rows out of the index and the cache.
pub(super) fn erase(connection: &Connection, doomed: &[Stored], basis: &str) -> Result<()> {
    for row in doomed {
        connection
            .prepare_cached(
                "UPDATE record SET key = NULL, value = NULL, evidence = NULL, status = 'deleted' WHERE seq = ?1",
            )?
            .execute([row.seq])?;
        index::remove(connection, row.seq)?;
        let scope = &row.record.scope;
        rows::drop_cache(connection, scope.tenant())?;
        audit::note(connection, None, scope, Some(&row.record.id), None, ("DELETE", basis))?;
    }
    Ok(())
}

/// Notes that text has to leave the files; with a subject, that its deletion was asked for, and up to which row: what a person
/// who comes back makes later is not part of it.
pub(super) fn note_deletion(connection: &Connection, subject: Option<i64>, doomed: &[Stored]) -> Result<()> {
    let list = serde_json::Value::from_iter(rows::ids(doomed)).to_string();
    connection
        .prepare_cached(
            "INSERT INTO deletion (scope, subject, records, up_to)
             VALUES (?1, ?2, ?3, (SELECT coalesce(max(seq), 0) FROM record))",
        )?
        .execute(params![subject, subject.is_some(), list])?;
    Ok(())
}
