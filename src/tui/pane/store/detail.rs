//! Everything about one record: what it is, what was known of its end and when, how it leaves the store, and its lineage.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::facts::Facts;
use super::looks;
use crate::governed::{AuditEntry, Branch, Kept, Lineage, Record, Status, quote, tree};
use crate::tui::pane::View;
use crate::tui::text::{mark_found, span, wrap};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::list::ScrollState;
use crate::tui::widget::part::part;

/// Columns of the names before values.
const NAME: usize = 12;

/// A record that was opened.
pub(super) struct Detail {
    kept: Kept,
    lineage: Option<Lineage>,
    decisions: Vec<AuditEntry>,
    pub(super) scroll: ScrollState,
}

impl Detail {
    pub(super) fn new(kept: Kept, lineage: Option<Lineage>, facts: &Facts) -> Self {
        let about = |entry: &&AuditEntry| entry.record.as_ref() == Some(&kept.record.id);
        let decisions = facts.log.iter().filter(about).cloned().collect();
        Self { kept, lineage, decisions, scroll: ScrollState::default() }
    }

    /// The record's id.
    pub(super) fn id(&self) -> &str {
        &self.kept.record.id
    }

    /// The block as it leaves the store; of a deleted record its id.
    pub(super) fn copy(&self) -> String {
        let block = quote(&self.kept.record);
        if block.is_empty() { self.kept.record.id.clone() } else { block }
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, focused: bool, view: &View<'_>) {
        let theme = view.theme;
        let title = Line::from(vec![Span::raw("Record"), span(&format!(" {}", self.id()), theme.style(Role::Dim))]);
        let inner = part(frame, area, title, focused, theme);
        let lines = self.lines(usize::from(inner.width), theme);
        self.scroll.draw_rows(frame, inner, lines.len(), theme, |row| {
            mark_found(lines.get(row).cloned().unwrap_or_default(), view.needle, theme)
        });
    }

    fn lines(&self, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
        let record = &self.kept.record;
        let (_, state) = self.kept.believed(None);
        let mut page = Page { columns, theme, lines: Vec::new() };
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "(deleted)".to_owned());
        page.field("key", &text(&record.key), Role::Heading);
        page.field("value", &text(&record.value), Role::Heading);
        page.field("status", &format!("{} ({})", record.status.name(), state.name()), looks::role(state));
        page.field("valid", &looks::interval(record.span), Role::Text);
        page.field("recorded", &record.recorded_at.to_string(), Role::Text);
        let horizon =
            record.expires_at.map_or_else(|| "none".to_owned(), |horizon| format!("hidden from {horizon} on"));
        page.field("horizon", &horizon, Role::Text);
        page.field("owner", &owner(record), Role::Text);
        page.field("source", &format!("{}, {:.2} sure", record.source.name(), record.confidence), Role::Text);
        page.field("kind", record.kind.name(), Role::Text);
        page.field("evidence", &text(&record.evidence), Role::Text);
        page.heading("What was known of its end");
        for ending in &self.kept.endings {
            let end = match (ending.withdrawn, ending.ends) {
                (true, _) => "withdrawn: it was never so".to_owned(),
                (false, Some(end)) => format!("ends at {end}"),
                (false, None) => "lasts".to_owned(),
            };
            let by = ending.by.as_ref().map(|by| format!(", by {by}")).unwrap_or_default();
            page.item(&format!("from {} on: {end}{by}", ending.known_at));
        }
        page.heading("How it leaves the store");
        match quote(record) {
            block if block.is_empty() => page.item("it does not: its text is gone"),
            block => page.item(&block),
        }
        if !self.decisions.is_empty() {
            page.heading("Decisions");
            for entry in &self.decisions {
                let at = entry.at.map(|at| format!(" at {at}")).unwrap_or_default();
                page.item(&format!("{}{at}: {}", entry.operation, entry.reason));
            }
        }
        if let Some(lineage) = &self.lineage {
            page.tree("Rests on", "nothing: it is no summary", &lineage.above);
            page.tree("Derived from it", "nothing", &lineage.below);
            if lineage.cut {
                page.item("and more than can be shown");
            }
        }
        page.lines
    }
}

/// Whose a record is.
fn owner(record: &Record) -> String {
    match record.scope.user() {
        Some(_) => record.scope.to_string(),
        None => format!("{}, shared by everyone in it", record.scope),
    }
}

/// Lines that are written one below the other.
struct Page<'a> {
    columns: usize,
    theme: &'a Theme,
    lines: Vec<Line<'static>>,
}

impl Page<'_> {
    fn field(&mut self, name: &str, value: &str, role: Role) {
        let name = Span::styled(format!(" {name:<NAME$}"), self.theme.style(Role::Dim));
        self.lines.extend(wrap(&[name, span(value, self.theme.style(role))], self.columns, NAME + 1));
    }

    fn heading(&mut self, text: &'static str) {
        self.lines.push(Line::default());
        self.lines.push(Line::styled(format!(" {text}"), self.theme.style(Role::Heading)));
    }

    fn item(&mut self, text: &str) {
        let spans = [Span::raw("   "), span(text, self.theme.style(Role::Text))];
        self.lines.extend(wrap(&spans, self.columns, 5));
    }

    fn tree(&mut self, heading: &'static str, none: &str, branches: &[Branch]) {
        self.heading(heading);
        if branches.is_empty() {
            self.item(none);
        }
        self.lines.extend(tree_lines(branches, self.theme));
    }
}

/// The lines of a lineage's tree.
pub(super) fn tree_lines(branches: &[Branch], theme: &Theme) -> Vec<Line<'static>> {
    let line = |line: crate::governed::TreeLine<'_>| {
        let record = &line.branch.record;
        let (mark, role) = match record.status {
            Status::Active => (crate::governed::State::Active, Role::Text),
            Status::Superseded => (crate::governed::State::Superseded, Role::Dim),
            Status::Expired => (crate::governed::State::Expired, Role::Dim),
            Status::Deleted => (crate::governed::State::Deleted, Role::Dim),
        };
        let again = if line.branch.again { "  (above already)" } else { "" };
        Line::from(vec![
            Span::styled(format!("   {}", line.strokes(theme.ascii)), theme.style(Role::Border)),
            looks::mark(mark, theme),
            Span::raw(" "),
            span(&looks::fact(record), theme.style(role)),
            span(&format!("  {} {}{again}", record.id, record.scope), theme.style(Role::Dim)),
        ])
    };
    tree(branches).into_iter().map(line).collect()
}
