//! Writing what was imported as recallscope's own files.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::own::{Head, Line, SentText};
use crate::case::{Conversation, LongReplay};
use crate::recording::{BlockRun, Recording};
use crate::source::{InputError, io_reason};
use crate::triage::disk::{folder_of, readable};

/// A file that is there only when it is whole: it is written beside its place and then renamed.
pub struct Whole {
    path: PathBuf,
    file: BufWriter<tempfile::NamedTempFile>,
}

impl Whole {
    /// Begins a file.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn create(path: &Path) -> Result<Self, InputError> {
        let file = tempfile::NamedTempFile::new_in(folder_of(path)).map_err(|error| unwritable(path, &error))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::with_capacity(1 << 20, file) })
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// The disk is full.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), InputError> {
        self.file.write_all(bytes).map_err(|error| unwritable(&self.path, &error))
    }

    /// Writes a value as JSON without a line break.
    ///
    /// # Errors
    /// The disk is full.
    pub fn write_json(&mut self, value: &impl Serialize) -> Result<(), InputError> {
        serde_json::to_writer(&mut self.file, value).map_err(|error| unwritable(&self.path, &error.into()))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// The disk is full, or the place cannot be written.
    pub fn finish(self) -> Result<(), InputError> {
        let Self { path, file } = self;
        let file = file.into_inner().map_err(|error| unwritable(&path, error.error()))?;
        readable(file.as_file()).map_err(|error| unwritable(&path, &error))?;
        file.persist(&path).map_err(|error| unwritable(&path, &error.error))?;
        Ok(())
    }
}

impl Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn unwritable(path: &Path, error: &io::Error) -> InputError {
    InputError::plain(&path.display().to_string(), format!("cannot be written: {}", io_reason(error)))
}

/// A case file that is written conversation by conversation, a line each.
pub struct CaseWriter {
    file: Whole,
    count: usize,
}

impl CaseWriter {
    /// Begins a case file.
    ///
    /// # Errors
    /// See [`Whole`].
    pub fn create(path: &Path) -> Result<Self, InputError> {
        let mut file = Whole::create(path)?;
        file.put(b"{\"conversations\": [")?;
        Ok(Self { file, count: 0 })
    }

    /// Writes the next conversation.
    ///
    /// # Errors
    /// See [`Whole`].
    pub fn write(&mut self, conversation: &Conversation) -> Result<(), InputError> {
        self.file.put(if self.count == 0 { b"\n" } else { b",\n" })?;
        self.count += 1;
        self.file.write_json(conversation)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// See [`Whole`].
    pub fn finish(mut self, facts_quota: usize, long_replay: Option<&LongReplay>) -> Result<(), InputError> {
        self.file.put(b"\n],\n")?;
        if let Some(replay) = long_replay {
            self.file.put(b"\"long_replay\": ")?;
            self.file.write_json(replay)?;
            self.file.put(b",\n")?;
        }
        self.file.put(format!("\"facts_quota\": {facts_quota}}}\n").as_bytes())?;
        self.file.finish()
    }
}

/// Writes a recording and block runs as lines. Either may be missing.
///
/// # Errors
/// See [`Whole`].
pub fn lines(path: &Path, recording: Option<&Recording>, runs: &[BlockRun]) -> Result<(), InputError> {
    let mut file = Whole::create(path)?;
    let mut write = |line: &Line| {
        file.write_json(line)?;
        file.put(b"\n")
    };
    if let Some(recording) = recording {
        if !recording.model.is_empty() || !recording.system.is_empty() {
            let head = Head { model: recording.model.clone(), system: recording.system.clone() };
            write(&Line { recording: Some(head), ..Line::default() })?;
        }
        for group in &recording.groups {
            for answer in &group.answers {
                write(&Line::of_answer(&group.strategy, &group.question, answer))?;
            }
        }
    }
    for run in runs {
        for block in &run.blocks {
            let lines = block.lines.iter().cloned().map(SentText::from).collect();
            write(&Line {
                strategy: Some(run.strategy.clone()),
                user: block.user.clone(),
                question_id: Some(block.question.clone()).filter(|_| block.user.is_none()),
                question: Some(block.question.clone()).filter(|_| block.user.is_some()),
                ranked: run.ranked,
                lines: Some(lines).filter(|lines: &Vec<_>| block.failure.is_none() || !lines.is_empty()),
                failure: block.failure.clone(),
                ..Line::default()
            })?;
        }
    }
    file.finish()
}
