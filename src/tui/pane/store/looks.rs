//! How states and sources look: a glyph, a role and a word each.

use ratatui::style::Style;
use ratatui::text::Span;

use crate::governed::{Record, Source, Span as Interval, State, Status};
use crate::report::timeline::strokes;
use crate::tui::theme::{Role, Theme};

/// The role of a state.
pub(super) fn role(state: State) -> Role {
    match state {
        State::Active => Role::Useful,
        State::Superseded => Role::Dim,
        State::Withdrawn => Role::Stale,
        State::Expired => Role::Incomplete,
        State::Deleted => Role::Forgotten,
    }
}

/// The mark of a state.
pub(super) fn mark(state: State, theme: &Theme) -> Span<'static> {
    Span::styled(strokes(state, theme.ascii).mark, theme.style(role(state)))
}

/// The style of a record's text.
pub(super) fn text_style(state: State, theme: &Theme) -> Style {
    theme.style(if state == State::Active { Role::Text } else { Role::Dim })
}

/// An interval: `[10, 20)`, or `[10, ..)` where it lasts.
pub(super) fn interval(span: Interval) -> String {
    match span.to {
        Some(to) => format!("[{}, {to})", span.from),
        None => format!("[{}, ..)", span.from),
    }
}

/// A source in a word.
pub(super) fn source(source: Source) -> &'static str {
    match source {
        Source::User => "user",
        Source::VerifiedTool => "tool",
        Source::ModelInference => "model",
        Source::RetrievedDocument => "document",
    }
}

/// Key and value, or why there are none.
pub(super) fn fact(record: &Record) -> String {
    match (&record.key, &record.value, record.status) {
        (Some(key), Some(value), _) => format!("{key} = {value}"),
        (_, _, Status::Deleted) => "(deleted)".to_owned(),
        _ => "(another user's)".to_owned(),
    }
}
