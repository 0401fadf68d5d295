//! `recallscope import`: benchmarks and answer sets into recallscope's own files.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::bundled;
use crate::case::CaseSet;
use crate::import::write::{self, CaseWriter, Whole};
use crate::import::{self, CaseImport, Format as FileFormat, Imported, Options, Progress, generate as made};
use crate::open::{CaseFiles, Inputs, Sorted, read_sets};
use crate::recording::{BlockRun, Recording};
use crate::report::{self, Format};
use crate::source::InputError;

use super::ImportArgs;
use super::commands::written;
use super::output::{complain, print};

/// Exit code of a program that Ctrl-C ended, as shells report it.
const INTERRUPTED: u8 = 130;

/// What may be typed after `import`.
#[derive(clap::Args)]
pub(super) struct ImportCommand {
    /// A format, or `auto` to tell it by each file's content (which is also done without one); then one case set and answer
    /// sets over it, or either alone; `-` reads standard input
    #[arg(value_name = "FORMAT|FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write a case set to this file, or answers and blocks as lines to this file; where there are both, this is a folder
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    import: ImportArgs,
    /// How to print what was read and what is doubtful
    #[arg(long, default_value = "table")]
    format: Format,
}

impl ImportCommand {
    /// The format that is named, and the files.
    fn named(&self) -> anyhow::Result<(Option<FileFormat>, Vec<PathBuf>)> {
        let mut files = self.files.clone();
        let first = self.files.first().and_then(|first| first.to_str()).unwrap_or_default();
        let format = FileFormat::from_str(first, true).ok();
        let is_file = Path::new(first).exists() || first == "-" || bundled::is_name(first.as_ref()) && files.len() == 1;
        if is_file {
            return Ok((None, files));
        }
        if format.is_none() && first != "auto" {
            // What looks like a file is one that is missing.
            let is_name = !first.is_empty() && !first.contains(['.', '/', '\\']);
            let values = FileFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            let names: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
            anyhow::ensure!(!is_name, "found the format {first}, expected auto or one of {}", names.join(", "));
            return Ok((None, files));
        }
        files.remove(0);
        anyhow::ensure!(!files.is_empty(), "found no file behind the format {first}, expected one");
        Ok((format, files))
    }
}

pub(super) fn run(args: &ImportCommand) -> anyhow::Result<ExitCode> {
    let (format, files) = args.named()?;
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // A second signal ends a program that waits for input which does not come.
        signal_hook::flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&flag))
            .context("signals cannot be caught")?;
        signal_hook::flag::register(signal, Arc::clone(&flag)).context("signals cannot be caught")?;
    }
    let progress = Progress::stopped_by(flag);
    let done = watched(&progress, || import(args, format, files, &progress));
    let about = match done {
        Err(_) if progress.is_cancelled() => {
            complain("stopped: nothing was written");
            return Ok(ExitCode::from(INTERRUPTED));
        }
        done => done?,
    };
    match args.format {
        Format::Json => print(&report::json(&about)?)?,
        Format::Csv => print(&report::doubts_table(&about).to_csv())?,
        format => {
            let mut text = written(&report::import_table(&about), format);
            let doubts = report::doubts_table(&about);
            if !doubts.rows.is_empty() {
                text.push('\n');
                text.push_str(&written(&doubts, format));
            }
            print(&text)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `work` in a thread of its own, with a bar on standard error where that is a terminal.
fn watched<T: Send>(progress: &Progress, work: impl FnOnce() -> T + Send) -> T {
    const EVERY: Duration = Duration::from_millis(100);
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let style = "{wide_bar} {bytes} of {total_bytes}, {binary_bytes_per_sec}, Ctrl-C stops";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    std::thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        let worker = scope.spawn(move || {
            let result = work();
            drop(done);
            result
        });
        while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
            bar.set_length(progress.total());
            bar.set_position(progress.done());
        }
        bar.finish_and_clear();
        match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn import(
    args: &ImportCommand,
    format: Option<FileFormat>,
    files: Vec<PathBuf>,
    progress: &Progress,
) -> Result<Vec<Imported>, InputError> {
    let options = Options { memories: args.import.memories, quota: args.import.quota };
    let mut sorted = match format {
        None => Sorted::of(&Inputs { files, ..Inputs::default() }, progress)?,
        Some(format) => Sorted::as_format(&files, format, progress)?,
    };
    let Some(cases) = sorted.cases.take() else { return answers_only(args, sorted) };
    if sorted.answers.is_empty()
        && let Some(output) = &args.output
    {
        return stream(cases, options, output);
    }
    let CaseFiles { opened, beside, format } = cases;
    let CaseImport { cases, about } = import::read_cases(opened, beside, format, options)?;
    let sets = read_sets(sorted.answers)?;
    let mut fitted = import::fit(sets, Some(&cases))?;
    if let Some(output) = &args.output {
        write_folder(output, &cases, &fitted.recordings, &fitted.runs)?;
    }
    let mut all = vec![about];
    all.append(&mut fitted.about);
    if let Some(first) = all.first_mut() {
        first.doubts.append(&mut sorted.passed_over);
    }
    Ok(all)
}

/// A case set alone is written as it is read: no more than a piece of it is in memory.
fn stream(files: CaseFiles, options: Options, output: &Path) -> Result<Vec<Imported>, InputError> {
    let mut writer = CaseWriter::create(output)?;
    let CaseFiles { opened, beside, format } = files;
    if format == FileFormat::Cases {
        let CaseImport { cases, about } = import::read_cases(opened, beside, format, options)?;
        cases.conversations.iter().try_for_each(|conversation| writer.write(conversation))?;
        writer.finish(cases.facts_quota, cases.long_replay.as_ref())?;
        return Ok(vec![about]);
    }
    let mut take = |conversation| writer.write(&conversation);
    let (about, quota) = import::stream_cases(opened, beside, format, options, &mut take)?;
    writer.finish(quota, None)?;
    Ok(vec![about])
}

fn answers_only(args: &ImportCommand, sorted: Sorted) -> Result<Vec<Imported>, InputError> {
    if let Some(keys) = &sorted.keys
        && sorted.answers.is_empty()
    {
        return Err(InputError::plain(keys.name(), "found answer keys, expected a case set or answers"));
    }
    let fitted = import::fit(read_sets(sorted.answers)?, None)?;
    if let Some(output) = &args.output {
        match fitted.recordings.as_slice() {
            [] | [_] => write::lines(output, fitted.recordings.first(), &fitted.runs)?,
            _ => write_answers(output, &fitted.recordings, &fitted.runs)?,
        }
    }
    Ok(fitted.about)
}

/// `cases.json`, a file of lines for each answer set, and `blocks.jsonl`.
fn write_folder(folder: &Path, cases: &CaseSet, recordings: &[Recording], runs: &[BlockRun]) -> Result<(), InputError> {
    make_folder(folder)?;
    let mut writer = CaseWriter::create(&folder.join("cases.json"))?;
    cases.conversations.iter().try_for_each(|conversation| writer.write(conversation))?;
    writer.finish(cases.facts_quota, cases.long_replay.as_ref())?;
    write_answers(folder, recordings, runs)
}

fn make_folder(folder: &Path) -> Result<(), InputError> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let reason = crate::source::io_reason(&error);
        InputError::plain(&folder.display().to_string(), format!("cannot be made: {reason}"))
    })
}

fn write_answers(folder: &Path, recordings: &[Recording], runs: &[BlockRun]) -> Result<(), InputError> {
    make_folder(folder)?;
    let mut used: Vec<String> = Vec::new();
    for recording in recordings {
        let stem = Path::new(&recording.name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let same = used.iter().filter(|known| **known == stem).count();
        let number = if same == 0 { String::new() } else { format!("-{}", same + 1) };
        write::lines(&folder.join(format!("answers-{stem}{number}.jsonl")), Some(recording), &[])?;
        used.push(stem);
    }
    if !runs.is_empty() {
        write::lines(&folder.join("blocks.jsonl"), None, runs)?;
    }
    Ok(())
}

/// Writes made data of LongMemEval's shape.
pub(super) fn generate(output: Option<&Path>, questions: usize) -> anyhow::Result<ExitCode> {
    match output {
        Some(path) => {
            let mut file = Whole::create(path)?;
            made::longmemeval(questions, &mut file)
                .with_context(|| format!("{}: cannot be written", path.display()))?;
            file.finish()?;
        }
        None => {
            let mut out = std::io::BufWriter::new(std::io::stdout().lock());
            made::longmemeval(questions, &mut out).and_then(|()| out.flush())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
