//! A store that goes to and fro along a list of steps.

use crate::governed::error::Result;
use crate::governed::{Snapshot, Store};

/// Steps between the copies that are kept at first.
const SPACING: usize = 32;
/// Copies that are kept at most; beyond them every second one is dropped.
const MOST: usize = 16;

/// A store after the first steps of a list. Going on runs further steps; going back begins from the nearest copy that was kept
/// on the way, so no way back is longer than the space between two copies.
#[derive(Debug)]
pub struct Playback {
    store: Store,
    at: usize,
    /// Copies of the store after so many steps, in order.
    pub(super) copies: Vec<(usize, Snapshot)>,
    spacing: usize,
}

impl Playback {
    /// An empty store before the first step.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub fn new() -> Result<Self> {
        Ok(Self { store: Store::in_memory()?, at: 0, copies: Vec::new(), spacing: SPACING })
    }

    /// A store that has no steps.
    pub fn of(store: Store) -> Self {
        Self { store, at: 0, copies: Vec::new(), spacing: SPACING }
    }

    /// After how many steps the store is.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The store there.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The store there, to copy it.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Goes to where the first `to` steps are done, running at most `most` of them now; `run` does the step with a number,
    /// counted from 0. Returns whether it is there.
    ///
    /// # Errors
    /// Those of the steps, or SQLite refuses.
    pub fn go(&mut self, to: usize, most: usize, mut run: impl FnMut(&mut Store, usize) -> Result<()>) -> Result<bool> {
        if to < self.at {
            let kept = self.copies.iter().rev().find(|(at, _)| *at <= to);
            (self.at, self.store) = match kept {
                Some((at, copy)) => (*at, copy.open()?),
                None => (0, Store::in_memory()?),
            };
        }
        for _ in 0..most {
            if self.at >= to {
                break;
            }
            run(&mut self.store, self.at)?;
            self.at += 1;
            self.keep()?;
        }
        Ok(self.at >= to)
    }

    fn keep(&mut self) -> Result<()> {
        let due = self.at.is_multiple_of(self.spacing);
        if !due || self.copies.last().is_some_and(|(at, _)| *at >= self.at) {
            return Ok(());
        }
        self.copies.push((self.at, self.store.snapshot()?));
        if self.copies.len() > MOST {
            self.spacing *= 2;
            self.copies.retain(|(at, _)| at.is_multiple_of(self.spacing));
        }
        Ok(())
    }
}
