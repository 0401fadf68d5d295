//! A governed memory in a file, for people and scripts.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::governed::{
    Candidate, Kind, Outcome, Query, Reading, Record, Scope, SharedManifest, Source, Store, Turn, Written, quote,
};
use crate::report::{self, Format, Table};
use crate::text::displayable;

use super::commands::{GATE_FAILED, written};
use super::memory_views::{self, ViewCommand};
use super::output::{complain, print};

#[derive(Args)]
pub(super) struct MemoryArgs {
    /// The memory's database; `remember` makes it
    #[arg(long, value_name = "FILE", global = true, default_value = "memory.sqlite")]
    store: PathBuf,
    /// Whose memory: the tenant
    #[arg(long, value_name = "NAME", global = true, default_value = "local")]
    tenant: String,
    /// The user; without one, what everybody in the tenant shares
    #[arg(long, value_name = "NAME", global = true)]
    user: Option<String>,
    /// The present, in the unit of all your times [default: seconds since 1970]
    #[arg(long, value_name = "TIME", global = true, allow_negative_numbers = true)]
    now: Option<i64>,
    /// How to print the result
    #[arg(long, global = true, default_value = "table")]
    format: Format,
    #[command(subcommand)]
    command: MemoryCommand,
}

#[derive(Args)]
struct FactArgs {
    /// Where it comes from; the same evidence is recorded once
    #[arg(long, value_name = "NAME")]
    evidence: String,
    /// When it began to be true [default: now]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    time: Option<i64>,
    /// How sure the source is, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    confidence: f64,
    /// How long it may be read
    #[arg(long, value_name = "TIME")]
    ttl: Option<i64>,
    /// semantic, episodic, procedural or working
    #[arg(long, default_value = "semantic", value_parser = named::<Kind>)]
    kind: Kind,
    /// user, verified_tool, model_inference or retrieved_document
    #[arg(long, default_value = "user", value_parser = named::<Source>)]
    source: Source,
}

#[derive(Subcommand)]
enum MemoryCommand {
    #[command(flatten)]
    Keep(KeepCommand),
    #[command(flatten)]
    View(ViewCommand),
}

/// What opens the store to write: reading too, as a read counts against decay.
#[derive(Subcommand)]
enum KeepCommand {
    /// Propose a fact; the gate decides. Exit with code 1 when it refuses
    Remember {
        /// The slot, such as "home city"
        key: String,
        /// What the slot holds
        value: String,
        #[command(flatten)]
        fact: FactArgs,
    },
    /// Withdraw a version that was wrong, and put the right value in its place
    Correct {
        /// The id of the wrong version
        id: String,
        /// The right value
        value: String,
        #[command(flatten)]
        fact: FactArgs,
    },
    /// Delete every version of a slot
    Forget {
        /// The slot
        key: String,
    },
    /// Print what is remembered
    List,
    /// Answer a question, or say why there is no answer
    Ask {
        /// The question
        question: String,
        /// The time that is asked about [default: now]
        #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
        as_of: Option<i64>,
        /// Answer as one would have at this time, from what was known then
        #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
        known_at: Option<i64>,
    },
    /// Print every decision, with its reason
    Audit,
    /// Delete everything of the user, and judge what was derived from it. Exit with code 1 while something is open
    Delete,
    /// Hold the index against one built anew. Exit with code 1 when they differ
    Verify {
        /// Build the index anew first
        #[arg(long)]
        rebuild: bool,
    },
    /// Remember nothing until `resume`
    Pause,
    /// Remember again
    Resume,
}

fn named<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::from(text)).map_err(|error| error.to_string())
}

pub(super) fn run(args: MemoryArgs) -> anyhow::Result<ExitCode> {
    let MemoryArgs { store: path, tenant, user, now, format, command } = args;
    let scope = Scope::new(tenant, user)?;
    let now = now.map_or_else(clock, Ok)?;
    let file = displayable(&path.display().to_string()).into_owned();
    match command {
        MemoryCommand::View(view) => memory_views::run(&view, &path, &scope, format),
        MemoryCommand::Keep(command) => open(&path, matches!(command, KeepCommand::Remember { .. }))
            .and_then(|mut store| act(&mut store, command, &scope, now, format)),
    }
    .with_context(|| file)
}

fn clock() -> anyhow::Result<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("the system's clock is before 1970")?;
    Ok(i64::try_from(since.as_secs())?)
}

/// Opens the store. Only `remember` makes one: a mistyped name would otherwise look like an empty memory.
fn open(path: &Path, make: bool) -> anyhow::Result<Store> {
    if !make && !path.exists() {
        bail!("there is no such file; `memory remember` makes one");
    }
    Ok(Store::open(path)?)
}

fn act(store: &mut Store, command: KeepCommand, scope: &Scope, now: i64, format: Format) -> anyhow::Result<ExitCode> {
    match command {
        KeepCommand::Remember { key, value, fact } => {
            let candidate = proposed(scope, key, value, fact, now);
            let turn = store.turn(&candidate, Some(now))?;
            let id = matches!(turn, Turn::Decided(_)).then(|| candidate.id());
            said(&turn.to_string(), id, &candidate, format)
        }
        KeepCommand::Correct { id, value, fact } => {
            let wrong = store.list(scope)?.into_iter().find(|record| record.id == id);
            let Some(key) = wrong.and_then(|record| record.key) else { bail!("found no record {id:?} of {scope}") };
            let candidate = proposed(scope, key, value, fact, now);
            let Written { id, reason, .. } = store.write(&candidate, Some(now), Some(&id))?;
            let words = if id.is_some() { "CORRECT".to_owned() } else { format!("REJECT: {reason}") };
            said(&words, id, &candidate, format)
        }
        KeepCommand::Forget { key } => {
            let forgotten = store.forget(scope, &key)?;
            let mut table = Table::new(["id", "state"]);
            forgotten.ids.iter().for_each(|id| table.push([id.clone(), "deleted".to_owned()]));
            forgotten.open.iter().for_each(|id| table.push([id.clone(), "OPEN: rests on what was deleted".to_owned()]));
            show(&forgotten, &table, format)?;
            Ok(done(forgotten.scrubbed && forgotten.open.is_empty()))
        }
        KeepCommand::List => {
            let records = store.list(scope)?;
            show(&records, &listed(&records), format)?;
            Ok(ExitCode::SUCCESS)
        }
        KeepCommand::Ask { question, as_of, known_at } => {
            let reading = match known_at {
                Some(known) => store.believed_at(&question, scope, known, as_of)?,
                None => store.retrieve(&Query { as_of, now: Some(now), ..Query::new(question, scope.clone()) })?,
            };
            answer(&reading, format)
        }
        KeepCommand::Audit => {
            let entries = store.audit(scope)?;
            let mut table = Table::new(["seq", "at", "operation", "record", "source", "reason"]);
            for entry in &entries {
                table.push([
                    entry.seq.to_string(),
                    entry.at.map(|at| at.to_string()).unwrap_or_default(),
                    entry.operation.clone(),
                    entry.record.clone().unwrap_or_default(),
                    entry.source.clone().unwrap_or_default(),
                    entry.reason.clone(),
                ]);
            }
            show(&entries, &table, format)?;
            Ok(ExitCode::SUCCESS)
        }
        KeepCommand::Delete => {
            let made = store.delete_shared(scope, now)?;
            made.manifest.exceptions.iter().for_each(|exception| complain(&format!("open: {exception}")));
            show(&made, &manifest(&made), format)?;
            Ok(done(made.manifest.complete))
        }
        KeepCommand::Verify { rebuild } => {
            if rebuild {
                store.rebuild_index()?;
            }
            let differences = store.verify_index()?;
            let mut table = Table::new(["token", "record", "problem"]);
            for difference in &differences {
                let problem = if difference.present { "should not be listed" } else { "is not listed" };
                table.push([difference.token.clone(), difference.id.clone(), problem.to_owned()]);
            }
            show(&differences, &table, format)?;
            Ok(done(differences.is_empty()))
        }
        KeepCommand::Pause => Ok(store.pause(scope).map(|()| ExitCode::SUCCESS)?),
        KeepCommand::Resume => Ok(store.resume(scope).map(|()| ExitCode::SUCCESS)?),
    }
}

fn done(complete: bool) -> ExitCode {
    if complete { ExitCode::SUCCESS } else { ExitCode::from(GATE_FAILED) }
}

fn proposed(scope: &Scope, key: String, value: String, fact: FactArgs, now: i64) -> Candidate {
    let FactArgs { evidence, time, confidence, ttl, kind, source } = fact;
    let time = time.unwrap_or(now);
    Candidate { key, value, scope: scope.clone(), evidence, time, kind, source, confidence, ttl }
}

#[derive(Serialize)]
struct Said<'a> {
    decision: &'a str,
    id: Option<String>,
}

fn said(decision: &str, id: Option<String>, candidate: &Candidate, format: Format) -> anyhow::Result<ExitCode> {
    let written = id.is_some();
    if written && candidate.asks_horizon() {
        complain("hint: a working note or a model's guess stays until it is forgotten; give it a --ttl");
    }
    let mut table = Table::new(["decision", "id"]);
    table.push([decision.to_owned(), id.clone().unwrap_or_default()]);
    show(&Said { decision, id }, &table, format)?;
    Ok(done(written))
}

fn listed(records: &[Record]) -> Table {
    let mut table = Table::new(["id", "key", "value", "status", "from", "to", "recorded", "source"]);
    for record in records {
        table.push([
            record.id.clone(),
            record.key.clone().unwrap_or_default(),
            record.value.clone().unwrap_or_default(),
            record.status.name().to_owned(),
            record.span.from.to_string(),
            record.span.to.map(|to| to.to_string()).unwrap_or_default(),
            record.recorded_at.to_string(),
            record.source.name().to_owned(),
        ]);
    }
    table
}

/// The answer as quoted evidence; an abstention is an answer too, with its reason.
fn answer(reading: &Reading, format: Format) -> anyhow::Result<ExitCode> {
    let mut table = Table::new(["answer", "score", "evidence"]);
    match &reading.outcome {
        Outcome::Answered(answer) => {
            let value = answer.record.value.clone().unwrap_or_default();
            table.push([value, answer.score.to_string(), quote(&answer.record)]);
        }
        Outcome::Abstained(reason) => table.push([String::new(), String::new(), format!("no answer: {reason}")]),
    }
    show(reading, &table, format)?;
    Ok(ExitCode::SUCCESS)
}

fn manifest(made: &SharedManifest) -> Table {
    let mut table = Table::new(["record", "decision", "basis", "replacement"]);
    for id in &made.manifest.record_ids {
        table.push([id.clone(), "deleted".to_owned(), "owned by the deleted subject".to_owned(), String::new()]);
    }
    for artifact in &made.artifacts {
        table.push([
            artifact.artifact.clone(),
            format!("{:?}", artifact.decision).to_lowercase(),
            artifact.basis.to_owned(),
            artifact.replacement.clone().unwrap_or_default(),
        ]);
    }
    table
}

fn show<T: Serialize + ?Sized>(value: &T, table: &Table, format: Format) -> anyhow::Result<()> {
    print(&if format == Format::Json { report::json(&value)? } else { written(table, format) })
}
