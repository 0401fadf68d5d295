//! Reading: first whose rows and which interval, then scores, then whether the best one is good enough.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use super::error::Result;
use super::query::THRESHOLD;
use super::rows::{self, COLUMNS, Stored};
use super::{
    Abstention, Answer, Clocks, Considered, Kind, Outcome, Query, Reading, Scope, Span, Status, Store, Unsafe, index,
    tokens,
};

impl Store {
    /// Answers a question and counts the read, which keeps the answer from decaying.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn retrieve(&mut self, query: &Query) -> Result<Reading> {
        let change = self.begin()?;
        let reading = look(&change, query)?;
        count_read(&change, &query.scope, reading.answer().map(|answer| answer.record.id.as_str()))?;
        change.commit()?;
        Ok(reading)
    }

    /// Answers a question and leaves no trace, for looking at the store.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn look(&self, query: &Query) -> Result<Reading> {
        let view = self.connection.unchecked_transaction()?;
        look(&view, query)
    }

    /// Answers what was believed at `decision_time` about `valid_time` (the same instant when absent). Leaves no trace.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn believed_at(
        &self,
        text: &str,
        scope: &Scope,
        decision_time: i64,
        valid_time: Option<i64>,
    ) -> Result<Reading> {
        let view = self.connection.unchecked_transaction()?;
        let clocks = Clocks::Believed { decision_time, valid_time: valid_time.unwrap_or(decision_time) };
        read(&view, text, scope, clocks, THRESHOLD)
    }

    /// Ranks the rows of everybody first and filters afterwards: the wrong order, kept to show what it lets out. The score of
    /// a foreign row becomes known, and the reader's own row is hidden behind it.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn retrieve_unsafe(&self, query: &Query) -> Result<Unsafe> {
        let view = self.connection.unchecked_transaction()?;
        let asked = tokens(&query.text);
        let mut best: Option<(f64, Stored)> = None;
        for row in rows::select(&view, "r.status = 'active'", [])? {
            let shared = index::text_tokens(&row).intersection(&asked).count();
            let score = shared as f64 + row.record.confidence;
            if shared > 0 && best.as_ref().is_none_or(|(top, _)| score > *top) {
                best = Some((score, row));
            }
        }
        let value = best.as_ref().filter(|(score, _)| *score >= query.threshold);
        let value = value.filter(|(_, row)| query.scope.reads(&row.record.scope));
        Ok(Unsafe {
            top_score: best.as_ref().map(|(score, _)| *score),
            value: value.and_then(|(_, row)| row.record.value.clone()),
        })
    }

    /// All records by valid_from, recorded time and id. For tests and maintenance; a person sees [`Store::list`].
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn records(&self) -> Result<Vec<super::Record>> {
        Ok(rows::select(&self.connection, "1", [])?.into_iter().map(|row| row.record).collect())
    }
}

pub(super) fn look(connection: &Connection, query: &Query) -> Result<Reading> {
    let clocks = Clocks::Known { as_of: query.as_of, now: query.now };
    read(connection, &query.text, &query.scope, clocks, query.threshold)
}

/// The condition on a row that the clocks set, and how its span and end are read. `?1` and `?2` are free for the caller; `?3`
/// is the instant of valid time, `?4` the present or the decision time.
struct Filter {
    condition: String,
    instant: Option<i64>,
    present: Option<i64>,
}

/// The end that was known at `?4`, as a column.
const KNOWN_END: &str = "(SELECT e.ends FROM ending e WHERE e.record = r.seq AND e.known_at <= ?4
     ORDER BY e.known_at DESC, e.seq DESC LIMIT 1)";

impl Filter {
    fn of(clocks: Clocks) -> Self {
        // `?3` and `?4` are named in every condition, so that the number of parameters is always the same.
        let readable =
            "r.status IN ('active', 'superseded') AND (?4 IS NULL OR r.expires_at IS NULL OR ?4 < r.expires_at)";
        let (condition, instant, present) = match clocks {
            Clocks::Known { as_of: None, now: None } => ("r.status = 'active' AND ?3 IS NULL".to_owned(), None, None),
            Clocks::Known { as_of, now } => {
                let held = "r.valid_from <= ?3 AND (r.valid_to IS NULL OR ?3 < r.valid_to)";
                (held.to_owned(), as_of.or(now), now)
            }
            Clocks::Believed { decision_time, valid_time } => {
                let held =
                    format!("r.recorded_at <= ?4 AND r.valid_from <= ?3 AND ({KNOWN_END} IS NULL OR ?3 < {KNOWN_END})");
                (held, Some(valid_time), Some(decision_time))
            }
        };
        Self { condition: format!("{readable} AND {condition}"), instant, present }
    }
}

fn read(connection: &Connection, text: &str, scope: &Scope, clocks: Clocks, threshold: f64) -> Result<Reading> {
    let asked = tokens(text);
    if asked.is_empty() {
        return Ok(Reading { considered: Vec::new(), outcome: Outcome::Abstained(Abstention::NoToken) });
    }
    let filter = Filter::of(clocks);
    let own = rows::scope_id(connection, scope)?;
    let shared = rows::scope_id(connection, &Scope::of_columns(scope.tenant().to_owned(), String::new()))?;
    let mut considered = candidates(connection, &asked, (own, shared), &filter)?;
    if let Clocks::Believed { decision_time, .. } = clocks {
        for candidate in &mut considered {
            believe(connection, candidate, decision_time)?;
        }
    }
    considered.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then(b.record.span.from.cmp(&a.record.span.from)).then_with(|| a.record.id.cmp(&b.record.id))
    });
    let outcome = match considered.first() {
        None if anything(connection, (own, shared), &filter)? => Outcome::Abstained(Abstention::NothingShared),
        None => Outcome::Abstained(Abstention::NothingReadable),
        // A threshold or a score that is no number is no reason to answer.
        Some(best) if best.score < threshold || threshold.is_nan() => {
            Outcome::Abstained(Abstention::BelowThreshold { best: best.score, threshold })
        }
        Some(best) => match conflict(&considered) {
            Some(ids) => Outcome::Abstained(Abstention::Conflict { ids }),
            None => Outcome::Answered(Answer { record: best.record.clone(), score: best.score }),
        },
    };
    Ok(Reading { considered, outcome })
}

/// The readable rows that share a token with the question. The index is entered by scope, so no other row is touched.
fn candidates(
    connection: &Connection,
    asked: &BTreeSet<String>,
    (own, shared): (Option<i64>, Option<i64>),
    filter: &Filter,
) -> Result<Vec<Considered>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM record r JOIN scope s ON s.id = r.scope WHERE r.seq IN (SELECT record FROM posting
         WHERE scope IN (?1, ?2) AND token IN (SELECT value FROM json_each(?5))) AND {}",
        filter.condition
    );
    let words = serde_json::Value::from_iter(asked.iter().map(String::as_str)).to_string();
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = statement.query(params![own, shared, filter.instant, filter.present, words])?;
    let mut considered = Vec::new();
    while let Some(row) = found.next()? {
        let row = rows::stored(row)?;
        let shared: BTreeSet<String> = index::text_tokens(&row).intersection(asked).cloned().collect();
        let score = shared.len() as f64 + row.record.confidence;
        considered.push(Considered { record: row.record, shared, score });
    }
    Ok(considered)
}

/// Whether the reader may read anything at all at these clocks.
fn anything(connection: &Connection, (own, shared): (Option<i64>, Option<i64>), filter: &Filter) -> Result<bool> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM record r WHERE r.scope IN (?1, ?2) AND {})", filter.condition);
    let values = params![own, shared, filter.instant, filter.present];
    Ok(connection.prepare_cached(&sql)?.query_row(values, |row| row.get(0))?)
}

/// Shows a record with the end that was known at a moment.
fn believe(connection: &Connection, candidate: &mut Considered, decision_time: i64) -> Result<()> {
    let sql = "SELECT e.ends FROM ending e JOIN record r ON r.seq = e.record WHERE r.id = ?1 AND e.known_at <= ?2
               ORDER BY e.known_at DESC, e.seq DESC LIMIT 1";
    let values = params![candidate.record.id, decision_time];
    let to: Option<i64> = connection.prepare_cached(sql)?.query_row(values, |row| row.get(0))?;
    candidate.record.span = Span { to, ..candidate.record.span };
    candidate.record.status = if to.is_none() { Status::Active } else { Status::Superseded };
    Ok(())
}

/// The records that rank as high as the best one, fill the same slot, differ from it in value, and stand in another scope or
/// come from another source; with the best one first.
fn conflict(considered: &[Considered]) -> Option<Vec<String>> {
    let best = considered.first()?;
    let rivals = considered.iter().skip(1).filter(|other| {
        let (ours, theirs) = (&best.record, &other.record);
        let equal = other.score == best.score && theirs.span.from == ours.span.from;
        let slot = ours.kind == Kind::Semantic && theirs.kind == Kind::Semantic && theirs.key == ours.key;
        equal && slot && theirs.value != ours.value && (theirs.scope != ours.scope || theirs.source != ours.source)
    });
    let ids: Vec<String> = rivals.map(|other| other.record.id.clone()).collect();
    (!ids.is_empty()).then(|| std::iter::once(best.record.id.clone()).chain(ids).collect())
}

/// Counts a read of a scope, and marks what it returned as just read.
pub(super) fn count_read(connection: &Connection, scope: &Scope, returned: Option<&str>) -> Result<()> {
    let reader = rows::ensure_scope(connection, scope)?;
    connection.prepare_cached("UPDATE scope SET reads = reads + 1 WHERE id = ?1")?.execute([reader])?;
    if let Some(id) = returned {
        connection
            .prepare_cached(
                "UPDATE record SET read_mark = (SELECT CASE WHEN o.user = '' THEN
                 (SELECT coalesce(sum(s.reads), 0) FROM scope s WHERE s.tenant = o.tenant) ELSE o.reads END
                 FROM scope o WHERE o.id = record.scope) WHERE id = ?1",
            )?
            .execute([id])?;
    }
    Ok(())
}
