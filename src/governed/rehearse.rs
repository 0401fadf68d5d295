//! "Forget me", rehearsed on copies: what a deletion reaches, what it leaves open, which derived record still answers, and what
//! closes it. The store itself is not changed.

use std::collections::{BTreeMap, VecDeque};

use rusqlite::params;
use serde::Serialize;

use super::error::Result;
use super::rows;
use super::{Artifact, Manifest, Query, Record, Scope, Status, Store};

/// A derived record that a deletion reaches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Derived {
    /// The record; without its text where it is not the subject's to read.
    pub record: Record,
    /// How many steps it is away from the subject's own rows; 1 rests on them directly.
    pub depth: usize,
    /// What it rests on.
    pub parents: Vec<String>,
}

/// What a deletion reaches, before anything is deleted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reached {
    /// The subject's own rows that are not derived.
    pub rows: Vec<Record>,
    /// Tokens under which the index lists them.
    pub postings: usize,
    /// Cached reads of the tenant.
    pub cached: usize,
    /// What of the subject waits for a review.
    pub waiting: usize,
    /// What rests on the rows, at every depth, and derived records that the subject owns; the nearest first.
    pub derived: Vec<Derived>,
}

/// A derived record that still answers a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StillAnswers {
    /// The record.
    pub id: String,
    /// Who asks.
    pub reader: String,
    /// The question.
    pub question: String,
    /// What it answers; nothing where that is not the subject's to read.
    pub value: Option<String>,
}

/// Which step of a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StageKind {
    /// The subject's own rows are deleted; what was derived from them is not followed.
    Rows,
    /// Then everything that rests on them is deleted, at every depth.
    Traversal,
    /// Instead: each derived record is judged, and removed, rebuilt or retained.
    Judgement,
}

/// The store after a step of a deletion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stage {
    /// Which step.
    pub kind: StageKind,
    /// What it deleted, and what is open after it.
    pub manifest: Manifest,
    /// The derived records that it judged.
    pub artifacts: Vec<Artifact>,
    /// Which of the derived records that the deletion reaches still answer.
    pub still: Vec<StillAnswers>,
}

/// A deletion, rehearsed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rehearsal {
    /// Whose.
    pub subject: String,
    /// What it reaches.
    pub reached: Reached,
    /// Its steps.
    pub stages: Vec<Stage>,
}

impl Store {
    /// Rehearses the deletion of a subject on copies in memory. Derived records are asked for by their own key, and by
    /// `question` where there is one.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn rehearse_deletion(&mut self, scope: &Scope, question: Option<&str>) -> Result<Rehearsal> {
        let reached = self.reached(scope)?;
        let now: i64 =
            self.connection.query_row("SELECT coalesce(max(recorded_at), 0) FROM record", [], |row| row.get(0))?;
        let snapshot = self.snapshot()?;
        let mut ids: Vec<String> = reached.derived.iter().map(|derived| derived.record.id.clone()).collect();
        let mut copy = snapshot.open()?;
        let manifest = copy.delete_subject(scope)?;
        let still = copy.still_answering(&ids, scope, question)?;
        let rows = Stage { kind: StageKind::Rows, manifest, artifacts: Vec::new(), still };
        let closed = copy.invalidate(Some(scope))?;
        let manifest = copy.manifest(scope, closed)?;
        let still = copy.still_answering(&ids, scope, question)?;
        let traversal = Stage { kind: StageKind::Traversal, manifest, artifacts: Vec::new(), still };
        let mut copy = snapshot.open()?;
        let judged = copy.delete_shared(scope, now)?;
        ids.extend(judged.artifacts.iter().filter_map(|artifact| artifact.replacement.clone()));
        let still = copy.still_answering(&ids, scope, question)?;
        let judgement =
            Stage { kind: StageKind::Judgement, manifest: judged.manifest, artifacts: judged.artifacts, still };
        Ok(Rehearsal { subject: scope.to_string(), reached, stages: vec![rows, traversal, judgement] })
    }

    /// What a deletion of a subject would reach.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn reached(&self, scope: &Scope) -> Result<Reached> {
        let view = self.connection.unchecked_transaction()?;
        let own = params![scope.tenant(), scope.user_column()];
        let count = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> Result<usize> {
            Ok(view.query_row(sql, values, |row| row.get(0))?)
        };
        let live = rows::select(&view, "s.tenant = ?1 AND s.user = ?2 AND r.status <> 'deleted'", own)?;
        let mut rows = Vec::new();
        let mut found: BTreeMap<String, Derived> = BTreeMap::new();
        let mut waiting: VecDeque<(String, usize)> = VecDeque::new();
        for row in live {
            let parents = self.parents(&row.record.id)?;
            if parents.is_empty() {
                waiting.push_back((row.record.id.clone(), 0));
                rows.push(row.record);
            }
        }
        // What the subject owns and is derived goes with it, whatever it rests on.
        let mut owned: VecDeque<String> = rows::ids(&rows::select(
            &view,
            "s.tenant = ?1 AND s.user = ?2 AND r.status <> 'deleted'
             AND EXISTS (SELECT 1 FROM parent q WHERE q.child = r.seq)",
            own,
        )?)
        .into();
        loop {
            while let Some((id, depth)) = waiting.pop_front() {
                for child in self.children(&id)? {
                    self.reach(&child, depth + 1, &mut found, &mut waiting)?;
                }
            }
            let Some(id) = owned.pop_front() else { break };
            self.reach(&id, 1, &mut found, &mut waiting)?;
        }
        let mut derived: Vec<Derived> = found.into_values().collect();
        for Derived { record, .. } in &mut derived {
            *record = record.clone().seen_by(scope);
        }
        derived.sort_by(|a, b| {
            let by_time = a.record.span.from.cmp(&b.record.span.from);
            a.depth.cmp(&b.depth).then(by_time).then_with(|| a.record.id.cmp(&b.record.id))
        });
        let raw = "NOT EXISTS (SELECT 1 FROM parent q WHERE q.child = p.record)";
        Ok(Reached {
            rows,
            postings: count(
                &format!(
                    "SELECT count(*) FROM posting p JOIN scope s ON s.id = p.scope
                     WHERE s.tenant = ?1 AND s.user = ?2 AND {raw}"
                ),
                &[&scope.tenant(), &scope.user_column()],
            )?,
            cached: count("SELECT count(*) FROM cache WHERE tenant = ?1", &[&scope.tenant()])?,
            waiting: count(
                "SELECT count(*) FROM review v JOIN scope s ON s.id = v.scope WHERE s.tenant = ?1 AND s.user = ?2",
                &[&scope.tenant(), &scope.user_column()],
            )?,
            derived,
        })
    }

    fn reach(
        &self,
        id: &str,
        depth: usize,
        found: &mut BTreeMap<String, Derived>,
        waiting: &mut VecDeque<(String, usize)>,
    ) -> Result<()> {
        if found.contains_key(id) {
            return Ok(());
        }
        let Some(record) = self.record(id)?.filter(|record| record.status != Status::Deleted) else { return Ok(()) };
        found.insert(id.to_owned(), Derived { record, depth, parents: self.parents(id)? });
        waiting.push_back((id.to_owned(), depth));
        Ok(())
    }

    /// Which of some derived records answer, asked by their owners: for their own key, and for a question.
    fn still_answering(&self, ids: &[String], subject: &Scope, question: Option<&str>) -> Result<Vec<StillAnswers>> {
        let mut still = Vec::new();
        for id in ids {
            let Some(record) = self.record(id)? else { continue };
            let readable = subject.reads(&record.scope);
            for asked in record.key.as_deref().into_iter().chain(question) {
                let reading = self.look(&Query::new(asked, record.scope.clone()))?;
                if let Some(answer) = reading.answer().filter(|answer| answer.record.id == record.id) {
                    still.push(StillAnswers {
                        id: record.id.clone(),
                        reader: record.scope.to_string(),
                        question: if readable { asked.to_owned() } else { "its own key".to_owned() },
                        value: answer.record.value.clone().filter(|_| readable),
                    });
                    break;
                }
            }
        }
        Ok(still)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::governed::scenario::tests::after;
    use crate::governed::{Judgement, TargetState};

    fn mina() -> Scope {
        Scope::new("acme", Some("mina".into())).unwrap()
    }

    #[test]
    fn a_rehearsal_shows_what_is_open_and_what_closes_it_and_changes_nothing() {
        let mut store = after("deletion of one of three contributors", 8);
        let before = store.records().unwrap();
        let rehearsal = store.rehearse_deletion(&mina(), Some("refund digest receipts")).unwrap();
        assert_eq!(store.records().unwrap(), before);
        assert!(store.audit(&mina()).unwrap().iter().all(|entry| entry.operation != "DELETE"));
        let reached = &rehearsal.reached;
        assert_eq!(reached.rows.len(), 2);
        assert!(reached.postings > 0);
        let depths: Vec<usize> = reached.derived.iter().map(|derived| derived.depth).collect();
        assert_eq!(depths, [1, 1, 1, 1]);
        let [rows, traversal, judgement] = rehearsal.stages.as_slice() else { panic!("{rehearsal:?}") };
        assert_eq!(rows.manifest.targets.primary_store, TargetState::Deleted);
        assert_eq!(rows.manifest.targets.derived_summaries, TargetState::Open);
        assert!(!rows.manifest.complete);
        let answering: Vec<&str> = rows.still.iter().map(|still| still.id.as_str()).collect();
        assert_eq!(answering, ["a03b631248c8", "e591a546a4a7", "eccff60cf811", "2529656dac66"]);
        assert!(traversal.manifest.complete && traversal.still.is_empty());
        assert_eq!(traversal.manifest.record_ids.len(), 4);
        assert!(judgement.manifest.complete);
        let decisions: Vec<Judgement> = judgement.artifacts.iter().map(|artifact| artifact.decision).collect();
        use Judgement::{Rebuilt, Removed, Retained};
        assert_eq!(decisions, [Removed, Retained, Rebuilt, Removed]);
        // What is rebuilt bears the time of the deletion in its id: in a rehearsal, the last time that the store knows.
        let rebuilt = judgement.artifacts.iter().find_map(|artifact| artifact.replacement.clone()).unwrap();
        assert_eq!(
            judgement.still.iter().map(|still| still.id.as_str()).collect::<Vec<_>>(),
            ["a03b631248c8", &*rebuilt]
        );
        let done = store.delete_shared(&mina(), 23).unwrap();
        assert_eq!((&judgement.manifest, &judgement.artifacts), (&done.manifest, &done.artifacts));
    }

    #[test]
    fn depths_count_from_the_subjects_own_rows() {
        let mut store = after("summaries of summaries", 7);
        let reached = store.rehearse_deletion(&mina(), None).unwrap().reached;
        let ids: Vec<(&str, usize)> =
            reached.derived.iter().map(|derived| (derived.record.id.as_str(), derived.depth)).collect();
        assert!(ids.contains(&("a79b8842fb0a", 1)), "{ids:?}");
        assert!(ids.iter().any(|(_, depth)| *depth == 2), "{ids:?}");
    }

    #[test]
    fn somebody_the_store_does_not_know_has_nothing_to_forget() {
        let mut store = Store::in_memory().unwrap();
        let rehearsal = store.rehearse_deletion(&mina(), None).unwrap();
        assert_eq!(rehearsal.reached.rows, []);
        assert!(rehearsal.stages.iter().all(|stage| stage.manifest.complete && stage.still.is_empty()));
    }
}
