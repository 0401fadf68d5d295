//! Writing to standard output and standard error without ever panicking.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::UNUSABLE;
use crate::progress::Watch;
use crate::source::{Warning, alike, io_reason};
use crate::text::displayable;

/// Warnings printed one by one; further ones are only counted.
const PRINTED_WARNINGS: usize = 20;

/// Writes a report to standard output.
///
/// # Errors
/// The reader has closed the pipe (see [`is_closed_pipe`]), or the disk is full.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    // What is left in the buffer would be tried once more when it is dropped.
    let _ = out.into_parts();
    written.map_err(unwritable)
}

/// The width of the terminal that reads standard output; nothing where that is a file or a pipe.
pub fn columns() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    crossterm::terminal::size().ok().map(|(columns, _)| usize::from(columns)).filter(|columns| *columns > 0)
}

fn unwritable(error: io::Error) -> anyhow::Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return error.into();
    }
    anyhow::anyhow!("standard output cannot be written: {}", io_reason(&error))
}

/// Prints what the parser of the command line says instead of running a command: the help, the version, or what is wrong
/// with the arguments, which may hold anything.
pub fn answer(message: &clap::Error) -> ExitCode {
    if message.use_stderr() {
        message.render().to_string().trim_end().lines().for_each(complain);
        return ExitCode::from(UNUSABLE);
    }
    match message.print().and_then(|()| io::stdout().lock().flush()).map_err(unwritable) {
        Err(error) if !is_closed_pipe(&error) => {
            complain(&format!("error: {error:#}"));
            ExitCode::from(UNUSABLE)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Whether an error only says that nobody reads the output any more, as with `| head`.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes a line to standard error, with nothing in it that a terminal would obey; a closed standard error is nobody's
/// problem.
pub fn complain(line: &str) {
    let line = format!("{}\n", displayable(line));
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// Writes warnings to standard error, the first of those that say the same of different things.
pub fn warn(warnings: &[Warning]) {
    let groups = alike(warnings);
    for (warning, others) in groups.iter().take(PRINTED_WARNINGS) {
        let more = if *others > 0 { format!(" (and {others} more like it)") } else { String::new() };
        complain(&format!("warning: {warning}{more}"));
    }
    let more: usize = groups.iter().skip(PRINTED_WARNINGS).map(|(_, others)| 1 + others).sum();
    if more > 0 {
        complain(&format!("warning: {more} more"));
    }
}

/// Does long work. On a terminal one line on standard error says how far it is; a signal first ends the programs that the
/// work runs, which are in process groups of their own and would not hear of it.
///
/// # Errors
/// Those of the work.
pub fn watched<T>(work: impl FnOnce(&Watch) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let shown = io::stderr().is_terminal();
    let watch = Arc::new(Watch::new(move |step| {
        let Some(words) = step.words() else { return };
        if shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K{}", displayable(&words));
        }
    }));
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).ok();
    let handle = signals.as_ref().map(Signals::handle);
    if let Some(mut signals) = signals {
        let watch = Arc::clone(&watch);
        thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                watch.stop();
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    }
    let result = work(&watch);
    if let Some(handle) = handle {
        handle.close();
    }
    if shown {
        let _ = write!(io::stderr().lock(), "\r\x1b[K");
    }
    result
}
