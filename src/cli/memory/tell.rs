//! Telling a memory many things at once: the events of a case file, what a person says, the edits of a model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde::Serialize;

use crate::case::{CaseSet, Event};
use crate::governed::{Agent, Clock, Edit, Heard, Refusal, Store, ToolCall, Turn, edits};
use crate::open::{self, Inputs};
use crate::report::{Format, Table};
use crate::source;

use super::output::{complain, warn};
use super::{Told, done, show, within};
use crate::cli::CasesArg;

/// Users of a case file that an error names.
const NAMED: usize = 12;

#[derive(Subcommand)]
pub(super) enum TellCommand {
    /// Tell the memory the events of --user in a case file, from the first one on. Exit with code 1 when one is refused
    Hear {
        #[command(flatten)]
        source: CasesArg,
    },
    /// Listen to what the user says, and do what its words ask: remember, replace, forget. Exit with code 1 when it is refused
    Observe {
        /// The words
        text: String,
        /// When they were said [default: now]
        #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
        time: Option<i64>,
        /// Keep nothing of it
        #[arg(long)]
        temporary: bool,
    },
    /// Apply the `operations` of a model's JSON as proposals of that model. Exit with code 1 when one is refused
    Apply {
        /// The model's answer; `-` reads standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Where it comes from; the same evidence is recorded once
        #[arg(long, value_name = "NAME")]
        evidence: String,
        /// When it began to be true [default: now]
        #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
        time: Option<i64>,
        /// Keep nothing of it
        #[arg(long)]
        temporary: bool,
    },
}

pub(super) fn run(command: TellCommand, path: &Path, told: &Told) -> anyhow::Result<ExitCode> {
    let agent = |temporary| Agent::new(told.scope.clone(), temporary);
    match command {
        TellCommand::Hear { source } => {
            let cases = open::load_cases(&Inputs::from(source))?;
            warn(&cases.warnings);
            let events = events_of(&cases, told)?;
            within(path, true, |store| hear(store, &events, told))
        }
        TellCommand::Observe { text, time, temporary } => within(path, false, |store| {
            let calls = agent(temporary).observe(store, &text, time.unwrap_or(told.now))?;
            if calls.is_empty() {
                complain("hint: nothing in these words asks to remember or to forget");
            }
            called(calls.into_iter().map(Ok).collect(), told.format)
        }),
        TellCommand::Apply { file, evidence, time, temporary } => {
            let text = source::Source::read(&file)?;
            let proposed = edits(text.text()).with_context(|| text.name().to_owned())?;
            let time = time.unwrap_or(told.now);
            within(path, false, |store| apply(store, agent(temporary), proposed, (&evidence, time), told.format))
        }
    }
}

/// All events of the user, over all of the user's conversations.
fn events_of(cases: &CaseSet, told: &Told) -> anyhow::Result<Vec<Event>> {
    let mut users: Vec<&str> = Vec::new();
    for conversation in &cases.conversations {
        if !users.contains(&conversation.user.as_str()) {
            users.push(&conversation.user);
        }
    }
    let user = told.scope.user();
    if user.is_none_or(|user| !users.contains(&user)) {
        let found = user.map_or_else(|| "no --user".to_owned(), |user| format!("--user {user:?}"));
        let more = if users.len() > NAMED { ", …" } else { "" };
        let known: Vec<&str> = users.into_iter().take(NAMED).collect();
        bail!("found {found}, expected a user of the cases: {}{more}", known.join(", "));
    }
    let own = cases.conversations.iter().filter(|conversation| user == Some(conversation.user.as_str()));
    Ok(own.flat_map(|conversation| conversation.events.iter().cloned()).collect())
}

/// An event and what came of it, as they are printed.
#[derive(Serialize)]
struct Taken<'a> {
    time: i64,
    event: &'static str,
    key: &'a str,
    decision: String,
    records: Vec<String>,
}

fn hear(store: &mut Store, events: &[Event], told: &Told) -> anyhow::Result<ExitCode> {
    let heard = store.hear_all(events, &told.scope)?;
    let mut clock = Clock::default();
    let (mut rows, mut complete) = (Vec::with_capacity(events.len()), true);
    for (event, heard) in events.iter().zip(heard) {
        let (decision, records) = match heard {
            Heard::Proposed { turn, id } => {
                let refused = matches!(turn, Turn::Refused(_));
                complete &= !refused;
                (turn.to_string(), if refused { Vec::new() } else { vec![id] })
            }
            Heard::Forgot(forgotten) => {
                complete &= forgotten.open.is_empty() && forgotten.scrubbed;
                for open in &forgotten.open {
                    complain(&format!("open: {open} rests on what was deleted"));
                }
                ("DELETE".to_owned(), forgotten.ids)
            }
        };
        let time = clock.at(event);
        rows.push(Taken { time, event: event.op.name(), key: &event.attribute, decision, records });
    }
    let mut table = Table::new(["time", "event", "key", "decision", "records"]);
    for row in &rows {
        let (event, key) = (row.event.to_owned(), row.key.to_owned());
        table.push([row.time.to_string(), event, key, row.decision.clone(), row.records.join(" ")]);
    }
    show(&rows, &table, told.format)?;
    Ok(done(complete))
}

/// Applies edits one by one, so that one that is refused does not keep the others back.
fn apply(
    store: &mut Store,
    mut agent: Agent,
    proposed: Vec<Result<Edit, Refusal>>,
    (evidence, time): (&str, i64),
    format: Format,
) -> anyhow::Result<ExitCode> {
    let mut calls = Vec::with_capacity(proposed.len());
    for edit in proposed {
        match edit {
            Ok(edit) => calls.extend(agent.apply(store, &[edit], evidence, time)?.into_iter().map(Ok)),
            Err(refusal) => calls.push(Err(refusal)),
        }
    }
    called(calls, format)
}

/// A tool call as it is printed; none of a malformed operation.
#[derive(Serialize)]
struct Printed {
    tool: Option<&'static str>,
    decision: String,
    key: String,
    value: String,
}

/// Prints tool calls and what became of them.
fn called(calls: Vec<Result<ToolCall, Refusal>>, format: Format) -> anyhow::Result<ExitCode> {
    let mut table = Table::new(["tool", "decision", "key", "value"]);
    let (mut printed, mut complete) = (Vec::with_capacity(calls.len()), true);
    for call in calls {
        let row = match call {
            Ok(ToolCall { tool, operation, key, value }) => {
                Printed { tool: Some(tool.name()), decision: operation, key, value }
            }
            Err(refusal) => {
                Printed { tool: None, decision: format!("REJECT: {refusal}"), key: String::new(), value: String::new() }
            }
        };
        complete &= !row.decision.starts_with("REJECT");
        let tool = row.tool.unwrap_or_default().to_owned();
        table.push([tool, row.decision.clone(), row.key.clone(), row.value.clone()]);
        printed.push(row);
    }
    show(&printed, &table, format)?;
    Ok(done(complete))
}
