//! The help: every key that works, from the keymap itself.

use ratatui::text::{Line, Span};

use crate::text::fit;
use crate::tui::action::{Action, Scope};
use crate::tui::options::Settings;
use crate::tui::pane::PaneKind;
use crate::tui::theme::Role;

/// Columns of the keys.
const KEYS: usize = 24;

/// The actions of the pane, then those of lists, then those that work everywhere; and what the marks mean.
pub(super) fn lines(pane: PaneKind, settings: &Settings) -> Vec<Line<'static>> {
    let theme = &settings.theme;
    let mut lines = Vec::new();
    for scope in [pane.scope(), Scope::Motion, Scope::Global] {
        lines.push(Line::styled(scope.title().to_owned(), theme.style(Role::Heading)));
        for action in Action::ALL.iter().filter(|action| action.scope() == scope) {
            let keys: Vec<String> =
                settings.keymap.keys(pane.scope(), *action).iter().map(ToString::to_string).collect();
            if keys.is_empty() {
                continue;
            }
            lines.push(Line::from(vec![
                Span::styled(format!("  {}", fit(&keys.join(" "), KEYS)), theme.style(Role::Key)),
                Span::raw(action.sentence()),
            ]));
        }
        lines.push(Line::default());
    }
    lines.push(Line::styled("Marks", theme.style(Role::Heading)));
    let pips = crate::grade::Verdict::ALL.map(|verdict| {
        (
            theme.pip(verdict).0,
            theme.pip(verdict).1,
            match verdict {
                crate::grade::Verdict::Pass => "an answer that passes",
                crate::grade::Verdict::Fail => "an answer that fails",
                crate::grade::Verdict::Incomplete => "an answer that cannot be graded",
            },
        )
    });
    let marks = [
        (theme.useful(), Role::Useful, "useful: carries a required fact, or the fact is found"),
        (theme.missing(), Role::Missing, "missing: a required fact that no line carries"),
        (theme.stale(), Role::Stale, "stale: carries a replaced fact"),
        (theme.forgotten(), Role::Forgotten, "forgotten: carries a fact that the user asked to forget"),
        (theme.superseded(), Role::Dim, "superseded: replaced, kept in the managed store as history"),
        (theme.neutral(), Role::Dim, "not needed by the question"),
    ];
    for (mark, role, meaning) in marks.into_iter().chain(pips) {
        lines.push(Line::from(vec![
            Span::styled(format!("  {}", fit(mark, KEYS)), theme.style(role)),
            Span::raw(meaning),
        ]));
    }
    lines
}
