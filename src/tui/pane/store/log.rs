//! The gate's log: every decision, and what waits for a person.

use std::collections::BTreeSet;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::facts::Facts;
use crate::governed::AuditEntry;
use crate::tui::pane::View;
use crate::tui::text::{mark_found, span};
use crate::tui::theme::Role;
use crate::tui::widget::list::ListState;
use crate::tui::widget::part::{empty, part};

/// Which decisions are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Which {
    #[default]
    All,
    Accepted,
    Refused,
    /// Not decisions, but what waits for one.
    Reviews,
}

impl Which {
    fn next(self) -> Self {
        match self {
            Self::All => Self::Accepted,
            Self::Accepted => Self::Refused,
            Self::Refused => Self::Reviews,
            Self::Reviews => Self::All,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Accepted => ", accepted",
            Self::Refused => ", refused",
            Self::Reviews => ", waiting for review",
        }
    }
}

/// The part that lists decisions.
#[derive(Default)]
pub(super) struct Log {
    pub(super) list: ListState,
    which: Which,
    reason: Option<String>,
    /// Places in the log or in the queue, as they are listed.
    rows: Vec<usize>,
}

/// Whether an entry says that something was refused.
pub(super) fn is_refusal(entry: &AuditEntry) -> bool {
    entry.operation == "REJECT"
}

impl Log {
    /// Lists what is to be listed now. The newest decision is what the last step made: the cursor goes there.
    pub(super) fn derive(&mut self, facts: &Facts) {
        self.rows = match self.which {
            Which::Reviews => (0..facts.reviews.len()).collect(),
            which => {
                let fits = |entry: &AuditEntry| {
                    let side = match which {
                        Which::Accepted => !is_refusal(entry),
                        Which::Refused => is_refusal(entry),
                        Which::All | Which::Reviews => true,
                    };
                    side && self.reason.as_ref().is_none_or(|reason| entry.reason == *reason)
                };
                facts.log.iter().enumerate().filter(|(_, entry)| fits(entry)).map(|(place, _)| place).collect()
            }
        };
        self.list.select(self.rows.len().saturating_sub(1), self.rows.len());
    }

    /// Lists the next sort of decisions.
    pub(super) fn next_filter(&mut self, facts: &Facts) {
        self.which = self.which.next();
        self.derive(facts);
    }

    /// Lists the decisions with the next reason that there is; after the last one, all.
    pub(super) fn next_reason(&mut self, facts: &Facts) {
        let reasons: BTreeSet<&str> = facts.log.iter().map(|entry| entry.reason.as_str()).collect();
        let next = match &self.reason {
            None => reasons.first().copied(),
            Some(here) => reasons.iter().copied().find(|reason| *reason > here.as_str()),
        };
        self.reason = next.map(str::to_owned);
        if self.which == Which::Reviews {
            self.which = Which::All;
        }
        self.derive(facts);
    }

    pub(super) fn is_filtered(&self) -> bool {
        self.which != Which::All || self.reason.is_some()
    }

    pub(super) fn clear_filters(&mut self, facts: &Facts) {
        (self.which, self.reason) = (Which::All, None);
        self.derive(facts);
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The record that the row under the cursor is about.
    pub(super) fn record<'a>(&self, facts: &'a Facts) -> Option<&'a str> {
        if self.which == Which::Reviews {
            return None;
        }
        self.rows.get(self.list.selected()).and_then(|place| facts.log.get(*place))?.record.as_deref()
    }

    /// The words of a row.
    pub(super) fn words(&self, row: usize, facts: &Facts) -> Option<String> {
        let place = *self.rows.get(row)?;
        if self.which == Which::Reviews {
            let item = facts.reviews.get(place)?;
            let fact = &item.candidate;
            return Some(format!("{} {} = {}  {}", item.seq, fact.key, fact.value, fact.evidence));
        }
        let entry = facts.log.get(place)?;
        let parts = [entry.record.as_deref(), Some(entry.reason.as_str())];
        Some(format!("{} {}", entry.operation, parts.into_iter().flatten().collect::<Vec<_>>().join(" ")))
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, facts: &Facts, focused: bool, view: &View<'_>) {
        let theme = view.theme;
        let dim = theme.style(Role::Dim);
        let mut about = format!(" {} of {}{}", self.rows.len(), facts.log.len(), self.which.name());
        if self.which == Which::Reviews {
            about = format!(" {}{}", self.rows.len(), self.which.name());
        } else if let Some(reason) = &self.reason {
            about.push_str(&format!(": {reason}"));
        }
        let title = Line::from(vec![Span::raw("Log"), span(&about, dim)]);
        let inner = part(frame, area, title, focused, theme);
        if self.rows.is_empty() {
            let sentence = match (self.is_filtered(), self.which) {
                (_, Which::Reviews) => "Nothing waits for a person.",
                (true, _) => "No decision is like that.",
                (false, _) => "Nothing was decided yet.",
            };
            return empty(frame, inner, sentence, theme);
        }
        self.list.draw(frame, inner, self.rows.len(), focused, theme, |row| {
            let place = self.rows.get(row).copied().unwrap_or(usize::MAX);
            let line = match self.which {
                Which::Reviews => facts.reviews.get(place).map(|item| {
                    let fact = &item.candidate;
                    Line::from(vec![
                        Span::styled(format!("? {:>3} ", item.seq), theme.style(Role::Warning)),
                        span(&format!("{} = {}", fact.key, fact.value), theme.style(Role::Text)),
                        span(&format!("  {} at {}", fact.evidence, item.at), dim),
                    ])
                }),
                _ => facts.log.get(place).map(|entry| decision(entry, view)),
            };
            mark_found(line.unwrap_or_default(), view.needle, theme)
        });
    }
}

fn decision(entry: &AuditEntry, view: &View<'_>) -> Line<'static> {
    let theme = view.theme;
    let (mark, role) = match entry.operation.as_str() {
        "REJECT" => (theme.pick("✗", "x"), Role::Fail),
        "NOOP" | "PAUSE" | "RESUME" => (theme.neutral(), Role::Dim),
        "DELETE" | "REMOVE" | "DISMISS" => (theme.pick("−", "-"), Role::Forgotten),
        "EXPIRE" | "DECAY" | "EVICT" => (theme.pick("◌", "%"), Role::Incomplete),
        _ => ("+", Role::Added),
    };
    let dim = theme.style(Role::Dim);
    let at = entry.at.map_or_else(String::new, |at| format!("  at {at}"));
    let reason = if role == Role::Fail { theme.style(Role::Text) } else { dim };
    Line::from(vec![
        Span::styled(format!("{mark} {:<8} ", entry.operation), theme.style(role)),
        span(&entry.reason, reason),
        span(&format!("  {}{at}", entry.record.as_deref().unwrap_or_default()), dim),
    ])
}
