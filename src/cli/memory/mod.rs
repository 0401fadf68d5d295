//! A governed memory in a file, for people and scripts.

mod forget;
mod keep;
mod lessons;
mod tell;
mod views;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::governed::{Candidate, Kind, Scope, Source, Store};
use crate::report::{self, Format, Table};
use crate::text::displayable;

use super::commands::{GATE_FAILED, written};
use super::output::{self, complain, print};

#[derive(Args)]
pub(super) struct MemoryArgs {
    /// The memory's database; `remember` and `hear` make it
    #[arg(long, value_name = "FILE", global = true, default_value = "memory.sqlite")]
    store: PathBuf,
    /// Whose memory: the tenant [default: local]
    #[arg(long, value_name = "NAME", global = true)]
    tenant: Option<String>,
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
    /// user, verified_tool, model_inference or retrieved_document [default: user; of a summary: verified_tool]
    #[arg(long, value_parser = named::<Source>)]
    source: Option<Source>,
}

/// The tenant where none is named.
const TENANT: &str = "local";

#[derive(Subcommand)]
enum MemoryCommand {
    #[command(flatten)]
    Keep(keep::KeepCommand),
    #[command(flatten)]
    Tell(tell::TellCommand),
    #[command(flatten)]
    Forget(forget::ForgetCommand),
    #[command(flatten)]
    Lessons(lessons::LessonCommand),
    #[command(flatten)]
    View(views::ViewCommand),
}

/// What all commands are told.
struct Told {
    scope: Scope,
    /// Whether the command line names a tenant or a user.
    named: bool,
    now: i64,
    format: Format,
}

fn named<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::from(text)).map_err(|error| error.to_string())
}

pub(super) fn run(args: MemoryArgs) -> anyhow::Result<ExitCode> {
    let MemoryArgs { store: path, tenant, user, now, format, command } = args;
    let named = tenant.is_some() || user.is_some();
    let scope = Scope::new(tenant.unwrap_or_else(|| TENANT.to_owned()), user)?;
    let told = Told { scope, named, now: now.map_or_else(clock, Ok)?, format };
    match command {
        MemoryCommand::View(view) => views::run(&view, &path, &told.scope, format).with_context(|| shown(&path)),
        MemoryCommand::Keep(command) => within(&path, command.makes(), |store| keep::act(store, command, &told)),
        MemoryCommand::Forget(command) => {
            command.check(&told)?;
            within(&path, false, |store| forget::act(store, command, &told))
        }
        // These read another file first, so that a problem in it leaves no store behind.
        MemoryCommand::Tell(command) => tell::run(command, &path, &told),
        MemoryCommand::Lessons(command) => lessons::run(command, &path, &told),
    }
}

fn clock() -> anyhow::Result<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("the system's clock is before 1970")?;
    Ok(i64::try_from(since.as_secs())?)
}

fn shown(path: &Path) -> String {
    displayable(&path.display().to_string()).into_owned()
}

/// Does something with the store; what goes wrong names its file. Only what is told something new makes one: a mistyped name
/// would otherwise look like an empty memory.
fn within<T>(path: &Path, make: bool, act: impl FnOnce(&mut Store) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let open = || {
        if !make && !path.exists() {
            bail!("there is no such file; `memory remember` makes one");
        }
        act(&mut Store::open(path)?)
    };
    open().with_context(|| shown(path))
}

fn done(complete: bool) -> ExitCode {
    if complete { ExitCode::SUCCESS } else { ExitCode::from(GATE_FAILED) }
}

fn proposed(scope: &Scope, key: String, value: String, fact: FactArgs, now: i64) -> Candidate {
    let FactArgs { evidence, time, confidence, ttl, kind, source } = fact;
    let (time, source) = (time.unwrap_or(now), source.unwrap_or(Source::User));
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

fn show<T: Serialize + ?Sized>(value: &T, table: &Table, format: Format) -> anyhow::Result<()> {
    print(&if format == Format::Json { report::json(&value)? } else { written(table, format) })
}
