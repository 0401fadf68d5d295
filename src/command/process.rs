//! A running program with three threads around it, so that neither side ever waits for the other for good: one writes to it,
//! one reads its answers, one collects what it says on standard error.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::progress::Watch;
use crate::source::io_reason;
use crate::text::{displayable, truncate};

/// The longest answer in bytes.
const LONGEST: usize = 16 << 20;
/// What is written at once. The clock of the time-out starts again whenever the program has taken that much.
const CHUNK: usize = 16 << 10;
/// Lines of standard error that are kept.
const NOISE_LINES: usize = 3;
/// Bytes of standard error that count as one line at most.
const NOISE_LINE: u64 = 4096;
/// Columns of standard error in an error.
const NOISE_COLUMNS: usize = 300;
/// How long a program may take to end by itself, and how long the last words of a dead one are waited for.
const GRACE: Duration = Duration::from_millis(500);

/// What the threads report.
enum Report {
    /// The program took some bytes.
    Taken,
    /// A line came.
    Line(Vec<u8>),
    /// A line that is longer than [`LONGEST`] came.
    TooLong,
    /// Nothing more will come.
    Ended,
}

/// Why there is no line.
pub(super) enum Silence {
    /// Nothing was taken and nothing came for the whole time.
    TimedOut,
    /// The answer is beyond all measure.
    TooLong,
    /// The program ended, or closed its standard output.
    Ended,
}

/// A program that answers questions.
pub(super) struct Program<'a> {
    child: Child,
    group: Pid,
    watch: &'a Watch,
    to: Option<Sender<Vec<u8>>>,
    from: Receiver<Report>,
    noise: Arc<Mutex<VecDeque<String>>>,
    noise_ended: Receiver<()>,
}

impl<'a> Program<'a> {
    /// Starts a command with `sh -c`, in a process group of its own.
    pub(super) fn start(command: &str, watch: &'a Watch) -> Result<Self, String> {
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot be started: sh: {}", io_reason(&error)))?;
        let group = Pid::from_child(&child);
        watch.started(group);
        let (report, from) = mpsc::channel();
        let (to, batches) = mpsc::channel();
        let noise = Arc::default();
        let (heard, noise_ended) = mpsc::channel();
        if let Some(input) = child.stdin.take() {
            let report = report.clone();
            thread::spawn(move || write(input, &batches, &report));
        }
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || read(output, &report));
        }
        if let Some(errors) = child.stderr.take() {
            let noise = Arc::clone(&noise);
            thread::spawn(move || {
                listen(errors, &noise);
                drop(heard);
            });
        }
        Ok(Self { child, group, watch, to: Some(to), from, noise, noise_ended })
    }

    /// Gives the program a batch of lines and waits for one back. The time-out is for silence: it starts again while the
    /// program still takes what was written before.
    pub(super) fn ask(&mut self, batch: Vec<u8>, timeout: Duration) -> Result<Vec<u8>, Silence> {
        if let Some(to) = &self.to {
            // A program that closed its input may still answer.
            let _ = to.send(batch);
        }
        loop {
            match self.from.recv_timeout(timeout) {
                Ok(Report::Taken) => {}
                Ok(Report::Line(line)) => return Ok(line),
                Ok(Report::TooLong) => return Err(Silence::TooLong),
                Ok(Report::Ended) | Err(RecvTimeoutError::Disconnected) => return Err(Silence::Ended),
                Err(RecvTimeoutError::Timeout) => return Err(Silence::TimedOut),
            }
        }
    }

    /// Ends the program and everything that it started. Returns how it ended, where it did by itself, and the last that it
    /// said on standard error.
    pub(super) fn end(mut self, grace: bool) -> (Option<ExitStatus>, Option<String>) {
        self.to = None;
        if grace {
            // It sees the end of its input; once its output ends as well it is done.
            let mut left = GRACE;
            while let Ok(report) = self.from.recv_timeout(left) {
                if matches!(report, Report::Ended) {
                    break;
                }
                left = GRACE;
            }
        }
        let mut ended = self.has_ended();
        for _ in 0..20 {
            if ended || !grace {
                break;
            }
            thread::sleep(GRACE / 20);
            ended = self.has_ended();
        }
        self.watch.end(self.group);
        let status = self.child.wait().ok().filter(|_| ended);
        // Whatever it left running may hold standard error open.
        let _ = self.noise_ended.recv_timeout(GRACE);
        let noise = self.noise.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = noise.iter().map(String::as_str).collect();
        let words = (!lines.is_empty()).then(|| truncate(&displayable(&lines.join(" / ")), NOISE_COLUMNS).to_string());
        (status, words)
    }
}

impl Program<'_> {
    /// Whether it ended by itself. It is not waited for: its number stays its own until its group is killed.
    fn has_ended(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.group), look).is_ok_and(|status| status.is_some())
    }
}

/// How a program ended, as the rest of a sentence.
pub(super) fn ending(status: Option<ExitStatus>) -> String {
    match status {
        None => "closed its standard output".to_owned(),
        Some(status) => match (status.code(), status.signal()) {
            (Some(127), _) => "was not found (exit code 127)".to_owned(),
            (Some(code), _) => format!("ended with exit code {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "ended".to_owned(),
        },
    }
}

fn write(mut input: impl Write, batches: &Receiver<Vec<u8>>, report: &Sender<Report>) {
    for batch in batches {
        for chunk in batch.chunks(CHUNK) {
            if input.write_all(chunk).and_then(|()| input.flush()).is_err() || report.send(Report::Taken).is_err() {
                return;
            }
        }
    }
}

fn read(output: impl Read, report: &Sender<Report>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let limit = u64::try_from(LONGEST).unwrap_or(u64::MAX) + 1;
        let last = match output.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => Report::Ended,
            Ok(_) if line.len() > LONGEST => Report::TooLong,
            Ok(_) => {
                if line.last() == Some(&b'\n') {
                    line.pop();
                }
                if report.send(Report::Line(line)).is_err() {
                    return;
                }
                continue;
            }
        };
        let _ = report.send(last);
        return;
    }
}

/// Reads all of standard error, so that no program waits for its noise to be heard, and keeps the last lines.
fn listen(errors: impl Read, noise: &Mutex<VecDeque<String>>) {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    while errors.by_ref().take(NOISE_LINE).read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let words = String::from_utf8_lossy(&line).trim().to_owned();
        line.clear();
        if words.is_empty() {
            continue;
        }
        let mut noise = noise.lock().unwrap_or_else(PoisonError::into_inner);
        if noise.len() == NOISE_LINES {
            noise.pop_front();
        }
        noise.push_back(words);
    }
}
