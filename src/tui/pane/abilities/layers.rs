//! The four layers of the data in view: where does its memory break?

use std::sync::{Arc, Weak};

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::layers::{LayerScore, Layers, StrategyLayers};
use crate::text::width;
use crate::triage::Layer;
use crate::tui::pane::View;
use crate::tui::text::{mark_found, span};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::list::ListState;
use crate::tui::widget::part::{empty, part};
use crate::workspace::Workspace;

/// Columns of a strategy's name at most.
const NAME: usize = 22;
/// Blanks between columns.
const GAP: usize = 2;
const USEFUL: &str = "useful";

/// The layers, counted for a workspace under its decisions.
#[derive(Default)]
pub(super) struct LayersPart {
    counted: Option<Layers>,
    /// Of which workspace, and after how many decisions.
    of: Option<(Weak<Workspace>, usize)>,
    pub(super) list: ListState,
}

impl LayersPart {
    /// Counts them, unless they were counted of the same.
    pub(super) fn derive(&mut self, view: &View<'_>) {
        let Some(diagnosis) = view.diagnosis else { return };
        let decisions = diagnosis.standing.decisions().len();
        let known = self.of.as_ref().is_some_and(|(workspace, known)| {
            // The address of a workspace that a weak reference still names is given to no other.
            *known == decisions && std::ptr::eq(workspace.as_ptr(), Arc::as_ptr(view.workspace))
        });
        if !known {
            self.counted = Some(Layers::of(view.workspace, diagnosis));
            self.of = Some((Arc::downgrade(view.workspace), decisions));
            self.list.select(self.list.selected(), self.len());
        }
    }

    fn strategies(&self) -> &[StrategyLayers] {
        self.counted.as_ref().map_or(&[], |layers| &layers.strategies)
    }

    pub(super) fn len(&self) -> usize {
        self.strategies().len()
    }

    /// The place in the evaluation of the strategy under the cursor.
    pub(super) fn strategy(&self, view: &View<'_>) -> Option<usize> {
        view.workspace.evaluation.strategy_named(&self.strategies().get(self.list.selected())?.strategy)
    }

    /// The width of each column, from its head and its longest cell.
    fn widths(&self) -> Vec<usize> {
        let heads = Layer::ALL.map(Layer::name).into_iter().chain([USEFUL]);
        let mut widths: Vec<usize> = heads.map(str::len).collect();
        for of in self.strategies() {
            for (width, cell) in widths.iter_mut().zip(cells(of)) {
                *width = (*width).max(words(cell).len());
            }
        }
        widths.into_iter().map(|width| width + GAP).collect()
    }

    pub(super) fn words(&self, row: usize) -> Option<String> {
        let of = self.strategies().get(row)?;
        let layers = Layer::ALL.map(|layer| format!("{} {}", layer.name(), words(of.score(layer))));
        Some(format!("{}: {}", of.strategy, layers.join(", ")))
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, focused: bool, view: &View<'_>) {
        let theme = view.theme;
        let about = " of the data in view: what went through each, of what reached it";
        let title = Line::from(vec![Span::raw("Layers"), Span::styled(about, theme.style(Role::Dim))]);
        let inner = part(frame, area, title, focused, theme);
        if self.counted.is_none() {
            return empty(frame, inner, "The layers are still being counted.", theme);
        }
        if self.len() == 0 {
            return empty(frame, inner, "No strategy has a block here.", theme);
        }
        let name = self.strategies().iter().map(|of| width(&of.strategy)).max().unwrap_or(0).clamp(8, NAME);
        let widths = self.widths();
        let heads = Layer::ALL.map(Layer::name).into_iter().chain([USEFUL]);
        let mut head = format!(" {:<name$}", "strategy");
        heads.zip(&widths).for_each(|(text, width)| head.push_str(&format!("{text:>width$}")));
        frame.render_widget(
            crate::tui::text::cut(Line::styled(head, theme.style(Role::Heading)), usize::from(inner.width), theme),
            Rect { height: 1.min(inner.height), ..inner },
        );
        let rest = Rect { y: inner.y + 1.min(inner.height), height: inner.height.saturating_sub(1), ..inner };
        // One line for what the numbers of the cursor's row count, where there is room.
        let rows = u16::try_from(self.len()).unwrap_or(u16::MAX);
        let legend = rest.height.saturating_sub(rows).min(4);
        let lists = Rect { height: rest.height - legend, ..rest };
        self.list.draw(frame, lists, self.len(), focused, theme, |row| {
            let line = self.strategies().get(row).map_or_else(Line::default, |of| row_of(of, name, &widths, theme));
            mark_found(line, if focused { view.needle } else { "" }, theme)
        });
        for (y, layer) in (lists.bottom()..).zip(Layer::ALL).take(usize::from(legend)) {
            let line = Line::styled(format!(" {}: {}", layer.name(), layer.counts()), theme.style(Role::Dim));
            let line = crate::tui::text::cut(line, usize::from(rest.width), theme);
            frame.render_widget(line, Rect { y, height: 1, ..rest });
        }
    }
}

/// What stands in the columns of a strategy.
fn cells(of: &StrategyLayers) -> impl Iterator<Item = Option<LayerScore>> {
    Layer::ALL.map(|layer| of.score(layer)).into_iter().chain([Some(of.useful_lines)])
}

fn row_of(of: &StrategyLayers, name: usize, widths: &[usize], theme: &Theme) -> Line<'static> {
    let safe = span(&of.strategy, theme.style(Role::Text));
    let cut = crate::text::truncate_with(&safe.content, name, theme.ellipsis()).into_owned();
    let blanks = name.saturating_sub(width(&cut));
    let mut spans = vec![Span::styled(cut + &" ".repeat(blanks), theme.style(Role::Text))];
    for (place, (score, width)) in cells(of).zip(widths).enumerate() {
        let role = match score.and_then(LayerScore::share) {
            // The lines are no layer: how many of them should be useful, nobody can say.
            _ if place >= Layer::ALL.len() => Role::Dim,
            None => Role::Dim,
            Some(share) if share < 1.0 => Role::Fail,
            Some(_) => Role::Pass,
        };
        spans.push(Span::styled(format!("{:>width$}", words(score)), theme.style(role)));
    }
    Line::from(spans)
}

fn words(score: Option<LayerScore>) -> String {
    let share = score.and_then(|score| Some((score, score.share()?)));
    share.map_or_else(|| "-".to_owned(), |(score, share)| format!("{}/{} {share:.3}", score.right, score.of))
}
