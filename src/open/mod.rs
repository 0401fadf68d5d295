//! From files to what a workspace is made of: which file is what, and what stands in for a file that is not named.

mod strategies;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;

use crate::bundled::{self, BundledFile};
use crate::case::CaseSet;
use crate::embed::Server;
use crate::governed::Snapshot;
use crate::grade::{AnswerKeys, Counting};
use crate::import::{
    self, AnswerSet, CaseImport, Doubt, DoubtKind, Format, Imported, Memories, Opened, Options, Role, Slice,
};
use crate::progress::{Progress, Watch};
use crate::recording::{BlockRun, Recording};
use crate::select;
use crate::source::{InputError, Source};
use crate::workspace::{OpenError, Parts};

pub use strategies::{Prepared, strategies_for};

/// Which files to open; what is not named is the bundled data.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// The case file or folder, or the name of bundled data; `-` is standard input. Where it turns out to hold answers or
    /// keys, it is taken for those.
    pub cases: Option<PathBuf>,
    /// Further files, each taken for what it turns out to be.
    pub files: Vec<PathBuf>,
    /// Recordings and block runs, side by side.
    pub answers: Vec<PathBuf>,
    /// The answer keys.
    pub keys: Option<PathBuf>,
    /// The strategies to run, as [`select::choose`] reads them; where none is named, those of [`select::default_for`].
    pub strategies: Vec<String>,
    /// What becomes a record of an imported benchmark.
    pub memories: Memories,
    /// The facts quota in tokens, instead of the case file's.
    pub quota: Option<usize>,
    /// Whose grades count, and of which questions.
    pub counting: Counting,
    /// How long a command may be silent over a question; where nothing is said, [`crate::command::TIMEOUT`].
    pub timeout: Option<Duration>,
    /// Where embeddings come from.
    pub embeddings: Option<Server>,
    /// A governed store's database to look at.
    pub memory: Option<PathBuf>,
}

/// A governed store's database, as it was when it was opened. Its file is not touched.
#[derive(Debug)]
pub struct MemoryFile {
    /// Its path, as it is shown.
    pub name: String,
    /// The store.
    pub snapshot: Snapshot,
}

impl MemoryFile {
    /// Reads a governed store's database and leaves no trace beside it.
    ///
    /// # Errors
    /// If the file cannot be read or is no governed store that this program knows.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let name = path.display().to_string();
        let snapshot = Snapshot::read(path).map_err(|error| InputError::plain(&name, error.to_string()))?;
        Ok(Self { name, snapshot })
    }
}

impl Inputs {
    fn options(&self) -> Options {
        Options { memories: self.memories, quota: self.quota }
    }
}

/// Everything that the inputs name, read.
#[derive(Debug)]
pub struct Read {
    /// The events and questions; doubts are warnings of them.
    pub cases: CaseSet,
    /// The answer keys.
    pub keys: AnswerKeys,
    /// Recorded answers, side by side.
    pub recordings: Vec<Recording>,
    /// Blocks that other systems sent.
    pub runs: Vec<BlockRun>,
    /// What was made of each file.
    pub about: Vec<Imported>,
}

/// Reads everything that the inputs name, asks the embedding server and runs the commands.
///
/// # Errors
/// An input cannot be read or is wrong, or a strategy is not known.
pub fn parts(inputs: &Inputs) -> Result<Parts, OpenError> {
    parts_watched(inputs, &Watch::default())
}

/// [`parts`], with its progress to be seen and to be stopped by another thread.
///
/// # Errors
/// See [`parts`]; or the reading was stopped.
pub fn parts_watched(inputs: &Inputs, watch: &Watch) -> Result<Parts, OpenError> {
    // A misspelt name should be told before anything large is read.
    let chosen = select::choose(&inputs.strategies)?;
    let Read { mut cases, keys, recordings, runs, .. } = read(inputs, watch.reading())?;
    let chosen = if chosen.is_empty() { strategies::defaults(&cases, &recordings, inputs) } else { chosen };
    let (strategies, warnings) = strategies::prepare(&chosen, &cases, inputs, watch);
    cases.warnings.extend(warnings);
    Ok(Parts { cases: Arc::new(cases), keys, recordings, runs, strategies })
}

/// Reads everything that the inputs name: all files at once, on all cores.
///
/// # Errors
/// An input cannot be read or is wrong; there are two case sets or two files of keys.
pub fn read(inputs: &Inputs, progress: &Progress) -> Result<Read, InputError> {
    let Sorted { cases, answers, keys, mut passed_over } = Sorted::of(inputs, progress)?;
    let bundled_answers = cases.is_none() && answers.is_empty();
    let bundled_keys = cases.is_none() && keys.is_none();
    let options = inputs.options();
    let (cases, answers) = rayon::join(|| read_cases(cases, options), || read_sets(answers));
    let CaseImport { mut cases, about } = cases?;
    let mut fitted = import::fit(answers?, Some(&cases))?;
    if bundled_answers {
        fitted.recordings.push(Recording::load(&bundled::answers())?);
    }
    let keys = match keys {
        Some(opened) => AnswerKeys::load(&opened.into_source()?)?,
        None if bundled_keys => AnswerKeys::load(&bundled::answer_keys())?,
        None => AnswerKeys::default(),
    };
    let mut all = vec![about];
    all.append(&mut fitted.about);
    if let Some(first) = all.first_mut() {
        first.doubts.append(&mut passed_over);
    }
    let doubts: Vec<Doubt> = all.iter().flat_map(|about| &about.doubts).cloned().collect();
    cases.warnings.extend(import::warnings(&doubts));
    Ok(Read { cases, keys, recordings: fitted.recordings, runs: fitted.runs, about: all })
}

/// Reads answer sets, on all cores.
///
/// # Errors
/// One of them is wrong.
pub fn read_sets(answers: Vec<(Opened, Format)>) -> Result<Vec<AnswerSet>, InputError> {
    answers.into_par_iter().map(|(opened, format)| import::read_answers(opened, format)).collect()
}

/// The case set that the inputs name, or the bundled one.
///
/// # Errors
/// It cannot be read or is wrong.
pub fn load_cases(inputs: &Inputs) -> Result<CaseSet, InputError> {
    let Sorted { cases, .. } = Sorted::of(inputs, &Progress::default())?;
    let CaseImport { mut cases, about } = read_cases(cases, inputs.options())?;
    cases.warnings.extend(import::warnings(&about.doubts));
    Ok(cases)
}

fn read_cases(files: Option<CaseFiles>, options: Options) -> Result<CaseImport, InputError> {
    match files {
        Some(CaseFiles { opened, beside, format }) => import::read_cases(opened, beside, format, options),
        None => {
            let source: Source = bundled::cases();
            let bytes = std::io::Cursor::new(source.text().as_bytes().to_vec());
            let opened = Opened::from_reader(source.name(), Box::new(bytes), &Progress::default())?;
            import::read_cases(opened, None, Format::Cases, options)
        }
    }
}

/// The file that cases are read from.
pub struct CaseFiles {
    /// The file itself.
    pub opened: Opened,
    /// The other file of a LongMemEval slice.
    pub beside: Option<Opened>,
    /// Its format.
    pub format: Format,
}

/// The files of the inputs, opened, each with what it turned out to be.
#[derive(Default)]
pub struct Sorted {
    /// The only case source.
    pub cases: Option<CaseFiles>,
    /// Recordings and block runs.
    pub answers: Vec<(Opened, Format)>,
    /// The answer keys.
    pub keys: Option<Opened>,
    /// Files of a folder that nobody named and that are no answers.
    pub passed_over: Vec<Doubt>,
}

impl Sorted {
    /// Opens all files and looks at the beginning of each.
    ///
    /// # Errors
    /// A file cannot be read or has no known format; there are two case sets or two files of keys; a file is not of the kind
    /// that the inputs say.
    pub fn of(inputs: &Inputs, progress: &Progress) -> Result<Self, InputError> {
        let mut sorted = Self::default();
        for path in inputs.cases.iter().chain(&inputs.files) {
            sorted.take(path, None, progress)?;
        }
        for path in &inputs.answers {
            sorted.take(path, Some(Role::Answers), progress)?;
        }
        if let Some(path) = &inputs.keys {
            sorted.take(path, Some(Role::Keys), progress)?;
        }
        Ok(sorted)
    }

    /// Opens all files as one format, whatever they look like.
    ///
    /// # Errors
    /// A file cannot be read, or there are two case sets.
    pub fn as_format(files: &[PathBuf], format: Format, progress: &Progress) -> Result<Self, InputError> {
        let mut sorted = Self::default();
        for path in files {
            if format == Format::LongmemevalSlice && !path.is_file() {
                sorted.take(path, None, progress)?;
            } else {
                let opened = Opened::open(path, progress)?;
                sorted.place(path, opened, format, progress)?;
            }
        }
        Ok(sorted)
    }

    fn take(&mut self, path: &Path, wanted: Option<Role>, progress: &Progress) -> Result<(), InputError> {
        if wanted.is_none() && !path.exists() {
            if path.as_os_str() == bundled::SLICE {
                return self.take_bundled_slice(progress);
            }
            if path.as_os_str() == bundled::CASES {
                return Ok(());
            }
        }
        if path.is_dir() {
            return self.take_folder(path, progress);
        }
        let opened = Opened::open(path, progress)?;
        let format = match wanted {
            // A file that is none of ours is told as what a case set would be; beside a case set, as what it is not.
            None if self.cases.is_some() => Format::of(&opened)?,
            None | Some(Role::Cases) => Format::of_expected(&opened, Format::Cases)?,
            Some(Role::Answers) => Format::of_expected(&opened, Format::Recording)?,
            Some(Role::Keys) => Format::of_expected(&opened, Format::Keys)?,
        };
        if let Some(wanted) = wanted.filter(|wanted| *wanted != format.role()) {
            let expected = if wanted == Role::Keys { "answer keys" } else { "recorded answers or blocks" };
            return Err(InputError::plain(opened.name(), format!("found {}, expected {expected}", format.words())));
        }
        self.place(path, opened, format, progress)
    }

    fn place(&mut self, path: &Path, opened: Opened, format: Format, progress: &Progress) -> Result<(), InputError> {
        match format.role() {
            Role::Answers => self.answers.push((opened, format)),
            Role::Keys => self.take_keys(opened)?,
            Role::Cases => {
                let beside = match format {
                    Format::LongmemevalSlice => Some(beside(path, &opened, progress)?),
                    _ => None,
                };
                self.take_cases(CaseFiles { opened, beside, format })?;
            }
        }
        Ok(())
    }

    fn take_keys(&mut self, opened: Opened) -> Result<(), InputError> {
        if let Some(first) = &self.keys {
            let message = format!("found answer keys beside those of {}, expected one file of them", first.name());
            return Err(InputError::plain(opened.name(), message));
        }
        self.keys = Some(opened);
        Ok(())
    }

    fn take_cases(&mut self, files: CaseFiles) -> Result<(), InputError> {
        if let Some(first) = &self.cases {
            // Whoever names both files of a slice names one case set.
            let again = first.beside.as_ref().is_some_and(|beside| beside.name() == files.opened.name());
            if again {
                return Ok(());
            }
            let message = format!(
                "found {} beside the cases of {}, expected one case set",
                files.format.words(),
                first.opened.name()
            );
            return Err(InputError::plain(files.opened.name(), message));
        }
        self.cases = Some(files);
        Ok(())
    }

    fn take_folder(&mut self, folder: &Path, progress: &Progress) -> Result<(), InputError> {
        let slice = Slice::in_folder(folder).ok_or_else(|| {
            let name = folder.display().to_string();
            InputError::plain(&name, "cannot be read: it is a folder without questions.jsonl and sessions.jsonl")
        })?;
        let opened = Opened::open(&slice.questions, progress)?;
        let beside = Some(Opened::open(&slice.sessions, progress)?);
        self.take_cases(CaseFiles { opened, beside, format: Format::LongmemevalSlice })?;
        for path in &slice.results {
            let opened = Opened::open(path, progress)?;
            match Format::of(&opened) {
                Ok(format) if format.role() == Role::Answers => self.answers.push((opened, format)),
                _ => self.passed_over.push(Doubt {
                    kind: DoubtKind::PassedOver,
                    file: Arc::clone(opened.name()),
                    position: None,
                    subject: "the file".to_owned(),
                    found: "it holds no answers".to_owned(),
                    done: "it is passed over".to_owned(),
                }),
            }
        }
        Ok(())
    }

    fn take_bundled_slice(&mut self, progress: &Progress) -> Result<(), InputError> {
        let open =
            |file: &BundledFile| Opened::from_reader(file.name, Box::new(std::io::Cursor::new(file.bytes)), progress);
        let opened = open(&bundled::SLICE_QUESTIONS)?;
        let beside = Some(open(&bundled::SLICE_SESSIONS)?);
        self.take_cases(CaseFiles { opened, beside, format: Format::LongmemevalSlice })?;
        for file in bundled::SLICE_RESULTS {
            self.answers.push((open(file)?, Format::MemoryArena));
        }
        Ok(())
    }
}

/// The other file of a slice.
fn beside(path: &Path, opened: &Opened, progress: &Progress) -> Result<Opened, InputError> {
    match Slice::beside(path) {
        Some(other) => Opened::open(&other, progress),
        None => {
            let message =
                "found one file of a slice, expected its questions.jsonl and sessions.jsonl beside each other";
            Err(InputError::plain(opened.name(), message))
        }
    }
}

/// The files in the order that commands which name one case file expect: the case source first, wherever it stands.
/// A file that cannot be read stays in its place, to be complained of when it is opened.
pub fn cases_first(files: &mut Vec<PathBuf>) {
    let is_cases = |path: &PathBuf| {
        if !path.exists() && bundled::is_name(path.as_os_str()) || path.is_dir() {
            return true;
        }
        // What is no plain file gives its bytes only once: it stays in its place, and is told apart when it is read.
        path.is_file()
            && Opened::open(path, &Progress::default())
                .and_then(|opened| Format::of(&opened))
                .is_ok_and(|format| format.role() == Role::Cases)
    };
    // One file, or a first one that cannot be looked at, is what it is.
    if files.len() > 1
        && let Some(place) = files.iter().position(is_cases)
    {
        let cases = files.remove(place);
        files.insert(0, cases);
    }
}
