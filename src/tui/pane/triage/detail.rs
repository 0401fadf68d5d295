//! Everything about the question under the cursor that a decision may rest on, as rows that unfold.

use std::collections::BTreeMap;
use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::audit::Part;
use crate::explain::Explanation;
use crate::grade::{AnswerKey, Verdict};
use crate::memory::line;
use crate::triage::{Dispute, KeyText};
use crate::tui::action::Action;
use crate::tui::pane::{Cursor, PaneKind, Response, Route, View};
use crate::tui::text::{highlighted, mark_found, span, wrap};
use crate::tui::theme::Role;
use crate::tui::widget::list::ListState;
use crate::tui::widget::{marks, published};
use crate::workspace::AnswerRef;

/// What a row is, as far as keys can act on it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Heading,
    Text,
    /// A pattern of the key, by its name.
    Pattern(String),
    /// All answers with these words.
    Answers(String),
}

/// A row: in one line, and what follows it under the cursor.
struct Entry {
    kind: Kind,
    head: Vec<Span<'static>>,
    more: Vec<Vec<Span<'static>>>,
    at: Option<AnswerRef>,
}

/// The rows about one question, and the cursor among them.
#[derive(Default)]
pub(super) struct Detail {
    entries: Vec<Entry>,
    list: ListState,
}

impl Detail {
    /// Gathers what there is about the question under the shared cursor.
    pub(super) fn of(view: &View<'_>) -> Self {
        let mut detail = Self::default();
        detail.key(view);
        detail.signals(view);
        detail.answers(view);
        detail.facts_and_block(view);
        detail.decisions(view);
        let first = detail.entries.iter().position(|entry| entry.kind != Kind::Heading).unwrap_or(0);
        detail.list.select(first, detail.entries.len());
        detail
    }

    fn heading(&mut self, title: &'static str, about: &str, view: &View<'_>) {
        let head = vec![
            Span::styled(title, view.theme.style(Role::Heading)),
            span(&format!("  {about}"), view.theme.style(Role::Dim)),
        ];
        self.entries.push(Entry { kind: Kind::Heading, head, more: Vec::new(), at: None });
    }

    fn row(&mut self, kind: Kind, head: Vec<Span<'static>>, more: Vec<Vec<Span<'static>>>) {
        self.entries.push(Entry { kind, head, more, at: None });
    }

    fn key(&mut self, view: &View<'_>) {
        let theme = view.theme;
        let question = view.cursor.question;
        let corrected = view.diagnosis.and_then(|diagnosis| diagnosis.standing.corrected(question));
        let answer = view.diagnosis.and_then(|diagnosis| diagnosis.standing.corrected_answer(question));
        let expected =
            view.workspace.evaluation.question(question).map_or_else(Vec::new, |(_, asked)| {
                published::rows(asked, answer.map(|(_, corrected)| corrected), theme)
            });
        let key = key_of(question, view);
        let about = match (corrected.is_some() || answer.is_some(), key.is_some() || !expected.is_empty()) {
            (true, _) => "corrected by a decision",
            (false, true) => "",
            (false, false) => "none",
        };
        self.heading("Key", about, view);
        for (label, words, style) in expected {
            let head = vec![span(&format!("  {label:<10} "), theme.style(Role::Dim)), span(words, style)];
            self.row(Kind::Text, head, Vec::new());
        }
        let Some(key) = key else { return };
        let text = corrected.map_or_else(|| KeyText::of(key), |(_, corrected)| corrected.text.clone());
        for (name, pattern) in text.patterns() {
            let must = text.must.get(name).is_some();
            let what = if must { "must state" } else { "must not" };
            let head = vec![span(&format!("  {what} {name}  "), theme.style(Role::Dim)), span(pattern, Style::new())];
            self.row(Kind::Pattern(name.to_owned()), head, Vec::new());
        }
    }

    fn signals(&mut self, view: &View<'_>) {
        let theme = view.theme;
        let Some(audited) = view.diagnosis.and_then(|diagnosis| diagnosis.audited(view.cursor.question)) else {
            return;
        };
        let flag = if audited.flagged { ", more likely wrong than right" } else { "" };
        self.heading("Signals", &format!("{:.0} % doubt{flag}", audited.score * 100.0), view);
        for finding in &audited.signals {
            let head = vec![
                Span::styled(format!("  {:+.2} ", finding.points), theme.style(Role::Warning)),
                Span::raw(finding.signal),
                Span::styled(
                    format!(
                        "  weight {:.2}, strength {:.2}, doubts the {}",
                        finding.weight,
                        finding.strength,
                        finding.doubts.name()
                    ),
                    theme.style(Role::Dim),
                ),
            ];
            let more = finding.proof.iter().map(|part| proof(part, view)).collect();
            self.row(Kind::Text, head, more);
        }
        if audited.signals.is_empty() {
            self.row(Kind::Text, vec![Span::styled("  none shows", theme.style(Role::Dim))], Vec::new());
        }
    }

    /// The answers, those of one text together, the most frequent first.
    fn answers(&mut self, view: &View<'_>) {
        let theme = view.theme;
        let mut groups: BTreeMap<&str, Vec<(AnswerRef, Verdict)>> = BTreeMap::new();
        let mut count = 0;
        for strategy in 0..view.workspace.evaluation.strategies.len() {
            for at in view.workspace.answers(strategy, view.cursor.question) {
                let Some((_, _, answer, grade)) = view.workspace.answer(at) else { continue };
                let graded = view.diagnosis.and_then(|diagnosis| diagnosis.standing.grade(view.workspace, at));
                let verdict = graded.map_or(grade.verdict, |(grade, _)| grade.verdict);
                groups.entry(&answer.answer).or_default().push((at, verdict));
                count += 1;
            }
        }
        self.heading("Answers", &format!("{count}, of {} texts", groups.len()), view);
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, answers)| std::cmp::Reverse(answers.len()));
        for (text, answers) in groups {
            let verdicts: Vec<Verdict> = answers.iter().map(|(_, verdict)| *verdict).collect();
            let mut head = vec![Span::styled(format!("  {:>3}x ", answers.len()), theme.style(Role::Dim))];
            head.extend(marks::pips(&verdicts, 10, theme));
            head.push(span(&format!("  {}", text.replace(['\n', '\r'], " ")), Style::new()));
            let first = answers.first().map(|(at, _)| *at);
            let mut more = first.map_or_else(Vec::new, |at| answer_lines(at, text, view));
            more.push(vec![span(&format!("      {}", origins(&answers, view)), theme.style(Role::Dim))]);
            self.entries.push(Entry { kind: Kind::Answers(text.to_owned()), head, more, at: first });
        }
    }

    fn facts_and_block(&mut self, view: &View<'_>) {
        let theme = view.theme;
        let Cursor { question, strategy, .. } = view.cursor;
        let evaluation = &view.workspace.evaluation;
        let Some(explanation) = Explanation::of(evaluation, strategy, question) else { return };
        let name = evaluation.strategies.get(strategy).map_or("", |strategy| strategy.name());
        self.heading("Facts", &format!("under {name}"), view);
        for fact in &explanation.facts {
            let (mark, role) = marks::fact(fact, theme);
            let head = vec![
                Span::styled(format!("  {mark} "), theme.style(role)),
                Span::styled(format!("{} ", fact.kind.name()), theme.style(Role::Dim)),
                span(&fact.label, Style::new()),
                span(&format!("  {}", fact.words()), theme.style(Role::Dim)),
            ];
            self.row(Kind::Text, head, Vec::new());
        }
        self.heading("Memory block", &format!("{} lines under {name}", explanation.sent.len()), view);
        let Some((history, _)) = evaluation.history(question) else { return };
        for sent in &explanation.sent {
            let Some(event) = history.said(sent.event) else { continue };
            let mut head = vec![Span::raw("  ")];
            head.extend(marks::gutter(sent.role, theme));
            head.push(span(&line(sent.id, &event.text), Style::new()));
            self.row(Kind::Text, head, Vec::new());
        }
    }

    fn decisions(&mut self, view: &View<'_>) {
        let theme = view.theme;
        let decisions = super::decisions(view.cursor.question, view);
        let dispute = view.diagnosis.and_then(|diagnosis| diagnosis.standing.dispute(view.cursor.question));
        let conflict =
            if matches!(dispute, Some(Dispute::Conflict(_))) { ", in conflict: none of them counts" } else { "" };
        self.heading("Decisions", &format!("{}{conflict}", decisions.len()), view);
        for decision in decisions {
            let head = vec![
                Span::styled(format!("  {} ", decision.verdict.name()), theme.style(Role::Added)),
                span(&decision.reason, Style::new()),
                span(&format!("  {}, {}", decision.author, decision.time), theme.style(Role::Dim)),
            ];
            self.row(Kind::Text, head, Vec::new());
        }
    }

    /// What the row under the cursor is.
    pub(super) fn kind(&self) -> Option<&Kind> {
        self.entries.get(self.list.selected()).map(|entry| &entry.kind)
    }

    /// The text of the row under the cursor.
    pub(super) fn text(&self) -> Option<String> {
        let entry = self.entries.get(self.list.selected())?;
        match &entry.kind {
            Kind::Answers(text) => Some(text.clone()),
            _ => Some(entry.head.iter().map(|span| span.content.as_ref()).collect::<String>().trim().to_owned()),
        }
    }

    /// Where the row under the cursor leads.
    pub(super) fn open(&self, view: &View<'_>) -> Response {
        let at = self.entries.get(self.list.selected()).and_then(|entry| entry.at);
        match at {
            Some(at) => {
                let graded = view.workspace.recordings.get(at.recording);
                let strategy = graded.and_then(|graded| graded.strategy.get(at.group).copied().flatten());
                let strategy = strategy.unwrap_or(view.cursor.strategy);
                let cursor = Cursor { answer: Some(at), strategy, ..view.cursor };
                Response::Go(Route { pane: PaneKind::Answers, cursor })
            }
            None => Response::Go(Route { pane: PaneKind::Question, cursor: view.cursor }),
        }
    }

    pub(super) fn motion(&mut self, action: Action) -> bool {
        let before = self.list.selected();
        if !self.list.motion(action, self.entries.len()) {
            return false;
        }
        let forward = self.list.selected() >= before;
        let is_row = |row: &usize| self.entries.get(*row).is_some_and(|entry| entry.kind != Kind::Heading);
        let at = self.list.selected();
        let on = (at..self.entries.len()).find(is_row);
        let back = (0..=at).rev().find(is_row);
        if let Some(row) = if forward { on.or(back) } else { back.or(on) } {
            self.list.select(row, self.entries.len());
        }
        if self.list.selected() <= 1 {
            self.list.show_first();
        }
        true
    }

    pub(super) fn click(&mut self, column: u16, row: u16) -> bool {
        let Some(index) = self.list.row_at(column, row, self.entries.len()) else { return false };
        self.list.select(index, self.entries.len());
        true
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, focused: bool, view: &View<'_>) {
        let columns = usize::from(area.width).saturating_sub(1);
        self.list.draw_unfolded(frame, area, self.entries.len(), focused, view.theme, |index| {
            let Some(entry) = self.entries.get(index) else { return Vec::new() };
            let mut lines = vec![Line::from(entry.head.clone())];
            if focused && index == self.list.selected() {
                lines = wrap(&entry.head, columns, 6);
                lines.extend(entry.more.iter().flat_map(|spans| wrap(spans, columns, 6)));
            }
            lines.into_iter().map(|line| mark_found(line, view.needle, view.theme)).collect()
        });
    }
}

/// The recorded key of a question.
fn key_of<'a>(question: usize, view: &View<'a>) -> Option<&'a AnswerKey> {
    view.workspace.keys.key(view.workspace.evaluation.question(question)?.1)
}

/// Which strategies and seeds gave a text.
fn origins(answers: &[(AnswerRef, Verdict)], view: &View<'_>) -> String {
    let mut by_strategy: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, _) in answers {
        if let Some((_, group, ..)) = view.workspace.answer(*at) {
            *by_strategy.entry(&group.strategy).or_default() += 1;
        }
    }
    by_strategy.iter().map(|(strategy, count)| format!("{count} of {strategy}")).collect::<Vec<_>>().join(", ")
}

/// An answer's text with what the key matched in it, a line a line.
fn answer_lines(at: AnswerRef, text: &str, view: &View<'_>) -> Vec<Vec<Span<'static>>> {
    let highlights = marks::answer_highlights(at, text, view.workspace, view.theme);
    let mut spans = vec![Span::raw("      ")];
    spans.extend(highlighted(text, &highlights, Style::new()));
    vec![spans]
}

/// One piece of a signal's proof, what it rests on highlighted.
fn proof(part: &Part, view: &View<'_>) -> Vec<Span<'static>> {
    let theme = view.theme;
    let marked = |text: &str, spans: &[Range<usize>]| {
        let found: Vec<_> = spans.iter().map(|range| (range.clone(), theme.style(Role::Found))).collect();
        highlighted(text, &found, Style::new())
    };
    let mut line = vec![Span::raw("      ")];
    match part {
        Part::Sentence { text } => line.push(span(text, Style::new())),
        Part::Answer { strategy, seed, text, spans, .. } => {
            let seed = seed.map_or_else(String::new, |seed| format!(" seed {seed}"));
            line.push(span(&format!("{strategy}{seed}: "), theme.style(Role::Dim)));
            line.extend(marked(text, spans));
        }
        Part::Line { speaker, text, spans, .. } => {
            line.push(span(&format!("{speaker} said: "), theme.style(Role::Dim)));
            line.extend(marked(text, spans));
        }
        Part::Pattern { name, pattern, text, spans } => {
            line.push(span(&format!("{name} {pattern} on "), theme.style(Role::Dim)));
            line.extend(marked(text, spans));
        }
    }
    line
}
