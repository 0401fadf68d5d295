//! `recallscope abilities`: what each memory can do, under one token budget; `recallscope layers`: where a memory broke.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use crate::abilities::Trial;
use crate::bundled;
use crate::diagnosis::Diagnosis;
use crate::governed::Suite;
use crate::layers::Layers;
use crate::open::Inputs;
use crate::report::{self, AbilitiesReport, Format, LayersReport, Table};
use crate::source::Source;
use crate::triage::TriageFile;

use super::commands::{GATE_FAILED, open, written};
use super::output::print;
use super::{InputArgs, TokenArgs};

#[derive(Args)]
pub(super) struct AbilitiesArgs {
    /// File of probe suites; `-` reads standard input [default: the bundled suites]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Run this suite; the beginning of its name is enough [default: all of the file]
    #[arg(long, value_name = "NAME")]
    suite: Option<String>,
    /// Tokens of question and memory together [default: the suite's largest budget]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Print every probe and what each system answered instead of the scores (JSON always has both)
    #[arg(long)]
    probes: bool,
    /// Exit with code 1 when the governed store is below a release floor
    #[arg(long)]
    gate: bool,
    /// How to print them
    #[arg(long, default_value = "table")]
    format: Format,
}

pub(super) fn run(args: AbilitiesArgs) -> anyhow::Result<ExitCode> {
    let source = args.file.map_or_else(|| Ok(bundled::governed()), |file| Source::read(&file))?;
    let suites = Suite::load(&source)?;
    let trials = chosen(&suites, args.suite.as_deref())?
        .into_iter()
        .map(|suite| Ok((suite, Trial::run(suite, args.budget.unwrap_or(suite.comparison.budget))?)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let table = if args.probes { report::probes_table } else { report::abilities_table };
    match args.format {
        Format::Json => {
            let reports: Vec<AbilitiesReport<'_>> =
                trials.iter().map(|(_, trial)| AbilitiesReport::new(trial)).collect();
            print(&report::json(&reports)?)?;
        }
        Format::Csv => {
            let mut all: Option<Table> = None;
            for (_, trial) in &trials {
                let marked = report::within_trial(table(trial), trial);
                match &mut all {
                    Some(all) => all.rows.extend(marked.rows),
                    None => all = Some(marked),
                }
            }
            print(&all.map(|table| table.to_csv()).unwrap_or_default())?;
        }
        Format::Table | Format::Markdown => {
            for (place, (suite, trial)) in trials.iter().enumerate() {
                let gap = if place > 0 { "\n" } else { "" };
                print(&format!("{gap}{}", as_text(suite, trial, &table(trial), args.format)))?;
            }
        }
    }
    let failed = args.gate && trials.iter().any(|(_, trial)| !trial.failing().is_empty());
    Ok(if failed { ExitCode::from(GATE_FAILED) } else { ExitCode::SUCCESS })
}

fn as_text(suite: &Suite, trial: &Trial, table: &Table, format: Format) -> String {
    let Suite { name, about, budgets, .. } = suite;
    let budget = trial.comparison.budget;
    let others = budgets.iter().filter(|other| **other != budget).map(usize::to_string).collect::<Vec<_>>();
    let others = if others.is_empty() { String::new() } else { format!(" (also at {})", others.join(" and ")) };
    let probes = trial.comparison.probes.len();
    let about = if about.is_empty() { String::new() } else { format!(": {about}") };
    let mut text = format!("{name}{about}\n{probes} probes, {budget} tokens a question{others}\n\n");
    text.push_str(&written(table, format));
    if format == Format::Markdown {
        text.push('\n');
    }
    for line in report::abilities_lines(trial) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The suites that a person named, or all.
fn chosen<'a>(suites: &'a [Suite], name: Option<&str>) -> anyhow::Result<Vec<&'a Suite>> {
    let Some(name) = name else { return Ok(suites.iter().collect()) };
    let found: Vec<&Suite> = suites.iter().filter(|suite| !name.is_empty() && suite.name.starts_with(name)).collect();
    if found.len() != 1 {
        let names = suites.iter().map(|suite| format!("\"{}\"", suite.name)).collect::<Vec<_>>().join(", ");
        bail!("found {} suites {name:?}, expected one of: {names}", if found.is_empty() { "no" } else { "several" });
    }
    Ok(found)
}

#[derive(Args)]
pub(super) struct LayersArgs {
    #[command(flatten)]
    inputs: InputArgs,
    /// Decisions [default: triage.json beside the case file]
    #[arg(long, value_name = "FILE")]
    triage: Option<PathBuf>,
    /// Print in which layer each strategy's answers and blocks failed instead (JSON always has both)
    #[arg(long)]
    failures: bool,
    /// How to print them
    #[arg(long, default_value = "table")]
    format: Format,
    #[command(flatten)]
    tokens: TokenArgs,
}

pub(super) fn layers(args: LayersArgs) -> anyhow::Result<ExitCode> {
    let inputs = Inputs::from(args.inputs);
    let workspace = open(&inputs, &args.tokens)?;
    let file = args.triage.map_or_else(|| TriageFile::beside(inputs.cases.as_deref()), TriageFile::at);
    let diagnosis = Diagnosis::without_audit(&workspace, &file.load()?);
    let layers = Layers::of(&workspace, &diagnosis);
    let report = LayersReport::new(&layers, &diagnosis);
    let table = if args.failures { report.failures_table() } else { report.table() };
    let mut text = match args.format {
        Format::Json => report::json(&report)?,
        format => written(&table, format),
    };
    if args.format == Format::Table {
        for line in report.lines() {
            text.push_str(&line);
            text.push('\n');
        }
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
