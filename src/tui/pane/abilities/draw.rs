//! Where the parts of the Abilities pane are, and the table of systems.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::facts::{Facts, score};
use super::{AbilitiesPane, COLUMNS, Part};
use crate::abilities::{NOT_ASKED, Tried};
use crate::governed::Ability;
use crate::report::score_words;
use crate::text::width;
use crate::tui::pane::View;
use crate::tui::text::{cut, mark_found, span};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::part::{empty, part};

/// From this width on, probes stand beside the systems.
const WIDE: u16 = 150;
/// Columns of the table of systems, with its border.
const TABLE: u16 = 97;
/// The least rows of a part that is worth drawing beside others.
const ROWS: u16 = 6;
/// From this height on, all parts are in view.
const HIGH: u16 = 26;
const AVERAGE: &str = "average";

impl AbilitiesPane {
    pub(super) fn draw_all(&self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        self.hide();
        let Some(facts) = self.facts() else {
            let sentence = match &self.facts {
                Some(Err(error)) => error,
                _ => "Nothing was tried yet.",
            };
            return empty(frame, area, sentence, view.theme);
        };
        let head = cut(head(facts, view.theme), usize::from(area.width), view.theme);
        frame.render_widget(head, Rect { height: 1.min(area.height), ..area });
        let body = Rect { y: area.y + 1.min(area.height), height: area.height.saturating_sub(1), ..area };
        for (part, place) in self.places(body, view.zoomed) {
            if place.is_empty() {
                continue;
            }
            match part {
                Part::Systems => self.draw_systems(frame, place, facts, view),
                Part::Probes => self.draw_probes(frame, place, facts, view),
                Part::Layers => self.layers.draw(frame, place, self.focus == Part::Layers, view),
            }
        }
    }

    fn places(&self, body: Rect, zoomed: bool) -> Vec<(Part, Rect)> {
        if zoomed || body.height < 2 * ROWS {
            return vec![(self.focus, body)];
        }
        let wanted = |part: Part, more: usize| u16::try_from(self.len(part) + more).unwrap_or(u16::MAX);
        // Heading and border, and a legend of four lines.
        let layers = wanted(Part::Layers, 3 + 4).min(body.height / 2);
        if body.height < HIGH {
            let systems = wanted(Part::Systems, 3).min(body.height / 2);
            let (above, below) = split(body, systems);
            return match self.focus {
                Part::Layers => vec![(Part::Layers, body)],
                _ => vec![(Part::Systems, above), (Part::Probes, below)],
            };
        }
        if body.width >= WIDE {
            let (above, below) = split(body, body.height - layers);
            let systems = Rect { width: TABLE, ..above };
            let probes = Rect { x: above.x + TABLE, width: above.width - TABLE, ..above };
            return vec![(Part::Systems, systems), (Part::Probes, probes), (Part::Layers, below)];
        }
        let systems = wanted(Part::Systems, 3).min(body.height / 2);
        let (above, rest) = split(body, systems);
        let layers = layers.min(rest.height.saturating_sub(ROWS + 3));
        let (probes, layers) = split(rest, rest.height - layers);
        vec![(Part::Systems, above), (Part::Probes, probes), (Part::Layers, layers)]
    }

    fn draw_systems(&self, frame: &mut Frame<'_>, area: Rect, facts: &Facts, view: &View<'_>) {
        let theme = view.theme;
        let focused = self.focus == Part::Systems;
        let failing = facts.trial.failing();
        let mut title = vec![Span::raw("Systems")];
        if failing.is_empty() {
            title.push(Span::styled(" the governed store reaches every floor", theme.style(Role::Pass)));
        } else {
            let below: Vec<&str> = failing.iter().map(|(ability, _)| ability.name()).collect();
            let text = format!(" the governed store is below its floor: {}", below.join(", "));
            title.push(Span::styled(text, theme.style(Role::Fail)));
        }
        let inner = part(frame, area, Line::from(title), focused, theme);
        let name = facts.trial.tried.iter().map(|tried| width(&tried.name)).max().unwrap_or(0).max("system".len());
        let columns = usize::from(inner.width);
        frame
            .render_widget(cut(table_head(name, theme), columns, theme), Rect { height: 1.min(inner.height), ..inner });
        let rows = Rect { y: inner.y + 1.min(inner.height), height: inner.height.saturating_sub(1), ..inner };
        self.systems.draw(frame, rows, facts.trial.tried.len(), focused, theme, |row| {
            let Some(tried) = facts.trial.tried.get(row) else { return Line::default() };
            let cell = (row == self.systems.selected()).then_some(self.column);
            mark_found(system_line(tried, name, cell, theme), if focused { view.needle } else { "" }, theme)
        });
    }

    /// The cell at a column of the screen.
    pub(super) fn column_at(&self, column: u16) -> Option<usize> {
        let facts = self.facts()?;
        let name = facts.trial.tried.iter().map(|tried| width(&tried.name)).max().unwrap_or(0).max("system".len());
        // One column of border, one of the cursor.
        let mut right = 2 + name;
        (0..COLUMNS).find(|cell| {
            right += column_width(*cell);
            usize::from(column) < right
        })
    }
}

fn column_name(cell: usize) -> &'static str {
    Ability::ALL.get(cell).map_or(AVERAGE, |ability| ability.name())
}

/// The name, and room for brackets around a score.
fn column_width(cell: usize) -> usize {
    column_name(cell).len() + 2
}

/// Which suite, under which budget, and what it shows.
fn head(facts: &Facts, theme: &Theme) -> Line<'static> {
    let dim = theme.style(Role::Dim);
    let Some(suite) = facts.suite() else { return Line::default() };
    let budget = facts.trial.comparison.budget;
    let budgets = suite.budgets.iter().map(|of| if *of == budget { format!("[{of}]") } else { of.to_string() });
    let cost = match suite.budgets.len() {
        1 => budget.to_string(),
        _ => budgets.collect::<Vec<_>>().join(" "),
    };
    Line::from(vec![
        Span::styled(format!(" suite {} of {} ", facts.at + 1, facts.suites.len()), dim),
        span(&suite.name, theme.style(Role::Heading)),
        Span::styled(
            format!(
                " {} {} probes {} {cost} tokens a question {} ",
                theme.neutral(),
                suite.comparison.probes.len(),
                theme.neutral(),
                theme.neutral()
            ),
            dim,
        ),
        span(&suite.about, dim),
    ])
}

fn table_head(name: usize, theme: &Theme) -> Line<'static> {
    let mut head = format!(" {:<name$}", "system");
    for cell in 0..COLUMNS {
        head.push_str(&format!("{:>1$}", column_name(cell), column_width(cell)));
    }
    head.push_str("  foreign  tokens");
    Line::styled(head, theme.style(Role::Heading))
}

/// A row; the cell under the cursor stands in brackets.
fn system_line(tried: &Tried, name: usize, cell: Option<usize>, theme: &Theme) -> Line<'static> {
    let mut spans = vec![span(&format!("{:<name$}", tried.name), theme.style(Role::Text))];
    for at in 0..COLUMNS {
        let ability = Ability::ALL.get(at);
        let share = ability.map_or_else(|| tried.average(), |ability| score(tried, *ability));
        let ships = ability.and_then(|ability| tried.slices.get(ability)).and_then(|slice| slice.ships());
        let role = match (ability, share, ships) {
            (_, None, _) => Role::Dim,
            (None, ..) => Role::Text,
            (_, _, Some(false)) => Role::Fail,
            (_, Some(share), _) if share < 1.0 => Role::Warning,
            _ => Role::Pass,
        };
        // What is below its floor is told by a sign as well.
        let below = if ships == Some(false) { "!" } else { "" };
        let text = format!("{below}{}", score_words(share));
        let text = if cell == Some(at) { format!("[{text}]") } else { format!("{text} ") };
        spans.push(Span::styled(format!("{text:>0$}", column_width(at)), theme.style(role)));
    }
    let tokens = tried.tokens_per_query().map_or_else(|| NOT_ASKED.to_owned(), |tokens| format!("{tokens:.2}"));
    let foreign = if tried.foreign_answers > 0 { Role::Fail } else { Role::Dim };
    spans.push(Span::styled(format!("{:>9}", tried.foreign_answers), theme.style(foreign)));
    spans.push(Span::styled(format!("{tokens:>8}"), theme.style(Role::Dim)));
    Line::from(spans)
}

fn split(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    (Rect { height, ..area }, Rect { y: area.y + height, height: area.height - height, ..area })
}
