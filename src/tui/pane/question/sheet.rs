//! One strategy's treatment of the question as a list of rows under headings.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::judgement;
use super::rows::{self, Measure};
use crate::case::Event;
use crate::explain::{Candidate, Explanation, FactKind, answers_sentence};
use crate::grade::Block;
use crate::memory::line;
use crate::text::width;
use crate::triage::BlockState;
use crate::tui::action::Action;
use crate::tui::pane::View;
use crate::tui::text::{contains, mark_found, span, wrap};
use crate::tui::theme::Role;
use crate::tui::widget::list::ListState;
use crate::tui::widget::marks;
use crate::tui::widget::part::part;
use crate::workspace::AnswerRef;

/// A group of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Facts,
    Block,
    LeftOut,
    Answers,
}

/// One row. The number is its place in the section's own list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    Heading(Section),
    Nothing(&'static str),
    Fact(usize),
    Line(usize),
    LeftOut(usize),
    Answer(usize),
}

impl Row {
    fn can_be_selected(self) -> bool {
        !matches!(self, Self::Heading(_) | Self::Nothing(_))
    }
}

/// The rows, and the cursor among them.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) strategy: usize,
    pub(super) question: usize,
    pub(super) explanation: Explanation,
    pub(super) answers: Vec<AnswerRef>,
    rows: Vec<Row>,
    list: ListState,
    headed: bool,
    /// Its system failed on the question, or only its answers are known: nothing can be said of a block.
    blockless: bool,
}

impl Sheet {
    pub(super) fn new(strategy: usize, question: usize, sections: &[Section], view: &View<'_>) -> Self {
        let explanation = Explanation::of(&view.workspace.evaluation, strategy, question).unwrap_or_default();
        let answers: Vec<_> = view.workspace.answers(strategy, question).collect();
        let mut sheet = Self { strategy, question, explanation, answers, ..Self::default() };
        sheet.headed = sections.len() > 1;
        sheet.blockless = view.workspace.evaluation.block(strategy, question).is_none();
        for section in sections {
            sheet.add(*section);
        }
        let first = sheet.rows.iter().position(|row| row.can_be_selected()).unwrap_or(0);
        sheet.list.select(first, sheet.rows.len());
        if let Some(place) = view.cursor.answer.and_then(|at| sheet.answers.iter().position(|other| *other == at)) {
            let row = sheet.rows.iter().position(|row| *row == Row::Answer(place));
            sheet.list.select(row.unwrap_or(first), sheet.rows.len());
        }
        sheet
    }

    fn add(&mut self, section: Section) {
        if self.headed {
            self.rows.push(Row::Heading(section));
        }
        let (count, row, nothing): (usize, fn(usize) -> Row, _) = match section {
            Section::Facts => (self.explanation.facts.len(), Row::Fact, "the question lists no facts"),
            Section::Block => (self.explanation.sent.len(), Row::Line, "no line was sent"),
            Section::LeftOut => (self.explanation.left_out.len(), Row::LeftOut, "nothing was left out"),
            Section::Answers => (self.answers.len(), Row::Answer, "no answers recorded"),
        };
        self.rows.extend((0..count).map(row));
        if count == 0 {
            let unknown = self.blockless && section != Section::Answers;
            self.rows.push(Row::Nothing(if unknown { "not known: there is no block" } else { nothing }));
        }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row under the cursor.
    pub(super) fn row(&self) -> Option<Row> {
        self.rows.get(self.list.selected()).copied()
    }

    /// The record under the cursor.
    pub(super) fn candidate(&self) -> Option<&Candidate> {
        match self.row()? {
            Row::Line(place) => self.explanation.sent.get(place),
            Row::LeftOut(place) => self.explanation.left_out.get(place),
            _ => None,
        }
    }

    /// Moves the cursor, past headings.
    pub(super) fn motion(&mut self, action: Action) -> bool {
        let before = self.list.selected();
        if !self.list.motion(action, self.rows.len()) {
            return false;
        }
        let forward =
            self.list.selected() > before || matches!(action, Action::Down | Action::PageDown | Action::First);
        self.settle(forward);
        true
    }

    /// Moves the cursor off a heading: onwards, or else back.
    fn settle(&mut self, forward: bool) {
        let at = self.list.selected();
        let selectable = |row: &usize| self.rows.get(*row).is_some_and(|row| row.can_be_selected());
        let on = (at..self.rows.len()).find(selectable);
        let back = (0..=at).rev().find(selectable);
        if let Some(row) = if forward { on.or(back) } else { back.or(on) } {
            self.list.select(row, self.rows.len());
        }
        if !(0..self.list.selected()).any(|row| selectable(&row)) {
            self.list.show_first();
        }
    }

    /// Puts the cursor on the first record that carries a fact.
    pub(super) fn reveal_fact(&mut self, fact: usize) {
        let Some(finding) = self.explanation.facts.get(fact) else { return };
        let (inside, outside) = (finding.in_block.first(), finding.outside.first());
        // Lines of another system have numbers of their own, so a number says where only within its part.
        let Some(id) = inside.map(|(id, _)| *id).or(outside.map(|(id, _)| *id)) else { return };
        let carries = |candidate: Option<&Candidate>| candidate.is_some_and(|candidate| candidate.id == id);
        let row = self.rows.iter().position(|row| match row {
            Row::Line(place) => inside.is_some() && carries(self.explanation.sent.get(*place)),
            Row::LeftOut(place) => inside.is_none() && carries(self.explanation.left_out.get(*place)),
            _ => false,
        });
        if let Some(row) = row {
            self.list.select(row, self.rows.len());
        }
    }

    pub(super) fn contains(&self, column: u16, row: u16) -> bool {
        self.list.contains(column, row)
    }

    /// Puts the cursor where a click was. Returns whether it was on the row under the cursor already.
    pub(super) fn click(&mut self, column: u16, row: u16) -> bool {
        let Some(index) = self.list.row_at(column, row, self.rows.len()) else { return false };
        self.list.select(index, self.rows.len());
        self.settle(true);
        self.list.selected() == index
    }

    pub(super) fn search(&mut self, needle: &str, forward: bool, from_here: bool, view: &View<'_>) -> bool {
        let matches = |row: usize| self.holds(row, needle, view);
        let here = self.list.selected();
        let found =
            if from_here && matches(here) { Some(here) } else { self.list.find(self.rows.len(), forward, matches) };
        if let Some(row) = found {
            self.list.select(row, self.rows.len());
        }
        found.is_some()
    }

    /// The row of the cursor, and how many there are.
    pub(super) fn searched(&self) -> (usize, usize) {
        (self.list.selected(), self.rows.len())
    }

    pub(super) fn holds(&self, row: usize, needle: &str, view: &View<'_>) -> bool {
        self.rows.get(row).is_some_and(|row| row.can_be_selected() && contains(&self.raw(*row, view), needle))
    }

    pub(super) fn copy(&self, view: &View<'_>) -> Option<(&'static str, String)> {
        let row = self.row()?;
        let what = match row {
            Row::Fact(_) => "fact",
            Row::Line(_) | Row::LeftOut(_) => "memory line",
            Row::Answer(_) => "answer",
            Row::Heading(_) | Row::Nothing(_) => return None,
        };
        Some((what, self.raw(row, view)))
    }

    /// The event that a candidate was made from.
    pub(super) fn event<'a>(&self, candidate: &Candidate, view: &View<'a>) -> Option<&'a Event> {
        let (history, _) = view.workspace.evaluation.history(self.question)?;
        history.said(candidate.event)
    }

    /// The raw text of a row.
    fn raw(&self, row: Row, view: &View<'_>) -> String {
        let of = |candidate: Option<&Candidate>| {
            let candidate = candidate?;
            Some(line(candidate.id, &self.event(candidate, view)?.text))
        };
        match row {
            Row::Fact(place) => self.explanation.facts.get(place).map(|fact| fact.label.clone()),
            Row::Line(place) => of(self.explanation.sent.get(place)),
            Row::LeftOut(place) => of(self.explanation.left_out.get(place)),
            Row::Answer(place) => {
                let answer = self.answers.get(place).and_then(|at| view.workspace.answer(*at));
                answer.map(|(_, _, answer, _)| answer.answer.clone())
            }
            Row::Heading(_) | Row::Nothing(_) => None,
        }
        .unwrap_or_default()
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, area: Rect, focused: bool, view: &View<'_>) {
        let theme = view.theme;
        let inner = part(frame, area, self.title(view), focused, theme);
        let mut list = inner;
        let sentence = self.sentence(view);
        let fine = self.is_fine(view);
        let lines = wrap(&[span(&sentence, judgement(fine, view))], usize::from(inner.width.saturating_sub(2)), 0);
        // The sentence may take as many lines as leave the rows most of the room.
        let most = (inner.height / 3).clamp(1, 4);
        for line in lines.into_iter().take(usize::from(most)) {
            if list.height > 1 && !sentence.is_empty() {
                frame.render_widget(
                    line,
                    Rect { x: list.x + 1, width: list.width.saturating_sub(2), height: 1, ..list },
                );
                list = Rect { y: list.y + 1, height: list.height - 1, ..list };
            }
        }
        let measure = Measure::of(self, usize::from(list.width), usize::from(list.height));
        self.list.draw_unfolded(frame, list, self.rows.len(), focused, theme, |index| {
            let Some(row) = self.rows.get(index).copied() else { return Vec::new() };
            let mut lines = Vec::new();
            if focused && index == self.list.selected() {
                lines = rows::unfolded(self, row, &measure, view);
            }
            if lines.is_empty() {
                lines.push(rows::line(self, row, &measure, view));
            }
            lines.into_iter().map(|line| mark_found(line, view.needle, theme)).collect()
        });
    }

    /// Whether what the sentence speaks of went well: the block, the answers, or both.
    fn is_fine(&self, view: &View<'_>) -> bool {
        let tally = view.workspace.cell_tally(self.strategy, self.question);
        let answers = tally.pass == tally.total();
        let evaluation = &view.workspace.evaluation;
        let block = evaluation.failure(self.strategy, self.question).is_none()
            && evaluation.block(self.strategy, self.question).is_none_or(Block::is_sound);
        match (self.headed, self.rows.contains(&Row::Heading(Section::Answers))) {
            (false, _) => answers,
            (true, false) => block,
            (true, true) => block && answers,
        }
    }

    fn sentence(&self, view: &View<'_>) -> String {
        let answers = answers_sentence(view.workspace, self.strategy, self.question).unwrap_or_default();
        if !self.headed {
            return answers;
        }
        let whole = self.rows.contains(&Row::Heading(Section::Answers));
        if let Some(reason) = view.workspace.evaluation.failure(self.strategy, self.question) {
            return format!(
                "No block: the system failed on this question. It {reason}. {}",
                if whole { answers } else { String::new() }
            );
        }
        if self.blockless {
            let answers = if whole { answers } else { String::new() };
            return format!("Only answers are known of this strategy, not what was sent with the question. {answers}");
        }
        let block = view.diagnosis.and_then(|diagnosis| diagnosis.block(self.strategy, self.question));
        let cause =
            block.filter(|block| block.cause != BlockState::Sound).map(|block| format!("{}: ", block.cause_in_words()));
        let cause = cause.unwrap_or_default();
        let note = self.explanation.note.as_ref().map(|note| format!("Note: {note}. ")).unwrap_or_default();
        format!("{cause}{}. {note}{}", self.explanation.sentence(), if whole { answers } else { String::new() })
    }

    fn title(&self, view: &View<'_>) -> Line<'static> {
        let strategies = &view.workspace.evaluation.strategies;
        let dim = view.theme.style(Role::Dim);
        if !self.headed {
            return Line::from(vec![Span::raw("Answers"), Span::styled(format!(" {}", self.answers.len()), dim)]);
        }
        let name = strategies.get(self.strategy).map_or("", |strategy| strategy.name());
        Line::from(vec![
            span(name, ratatui::style::Style::new()),
            Span::styled(format!(" strategy {} of {}", self.strategy + 1, strategies.len()), dim),
        ])
    }

    /// The heading of a section, with what can be said of it as a whole.
    pub(super) fn heading(&self, section: Section, columns: usize, view: &View<'_>) -> Line<'static> {
        let theme = view.theme;
        let (title, about) = match section {
            Section::Facts if self.blockless => ("Facts", "not known".to_owned()),
            Section::Block if self.blockless => ("Memory block", "not known".to_owned()),
            Section::LeftOut if self.blockless => ("Left out", "not known".to_owned()),
            Section::Facts => {
                let required = || self.explanation.facts.iter().filter(|fact| fact.kind == FactKind::Required);
                let found = required().filter(|fact| fact.is_fine()).count();
                let leaks =
                    self.explanation.facts.iter().filter(|fact| fact.kind != FactKind::Required && !fact.is_fine());
                let leaks = match leaks.count() {
                    0 => "no leak".to_owned(),
                    1 => "1 leak".to_owned(),
                    count => format!("{count} leaks"),
                };
                ("Facts", format!("{found} of {} required found, {leaks}", required().count()))
            }
            Section::Block => {
                let Explanation { tokens, quota, sent, .. } = &self.explanation;
                let plural = if sent.len() == 1 { "" } else { "s" };
                ("Memory block", format!("{} line{plural}, {tokens} of {quota} tokens", sent.len()))
            }
            Section::LeftOut => {
                let count = self.explanation.left_out.len();
                ("Left out", format!("{count} record{}", if count == 1 { "" } else { "s" }))
            }
            Section::Answers => ("Answers", format!("{}", self.answers.len())),
        };
        let mut spans = vec![
            Span::styled(title, theme.style(Role::Heading)),
            Span::styled(format!("  {about}"), theme.style(Role::Dim)),
        ];
        if section == Section::Block && !self.blockless {
            let used = 1 + title.len() + 2 + width(&about) + 2;
            let room = columns.saturating_sub(used).min(30);
            if room >= 8 {
                spans.push(Span::raw("  "));
                spans.extend(marks::bar(self.explanation.tokens, self.explanation.quota, room, theme));
            }
        }
        Line::from(spans)
    }
}
