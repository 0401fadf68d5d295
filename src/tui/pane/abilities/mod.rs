//! Abilities: what can a memory do?

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::{Pane, PaneKind, Response, View};
use crate::abilities::{Slice, Trial};
use crate::governed::{Ability, Suite};
use crate::tui::action::Action;
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::part::{empty, part};

/// Columns of a system's name.
const NAME: usize = 16;
/// Blanks between a score's column, as wide as its ability's name, and the one before.
const GAP: usize = 2;
const AVERAGE: &str = "average";

/// The Abilities pane: one probe of each ability, put to three systems when the pane is first seen.
#[derive(Default)]
pub struct AbilitiesPane {
    scores: Option<Result<Trial, String>>,
}

fn rows(trial: &Trial, theme: &Theme) -> Vec<Line<'static>> {
    let heads: Vec<&str> = Ability::ALL.iter().map(|ability| ability.name()).chain([AVERAGE]).collect();
    let mut head = format!(" {:<NAME$}", "system");
    for name in &heads {
        head.push_str(&format!("{:>1$}", name, name.len() + GAP));
    }
    let mut rows = vec![Line::styled(head, theme.style(Role::Heading))];
    for tried in trial.tried.iter().filter(|tried| !tried.is_strategy) {
        let score = |ability: &Ability| {
            tried.slices.get(ability).and_then(|slice: &Slice| slice.score()).map_or(0.0, |s| s.score())
        };
        let scores: Vec<f64> = Ability::ALL.iter().map(score).collect();
        let average = &tried.average().unwrap_or(0.0);
        let mut spans = vec![Span::styled(format!(" {:<NAME$}", tried.name), theme.style(Role::Text))];
        let graded = |score: &f64| (*score, if *score < 1.0 { Role::Fail } else { Role::Pass });
        for (name, (score, role)) in heads.iter().zip(scores.iter().map(graded).chain([(*average, Role::Text)])) {
            spans.push(Span::styled(format!("{score:>0$.2}", name.len() + GAP), theme.style(role)));
        }
        rows.push(Line::from(spans));
    }
    rows
}

fn first() -> Result<Trial, String> {
    let suites = Suite::bundled().map_err(|error| error.to_string())?;
    let suite = suites.first().ok_or("no suite")?;
    Trial::run(suite, suite.comparison.budget).map_err(|error| error.to_string())
}

impl Pane for AbilitiesPane {
    fn kind(&self) -> PaneKind {
        PaneKind::Abilities
    }

    fn enter(&mut self, _view: &View<'_>) {
        self.scores.get_or_insert_with(first);
    }

    fn update(&mut self, _action: Action, _view: &View<'_>) -> Response {
        Response::Ignored
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let theme = view.theme;
        let inner = part(frame, area, "Five abilities, one probe each", true, theme);
        match &self.scores {
            Some(Ok(scores)) => {
                let mut lines = rows(scores, theme);
                lines.push(Line::default());
                lines.push(Line::styled(
                    "An average hides which ability is missing. The transcript system reads the newest lines of everybody's \
                     conversations, within the same 128 tokens a question as the governed store.",
                    theme.style(Role::Dim),
                ));
                frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), inner);
            }
            Some(Err(error)) => empty(frame, inner, error, theme),
            None => empty(frame, inner, "Not tried yet.", theme),
        }
    }

    fn actions(&self, _view: &View<'_>) -> Vec<Action> {
        Vec::new()
    }

    fn search(&mut self, _needle: &str, _forward: bool, _from_here: bool, _view: &View<'_>) -> Option<Response> {
        None
    }

    fn copy(&self, _view: &View<'_>) -> Option<(&'static str, String)> {
        None
    }

    fn click(&mut self, _column: u16, _row: u16, _open: bool, _view: &View<'_>) -> Response {
        Response::Ignored
    }
}
