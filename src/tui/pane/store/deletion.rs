//! "Forget me", rehearsed step by step on copies: what it reaches, what is open, what still answers, what closes it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::looks;
use crate::governed::{Judgement, Rehearsal, Stage, StageKind, TargetState};
use crate::text::displayable;
use crate::tui::action::{Action, Scope};
use crate::tui::pane::View;
use crate::tui::text::{mark_found, span, wrap};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::list::ScrollState;
use crate::tui::widget::part::part;

/// A deletion that is rehearsed.
pub(super) struct Deletion {
    rehearsal: Rehearsal,
    /// 0 before it, then after so many of its stages.
    at: usize,
    pub(super) scroll: ScrollState,
}

impl Deletion {
    pub(super) fn new(rehearsal: Rehearsal) -> Self {
        Self { rehearsal, at: 0, scroll: ScrollState::default() }
    }

    /// Goes a step on or back. Returns whether there is one.
    pub(super) fn step(&mut self, forward: bool) -> bool {
        let next = if forward { Some(self.at + 1) } else { self.at.checked_sub(1) };
        let Some(next) = next.filter(|next| *next <= self.rehearsal.stages.len()) else { return false };
        self.at = next;
        self.scroll.reset();
        true
    }

    /// The manifest as JSON.
    pub(super) fn copy(&self) -> String {
        let shown = match self.stage() {
            Some(stage) => serde_json::to_string_pretty(stage),
            None => serde_json::to_string_pretty(&self.rehearsal.reached),
        };
        shown.unwrap_or_default()
    }

    fn stage(&self) -> Option<&Stage> {
        self.at.checked_sub(1).and_then(|at| self.rehearsal.stages.get(at))
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, focused: bool, view: &View<'_>) {
        let theme = view.theme;
        let about = format!(
            " {} {} step {} of {}, on a copy",
            displayable(&self.rehearsal.subject),
            theme.neutral(),
            self.at,
            self.rehearsal.stages.len()
        );
        let title = Line::from(vec![Span::raw("Forget me"), Span::styled(about, theme.style(Role::Dim))]);
        let inner = part(frame, area, title, focused, theme);
        let lines = self.lines(usize::from(inner.width), view);
        self.scroll.draw_rows(frame, inner, lines.len(), theme, |row| {
            mark_found(lines.get(row).cloned().unwrap_or_default(), view.needle, theme)
        });
    }

    fn lines(&self, columns: usize, view: &View<'_>) -> Vec<Line<'static>> {
        let mut page = Page { columns, theme: view.theme, lines: Vec::new() };
        match self.stage() {
            None => self.before(&mut page),
            Some(stage) => self.after(stage, &mut page),
        }
        let key = |action| view.keymap.hint(Scope::Store, action).unwrap_or_default();
        let (on, back) = (key(Action::StoreForward), key(Action::StoreBack));
        page.blank();
        let more = self.at < self.rehearsal.stages.len();
        page.say(
            Role::Dim,
            &if more { format!("{on} goes on, {back} goes back") } else { format!("{back} goes back") },
        );
        page.lines
    }

    fn before(&self, page: &mut Page<'_>) {
        let reached = &self.rehearsal.reached;
        page.heading("What a deletion reaches");
        page.count(
            reached.rows.len(),
            "row of the subject's own, not derived",
            "rows of the subject's own, not derived",
        );
        for record in &reached.rows {
            page.record(&looks::fact(record), &format!("{} {}", record.id, looks::interval(record.span)), 5);
        }
        page.count(reached.postings, "place in the index", "places in the index");
        page.count(reached.cached, "cached read of the tenant", "cached reads of the tenant");
        page.count(reached.waiting, "proposal that waits for a review", "proposals that wait for a review");
        page.count(reached.derived.len(), "record derived from them", "records derived from them");
        for derived in &reached.derived {
            let about = format!(
                "{} {}, depth {}, rests on {}",
                derived.record.id,
                derived.record.scope,
                derived.depth,
                derived.parents.join(", ")
            );
            page.record(&looks::fact(&derived.record), &about, 3 + 2 * derived.depth.min(10));
        }
    }

    fn after(&self, stage: &Stage, page: &mut Page<'_>) {
        page.heading(match stage.kind {
            StageKind::Rows => "1. The subject's own rows are deleted",
            StageKind::Traversal => "2. What rests on them is deleted, at every depth",
            StageKind::Judgement => "Or: each derived record is judged",
        });
        let manifest = &stage.manifest;
        page.count(manifest.record_ids.len(), "record deleted", "records deleted");
        if !manifest.record_ids.is_empty() {
            page.say(Role::Dim, &format!("  {}", manifest.record_ids.join(", ")));
        }
        page.blank();
        let targets = manifest.targets;
        for (name, state) in [
            ("primary rows", targets.primary_store),
            ("search index", targets.search_index),
            ("cached reads", targets.cache),
            ("derived summaries and skills", targets.derived_summaries),
        ] {
            page.target(name, state);
        }
        self.judged(stage, page);
        page.blank();
        if stage.still.is_empty() {
            page.say(Role::Useful, "No derived record that the deletion reaches answers any more.");
        } else {
            let open = stage.kind == StageKind::Rows;
            page.heading(if open { "Still answers" } else { "Answers, and may" });
            for still in &stage.still {
                let role = if open { Role::Forgotten } else { Role::Text };
                let value = still.value.as_deref().unwrap_or("(not the subject's to read)");
                let asked = format!("{} asks \"{}\": {value}  ", still.reader, still.question);
                page.spans(vec![span(&asked, page.theme.style(role)), span(&still.id, page.theme.style(Role::Dim))]);
            }
        }
        page.blank();
        for exception in &manifest.exceptions {
            page.say(Role::Warning, exception);
        }
        match (manifest.complete, stage.kind) {
            (true, _) => page.say(Role::Useful, "Complete: nothing is open."),
            (false, StageKind::Rows) => {
                page.say(Role::Forgotten, "Not complete. Following the lineage closes it: the next step.");
            }
            (false, _) => page.say(Role::Forgotten, "Not complete: something is open."),
        }
    }

    fn judged(&self, stage: &Stage, page: &mut Page<'_>) {
        if stage.artifacts.is_empty() {
            return;
        }
        page.blank();
        for artifact in &stage.artifacts {
            let (word, role) = match artifact.decision {
                Judgement::Removed => ("removed", Role::Forgotten),
                Judgement::Rebuilt => ("rebuilt", Role::Stale),
                Judgement::Retained => ("retained", Role::Useful),
            };
            let reached = self.rehearsal.reached.derived.iter();
            let known = reached.clone().find(|derived| derived.record.id == artifact.artifact);
            let what = known.map(|derived| looks::fact(&derived.record)).unwrap_or_default();
            let replaced = artifact.replacement.as_ref().map(|id| format!(" as {id}")).unwrap_or_default();
            page.spans(vec![
                Span::styled(format!("{word:<9}"), page.theme.style(role)),
                span(&what, page.theme.style(Role::Text)),
                span(&format!("  {}{replaced}: {}", artifact.artifact, artifact.basis), page.theme.style(Role::Dim)),
            ]);
        }
    }
}

struct Page<'a> {
    columns: usize,
    theme: &'a Theme,
    lines: Vec<Line<'static>>,
}

impl Page<'_> {
    fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| line.width() > 0) {
            self.lines.push(Line::default());
        }
    }

    fn heading(&mut self, text: &'static str) {
        self.lines.push(Line::styled(format!(" {text}"), self.theme.style(Role::Heading)));
    }

    fn say(&mut self, role: Role, text: &str) {
        self.spans(vec![span(text, self.theme.style(role))]);
    }

    fn spans(&mut self, mut spans: Vec<Span<'static>>) {
        spans.insert(0, Span::raw(" "));
        self.lines.extend(wrap(&spans, self.columns, 4));
    }

    fn count(&mut self, count: usize, one: &str, more: &str) {
        let role = if count == 0 { Role::Dim } else { Role::Text };
        self.say(role, &format!("{count:>3} {}", if count == 1 { one } else { more }));
    }

    fn record(&mut self, fact: &str, about: &str, indent: usize) {
        let spans = [
            Span::raw(" ".repeat(indent)),
            span(fact, self.theme.style(Role::Text)),
            span(&format!("  {about}"), self.theme.style(Role::Dim)),
        ];
        self.lines.extend(wrap(&spans, self.columns, indent + 2));
    }

    fn target(&mut self, name: &str, state: TargetState) {
        let (mark, word, role) = match state {
            TargetState::Deleted => (self.theme.useful(), "deleted", Role::Useful),
            TargetState::Open => (self.theme.missing(), "OPEN", Role::Forgotten),
        };
        self.spans(vec![
            Span::styled(format!("{mark} {word:<8} "), self.theme.style(role)),
            Span::styled(name.to_owned(), self.theme.style(Role::Text)),
        ]);
    }
}
