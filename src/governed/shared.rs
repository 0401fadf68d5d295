//! Deleting one of several contributors: each artifact that rests on the subject's records is removed, rebuilt from what
//! survives, or retained, and the manifest says why.
//!
//! Where the rule is silent: a retired (expired) parent does not survive, since rebuilding from it would bring back what was
//! to be forgotten. Shared rows count as one contributor together. A superseded artifact is not rebuilt, or its old value
//! would become current. Where a parent's text was deleted earlier, nothing shows that the artifact holds none of it, so it
//! is treated as holding some.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, params};
use serde::Serialize;

use super::delete::{delete_primary, erase, note_deletion};
use super::error::Result;
use super::rows::{self, Stored};
use super::write::{self, Request};
use super::{Candidate, Kind, Manifest, Scope, Source, Status, Store, audit, index};

/// What becomes of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judgement {
    /// It is deleted.
    Removed,
    /// It is deleted, and another one is made of the surviving parents.
    Rebuilt,
    /// It stays, resting on the surviving parents.
    Retained,
}

/// The judgement of one artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Artifact {
    /// Its id.
    pub artifact: String,
    /// What becomes of it.
    pub decision: Judgement,
    /// Why.
    pub basis: &'static str,
    /// The parents that survive.
    pub surviving_parents: Vec<String>,
    /// How many owners contributed to them.
    pub contributors: usize,
    /// How many of its tokens only its deleted parents carry; 0 for one that is removed.
    pub details: usize,
    /// What it was rebuilt as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
}

/// A manifest with the judgement of each artifact, by id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedManifest {
    /// What was deleted and what is open.
    #[serde(flatten)]
    pub manifest: Manifest,
    /// The artifacts.
    pub artifacts: Vec<Artifact>,
}

const OWNED: &str = "owned by the deleted subject";
const FEW_PARENTS: &str = "fewer than two surviving verified parents";
const FEW_CONTRIBUTORS: &str = "fewer than two surviving contributors";
const NOT_CURRENT: &str = "no longer current, so not worth rebuilding";
const DETAILS: &str = "holds details of the deleted subject";
const UNPROVEN: &str = "cannot be shown to hold no detail of the deleted subject";
const NOT_GENERIC: &str = "no procedure, so rebuilt from the surviving parents";
const GENERIC: &str = "generic procedure without a detail of the deleted subject";

impl Store {
    /// Deletes a subject at `now` and judges each artifact that rests on its records or that it owns.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn delete_shared(&mut self, scope: &Scope, now: i64) -> Result<SharedManifest> {
        let change = self.begin()?;
        let judged = Judging::prepare(&change, scope)?;
        let doomed = delete_primary(&change, scope)?;
        let mut artifacts = judged.all(&change, scope, now)?;
        artifacts.sort_by(|a, b| a.artifact.cmp(&b.artifact));
        change.commit()?;
        Ok(SharedManifest { manifest: self.manifest(scope, rows::ids(&doomed))?, artifacts })
    }
}

/// A parent of an artifact, with its text before and after the deletion.
#[derive(Debug, Clone)]
struct Parent {
    /// Tokens of what is gone; empty if its text went earlier.
    gone: BTreeSet<String>,
    /// Whether something is gone whose text cannot be looked at any more.
    unknown: bool,
    /// What survives: itself, or its replacement.
    survivor: Option<Stored>,
    contributors: BTreeSet<Scope>,
}

struct Judging {
    /// The artifacts, parents before children.
    artifacts: Vec<Stored>,
    /// What became of the rows that were looked at.
    fates: BTreeMap<i64, Parent>,
    parents: BTreeMap<i64, Vec<i64>>,
}

impl Judging {
    /// Reads artifacts and parents while their text is still there.
    fn prepare(connection: &Connection, scope: &Scope) -> Result<Self> {
        let subject = rows::ensure_scope(connection, scope)?;
        let artifacts = rows::select(
            connection,
            "r.status <> 'deleted' AND EXISTS (SELECT 1 FROM parent q WHERE q.child = r.seq) AND (r.scope = ?1 OR r.seq IN (
                WITH RECURSIVE down (seq) AS (SELECT p.child FROM parent p JOIN record o ON o.seq = p.parent WHERE o.scope = ?1
                UNION SELECT p.child FROM parent p JOIN down ON p.parent = down.seq) SELECT seq FROM down))",
            [subject],
        )?;
        let mut judging = Self { artifacts: Vec::new(), fates: BTreeMap::new(), parents: BTreeMap::new() };
        let judged: BTreeSet<i64> = artifacts.iter().map(|row| row.seq).collect();
        for row in &artifacts {
            let parents = parents_of(connection, row.seq)?;
            for parent in parents.iter().filter(|parent| !judged.contains(&parent.seq)) {
                let fate = untouched(connection, parent, scope)?;
                judging.fates.insert(parent.seq, fate);
            }
            judging.parents.insert(row.seq, parents.iter().map(|parent| parent.seq).collect());
        }
        judging.artifacts = ordered(artifacts, &judging.parents);
        Ok(judging)
    }

    fn all(mut self, connection: &Connection, scope: &Scope, now: i64) -> Result<Vec<Artifact>> {
        let mut judged = Vec::new();
        for row in std::mem::take(&mut self.artifacts) {
            let artifact = self.judge(&row, scope, now);
            let (artifact, fate) = self.carry_out(connection, &row, artifact, now)?;
            self.fates.insert(row.seq, fate);
            judged.push(artifact);
        }
        Ok(judged)
    }

    fn parents(&self, seq: i64) -> impl Iterator<Item = &Parent> {
        self.parents.get(&seq).into_iter().flatten().filter_map(|parent| self.fates.get(parent))
    }

    fn judge(&self, row: &Stored, scope: &Scope, now: i64) -> Artifact {
        let survivors: Vec<&Stored> = self.parents(row.seq).filter_map(|parent| parent.survivor.as_ref()).collect();
        let contributors: BTreeSet<&Scope> = self.parents(row.seq).flat_map(|parent| &parent.contributors).collect();
        let kept: BTreeSet<String> = survivors.iter().flat_map(|survivor| index::text_tokens(survivor)).collect();
        let gone: BTreeSet<&String> =
            self.parents(row.seq).flat_map(|parent| &parent.gone).filter(|token| !kept.contains(*token)).collect();
        let details = index::text_tokens(row).iter().filter(|token| gone.contains(token)).count();
        let unknown = self.parents(row.seq).any(|parent| parent.unknown);
        let current = row.record.status == Status::Active && row.record.expires_at.is_none_or(|horizon| now < horizon);
        let (decision, basis) = if row.record.scope == *scope {
            (Judgement::Removed, OWNED)
        } else if survivors.len() < 2 {
            (Judgement::Removed, FEW_PARENTS)
        } else if contributors.len() < 2 {
            (Judgement::Removed, FEW_CONTRIBUTORS)
        } else if details == 0 && !unknown && row.record.kind == Kind::Procedural {
            (Judgement::Retained, GENERIC)
        } else if !current {
            (Judgement::Removed, NOT_CURRENT)
        } else if details > 0 {
            (Judgement::Rebuilt, DETAILS)
        } else if unknown {
            (Judgement::Rebuilt, UNPROVEN)
        } else {
            (Judgement::Rebuilt, NOT_GENERIC)
        };
        Artifact {
            artifact: row.record.id.clone(),
            decision,
            basis,
            surviving_parents: survivors.iter().map(|survivor| survivor.record.id.clone()).collect(),
            contributors: contributors.len(),
            details: if decision == Judgement::Removed { 0 } else { details },
            replacement: None,
        }
    }

    fn carry_out(
        &self,
        connection: &Connection,
        row: &Stored,
        mut artifact: Artifact,
        now: i64,
    ) -> Result<(Artifact, Parent)> {
        let survivors: Vec<Stored> = self.parents(row.seq).filter_map(|parent| parent.survivor.clone()).collect();
        let contributors = self.parents(row.seq).flat_map(|parent| parent.contributors.clone()).collect();
        let mut fate = Parent { gone: BTreeSet::new(), unknown: false, survivor: None, contributors };
        if artifact.decision == Judgement::Retained {
            // The edge to a retired parent stays: when its owner is deleted, that deletion has to reach this row.
            let gone =
                "DELETE FROM parent WHERE child = ?1 AND parent IN (SELECT seq FROM record WHERE status = 'deleted')";
            connection.execute(gone, [row.seq])?;
            for (place, survivor) in survivors.iter().enumerate() {
                let values = params![row.seq, survivor.seq, place];
                connection
                    .execute("INSERT OR IGNORE INTO parent (child, parent, place) VALUES (?1, ?2, ?3)", values)?;
            }
            let words = ("RETAIN", artifact.basis);
            audit::note(connection, Some(now), &row.record.scope, Some(&row.record.id), None, words)?;
            fate.survivor = (row.record.status != Status::Expired).then(|| row.clone());
            return Ok((artifact, fate));
        }
        fate.gone = index::text_tokens(row);
        erase(connection, std::slice::from_ref(row), artifact.basis)?;
        note_deletion(connection, None, std::slice::from_ref(row))?;
        if artifact.decision == Judgement::Rebuilt {
            let replacement = rebuilt(row, &survivors, now);
            let seqs: Vec<i64> = survivors.iter().map(|survivor| survivor.seq).collect();
            let request = Request { parents: &seqs, operation: "REBUILD", ..Request::new(&replacement) };
            let id = replacement.id();
            write::insert(connection, &request, &id)?;
            let words = ("REBUILD", artifact.basis);
            audit::note(connection, Some(now), &replacement.scope, Some(&id), Some(replacement.source), words)?;
            fate.survivor = rows::by_id(connection, &id)?;
            artifact.replacement = Some(id);
        } else {
            fate.contributors = BTreeSet::new();
        }
        Ok((artifact, fate))
    }
}

/// The artifact as the surviving parents alone carry it.
fn rebuilt(row: &Stored, survivors: &[Stored], now: i64) -> Candidate {
    let values: Vec<&str> = survivors.iter().filter_map(|survivor| survivor.record.value.as_deref()).collect();
    Candidate {
        key: row.record.key.clone().unwrap_or_default(),
        value: values.join("; "),
        scope: row.record.scope.clone(),
        evidence: format!("rebuild:{}", row.record.id),
        time: now,
        kind: row.record.kind,
        source: row.record.source,
        confidence: survivors.iter().map(|survivor| survivor.record.confidence).fold(1.0, f64::min),
        ttl: row.record.expires_at.map(|horizon| horizon.saturating_sub(now)),
    }
}

/// The parents of a row, in the order in which they were given.
fn parents_of(connection: &Connection, seq: i64) -> Result<Vec<Stored>> {
    let mut statement = connection.prepare_cached(
        "SELECT o.id FROM parent p JOIN record o ON o.seq = p.parent WHERE p.child = ?1 ORDER BY p.place",
    )?;
    let ids = statement.query_map([seq], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let mut parents = Vec::new();
    for id in ids {
        parents.extend(rows::by_id(connection, &id)?);
    }
    Ok(parents)
}

/// The fate of a parent that is no artifact of this deletion.
fn untouched(connection: &Connection, row: &Stored, subject: &Scope) -> Result<Parent> {
    let readable = matches!(row.record.status, Status::Active | Status::Superseded);
    let verified = row.record.source == Source::VerifiedTool;
    if readable && verified && row.record.scope != *subject {
        let contributors = owners(connection, row)?;
        return Ok(Parent { gone: BTreeSet::new(), unknown: false, survivor: Some(row.clone()), contributors });
    }
    let unknown = row.record.status == Status::Deleted;
    let gone = if row.record.scope == *subject || unknown { index::text_tokens(row) } else { BTreeSet::new() };
    Ok(Parent { gone, unknown, survivor: None, contributors: BTreeSet::new() })
}

/// Whose records a row rests on in the end.
fn owners(connection: &Connection, row: &Stored) -> Result<BTreeSet<Scope>> {
    let roots = rows::select(
        connection,
        "r.status <> 'deleted' AND NOT EXISTS (SELECT 1 FROM parent q WHERE q.child = r.seq) AND r.seq IN (
            WITH RECURSIVE up (seq) AS (SELECT ?1 UNION SELECT p.parent FROM parent p JOIN up ON p.child = up.seq)
            SELECT seq FROM up)",
        [row.seq],
    )?;
    Ok(roots.into_iter().map(|root| root.record.scope).collect())
}

/// Artifacts with parents before children. A rebuilt parent is younger than its children, so the order of writing is no help.
fn ordered(mut waiting: Vec<Stored>, parents: &BTreeMap<i64, Vec<i64>>) -> Vec<Stored> {
    let mut done = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let open: BTreeSet<i64> = waiting.iter().map(|row| row.seq).collect();
        let blocked =
            |row: &Stored| parents.get(&row.seq).is_some_and(|above| above.iter().any(|parent| open.contains(parent)));
        let (later, ready): (Vec<_>, Vec<_>) = waiting.into_iter().partition(blocked);
        // Lineage has no circle; if a damaged database has one, its rows are judged in the order of the records.
        let stuck = ready.is_empty();
        done.extend(ready);
        waiting = later;
        if stuck {
            done.append(&mut waiting);
        }
    }
    done
}
