//! Writing to standard output and standard error without ever panicking.

use std::io::{self, BufWriter, Write};

use crate::source::Warning;

/// Warnings printed one by one; further ones are only counted.
const PRINTED_WARNINGS: usize = 20;

/// Writes a report to standard output.
///
/// # Errors
/// The reader has closed the pipe (see [`is_closed_pipe`]), or the disk is full.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| anyhow::Error::new(error).context("standard output cannot be written"))
}

/// Whether an error only says that nobody reads the output any more, as with `| head`.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes a line to standard error; a closed standard error is nobody's problem.
pub fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes warnings to standard error.
pub fn warn(warnings: &[Warning]) {
    for warning in warnings.iter().take(PRINTED_WARNINGS) {
        complain(&format!("warning: {warning}"));
    }
    if let Some(more) = warnings.len().checked_sub(PRINTED_WARNINGS).filter(|more| *more > 0) {
        complain(&format!("warning: {more} more"));
    }
}
