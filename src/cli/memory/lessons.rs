//! Policies whose standing lessons are kept in the store: promoted by a trial, listed at any version, taken back.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::governed::curriculum::{Curricula, NamedCurriculum};
use crate::governed::{Attempt, Policy, PolicyVersion, Store};
use crate::report::Table;
use crate::source::Source;

use super::super::lessons::chosen;
use super::{Told, done, show, within};

#[derive(Args)]
pub(super) struct PolicyArgs {
    /// The policy's name
    #[arg(long, value_name = "NAME", default_value = "default")]
    policy: String,
}

#[derive(Subcommand)]
pub(super) enum LessonCommand {
    /// Print the standing lessons of a policy, or all that was promoted and taken back
    Lessons {
        #[command(flatten)]
        policy: PolicyArgs,
        /// The lessons that stood at this version
        #[arg(long, value_name = "NUMBER")]
        version: Option<i64>,
        /// Print the log instead
        #[arg(long, conflicts_with = "version")]
        log: bool,
    },
    /// Learn from the failures of a curriculum: a lesson that held-out cases confirm is promoted. Exit with code 1 when none is,
    /// though one was tried
    Promote {
        /// File of curricula, as `recallscope lessons` reads it; `-` reads standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Learn from this curriculum; the beginning of its name is enough [default: the only one of the file]
        #[arg(long, value_name = "NAME")]
        curriculum: Option<String>,
        #[command(flatten)]
        policy: PolicyArgs,
    },
    /// Take a standing lesson back
    Rollback {
        /// The version that promoted it, as `lessons` prints it
        version: i64,
        #[command(flatten)]
        policy: PolicyArgs,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
}

pub(super) fn run(command: LessonCommand, path: &Path, told: &Told) -> anyhow::Result<ExitCode> {
    match command {
        LessonCommand::Lessons { policy: PolicyArgs { policy }, version, log } => {
            within(path, false, |store| lessons(store, &policy, version, log, told))
        }
        LessonCommand::Promote { file, curriculum, policy: PolicyArgs { policy } } => {
            let read = Curricula::load(&Source::read(&file)?)?;
            let curriculum = chosen(&read, curriculum.as_deref())?;
            within(path, false, |store| promote(store, &policy, curriculum, told))
        }
        LessonCommand::Rollback { version, policy: PolicyArgs { policy }, reason } => {
            within(path, false, |store| rollback(store, &policy, version, &reason, told))
        }
    }
}

/// The entry that promoted each lesson which stands in a log.
fn standing(log: &[PolicyVersion]) -> Vec<&PolicyVersion> {
    let mut standing: Vec<&PolicyVersion> = Vec::new();
    for entry in log {
        if entry.promoted {
            standing.push(entry);
        } else {
            standing.retain(|known| known.lesson != entry.lesson);
        }
    }
    standing
}

fn lessons(store: &Store, policy: &str, version: Option<i64>, all: bool, told: &Told) -> anyhow::Result<ExitCode> {
    let mut log = store.policy_log(policy)?;
    if let Some(version) = version {
        if !log.iter().any(|entry| entry.version == version) {
            bail!("found no version {version} of the policy {policy:?}");
        }
        log.retain(|entry| entry.version <= version);
    }
    let shown: Vec<&PolicyVersion> = if all { log.iter().collect() } else { standing(&log) };
    let mut table = Table::new(["version", "decision", "keywords", "route", "report"]);
    for entry in &shown {
        let decision = if entry.promoted { "PROMOTE" } else { "ROLLBACK" };
        table.push([
            entry.version.to_string(),
            decision.to_owned(),
            entry.lesson.words(),
            entry.lesson.route.clone(),
            entry.report.clone(),
        ]);
    }
    show(&shown, &table, told.format)?;
    Ok(ExitCode::SUCCESS)
}

/// An attempt and the version that it made, as they are printed.
#[derive(Serialize)]
struct Tried {
    #[serde(flatten)]
    attempt: Attempt,
    report: String,
    version: Option<i64>,
}

/// Runs the curriculum on top of the lessons that stand already.
fn promote(store: &mut Store, name: &str, named: &NamedCurriculum, told: &Told) -> anyhow::Result<ExitCode> {
    let policy = Policy { lessons: store.lessons(name, None)?, ..named.policy.clone() };
    let run = named.curriculum.run(policy, named.episodes);
    let mut tried = Vec::with_capacity(run.log.len());
    for attempt in run.log {
        let report = attempt.trial.to_string();
        let version = attempt.promoted.then(|| store.promote(name, &attempt.lesson, &report)).transpose()?;
        tried.push(Tried { attempt, report, version });
    }
    let mut table = Table::new(["episode", "decision", "keywords", "route", "report", "version"]);
    for Tried { attempt, report, version } in &tried {
        table.push([
            attempt.episode.to_string(),
            attempt.decision().to_owned(),
            attempt.lesson.words(),
            attempt.lesson.route.clone(),
            report.clone(),
            version.map(|version| version.to_string()).unwrap_or_default(),
        ]);
    }
    show(&tried, &table, told.format)?;
    Ok(done(tried.is_empty() || tried.iter().any(|tried| tried.version.is_some())))
}

fn rollback(store: &mut Store, policy: &str, version: i64, reason: &str, told: &Told) -> anyhow::Result<ExitCode> {
    let log = store.policy_log(policy)?;
    let Some(entry) = standing(&log).into_iter().find(|entry| entry.version == version) else {
        bail!("found no standing lesson of version {version} in the policy {policy:?}");
    };
    let noted = store.roll_back(policy, &entry.lesson, reason)?;
    let mut table = Table::new(["version", "decision", "keywords", "route"]);
    table.push([noted.to_string(), "ROLLBACK".to_owned(), entry.lesson.words(), entry.lesson.route.clone()]);
    let lesson = entry.lesson.clone();
    let made = PolicyVersion { version: noted, promoted: false, lesson, report: reason.to_owned() };
    show(&made, &table, told.format)?;
    Ok(ExitCode::SUCCESS)
}
