//! Lessons: what did experience teach?

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Pane, PaneKind, Response, View};
use crate::tui::action::Action;
use crate::tui::widget::part::empty;

/// The Lessons pane.
#[derive(Default)]
pub struct LessonsPane;

impl Pane for LessonsPane {
    fn kind(&self) -> PaneKind {
        PaneKind::Lessons
    }

    fn enter(&mut self, _view: &View<'_>) {}

    fn update(&mut self, _action: Action, _view: &View<'_>) -> Response {
        Response::Ignored
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        empty(frame, area, "Nothing is here yet.", view.theme);
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
