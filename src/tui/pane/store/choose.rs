//! Lists to pick a subject or a scope from.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::facts::Facts;
use super::subject::{self, Subject};
use crate::governed::scenario::Scenarios;
use crate::tui::pane::View;
use crate::tui::text::{mark_found, span};
use crate::tui::theme::Role;
use crate::tui::widget::list::ListState;
use crate::tui::widget::part::part;

/// What is chosen from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Subject,
    Scope,
}

/// A list that is open.
pub(super) struct Chooser {
    pub(super) choice: Choice,
    pub(super) list: ListState,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    about: String,
}

impl Chooser {
    /// All subjects, the cursor on the one in view.
    pub(super) fn subjects(all: &[Subject], here: Option<Subject>, scenarios: &Scenarios, view: &View<'_>) -> Self {
        let about = |subject: Subject| match subject {
            Subject::File => "file: as it was when it was opened".to_owned(),
            Subject::Scenario(place) => {
                let scenario = scenarios.scenarios.get(place);
                let steps = scenario.map_or(0, |scenario| scenario.steps.len());
                format!("scenario, {steps} steps: {}", scenario.map(|scenario| &*scenario.about).unwrap_or_default())
            }
            Subject::User(user) => {
                let events = view.workspace.evaluation.histories.get(user).map_or(0, |history| history.len());
                format!("user, {events} event{}", if events == 1 { "" } else { "s" })
            }
        };
        let row = |subject: &Subject| Row {
            name: subject::name(*subject, view.workspace, scenarios),
            about: about(*subject),
        };
        let rows: Vec<Row> = all.iter().map(row).collect();
        let mut list = ListState::default();
        let place = all.iter().position(|subject| Some(*subject) == here).unwrap_or(0);
        list.select(place, rows.len());
        Self { choice: Choice::Subject, list, rows }
    }

    /// All scopes of the store, the cursor on the one in view.
    pub(super) fn scopes(facts: &Facts) -> Self {
        let row = |size: &crate::governed::ScopeSize| Row {
            name: size.scope().to_string(),
            about: format!(
                "{}{} of {} rows active{}",
                if size.user.is_none() { "shared by the tenant, " } else { "" },
                size.active,
                size.rows,
                if size.waiting > 0 { format!(", {} waiting for review", size.waiting) } else { String::new() }
            ),
        };
        let rows: Vec<Row> = facts.scopes.iter().map(row).collect();
        let mut list = ListState::default();
        let here = facts.scopes.iter().position(|size| Some(size.scope()) == facts.scope);
        list.select(here.unwrap_or(0), rows.len());
        Self { choice: Choice::Scope, list, rows }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The words of a row.
    pub(super) fn words(&self, row: usize) -> Option<String> {
        self.rows.get(row).map(|row| format!("{} {}", row.name, row.about))
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, focused: bool, view: &View<'_>) {
        let theme = view.theme;
        let title = match self.choice {
            Choice::Subject => "Whose store?",
            Choice::Scope => "Which scope?",
        };
        let inner = part(frame, area, title, focused, theme);
        self.list.draw(frame, inner, self.rows.len(), focused, theme, |row| {
            let Some(row) = self.rows.get(row) else { return Line::default() };
            let spans = vec![
                span(&row.name, theme.style(Role::Heading)),
                Span::raw("  "),
                span(&row.about, theme.style(Role::Dim)),
            ];
            mark_found(Line::from(spans), view.needle, theme)
        });
    }
}
