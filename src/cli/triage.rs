//! Causes, provenance, and decisions taken from a script.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use crate::case::CaseSet;
use crate::open::{Inputs, load_cases};
use crate::provenance::{Provenance, ProvenanceVerdict};
use crate::report::{self, CauseReport, Format, TriagedReport};
use crate::source::Source;
use crate::triage::repair::{Edited, EventEdit};
use crate::triage::{
    AnswerChoice, Causes, Decision, DecisionVerdict, Proposal, Scores, Standing, SystemClock, Triage, TriageFile,
    decide, export, repair,
};
use crate::tui::options::Settings;
use crate::workspace::Workspace;

use super::commands::{GATE_FAILED, check_standard_input, open, written};
use super::output::{complain, print, warn};
use super::{InputArgs, TokenArgs};

#[derive(Subcommand)]
pub(super) enum TriageCommand {
    /// Name the cause of each answer that does not pass, and how each block stands
    Causes {
        #[command(flatten)]
        inputs: InputArgs,
        /// Decisions
        #[arg(long, value_name = "FILE")]
        triage: Option<PathBuf>,
        /// How to print them
        #[arg(long, default_value = "table")]
        format: Format,
        #[command(flatten)]
        tokens: TokenArgs,
    },
    /// Tell whether the recorded answers were made from these blocks; exit with code 1 when one was not
    Provenance {
        #[command(flatten)]
        inputs: InputArgs,
        /// How to print it
        #[arg(long, default_value = "table")]
        format: Format,
        #[command(flatten)]
        tokens: TokenArgs,
    },
    /// Add a decision about a question's key, its answers or the question itself
    Decide(DecideArgs),
    /// Print the decisions
    Decisions {
        #[command(flatten)]
        inputs: InputArgs,
        /// Decisions [default: triage.json beside the case file]
        #[arg(long, value_name = "FILE")]
        triage: Option<PathBuf>,
        /// How to print them
        #[arg(long, default_value = "table")]
        format: ListFormat,
    },
    /// Copy a question and its user's events to a new case file, with further or changed events
    Repair {
        /// The question's id or its words
        #[arg(value_name = "QUESTION")]
        question: String,
        /// Case file that it is in [default: the bundled cases]
        #[arg(value_name = "CASES")]
        cases: Option<PathBuf>,
        /// An event to add, or to put in place of the one with its turn and attribute
        #[arg(long = "event", value_name = "TURN OP ATTRIBUTE TEXT")]
        events: Vec<String>,
        /// The new case file; it must not be there yet
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
}

#[derive(Args)]
pub(super) struct DecideArgs {
    /// The question's id or its words
    #[arg(value_name = "QUESTION")]
    question: String,
    /// key-wrong, key-too-narrow, key-too-wide, wrong-premise, ambiguous, evidence-wrong, answer-right, answer-wrong, key-right
    #[arg(value_name = "VERDICT", value_parser = verdict)]
    verdict: DecisionVerdict,
    #[command(flatten)]
    inputs: InputArgs,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Who decides [default: `author` of the settings file, else "unknown"]
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// Which answers are meant: STRATEGY/SEED, STRATEGY, or * for all
    #[arg(long, value_name = "ANSWER", conflicts_with = "answer_text")]
    answer: Option<String>,
    /// Every answer with these words is meant
    #[arg(long, value_name = "TEXT")]
    answer_text: Option<String>,
    /// A pattern that the key should have: the name of a fact, stale or forgotten; an empty REGEX takes it away
    #[arg(long = "pattern", value_name = "NAME=REGEX", value_parser = pattern)]
    patterns: Vec<(String, String)>,
    /// What the published answer should say
    #[arg(long, value_name = "TEXT")]
    published: Option<String>,
    /// A turn that the decision rests on [default: those that say the question's facts]
    #[arg(long, value_name = "TURN")]
    evidence: Vec<u64>,
    /// Take your decision of this kind back
    #[arg(long)]
    withdraw: bool,
    /// The file of decisions; it is made where it is not there
    #[arg(long, value_name = "FILE")]
    triage: PathBuf,
    /// Settings file, for `author`
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ListFormat {
    /// For people, in columns.
    Table,
    /// For programs: a line an entry.
    Jsonl,
    /// For issues and notes.
    Markdown,
}

fn verdict(text: &str) -> Result<DecisionVerdict, String> {
    let slugs = DecisionVerdict::ALL.map(DecisionVerdict::slug);
    DecisionVerdict::parse(text).ok_or_else(|| {
        let near = crate::source::json::did_you_mean(text, &slugs);
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        format!("expected one of {}{hint}", slugs.join(", "))
    })
}

fn pattern(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, regex)) if !name.is_empty() => Ok((name.to_owned(), regex.to_owned())),
        _ => Err("expected NAME=REGEX, such as Priya=\\bpriya\\b".to_owned()),
    }
}

pub(super) fn run(command: TriageCommand) -> anyhow::Result<ExitCode> {
    match command {
        TriageCommand::Causes { inputs, triage, format, tokens } => {
            causes(&inputs.into(), triage.as_deref(), format, &tokens)
        }
        TriageCommand::Provenance { inputs, format, tokens } => provenance(&inputs.into(), format, &tokens),
        TriageCommand::Decide(args) => decide_one(args),
        TriageCommand::Decisions { inputs, triage, format } => decisions(&inputs.into(), triage, format),
        TriageCommand::Repair { question, cases, events, output } => repair_one(&question, cases, &events, &output),
    }
}

/// Reads decisions that are named beside the inputs.
fn load(triage: Option<&Path>, inputs: &Inputs, tokens: &TokenArgs) -> anyhow::Result<Triage> {
    let Some(path) = triage else { return Ok(Triage::default()) };
    let answers = inputs.answers.iter().cloned().chain([path.to_owned()]).collect();
    check_standard_input(&Inputs { answers, ..inputs.clone() }, tokens)?;
    Ok(Triage::load(path)?)
}

/// Says on standard error which recordings were not made from these blocks.
pub(super) fn warn_of_provenance(provenance: &Provenance) {
    for recording in provenance.recordings.iter().filter(|found| found.verdict == ProvenanceVerdict::Off) {
        complain(&format!("warning: {}; see `recallscope provenance`", recording.line()));
    }
}

fn standing_of(triage: &Triage, workspace: &Workspace) -> (Standing, Vec<String>) {
    warn(&triage.warnings);
    let standing = Standing::of(triage, workspace);
    let remarks = export::remarks(&standing);
    remarks.iter().for_each(|remark| complain(&format!("warning: {}", crate::text::displayable(remark))));
    (standing, remarks)
}

fn causes(inputs: &Inputs, triage: Option<&Path>, format: Format, tokens: &TokenArgs) -> anyhow::Result<ExitCode> {
    let triage = load(triage, inputs, tokens)?;
    let workspace = open(inputs, tokens)?;
    let provenance = Provenance::of(&workspace);
    warn_of_provenance(&provenance);
    let (standing, remarks) = standing_of(&triage, &workspace);
    let causes = Causes::of(&workspace, &standing, &provenance);
    print(&match format {
        Format::Json => report::json(&CauseReport::new(&causes, &remarks))?,
        Format::Csv => report::causes_table(&causes).to_csv(),
        Format::Table | Format::Markdown => {
            let tables = [
                report::cause_totals_table(&causes),
                report::cause_groups_table(&causes),
                report::block_causes_table(&causes),
            ];
            let filled = tables.iter().filter(|table| !table.rows.is_empty());
            filled.map(|table| written(table, format)).collect::<Vec<_>>().join("\n")
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

fn provenance(inputs: &Inputs, format: Format, tokens: &TokenArgs) -> anyhow::Result<ExitCode> {
    let workspace = open(inputs, tokens)?;
    let provenance = Provenance::of(&workspace);
    print(&match format {
        Format::Json => report::json(&provenance)?,
        Format::Csv => report::off_table(&provenance).to_csv(),
        Format::Table | Format::Markdown => {
            let mut text = written(&report::provenance_table(&provenance), format);
            if provenance.off_count() > 0 {
                text.push('\n');
                text.push_str(&written(&report::off_table(&provenance), format));
            }
            text
        }
    })?;
    if provenance.off_count() > 0 {
        provenance.lines().iter().for_each(|line| complain(line));
        return Ok(ExitCode::from(GATE_FAILED));
    }
    Ok(ExitCode::SUCCESS)
}

/// The grades of a recording with its three totals.
pub(super) fn grade(inputs: &Inputs, triage: &Path, format: Format) -> anyhow::Result<ExitCode> {
    let triage = load(Some(triage), inputs, &TokenArgs::default())?;
    let workspace = open(inputs, &TokenArgs::default())?;
    warn_of_provenance(&Provenance::of(&workspace));
    let (standing, remarks) = standing_of(&triage, &workspace);
    let Some(graded) = workspace.recordings.first() else { return Ok(ExitCode::SUCCESS) };
    let scores = Scores::of(&workspace, &standing);
    print(&match format {
        Format::Json => report::json(&TriagedReport::new(graded, &scores, &remarks)?)?,
        Format::Csv => report::totals_table(&scores).to_csv(),
        Format::Table | Format::Markdown => {
            let mut text = written(&report::totals_table(&scores), format);
            if !scores.moved.is_empty() {
                text.push('\n');
                text.push_str(&written(&report::moved_table(&scores), format));
            }
            for aside in &scores.set_aside {
                let why = format!("without {} ({}): {}", aside.question, aside.asked, aside.why);
                text.push_str(&format!("{}\n", crate::text::displayable(&why)));
            }
            if let Some(words) = workspace.counting_words() {
                text.push_str(&format!("answers {words}\n"));
            }
            text
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The answers on which graders disagree.
pub(super) fn disagreements(inputs: &Inputs, triage: Option<&Path>, format: Format) -> anyhow::Result<ExitCode> {
    let triage = load(triage, inputs, &TokenArgs::default())?;
    let workspace = open(inputs, &TokenArgs::default())?;
    let (standing, _) = standing_of(&triage, &workspace);
    let table = report::disagreement_table(&workspace, Some(&standing));
    print(&match format {
        Format::Json => report::json(&table.to_objects())?,
        Format::Table if table.rows.is_empty() => "no graders disagree\n".to_owned(),
        format => written(&table, format),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn decide_one(args: DecideArgs) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(args.triage.as_os_str() != "-", "--triage -: expected a file that can be written");
    let settings = Settings::load(args.config.as_deref())?;
    let (author, unsigned) = crate::triage::author(args.author.as_deref(), settings.author.as_deref());
    let workspace = open(&args.inputs.into(), &TokenArgs::default())?;
    let answers = args.answer_text.map(AnswerChoice::Text).or_else(|| args.answer.as_deref().map(AnswerChoice::parse));
    let proposal = Proposal {
        question: args.question,
        verdict: args.verdict,
        reason: args.reason,
        author,
        answers,
        patterns: args.patterns,
        published: args.published,
        evidence: args.evidence,
        withdraw: args.withdraw,
    };
    let mut before = 0;
    let triage = TriageFile::at(&args.triage).append(|triage| {
        before = triage.decisions.len();
        decide(&workspace, triage, &proposal, &SystemClock)
    })?;
    if let Some(unsigned) = unsigned {
        complain(&format!("warning: {unsigned}"));
    }
    standing_of(&triage, &workspace);
    let added = triage.decisions.get(before..).unwrap_or_default();
    print(&added.iter().map(told).collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

fn told(decision: &Decision) -> String {
    let told = format!(
        "{} {}: {}: {} ({})",
        decision.action.name(),
        decision.question,
        decision.subject,
        decision.verdict,
        decision.author
    );
    format!("{}\n", crate::text::displayable(&told))
}

fn decisions(inputs: &Inputs, triage: Option<PathBuf>, format: ListFormat) -> anyhow::Result<ExitCode> {
    let triage = match triage {
        Some(path) => load(Some(&path), inputs, &TokenArgs::default())?,
        None => TriageFile::beside(inputs.cases.as_deref()).load()?,
    };
    let workspace = open(inputs, &TokenArgs::default())?;
    let (standing, _) = standing_of(&triage, &workspace);
    print(&match format {
        ListFormat::Table => export::table(&standing).to_text(),
        ListFormat::Jsonl => export::jsonl(&standing)?,
        ListFormat::Markdown => export::markdown(&standing),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn repair_one(question: &str, cases: Option<PathBuf>, events: &[String], output: &Path) -> anyhow::Result<ExitCode> {
    let edits = events.iter().map(|event| EventEdit::parse(event)).collect::<Result<Vec<_>, _>>()?;
    let cases = load_cases(&Inputs { cases, ..Inputs::default() })?;
    warn(&cases.warnings);
    let number = repair::find(&cases, question)?;
    let Some((made, edited)) = repair::new_case(&cases, number, &edits) else { return Ok(ExitCode::SUCCESS) };
    repair::write_new(output, &made)?;
    // What is odd in the new case is said at once, such as a required fact that no event says any more.
    warn(&CaseSet::load(&Source::read(output)?)?.warnings);
    let told = |edited: &Edited| match edited {
        Edited::Added(event) => format!("added at turn {}: {}", event.turn, event.text),
        Edited::Changed { before, after } => {
            format!("changed at turn {}: {} -> {}", after.turn, before.text, after.text)
        }
    };
    let mut text: String =
        edited.iter().map(|edited| format!("{}\n", crate::text::displayable(&told(edited)))).collect();
    let name = output.display().to_string();
    text.push_str(&format!("wrote {0}; open it with: recallscope {0}\n", crate::text::displayable(&name)));
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
