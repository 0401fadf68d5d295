//! A part of a pane: a border with a title, brighter where the focus is.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;

use crate::tui::text::cut;
use crate::tui::theme::{Role, Theme};

const ASCII: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// Draws the border of a part and returns the area inside. The focused part's title carries a mark, not only a colour.
pub fn part(frame: &mut Frame<'_>, area: Rect, title: impl Into<Line<'static>>, focused: bool, theme: &Theme) -> Rect {
    let style = theme.style(if focused { Role::Focus } else { Role::Border });
    let mut title: Line<'static> = title.into();
    // The name of the part is its first span; what follows says more about it, in styles of its own.
    let title_style = theme.style(if focused { Role::Focus } else { Role::Heading });
    if let Some(name) = title.spans.first_mut() {
        name.style = title_style.patch(name.style);
    }
    title.spans.insert(0, Span::styled(if focused { theme.pick("▸", ">") } else { " " }.to_owned(), title_style));
    title.spans.push(Span::raw(" "));
    let title = cut(title, usize::from(area.width.saturating_sub(4)), theme);
    let set = if theme.ascii { ASCII } else { border::ROUNDED };
    let block = Block::bordered().border_set(set).border_style(style).title(title);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    inner
}

/// One dim sentence in the middle of an empty part.
pub fn empty(frame: &mut Frame<'_>, area: Rect, sentence: &str, theme: &Theme) {
    let lines =
        crate::tui::text::wrap(&[crate::tui::text::span(sentence, theme.style(Role::Dim))], usize::from(area.width), 0);
    let top = usize::from(area.height).saturating_sub(lines.len()) / 2;
    for (y, line) in (area.y..area.bottom()).skip(top).zip(lines) {
        frame.render_widget(line.centered(), Rect { y, height: 1, ..area });
    }
}
