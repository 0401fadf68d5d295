//! Looking at a governed memory: its timeline and its lineages, printed. The file is read and not touched.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use clap::Subcommand;
use serde::Serialize;

use crate::governed::{
    Branch, Kept, Lineage, Record, Scope, ScopeHistory, Snapshot, Span, State, Status, TreeLine, Version, tree,
};
use crate::report::timeline::{Axis, lanes, strokes, tick_labels, ticks};
use crate::report::{self, Format, Table};
use crate::text::{displayable, fit, width};

use super::output::{columns, print};
use super::written;

/// Columns of a drawing where nobody says how wide the screen is.
const COLUMNS: usize = 100;
/// Columns of the longest key beside a drawing.
const KEY: usize = 24;
/// The least columns of an axis.
const AXIS: usize = 12;

#[derive(Subcommand)]
pub(super) enum ViewCommand {
    /// Draw the versions of each key over time, and list them
    Timeline {
        /// Only this key
        key: Option<String>,
        /// Draw what was believed at this time [default: what is known now]
        #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
        known_at: Option<i64>,
    },
    /// Print what a record rests on and what rests on it
    Lineage {
        /// The record's id
        id: String,
    },
}

pub(super) fn run(command: &ViewCommand, path: &Path, scope: &Scope, format: Format) -> anyhow::Result<ExitCode> {
    let store = Snapshot::read(path)?.open()?;
    match command {
        ViewCommand::Timeline { key, known_at } => {
            let history = only(store.history(scope)?, key.as_deref());
            if let Some(key) = key.as_ref().filter(|_| history.kept.is_empty()) {
                bail!("found no key {key:?} that {scope} may read");
            }
            timeline(&history, scope, *known_at, format)
        }
        ViewCommand::Lineage { id } => match store.lineage(id, scope)? {
            Some(found) => lineage(&found, format),
            None => bail!("found no record {id:?} that {scope} may read"),
        },
    }
}

fn only(history: ScopeHistory, key: Option<&str>) -> ScopeHistory {
    let wanted = |kept: &Kept| key.is_none() || kept.record.key.as_deref() == key;
    ScopeHistory { kept: history.kept.into_iter().filter(wanted).collect() }
}

/// A version as it is printed.
#[derive(Serialize)]
struct Printed<'a> {
    id: &'a str,
    owner: String,
    key: Option<&'a str>,
    value: Option<&'a str>,
    state: State,
    span: Span,
    recorded_at: i64,
    expires_at: Option<i64>,
    source: &'static str,
    kind: &'static str,
    confidence: f64,
    evidence: Option<&'a str>,
}

#[derive(Serialize)]
struct Timeline<'a> {
    scope: String,
    known_at: Option<i64>,
    versions: Vec<Printed<'a>>,
}

fn timeline(history: &ScopeHistory, scope: &Scope, known_at: Option<i64>, format: Format) -> anyhow::Result<ExitCode> {
    let versions: Vec<Version<'_>> =
        lanes(history.believed(known_at)).into_iter().flat_map(|row| row.versions).collect();
    let text = match format {
        Format::Json => {
            let versions = versions.iter().map(printed).collect();
            report::json(&Timeline { scope: scope.to_string(), known_at, versions })?
        }
        Format::Table => drawing(history, known_at) + "\n" + &written(&listed(&versions), format),
        format => written(&listed(&versions), format),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn printed<'a>(version: &Version<'a>) -> Printed<'a> {
    let record = &version.kept.record;
    Printed {
        id: &record.id,
        owner: record.scope.to_string(),
        key: record.key.as_deref(),
        value: record.value.as_deref(),
        state: version.state,
        span: version.span,
        recorded_at: record.recorded_at,
        expires_at: record.expires_at,
        source: record.source.name(),
        kind: record.kind.name(),
        confidence: record.confidence,
        evidence: record.evidence.as_deref(),
    }
}

fn listed(versions: &[Version<'_>]) -> Table {
    let mut table = Table::new(["key", "value", "state", "from", "to", "recorded", "source", "owner", "id"]);
    for version in versions {
        let record = &version.kept.record;
        table.push([
            record.key.clone().unwrap_or_default(),
            record.value.clone().unwrap_or_default(),
            version.state.name().to_owned(),
            version.span.from.to_string(),
            version.span.to.map(|to| to.to_string()).unwrap_or_default(),
            record.recorded_at.to_string(),
            record.source.name().to_owned(),
            record.scope.to_string(),
            record.id.clone(),
        ]);
    }
    table
}

/// The lanes of all keys, with the axis and its numbers above and the meaning of the strokes below.
fn drawing(history: &ScopeHistory, known_at: Option<i64>) -> String {
    let rows = lanes(history.believed(known_at));
    if rows.is_empty() {
        return "nothing is known here\n".to_owned();
    }
    let all = columns().unwrap_or(COLUMNS);
    let shown = |key: Option<&str>| displayable(&key.unwrap_or("(deleted)").replace(['\n', '\r'], " ")).into_owned();
    let label = rows.iter().map(|row| width(&shown(row.key))).max().unwrap_or(0).min(KEY);
    let axis = Axis::new(history.valid_instants(), all.saturating_sub(label + 1).max(AXIS));
    let mut text = format!("{} {}\n", fit("", label), tick_labels(&axis));
    text.push_str(&format!("{} {}\n", fit("", label), ticks(&axis, false).concat()));
    for row in &rows {
        let key = if row.first { fit(&shown(row.key), label) } else { fit("", label) };
        let bars: String = row.cells(&axis, false).into_iter().map(|cell| cell.symbol).collect();
        text.push_str(format!("{key} {bars}").trim_end());
        text.push('\n');
    }
    let mut meanings: Vec<String> = Vec::new();
    for state in
        State::ALL.into_iter().filter(|state| rows.iter().flat_map(|row| &row.versions).any(|v| v.state == *state))
    {
        let strokes = strokes(state, false);
        meanings.push(format!("{}{} or {} {}", strokes.begin, strokes.line, strokes.mark, state.name()));
    }
    let known = known_at.map(|at| format!(", known at {at}")).unwrap_or_default();
    let even = if axis.is_even() { ", evenly spaced" } else { "" };
    text.push_str(&format!("valid time{even}{known}: {}\n", meanings.join(", ")));
    text
}

pub(super) fn lineage(lineage: &Lineage, format: Format) -> anyhow::Result<ExitCode> {
    let text = match format {
        Format::Json => report::json(lineage)?,
        Format::Table => {
            let mut text = String::new();
            let part = |name: &str, branches: &[Branch]| {
                let none = if branches.is_empty() { " nothing" } else { "" };
                let lines: String = tree(branches).iter().map(|line| format!("  {}\n", branch(line))).collect();
                format!("{name}:{none}\n{lines}")
            };
            text.push_str(&format!("{}\n", said(&lineage.record)));
            text.push_str(&part("rests on", &lineage.above));
            text.push_str(&part("derived from it", &lineage.below));
            if lineage.cut {
                text.push_str("and more than can be shown\n");
            }
            text
        }
        format => {
            let mut table = Table::new(["relation", "depth", "id", "key", "value", "status", "owner"]);
            let mut push = |relation: &str, depth: usize, record: &Record| {
                table.push([
                    relation.to_owned(),
                    depth.to_string(),
                    record.id.clone(),
                    record.key.clone().unwrap_or_default(),
                    record.value.clone().unwrap_or_default(),
                    record.status.name().to_owned(),
                    record.scope.to_string(),
                ]);
            };
            push("itself", 0, &lineage.record);
            for (relation, branches) in [("rests on", &lineage.above), ("derived", &lineage.below)] {
                for line in tree(branches) {
                    push(relation, line.last.len(), &line.branch.record);
                }
            }
            written(&table, format)
        }
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn branch(line: &TreeLine<'_>) -> String {
    let again = if line.branch.again { " (above already)" } else { "" };
    format!("{}{}{again}", line.strokes(false), said(&line.branch.record))
}

fn said(record: &Record) -> String {
    let text = match (&record.key, &record.value, record.status) {
        (Some(key), Some(value), _) => format!("{key} = {value}"),
        (_, _, Status::Deleted) => "(deleted)".to_owned(),
        _ => "(another user's)".to_owned(),
    };
    displayable(
        &format!("{} {text}  {} of {}", record.id, record.status.name(), record.scope).replace(['\n', '\r'], " "),
    )
    .into_owned()
}
