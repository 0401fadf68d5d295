//! Rows of the database as values, and what many operations ask of them.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::Result;
use super::{Kind, Record, Scope, Source, Span, Status};

/// The columns that [`stored`] reads, from `record r JOIN scope s ON s.id = r.scope`.
pub(super) const COLUMNS: &str = "r.seq, r.id, s.tenant, s.user, r.key, r.value, r.evidence, r.kind, r.source, r.confidence, \
     r.valid_from, r.valid_to, r.recorded_at, r.expires_at, r.status, r.scope";

/// A record with what only the database knows of it.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub seq: i64,
    pub scope: i64,
    pub record: Record,
}

/// Reads a row of [`COLUMNS`].
pub(super) fn stored(row: &Row<'_>) -> Result<Stored> {
    let text = |column: usize| row.get::<_, String>(column);
    Ok(Stored {
        seq: row.get(0)?,
        scope: row.get(15)?,
        record: Record {
            id: row.get(1)?,
            scope: Scope::of_columns(row.get(2)?, row.get(3)?),
            key: row.get(4)?,
            value: row.get(5)?,
            evidence: row.get(6)?,
            kind: Kind::of(&text(7)?)?,
            source: Source::of(&text(8)?)?,
            confidence: row.get(9)?,
            span: Span { from: row.get(10)?, to: row.get(11)? },
            recorded_at: row.get(12)?,
            expires_at: row.get(13)?,
            status: Status::of(&text(14)?)?,
        },
    })
}

/// The records for which `condition` holds, by valid_from, recorded time and id.
pub(super) fn select(connection: &Connection, condition: &str, values: impl rusqlite::Params) -> Result<Vec<Stored>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM record r JOIN scope s ON s.id = r.scope WHERE {condition} \
         ORDER BY r.valid_from, r.recorded_at, r.id"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(values)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(stored(row)?);
    }
    Ok(found)
}

/// The record with an id.
pub(super) fn by_id(connection: &Connection, id: &str) -> Result<Option<Stored>> {
    Ok(select(connection, "r.id = ?1", [id])?.into_iter().next())
}

/// The number of a scope, if it has ever held anything.
pub(super) fn scope_id(connection: &Connection, scope: &Scope) -> Result<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT id FROM scope WHERE tenant = ?1 AND user = ?2")?;
    Ok(statement.query_row(params![scope.tenant(), scope.user_column()], |row| row.get(0)).optional()?)
}

/// The number of a scope, which is made if it is not there.
pub(super) fn ensure_scope(connection: &Connection, scope: &Scope) -> Result<i64> {
    if let Some(id) = scope_id(connection, scope)? {
        return Ok(id);
    }
    connection
        .prepare_cached("INSERT INTO scope (tenant, user) VALUES (?1, ?2)")?
        .execute(params![scope.tenant(), scope.user_column()])?;
    Ok(connection.last_insert_rowid())
}

/// Forgets the cached reads of a tenant: something that they rest on has changed.
pub(super) fn drop_cache(connection: &Connection, tenant: &str) -> Result<()> {
    connection.prepare_cached("DELETE FROM cache WHERE tenant = ?1")?.execute([tenant])?;
    Ok(())
}

/// The ids of records, in their order.
pub(super) fn ids(records: &[Stored]) -> Vec<String> {
    records.iter().map(|stored| stored.record.id.clone()).collect()
}
