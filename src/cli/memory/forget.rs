//! Forgetting: slots, people, what is derived from them, and what fades by a horizon, for want of reads or for want of room.

use std::process::ExitCode;

use anyhow::bail;
use clap::Subcommand;
use serde::Serialize;

use crate::governed::{Drop, Manifest, SharedManifest, Store};
use crate::report::{Format, Table};

use super::output::complain;
use super::{Told, done, show};

#[derive(Subcommand)]
pub(super) enum ForgetCommand {
    /// Delete every version of a slot
    Forget {
        /// The slot
        key: String,
    },
    /// Delete everything of the user, and judge what was derived from it: removed, rebuilt from what others contributed, or
    /// retained. Exit with code 1 while something is open
    Delete {
        /// Delete the user's own records alone; what rests on them stays open until `invalidate`
        #[arg(long)]
        own: bool,
    },
    /// Delete what rests on deleted records of the user, at every depth
    Invalidate {
        /// What rests on anybody's deleted records
        #[arg(long)]
        all: bool,
    },
    /// Retire the records of everybody whose horizon (--ttl) is reached
    Expire {
        /// Say what would be retired, and retire nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Retire the records of everybody that reads did not return
    Decay {
        /// How many reads in a row did not return it
        #[arg(long, value_name = "READS", value_parser = clap::value_parser!(u32).range(1..))]
        unread: u32,
        /// Say what would be retired, and retire nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Retire the user's records beyond so many: the newest stay, then the surest
    Evict {
        /// How many records stay
        #[arg(long, value_name = "RECORDS")]
        capacity: usize,
        /// Say what would be retired, and retire nothing
        #[arg(long)]
        dry_run: bool,
    },
}

impl ForgetCommand {
    /// Refuses a scope where the command is about everybody: whoever names one means to spare the others.
    pub(super) fn check(&self, told: &Told) -> anyhow::Result<()> {
        let name = match self {
            Self::Expire { .. } => "expire",
            Self::Decay { .. } => "decay",
            Self::Invalidate { all: true } => "invalidate --all",
            _ => return Ok(()),
        };
        if told.named {
            bail!("found --tenant or --user, expected neither: `memory {name}` is about everybody in the store");
        }
        Ok(())
    }
}

pub(super) fn act(store: &mut Store, command: ForgetCommand, told: &Told) -> anyhow::Result<ExitCode> {
    let Told { scope, now, format, .. } = told;
    let (now, format) = (*now, *format);
    match command {
        ForgetCommand::Forget { key } => {
            let forgotten = store.forget(scope, &key)?;
            let mut table = Table::new(["id", "state"]);
            forgotten.ids.iter().for_each(|id| table.push([id.clone(), "deleted".to_owned()]));
            forgotten.open.iter().for_each(|id| table.push([id.clone(), "OPEN: rests on what was deleted".to_owned()]));
            show(&forgotten, &table, format)?;
            Ok(done(forgotten.scrubbed && forgotten.open.is_empty()))
        }
        ForgetCommand::Delete { own } => {
            let made = if own {
                SharedManifest { manifest: store.delete_subject(scope)?, artifacts: Vec::new() }
            } else {
                store.delete_shared(scope, now)?
            };
            let Manifest { exceptions, complete, .. } = &made.manifest;
            exceptions.iter().for_each(|exception| complain(&format!("open: {exception}")));
            show(&made, &manifest(&made), format)?;
            Ok(done(*complete))
        }
        ForgetCommand::Invalidate { all } => {
            let gone = store.invalidate((!all).then_some(scope))?;
            let mut table = Table::new(["id", "state"]);
            gone.iter().for_each(|id| table.push([id.clone(), "deleted".to_owned()]));
            show(&gone, &table, format)?;
            Ok(ExitCode::SUCCESS)
        }
        ForgetCommand::Expire { dry_run: true } => told_of(store, &store.would_expire(now)?, true, format),
        ForgetCommand::Expire { .. } => {
            let drops = store.expire(now)?;
            told_of(store, &drops, false, format)
        }
        ForgetCommand::Decay { unread, dry_run: true } => told_of(store, &store.would_decay(unread)?, true, format),
        ForgetCommand::Decay { unread, .. } => {
            let drops = store.decay(unread)?;
            told_of(store, &drops, false, format)
        }
        ForgetCommand::Evict { capacity, dry_run: true } => {
            told_of(store, &store.would_evict(scope, capacity)?, true, format)
        }
        ForgetCommand::Evict { capacity, .. } => {
            let drops = store.evict(scope, capacity)?;
            told_of(store, &drops, false, format)
        }
    }
}

/// A record that is or would be retired, as it is printed.
#[derive(Serialize)]
struct Retired<'a> {
    id: &'a str,
    owner: String,
    key: Option<&'a str>,
    state: &'static str,
    reason: String,
}

/// Prints what is or would be retired and why.
fn told_of(store: &Store, drops: &[Drop], dry_run: bool, format: Format) -> anyhow::Result<ExitCode> {
    let state = if dry_run { "would be retired" } else { "retired" };
    let mut table = Table::new(["id", "owner", "key", "state", "reason"]);
    let mut retired = Vec::with_capacity(drops.len());
    for drop in drops {
        let owner = store.record(&drop.id)?.map(|record| record.scope.to_string()).unwrap_or_default();
        let reason = drop.reason.to_string();
        let key = drop.key.as_deref();
        table.push([
            drop.id.clone(),
            owner.clone(),
            key.unwrap_or_default().to_owned(),
            state.to_owned(),
            reason.clone(),
        ]);
        retired.push(Retired { id: &drop.id, owner, key, state, reason });
    }
    show(&retired, &table, format)?;
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
