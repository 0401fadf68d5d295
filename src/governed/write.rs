//! Writing: a candidate passes the gate, is told apart from what is known, and takes its place in the timeline.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::error::Result;
use super::rows::{self, Stored};
use super::timeline::{self, End};
use super::{Candidate, Kind, Reason, Scope, Status, Store, audit, gate, index};

/// What came of a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Written {
    /// The new record; `None` if nothing was written.
    pub id: Option<String>,
    /// Why.
    pub reason: Reason,
    /// See [`Candidate::asks_horizon`].
    pub asks_horizon: bool,
}

impl Written {
    pub(super) fn refused(reason: Reason) -> Self {
        Self { id: None, reason, asks_horizon: false }
    }
}

/// What a candidate does to the facts that hold at its own time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Decision {
    /// Nothing is known there.
    Add,
    /// Another value is.
    Update,
    /// The same value is.
    Noop,
}

impl Decision {
    /// The name, as the audit and the tool log show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "ADD",
            Self::Update => "UPDATE",
            Self::Noop => "NOOP",
        }
    }
}

/// What came of a turn: a decision, or a refusal of the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// It was decided, and written unless nothing changes.
    Decided(Decision),
    /// It was refused.
    Refused(Reason),
}

impl std::fmt::Display for Turn {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Decided(decision) => formatter.write_str(decision.name()),
            Self::Refused(reason) => write!(formatter, "REJECT: {reason}"),
        }
    }
}

/// A write and its circumstances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    pub candidate: &'a Candidate,
    pub now: Option<i64>,
    pub corrects: Option<&'a str>,
    pub parents: &'a [i64],
    pub success: Reason,
    pub operation: &'static str,
}

impl<'a> Request<'a> {
    pub fn new(candidate: &'a Candidate) -> Self {
        Self { candidate, now: None, corrects: None, parents: &[], success: Reason::Accepted, operation: "WRITE" }
    }
}

impl Store {
    /// Writes a candidate at a transaction time, without asking whether it changes anything. `corrects` names a version of the
    /// same slot that was wrong: it is withdrawn, and what it had closed lasts until the next row again.
    ///
    /// # Errors
    /// If SQLite refuses. That the gate refuses is no error, but in [`Written::reason`] and in the audit.
    pub fn write(&mut self, candidate: &Candidate, now: Option<i64>, corrects: Option<&str>) -> Result<Written> {
        let change = self.begin()?;
        let operation = if corrects.is_some() { "CORRECT" } else { "WRITE" };
        let written =
            admit(&change, &Request { now, corrects, operation, ..Request::new(candidate) }, gate(candidate))?;
        change.commit()?;
        Ok(written)
    }

    /// What a candidate would do, by the value that holds at its own time. An episode, a procedure or a note is added unless
    /// the same evidence has recorded it.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn decide(&self, candidate: &Candidate) -> Result<Decision> {
        decide(&self.connection, candidate)
    }

    /// Decides, then writes unless nothing changes.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn turn(&mut self, candidate: &Candidate, now: Option<i64>) -> Result<Turn> {
        let change = self.begin()?;
        let turn = take(&change, candidate, now)?;
        change.commit()?;
        Ok(turn)
    }

    /// Takes many candidates, one after the other, in one transaction: all of them are decided, or none. What each comes to is
    /// what [`Store::turn`] makes of it.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn turn_all<'a>(&mut self, candidates: impl IntoIterator<Item = &'a Candidate>) -> Result<Vec<Turn>> {
        let change = self.begin()?;
        let turns =
            candidates.into_iter().map(|candidate| take(&change, candidate, None)).collect::<Result<Vec<_>>>()?;
        change.commit()?;
        Ok(turns)
    }

    /// Withdraws a version that was wrong and that nothing replaces. Returns whether there was one to withdraw.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn withdraw(&mut self, scope: &Scope, id: &str, now: i64) -> Result<Reason> {
        let change = self.begin()?;
        let found = rows::by_id(&change, id)?.filter(|row| row.record.scope == *scope);
        let reason = match found {
            Some(row) if can_withdraw(&change, &row)? => {
                let known = timeline::known_until(&change, row.scope, row.record.key.as_deref().unwrap_or_default())?;
                if known.is_some_and(|known| now < known) {
                    Reason::ClockRunsBack
                } else {
                    timeline::withdraw(&change, &row, None, now)?;
                    rows::drop_cache(&change, scope.tenant())?;
                    Reason::Accepted
                }
            }
            _ => Reason::NothingToCorrect,
        };
        let operation = if reason == Reason::Accepted { "WITHDRAW" } else { "REJECT" };
        audit::note(&change, Some(now), scope, Some(id), None, (operation, reason.words()))?;
        change.commit()?;
        Ok(reason)
    }
}

/// Decides about a candidate, then writes it unless nothing changes.
pub(super) fn take(connection: &Connection, candidate: &Candidate, now: Option<i64>) -> Result<Turn> {
    let verdict = gate(candidate);
    let decision = decide(connection, candidate)?;
    if verdict == Reason::Accepted && decision == Decision::Noop {
        let at = Some(now.unwrap_or(candidate.time));
        let words = (decision.name(), "the same value holds at that time");
        audit::note(connection, at, &candidate.scope, Some(&candidate.id()), Some(candidate.source), words)?;
        return Ok(Turn::Decided(decision));
    }
    let request = Request { now, operation: decision.name(), ..Request::new(candidate) };
    let written = admit(connection, &request, verdict)?;
    Ok(if written.id.is_some() { Turn::Decided(decision) } else { Turn::Refused(written.reason) })
}

/// Whether a row is a version that may be withdrawn: of a slot, still read, and not withdrawn before.
fn can_withdraw(connection: &Connection, row: &Stored) -> Result<bool> {
    let withdrawn: bool =
        connection.query_row("SELECT withdrawn FROM record WHERE seq = ?1", [row.seq], |found| found.get(0))?;
    let readable = matches!(row.record.status, Status::Active | Status::Superseded);
    Ok(readable && row.record.kind == Kind::Semantic && !withdrawn)
}

pub(super) fn decide(connection: &Connection, candidate: &Candidate) -> Result<Decision> {
    if candidate.kind != Kind::Semantic {
        let same = rows::by_id(connection, &candidate.id())?
            .is_some_and(|row| row.record.value.as_ref() == Some(&candidate.value));
        return Ok(if same { Decision::Noop } else { Decision::Add });
    }
    let Some(scope) = rows::scope_id(connection, &candidate.scope)? else { return Ok(Decision::Add) };
    let held = timeline::holder(connection, scope, &candidate.key, candidate.time)?
        .filter(|row| row.record.status != Status::Expired)
        .filter(|row| row.record.expires_at.is_none_or(|horizon| candidate.time < horizon));
    Ok(match held {
        None => Decision::Add,
        Some(row) if row.record.value.as_ref() == Some(&candidate.value) => Decision::Noop,
        Some(_) => Decision::Update,
    })
}

/// Meets the gate's verdict and what the store knows; records the candidate or refuses it; notes either in the audit.
pub(super) fn admit(connection: &Connection, request: &Request<'_>, verdict: Reason) -> Result<Written> {
    let candidate = request.candidate;
    let id = candidate.id();
    let written = match refusal(connection, request, verdict, &id)? {
        Some(reason) => Written::refused(reason),
        None => {
            insert(connection, request, &id)?;
            Written { id: Some(id.clone()), reason: request.success, asks_horizon: candidate.asks_horizon() }
        }
    };
    let at = request.now.unwrap_or(candidate.time);
    if written.reason == Reason::InstructionLike {
        let scope = rows::ensure_scope(connection, &candidate.scope)?;
        audit::queue(connection, scope, candidate, at)?;
    }
    let operation = if written.id.is_some() { request.operation } else { "REJECT" };
    let words = (operation, written.reason.words());
    audit::note(connection, Some(at), &candidate.scope, Some(&id), Some(candidate.source), words)?;
    Ok(written)
}

fn refusal(connection: &Connection, request: &Request<'_>, verdict: Reason, id: &str) -> Result<Option<Reason>> {
    let candidate = request.candidate;
    let scope = rows::scope_id(connection, &candidate.scope)?;
    if let Some(scope) = scope
        && connection.prepare_cached("SELECT paused FROM scope WHERE id = ?1")?.query_row([scope], |row| row.get(0))?
    {
        return Ok(Some(Reason::Paused));
    }
    if verdict != Reason::Accepted {
        return Ok(Some(verdict));
    }
    if let Some(known) = rows::by_id(connection, id)? {
        return Ok(Some(match known.record.value {
            None => Reason::WasDeleted,
            Some(value) if value == candidate.value => Reason::AlreadyRecorded,
            Some(_) => Reason::OtherValue,
        }));
    }
    if candidate.kind == Kind::Semantic
        && let (Some(scope), Some(now)) = (scope, request.now)
        && timeline::known_until(connection, scope, &candidate.key)?.is_some_and(|known| now < known)
    {
        return Ok(Some(Reason::ClockRunsBack));
    }
    match request.corrects {
        Some(wrong) if to_correct(connection, candidate, wrong)?.is_none() => Ok(Some(Reason::NothingToCorrect)),
        _ => Ok(None),
    }
}

/// The version that a correction withdraws.
fn to_correct(connection: &Connection, candidate: &Candidate, wrong: &str) -> Result<Option<Stored>> {
    let Some(row) = rows::by_id(connection, wrong)? else { return Ok(None) };
    let same_slot = candidate.kind == Kind::Semantic
        && row.record.scope == candidate.scope
        && row.record.key.as_ref() == Some(&candidate.key);
    Ok(if same_slot && can_withdraw(connection, &row)? { Some(row) } else { None })
}

/// Records a candidate that nothing speaks against.
pub(super) fn insert(connection: &Connection, request: &Request<'_>, id: &str) -> Result<()> {
    let candidate = request.candidate;
    let scope = rows::ensure_scope(connection, &candidate.scope)?;
    let semantic = candidate.kind == Kind::Semantic;
    let known = if semantic { timeline::known_until(connection, scope, &candidate.key)? } else { None };
    let now = request.now.unwrap_or_else(|| known.map_or(candidate.time, |known| known.max(candidate.time)));
    // A semantic row begins as an empty interval, which no rule sees, until it has its place.
    connection
        .prepare_cached(
            "INSERT INTO record (id, scope, key, value, evidence, kind, source, confidence, valid_from, valid_to,
             recorded_at, expires_at, status, read_mark) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
             CASE WHEN ?15 = '' THEN (SELECT coalesce(sum(reads), 0) FROM scope WHERE tenant = ?14)
             ELSE (SELECT reads FROM scope WHERE id = ?2) END)",
        )?
        .execute(params![
            id,
            scope,
            candidate.key,
            candidate.value,
            candidate.evidence,
            candidate.kind.name(),
            candidate.source.name(),
            candidate.confidence,
            candidate.time,
            semantic.then_some(candidate.time),
            now,
            candidate.expires_at(),
            if semantic { Status::Superseded.name() } else { Status::Active.name() },
            candidate.scope.tenant(),
            candidate.scope.user_column(),
        ])?;
    let seq = connection.last_insert_rowid();
    if semantic {
        if let Some(wrong) = request.corrects
            && let Some(row) = to_correct(connection, candidate, wrong)?
        {
            timeline::withdraw(connection, &row, Some(seq), now)?;
        }
        let (closed, end) = timeline::place(connection, scope, &candidate.key, candidate.time)?;
        if let Some(row) = closed {
            timeline::set_end(connection, row.seq, End { at: Some(candidate.time), cause: Some(seq) }, now)?;
        }
        timeline::set_end(connection, seq, end, now)?;
    } else {
        timeline::log(connection, seq, End { at: None, cause: None }, now, false)?;
    }
    for (place, parent) in request.parents.iter().enumerate() {
        connection
            .prepare_cached("INSERT INTO parent (child, parent, place) VALUES (?1, ?2, ?3)")?
            .execute(params![seq, parent, place])?;
    }
    if let Some(row) = rows::by_id(connection, id)? {
        index::add(connection, &row)?;
    }
    rows::drop_cache(connection, candidate.scope.tenant())
}
