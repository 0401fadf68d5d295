//! Editing a pattern of a key, live: every recorded answer that changes its verdict is seen at once.

use std::sync::Arc;

use crate::triage::{CorrectedKey, DecisionVerdict, KeyText, PatternError, Rescorer, Standing, compile};
use crate::workspace::Workspace;

/// A pattern being edited.
pub(super) struct Editor {
    /// The pattern's name in its key.
    pub(super) name: String,
    /// As it was before.
    pub(super) text: String,
    /// What is wrong with what is typed.
    pub(super) error: Option<PatternError>,
    pub(super) question: usize,
    pub(super) rescorer: Rescorer,
    key: KeyText,
    now: String,
}

impl Editor {
    /// Begins with a pattern of a question's key: the named one, else the first.
    pub(super) fn open(
        workspace: &Arc<Workspace>,
        standing: &Standing,
        question: usize,
        wanted: Option<String>,
    ) -> Option<Self> {
        let mut rescorer = Rescorer::new(workspace.clone(), standing);
        rescorer.open(question);
        let key = KeyText::of(rescorer.key(question)?);
        let (name, text) = {
            let mut patterns = key.patterns();
            let found = match &wanted {
                Some(wanted) => patterns.find(|(name, _)| name == wanted),
                None => patterns.next(),
            }?;
            (found.0.to_owned(), found.1.to_owned())
        };
        Some(Self { now: text.clone(), name, text, error: None, question, rescorer, key })
    }

    /// Grades every answer by what is typed now; a pattern that is none leaves the grades as they were.
    pub(super) fn change(&mut self, text: &str) {
        self.now = text.to_owned();
        let mut key = self.key.clone();
        key.set(&self.name, text);
        match CorrectedKey::new(key) {
            Ok(corrected) => {
                self.error = None;
                self.rescorer.edit(self.question, (*corrected.key).clone());
            }
            Err((_, error)) => self.error = compile(text).err().or(Some(error)),
        }
    }

    /// What the edit amounts to; nothing where the pattern is as it was.
    pub(super) fn verdict(&self) -> Option<DecisionVerdict> {
        if self.now == self.text {
            return None;
        }
        let moved = self.rescorer.moved(self.question);
        let passes = moved.iter().filter(|change| change.after == crate::grade::Verdict::Pass).count();
        Some(match (passes, moved.len() - passes) {
            (0, 0) => DecisionVerdict::KeyWrong,
            (passes, others) if passes >= others => DecisionVerdict::KeyTooNarrow,
            _ => DecisionVerdict::KeyTooWide,
        })
    }
}
