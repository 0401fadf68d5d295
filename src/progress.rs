//! Work that takes long: what it says of itself, and how it is stopped.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process_group};

/// Bytes read so far and in all, and a flag that stops the reading. Clones share them, so that a screen watches what a
/// thread reads.
#[derive(Clone, Default)]
pub struct Progress {
    bytes: Arc<Bytes>,
    cancelled: Arc<AtomicBool>,
    listener: Option<ReadingListener>,
}

/// Listens to each piece that is read.
type ReadingListener = Arc<dyn Fn(&Progress) + Send + Sync>;

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} bytes", self.done(), self.total())
    }
}

#[derive(Debug, Default)]
struct Bytes {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// A progress that stops where `flag` is set, such as by a signal.
    pub fn stopped_by(flag: Arc<AtomicBool>) -> Self {
        Self { cancelled: flag, ..Self::default() }
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

    /// So many bytes more are to be read.
    pub(crate) fn expect(&self, bytes: u64) {
        self.bytes.total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// So many bytes more were read.
    pub(crate) fn read(&self, bytes: u64) {
        self.bytes.done.fetch_add(bytes, Ordering::Relaxed);
        if let Some(listener) = &self.listener {
            listener(self);
        }
    }
}

/// One step of long work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Files are read: so many bytes of so many.
    Reading(u64, u64),
    /// A strategy is made ready, in one sentence such as `mine: 12 of 150 questions`. Stopping goes on without the rest.
    Preparing(&'a str),
    /// The evaluation, in one sentence. Stopping leaves nothing.
    Evaluating(&'a str),
}

impl Step<'_> {
    /// The step in one sentence, with what stopping does; nothing where it is over in a moment.
    pub fn words(self) -> Option<String> {
        /// Bytes of files whose reading is worth a sentence.
        const LARGE: u64 = 8 << 20;
        match self {
            Self::Reading(_, total) if total < LARGE => None,
            Self::Reading(done, total) => Some(format!("reading: {} of {} MB", done >> 20, total >> 20)),
            Self::Preparing(what) | Self::Evaluating(what) => Some(what.to_owned()),
        }
    }

    /// Whether stopping goes on with what is there.
    pub fn goes_on(self) -> bool {
        matches!(self, Self::Preparing(_))
    }
}

/// Listens to one step of work at a time.
type Listener = Arc<dyn Fn(Step<'_>) + Send + Sync>;

/// Follows long work from outside: hears how far it is, and can stop it.
///
/// Work that runs programs names their process groups here, so that stopping ends them at once, whatever they are doing.
#[derive(Default)]
pub struct Watch {
    listener: Option<Listener>,
    reading: Progress,
    groups: Mutex<Vec<Pid>>,
}

impl Watch {
    /// A watch that hears each step.
    pub fn new(listener: impl Fn(Step<'_>) + Send + Sync + 'static) -> Self {
        let listener: Listener = Arc::new(listener);
        let bytes = Arc::clone(&listener);
        let told: ReadingListener = Arc::new(move |progress| bytes(Step::Reading(progress.done(), progress.total())));
        let reading = Progress { listener: Some(told), ..Progress::default() };
        Self { listener: Some(listener), reading, ..Self::default() }
    }

    /// How far the reading of files is; it stops with the rest of the work.
    pub fn reading(&self) -> &Progress {
        &self.reading
    }

    /// Says how far a strategy is made ready.
    pub fn say(&self, step: &str) {
        if let Some(listener) = &self.listener {
            listener(Step::Preparing(step));
        }
    }

    /// Says how far the evaluation is.
    pub fn evaluating(&self, step: &str) {
        if let Some(listener) = &self.listener {
            listener(Step::Evaluating(step));
        }
    }

    /// Stops the work: it ends as soon as it notices, and keeps what is there. The programs that it runs are killed.
    pub fn stop(&self) {
        self.reading.cancel();
        for group in self.groups().drain(..) {
            // It may have ended by itself just now.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Whether somebody stopped the work.
    pub fn is_stopped(&self) -> bool {
        self.reading.is_cancelled()
    }

    /// A program runs, in a process group of its own.
    pub(crate) fn started(&self, group: Pid) {
        self.groups().push(group);
        // Somebody may have stopped the work between its start and here.
        if self.is_stopped() {
            self.stop();
        }
    }

    /// Kills a program's process group, before the program itself is waited for: until then its number is nobody else's.
    pub(crate) fn end(&self, group: Pid) {
        let mut groups = self.groups();
        if let Some(place) = groups.iter().position(|known| *known == group) {
            groups.swap_remove(place);
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    fn groups(&self) -> std::sync::MutexGuard<'_, Vec<Pid>> {
        self.groups.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
