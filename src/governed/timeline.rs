//! The timeline of a slot: which row holds which interval of valid time, and since when the store knows.
//!
//! A slot is a key in a scope; only semantic rows have one. Each row lasts until the next one begins. An end is never changed
//! in place without a new entry in the log, so the ends that were known at an earlier moment can be read.

use rusqlite::{Connection, OptionalExtension, params};

use super::error::Result;
use super::rows::{self, Stored};

/// The rows of a slot that have a place in it: those that were deleted or withdrawn have none.
const PLACED: &str =
    "r.scope = ?1 AND r.key = ?2 AND r.kind = 'semantic' AND r.status <> 'deleted' AND NOT r.withdrawn";

/// Where an interval ends, and which row begins there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub at: Option<i64>,
    pub cause: Option<i64>,
}

/// The row whose interval holds an instant.
pub(super) fn holder(connection: &Connection, scope: i64, key: &str, instant: i64) -> Result<Option<Stored>> {
    let condition = format!("{PLACED} AND r.valid_from <= ?3 AND (r.valid_to IS NULL OR ?3 < r.valid_to)");
    Ok(rows::select(connection, &condition, params![scope, key, instant])?.pop())
}

/// The last moment at which the slot learned something.
pub(super) fn known_until(connection: &Connection, scope: i64, key: &str) -> Result<Option<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT max(e.known_at) FROM record r JOIN ending e ON e.record = r.seq
         WHERE r.scope = ?1 AND r.key = ?2 AND r.kind = 'semantic' AND r.status <> 'deleted'",
    )?;
    Ok(statement.query_row(params![scope, key], |row| row.get(0))?)
}

/// The end that a row beginning at `instant` gets, that of the row it lands in or the start of the next row; and the row it
/// lands in.
///
/// A row that begins at the same instant and is empty has been replaced there, so it is no next row.
pub(super) fn place(connection: &Connection, scope: i64, key: &str, instant: i64) -> Result<(Option<Stored>, End)> {
    if let Some(row) = holder(connection, scope, key, instant)? {
        let cause = last_ending(connection, row.seq)?.and_then(|end| end.cause);
        let end = End { at: row.record.span.to, cause };
        return Ok((Some(row), end));
    }
    let condition = format!(
        "{PLACED} AND r.valid_from > ?3 AND (r.valid_to IS NULL OR r.valid_from < r.valid_to)
         AND r.valid_from = (SELECT min(r.valid_from) FROM record r WHERE {PLACED} AND r.valid_from > ?3
                             AND (r.valid_to IS NULL OR r.valid_from < r.valid_to))"
    );
    let next = rows::select(connection, &condition, params![scope, key, instant])?.pop();
    Ok((None, End { at: next.as_ref().map(|row| row.record.span.from), cause: next.map(|row| row.seq) }))
}

/// The newest entry of a row's log.
fn last_ending(connection: &Connection, seq: i64) -> Result<Option<End>> {
    let mut statement =
        connection.prepare_cached("SELECT ends, cause FROM ending WHERE record = ?1 ORDER BY seq DESC LIMIT 1")?;
    Ok(statement.query_row([seq], |row| Ok(End { at: row.get(0)?, cause: row.get(1)? })).optional()?)
}

/// Gives a row another end, in the row and in the log. A retired row stays retired.
pub(super) fn set_end(connection: &Connection, seq: i64, end: End, known_at: i64) -> Result<()> {
    connection
        .prepare_cached(
            "UPDATE record SET valid_to = ?2, status = CASE WHEN status NOT IN ('active', 'superseded') THEN status
             WHEN ?2 IS NULL THEN 'active' ELSE 'superseded' END WHERE seq = ?1",
        )?
        .execute(params![seq, end.at])?;
    log(connection, seq, end, known_at, false)
}

/// Adds an entry to the log of ends.
pub(super) fn log(connection: &Connection, seq: i64, end: End, known_at: i64, withdrawn: bool) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO ending (record, ends, known_at, cause, withdrawn) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![seq, end.at, known_at, end.cause, withdrawn])?;
    Ok(())
}

/// Empties a row's interval, and gives what it had closed the end that it had itself.
pub(super) fn withdraw(connection: &Connection, row: &Stored, cause: Option<i64>, known_at: i64) -> Result<()> {
    let own = End { at: row.record.span.to, cause: last_ending(connection, row.seq)?.and_then(|end| end.cause) };
    let mut statement = connection.prepare_cached(
        "SELECT r.seq FROM ending e JOIN record r ON r.seq = e.record WHERE e.cause = ?1 AND NOT e.withdrawn
         AND NOT r.withdrawn AND r.status <> 'deleted'
         AND e.seq = (SELECT max(seq) FROM ending WHERE record = e.record)",
    )?;
    let closed = statement.query_map([row.seq], |found| found.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
    for seq in closed {
        set_end(connection, seq, own, known_at)?;
    }
    connection
        .prepare_cached(
            "UPDATE record SET withdrawn = 1, valid_to = valid_from,
             status = CASE status WHEN 'active' THEN 'superseded' ELSE status END WHERE seq = ?1",
        )?
        .execute([row.seq])?;
    log(connection, row.seq, End { at: Some(row.record.span.from), cause }, known_at, true)
}
