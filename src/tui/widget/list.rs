//! Lists of any length: the cursor, what is on screen, and drawing only that.

use std::cell::Cell;
use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::tui::action::Action;
use crate::tui::text::{cut, padded};
use crate::tui::theme::{Role, Theme};

/// The cursor of a list and how far it is scrolled. The list itself is elsewhere: only its length is ever needed.
#[derive(Debug, Clone, Default)]
pub struct ListState {
    selected: usize,
    /// Rows that stay on screen before and after the cursor, where there are so many.
    margin: usize,
    /// The first row on screen. Set while drawing, which alone knows the height.
    offset: Cell<usize>,
    height: Cell<usize>,
    area: Cell<Rect>,
    /// Lines that the cursor's row takes; 0 or 1 where it is not unfolded.
    unfolded: Cell<usize>,
}

impl ListState {
    /// A list that keeps some rows before and after the cursor on screen.
    pub fn with_margin(margin: usize) -> Self {
        Self { margin, ..Self::default() }
    }

    /// The row under the cursor.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// Puts the cursor on a row of a list of `len` rows, or on the last one.
    pub fn select(&mut self, row: usize, len: usize) {
        self.selected = row.min(len.saturating_sub(1));
    }

    /// Back to the first row and to the upper end, for another list.
    pub fn rewind(&mut self) {
        self.selected = 0;
        self.offset.set(0);
    }

    /// Moves the cursor. Returns whether the action is a motion of a list.
    pub fn motion(&mut self, action: Action, len: usize) -> bool {
        let page = self.height.get().saturating_sub(1).max(1);
        let row = match action {
            Action::Up => self.selected.saturating_sub(1),
            Action::Down => self.selected.saturating_add(1),
            Action::PageUp => self.selected.saturating_sub(page),
            Action::PageDown => self.selected.saturating_add(page),
            Action::First => 0,
            Action::Last => len,
            _ => return false,
        };
        self.select(row, len);
        true
    }

    /// The rows to draw into `height` lines: the least scrolling that keeps the cursor on screen.
    pub fn visible(&self, len: usize, height: usize) -> Range<usize> {
        self.height.set(height);
        let selected = self.selected.min(len.saturating_sub(1));
        let end = len.saturating_sub(height);
        let margin = self.margin.min(height.saturating_sub(1) / 2);
        let mut offset = self.offset.get().min(end);
        if selected < offset + margin {
            offset = selected.saturating_sub(margin);
        } else if height > 0 && selected + margin >= offset + height {
            offset = (selected + margin + 1 - height).min(end);
        }
        self.offset.set(offset);
        offset..len.min(offset + height)
    }

    /// The row drawn at a place of the screen, if one is.
    pub fn row_at(&self, column: u16, row: u16, len: usize) -> Option<usize> {
        let area = self.area.get();
        let inside = area.contains(ratatui::layout::Position::new(column, row));
        let mut index = self.offset.get() + usize::from(row.saturating_sub(area.y));
        let more = self.unfolded.get().saturating_sub(1);
        if index > self.selected {
            index = index.saturating_sub(more).max(self.selected);
        }
        (inside && index < len).then_some(index)
    }

    /// Takes it off the screen: no place belongs to it until it is drawn again.
    pub fn hide(&self) {
        self.area.set(Rect::ZERO);
    }

    /// Scrolls to the first row, for a list whose first rows the cursor passes over.
    pub fn show_first(&self) {
        self.offset.set(0);
    }

    /// The columns that the list was last drawn in.
    pub fn columns(&self) -> usize {
        usize::from(self.area.get().width)
    }

    /// Whether a place of the screen belongs to this list.
    pub fn contains(&self, column: u16, row: u16) -> bool {
        self.area.get().contains(ratatui::layout::Position::new(column, row))
    }

    /// The next row from the cursor (not the cursor's own unless it is the only one) for which `matches` holds, around
    /// the end of the list.
    pub fn find(&self, len: usize, forward: bool, matches: impl Fn(usize) -> bool) -> Option<usize> {
        let at = self.selected.min(len.saturating_sub(1));
        (1..=len)
            .map(|step| if forward { (at + step) % len } else { (at + len - step) % len })
            .find(|&row| matches(row))
    }

    /// Draws the rows on screen, the cursor's with a pointer in its first column (which each row leaves free) and on the
    /// cursor's ground. `row` is called for those on screen only.
    pub fn draw(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        len: usize,
        focused: bool,
        theme: &Theme,
        row: impl Fn(usize) -> Line<'static>,
    ) {
        self.area.set(area);
        let rows = self.visible(len, usize::from(area.height));
        for (y, index) in (area.y..).zip(rows) {
            let selected = index == self.selected.min(len.saturating_sub(1));
            draw_row(frame, Rect { y, height: 1, ..area }, row(index), selected, focused, theme);
        }
        scrollbar(frame, area, len, self.offset.get(), theme);
    }
}

/// A list whose row under the cursor is unfolded: the other rows take one line each.
impl ListState {
    /// Draws like [`ListState::draw`], but the cursor's row with all the lines that `row` gives for it, as far as there is
    /// room. Of other rows the first line is drawn.
    pub fn draw_unfolded(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        len: usize,
        focused: bool,
        theme: &Theme,
        row: impl Fn(usize) -> Vec<Line<'static>>,
    ) {
        self.area.set(area);
        let selected = self.selected.min(len.saturating_sub(1));
        let unfolded = if len > 0 { row(selected) } else { Vec::new() };
        let height = usize::from(area.height);
        let unfolded_height = unfolded.len().clamp(1, height.max(1));
        self.height.set(height);
        let mut offset = self.offset.get().min((len + unfolded_height).saturating_sub(height + 1));
        if selected < offset {
            offset = selected;
        } else if height > 0 && selected + unfolded_height > offset + height {
            offset = selected + unfolded_height - height;
        }
        self.offset.set(offset);
        self.unfolded.set(unfolded_height);
        let mut rows = offset..len;
        let mut waiting: Vec<Line<'static>> = Vec::new();
        for y in area.y..area.bottom() {
            let (line, under_cursor) = if let Some(line) = waiting.pop() {
                (line, true)
            } else {
                let Some(index) = rows.next() else { break };
                if index == selected {
                    waiting = unfolded.iter().take(unfolded_height).rev().cloned().collect();
                } else {
                    waiting = row(index).into_iter().take(1).collect();
                }
                (waiting.pop().unwrap_or_default(), index == selected)
            };
            draw_row(frame, Rect { y, height: 1, ..area }, line, under_cursor, focused, theme);
        }
        scrollbar(frame, area, len, offset, theme);
    }
}

fn draw_row(
    frame: &mut Frame<'_>,
    area: Rect,
    mut line: Line<'static>,
    under_cursor: bool,
    focused: bool,
    theme: &Theme,
) {
    let columns = usize::from(area.width);
    let pointer = if under_cursor && focused { theme.pointer() } else { " " };
    line.spans.insert(0, Span::styled(pointer.to_owned(), theme.style(Role::Focus)));
    let mut line = cut(line, columns, theme);
    if under_cursor {
        let style = if focused { theme.cursor() } else { ratatui::style::Style::new() };
        line = padded(line, columns, style);
    }
    frame.render_widget(line, area);
}

/// A thumb on the right border of a list that does not fit (the border is drawn already).
fn scrollbar(frame: &mut Frame<'_>, area: Rect, len: usize, offset: usize, theme: &Theme) {
    let height = usize::from(area.height);
    let x = area.right();
    if len <= height || height == 0 || x >= frame.area().right() {
        return;
    }
    let size = (height * height / len).max(1);
    let room = height - size;
    let top = (offset * room + (len - height) / 2) / (len - height).max(1);
    for y in (top..top + size).filter_map(|y| u16::try_from(y).ok()) {
        let thumb = Span::styled(theme.pick("┃", "#").to_owned(), theme.style(Role::Focus));
        frame.render_widget(thumb, Rect { x, y: area.y.saturating_add(y), width: 1, height: 1 });
    }
}

/// A text of finished lines that scrolls, without a cursor.
#[derive(Debug, Clone, Default)]
pub struct ScrollState {
    offset: Cell<usize>,
    height: Cell<usize>,
    len: Cell<usize>,
    area: Cell<Rect>,
}

impl ScrollState {
    /// Scrolls. Returns whether the action is a motion.
    pub fn motion(&self, action: Action) -> bool {
        let page = self.height.get().saturating_sub(1).max(1);
        let last = self.len.get().saturating_sub(self.height.get());
        let offset = self.offset.get();
        let next = match action {
            Action::Up => offset.saturating_sub(1),
            Action::Down => offset + 1,
            Action::PageUp => offset.saturating_sub(page),
            Action::PageDown => offset + page,
            Action::First => 0,
            Action::Last => last,
            _ => return false,
        };
        self.offset.set(next.min(last));
        true
    }

    /// Back to the beginning, for another text.
    pub fn reset(&self) {
        self.offset.set(0);
    }

    /// Scrolls so that a line is on screen.
    pub fn reveal(&self, line: usize) {
        let height = self.height.get().max(1);
        if line < self.offset.get() || line >= self.offset.get() + height {
            self.offset.set(line.saturating_sub(height / 3));
        }
    }

    /// The first line on screen.
    pub fn offset(&self) -> usize {
        self.offset.get()
    }

    /// Whether a place of the screen belongs to this text.
    pub fn contains(&self, column: u16, row: u16) -> bool {
        self.area.get().contains(ratatui::layout::Position::new(column, row))
    }

    /// Draws the lines on screen.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect, lines: &[Line<'static>], theme: &Theme) {
        self.draw_rows(frame, area, lines.len(), theme, |row| lines.get(row).cloned().unwrap_or_default());
    }

    /// Draws the lines on screen of a text of `len` lines. `line` is called for those only.
    pub fn draw_rows(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        len: usize,
        theme: &Theme,
        line: impl Fn(usize) -> Line<'static>,
    ) {
        let height = usize::from(area.height);
        self.area.set(area);
        self.height.set(height);
        self.len.set(len);
        let offset = self.offset.get().min(len.saturating_sub(height));
        self.offset.set(offset);
        for (y, row) in (area.y..area.bottom()).zip(offset..len) {
            frame.render_widget(cut(line(row), usize::from(area.width), theme), Rect { y, height: 1, ..area });
        }
        scrollbar(frame, area, len, offset, theme);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stays_inside_and_on_screen() {
        let mut list = ListState::default();
        assert_eq!(list.visible(100, 10), 0..10);
        list.motion(Action::PageDown, 100);
        assert_eq!(list.selected(), 9);
        list.motion(Action::Last, 100);
        assert_eq!((list.selected(), list.visible(100, 10)), (99, 90..100));
        list.motion(Action::Down, 100);
        assert_eq!(list.selected(), 99);
        assert_eq!(list.visible(3, 10), 0..3);
        list.motion(Action::Up, 0);
        assert_eq!(list.visible(0, 10), 0..0);
        assert!(list.visible(5, 0).is_empty());
    }

    #[test]
    fn a_margin_keeps_the_neighbours_on_screen() {
        let mut list = ListState::with_margin(3);
        list.select(8, 20);
        assert_eq!(list.visible(20, 10), 2..12);
        list.select(19, 20);
        assert_eq!(list.visible(20, 10), 10..20);
        list.select(11, 20);
        assert_eq!(list.visible(20, 10), 8..18);
        assert_eq!(list.visible(20, 1), 11..12);
        list.select(0, 20);
        assert_eq!(list.visible(20, 10), 0..10);
    }

    #[test]
    fn finding_goes_around_the_end() {
        let mut list = ListState::default();
        list.select(7, 10);
        assert_eq!(list.find(10, true, |row| row % 5 == 0), Some(0));
        assert_eq!(list.find(10, false, |row| row % 5 == 0), Some(5));
        assert_eq!(list.find(10, true, |row| row == 7), Some(7));
        assert_eq!(list.find(0, true, |_| true), None);
    }
}
