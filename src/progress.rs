//! Work that takes long: what it says of itself, and how it is stopped.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, Signal, kill_process_group};

/// Listens to one step of work at a time.
type Listener = Box<dyn Fn(&str) + Send + Sync>;

/// Follows long work from outside: hears how far it is, and can stop it.
///
/// Work that runs programs names their process groups here, so that stopping ends them at once, whatever they are doing.
#[derive(Default)]
pub struct Watch {
    listener: Option<Listener>,
    stopped: AtomicBool,
    groups: Mutex<Vec<Pid>>,
}

impl Watch {
    /// A watch that hears each step in one sentence, such as `mine: 12 of 150 questions`.
    pub fn new(listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { listener: Some(Box::new(listener)), ..Self::default() }
    }

    /// Says how far the work is.
    pub fn say(&self, step: &str) {
        if let Some(listener) = &self.listener {
            listener(step);
        }
    }

    /// Stops the work: it ends as soon as it notices, and keeps what is there. The programs that it runs are killed.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        for group in self.groups().drain(..) {
            // It may have ended by itself just now.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Whether somebody stopped the work.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
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
