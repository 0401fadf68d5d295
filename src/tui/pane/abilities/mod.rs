//! Abilities: what can a memory do? Suites of probes put to systems and strategies, and the four layers of the data in view.

mod draw;
mod facts;
mod keys;
mod layers;
mod probes;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Pane, PaneKind, Response, View};
use crate::governed::Ability;
use crate::tui::action::Action;
use crate::tui::text::contains;
use crate::tui::widget::list::ListState;

use facts::{Facts, Weighed};
use layers::LayersPart;

/// What can have the focus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Systems,
    Probes,
    Layers,
}

impl Part {
    const ALL: [Self; 3] = [Self::Systems, Self::Probes, Self::Layers];

    fn index(self) -> usize {
        Self::ALL.iter().position(|part| *part == self).unwrap_or(0)
    }
}

/// The Abilities pane.
#[derive(Default)]
pub struct AbilitiesPane {
    /// The bundled suites, and the trial of the one in view; run when the pane is first seen.
    facts: Option<Result<Facts, String>>,
    /// The column of the cell under the cursor: an ability, or the average beyond them.
    column: usize,
    /// What the governed store weighs for the probe under the cursor.
    weighed: Option<Weighed>,
    systems: ListState,
    probes: ListState,
    layers: LayersPart,
    focus: Part,
}

/// The columns that a cell can be in: each ability, then the average over all.
const COLUMNS: usize = Ability::ALL.len() + 1;

impl AbilitiesPane {
    fn facts(&self) -> Option<&Facts> {
        self.facts.as_ref().and_then(|facts| facts.as_ref().ok())
    }

    /// The ability of the cell under the cursor; none of the average.
    fn ability(&self) -> Option<Ability> {
        Ability::ALL.get(self.column).copied()
    }

    /// The places of the probes of the cell under the cursor.
    fn shown(&self) -> Vec<usize> {
        let Some(facts) = self.facts() else { return Vec::new() };
        let probes = facts.trial.comparison.probes.iter().enumerate();
        let wanted = |ability: Ability| self.ability().is_none_or(|wanted| wanted == ability);
        probes.filter(|(_, probe)| wanted(probe.ability)).map(|(place, _)| place).collect()
    }

    fn len(&self, part: Part) -> usize {
        match part {
            Part::Systems => self.facts().map_or(0, |facts| facts.trial.tried.len()),
            Part::Probes => self.shown().len(),
            Part::Layers => self.layers.len(),
        }
    }

    fn list(&self, part: Part) -> &ListState {
        match part {
            Part::Systems => &self.systems,
            Part::Probes => &self.probes,
            Part::Layers => &self.layers.list,
        }
    }

    fn list_mut(&mut self, part: Part) -> &mut ListState {
        match part {
            Part::Systems => &mut self.systems,
            Part::Probes => &mut self.probes,
            Part::Layers => &mut self.layers.list,
        }
    }

    /// The words of a row, to search and to copy.
    fn words(&self, part: Part, row: usize) -> Option<String> {
        let facts = self.facts();
        match part {
            Part::Systems => facts?.trial.tried.get(row).map(facts::system_words),
            Part::Probes => facts?.probe_words(self.systems.selected(), self.shown().get(row).copied()?),
            Part::Layers => self.layers.words(row),
        }
    }
}

impl Pane for AbilitiesPane {
    fn kind(&self) -> PaneKind {
        PaneKind::Abilities
    }

    fn enter(&mut self, view: &View<'_>) {
        self.facts.get_or_insert_with(Facts::bundled);
        self.layers.derive(view);
        self.weigh();
    }

    fn update(&mut self, action: Action, view: &View<'_>) -> Response {
        let response = self.act(action, view);
        self.weigh();
        response
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.draw_all(frame, area, view);
    }

    fn actions(&self, _view: &View<'_>) -> Vec<Action> {
        self.useful()
    }

    fn short(&self, action: Action) -> &'static str {
        match (action, self.focus) {
            (Action::Open, Part::Systems) => "its probes",
            (Action::Open, Part::Layers) => "its questions",
            (Action::Left | Action::Right, Part::Systems) => "ability",
            _ => action.short(),
        }
    }

    fn search(&mut self, needle: &str, forward: bool, from_here: bool, view: &View<'_>) -> Option<Response> {
        let (here, len) = self.searched(view)?;
        let hit = |row: usize| self.holds(row, needle, view);
        let row = match from_here && hit(here) {
            true => here,
            false => self.list(self.focus).find(len, forward, hit)?,
        };
        self.list_mut(self.focus).select(row, len);
        self.weigh();
        Some(Response::Done)
    }

    fn searched(&self, _view: &View<'_>) -> Option<(usize, usize)> {
        let len = self.len(self.focus);
        (len > 0).then(|| (self.list(self.focus).selected(), len))
    }

    fn holds(&self, row: usize, needle: &str, _view: &View<'_>) -> bool {
        self.words(self.focus, row).is_some_and(|words| contains(&words, needle))
    }

    fn copy(&self, _view: &View<'_>) -> Option<(&'static str, String)> {
        let what = match self.focus {
            Part::Systems => "scores",
            Part::Probes => "probe",
            Part::Layers => "layers",
        };
        Some((what, self.words(self.focus, self.list(self.focus).selected())?))
    }

    fn click(&mut self, column: u16, row: u16, open: bool, view: &View<'_>) -> Response {
        let response = self.clicked(column, row, open, view);
        self.weigh();
        response
    }
}
