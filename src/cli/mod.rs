//! The command line: what may be typed, and which command each becomes.

mod abilities;
mod audit;
mod commands;
mod import;
mod lessons;
mod memory;
mod output;
mod rank;
mod triage;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::embed::Server;
use crate::grade::{Abstention, Counting, GraderChoice};
use crate::import::Memories;
use crate::open::{self, Inputs};
use crate::report::Format;
use crate::tui::PanicTest;
use crate::tui::options::{Settings, ShowFormat, ThemeChoice};
use crate::tui::theme::ColorDepth;

/// See why an agent's memory failed a question.
///
/// Without a command: opens the explorer, on the bundled data where no case file is named. Where standard output is not a
/// terminal, prints the summary table instead.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    inputs: InputArgs,
    /// Decisions [default: triage.json beside the case file]
    #[arg(long, value_name = "FILE")]
    triage: Option<PathBuf>,
    /// Governed memory to look at in the Store pane; the file is read and not touched
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,
    #[command(flatten)]
    look: LookArgs,
    #[command(flatten)]
    tokens: TokenArgs,
}

#[derive(Args, Clone, Default)]
struct InputArgs {
    /// Case file (recallscope's own, LoCoMo or LongMemEval), and recordings, block runs and answer keys to go with it. What a
    /// file is, is told by its content; `-` reads standard input [default: the bundled cases]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Recorded answers, or the blocks that another memory system sent; may be given several times
    #[arg(long, value_name = "FILE")]
    answers: Vec<PathBuf>,
    /// Answer keys
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    #[command(flatten)]
    strategies: StrategyArgs,
    #[command(flatten)]
    import: ImportArgs,
    #[command(flatten)]
    counting: CountingArgs,
}

#[derive(Args, Clone, Default)]
struct StrategyArgs {
    /// Run this strategy; may be given several times. NAME:K takes the first K records of its ranking, NAME=COMMAND runs a
    /// program of yours, `all` is every built-in one [default: what fits the cases]
    #[arg(long = "strategy", value_name = "NAME")]
    strategies: Vec<String>,
    /// How long a command may be silent over a question [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<std::time::Duration>,
    /// Server for the embeddings of `dense` and `hybrid`: any with /v1/embeddings, such as http://localhost:11434
    #[arg(long, value_name = "URL", requires = "embedding_model")]
    embeddings: Option<String>,
    /// The model's name, as that server knows it
    #[arg(long, value_name = "NAME", requires = "embeddings")]
    embedding_model: Option<String>,
    /// Environment variable that holds the server's API key
    #[arg(long, value_name = "VARIABLE")]
    embedding_key: Option<String>,
    /// Keep embeddings in this file [default: recallscope/embeddings.sqlite in the user's cache folder]
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
}

impl StrategyArgs {
    /// Adds what to run. Where the command line names no server, `kept` is the one of the settings file.
    fn apply(self, inputs: Inputs, kept: Option<&Server>) -> Inputs {
        let (key_variable, cache) = (self.embedding_key, self.cache);
        let embeddings = match self.embeddings.zip(self.embedding_model) {
            Some((url, model)) => Some(Server { url, model, key_variable, cache }),
            None => kept.cloned().map(|kept| Server {
                key_variable: key_variable.or(kept.key_variable),
                cache: cache.or(kept.cache),
                ..kept
            }),
        };
        Inputs { strategies: self.strategies, timeout: self.timeout, embeddings, ..inputs }
    }

    /// The server of the user's settings file, for commands that need nothing else of it: only read where a strategy asks,
    /// and passed over where it is broken.
    fn kept_server(&self, config: Option<&Path>) -> Option<Server> {
        let wanted = |name: &String| name.starts_with("dense") || name.starts_with("hybrid") || name == "all";
        let settings = self.strategies.iter().any(wanted).then(|| Settings::load(config).ok()).flatten();
        settings?.embeddings
    }
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|seconds| (0.001..=86_400.0).contains(seconds));
    seconds.map(std::time::Duration::from_secs_f64).ok_or_else(|| "expected seconds, from 0.001 to 86400".to_owned())
}

/// How to read a benchmark.
#[derive(Args, Clone, Copy, Default)]
struct ImportArgs {
    /// Facts quota in tokens, instead of the case file's [default for LoCoMo: 1000, for LongMemEval: 4000]
    #[arg(long, value_name = "TOKENS")]
    quota: Option<usize>,
    /// What becomes a record of an imported benchmark: each turn, each session, or LoCoMo's extracted observations
    #[arg(long, value_name = "WHAT", default_value = "turns")]
    memories: Memories,
}

/// What to part totals by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// The category of the question.
    Category,
}

#[derive(Args, Clone, Copy, Default)]
struct CountingArgs {
    /// Whose grades count: answer keys, recorded judges, published answers, or of each answer the first that can grade it
    #[arg(long, value_name = "GRADER", default_value = "auto")]
    grader: GraderChoice,
    /// Whether pass rates count the questions that nothing said answers
    #[arg(long, value_name = "WHICH", default_value = "in")]
    abstention: Abstention,
}

impl From<CountingArgs> for Counting {
    fn from(args: CountingArgs) -> Self {
        Self { grader: args.grader, abstention: args.abstention }
    }
}

impl InputArgs {
    /// The inputs, with the embedding server of the settings where the command line names none.
    fn inputs(self, kept: Option<&Server>) -> Inputs {
        let mut files = self.files;
        open::cases_first(&mut files);
        let mut files = files.into_iter();
        let inputs = Inputs {
            cases: files.next(),
            files: files.collect(),
            answers: self.answers,
            keys: self.keys,
            memories: self.import.memories,
            quota: self.import.quota,
            counting: self.counting.into(),
            ..Inputs::default()
        };
        self.strategies.apply(inputs, kept)
    }
}

impl From<InputArgs> for Inputs {
    fn from(args: InputArgs) -> Self {
        let kept = args.strategies.kept_server(None);
        args.inputs(kept.as_ref())
    }
}

impl From<CasesArg> for Inputs {
    fn from(args: CasesArg) -> Self {
        let ImportArgs { quota, memories } = args.import;
        Self { cases: args.cases, memories, quota, ..Self::default() }
    }
}

#[derive(Args, Clone, Default)]
struct TokenArgs {
    /// Count tokens with this Hugging Face tokenizer.json instead of the built-in Gemma 4 vocabulary
    #[arg(long, value_name = "FILE")]
    tokenizer: Option<PathBuf>,
}

#[derive(Args, Clone, Default)]
struct LookArgs {
    /// Colours: auto, light, dark or mono
    #[arg(long, value_name = "THEME")]
    theme: Option<ThemeChoice>,
    /// Number of colours, where the terminal does not say it rightly
    #[arg(long, value_name = "DEPTH")]
    colors: Option<ColorDepth>,
    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,
    /// Settings file: theme and keys [default: recallscope/config.toml in the user's configuration folder]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Panic on purpose, to try how that ends
    #[arg(long, hide = true)]
    panic_test: Option<PanicTest>,
}

#[derive(Subcommand)]
enum Command {
    /// Grade every memory block and print the measures
    Eval {
        #[command(flatten)]
        source: CasesArg,
        /// How to print them
        #[arg(long, default_value = "table")]
        format: Format,
        /// Print the measures by category
        #[arg(long, value_name = "WHAT")]
        by: Option<By>,
        /// Exit with code 1 when a strategy sends a stale or forgotten line
        #[arg(long)]
        gate: bool,
        /// Keep both stores' databases, filled, in this folder
        #[arg(long, value_name = "FOLDER")]
        keep_stores: Option<PathBuf>,
        #[command(flatten)]
        strategies: StrategyArgs,
        #[command(flatten)]
        tokens: TokenArgs,
    },
    /// Grade recorded answers: by their keys, by the recorded judges, by the published answers
    Grade {
        /// Recorded answers; `-` reads standard input [default: the bundled recording]
        #[arg(value_name = "ANSWERS")]
        answers: Option<PathBuf>,
        /// Answer keys [default: the bundled keys]
        #[arg(long, value_name = "FILE")]
        keys: Option<PathBuf>,
        /// Decisions: prints the totals as recorded, with corrected keys and without what is disputed as well
        #[arg(long, value_name = "FILE")]
        triage: Option<PathBuf>,
        /// Case file that the answers belong to [default: the bundled cases]
        #[arg(long, value_name = "FILE")]
        cases: Option<PathBuf>,
        #[command(flatten)]
        counting: CountingArgs,
        /// Print only the answers on which graders disagree, and who says what
        #[arg(long)]
        disagree: bool,
        /// Print totals by category instead of each answer's grade
        #[arg(long, value_name = "WHAT", conflicts_with = "disagree")]
        by: Option<By>,
        /// How to print the grades
        #[arg(long, default_value = "table")]
        format: Format,
    },
    /// Rank all questions by how likely their answer key is wrong
    Audit(audit::AuditArgs),
    /// Hold all strategies against one of them: every measure, and the questions on which they differ
    Compare {
        #[command(flatten)]
        inputs: InputArgs,
        /// The strategy to measure against [default: the first]
        #[arg(long, value_name = "NAME")]
        baseline: Option<String>,
        /// Print the questions on which strategies differ instead of the measures (JSON always has both)
        #[arg(long)]
        questions: bool,
        /// How to print them
        #[arg(long, default_value = "table")]
        format: Format,
        #[command(flatten)]
        tokens: TokenArgs,
    },
    /// Measure how well strategies rank: recall, MRR, nDCG and more, before the facts quota cuts and after
    Rank(rank::RankArgs),
    #[command(flatten)]
    Triage(triage::TriageCommand),
    /// Print a map from each question to the attributes that it asks about, to fill in and add to the case file
    Attributes {
        #[command(flatten)]
        source: CasesArg,
        /// Fill in the attributes of the required facts: the best map there is, to see what one could reach at most
        #[arg(long)]
        from_facts: bool,
    },
    /// Print how the stores' rows grow over a long replay
    Replay {
        #[command(flatten)]
        source: CasesArg,
        /// Take a sample every N turns [default: what the case file says]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        every: Option<u64>,
        /// Replay this user's conversation instead of the long replay
        #[arg(long, value_name = "NAME")]
        user: Option<String>,
        /// How to print them
        #[arg(long, default_value = "table")]
        format: Format,
    },
    /// Count the tokens of each line of a text
    Count {
        /// Text file; `-` reads standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// How to print the counts
        #[arg(long, default_value = "table")]
        format: Format,
        #[command(flatten)]
        tokens: TokenArgs,
    },
    /// Keep a governed memory in a file: remember, correct, forget, ask, and see every decision
    Memory(memory::MemoryArgs),
    /// Show what lessons a curriculum comes to, why each was promoted or blocked, and what a rollback would change
    Lessons(lessons::LessonsArgs),
    /// Try which abilities each memory has, probe by probe, under one token budget
    Abilities(abilities::AbilitiesArgs),
    /// Print a number for each layer of a memory: formation, retrieval, use, lifecycle
    Layers(abilities::LayersArgs),
    /// Read benchmarks and answer sets, and say what was read, mapped and doubtful
    Import(import::ImportCommand),
    /// Open bundled data by its name: longmemeval-slice, or bundled; or any files, as without a command
    Open {
        #[command(flatten)]
        inputs: InputArgs,
        /// Decisions [default: triage.json beside the case file]
        #[arg(long, value_name = "FILE")]
        triage: Option<PathBuf>,
        /// Governed memory to look at in the Store pane; the file is read and not touched
        #[arg(long, value_name = "FILE")]
        memory: Option<PathBuf>,
        #[command(flatten)]
        look: LookArgs,
        #[command(flatten)]
        tokens: TokenArgs,
    },
    /// Write the bundled case set, made anew from its rule
    Generate {
        /// Write to this file instead of standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Make a case set of this many users, events each and questions each instead, such as 1000x100x100, to try how
        /// recallscope does at a size
        #[arg(long, value_name = "UxExQ", value_parser = scale)]
        scale: Option<(usize, usize, usize)>,
        /// Make a file of LongMemEval's shape with this many questions instead; 500 make 280 MB
        #[arg(long, value_name = "N", conflicts_with = "scale", hide = true)]
        longmemeval: Option<usize>,
    },
    /// Draw any screen of the explorer without a terminal
    Show {
        #[command(flatten)]
        inputs: InputArgs,
        /// Decisions [default: none]
        #[arg(long, value_name = "FILE")]
        triage: Option<PathBuf>,
        /// Governed memory to look at in the Store pane; the file is read and not touched
        #[arg(long, value_name = "FILE")]
        memory: Option<PathBuf>,
        /// Which pane to open
        #[arg(long, value_name = "NAME", default_value = "overview")]
        pane: crate::tui::PaneKind,
        /// Keys to press first, separated by spaces, such as "j j enter"
        #[arg(long, value_name = "KEYS", default_value = "")]
        press: String,
        /// Columns and rows
        #[arg(long, value_name = "WxH", default_value = "120x40", value_parser = size)]
        size: (u16, u16),
        /// Plain text, text with colours, or a picture
        #[arg(long, default_value = "text")]
        format: ShowFormat,
        #[command(flatten)]
        look: LookArgs,
        #[command(flatten)]
        tokens: TokenArgs,
    },
    /// Print the settings file with every key and its default, to copy and change
    Config,
    /// Print completions for a shell, to be loaded by it
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, of the program and then of each command
    Man,
}

#[derive(Args)]
struct CasesArg {
    /// Case file; `-` reads standard input [default: the bundled cases]
    #[arg(value_name = "CASES")]
    cases: Option<PathBuf>,
    #[command(flatten)]
    import: ImportArgs,
}

/// The largest screen that `show` draws: beyond any terminal, small enough for memory.
const MAX_CELLS: u32 = 1_000_000;

fn size(text: &str) -> Result<(u16, u16), String> {
    let parsed = text.split_once(['x', 'X']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parsed {
        Some((width, height)) if u32::from(width) * u32::from(height) <= MAX_CELLS => Ok((width, height)),
        Some(_) => Err(format!("more than {MAX_CELLS} cells")),
        None => Err("expected columns and rows, such as 120x40".to_owned()),
    }
}

fn scale(text: &str) -> Result<(usize, usize, usize), String> {
    let parts: Option<Vec<usize>> = text.split(['x', 'X']).map(|part| part.parse().ok()).collect();
    match parts.as_deref() {
        Some(&[users, events, questions]) => Ok((users, events, questions)),
        _ => Err("expected users, events each and questions each, such as 1000x100x100".to_owned()),
    }
}

/// The definition of the command line, for what is made from it.
fn definition() -> clap::Command {
    let mut definition = Cli::command();
    definition.build();
    definition
}

/// Exit code for wrong usage or unreadable input.
const UNUSABLE: u8 = 2;

/// Parses the command line, runs the command and turns what went wrong into one message and an exit code: 0 fine, 1 a gate
/// failed, 2 wrong usage or unreadable input.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(message) => return output::answer(&message),
    };
    let result = match cli.command {
        None => commands::explore(cli.inputs, cli.triage, cli.memory, &cli.look, &cli.tokens),
        Some(command) => commands::run(command),
    };
    match result {
        Ok(code) => code,
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&format!("error: {error:#}"));
            ExitCode::from(UNUSABLE)
        }
    }
}
