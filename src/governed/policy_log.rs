//! Lessons that last: promotions and rollbacks are a log in the store, so every version of a policy can be looked at again.

use std::collections::BTreeSet;

use rusqlite::params;
use serde::Serialize;

use super::error::Result;
use super::{GovernedError, Lesson, Store};

/// An entry of a policy's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolicyVersion {
    /// Its number; versions of other policies are numbered in the same sequence.
    pub version: i64,
    /// Whether the lesson was promoted; else it was rolled back.
    pub promoted: bool,
    /// The lesson.
    pub lesson: Lesson,
    /// The report of the trial, or the reason of the rollback.
    pub report: String,
}

impl Store {
    /// Notes that a lesson was promoted. Returns the new version.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn promote(&mut self, policy: &str, lesson: &Lesson, report: &str) -> Result<i64> {
        self.note_version(policy, "PROMOTE", lesson, report)
    }

    /// Notes that a lesson was taken back. Returns the new version.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn roll_back(&mut self, policy: &str, lesson: &Lesson, reason: &str) -> Result<i64> {
        self.note_version(policy, "ROLLBACK", lesson, reason)
    }

    fn note_version(&mut self, policy: &str, operation: &str, lesson: &Lesson, report: &str) -> Result<i64> {
        let keywords = serde_json::Value::from_iter(lesson.keywords.iter().map(String::as_str)).to_string();
        let change = self.begin()?;
        change.execute(
            "INSERT INTO lesson (policy, operation, keywords, route, report) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![policy, operation, keywords, lesson.route, report],
        )?;
        let version = change.last_insert_rowid();
        change.commit()?;
        Ok(version)
    }

    /// The log of a policy, the oldest entry first.
    ///
    /// # Errors
    /// If SQLite refuses or a stored lesson cannot be read.
    pub fn policy_log(&self, policy: &str) -> Result<Vec<PolicyVersion>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT seq, operation, keywords, route, report FROM lesson WHERE policy = ?1 ORDER BY seq",
        )?;
        let mut rows = statement.query([policy])?;
        let mut log = Vec::new();
        while let Some(row) = rows.next()? {
            let keywords: String = row.get(2)?;
            let damaged = |_| GovernedError::Damaged { found: format!("{keywords:?}"), expected: "a list of keywords" };
            let keywords: BTreeSet<String> = serde_json::from_str(&keywords).map_err(damaged)?;
            log.push(PolicyVersion {
                version: row.get(0)?,
                promoted: row.get::<_, String>(1)? == "PROMOTE",
                lesson: Lesson { keywords, route: row.get(3)? },
                report: row.get(4)?,
            });
        }
        Ok(log)
    }

    /// The lessons of a policy, in the order of their promotion; at an earlier version, if one is named.
    ///
    /// # Errors
    /// If SQLite refuses or a stored lesson cannot be read.
    pub fn lessons(&self, policy: &str, version: Option<i64>) -> Result<Vec<Lesson>> {
        let mut lessons: Vec<Lesson> = Vec::new();
        for entry in self.policy_log(policy)? {
            if version.is_some_and(|version| entry.version > version) {
                break;
            }
            if entry.promoted {
                lessons.push(entry.lesson);
            } else {
                lessons.retain(|known| *known != entry.lesson);
            }
        }
        Ok(lessons)
    }
}
