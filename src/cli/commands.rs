//! One function a command: read, compute, print.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;

use crate::case::{LongReplay, generate};
use crate::evaluate::Evaluation;
use crate::memory::{Location, Stores};
use crate::replay::Growth;
use crate::report::{self, EvalReport, Format, GradeReport, GrowthReport, Table};
use crate::select;
use crate::source::Source;
use crate::tokens::{self, GemmaCounter, HuggingFaceCounter, TokenCounter};
use crate::tui;
use crate::workspace::{Inputs, Workspace, load_cases};

use super::output::{complain, print, warn};
use super::{CasesArg, Command, InputArgs, LookArgs, TokenArgs};

/// Exit code when a gate failed.
const GATE_FAILED: u8 = 1;
/// Exit code of a process that a signal ended, less the signal's number: what shells report.
const SIGNALLED: u8 = 128;

pub(super) fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Eval { source, format, gate, keep_stores, tokens } => {
            eval(source, format, gate, keep_stores.as_deref(), &tokens)
        }
        Command::Grade { answers, keys, format } => {
            grade(&Inputs { cases: None, answers: answers.into_iter().collect(), keys }, format)
        }
        Command::Audit(args) => super::audit::run(args),
        Command::Replay { source, every, user, format } => replay(source, every, user.as_deref(), format),
        Command::Count { file, format, tokens } => count(&file, format, &tokens),
        Command::Generate { output } => generate_cases(output.as_deref()),
        Command::Show { inputs, pane, press, size, format, look, tokens } => {
            let workspace = Workspace::open(&inputs.into(), counter(&tokens)?)?;
            let settings =
                tui::options::Settings::load(look.config.as_deref())?.with(look.theme, look.colors, look.ascii);
            print(&tui::show(workspace, &settings, pane, &press, size, format)?)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Config => {
            print(&tui::options::default_config())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The explorer, or the summary table where there is no terminal to explore on.
pub(super) fn explore(inputs: InputArgs, look: &LookArgs, tokens: &TokenArgs) -> anyhow::Result<ExitCode> {
    let inputs = Inputs::from(inputs);
    if !std::io::stdout().is_terminal() {
        let workspace = Workspace::open(&inputs, counter(tokens)?)?;
        warn(&workspace.warnings);
        print(&summary(&workspace))?;
        return Ok(ExitCode::SUCCESS);
    }
    let settings = tui::options::Settings::load(look.config.as_deref())?.with(look.theme, look.colors, look.ascii);
    let start = tui::Start { inputs, tokenizer: tokens.tokenizer.clone(), settings, panic_test: look.panic_test };
    Ok(match tui::run(start)? {
        None => ExitCode::SUCCESS,
        Some(signal) => ExitCode::from(SIGNALLED.saturating_add(u8::try_from(signal).unwrap_or_default())),
    })
}

fn summary(workspace: &Workspace) -> String {
    let mut text = report::summary_table(workspace).to_text();
    for line in report::gate_lines(&workspace.evaluation) {
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str(&format!(
        "{} questions, facts quota {} tokens, counted with {}\n",
        workspace.evaluation.question_count(),
        workspace.evaluation.cases.facts_quota,
        workspace.evaluation.counter.name()
    ));
    text
}

fn counter(args: &TokenArgs) -> anyhow::Result<Arc<dyn TokenCounter>> {
    Ok(match &args.tokenizer {
        Some(path) => Arc::new(HuggingFaceCounter::load(path)?),
        None => Arc::new(GemmaCounter),
    })
}

fn eval(
    source: CasesArg,
    format: Format,
    gate: bool,
    keep_stores: Option<&Path>,
    tokens: &TokenArgs,
) -> anyhow::Result<ExitCode> {
    let counter = counter(tokens)?;
    let cases = load_cases(&Inputs { cases: source.cases, ..Inputs::default() })?;
    warn(&cases.warnings);
    let stores = || stores_in(keep_stores);
    let growth = match &cases.long_replay {
        Some(replay) => Some(Growth::run(&mut stores()?("replay")?, replay, replay.sample_every, &*counter)?),
        None => None,
    };
    let evaluation = Evaluation::run_in(stores()?("")?, Arc::new(cases), select::builtin().into(), counter)?;
    match format {
        Format::Json => print(&report::json(&EvalReport::new(&evaluation, growth.as_ref())?)?)?,
        Format::Csv => print(&report::blocks_table(&evaluation).to_csv())?,
        Format::Markdown | Format::Table => {
            let workspace = Workspace::of(evaluation, growth);
            let table = report::summary_table(&workspace);
            print(&if format == Format::Table { summary(&workspace) } else { table.to_markdown() })?;
            return Ok(gate_code(gate, &workspace.evaluation));
        }
    }
    Ok(gate_code(gate, &evaluation))
}

fn gate_code(gate: bool, evaluation: &Evaluation) -> ExitCode {
    if gate && evaluation.summaries.iter().any(|sum| sum.leaks() > 0) {
        report::gate_lines(evaluation).iter().for_each(|line| complain(line));
        return ExitCode::from(GATE_FAILED);
    }
    ExitCode::SUCCESS
}

/// Makes pairs of stores: in memory, or as fresh files in a folder.
fn stores_in(folder: Option<&Path>) -> anyhow::Result<impl Fn(&str) -> anyhow::Result<Stores> + '_> {
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    }
    Ok(move |prefix: &str| {
        let Some(folder) = folder else { return Ok(Stores::in_memory()?) };
        let place = |kind: &str| {
            let dash = if prefix.is_empty() { "" } else { "-" };
            let path = folder.join(format!("{prefix}{dash}{kind}.sqlite"));
            anyhow::ensure!(!path.exists(), "{}: is there already, expected a folder without stores", path.display());
            Ok(Location::File(path))
        };
        Ok(Stores::open(&place("managed")?, &place("append")?)?)
    })
}

fn grade(inputs: &Inputs, format: Format) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::open(inputs, Arc::new(GemmaCounter))?;
    warn(&workspace.warnings);
    let Some(graded) = workspace.recordings.first() else { return Ok(ExitCode::SUCCESS) };
    if format == Format::Json {
        print(&report::json(&GradeReport::new(graded)?)?)?;
    } else {
        print(&written(&report::grade_table(graded), format))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn replay(source: CasesArg, every: Option<u64>, user: Option<&str>, format: Format) -> anyhow::Result<ExitCode> {
    let cases = load_cases(&Inputs { cases: source.cases, ..Inputs::default() })?;
    warn(&cases.warnings);
    let chosen = match user {
        Some(user) => {
            let own: Vec<_> = cases.conversations.iter().filter(|conversation| conversation.user == user).collect();
            let users = || cases.conversations.iter().map(|conversation| conversation.user.as_str());
            anyhow::ensure!(
                !own.is_empty(),
                "--user {user}: no such user, expected one of {}",
                users().collect::<Vec<_>>().join(", ")
            );
            let events = own.iter().flat_map(|conversation| conversation.events.clone()).collect();
            LongReplay { user: user.to_owned(), events, sample_every: 1 }
        }
        None => cases.long_replay.context("the case set has no `long_replay`; name a user with --user")?,
    };
    let every = every.unwrap_or(chosen.sample_every);
    let growth = Growth::run(&mut Stores::in_memory()?, &chosen, every, &GemmaCounter)?;
    if format == Format::Json {
        print(&report::json(&GrowthReport::new(&growth))?)?;
    } else {
        print(&written(&report::growth_table(&growth), format))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn count(file: &Path, format: Format, tokens: &TokenArgs) -> anyhow::Result<ExitCode> {
    let counter = counter(tokens)?;
    let source = Source::read(file)?;
    let counts = tokens::count_lines(source.text(), &*counter);
    let mut table = Table::new(["count"]);
    table.rows = counts.iter().map(|count| vec![count.to_string()]).collect();
    match format {
        Format::Json => print(&report::json(&counts)?)?,
        Format::Csv => print(&table.to_csv())?,
        Format::Table | Format::Markdown => {
            let mut table = Table::new(["line", "tokens", "text"]);
            for (number, (line, count)) in source.text().lines().zip(&counts).enumerate() {
                table.push([(number + 1).to_string(), count.to_string(), line.to_owned()]);
            }
            let total: usize = counts.iter().sum();
            let mut text = written(&table, format);
            text.push_str(&format!("{total} tokens in {} lines, counted with {}\n", counts.len(), counter.name()));
            print(&text)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn generate_cases(output: Option<&Path>) -> anyhow::Result<ExitCode> {
    let text = generate::to_json(&generate::bundled_cases())?;
    match output {
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        None => print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn written(table: &Table, format: Format) -> String {
    match format {
        Format::Csv => table.to_csv(),
        Format::Markdown => table.to_markdown(),
        Format::Table | Format::Json => table.to_text(),
    }
}
