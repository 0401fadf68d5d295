//! What a person may do with the memory about them: see it, stop it, go on. Correcting is [`Store::write`] with what it
//! corrects; forgetting is [`Store::forget`].

use rusqlite::params;

use super::error::Result;
use super::{Ending, Record, Scope, Store, audit, rows};

impl Store {
    /// The records that a scope owns and that hold something, by valid_from, recorded time and id; retired ones too.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn list(&self, scope: &Scope) -> Result<Vec<Record>> {
        let values = params![scope.tenant(), scope.user_column()];
        let condition = "s.tenant = ?1 AND s.user = ?2 AND r.status <> 'deleted'";
        Ok(rows::select(&self.connection, condition, values)?.into_iter().map(|row| row.record).collect())
    }

    /// Stops writing for a scope until [`Store::resume`]. What is there stays readable; not even a review is queued.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn pause(&mut self, scope: &Scope) -> Result<()> {
        self.set_paused(scope, true)
    }

    /// Lets a paused scope be written again.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn resume(&mut self, scope: &Scope) -> Result<()> {
        self.set_paused(scope, false)
    }

    fn set_paused(&mut self, scope: &Scope, paused: bool) -> Result<()> {
        let change = self.begin()?;
        let id = rows::ensure_scope(&change, scope)?;
        change.execute("UPDATE scope SET paused = ?2 WHERE id = ?1", params![id, paused])?;
        let operation = if paused { "PAUSE" } else { "RESUME" };
        audit::note(&change, None, scope, None, None, (operation, "asked for by the owner"))?;
        Ok(change.commit()?)
    }

    /// The log of ends of a scope's records, the oldest entry first.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn endings(&self, scope: &Scope) -> Result<Vec<Ending>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT r.id, e.ends, e.known_at, c.id, e.withdrawn FROM ending e JOIN record r ON r.seq = e.record
             JOIN scope s ON s.id = r.scope LEFT JOIN record c ON c.seq = e.cause
             WHERE s.tenant = ?1 AND s.user = ?2 ORDER BY e.seq",
        )?;
        let entries = statement.query_map(params![scope.tenant(), scope.user_column()], Ending::of_row)?;
        Ok(entries.collect::<rusqlite::Result<_>>()?)
    }

    /// The ids of the records that a record rests on, in their order.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn parents(&self, id: &str) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT o.id FROM parent p JOIN record o ON o.seq = p.parent JOIN record r ON r.seq = p.child
             WHERE r.id = ?1 ORDER BY p.place",
        )?;
        Ok(statement.query_map([id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
    }
}
