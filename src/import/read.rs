//! Reading a file in pieces: independent elements are found by a fast look and parsed on all cores, in order.
//!
//! A file is held neither twice nor as a whole: at any time there are two pieces of it (the one that is parsed and the one
//! that is read meanwhile) and what was made of the pieces before.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde::de::Deserialize;

use super::Progress;
use super::split::{Between, Splitter};
use crate::source::{InputError, Position, Source, io_reason};

/// Bytes of a file by which its format is recognised.
const HEAD: usize = 1 << 16;
/// Bytes of a piece. Elements that are larger make it larger.
const PIECE: usize = 8 << 20;

/// A file that was opened and not read yet but for its first bytes.
pub struct Opened {
    name: Arc<str>,
    head: Vec<u8>,
    rest: Box<dyn Read + Send>,
    progress: Progress,
}

impl Opened {
    /// Opens a file, or standard input when `path` is `-`, and looks at its first bytes.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(path: &Path, progress: &Progress) -> Result<Self, InputError> {
        if path.as_os_str() == "-" {
            return Self::from_reader("standard input", Box::new(std::io::stdin()), progress);
        }
        let name = path.display().to_string();
        let failed = |error| InputError::plain(&name, format!("cannot be read: {}", io_reason(&error)));
        let file = std::fs::File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        if about.is_dir() {
            return Err(failed(std::io::ErrorKind::IsADirectory.into()));
        }
        progress.expect(about.len());
        Self::from_reader(&name, Box::new(file), progress)
    }

    /// Takes anything that can be read, such as a bundled file.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn from_reader(name: &str, mut rest: Box<dyn Read + Send>, progress: &Progress) -> Result<Self, InputError> {
        let mut head = Vec::new();
        fill(progress, name, &mut rest, &mut head, HEAD)?;
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3);
        }
        Ok(Self { name: name.into(), head, rest, progress: progress.clone() })
    }

    /// The name under which problems are reported.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The first bytes, without a byte order mark.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The whole text.
    ///
    /// # Errors
    /// It cannot be read further, or is not UTF-8.
    pub fn into_source(self) -> Result<Source, InputError> {
        let Self { name, head: mut bytes, mut rest, progress } = self;
        fill(&progress, &name, &mut rest, &mut bytes, usize::MAX)?;
        Source::from_bytes(name, bytes)
    }

    /// Parses each element on any core and hands the results on in the order of the file.
    ///
    /// # Errors
    /// The first of: it cannot be read, is not made of such elements, or `parse` or `take` refuse one.
    pub(super) fn each<R: Send>(
        self,
        between: Between,
        parse: impl Fn(Element<'_>) -> Result<R, InputError> + Sync,
        mut take: impl FnMut(R) -> Result<(), InputError>,
    ) -> Result<(), InputError> {
        let mut pieces = Pieces::new(self, between);
        let mut piece = pieces.next();
        loop {
            let current = match piece {
                Some(current) => current?,
                None => return Ok(()),
            };
            let parsed = || {
                let elements = current.elements.par_iter();
                elements.map(|found| parse(current.element(found))).collect::<Vec<_>>()
            };
            let (parsed, next) = rayon::join(parsed, || pieces.next());
            for result in parsed {
                take(result?)?;
            }
            if let Some(error) = current.broken {
                return Err(error);
            }
            piece = next;
        }
    }
}

/// One element of a file.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    /// The file's name.
    pub name: &'a Arc<str>,
    /// Its place among the elements, from 0.
    pub index: usize,
    /// Where it begins.
    pub position: Position,
    /// Its text.
    pub bytes: &'a [u8],
}

impl<'a> Element<'a> {
    /// The element as a value.
    pub(super) fn parse<T: Deserialize<'a>>(&self) -> Result<T, InputError> {
        serde_json::from_slice(self.bytes).map_err(|error| self.explain(&error))
    }

    /// The element, which must be an object, as a value: serde would take a list for one whose fields come in order.
    pub(super) fn parse_object<T: Deserialize<'a>>(&self) -> Result<T, InputError> {
        self.check_object()?;
        self.parse()
    }

    fn check_object(&self) -> Result<(), InputError> {
        let found = match self.bytes.first() {
            Some(b'[') => "found a list",
            Some(b'"') => "found a text",
            _ => return Ok(()),
        };
        let message = format!("{found}, expected an object");
        Err(InputError { source: Arc::clone(self.name), position: Some(self.position), message })
    }

    /// The element, which must be an object, as a value, with the names of the fields that it does not have.
    pub(super) fn parse_noting_unknown<T: Deserialize<'a>>(&self) -> Result<(T, Vec<String>), InputError> {
        self.check_object()?;
        let mut unknown = Vec::new();
        let mut deserializer = serde_json::Deserializer::from_slice(self.bytes);
        let note = |path: serde_ignored::Path<'_>| unknown.push(path.to_string());
        let value = serde_ignored::deserialize(&mut deserializer, note);
        let value = value.and_then(|value| deserializer.end().map(|()| value));
        let value = value.map_err(|error| self.explain(&error))?;
        Ok((value, unknown))
    }

    fn explain(&self, error: &serde_json::Error) -> InputError {
        let error = match Source::from_bytes(Arc::clone(self.name), self.bytes.to_vec()) {
            Ok(text) => crate::source::json::explained(&text, error),
            Err(not_utf8) => not_utf8,
        };
        moved(error, self.position)
    }
}

/// An error within a part of a text, as one within the text: `base` is where the part begins.
pub(super) fn moved(mut error: InputError, base: Position) -> InputError {
    error.position = error.position.map(|at| Position {
        line: base.line + at.line - 1,
        column: if at.line == 1 { base.column + at.column - 1 } else { at.column },
    });
    error
}

/// Part of a file, with the elements that lie in it.
struct Piece {
    name: Arc<str>,
    bytes: Vec<u8>,
    elements: Vec<Found>,
    /// What is wrong behind the last of the elements.
    broken: Option<InputError>,
}

struct Found {
    index: usize,
    start: usize,
    end: usize,
    position: Position,
}

impl Piece {
    fn element(&self, found: &Found) -> Element<'_> {
        Element {
            name: &self.name,
            index: found.index,
            position: found.position,
            bytes: self.bytes.get(found.start..found.end).unwrap_or_default(),
        }
    }
}

/// Cuts a file into pieces that end between two elements.
struct Pieces {
    name: Arc<str>,
    from: Box<dyn Read + Send>,
    progress: Progress,
    splitter: Splitter,
    /// What the last piece left over: the beginning of an element.
    left: Vec<u8>,
    /// How many bytes of that the splitter has seen.
    scanned: usize,
    place: Place,
    count: usize,
    ended: bool,
}

impl Pieces {
    fn new(opened: Opened, between: Between) -> Self {
        let Opened { name, head, rest, progress } = opened;
        Self {
            name,
            from: rest,
            progress,
            splitter: Splitter::new(between),
            left: head,
            scanned: 0,
            place: Place::default(),
            count: 0,
            ended: false,
        }
    }

    fn next(&mut self) -> Option<Result<Piece, InputError>> {
        (!self.ended).then(|| self.piece())
    }

    fn piece(&mut self) -> Result<Piece, InputError> {
        let mut bytes = Vec::with_capacity(self.left.len().max(PIECE / 2) * 2);
        bytes.append(&mut self.left);
        let mut scanned = self.scanned;
        let mut ranges = Vec::new();
        let mut broken = None;
        let mut wanted = PIECE.max(bytes.len() + PIECE / 2);
        while ranges.is_empty() && !self.ended {
            self.ended = fill(&self.progress, &self.name, &mut self.from, &mut bytes, wanted)?;
            broken = self.splitter.feed(&bytes, scanned, self.ended, &mut ranges).err();
            scanned = bytes.len();
            wanted = bytes.len().saturating_mul(2);
            if broken.is_some() {
                self.ended = true;
            }
        }
        let elements = ranges
            .into_iter()
            .map(|(start, end)| {
                let position = self.place.at(&bytes, start);
                self.count += 1;
                Found { index: self.count - 1, start, end, position }
            })
            .collect();
        let broken = broken.map(|(offset, message)| InputError {
            source: Arc::clone(&self.name),
            position: Some(self.place.at(&bytes, offset)),
            message,
        });
        let cut = self.splitter.keep_from(bytes.len());
        self.left = bytes.split_off(cut);
        self.scanned = self.left.len();
        self.place.leave(&bytes);
        Ok(Piece { name: Arc::clone(&self.name), bytes, elements, broken })
    }
}

/// A place that moves forward through a text, so that finding many positions in it costs one walk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    offset: usize,
    position: Position,
}

impl Default for Place {
    fn default() -> Self {
        Self { offset: 0, position: Position { line: 1, column: 1 } }
    }
}

impl Place {
    /// The position of a byte; for one before the last that was asked for the walk begins anew.
    pub(super) fn at(&mut self, bytes: &[u8], offset: usize) -> Position {
        if offset < self.offset {
            *self = Self::default();
        }
        let passed = bytes.get(self.offset..offset).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', passed).count();
        let last = match memchr::memrchr(b'\n', passed) {
            Some(at) => {
                self.position.column = 1;
                passed.get(at + 1..).unwrap_or_default()
            }
            None => passed,
        };
        self.position.line += lines;
        // Bytes that continue a character do not begin one.
        self.position.column += last.iter().filter(|byte| (**byte & 0xc0) != 0x80).count();
        self.offset = offset;
        self.position
    }

    /// Leaves bytes behind: offsets count from their end.
    fn leave(&mut self, bytes: &[u8]) {
        self.at(bytes, bytes.len());
        self.offset = 0;
    }
}

/// Reads on into `buffer` until it holds `wanted` bytes or the input ends. Returns whether it ended.
fn fill(
    progress: &Progress,
    name: &str,
    from: &mut impl Read,
    buffer: &mut Vec<u8>,
    wanted: usize,
) -> Result<bool, InputError> {
    /// Bytes between two looks at the flag.
    const STEP: usize = 1 << 20;
    while buffer.len() < wanted {
        if progress.is_cancelled() {
            return Err(InputError::plain(name, "stopped before its end"));
        }
        let step = (wanted - buffer.len()).min(STEP);
        let read = from.by_ref().take(step as u64).read_to_end(buffer).map_err(|error| {
            InputError::plain(name, format!("cannot be read: {}", crate::source::io_reason(&error)))
        })?;
        progress.read(read as u64);
        if read < step {
            return Ok(true);
        }
    }
    Ok(false)
}
