//! How each row of a sheet is drawn: in one line, and unfolded under the cursor.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::sheet::{Row, Sheet};
use crate::case::{Event, Fact};
use crate::explain::{Candidate, FactFinding, Fate, Ignored, shared_words};
use crate::memory::word_spans;
use crate::text::{displayable, fit, fit_right, width};
use crate::triage::AnswerFinding;
use crate::tui::pane::View;
use crate::tui::text::{cut, highlighted, span, wrap};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::marks;
use crate::workspace::AnswerRef;

/// Lines that an unfolded answer may take; Enter shows all of it.
const UNFOLDED_ANSWER: usize = 14;

/// Widths that all rows of a sheet share, so that their columns stand under each other.
pub(super) struct Measure {
    /// Columns of a row, without the pointer.
    columns: usize,
    /// Lines that there are for all rows.
    height: usize,
    /// Of the longest `#ID`.
    id: usize,
    /// Of the longest reason for staying out.
    reason: usize,
}

impl Measure {
    pub(super) fn of(sheet: &Sheet, columns: usize, height: usize) -> Self {
        let all = || sheet.explanation.sent.iter().chain(&sheet.explanation.left_out);
        let id = all().map(|candidate| candidate.id).max().unwrap_or(0).to_string().len() + 1;
        let longest =
            sheet.explanation.left_out.iter().take(500).map(|candidate| width(&short_reason(candidate))).max();
        Self { columns: columns.saturating_sub(1), height, id, reason: longest.unwrap_or(0).min(columns * 2 / 5) }
    }
}

/// A row in one line.
pub(super) fn line(sheet: &Sheet, row: Row, measure: &Measure, view: &View<'_>) -> Line<'static> {
    let theme = view.theme;
    match row {
        Row::Heading(section) => Some(sheet.heading(section, measure.columns, view)),
        Row::Nothing(what) => Some(Line::styled(format!("  {what}"), theme.style(Role::Dim))),
        Row::Fact(place) => sheet.explanation.facts.get(place).map(|fact| fact_line(fact, measure, theme)),
        Row::Line(place) => sheet.explanation.sent.get(place).and_then(|sent| sent_line(sheet, sent, measure, view)),
        Row::LeftOut(place) => {
            sheet.explanation.left_out.get(place).and_then(|out| left_out_line(sheet, out, measure, view))
        }
        Row::Answer(place) => sheet.answers.get(place).and_then(|at| answer_line(*at, measure, view)),
    }
    .unwrap_or_default()
}

/// A row as it is under the cursor: the whole text, and everything that is known of it.
pub(super) fn unfolded(sheet: &Sheet, row: Row, measure: &Measure, view: &View<'_>) -> Vec<Line<'static>> {
    match row {
        Row::Line(place) => sheet.explanation.sent.get(place).map(|sent| record(sheet, sent, measure, view)),
        Row::LeftOut(place) => sheet.explanation.left_out.get(place).map(|out| record(sheet, out, measure, view)),
        Row::Answer(place) => sheet.answers.get(place).map(|at| answer(*at, measure, view)),
        Row::Fact(place) => sheet.explanation.facts.get(place).map(|fact| fact_lines(fact, measure, view.theme)),
        Row::Heading(_) | Row::Nothing(_) => None,
    }
    .unwrap_or_default()
}

/// Why a record stayed out, in as few words as a list needs.
fn short_reason(candidate: &Candidate) -> String {
    let words = candidate.fate.words();
    words.strip_suffix(" with the question").map(str::to_owned).unwrap_or(words)
}

fn fact_spans(fact: &FactFinding, theme: &Theme) -> Vec<Span<'static>> {
    let (mark, role) = marks::fact(fact, theme);
    let words = if fact.is_fine() { theme.style(Role::Dim) } else { theme.style(role) };
    vec![
        Span::styled(format!("{mark}  "), theme.style(role)),
        Span::styled(format!("{:<10}", fact.kind.name()), theme.style(Role::Dim)),
        span(&fact.label, Style::new()),
        Span::raw("  "),
        span(&fact.words(), words),
    ]
}

fn fact_line(fact: &FactFinding, measure: &Measure, theme: &Theme) -> Line<'static> {
    cut(Line::from(fact_spans(fact, theme)), measure.columns, theme)
}

fn fact_lines(fact: &FactFinding, measure: &Measure, theme: &Theme) -> Vec<Line<'static>> {
    wrap(&fact_spans(fact, theme), measure.columns, 13)
}

/// The text of a record, with the words of listed facts on their ground and the words shared with the question underlined.
fn record_text(sheet: &Sheet, event: &Event, base: Style, view: &View<'_>) -> Vec<Span<'static>> {
    let theme = view.theme;
    let shared = shared(sheet, event, view);
    let mut highlights: Vec<(Range<usize>, Style)> = word_spans(&event.text)
        .filter(|(word, _)| shared.contains(word))
        .map(|(_, range)| (range, theme.style(Role::Shared)))
        .collect();
    if let Some((_, question)) = view.workspace.evaluation.question(sheet.question) {
        let lists = [
            (&question.required, Role::UsefulMatch),
            (&question.stale, Role::StaleMatch),
            (&question.forgotten, Role::ForgottenMatch),
        ];
        for (facts, role) in lists {
            let found = facts.iter().flat_map(|fact| carried(fact, event));
            highlights.extend(found.map(|range| (range, theme.style(role))));
        }
    }
    highlighted(&event.text, &highlights, base)
}

/// The words that a record shares with the sheet's question. Derived for the rows on screen only.
fn shared(sheet: &Sheet, event: &Event, view: &View<'_>) -> Vec<String> {
    let question = view.workspace.evaluation.question(sheet.question);
    question.map_or_else(Vec::new, |(_, question)| shared_words(&question.question, &event.text))
}

/// Where an event's text carries a fact; the whole text where the fact names the event.
fn carried(fact: &Fact, event: &Event) -> Vec<Range<usize>> {
    match fact {
        Fact::Text(text) => event.text.match_indices(text.as_str()).map(|(at, hit)| at..at + hit.len()).collect(),
        Fact::Event { .. } if fact.is_carried_by(event) => std::iter::once(0..event.text.len()).collect(),
        Fact::Event { .. } => Vec::new(),
    }
}

fn sent_line(sheet: &Sheet, candidate: &Candidate, measure: &Measure, view: &View<'_>) -> Option<Line<'static>> {
    let theme = view.theme;
    let event = sheet.event(candidate, view)?;
    let mut spans = marks::gutter(candidate.role, theme);
    spans.push(Span::raw(" "));
    let mut text =
        vec![Span::styled(format!("{} ", fit(&format!("#{}", candidate.id), measure.id)), theme.style(Role::Dim))];
    text.extend(record_text(sheet, event, Style::new(), view));
    let note = candidate.ignored.map(Ignored::short_words).unwrap_or_default();
    let note_columns = if note.is_empty() { 0 } else { width(&note) + 2 };
    let room = measure.columns.saturating_sub(3 + 6);
    let wanted: usize = text.iter().map(|span| width(&span.content)).sum();
    let fits = room >= note_columns + wanted;
    let text_room = if fits { room - note_columns } else { room };
    let text = cut(Line::from(text), text_room, theme);
    let gap = text_room.saturating_sub(text.width());
    spans.extend(text.spans);
    spans.push(Span::raw(" ".repeat(gap)));
    if fits && note_columns > 0 {
        spans.push(Span::styled(format!("  {note}"), theme.style(Role::Warning)));
    }
    spans.push(Span::styled(fit_right(&candidate.tokens.to_string(), 6), theme.style(Role::Dim)));
    Some(Line::from(spans))
}

fn left_out_line(sheet: &Sheet, candidate: &Candidate, measure: &Measure, view: &View<'_>) -> Option<Line<'static>> {
    let theme = view.theme;
    let event = sheet.event(candidate, view)?;
    let needed = candidate.role.useful;
    let (mark, role) = left_out_mark(candidate, theme);
    let base = if needed { Style::new() } else { theme.style(Role::Dim) };
    let mut text =
        vec![Span::styled(format!("{} ", fit(&format!("#{}", candidate.id), measure.id)), theme.style(Role::Dim))];
    text.extend(record_text(sheet, event, base, view));
    let room = measure.columns.saturating_sub(3 + 6 + 2 + measure.reason);
    let text = cut(Line::from(text), room, theme);
    let gap = room.saturating_sub(text.width());
    let mut spans = vec![Span::styled(format!("{mark}  "), theme.style(role))];
    spans.extend(text.spans);
    spans.push(Span::raw(" ".repeat(gap)));
    let reason = crate::text::truncate_with(&short_reason(candidate), measure.reason, theme.ellipsis()).into_owned();
    spans
        .push(span(&format!("  {}", fit(&reason, measure.reason)), theme.style(if needed { role } else { Role::Dim })));
    spans.push(Span::styled(fit_right(&candidate.tokens.to_string(), 6), theme.style(Role::Dim)));
    Some(Line::from(spans))
}

/// A record in full: its text, then turn, attribute, rank and why it is where it is.
fn record(sheet: &Sheet, candidate: &Candidate, measure: &Measure, view: &View<'_>) -> Vec<Line<'static>> {
    let theme = view.theme;
    let Some(event) = sheet.event(candidate, view) else { return Vec::new() };
    let sent = candidate.fate == Fate::Sent;
    let mut first = if sent {
        marks::gutter(candidate.role, theme)
    } else {
        let (mark, role) = left_out_mark(candidate, theme);
        vec![Span::styled(format!("{mark} "), theme.style(role))]
    };
    first.push(Span::raw(" "));
    first.push(Span::styled(format!("{} ", fit(&format!("#{}", candidate.id), measure.id)), theme.style(Role::Dim)));
    first.extend(record_text(sheet, event, Style::new(), view));
    let indent = 3 + measure.id + 1;
    let mut lines = wrap(&first, measure.columns, indent);
    let mut about = vec![format!("{} at turn {}", event.op.name(), event.turn)];
    about.push(format!("attribute {}", event.attribute));
    if let Some(speaker) = &event.speaker {
        about.push(format!("said by {speaker}"));
    }
    if let Some(at) = &event.at {
        about.push(at.clone());
    }
    about.push(format!("{} tokens", candidate.tokens));
    if let (Some(rank), Some(score)) = (candidate.rank, candidate.score) {
        about.push(format!("rank {rank}, score {score}"));
    }
    let shared = shared(sheet, event, view);
    about.push(if shared.is_empty() {
        "shares no word with the question".to_owned()
    } else {
        format!("shares {}", shared.join(", "))
    });
    let mut findings = vec![about.join(", ")];
    if !sent {
        findings.push(format!("left out: {}", candidate.fate.words()));
    }
    findings.extend(candidate.ignored.map(|ignored| format!("the store {}", ignored.words())));
    let about = findings.iter().flat_map(|finding| {
        let text = vec![Span::raw(" ".repeat(indent)), span(finding, theme.style(Role::Dim))];
        wrap(&text, measure.columns, indent)
    });
    let about: Vec<_> = about.collect();
    // A very long text gives way to what is known of it; `y` copies all of it.
    let most = measure.height.saturating_sub(about.len()).max(1);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            last.spans.push(Span::styled(theme.ellipsis(), theme.style(Role::Dim)));
        }
    }
    lines.extend(about);
    lines
}

/// The mark of a record that is not in the block: whether it would have been needed.
fn left_out_mark(candidate: &Candidate, theme: &Theme) -> (&'static str, Role) {
    if candidate.role.useful { (theme.missing(), Role::Missing) } else { (theme.neutral(), Role::Dim) }
}

fn answer_head(at: AnswerRef, view: &View<'_>) -> Option<Vec<Span<'static>>> {
    let theme = view.theme;
    let (graded, _, answer, grade) = view.workspace.answer(at)?;
    let (pip, role) = theme.pip(grade.verdict);
    let seed = answer.seed.map_or_else(String::new, |seed| format!("seed {seed}  "));
    let many = view.workspace.recordings.len() > 1;
    let name = if many { format!("{}  ", graded.recording.model_name()) } else { String::new() };
    // What failed has a cause, which says more than that it failed.
    let cause = view.diagnosis.and_then(|diagnosis| diagnosis.answer(at)).map(AnswerFinding::cause_in_words);
    let word = cause.unwrap_or_else(|| grade.verdict.name().to_owned());
    Some(vec![
        Span::styled(format!("{pip} {word:<7}  "), theme.style(role)),
        span(&format!("{name}{seed}"), theme.style(Role::Dim)),
        span(&grade.reason, theme.style(role)),
    ])
}

fn answer_line(at: AnswerRef, measure: &Measure, view: &View<'_>) -> Option<Line<'static>> {
    let (_, _, answer, _) = view.workspace.answer(at)?;
    let mut spans = answer_head(at, view)?;
    let used: usize = spans.iter().map(|span| width(&span.content)).sum();
    if measure.columns > used + 12 {
        let flat = displayable(&answer.answer.replace(['\n', '\r'], " ")).into_owned();
        spans.push(Span::styled(format!("  {flat}"), view.theme.style(Role::Dim)));
    }
    Some(cut(Line::from(spans), measure.columns, view.theme))
}

/// An answer in full, with what the key's patterns matched.
fn answer(at: AnswerRef, measure: &Measure, view: &View<'_>) -> Vec<Line<'static>> {
    let Some((_, _, answer, _)) = view.workspace.answer(at) else { return Vec::new() };
    let mut lines: Vec<_> = answer_head(at, view).map(Line::from).into_iter().collect();
    let highlights = marks::answer_highlights(at, &answer.answer, view.workspace, view.theme);
    let mut start = 0;
    for text in answer.answer.split('\n') {
        let end = start + text.len();
        let inside: Vec<_> = highlights
            .iter()
            .filter(|(range, _)| range.start < end && range.end > start)
            .map(|(range, style)| (range.start.saturating_sub(start)..(range.end - start).min(text.len()), *style))
            .collect();
        let mut spans = vec![Span::raw("  ")];
        spans.extend(highlighted(text.trim_end_matches('\r'), &inside, Style::new()));
        lines.extend(wrap(&spans, measure.columns, 2));
        start = end + 1;
    }
    if lines.len() > UNFOLDED_ANSWER {
        lines.truncate(UNFOLDED_ANSWER - 1);
        lines.push(Line::styled(
            format!("  {} enter shows the rest", view.theme.ellipsis()),
            view.theme.style(Role::Dim),
        ));
    }
    if let Some(finding) = view.diagnosis.and_then(|diagnosis| diagnosis.answer(at)) {
        let text = vec![Span::raw("  "), span(&finding.sentence, view.theme.style(Role::Dim))];
        lines.extend(wrap(&text, measure.columns, 2));
    }
    lines
}
