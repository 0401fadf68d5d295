//! How far reading has come, for a bar on the screen, and whether it shall stop.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::source::InputError;

/// Bytes read so far and in all, and a flag that stops the reading. Clones share them, so that a screen watches what a
/// thread reads.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    bytes: Arc<Bytes>,
    cancelled: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Bytes {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// A progress that stops where `flag` is set, such as by a signal.
    pub fn stopped_by(flag: Arc<AtomicBool>) -> Self {
        Self { bytes: Arc::default(), cancelled: flag }
    }

    /// Bytes read so far.
    pub fn done(&self) -> u64 {
        self.bytes.done.load(Ordering::Relaxed)
    }

    /// Bytes of all files that are being read or were; standard input has no length and counts for none.
    pub fn total(&self) -> u64 {
        self.bytes.total.load(Ordering::Relaxed)
    }

    /// Stops the reading at its next step.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the reading was stopped.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn expect(&self, bytes: u64) {
        self.bytes.total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Reads on into `buffer` until it holds `wanted` bytes or the input ends. Returns whether it ended.
    pub(super) fn fill(
        &self,
        name: &str,
        from: &mut impl Read,
        buffer: &mut Vec<u8>,
        wanted: usize,
    ) -> Result<bool, InputError> {
        /// Bytes between two looks at the flag.
        const STEP: usize = 1 << 20;
        while buffer.len() < wanted {
            if self.is_cancelled() {
                return Err(InputError::plain(name, "stopped before its end"));
            }
            let step = (wanted - buffer.len()).min(STEP);
            let read = from.by_ref().take(step as u64).read_to_end(buffer).map_err(|error| {
                InputError::plain(name, format!("cannot be read: {}", crate::source::io_reason(&error)))
            })?;
            self.bytes.done.fetch_add(read as u64, Ordering::Relaxed);
            if read < step {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
