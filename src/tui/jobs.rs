//! What the explorer does in the background: opening data, deriving what follows from it, and keeping decisions.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnosis::Diagnosis;
use crate::grade::Counting;
use crate::open::Inputs;
use crate::progress::Watch;
use crate::rank::{Cutoff, Ranking};
use crate::tokens::{GemmaCounter, HuggingFaceCounter, TokenCounter};
use crate::triage::repair::{self, EventEdit};
use crate::triage::{Proposal, SystemClock, Triage, TriageFile, author, decide, export};
use crate::workspace::Workspace;

/// What a job ends in: something, or why not in one sentence.
pub type JobResult<T> = Result<T, String>;

/// Runs a job; a panic in it becomes a sentence, and the screen lives on.
pub fn guarded<T>(what: &str, work: impl FnOnce() -> JobResult<T>) -> JobResult<T> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(format!("{what} failed in a way that it never should: {words}"))
    })
}

/// Opens the data, counted with the built-in vocabulary or with a foreign tokenizer, while somebody watches.
///
/// # Errors
/// An input cannot be read or is wrong.
pub fn open(inputs: &Inputs, tokenizer: Option<&Path>, watch: &Watch) -> JobResult<Arc<Workspace>> {
    let counter = tokenizer.map_or_else(|| Ok(Arc::new(GemmaCounter) as Arc<dyn TokenCounter>), foreign)?;
    Workspace::open_watched(inputs, counter, watch).map(Arc::new).map_err(|error| error.to_string())
}

/// Counts what is open again, with a foreign tokenizer.
///
/// # Errors
/// The tokenizer cannot be used.
pub fn recount(workspace: &Workspace, tokenizer: &Path) -> JobResult<Arc<Workspace>> {
    workspace.recounted(foreign(tokenizer)?).map(Arc::new).map_err(|error| error.to_string())
}

fn foreign(tokenizer: &Path) -> JobResult<Arc<dyn TokenCounter>> {
    Ok(Arc::new(HuggingFaceCounter::load(tokenizer).map_err(|error| error.to_string())?))
}

/// Derives what follows from the data and the decisions kept in a file, but for the key audit, and what to say. Where the file is broken nothing
/// counts as decided; it is never written then.
pub fn diagnose(workspace: &Workspace, file: &TriageFile) -> (Arc<Diagnosis>, Option<String>) {
    let (triage, said) = match file.load() {
        Ok(triage) => (triage, None),
        Err(error) => (Triage::default(), Some(error.to_string())),
    };
    (Arc::new(Diagnosis::without_audit(workspace, &triage)), said)
}

/// Ranks every question, telling `watch` how far it is. Nothing where that says to stop.
pub fn rank(workspace: &Workspace, watch: &crate::rank::Watch<'_>) -> Option<Arc<Ranking>> {
    Ranking::watched(&workspace.evaluation, &Cutoff::DEFAULT, watch).map(Arc::new)
}

/// Counts other grades or other questions, under the decisions kept in a file.
pub fn count(
    workspace: &Workspace,
    diagnosis: Option<&Diagnosis>,
    file: &TriageFile,
    counting: Counting,
) -> (Arc<Workspace>, Arc<Diagnosis>) {
    let workspace = Arc::new(workspace.counted(counting));
    let diagnosis = match diagnosis {
        Some(diagnosis) => Arc::new(match file.load() {
            Ok(triage) => diagnosis.with(&workspace, &triage),
            Err(_) => diagnosis.again(&workspace),
        }),
        None => diagnose(&workspace, file).0,
    };
    (workspace, diagnosis)
}

/// Keeps a decision and derives again what depends on it. Returns what to say as well.
///
/// # Errors
/// The decision is refused, or the file cannot be written.
pub fn keep_decision(
    workspace: &Workspace,
    diagnosis: &Diagnosis,
    file: &TriageFile,
    mut proposal: Proposal,
    configured_author: Option<&str>,
) -> JobResult<(Arc<Diagnosis>, String)> {
    let mut unsigned = None;
    if proposal.author.is_empty() {
        (proposal.author, unsigned) = author(None, configured_author);
    }
    let triage =
        file.append(|known| decide(workspace, known, &proposal, &SystemClock)).map_err(|error| error.to_string())?;
    let what = if proposal.withdraw { "withdrawn" } else { "kept" };
    let by = if unsigned.is_some() { ", signed \"unknown\" (set author in the settings)" } else { "" };
    let said = format!("{} {what} in {}{by}", proposal.verdict.name(), file.path().display());
    Ok((Arc::new(diagnosis.with(workspace, &triage)), said))
}

/// Copies a question to a new case file with one event more. Returns the file.
///
/// # Errors
/// The event is not one, or the file cannot be written.
pub fn repair_case(workspace: &Workspace, cases: Option<&Path>, question: usize, event: &str) -> JobResult<PathBuf> {
    let edit = EventEdit::parse(event).map_err(|error| error.to_string())?;
    let (repaired, _) =
        repair::new_case(&workspace.evaluation.cases, question, &[edit]).ok_or("there is no such question")?;
    let id = workspace.evaluation.question(question).map_or("question", |(_, asked)| asked.id.as_str());
    let name: String = id.chars().map(|c| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' }).collect();
    let folder = cases.filter(|path| path.as_os_str() != "-").and_then(Path::parent).unwrap_or(Path::new(""));
    let path = (1..)
        .map(|number| {
            folder.join(if number == 1 {
                format!("{name}-repaired.json")
            } else {
                format!("{name}-repaired-{number}.json")
            })
        })
        .find(|path| !path.exists())
        .ok_or("there is no free file name")?;
    repair::write_new(&path, &repaired).map_err(|error| error.to_string())?;
    Ok(path)
}

/// Writes the decisions beside their file as JSONL and Markdown. Returns what to say.
///
/// # Errors
/// A file cannot be written.
pub fn export_decisions(diagnosis: &Diagnosis, file: &TriageFile) -> JobResult<String> {
    let jsonl = export::jsonl(&diagnosis.standing).map_err(|error| error.to_string())?;
    let markdown = export::markdown(&diagnosis.standing);
    let write = |extension: &str, text: &str| {
        let path = file.path().with_extension(extension);
        std::fs::write(&path, text)
            .map_err(|error| format!("{}: cannot be written: {}", path.display(), crate::source::io_reason(&error)))?;
        Ok::<_, String>(path.display().to_string())
    };
    Ok(format!("decisions written to {} and {}", write("jsonl", &jsonl)?, write("md", &markdown)?))
}
