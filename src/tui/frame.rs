//! The whole screen: the tabs, the pane in view, the footer, and what is open on top.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::app::{App, Loading};
use super::text::cut;
use super::widget::part::empty;
use crate::text::{displayable, width};

/// The smallest screen that is drawn on.
pub const MINIMUM: (u16, u16) = (40, 10);

impl App {
    /// Draws the screen.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        self.draw_parts(frame, area);
        make_safe(frame.buffer_mut(), self.settings.theme.ascii);
    }

    fn draw_parts(&self, frame: &mut Frame<'_>, area: Rect) {
        let theme = &self.settings.theme;
        if area.width < MINIMUM.0 || area.height < MINIMUM.1 {
            let size = format!("{}x{}: needs {}x{}", area.width, area.height, MINIMUM.0, MINIMUM.1);
            if area.height > 0 {
                let line = cut(Line::raw(size), usize::from(area.width), theme);
                frame.render_widget(line, Rect { height: 1, ..area });
            }
            return;
        }
        frame.render_widget(self.tabs.line(self.active, usize::from(area.width), theme), Rect { height: 1, ..area });
        let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
        match &self.loading {
            Loading::Done(workspace) => self.pane().draw(frame, body, &self.view(workspace)),
            Loading::Under(what) => empty(frame, body, &format!("{what}{}", theme.ellipsis()), theme),
            Loading::Failed(message) => empty(frame, body, message, theme),
        }
        if let Some(overlay) = &self.overlay {
            overlay.draw(frame, body, theme);
        }
        let footer = Rect { y: area.bottom() - 1, height: 1, ..area };
        self.draw_footer(frame, footer);
    }
}

/// The last gate before the terminal: no cell holds what a terminal would obey, whatever a pane forgot, and under `ascii`
/// nothing else than ASCII, texts of files included (the bytes of UTF-8 are control characters to other terminals).
fn make_safe(buffer: &mut Buffer, ascii: bool) {
    let columns = usize::from(buffer.area.width).max(1);
    for row in buffer.content.chunks_mut(columns) {
        let mut covered = 0_usize;
        for cell in row {
            let symbol = cell.symbol();
            let plain = matches!(symbol.as_bytes(), [b' '..=b'~']);
            if covered > 0 {
                covered -= 1;
                cell.set_symbol("?");
            } else if !plain && (ascii || displayable(symbol) != symbol) {
                covered = width(symbol).saturating_sub(1).min(1);
                let ascii = in_ascii(symbol);
                cell.set_symbol(ascii);
            }
        }
    }
}

/// What stands for a symbol where only ASCII can be drawn: for the typographic signs of our own sentences the nearest sign.
fn in_ascii(symbol: &str) -> &'static str {
    match symbol {
        "" => " ",
        "…" => "~",
        "“" | "”" => "\"",
        "–" | "−" => "-",
        "·" => ".",
        "≠" => "!",
        "↑" => "^",
        "→" => ">",
        "←" => "<",
        _ => "?",
    }
}
