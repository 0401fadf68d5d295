//! A titled text to read: it scrolls, can be searched, and is copied as a whole (it has no cursor: it is for reading).

use std::cell::{Cell, RefCell};

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;

use super::middle;
use crate::text::width;
use crate::tui::action::Action;
use crate::tui::search::{Matches, Way};
use crate::tui::text::{contains, mark_found, padded, span, wrap};
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::list::ScrollState;
use crate::tui::widget::part::part;

/// Columns of the widest text, its border included.
const COLUMNS: u16 = 104;
/// Blanks between a head and its text.
const GAP: usize = 2;
/// Columns that a text needs beside its head; with less it stands behind it.
const BESIDE: usize = 24;
/// Further lines of a paragraph without a head are indented.
const INDENT: usize = 4;

/// A paragraph: a text, or a head such as keys with a text beside it.
#[derive(Debug, Clone, Default)]
pub struct Paragraph {
    head: Option<Span<'static>>,
    text: Vec<Span<'static>>,
}

impl Paragraph {
    /// A paragraph without a head.
    pub(super) fn plain(text: impl Into<Line<'static>>) -> Self {
        Self { head: None, text: text.into().spans }
    }

    /// A text beside a head.
    pub(super) fn beside(head: Span<'static>, text: impl Into<Line<'static>>) -> Self {
        Self { head: Some(head), text: text.into().spans }
    }

    /// Its words, the head padded to `column`.
    fn words(&self, column: usize) -> String {
        let mut words = self.head.as_ref().map_or_else(String::new, |head| head.content.clone().into_owned());
        if self.head.is_some() {
            words.extend(std::iter::repeat_n(' ', column.saturating_sub(width(&words))));
        }
        self.text.iter().for_each(|span| words.push_str(&span.content));
        words
    }

    fn wrapped(&self, columns: usize, column: usize) -> Vec<Line<'static>> {
        let Some(head) = &self.head else { return wrap(&self.text, columns, INDENT) };
        if column + BESIDE > columns {
            let spans = [head.clone(), Span::raw(" ".repeat(GAP))].into_iter().chain(self.text.iter().cloned());
            return wrap(&spans.collect::<Vec<_>>(), columns, INDENT);
        }
        let mut lines = wrap(&self.text, columns - column, 0);
        for (number, line) in lines.iter_mut().enumerate() {
            let first = number == 0;
            let blank = if first { column.saturating_sub(width(&head.content)) } else { column };
            line.spans.insert(0, Span::raw(" ".repeat(blank)));
            if first {
                line.spans.insert(0, head.clone());
            }
        }
        lines
    }
}

/// The lines of all paragraphs at one width, kept from frame to frame.
#[derive(Default)]
struct Wrapped {
    columns: usize,
    lines: Vec<Line<'static>>,
    /// The first line of each paragraph.
    starts: Vec<usize>,
}

/// A titled text that scrolls.
pub struct TextOverlay {
    title: &'static str,
    paragraphs: Vec<Paragraph>,
    /// Columns of the heads with the blanks after them.
    column: usize,
    scroll: ScrollState,
    wrapped: RefCell<Wrapped>,
    area: Cell<Rect>,
    needle: String,
    /// The paragraph that the search went to last.
    found: Option<usize>,
    /// How far it was scrolled when the search began.
    before: ScrollState,
}

impl TextOverlay {
    pub(super) fn new(title: &'static str, paragraphs: Vec<Paragraph>) -> Self {
        let heads = paragraphs.iter().filter_map(|paragraph| paragraph.head.as_ref());
        let column = heads.map(|head| width(&head.content)).max().map_or(0, |widest| widest + GAP);
        Self {
            title,
            paragraphs,
            column,
            scroll: ScrollState::default(),
            wrapped: RefCell::default(),
            area: Cell::default(),
            needle: String::new(),
            found: None,
            before: ScrollState::default(),
        }
    }

    pub(super) fn area(&self) -> Rect {
        self.area.get()
    }

    pub(super) fn motion(&mut self, action: Action) {
        self.scroll.motion(action);
    }

    /// What is copied: all of it.
    pub(super) fn words(&self) -> String {
        let words = self.paragraphs.iter().map(|paragraph| paragraph.words(self.column) + "\n");
        words.collect()
    }

    pub(super) fn is_searched(&self) -> bool {
        !self.needle.is_empty()
    }

    /// A search begins.
    pub(super) fn begin_search(&mut self) {
        self.before = self.scroll.clone();
    }

    /// The search was given up: back to where it began.
    pub(super) fn drop_search(&mut self) {
        self.scroll = self.before.clone();
        self.needle.clear();
        self.found = None;
    }

    /// Looks for something else, from what is on screen on. Returns what to say.
    pub(super) fn look_for(&mut self, needle: &str, keys: &str) -> Option<String> {
        needle.clone_into(&mut self.needle);
        self.scroll = self.before.clone();
        self.found = None;
        self.search(true, keys)
    }

    /// Goes to the next match, or to the one before. Returns what to say.
    pub(super) fn search(&mut self, forward: bool, keys: &str) -> Option<String> {
        if self.needle.is_empty() {
            return Some("nothing was searched for yet".to_owned());
        }
        let matches = self.matches();
        let from_here = self.found.is_none();
        let here = self.found.unwrap_or_else(|| self.paragraph_at(self.scroll.offset()));
        let Some(next) = matches.next(here, forward, from_here) else {
            return Some(format!("\"{}\" is not here", self.needle));
        };
        self.found = Some(next);
        if let Some(line) = self.wrapped.borrow().starts.get(next) {
            self.scroll.reveal(*line);
        }
        Some(matches.words(next, Way::of(forward, from_here, here, next), keys))
    }

    /// What is to be said of the match found last.
    pub(super) fn said(&self, keys: &str) -> Option<String> {
        Some(self.matches().words(self.found?, Way::Straight, keys))
    }

    fn matches(&self) -> Matches {
        Matches::among(self.paragraphs.len(), |at| {
            self.paragraphs.get(at).is_some_and(|paragraph| contains(&paragraph.words(self.column), &self.needle))
        })
    }

    /// The paragraph that a line belongs to.
    fn paragraph_at(&self, line: usize) -> usize {
        self.wrapped.borrow().starts.partition_point(|start| *start <= line).saturating_sub(1)
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>, body: Rect, theme: &Theme) {
        let columns = body.width.min(COLUMNS);
        let inside = usize::from(columns.saturating_sub(4));
        self.wrap(inside);
        let wrapped = self.wrapped.borrow();
        let wanted = u16::try_from(wrapped.lines.len()).unwrap_or(u16::MAX).saturating_add(2);
        let area = middle(body, columns, wanted);
        self.area.set(area);
        // Beside the text nothing is left of the pane's sentences.
        frame.render_widget(Clear, Rect { x: body.x, width: body.width, ..area });
        let inner = part(frame, area, span(self.title, theme.style(Role::Heading)), true, theme);
        let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        let found = self.found.and_then(|at| {
            let start = *wrapped.starts.get(at)?;
            Some(start..wrapped.starts.get(at + 1).copied().unwrap_or(wrapped.lines.len()))
        });
        self.scroll.draw_rows(frame, inner, wrapped.lines.len(), theme, |row| {
            let line = mark_found(wrapped.lines.get(row).cloned().unwrap_or_default(), &self.needle, theme);
            if found.as_ref().is_some_and(|found| found.contains(&row)) {
                padded(line, inside, theme.cursor())
            } else {
                line
            }
        });
    }

    fn wrap(&self, columns: usize) {
        let mut wrapped = self.wrapped.borrow_mut();
        if wrapped.columns == columns && wrapped.starts.len() == self.paragraphs.len() {
            return;
        }
        *wrapped = Wrapped { columns, ..Wrapped::default() };
        for paragraph in &self.paragraphs {
            let start = wrapped.lines.len();
            wrapped.starts.push(start);
            wrapped.lines.extend(paragraph.wrapped(columns, self.column));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(paragraph: &Paragraph, columns: usize, column: usize) -> Vec<String> {
        let lines = paragraph.wrapped(columns, column);
        lines.iter().map(|line| line.spans.iter().map(|span| span.content.as_ref()).collect()).collect()
    }

    #[test]
    fn a_sentence_is_wrapped_beside_its_keys_or_behind_them_where_there_is_no_room() {
        let paragraph = Paragraph::beside(Span::raw("  q"), "Leave this, and whatever else there is, at once.");
        assert_eq!(lines(&paragraph, 30, 6), ["  q   Leave this, and whatever", "      else there is, at once."]);
        assert_eq!(lines(&paragraph, 20, 6)[0], "  q  Leave this, and");
    }

    #[test]
    fn it_is_searched_by_paragraph_and_goes_around() {
        let mut text = TextOverlay::new("t", ["one", "two", "three", "two more"].map(Paragraph::plain).into());
        text.begin_search();
        assert_eq!(text.look_for("two", "").unwrap(), "match 1 of 2");
        assert_eq!(text.search(true, "").unwrap(), "match 2 of 2");
        assert_eq!(text.search(true, "").unwrap(), "match 1 of 2, on from the top");
        assert_eq!(text.search(false, "").unwrap(), "match 2 of 2, on from the end");
        assert_eq!(text.look_for("x", "").unwrap(), "\"x\" is not here");
        text.drop_search();
        assert_eq!(text.search(true, "").unwrap(), "nothing was searched for yet");
        assert_eq!(text.words(), "one\ntwo\nthree\ntwo more\n");
    }
}
