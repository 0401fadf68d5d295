//! How Replay looks: the events, the stores and the chart, or what was asked.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Part, ReplayPane, Subject, can_show};
use crate::case::Op;
use crate::memory::{History, StoreKind};
use crate::text::{displayable, fit_right};
use crate::tui::action::{Action, Scope};
use crate::tui::pane::View;
use crate::tui::text::{cut, mark_found, span};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::growth_chart::GrowthChart;
use crate::tui::widget::part::{empty, part};

/// From this width on, the events stand beside the stores, not above them.
const WIDE: u16 = 100;
/// The least width of a store beside others.
const STORE: u16 = 34;
/// The least width of a store beside two others.
const THIRD: u16 = 40;

/// Where the parts are. A part without room is nowhere.
#[derive(Default)]
struct Places {
    events: Rect,
    stores: Vec<(StoreKind, Rect)>,
    chart: Rect,
    ask: Rect,
}

impl ReplayPane {
    pub(super) fn draw_all(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let Some(history) = self.history(view) else {
            let sentence = "There is nothing to replay: the case file has neither conversations nor a long replay.";
            return empty(frame, area, sentence, view.theme);
        };
        let head = self.head(history, view);
        frame
            .render_widget(cut(head, usize::from(area.width), view.theme), Rect { height: area.height.min(1), ..area });
        let body = Rect { y: area.y + area.height.min(1), height: area.height.saturating_sub(1), ..area };
        let places = self.places(body, view.zoomed);
        self.chart_area.set(places.chart);
        self.ask_area.set(places.ask);
        let focus = |part: Part| self.focus == part;
        if !places.events.is_empty() {
            self.draw_events(frame, places.events, history, view);
        }
        for rows in &self.stores {
            let place = places.stores.iter().find(|(kind, place)| *kind == rows.kind && !place.is_empty());
            match place {
                Some((kind, place)) => rows.draw(frame, *place, history, focus(Part::of(*kind)), view),
                // What is not drawn takes no clicks.
                None => rows.list.hide(),
            }
        }
        if !places.chart.is_empty() {
            let title = if self.by_turn { "Rows over turns" } else { "Rows over events" };
            let inner = part(frame, places.chart, title, focus(Part::Chart), view.theme);
            let chart = GrowthChart {
                history,
                moment: self.moment(),
                by_turn: self.by_turn,
                governed: can_show(StoreKind::Governed, history),
                theme: view.theme,
            };
            chart.draw(frame, inner);
        }
        if let Some(ask) = self.ask.as_ref().filter(|_| !places.ask.is_empty()) {
            ask.draw(frame, places.ask, history, focus(Part::Ask), view);
        }
    }

    fn places(&self, body: Rect, zoomed: bool) -> Places {
        let mut places = Places::default();
        if zoomed {
            match self.focus {
                Part::Events => places.events = body,
                Part::Managed | Part::Append | Part::Governed => {
                    places.stores.extend(self.focus.store().map(|kind| (kind, body)));
                }
                Part::Chart => places.chart = body,
                Part::Ask => places.ask = body,
            }
            return places;
        }
        let wide = body.width >= WIDE;
        let mut rest = body;
        if wide {
            let width = (body.width * 36 / 100).clamp(40, 76);
            (places.events, rest) = split_left(body, width);
        } else {
            (places.events, rest) = split_top(rest, (body.height / 3).max(4).min(body.height));
        }
        if self.ask.is_some() {
            places.ask = rest;
            return places;
        }
        let chart = if rest.height >= 22 { (rest.height * 3 / 10).clamp(9, 18) } else { 0 };
        (rest, places.chart) = split_top(rest, rest.height - chart);
        // Where there is no room for the chart, it takes the stores' room while it has the focus.
        if chart == 0 && self.focus == Part::Chart {
            places.chart = rest;
        } else {
            places.stores = self.store_places(rest);
        }
        places
    }

    /// As many stores as there is room for: all three, or the two that hold the focus or differ most, or one.
    fn store_places(&self, rest: Rect) -> Vec<(StoreKind, Rect)> {
        let focused = self.focus.store();
        let second = if focused == Some(StoreKind::Governed) { StoreKind::Governed } else { StoreKind::Append };
        if rest.width >= 3 * THIRD {
            let (first, rest) = split_left(rest, rest.width / 3);
            let (second, third) = split_left(rest, rest.width / 2);
            return StoreKind::ALL.into_iter().zip([first, second, third]).collect();
        }
        let (first, other) = if rest.width >= 2 * STORE {
            split_left(rest, rest.width / 2)
        } else if rest.height >= 10 {
            split_top(rest, rest.height / 2)
        } else {
            return vec![(focused.unwrap_or(StoreKind::Managed), rest)];
        };
        vec![(StoreKind::Managed, first), (second, other)]
    }

    /// One line: whose history, which moment, and what can be done with a number that was typed.
    fn head(&self, history: &History, view: &View<'_>) -> Line<'static> {
        let theme = view.theme;
        let (heading, dim) = (theme.style(Role::Heading), theme.style(Role::Dim));
        let dot = || Span::styled(format!(" {} ", theme.neutral()), dim);
        let mut spans = vec![Span::raw(" ")];
        if !self.number.is_empty() {
            spans.push(span(&self.number, theme.style(Role::Key)));
            let key = |action| view.keymap.hint(Scope::Replay, action);
            let mut offer = |key: Option<String>, does: String| {
                if let Some(key) = key {
                    spans.extend([dot(), Span::styled(key, theme.style(Role::Key))]);
                    spans.push(Span::styled(format!(" {does}"), dim));
                }
            };
            offer(key(Action::Last), format!("goes to turn {}", self.number));
            if let Some(pane) = self.typed_pane() {
                offer(key(Action::Open), format!("opens {}", pane.title()));
            }
            offer(key(Action::Cancel), "drops it".to_owned());
            return Line::from(spans);
        }
        spans.push(span(&history.user, heading));
        if self.subject == Some(Subject::LongReplay) {
            spans.push(Span::styled(", long replay".to_owned(), dim));
        }
        if self.playing {
            let playing = format!("{} playing", theme.pick("▶", ">"));
            spans.extend([dot(), Span::styled(playing, theme.style(Role::Focus))]);
        }
        spans.push(dot());
        let (moment, len) = (self.moment(), history.len());
        match self.event(history) {
            Some(event) => {
                spans.push(Span::styled(format!("turn {}", event.turn), heading));
                spans.extend([dot(), span(&format!("event {moment} of {len}"), dim), dot()]);
                let (mark, role) = op_mark(event.op, theme);
                spans.push(Span::styled(format!("{mark} {}", event.op.name()), theme.style(role)));
                spans.push(span(&format!(" {}", event.attribute), dim));
                // In full, as far as the line goes: the list beside the stores is narrow.
                spans.extend([dot(), span(&event.text, theme.style(Role::Text))]);
            }
            None if history.is_empty() => spans.push(Span::styled("no events".to_owned(), dim)),
            None => spans.push(Span::styled(format!("before the first of {len} event{}", plural(len)), heading)),
        }
        Line::from(spans)
    }

    fn draw_events(&self, frame: &mut Frame<'_>, area: Rect, history: &History, view: &View<'_>) {
        let focused = self.focus == Part::Events;
        let inner = part(frame, area, "Events", focused, view.theme);
        if history.is_empty() {
            return empty(frame, inner, "This user has said nothing.", view.theme);
        }
        let digits = if self.by_turn {
            history.turn(history.len() - 1).to_string().len()
        } else {
            // Turns that begin again are as long as the longest on screen at most.
            6
        };
        let now = self.moment();
        let columns = usize::from(inner.width);
        // The event just applied is marked wherever the focus is: it is what all other parts show.
        self.events.draw(frame, inner, history.len() + 1, true, view.theme, |row| {
            event_row(history, row, now, digits, columns, view)
        });
    }
}

/// One event: its turn, what was asked of the store as a mark and a word, its words, its attribute.
fn event_row(
    history: &History,
    row: usize,
    now: usize,
    digits: usize,
    columns: usize,
    view: &View<'_>,
) -> Line<'static> {
    let theme = view.theme;
    let dim = theme.style(Role::Dim);
    let Some(event) = row.checked_sub(1).and_then(|event| history.events.get(event)) else {
        return Line::styled(format!("{}   before the first event", " ".repeat(digits)), dim);
    };
    let (mark, role) = op_mark(event.op, theme);
    let ahead = row > now;
    let style = match event.op {
        Op::Remember if ahead => dim,
        _ => theme.style(role),
    };
    let text_style = theme.style(match (ahead, row == now) {
        (true, _) => Role::Dim,
        (_, true) => Role::Heading,
        _ => Role::Text,
    });
    let turn = fit_right(&event.turn.to_string(), digits);
    let mut spans =
        vec![Span::styled(format!("{turn} "), dim), Span::styled(format!("{mark} {:<8} ", event.op.name()), style)];
    let used = digits + 12;
    let text = mark_found(Line::from(span(&event.text, text_style)), view.needle, theme);
    let attribute = displayable(&event.attribute).into_owned();
    let line_width = used + text.width() + 2 + crate::text::width(&attribute);
    spans.extend(text.spans);
    // The attribute stands at the right end where there is room; the words go first. The list keeps the first column
    // for its pointer.
    if let Some(room) = columns.checked_sub(1 + line_width) {
        spans.push(Span::raw(" ".repeat(room + 2)));
        spans.push(Span::styled(attribute, dim));
    }
    Line::from(spans)
}

/// The mark of an op, beside its word.
fn op_mark(op: Op, theme: &Theme) -> (&'static str, Role) {
    match op {
        Op::Remember => ("+", Role::Text),
        Op::Correct => (theme.pick("≠", "~"), Role::Stale),
        Op::Forget => (theme.pick("✗", "x"), Role::Forgotten),
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn split_left(area: Rect, width: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    (Rect { width, ..area }, Rect { x: area.x + width, width: area.width - width, ..area })
}

fn split_top(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    (Rect { height, ..area }, Rect { y: area.y + height, height: area.height - height, ..area })
}
