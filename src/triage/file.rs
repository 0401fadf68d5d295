//! `triage.json`: the list of decisions on disk. Entries are only ever added.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::path;
use crate::source::json;
use crate::source::{InputError, Segment, Source, Warning};

use super::correction::{CorrectedKey, KeyText};
use super::decision::{
    AnswerSelector, Decision, DecisionAction, DecisionVerdict, Evidence, Previous, Subject, SubjectKind,
};
use super::disk::{Disk, RealDisk, neighbour, replace};

const FIELDS: &[&str] = &[
    "question",
    "asked",
    "subject",
    "answer",
    "strategy",
    "seed",
    "text",
    "verdict",
    "action",
    "reason",
    "author",
    "time",
    "evidence",
    "turn",
    "previous",
    "decision",
    "key",
    "grade",
    "facts",
    "patterns",
    "published",
    "must",
    "stale",
    "forgotten",
    "required",
];

/// How long to wait for another program that writes the same file. A write takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(5);

/// The decisions of one file, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Triage {
    /// Every entry, in the file's order: the history.
    pub decisions: Vec<Decision>,
    /// What was odd in the file.
    pub warnings: Vec<Warning>,
}

/// Why a decision could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum TriageError {
    /// The file is not a list of decisions; it is left as it is.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The system refused a step; the file is as it was.
    #[error("{}: cannot be {step}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What could not be done.
        step: &'static str,
        /// The system's words.
        error: io::Error,
    },
    /// Another program has held the file for too long.
    #[error("{}: another program has been writing to it for {} seconds, expected it to be free", path.display(), PATIENCE.as_secs())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The proposal is not a decision.
    #[error(transparent)]
    Decide(#[from] super::DecideError),
}

#[derive(Deserialize)]
struct RawDecision {
    question: String,
    #[serde(default)]
    asked: String,
    subject: SubjectKind,
    #[serde(default)]
    answer: Option<AnswerSelector>,
    verdict: DecisionVerdict,
    #[serde(default)]
    action: DecisionAction,
    reason: String,
    author: String,
    time: String,
    #[serde(default)]
    evidence: Vec<Evidence>,
    #[serde(default)]
    previous: Previous,
    #[serde(default)]
    patterns: Option<KeyText>,
    #[serde(default)]
    published: Option<String>,
}

impl Triage {
    /// Reads a list of decisions; a blank text is an empty list.
    ///
    /// # Errors
    /// Broken JSON, a wrong type, an unknown verdict, an empty reason or author, a time that is not RFC 3339, a subject
    /// that the verdict is not about, a pattern that is not a regular expression: each with its line and column.
    pub fn parse(source: &Source) -> Result<Self, InputError> {
        if source.text().trim().is_empty() {
            return Ok(Self::default());
        }
        let (raw, warnings) = json::parse_list::<RawDecision>(source, FIELDS)?;
        let decisions = raw.into_iter().enumerate().map(|(index, raw)| {
            checked(raw).map_err(|(place, message)| {
                let place: Vec<Segment> = [path![index].as_slice(), &place].concat();
                source.error_at(&place, message)
            })
        });
        Ok(Self { decisions: decisions.collect::<Result<_, _>>()?, warnings })
    }

    /// Reads a file that must be there.
    ///
    /// # Errors
    /// It cannot be read, or see [`Triage::parse`].
    pub fn load(path: &Path) -> Result<Self, InputError> {
        Self::parse(&Source::read(path)?)
    }
}

type Fault = (Vec<Segment>, String);

fn checked(raw: RawDecision) -> Result<Decision, Fault> {
    let fault = |place: &[Segment], message: String| Err((place.to_vec(), message));
    for (field, text, expected) in [
        ("question", &raw.question, "the id of a question"),
        ("reason", &raw.reason, "why it was decided"),
        ("author", &raw.author, "a name"),
    ] {
        if text.trim().is_empty() {
            return fault(&path![field], format!("found an empty {field}, expected {expected}"));
        }
    }
    let wanted = raw.verdict.subject();
    if raw.subject != wanted {
        let (found, wanted) = (raw.subject.name(), wanted.name());
        let message = format!("found the subject `{found}`, expected `{wanted}` for the verdict \"{}\"", raw.verdict);
        return fault(&path!["subject"], message);
    }
    let subject = match (raw.subject, raw.answer) {
        (SubjectKind::Key, None) => Subject::Key,
        (SubjectKind::Case, None) => Subject::Case,
        (SubjectKind::Answer, Some(selector)) => Subject::Answer(selector),
        (SubjectKind::Answer, None) => {
            return fault(&path!["subject"], "found no `answer`, expected the answer that is decided about".to_owned());
        }
        (kind, Some(_)) => {
            return fault(
                &path!["answer"],
                format!("found an `answer`, expected none for the subject `{}`", kind.name()),
            );
        }
    };
    let Ok(time) = raw.time.parse() else {
        let message = format!("found the time \"{}\", expected RFC 3339, such as 2026-11-30T12:00:00Z", raw.time);
        return fault(&path!["time"], message);
    };
    if raw.published.is_some() && (raw.subject != SubjectKind::Key || !raw.verdict.disputes_question()) {
        let message = format!("found `published`, expected none for the verdict \"{}\"", raw.verdict);
        return fault(&path!["published"], message);
    }
    if raw.published.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return fault(
            &path!["published"],
            "found an empty text, expected what the published answer should say".to_owned(),
        );
    }
    let patterns = raw.patterns.map(|text| correction(raw.verdict, text)).transpose()?;
    Ok(Decision {
        question: raw.question,
        asked: raw.asked,
        subject,
        verdict: raw.verdict,
        action: raw.action,
        reason: raw.reason,
        author: raw.author,
        time,
        evidence: raw.evidence,
        previous: raw.previous,
        patterns,
        published: raw.published,
    })
}

fn correction(verdict: DecisionVerdict, text: KeyText) -> Result<CorrectedKey, Fault> {
    if verdict.subject() != SubjectKind::Key || !verdict.disputes_question() {
        let message =
            format!("found patterns, expected none for the verdict \"{verdict}\": it finds no fault in the key");
        return Err((path!["patterns"].to_vec(), message));
    }
    let written = text.clone();
    CorrectedKey::new(text).map_err(|(name, error)| {
        let pattern = written.patterns().find(|(known, _)| *known == name).map(|(_, text)| text).unwrap_or_default();
        let message = format!("found the pattern \"{pattern}\", expected a regular expression: {error}");
        let is_must = written.must.get(&name).is_some();
        let name = name.as_str();
        let place = if is_must { path!["patterns", "must", name].to_vec() } else { path!["patterns", name].to_vec() };
        (place, message)
    })
}

/// The file of decisions.
#[derive(Debug, Clone)]
pub struct TriageFile {
    path: PathBuf,
}

impl TriageFile {
    /// The file at a path. It need not be there yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// `triage.json` beside a case file; in the current folder for the bundled cases and for standard input.
    pub fn beside(cases: Option<&Path>) -> Self {
        let cases = cases.filter(|path| path.as_os_str() != "-");
        Self::at(cases.map_or(Path::new(""), |path| path.parent().unwrap_or(Path::new(""))).join("triage.json"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The decisions in it; none where it is not there.
    ///
    /// # Errors
    /// It cannot be read, or see [`Triage::parse`].
    pub fn load(&self) -> Result<Triage, InputError> {
        Triage::parse(&self.source()?)
    }

    fn source(&self) -> Result<Source, InputError> {
        match self.path.try_exists() {
            Ok(false) => Ok(Source::new(self.path.display().to_string(), "")),
            _ => Source::read(&self.path),
        }
    }

    /// Adds the decisions that `make` derives from what the file says now, and returns what it says then.
    ///
    /// Under a lock, so that two programs lose nothing: the file is read again, `make` sees what the other one wrote, and
    /// what is there is kept byte for byte. A reader sees the old file or the new one, never half of one, and so does who
    /// comes after a crash.
    ///
    /// # Errors
    /// The file is broken, `make` refuses, the system refuses or the lock is not to be had; the file is as it was then.
    pub fn append(
        &self,
        make: impl FnOnce(&Triage) -> Result<Vec<Decision>, super::DecideError>,
    ) -> Result<Triage, TriageError> {
        self.append_on(&mut RealDisk::default(), make)
    }

    /// [`TriageFile::append`] on any [`Disk`], such as one that stops working at a chosen step.
    ///
    /// # Errors
    /// See [`TriageFile::append`].
    pub fn append_on(
        &self,
        disk: &mut dyn Disk,
        make: impl FnOnce(&Triage) -> Result<Vec<Decision>, super::DecideError>,
    ) -> Result<Triage, TriageError> {
        // A link is followed, so that the file behind it is replaced and not the link.
        let target = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let _lock = self.lock(&target)?;
        let source = self.source()?;
        let mut triage = Triage::parse(&source)?;
        let added = make(&triage)?;
        if added.is_empty() {
            return Ok(triage);
        }
        let refused = |step, error| TriageError::Write { path: self.path.clone(), step, error };
        let text = with_added(source.text(), &added)
            .map_err(|error| refused("written", io::Error::new(io::ErrorKind::InvalidData, error)))?;
        replace(disk, &target, &text).map_err(|(step, error)| refused(step, error))?;
        triage.decisions.extend(added);
        Ok(triage)
    }

    /// Waits for the lock, which the system gives back when its holder ends, however it ends. The lock file stays, empty: to
    /// remove it would let a third program lock a new one while the second still holds the removed one.
    fn lock(&self, target: &Path) -> Result<File, TriageError> {
        let refused = |error| TriageError::Write { path: self.path.clone(), step: "locked", error };
        let place = neighbour(target, "lock");
        let file = File::options().create(true).write(true).truncate(false).open(place).map_err(refused)?;
        let end = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(TriageError::Busy { path: self.path.clone() }),
                Err(TryLockError::Error(error)) => return Err(refused(error)),
            }
        }
    }
}

/// A list's text with further entries at its end; what is there stays byte for byte, fields that we do not know too.
fn with_added(text: &str, added: &[Decision]) -> Result<String, serde_json::Error> {
    let body = text.trim_end().strip_suffix(']').unwrap_or("[").trim_end();
    let mut whole = if body.is_empty() { "[".to_owned() } else { body.to_owned() };
    for decision in added {
        whole.push_str(if whole.ends_with('[') { "\n  " } else { ",\n  " });
        whole.push_str(&entry(decision)?);
    }
    whole.push_str("\n]\n");
    Ok(whole)
}

/// A decision as it stands in the file: a line a field, a line an evidence line, so that a diff shows what was decided.
fn entry(decision: &Decision) -> Result<String, serde_json::Error> {
    let mut bytes = Vec::new();
    decision.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, FieldLines::default()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[derive(Default)]
struct FieldLines {
    depth: usize,
    filled: bool,
}

impl FieldLines {
    fn begin<W: io::Write + ?Sized>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        writer.write_all(bracket)
    }

    fn item<W: io::Write + ?Sized>(&self, writer: &mut W, first: bool, line: Option<&[u8]>) -> io::Result<()> {
        match (first, line) {
            (true, None) => Ok(()),
            (false, None) => writer.write_all(b", "),
            (first, Some(line)) => {
                writer.write_all(if first { b"" } else { b"," })?;
                writer.write_all(line)
            }
        }
    }
}

impl serde_json::ser::Formatter for FieldLines {
    fn begin_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn begin_object_key<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first, (self.depth == 1).then_some(b"\n    "))
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        self.filled = true;
        writer.write_all(if self.depth == 0 { b"\n  }" } else { b"}" })
    }

    fn begin_array<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn begin_array_value<W: io::Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first, (self.depth == 2).then_some(b"\n      "))
    }

    fn end_array<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        let filled = std::mem::replace(&mut self.filled, true);
        writer.write_all(if self.depth == 1 && filled { b"\n    ]" } else { b"]" })
    }
}
