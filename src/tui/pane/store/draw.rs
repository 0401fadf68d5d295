//! Where the parts of the Store pane are.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::clocks::{Hand, words};
use super::subject::{self, Subject};
use super::{Opened, Part, StorePane};
use crate::tui::pane::View;
use crate::tui::text::{cut, span};
use crate::tui::theme::Role;
use crate::tui::widget::part::empty;

/// From this width on, the steps and the log stand beside the other parts.
const WIDE: u16 = 100;
/// The least rows of a part that is worth drawing beside another.
const ROWS: u16 = 5;

/// Where the parts are. A part without room is nowhere.
#[derive(Default)]
struct Places {
    steps: Rect,
    records: Rect,
    timeline: Rect,
    question: Rect,
    log: Rect,
    opened: Rect,
}

impl StorePane {
    pub(super) fn draw_all(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let Some(player) = &self.player else {
            let sentence = self.failure.as_deref().unwrap_or("There is no store to look at.");
            return empty(frame, area, sentence, view.theme);
        };
        let line = cut(self.head(view), usize::from(area.width), view.theme);
        frame.render_widget(line, Rect { height: area.height.min(1), ..area });
        let body = Rect { y: area.y + area.height.min(1), height: area.height.saturating_sub(1), ..area };
        let wrong = player.failure.as_ref().or(self.facts.failure.as_ref());
        if let Some(failure) = wrong {
            return empty(frame, body, failure, view.theme);
        }
        if player.is_under_way() {
            let sentence =
                format!("Telling the store: step {} of {}{}", player.at(), player.target(), view.theme.ellipsis());
            return empty(frame, body, &sentence, view.theme);
        }
        let places = self.places(body, view.zoomed);
        self.question_area.set(places.question);
        self.opened_area.set(places.opened);
        let focus = |part: Part| self.focus == part;
        let (facts, pointers) = (&self.facts, &self.pointers);
        if !places.steps.is_empty() {
            self.draw_steps(frame, places.steps, view);
        }
        if !places.records.is_empty() {
            self.records.draw(frame, places.records, facts, pointers, focus(Part::Records), view);
        }
        if !places.timeline.is_empty() {
            self.timeline.draw(frame, places.timeline, facts, pointers, focus(Part::Timeline), view);
        }
        if !places.question.is_empty() {
            self.question.draw(frame, places.question, pointers, focus(Part::Question), view);
        }
        if !places.log.is_empty() {
            self.log.draw(frame, places.log, facts, focus(Part::Log), view);
        }
        let opened = focus(Part::Opened);
        match &self.opened {
            Some(Opened::Detail(detail)) => detail.draw(frame, places.opened, opened, view),
            Some(Opened::Deletion(deletion)) => deletion.draw(frame, places.opened, opened, view),
            Some(Opened::Chooser(chooser)) => chooser.draw(frame, places.opened, opened, view),
            None => {}
        }
    }

    fn places(&self, body: Rect, zoomed: bool) -> Places {
        let mut places = Places::default();
        if zoomed {
            *places.of(self.focus) = body;
            return places;
        }
        if body.width >= WIDE {
            self.wide(body, &mut places);
        } else {
            self.narrow(body, &mut places);
        }
        places
    }

    /// Steps above the log on the left; what is kept, when, and what it answers on the right.
    fn wide(&self, body: Rect, places: &mut Places) {
        let width = (body.width * 36 / 100).clamp(38, 76);
        let (left, right) = split_left(body, width);
        if self.has_steps() {
            (places.steps, places.log) = split_top(left, left.height * 6 / 10);
        } else {
            places.log = left;
        }
        if self.opened.is_some() {
            places.opened = right;
            return;
        }
        let asked = !self.question.text.trim().is_empty();
        let question = if asked { (right.height * 3 / 10).max(ROWS) } else { 3 };
        let (rest, question) = split_top(right, right.height.saturating_sub(question));
        places.question = question;
        // The timeline has no use for more rows than lanes, the records have none for more than there are.
        let wanted = |rows: usize, more: u16| u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(more);
        let records = wanted(self.records.rows.len(), 3).max(ROWS + 1);
        let lanes = wanted(self.timeline.len(), 4).max(ROWS + 2);
        let half = rest.height / 2;
        let height = if records <= half { records } else { rest.height.saturating_sub(lanes).max(half).min(records) };
        (places.records, places.timeline) = split_top(rest, height);
    }

    /// A few steps above; below them the part with the focus, and a second one where there is room.
    fn narrow(&self, body: Rect, places: &mut Places) {
        let mut rest = body;
        if self.has_steps() {
            if self.focus == Part::Steps && body.height < 2 * ROWS {
                places.steps = body;
                return;
            }
            if body.height >= 2 * ROWS {
                (places.steps, rest) = split_top(body, (body.height / 4).max(ROWS));
            }
        }
        if self.opened.is_some() {
            places.opened = rest;
            return;
        }
        let asked = !self.question.text.trim().is_empty();
        let second = match self.focus {
            Part::Question => Part::Timeline,
            Part::Log => {
                places.log = rest;
                return;
            }
            Part::Timeline if asked => Part::Question,
            Part::Timeline => Part::Records,
            _ => Part::Timeline,
        };
        let focus = if self.focus == Part::Steps { Part::Records } else { self.focus };
        if rest.height < 2 * ROWS + 1 {
            *places.of(focus) = rest;
            return;
        }
        let upper =
            [Part::Records, Part::Timeline, Part::Question].into_iter().find(|part| *part == focus || *part == second);
        let lower = if upper == Some(focus) { second } else { focus };
        let (above, below) = split_top(rest, rest.height / 2);
        *places.of(upper.unwrap_or(focus)) = above;
        *places.of(lower) = below;
    }

    /// One line: whose store, after which step, of whom, and where the pointers are.
    fn head(&self, view: &View<'_>) -> Line<'static> {
        let theme = view.theme;
        let (heading, dim) = (theme.style(Role::Heading), theme.style(Role::Dim));
        let dot = || Span::styled(format!(" {} ", theme.neutral()), dim);
        let (Some(player), Some(scenarios)) = (&self.player, &self.scenarios) else { return Line::default() };
        let subject = player.subject();
        let mut spans = vec![
            Span::styled(format!(" {} ", subject::sort(subject)), dim),
            span(&subject::name(subject, view.workspace, scenarios), heading),
        ];
        let len = player.len(&view.workspace.evaluation);
        match subject {
            Subject::File if self.facts.waits => {
                let words = "deleted text is still in the file: the next `memory` command removes it";
                spans.extend([dot(), Span::styled(words, theme.style(Role::Warning))]);
            }
            Subject::File => {}
            Subject::Scenario(_) => {
                spans.extend([dot(), Span::styled(format!("step {} of {len}", player.target()), dim)]);
            }
            Subject::User(_) => {
                spans.extend([dot(), Span::styled(format!("event {} of {len}", player.target()), dim)]);
            }
        }
        spans.push(dot());
        match &self.facts.scope {
            Some(scope) => spans.extend([Span::styled("reads as ", dim), span(&scope.to_string(), heading)]),
            None => spans.push(Span::styled("nobody yet", dim)),
        }
        for (hand, instant) in [(Hand::AsOf, self.pointers.as_of), (Hand::KnownAt, self.pointers.known_at)] {
            let style = if self.pointers.hand == hand { theme.style(Role::Focus) } else { dim };
            spans.extend([dot(), Span::styled(format!("{} {}", hand.name(), words(instant)), style)]);
        }
        if let Some(meaning) = player.target().checked_sub(1).and_then(|step| player.operation_words(step)) {
            let name = player.scenario().and_then(|scenario| scenario.steps.get(player.target() - 1));
            let name = name.map(|step| step.operation.name()).unwrap_or_default();
            spans.extend([dot(), span(&format!("{name}: {meaning}"), dim)]);
        }
        Line::from(spans)
    }
}

impl Places {
    fn of(&mut self, part: Part) -> &mut Rect {
        match part {
            Part::Steps => &mut self.steps,
            Part::Records => &mut self.records,
            Part::Timeline => &mut self.timeline,
            Part::Question => &mut self.question,
            Part::Log => &mut self.log,
            Part::Opened => &mut self.opened,
        }
    }
}

fn split_left(area: Rect, width: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    (Rect { width, ..area }, Rect { x: area.x + width, width: area.width - width, ..area })
}

fn split_top(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    (Rect { height, ..area }, Rect { y: area.y + height, height: area.height - height, ..area })
}
