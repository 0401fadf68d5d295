//! One function a command: read, compute, print.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;

use crate::agreement::Agreement;
use crate::case::{self, LongReplay, generate};
use crate::evaluate::Evaluation;
use crate::memory::{Location, Stores};
use crate::open::{Inputs, load_cases, strategies_for};
use crate::provenance::Provenance;
use crate::replay::Growth;
use crate::report::{self, EvalReport, Format, GradersReport, GrowthReport, Table};
use crate::source::{Source, io_reason};
use crate::tokens::{self, GemmaCounter, HuggingFaceCounter, TokenCounter};
use crate::triage::{Scores, Standing, Triage, TriageFile};
use crate::tui;
use crate::workspace::Workspace;

use super::output::{columns, complain, print, warn, watched};
use super::{By, CasesArg, Command, InputArgs, LookArgs, TokenArgs};

/// Exit code when a gate failed.
pub(super) const GATE_FAILED: u8 = 1;
/// Exit code of a process that a signal ended, less the signal's number: what shells report.
const SIGNALLED: u8 = 128;

pub(super) fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Eval { source, format, by, gate, keep_stores, strategies, tokens } => {
            let kept = strategies.kept_server(None);
            let inputs = strategies.apply(source.into(), kept.as_ref());
            eval(&inputs, format, by, gate, keep_stores.as_deref(), &tokens)
        }
        Command::Grade { answers, keys, triage, cases, counting, disagree, by, format } => {
            let answers = answers.into_iter().collect();
            let inputs = Inputs { cases, answers, keys, counting: counting.into(), ..Inputs::default() };
            match (triage, by) {
                (triage, _) if disagree => super::triage::disagreements(&inputs, triage.as_deref(), format),
                (_, Some(By::Category)) => by_category(&inputs, format),
                (Some(triage), None) => super::triage::grade(&inputs, &triage, format),
                (None, None) => grade(&inputs, format),
            }
        }
        Command::Audit(args) => super::audit::run(args),
        Command::Compare { inputs, baseline, questions, format, tokens } => {
            let workspace = open(&inputs.into(), &tokens)?;
            compare(&workspace, baseline.as_deref(), questions, format)
        }
        Command::Rank(args) => super::rank::run(args),
        Command::Triage(command) => super::triage::run(command),
        Command::Attributes { source, from_facts } => {
            let cases = load_cases(&source.into())?;
            warn(&cases.warnings);
            print(&report::json(&report::AttributeMap::of(&cases, from_facts))?)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Replay { source, every, user, format } => replay(source, every, user.as_deref(), format),
        Command::Count { file, format, tokens } => count(&file, format, &tokens),
        Command::Memory(args) => super::memory::run(args),
        Command::Lessons(args) => super::lessons::run(args),
        Command::Abilities(args) => super::abilities::run(args),
        Command::Layers(args) => super::abilities::layers(args),
        Command::Import(args) => super::import::run(&args),
        Command::Open { inputs, triage, memory, look, tokens } => explore(inputs, triage, memory, &look, &tokens),
        Command::Generate { output, longmemeval: Some(questions), .. } => {
            super::import::generate(output.as_deref(), questions)
        }
        Command::Generate { output, scale, .. } => generate_cases(output.as_deref(), scale),
        Command::Show { inputs, triage, memory, pane, press, size, format, look, tokens } => {
            let settings =
                tui::options::Settings::load(look.config.as_deref())?.with(look.theme, look.colors, look.ascii);
            let inputs = Inputs { memory, ..inputs.inputs(settings.embeddings.as_ref()) };
            let workspace = open(&inputs, &tokens)?;
            let triage = triage.map(|path| Triage::load(&path)).transpose()?.unwrap_or_default();
            print(&tui::show(workspace, &triage, &settings, pane, &press, size, format)?)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Config => {
            print(&tui::options::default_config())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut super::definition(), env!("CARGO_PKG_NAME"), &mut script);
            print(&String::from_utf8_lossy(&script))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Man => {
            print(&manual()?)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The explorer, or the summary table where there is no terminal to explore on.
pub(super) fn explore(
    inputs: InputArgs,
    triage: Option<PathBuf>,
    memory: Option<PathBuf>,
    look: &LookArgs,
    tokens: &TokenArgs,
) -> anyhow::Result<ExitCode> {
    let config = look.config.as_deref();
    if !std::io::stdout().is_terminal() {
        let kept = inputs.strategies.kept_server(config);
        let inputs = Inputs { memory, ..inputs.inputs(kept.as_ref()) };
        let workspace = open(&inputs, tokens)?;
        print(&format!("{}{}", summary(&workspace), decided_totals(&workspace, &inputs, triage)?))?;
        // The process ends here: taking everything apart first would be a tenth of the time.
        std::mem::forget(workspace);
        return Ok(ExitCode::SUCCESS);
    }
    let settings = tui::options::Settings::load(config)?.with(look.theme, look.colors, look.ascii);
    let inputs = Inputs { memory, ..inputs.inputs(settings.embeddings.as_ref()) };
    check_standard_input(&inputs, tokens)?;
    anyhow::ensure!(
        !wants_standard_input(&inputs, tokens) || !io::stdin().is_terminal(),
        "`-` reads standard input, which is the terminal here: name a file, or send one through a pipe"
    );
    let start =
        tui::Start { inputs, tokenizer: tokens.tokenizer.clone(), triage, settings, panic_test: look.panic_test };
    Ok(match tui::run(start)? {
        None => ExitCode::SUCCESS,
        Some(signal) => ExitCode::from(SIGNALLED.saturating_add(u8::try_from(signal).unwrap_or_default())),
    })
}

/// Opens a workspace for a report, and says what was odd in its files. Commands and embeddings may take long: where somebody
/// watches, one line says how far they are, and a signal ends what they started before it ends recallscope.
pub(super) fn open(inputs: &Inputs, tokens: &TokenArgs) -> anyhow::Result<Workspace> {
    check_standard_input(inputs, tokens)?;
    let counter = counter(tokens)?;
    let workspace = watched(|watch| Ok(Workspace::open_watched(inputs, counter, watch)?))?;
    warn(&workspace.warnings);
    Ok(workspace)
}

/// The place of the strategy that `--baseline` names; the first where it is not given.
pub(super) fn baseline(evaluation: &Evaluation, name: Option<&str>) -> anyhow::Result<usize> {
    let Some(name) = name else { return Ok(0) };
    evaluation.strategy_named(name).with_context(|| {
        let names: Vec<&str> = evaluation.strategies.iter().map(|strategy| strategy.name()).collect();
        format!("--baseline {name}: no such strategy, expected one of {}", names.join(", "))
    })
}

/// The three totals, where something was decided about these cases; else nothing.
fn decided_totals(workspace: &Workspace, inputs: &Inputs, triage: Option<PathBuf>) -> anyhow::Result<String> {
    let file = triage.map_or_else(|| TriageFile::beside(inputs.cases.as_deref()), TriageFile::at);
    let triage = file.load()?;
    if triage.decisions.is_empty() {
        return Ok(String::new());
    }
    let standing = Standing::of(&triage, workspace);
    let totals = report::totals_table(&Scores::of(workspace, &standing)).to_text();
    Ok(format!("\nwith the decisions of {}:\n{totals}", file.path().display()))
}

fn summary(workspace: &Workspace) -> String {
    let table = report::summary_table(workspace);
    let mut text = match columns() {
        None => table.to_text(),
        Some(columns) => {
            let (table, left_out) = table.fitted(columns, &["usefulness", "useful lines", "incomplete", "tokens"]);
            let mut text = table.to_text_within(Some(columns));
            if !left_out.is_empty() {
                text.push_str(&format!("a wider terminal also shows {}\n", left_out.join(", ")));
            }
            text
        }
    };
    for line in report::gate_lines(&workspace.evaluation) {
        text.push_str(&line);
        text.push('\n');
    }
    for line in Provenance::of(workspace).lines() {
        text.push_str(&line);
        text.push('\n');
    }
    if let Some(words) = workspace.counting_words() {
        text.push_str(&format!("answers {words}\n"));
    }
    text.push_str(&lines(&report::abstention_lines(workspace)));
    text.push_str(&format!(
        "{} questions, facts quota {} tokens, counted with {}\n",
        workspace.evaluation.question_count(),
        workspace.evaluation.cases.facts_quota,
        workspace.evaluation.counter.name()
    ));
    text
}

fn standard_inputs(inputs: &Inputs, tokens: &TokenArgs) -> usize {
    let named =
        inputs.cases.iter().chain(&inputs.files).chain(&inputs.answers).chain(&inputs.keys).chain(&tokens.tokenizer);
    named.filter(|path| path.as_os_str() == "-").count()
}

fn wants_standard_input(inputs: &Inputs, tokens: &TokenArgs) -> bool {
    standard_inputs(inputs, tokens) > 0
}

/// Standard input can be read once.
pub(super) fn check_standard_input(inputs: &Inputs, tokens: &TokenArgs) -> anyhow::Result<()> {
    let count = standard_inputs(inputs, tokens);
    anyhow::ensure!(count < 2, "`-` stands {count} times, but standard input can be read only once");
    Ok(())
}

/// The manual pages of the program and of each command, one after the other.
fn manual() -> io::Result<String> {
    let program = super::definition();
    let commands: Vec<_> = program.get_subcommands().filter(|command| command.get_name() != "help").cloned().collect();
    let mut pages = Vec::new();
    for page in std::iter::once(program).chain(commands) {
        clap_mangen::Man::new(page).render(&mut pages)?;
    }
    Ok(String::from_utf8_lossy(&pages).into_owned())
}

pub(super) fn counter(args: &TokenArgs) -> anyhow::Result<Arc<dyn TokenCounter>> {
    Ok(match &args.tokenizer {
        Some(path) => Arc::new(HuggingFaceCounter::load(path)?),
        None => Arc::new(GemmaCounter),
    })
}

fn eval(
    inputs: &Inputs,
    format: Format,
    by: Option<By>,
    gate: bool,
    keep_stores: Option<&Path>,
    tokens: &TokenArgs,
) -> anyhow::Result<ExitCode> {
    check_standard_input(inputs, tokens)?;
    let counter = counter(tokens)?;
    let cases = load_cases(inputs)?;
    warn(&cases.warnings);
    let (strategies, warnings) = watched(|watch| Ok(strategies_for(&cases, inputs, watch)?))?;
    warn(&warnings);
    let stores = || stores_in(keep_stores);
    let growth = match &cases.long_replay {
        Some(replay) => Some(Growth::run(&mut stores()?("replay")?, replay, replay.sample_every, &*counter)?),
        None => None,
    };
    let evaluation = Evaluation::run_in(stores()?("")?, Arc::new(cases), strategies, counter)?;
    if by == Some(By::Category) {
        let workspace = Workspace::of(evaluation, growth);
        print(&categories(&workspace, format)?)?;
        return Ok(gate_code(gate, &workspace.evaluation));
    }
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
        std::fs::create_dir_all(folder)
            .map_err(|error| anyhow::anyhow!("{}: cannot be made: {}", folder.display(), io_reason(&error)))?;
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
    let workspace = open(inputs, &TokenArgs::default())?;
    super::triage::warn_of_provenance(&Provenance::of(&workspace));
    let Some(graded) = workspace.recordings.first() else { return Ok(ExitCode::SUCCESS) };
    print(&match format {
        Format::Json => report::json(&GradersReport::new(&workspace, graded)?)?,
        Format::Csv => report::grade_table(&workspace, 0).to_csv(),
        Format::Markdown => written(&report::grade_summary(&workspace, 0), format),
        Format::Table => {
            let mut text = written(&report::grade_summary(&workspace, 0), format);
            let pairs = Agreement::pairs(&workspace);
            if !pairs.is_empty() {
                text.push('\n');
                text.push_str(&written(&report::agreement_table(&pairs), format));
            }
            text.push('\n');
            text + &lines(&report::total_lines(&workspace))
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

fn lines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{}\n", crate::text::displayable(line))).collect()
}

/// Totals by category.
fn by_category(inputs: &Inputs, format: Format) -> anyhow::Result<ExitCode> {
    let workspace = open(inputs, &TokenArgs::default())?;
    print(&categories(&workspace, format)?)?;
    Ok(ExitCode::SUCCESS)
}

fn categories(workspace: &Workspace, format: Format) -> anyhow::Result<String> {
    let table = report::categories_table(workspace);
    Ok(match format {
        Format::Json => report::json(&table.to_objects())?,
        Format::Table => written(&table, format) + &lines(&report::total_lines(workspace)),
        format => written(&table, format),
    })
}

fn compare(workspace: &Workspace, baseline: Option<&str>, questions: bool, format: Format) -> anyhow::Result<ExitCode> {
    let baseline = self::baseline(&workspace.evaluation, baseline)?;
    let text = match (format, questions) {
        (Format::Json, _) => report::json(&report::CompareReport::new(workspace, baseline))?,
        (Format::Csv, false) => report::compare_rows(workspace, baseline).to_csv(),
        (Format::Csv, true) => report::differences_table(workspace, baseline).to_csv(),
        (_, true) => written(&report::differences_summary(workspace, baseline), format),
        (Format::Markdown, false) => report::compare_table(workspace, baseline).to_markdown(),
        (Format::Table, false) => {
            let table = report::compare_table(workspace, baseline).to_sections_within(columns());
            table + &lines(&report::compare_lines(workspace, baseline))
        }
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn replay(source: CasesArg, every: Option<u64>, user: Option<&str>, format: Format) -> anyhow::Result<ExitCode> {
    let cases = load_cases(&Inputs::from(source))?;
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
    let samples = case::sample_count(&chosen.events, every);
    anyhow::ensure!(
        samples <= case::MOST_SAMPLES,
        "{samples} samples, one every {every} turns, expected at most {}; --every takes fewer",
        case::MOST_SAMPLES
    );
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

fn generate_cases(output: Option<&Path>, scale: Option<(usize, usize, usize)>) -> anyhow::Result<ExitCode> {
    let cases = scale
        .map_or_else(generate::bundled_cases, |(users, events, questions)| generate::scaled(users, events, questions));
    let text = generate::to_json(&cases)?;
    match output {
        Some(path) => {
            std::fs::write(path, text)
                .map_err(|error| anyhow::anyhow!("{}: cannot be written: {}", path.display(), io_reason(&error)))?;
        }
        None => print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn written(table: &Table, format: Format) -> String {
    match format {
        Format::Csv => table.to_csv(),
        Format::Markdown => table.to_markdown(),
        Format::Table | Format::Json => table.to_text_within(columns()),
    }
}
