//! The help: every key that works, from the keymap itself.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::text::Paragraph;
use crate::grade::Verdict;
use crate::tui::action::{Action, Scope};
use crate::tui::options::Settings;
use crate::tui::pane::PaneKind;
use crate::tui::theme::{Role, Theme};

/// The actions of the pane, then those of lists, then those that work everywhere; and what the marks mean.
pub(super) fn paragraphs(pane: PaneKind, settings: &Settings) -> Vec<Paragraph> {
    let theme = &settings.theme;
    let mut paragraphs = Vec::new();
    for scope in [pane.scope(), Scope::Motion, Scope::Global] {
        paragraphs.push(heading(scope.title(), theme));
        for action in Action::ALL.iter().filter(|action| action.scope() == scope) {
            // In Triage that question is there already.
            if *action == Action::TriageHere && pane == PaneKind::Triage {
                continue;
            }
            let keys = keys(*action, pane, settings);
            if !keys.is_empty() {
                paragraphs.push(beside(&keys.join(" "), theme.style(Role::Key), action.sentence()));
            }
        }
        if scope == Scope::Replay {
            paragraphs.push(beside("0-9", theme.style(Role::Key), &digits(settings)));
        }
        paragraphs.push(Paragraph::default());
    }
    paragraphs.push(heading("Marks", theme));
    let pips = Verdict::ALL.map(|verdict| {
        let (mark, role) = theme.pip(verdict);
        let meaning = match verdict {
            Verdict::Pass => "an answer that passes",
            Verdict::Fail => "an answer that fails",
            Verdict::Incomplete => "an answer that cannot be graded",
        };
        (mark, role, meaning)
    });
    let marks = [
        (theme.useful(), Role::Useful, "useful: carries a required fact, or the fact is found"),
        (theme.missing(), Role::Missing, "missing: a required fact that no line carries"),
        (theme.stale(), Role::Stale, "stale: carries a replaced fact"),
        (theme.forgotten(), Role::Forgotten, "forgotten: carries a fact that the user asked to forget"),
        (theme.superseded(), Role::Dim, "superseded: replaced, kept in the managed store as history"),
        (theme.neutral(), Role::Dim, "not needed by the question"),
    ];
    paragraphs
        .extend(marks.into_iter().chain(pips).map(|(mark, role, meaning)| beside(mark, theme.style(role), meaning)));
    paragraphs
}

/// The keys of an action as they are pressed in a pane.
fn keys(action: Action, pane: PaneKind, settings: &Settings) -> Vec<String> {
    let keys = settings.keymap.keys(pane.scope(), action);
    let open = settings.keymap.hint(pane.scope(), Action::Open);
    let written = keys.iter().map(ToString::to_string).map(|key| match &open {
        // Replay collects digits: there a pane's number is one that Enter ends.
        Some(open) if pane == PaneKind::Replay && is_digit(&key) => format!("{key} {open}"),
        _ => key,
    });
    written.collect()
}

fn is_digit(key: &str) -> bool {
    key.len() == 1 && key.bytes().all(|byte| byte.is_ascii_digit())
}

/// What digits do in Replay.
fn digits(settings: &Settings) -> String {
    let key = |action| settings.keymap.hint(Scope::Replay, action).unwrap_or_else(|| "no key".to_owned());
    format!(
        "Collect a turn's number: {} goes to that turn, {} after one digit to the pane with that number. In other panes a \
         digit goes to its pane at once.",
        key(Action::Last),
        key(Action::Open)
    )
}

fn heading(title: &'static str, theme: &Theme) -> Paragraph {
    Paragraph::plain(Line::styled(title, theme.style(Role::Heading)))
}

fn beside(head: &str, style: Style, text: &str) -> Paragraph {
    Paragraph::beside(Span::styled(format!("  {head}"), style), text.to_owned())
}
