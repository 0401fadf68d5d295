//! Remembering, correcting and asking, and what is kept: the records, the decisions, what waits for a person, the index.

use std::process::ExitCode;

use anyhow::bail;
use clap::Subcommand;
use serde::Serialize;

use crate::governed::{
    Candidate, Difference, Outcome, Query, Reading, Reason, Record, Resolution, ReviewItem, Scope, Source, Store, Turn,
    Written, quote,
};
use crate::report::{Format, Table};

use super::{FactArgs, Told, done, proposed, said, show, views};

/// What opens the store to write: reading too, as a read counts against decay.
#[derive(Subcommand)]
pub(super) enum KeepCommand {
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
    /// Withdraw a version that was wrong and that nothing replaces
    Withdraw {
        /// The id of the wrong version
        id: String,
    },
    /// Write a summary of verified episodes, and print what it rests on. Exit with code 1 when it is refused
    Consolidate {
        /// The summary's slot
        key: String,
        /// The summary
        value: String,
        /// The id of an episode; at least two
        #[arg(long = "episode", value_name = "ID", required = true)]
        episodes: Vec<String>,
        #[command(flatten)]
        fact: FactArgs,
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
        /// Leave no trace: do not count the read, which would keep the answer from decay
        #[arg(long)]
        temporary: bool,
    },
    /// Print every decision, with its reason
    Audit,
    /// Print what waits for a person, or decide about it
    Review {
        #[command(subcommand)]
        command: Option<ReviewCommand>,
    },
    /// Hold the index against one built anew. Exit with code 1 when they differ
    Verify {
        /// Build the index anew first
        #[arg(long)]
        rebuild: bool,
    },
    /// Build the index anew, and print what was wrong with it. Exit with code 1 when something still is
    Rebuild,
    /// Remember nothing until `resume`
    Pause,
    /// Remember again
    Resume,
}

#[derive(Subcommand)]
pub(super) enum ReviewCommand {
    /// Print what waits
    List,
    /// Approve its wording; the other bars of the gate still hold. Exit with code 1 when one of them refuses it
    Accept {
        /// Its number
        number: i64,
    },
    /// Drop it
    Refuse {
        /// Its number
        number: i64,
    },
}

impl KeepCommand {
    /// Whether it makes the store.
    pub(super) fn makes(&self) -> bool {
        matches!(self, Self::Remember { .. })
    }
}

pub(super) fn act(store: &mut Store, command: KeepCommand, told: &Told) -> anyhow::Result<ExitCode> {
    let Told { scope, now, format, .. } = told;
    let (now, format) = (*now, *format);
    match command {
        KeepCommand::Remember { key, value, fact } => {
            let candidate = proposed(scope, key, value, fact, now);
            let turn = store.turn(&candidate, Some(now))?;
            let id = matches!(turn, Turn::Decided(_)).then(|| candidate.id());
            said(&turn.to_string(), id, &candidate, format)
        }
        KeepCommand::Correct { id, value, fact } => {
            let Some(key) = held(store, scope, &id)?.key else { bail!("record {id:?} of {scope} has no key") };
            let candidate = proposed(scope, key, value, fact, now);
            let Written { id, reason, .. } = store.write(&candidate, Some(now), Some(&id))?;
            let words = if id.is_some() { "CORRECT".to_owned() } else { format!("REJECT: {reason}") };
            said(&words, id, &candidate, format)
        }
        KeepCommand::Withdraw { id } => withdraw(store, held(store, scope, &id)?, told),
        KeepCommand::Consolidate { key, value, episodes, fact } => {
            let source = Some(fact.source.unwrap_or(Source::VerifiedTool));
            let candidate = proposed(scope, key, value, FactArgs { source, ..fact }, now);
            consolidate(store, &episodes, &candidate, told)
        }
        KeepCommand::List => {
            let records = store.list(scope)?;
            show(&records, &listed(&records), format)?;
            Ok(ExitCode::SUCCESS)
        }
        KeepCommand::Ask { question, as_of, known_at, temporary } => {
            let query = |question| Query { as_of, now: Some(now), ..Query::new(question, scope.clone()) };
            let reading = match known_at {
                Some(known) => store.believed_at(&question, scope, known, as_of)?,
                None if temporary => store.look(&query(question))?,
                None => store.retrieve(&query(question))?,
            };
            answer(&reading, format)
        }
        KeepCommand::Audit => audit(store, told),
        KeepCommand::Review { command } => review(store, command.unwrap_or(ReviewCommand::List), told),
        KeepCommand::Verify { rebuild } => {
            if rebuild {
                store.rebuild_index()?;
            }
            let differences = store.verify_index()?;
            show(&differences, &problems(&differences), format)?;
            Ok(done(differences.is_empty()))
        }
        KeepCommand::Rebuild => {
            let mended = store.verify_index()?;
            store.rebuild_index()?;
            show(&mended, &problems(&mended), format)?;
            Ok(done(store.verify_index()?.is_empty()))
        }
        KeepCommand::Pause => Ok(store.pause(scope).map(|()| ExitCode::SUCCESS)?),
        KeepCommand::Resume => Ok(store.resume(scope).map(|()| ExitCode::SUCCESS)?),
    }
}

/// The record of a scope with an id.
fn held(store: &Store, scope: &Scope, id: &str) -> anyhow::Result<Record> {
    match store.list(scope)?.into_iter().find(|record| record.id == id) {
        Some(record) => Ok(record),
        None => bail!("found no record {id:?} of {scope}"),
    }
}

#[derive(Serialize)]
struct Decided<'a> {
    decision: String,
    id: Option<&'a str>,
}

fn decided(decision: String, id: Option<&str>, format: Format) -> anyhow::Result<()> {
    let mut table = Table::new(["decision", "id"]);
    table.push([decision.clone(), id.unwrap_or_default().to_owned()]);
    show(&Decided { decision, id }, &table, format)
}

fn withdraw(store: &mut Store, wrong: Record, told: &Told) -> anyhow::Result<ExitCode> {
    let reason = store.withdraw(&told.scope, &wrong.id, told.now)?;
    let withdrawn = reason == Reason::Accepted;
    let words = if withdrawn { "WITHDRAW".to_owned() } else { format!("REJECT: {reason}") };
    decided(words, withdrawn.then_some(wrong.id.as_str()), told.format)?;
    Ok(done(withdrawn))
}

/// A summary that was written is shown with what it rests on.
fn consolidate(store: &mut Store, episodes: &[String], summary: &Candidate, told: &Told) -> anyhow::Result<ExitCode> {
    let made = store.consolidate(episodes, summary, Some(told.now))?;
    let Some(id) = made.id else {
        return said(&format!("REJECT: {}", made.reason), None, summary, told.format);
    };
    match store.lineage(&id, &told.scope)? {
        Some(lineage) => views::lineage(&lineage, told.format),
        None => bail!("found no record {id:?} of {}", told.scope),
    }
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

fn audit(store: &Store, told: &Told) -> anyhow::Result<ExitCode> {
    let entries = store.audit(&told.scope)?;
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
    show(&entries, &table, told.format)?;
    Ok(ExitCode::SUCCESS)
}

/// What waits for a person, as it is printed.
#[derive(Serialize)]
struct Waiting {
    number: i64,
    at: i64,
    candidate: Candidate,
}

fn review(store: &mut Store, command: ReviewCommand, told: &Told) -> anyhow::Result<ExitCode> {
    let (number, resolution) = match command {
        ReviewCommand::List => {
            let items = store.review_queue(&told.scope)?;
            let waiting = |ReviewItem { seq, at, candidate }| Waiting { number: seq, at, candidate };
            let waiting: Vec<Waiting> = items.into_iter().map(waiting).collect();
            let mut table = Table::new(["number", "at", "key", "value", "source", "evidence"]);
            for Waiting { number, at, candidate } in &waiting {
                let Candidate { key, value, source, evidence, .. } = candidate;
                let (number, at) = (number.to_string(), at.to_string());
                table.push([number, at, key.clone(), value.clone(), source.name().to_owned(), evidence.clone()]);
            }
            show(&waiting, &table, told.format)?;
            return Ok(ExitCode::SUCCESS);
        }
        ReviewCommand::Accept { number } => (number, Resolution::Approve),
        ReviewCommand::Refuse { number } => (number, Resolution::Dismiss),
    };
    let Some(written) = store.resolve_review(&told.scope, number, resolution, told.now)? else {
        decided("DISMISS".to_owned(), None, told.format)?;
        return Ok(ExitCode::SUCCESS);
    };
    let words = if written.id.is_some() { "WRITE".to_owned() } else { format!("REJECT: {}", written.reason) };
    decided(words, written.id.as_deref(), told.format)?;
    Ok(done(written.id.is_some()))
}

fn problems(differences: &[Difference]) -> Table {
    let mut table = Table::new(["token", "record", "problem"]);
    for difference in differences {
        let problem = if difference.present { "should not be listed" } else { "is not listed" };
        table.push([difference.token.clone(), difference.id.clone(), problem.to_owned()]);
    }
    table
}
