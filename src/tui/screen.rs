//! From cells to bytes: what a frame writes to the terminal.
//!
//! The terminal library's own writer would write several times a frame, spell the 16 colours in the way of 256-colour
//! terminals (which a terminal of 16 takes for "blinking"), and under `NO_COLOR` reset bold and reverse with each colour
//! that it leaves out. This one gathers a frame in memory and names only what the terminal's depth has.

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Modifier};

use super::theme::ColorDepth;
use crate::text::width;

/// The size where the terminal says that it has none, as serial lines and some containers do.
const UNKNOWN: Size = Size { width: 80, height: 24 };

/// Writes cells into a buffer of bytes, which [`ScreenBackend::take`] empties.
pub struct ScreenBackend {
    bytes: Vec<u8>,
    depth: ColorDepth,
    /// What the terminal shows, row by row, as far as it was drawn.
    rows: Vec<Vec<Cell>>,
}

/// Where the terminal's cursor is and in which style it writes, while cells are being drawn.
#[derive(Default)]
struct Pen {
    next: Option<(u16, u16)>,
    style: String,
}

impl ScreenBackend {
    /// A screen with this many colours.
    pub fn new(depth: ColorDepth) -> Self {
        Self { bytes: Vec::new(), depth, rows: Vec::new() }
    }

    /// The bytes since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    fn store(&mut self, x: u16, y: u16, cell: &Cell) {
        let (x, y) = (usize::from(x), usize::from(y));
        if self.rows.len() <= y {
            self.rows.resize_with(y + 1, Vec::new);
        }
        let Some(row) = self.rows.get_mut(y) else { return };
        if row.len() <= x {
            row.resize_with(x + 1, Cell::default);
        }
        if let Some(place) = row.get_mut(x) {
            place.clone_from(cell);
        }
    }

    fn is_disputed(&self, y: u16) -> bool {
        self.rows.get(usize::from(y)).is_some_and(|row| row.iter().any(|cell| has_disputed_width(cell.symbol())))
    }

    fn put(&mut self, pen: &mut Pen, x: u16, y: u16, cell: &Cell) {
        if pen.next != Some((x, y)) {
            self.move_to(x, y);
        }
        let style = sgr(cell, self.depth);
        if style != pen.style {
            self.bytes.extend_from_slice(b"\x1b[0");
            self.bytes.extend_from_slice(style.as_bytes());
            self.bytes.push(b'm');
            pen.style = style;
        }
        self.bytes.extend_from_slice(cell.symbol().as_bytes());
        // Only after one plain column is it certain where the cursor of any terminal is.
        let plain = width(cell.symbol()) == 1 && !has_disputed_width(cell.symbol());
        pen.next = plain.then_some((x.saturating_add(1), y));
    }

    /// Erases a row and writes all of it, left to right, each disputed cluster before its neighbours.
    fn put_row(&mut self, pen: &mut Pen, y: u16) {
        self.move_to(0, y);
        self.bytes.extend_from_slice(b"\x1b[0m\x1b[2K");
        *pen = Pen { next: Some((0, y)), style: String::new() };
        let row = self.rows.get(usize::from(y)).cloned().unwrap_or_default();
        let mut free = 0;
        for (x, cell) in (0_u16..).zip(&row) {
            if x >= free {
                free = x.saturating_add(u16::try_from(width(cell.symbol())).unwrap_or(1).clamp(1, 2));
                self.put(pen, x, y, cell);
            }
        }
    }

    fn move_to(&mut self, x: u16, y: u16) {
        // Writing into memory cannot fail.
        let _ = write!(self.bytes, "\x1b[{};{}H", u32::from(y) + 1, u32::from(x) + 1);
    }
}

/// Terminals disagree on the width of emoji made from several characters: those rows are never patched, but written whole.
fn has_disputed_width(symbol: &str) -> bool {
    !symbol.is_ascii() && symbol.chars().nth(1).is_some()
}

/// The style of a cell as the parameters of one escape sequence, after its leading 0.
pub(super) fn sgr(cell: &Cell, depth: ColorDepth) -> String {
    const MODIFIERS: [(Modifier, &str); 9] = [
        (Modifier::BOLD, ";1"),
        (Modifier::DIM, ";2"),
        (Modifier::ITALIC, ";3"),
        (Modifier::UNDERLINED, ";4"),
        (Modifier::SLOW_BLINK, ";5"),
        (Modifier::RAPID_BLINK, ";6"),
        (Modifier::REVERSED, ";7"),
        (Modifier::HIDDEN, ";8"),
        (Modifier::CROSSED_OUT, ";9"),
    ];
    let mut codes: String =
        MODIFIERS.iter().filter(|(modifier, _)| cell.modifier.contains(*modifier)).map(|(_, code)| *code).collect();
    if depth != ColorDepth::None {
        push_color(&mut codes, cell.fg, 30);
        push_color(&mut codes, cell.bg, 40);
    }
    codes
}

/// A colour as codes; `layer` is 30 for letters and 40 for the ground.
fn push_color(codes: &mut String, color: Color, layer: u8) {
    let basic = match color {
        Color::Reset => return,
        Color::Rgb(r, g, b) => return codes.push_str(&format!(";{};2;{r};{g};{b}", layer + 8)),
        Color::Indexed(index) => return codes.push_str(&format!(";{};5;{index}", layer + 8)),
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 60,
        Color::LightRed => 61,
        Color::LightGreen => 62,
        Color::LightYellow => 63,
        Color::LightBlue => 64,
        Color::LightMagenta => 65,
        Color::LightCyan => 66,
        Color::White => 67,
    };
    codes.push_str(&format!(";{}", layer + basic));
}

impl Write for ScreenBackend {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    /// Nothing: the session writes a whole frame at once.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Backend for ScreenBackend {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        let mut pen = Pen::default();
        let mut content = content.peekable();
        while let Some(&(_, y, _)) = content.peek() {
            let mut whole = self.is_disputed(y);
            let mut row = Vec::new();
            while let Some((x, _, cell)) = content.next_if(|(_, row, _)| *row == y) {
                self.store(x, y, cell);
                row.push((x, cell));
            }
            whole |= self.is_disputed(y);
            if whole {
                self.put_row(&mut pen, y);
            } else {
                row.into_iter().for_each(|(x, cell)| self.put(&mut pen, x, y, cell));
            }
        }
        if !pen.style.is_empty() {
            self.bytes.extend_from_slice(b"\x1b[0m");
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.bytes.write_all(b"\x1b[?25l")
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.bytes.write_all(b"\x1b[?25h")
    }

    /// Asking the terminal would take an answer from the thread that reads the keys.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let Position { x, y } = position.into();
        self.move_to(x, y);
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.rows.clear();
        self.bytes.write_all(match clear_type {
            ClearType::All => b"\x1b[0m\x1b[2J",
            ClearType::AfterCursor => b"\x1b[0m\x1b[0J",
            ClearType::BeforeCursor => b"\x1b[0m\x1b[1J",
            ClearType::CurrentLine => b"\x1b[0m\x1b[2K",
            ClearType::UntilNewLine => b"\x1b[0m\x1b[0K",
        })
    }

    fn size(&self) -> io::Result<Size> {
        Ok(match crossterm::terminal::size()? {
            (0, _) | (_, 0) => UNKNOWN,
            (width, height) => Size { width, height },
        })
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    fn written(depth: ColorDepth, cells: &[(u16, u16, &str, Style)]) -> String {
        let cells: Vec<_> = cells
            .iter()
            .map(|(x, y, symbol, style)| {
                let mut cell = Cell::default();
                cell.set_symbol(symbol).set_style(*style);
                (*x, *y, cell)
            })
            .collect();
        let mut backend = ScreenBackend::new(depth);
        backend.draw(cells.iter().map(|(x, y, cell)| (*x, *y, cell))).unwrap();
        String::from_utf8(backend.take()).unwrap()
    }

    #[test]
    fn sixteen_colours_are_spelt_for_terminals_of_sixteen() {
        let style = Style::new().fg(Color::Red).bg(Color::DarkGray).add_modifier(Modifier::BOLD);
        assert_eq!(written(ColorDepth::Ansi16, &[(0, 0, "a", style)]), "\x1b[1;1H\x1b[0;1;31;100ma\x1b[0m");
        let style = Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(9));
        assert_eq!(written(ColorDepth::TrueColor, &[(0, 0, "a", style)]), "\x1b[1;1H\x1b[0;38;2;1;2;3;48;5;9ma\x1b[0m");
    }

    #[test]
    fn without_colours_only_modifiers_are_written() {
        let style = Style::new().fg(Color::Red).bg(Color::Blue).add_modifier(Modifier::REVERSED);
        assert_eq!(written(ColorDepth::None, &[(2, 1, "a", style)]), "\x1b[2;3H\x1b[0;7ma\x1b[0m");
        assert_eq!(written(ColorDepth::None, &[(0, 0, "a", Style::new()), (1, 0, "b", Style::new())]), "\x1b[1;1Hab");
    }

    #[test]
    fn rows_with_emoji_of_disputed_width_are_written_whole() {
        let plain = Style::new();
        assert_eq!(
            written(ColorDepth::None, &[(0, 0, "⚠\u{fe0f}", plain), (2, 0, "x", plain)]),
            "\x1b[1;1H\x1b[0m\x1b[2K⚠\u{fe0f}\x1b[1;3Hx"
        );
        assert_eq!(
            written(ColorDepth::None, &[(0, 0, "日", plain), (2, 0, "x", plain)]),
            "\x1b[1;1H日\x1b[1;3Hx",
            "a wide character is not disputed"
        );
    }
}
