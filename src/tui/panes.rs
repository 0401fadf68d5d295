//! All panes, each with its state: they are kept while another one is in view.

use super::pane::abilities::AbilitiesPane;
use super::pane::answers::AnswersPane;
use super::pane::compare::ComparePane;
use super::pane::lessons::LessonsPane;
use super::pane::overview::OverviewPane;
use super::pane::question::QuestionPane;
use super::pane::replay::ReplayPane;
use super::pane::store::StorePane;
use super::pane::triage::TriagePane;
use super::pane::{Pane, PaneKind};

/// The panes.
#[derive(Default)]
pub(super) struct Panes {
    overview: OverviewPane,
    question: QuestionPane,
    pub(super) compare: ComparePane,
    replay: ReplayPane,
    answers: AnswersPane,
    pub(super) triage: TriagePane,
    store: StorePane,
    abilities: AbilitiesPane,
    lessons: LessonsPane,
}

impl Panes {
    /// The pane of a kind.
    pub(super) fn get(&self, kind: PaneKind) -> &dyn Pane {
        match kind {
            PaneKind::Overview => &self.overview,
            PaneKind::Question => &self.question,
            PaneKind::Compare => &self.compare,
            PaneKind::Replay => &self.replay,
            PaneKind::Answers => &self.answers,
            PaneKind::Triage => &self.triage,
            PaneKind::Store => &self.store,
            PaneKind::Abilities => &self.abilities,
            PaneKind::Lessons => &self.lessons,
        }
    }

    /// The pane of a kind, to change it.
    pub(super) fn get_mut(&mut self, kind: PaneKind) -> &mut dyn Pane {
        match kind {
            PaneKind::Overview => &mut self.overview,
            PaneKind::Question => &mut self.question,
            PaneKind::Compare => &mut self.compare,
            PaneKind::Replay => &mut self.replay,
            PaneKind::Answers => &mut self.answers,
            PaneKind::Triage => &mut self.triage,
            PaneKind::Store => &mut self.store,
            PaneKind::Abilities => &mut self.abilities,
            PaneKind::Lessons => &mut self.lessons,
        }
    }
}
