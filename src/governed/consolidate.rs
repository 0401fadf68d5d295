//! Consolidation: verified episodes become a summary that remembers what it rests on.

use serde::Serialize;

use super::error::Result;
use super::rows::{self, Stored};
use super::write::{self, Request};
use super::{Candidate, Kind, Reason, Source, Status, Store, gate};

/// What came of a consolidation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consolidated {
    /// The summary; `None` if it was refused.
    pub id: Option<String>,
    /// Why.
    pub reason: Reason,
    /// The episodes that it rests on, each once, in the order given.
    pub parents: Vec<String>,
}

impl Store {
    /// Writes a summary of episodes, which become its parents. Every one of them must be an active episode of a verified tool
    /// in the summary's tenant, and shared, of the same user, or any where the summary is shared; and two must be distinct.
    /// One that does not qualify refuses the whole: a summary is as good as its weakest part.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn consolidate(
        &mut self,
        episodes: &[String],
        candidate: &Candidate,
        now: Option<i64>,
    ) -> Result<Consolidated> {
        let change = self.begin()?;
        let mut parents: Vec<Stored> = Vec::new();
        let mut sound = true;
        for id in episodes {
            if parents.iter().any(|known| known.record.id == *id) {
                continue;
            }
            match rows::by_id(&change, id)? {
                Some(row) if carries(&row, candidate, now.unwrap_or(candidate.time)) => parents.push(row),
                _ => sound = false,
            }
        }
        let verdict = match gate(candidate) {
            Reason::Accepted if !sound || parents.len() < 2 => Reason::WeakEvidence,
            verdict => verdict,
        };
        let seqs: Vec<i64> = parents.iter().map(|row| row.seq).collect();
        let request = Request {
            now,
            parents: &seqs,
            success: Reason::Consolidated,
            operation: "CONSOLIDATE",
            ..Request::new(candidate)
        };
        let written = write::admit(&change, &request, verdict)?;
        change.commit()?;
        let parents = if written.id.is_some() { rows::ids(&parents) } else { Vec::new() };
        Ok(Consolidated { id: written.id, reason: written.reason, parents })
    }
}

fn carries(row: &Stored, summary: &Candidate, now: i64) -> bool {
    let (episode, scope) = (&row.record, &summary.scope);
    let verified = episode.kind == Kind::Episodic && episode.source == Source::VerifiedTool;
    let live = episode.status == Status::Active && episode.expires_at.is_none_or(|horizon| now < horizon);
    let same_tenant = episode.scope.tenant() == scope.tenant();
    let owner = episode.scope.user();
    verified && live && same_tenant && (owner.is_none() || scope.user().is_none() || owner == scope.user())
}
