//! How well the strategies rank: the state of that view, and what keys do to it.

use super::{ComparePane, Part};
use crate::rank::{Cutoff, Flip, Interval, McNemar, Measure, Pair, SEED, Test};
use crate::tui::action::Action;
use crate::tui::pane::{Response, View};
use crate::tui::widget::list::ListState;

/// The ranking measures of all strategies at one cutoff, and the questions that flip between two of them.
#[derive(Debug)]
pub(super) struct RankingView {
    open: bool,
    /// The place of the cutoff.
    pub(super) cutoff: usize,
    /// The place of the category; nothing for all questions.
    pub(super) category: Option<usize>,
    pub(super) test: Test,
    /// The selected strategy against the baseline; nothing where they are the same, or nothing is ranked yet.
    pub(super) against: Option<Against>,
    pub(super) list: ListState,
}

/// One strategy against another.
#[derive(Debug)]
pub(super) struct Against {
    pub(super) recall: Option<Interval>,
    /// One a test, in the order of [`Test::ALL`].
    pub(super) tests: [McNemar; Test::ALL.len()],
    pub(super) flips: Vec<Flip>,
}

impl Default for RankingView {
    fn default() -> Self {
        let ten = Cutoff::DEFAULT.iter().position(|cutoff| *cutoff == Cutoff::First(10));
        Self {
            open: false,
            cutoff: ten.unwrap_or_default(),
            category: None,
            test: Test::Any,
            against: None,
            list: ListState::default(),
        }
    }
}

impl RankingView {
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// The questions that flip.
    pub(super) fn flips(&self) -> &[Flip] {
        self.against.as_ref().map_or(&[], |against| &against.flips)
    }

    /// What the key for the other test shows, in a word or two.
    pub(super) fn other_test(&self) -> &'static str {
        match self.test {
            Test::Any => "all needed",
            Test::All => "one is enough",
        }
    }

    /// Compares again, with the list's cursor on a question where that is in the list.
    pub(super) fn derive(&mut self, view: &View<'_>, pair: Option<(usize, usize)>, question: Option<usize>) {
        let Some(ranking) = view.ranked.ranking().filter(|_| self.open) else {
            self.against = None;
            return;
        };
        self.cutoff = self.cutoff.min(ranking.cutoffs().len().saturating_sub(1));
        self.category = self.category.filter(|category| *category < ranking.categories().len());
        self.against = pair.filter(|(selected, baseline)| selected != baseline).map(|(selected, baseline)| {
            let pair = Pair::new(ranking, selected, baseline, self.cutoff, self.category);
            Against {
                recall: pair.difference(Measure::Recall, SEED),
                tests: Test::ALL.map(|test| pair.test(test)),
                flips: pair.flips(self.test),
            }
        });
        let row = question.and_then(|question| self.flips().iter().position(|flip| flip.question == question));
        let len = self.flips().len();
        self.list.select(row.unwrap_or(0), len);
    }
}

impl ComparePane {
    /// Whether the ranking measures are in view, here or behind another pane.
    pub(in crate::tui) fn wants_ranking(&self) -> bool {
        self.ranking.is_open()
    }

    /// What an action means to the ranking; nothing where it means the same as without it.
    pub(super) fn update_ranking(&mut self, action: Action, view: &View<'_>) -> Option<Response> {
        if action == Action::ShowRanking && !self.measures.is_empty() {
            return Some(self.show_ranking(!self.ranking.open, view));
        }
        if !self.ranking.open {
            return None;
        }
        if action == Action::Cancel {
            return Some(self.show_ranking(false, view));
        }
        let ranking = view.ranked.ranking()?;
        match action {
            Action::LargerK | Action::SmallerK => {
                let last = ranking.cutoffs().len().saturating_sub(1);
                let next = match action {
                    Action::LargerK => (self.ranking.cutoff + 1).min(last),
                    _ => self.ranking.cutoff.saturating_sub(1),
                };
                self.ranking.cutoff = next;
            }
            Action::RankingCategory => {
                let categories = ranking.categories().len();
                if categories == 0 {
                    return Some(Response::Say("the questions have no categories".to_owned()));
                }
                let next = self.ranking.category.map_or(0, |category| category + 1);
                self.ranking.category = (next < categories).then_some(next);
            }
            Action::FlippedBy => {
                self.ranking.test = match self.ranking.test {
                    Test::Any => Test::All,
                    Test::All => Test::Any,
                };
            }
            Action::NextPart | Action::PreviousPart => {
                // There are two parts here.
                self.focus = if self.focus == Part::Questions { Part::Measures } else { Part::Questions };
                return Some(Response::Done);
            }
            _ => return None,
        }
        let question = self.question(self.ranking.list.selected());
        self.ranking.derive(view, self.pair(view.cursor), question);
        Some(Response::Done)
    }

    fn show_ranking(&mut self, open: bool, view: &View<'_>) -> Response {
        self.ranking.open = open;
        self.focus = Part::Questions;
        self.refresh(view, view.cursor);
        Response::Done
    }

    /// The actions that mean something while the ranking is shown, the most useful first.
    pub(super) fn ranking_actions(&self, view: &View<'_>) -> Vec<Action> {
        let Some(ranking) = view.ranked.ranking() else { return vec![Action::ShowRanking] };
        let mut actions = vec![Action::SmallerK, Action::LargerK];
        if self.len() > 0 {
            actions.insert(0, Action::Open);
        }
        if self.measures.len() > 1 {
            actions.extend([Action::Left, Action::Right, Action::FlippedBy, Action::NextBaseline]);
        }
        if !ranking.categories().is_empty() {
            actions.push(Action::RankingCategory);
        }
        actions.extend([Action::ShowRanking, Action::NextPart, Action::Zoom]);
        actions
    }
}
