//! What is derived from the store for the screen: once after each step, scope or pointer, never while drawing.

use super::clocks::Pointers;
use crate::governed::{
    AuditEntry, GovernedError, Query, Reading, ReviewItem, Scope, ScopeHistory, ScopeSize, State, Store, Version,
};

/// What one scope holds, after a step.
#[derive(Default)]
pub(super) struct Facts {
    /// Every scope of the store.
    pub(super) scopes: Vec<ScopeSize>,
    pub(super) scope: Option<Scope>,
    pub(super) history: ScopeHistory,
    /// Instants of valid time, and moments at which something was learned.
    pub(super) valid: Vec<i64>,
    pub(super) known: Vec<i64>,
    /// The decisions about the scope and about what its tenant shares.
    pub(super) log: Vec<AuditEntry>,
    /// What waits for a person.
    pub(super) reviews: Vec<ReviewItem>,
    /// Whether text of a deletion has yet to leave the file.
    pub(super) waits: bool,
    /// Why something is missing.
    pub(super) failure: Option<String>,
}

impl Facts {
    /// Reads what a scope holds now; of `wanted`, if the store knows it, or of its first scope.
    pub(super) fn read(store: &Store, wanted: Option<&Scope>) -> Self {
        let mut facts = Self::default();
        if let Err(error) = facts.fill(store, wanted) {
            facts.failure = Some(error.to_string());
        }
        facts
    }

    fn fill(&mut self, store: &Store, wanted: Option<&Scope>) -> Result<(), GovernedError> {
        self.scopes = store.scopes()?;
        // A scope that holds nothing yet may be looked at all the same.
        self.scope = wanted.cloned().or_else(|| self.scopes.first().map(ScopeSize::scope));
        self.waits = store.waits_for_scrub()?;
        let Some(scope) = &self.scope else { return Ok(()) };
        self.history = store.history(scope)?;
        self.valid = self.history.valid_instants();
        self.known = self.history.known_moments();
        self.log = store.audit(scope)?;
        self.reviews = store.review_queue(scope)?;
        if scope.user().is_some() {
            let shared = Scope::new(scope.tenant(), None)?;
            self.log.extend(store.audit(&shared)?);
            self.log.sort_by_key(|entry| entry.seq);
            self.reviews.extend(store.review_queue(&shared)?);
            self.reviews.sort_by_key(|item| item.seq);
        }
        Ok(())
    }

    /// The present of a read at the pointers: a present that nobody names is the later of the instant that is asked about and
    /// the last moment at which the store learned something.
    fn present(&self, pointers: &Pointers) -> Option<i64> {
        let last = self.known.last().copied();
        pointers.known_at.or_else(|| pointers.as_of.map(|as_of| last.map_or(as_of, |last| as_of.max(last))))
    }

    /// The places of the records to list: by key, then by time. The current ones are those that a read at the pointers sees.
    pub(super) fn records(&self, pointers: &Pointers, all: bool) -> Vec<usize> {
        let present = self.present(pointers);
        let current = |version: &Version<'_>| {
            let readable = matches!(version.state, State::Active | State::Superseded);
            let horizon = version.kept.record.expires_at;
            let lapsed = present.zip(horizon).is_some_and(|(present, horizon)| horizon <= present);
            match pointers.as_of.or(pointers.known_at) {
                None => version.state == State::Active,
                Some(instant) => readable && !lapsed && version.span.holds(instant),
            }
        };
        let mut rows: Vec<Version<'_>> =
            self.history.believed(pointers.known_at).filter(|version| all || current(version)).collect();
        rows.sort_by(|a, b| {
            let key = |version: &Version<'_>| {
                let key = version.kept.record.key.clone();
                (key.is_none(), key)
            };
            key(a).cmp(&key(b)).then(a.span.from.cmp(&b.span.from))
        });
        rows.into_iter().map(|version| version.place).collect()
    }

    /// A record as it was believed at the pointers.
    pub(super) fn version(&self, place: usize, pointers: &Pointers) -> Option<Version<'_>> {
        let kept = self.history.kept.get(place)?;
        let (span, state) = kept.believed(pointers.known_at);
        Some(Version { place, kept, span, state })
    }

    /// Asks a question at the pointers.
    pub(super) fn ask(&self, store: &Store, text: &str, pointers: &Pointers) -> Option<Result<Reading, GovernedError>> {
        let scope = self.scope.as_ref()?;
        Some(match pointers.known_at {
            Some(known_at) => store.believed_at(text, scope, known_at, pointers.as_of),
            None => {
                let (as_of, now) = (pointers.as_of, self.present(pointers));
                store.look(&Query { as_of, now, ..Query::new(text, scope.clone()) })
            }
        })
    }
}
