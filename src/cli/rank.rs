//! `recallscope rank`: how well strategies rank, before the facts quota cuts and after.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;

use crate::open::Inputs;
use crate::rank::{Cutoff, Ranking, SEED, Test, trec};
use crate::report::{self, Format, RankReport, RankView};
use crate::source::io_reason;
use crate::workspace::Workspace;

use super::commands::{baseline, open, written};
use super::output::{columns, print};
use super::{InputArgs, TokenArgs};

/// What may be typed after `rank`.
#[derive(clap::Args)]
pub(super) struct RankArgs {
    #[command(flatten)]
    inputs: InputArgs,
    /// The strategy to hold the others against [default: the first]
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// How many candidates to look at: numbers, `quota` for the block, `all` for every candidate [default: 1,3,5,10,20,quota;
    /// a table shows 5, 10 and quota]
    #[arg(short, long = "cutoffs", value_name = "K,...", value_delimiter = ',')]
    k: Vec<Cutoff>,
    /// Print a table by category as well (JSON and CSV always have them)
    #[arg(long, value_name = "GROUP")]
    by: Option<Group>,
    /// List the questions that only one of two strategies passes, with the ranks under both: `any` (a required fact is found)
    /// or `all` (all are)
    #[arg(long, value_name = "TEST", num_args = 0..=1, default_missing_value = "any", require_equals = true)]
    flips: Option<Flips>,
    /// How to print them
    #[arg(long, default_value = "table")]
    format: Format,
    /// The seed of the bootstrap intervals: the same seed gives the same bytes
    #[arg(long, value_name = "N", default_value_t = SEED)]
    seed: u64,
    /// Write qrels.txt and a run file for each strategy into this folder, for trec_eval, ir_measures or ranx
    #[arg(long, value_name = "FOLDER")]
    trec_out: Option<PathBuf>,
    #[command(flatten)]
    tokens: TokenArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    /// The questions' own categories.
    Category,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Flips {
    /// A required fact is found.
    Any,
    /// All required facts are found.
    All,
}

impl From<Flips> for Test {
    fn from(flips: Flips) -> Self {
        match flips {
            Flips::Any => Self::Any,
            Flips::All => Self::All,
        }
    }
}

pub(super) fn run(args: RankArgs) -> anyhow::Result<ExitCode> {
    let inputs = Inputs::from(args.inputs);
    let workspace = open(&inputs, &args.tokens)?;
    let evaluation = &workspace.evaluation;
    let baseline = baseline(evaluation, args.baseline.as_deref())?;
    let mut cutoffs: Vec<Cutoff> = Vec::new();
    for cutoff in if args.k.is_empty() { Cutoff::DEFAULT.to_vec() } else { args.k.clone() } {
        if !cutoffs.contains(&cutoff) {
            cutoffs.push(cutoff);
        }
    }
    if let Some(folder) = &args.trec_out {
        write_trec(&workspace, folder)?;
    }
    let ranking = Ranking::of(evaluation, &cutoffs);
    let view = RankView { workspace: &workspace, ranking: &ranking, baseline, seed: args.seed };
    let shown = shown(&cutoffs, args.k.is_empty());
    let text = match (args.format, args.flips) {
        (Format::Json, flips) => report::json(&RankReport::new(&view, flips.map(Test::from)))?,
        (format, Some(flips)) => written(&report::flips_table(&view, flips.into()), format),
        (Format::Csv, None) => report::rank_rows(&view).to_csv(),
        (format, None) => tables(&view, &shown, args.by.is_some(), format),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The cutoffs in a table: the three that people ask for first, where nobody named others.
fn shown(cutoffs: &[Cutoff], default: bool) -> Vec<usize> {
    const FIRST: [Cutoff; 3] = [Cutoff::First(5), Cutoff::First(10), Cutoff::Quota];
    let wanted = |cutoff: &Cutoff| !default || FIRST.contains(cutoff);
    cutoffs.iter().enumerate().filter(|(_, cutoff)| wanted(cutoff)).map(|(place, _)| place).collect()
}

fn tables(view: &RankView<'_>, shown: &[usize], by_category: bool, format: Format) -> String {
    let table = |categories| {
        let room = columns().filter(|_| format == Format::Table);
        let table = report::rank_table(view, shown, categories, room);
        written(&table, format)
    };
    let mut text = table(false);
    if by_category && !view.ranking.categories().is_empty() {
        text.push('\n');
        text.push_str(&table(true));
    }
    text.push('\n');
    for line in report::rank_lines(view, shown) {
        let bullet = if format == Format::Markdown { "* " } else { "" };
        text.push_str(&format!("{bullet}{line}\n"));
    }
    text
}

/// Writes the qrels and one run a strategy. A name that no file can have has its signs replaced.
fn write_trec(workspace: &Workspace, folder: &Path) -> anyhow::Result<()> {
    let wrong = |path: &Path, error: &std::io::Error| {
        anyhow::anyhow!("{}: cannot be written: {}", path.display(), io_reason(error))
    };
    std::fs::create_dir_all(folder).map_err(|error| wrong(folder, &error))?;
    let evaluation = &workspace.evaluation;
    let write = |name: &str, work: &dyn Fn(&mut BufWriter<File>) -> std::io::Result<()>| {
        let path = folder.join(name);
        let file = File::create(&path).map_err(|error| wrong(&path, &error))?;
        let mut out = BufWriter::new(file);
        work(&mut out).and_then(|()| out.flush()).map_err(|error| wrong(&path, &error))
    };
    write("qrels.txt", &|out| trec::qrels(evaluation, out))?;
    for (place, strategy) in evaluation.strategies.iter().enumerate().filter(|(place, _)| evaluation.has_blocks(*place))
    {
        let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let name: String = strategy.name().chars().map(plain).collect();
        write(&format!("{}.run", name.trim_start_matches('.')), &|out| trec::run(evaluation, place, out))?;
    }
    Ok(())
}
