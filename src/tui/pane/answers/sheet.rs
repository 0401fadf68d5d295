//! A sheet of finished lines with a gutter for marks: what the detail is written on.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::text::displayable;
use crate::tui::text::{span, wrap};
use crate::tui::theme::{Role, Theme};

/// Columns of the gutter. Two marks and a space: a line seldom carries more than two kinds of facts.
pub const GUTTER: usize = 3;

/// A mark in the gutter, with the look of what it stands for.
pub type Mark = (&'static str, Style);

/// Words to highlight in a text, and the mark that the gutter of their lines gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Highlight {
    /// Where they are, in bytes of the text.
    pub range: Range<usize>,
    /// How they look.
    pub style: Style,
    /// Says the same without colours.
    pub mark: Mark,
}

/// Lines of a given width.
pub struct Sheet<'a> {
    /// How things look.
    pub theme: &'a Theme,
    columns: usize,
    /// What is written so far.
    pub lines: Vec<Line<'static>>,
}

impl<'a> Sheet<'a> {
    /// An empty sheet.
    pub fn new(columns: usize, theme: &'a Theme) -> Self {
        Self { theme, columns, lines: Vec::new() }
    }

    /// A heading after an empty line, with something to say beside it.
    pub fn heading(&mut self, text: &str, beside: &str) {
        if !self.lines.is_empty() {
            self.lines.push(Line::default());
        }
        let mut spans = vec![span(text, self.theme.style(Role::Heading))];
        if !beside.is_empty() {
            spans.push(Span::raw("  "));
            spans.push(span(beside, self.theme.style(Role::Dim)));
        }
        self.lines.extend(wrap(&spans, self.columns, 2));
    }

    /// A paragraph over the whole width.
    pub fn plain(&mut self, spans: &[Span<'static>]) {
        self.lines.extend(wrap(spans, self.columns, 0));
    }

    /// A paragraph with marks in the gutter of its first line. `indent` is that of its further lines.
    pub fn marked(&mut self, marks: &[Mark], spans: &[Span<'static>], indent: usize) {
        let wrapped = wrap(spans, self.room(), indent);
        for (index, line) in wrapped.into_iter().enumerate() {
            self.push(if index == 0 { marks } else { &[] }, line);
        }
    }

    /// A label in dim letters and a value.
    pub fn field(&mut self, label: &str, value: &str) {
        const LABEL: usize = 12;
        let spans = [
            span(&format!("{label:<LABEL$} "), self.theme.style(Role::Dim)),
            span(value, self.theme.style(Role::Text)),
        ];
        self.marked(&[], &spans, LABEL + 1);
    }

    /// A text from a file: its own line breaks, then wrapped, with highlights, and in the gutter of each line the marks
    /// of the highlights on it. `highlights` in the order of their beginnings.
    pub fn text(&mut self, text: &str, highlights: &[Highlight], base: Style) {
        let mut offset = 0;
        let mut rest = highlights;
        for paragraph in text.split('\n') {
            let end = offset + paragraph.len();
            // What ends before this paragraph matters to no later one; what goes over its end matters to the next too.
            let over = rest.iter().take_while(|highlight| highlight.range.end <= offset).count();
            rest = rest.get(over..).unwrap_or_default();
            let inside = rest.iter().take_while(|highlight| highlight.range.start < end);
            let local: Vec<Highlight> = inside
                .filter(|highlight| highlight.range.end > offset)
                .map(|highlight| Highlight {
                    range: highlight.range.start.saturating_sub(offset)
                        ..(highlight.range.end - offset).min(paragraph.len()),
                    ..highlight.clone()
                })
                .collect();
            self.paragraph(paragraph.strip_suffix('\r').unwrap_or(paragraph), &local, base);
            offset = end + 1;
        }
    }

    fn paragraph(&mut self, text: &str, highlights: &[Highlight], base: Style) {
        let pieces = pieces(text, highlights, base);
        let spans: Vec<Span<'static>> = pieces.iter().map(|(span, _)| span.clone()).collect();
        // Wrapping loses white space only, so letters say which pieces stand on a line.
        let mut pieces = pieces.iter().map(|(span, marks)| (letters(&span.content), marks)).peekable();
        let mut left = 0;
        for line in wrap(&spans, self.room(), 0) {
            let mut wanted: usize = line.spans.iter().map(|span| letters(&span.content)).sum();
            let mut marks: Vec<Mark> = Vec::new();
            while wanted > 0 {
                let Some((size, of_piece)) = pieces.peek() else { break };
                marks.extend(of_piece.iter().filter(|_| *size > 0));
                let taken = wanted.min(size - left);
                wanted -= taken;
                left += taken;
                if left == *size {
                    left = 0;
                    pieces.next();
                }
            }
            self.push(&unique(marks), line);
        }
    }

    fn room(&self) -> usize {
        self.columns.saturating_sub(GUTTER).max(1)
    }

    fn push(&mut self, marks: &[Mark], mut line: Line<'static>) {
        let mut gutter: Vec<Span<'static>> =
            marks.iter().take(GUTTER).map(|(mark, style)| Span::styled((*mark).to_owned(), *style)).collect();
        gutter.push(Span::raw(" ".repeat(GUTTER.saturating_sub(gutter.len()))));
        gutter.append(&mut line.spans);
        self.lines.push(Line::from(gutter));
    }
}

/// The number of characters of a displayable text that wrapping keeps.
fn letters(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

fn unique(marks: Vec<Mark>) -> Vec<Mark> {
    let mut kept: Vec<Mark> = Vec::new();
    for mark in marks {
        if !kept.contains(&mark) {
            kept.push(mark);
        }
    }
    kept
}

/// A text cut at the edges of its highlights: each piece with its look and its marks. Later highlights go over earlier
/// ones.
fn pieces(text: &str, highlights: &[Highlight], base: Style) -> Vec<(Span<'static>, Vec<Mark>)> {
    let mut edges = vec![0, text.len()];
    edges.extend(highlights.iter().flat_map(|highlight| [highlight.range.start, highlight.range.end]));
    edges.retain(|edge| text.is_char_boundary(*edge));
    edges.sort_unstable();
    edges.dedup();
    edges
        .iter()
        .zip(edges.iter().skip(1))
        .filter_map(|(&start, &end)| {
            let over: Vec<&Highlight> = highlights
                .iter()
                .filter(|highlight| highlight.range.start <= start && end <= highlight.range.end)
                .collect();
            let style = over.iter().fold(base, |style, highlight| style.patch(highlight.style));
            let shown = displayable(text.get(start..end)?).into_owned();
            Some((Span::styled(shown, style), over.iter().map(|highlight| highlight.mark).collect()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Mark = ("A", Style::new());
    const B: Mark = ("B", Style::new());

    fn written(text: &str, columns: usize, highlights: &[(Range<usize>, Mark)]) -> Vec<String> {
        let theme = Theme::default();
        let mut sheet = Sheet::new(columns, &theme);
        let highlights: Vec<Highlight> = highlights
            .iter()
            .map(|(range, mark)| Highlight { range: range.clone(), style: Style::new(), mark: *mark })
            .collect();
        sheet.text(text, &highlights, Style::new());
        let flat = |line: &Line<'static>| line.spans.iter().map(|span| span.content.as_ref()).collect::<String>();
        sheet.lines.iter().map(|line| flat(line).trim_end().to_owned()).collect()
    }

    #[test]
    fn each_line_has_the_marks_of_its_own_highlights() {
        let text = "one two three\r\nfour five";
        let highlights = [(4..7, A), (8..19, B), (20..24, A)];
        assert_eq!(written(text, 40, &highlights), ["AB one two three", "BA four five"]);
        assert_eq!(written(text, 8, &highlights), ["   one", "A  two", "B  three", "B  four", "A  five"]);
        assert_eq!(written("", 40, &[]), [""]);
        assert_eq!(written("a\n\nb", 40, &[]), ["   a", "", "   b"]);
    }

    #[test]
    fn a_highlight_over_a_long_word_marks_each_of_its_lines() {
        assert_eq!(written("abcdefgh", 6, &[(1..5, A)]), ["A  abc", "A  def", "   gh"]);
        assert_eq!(written("\tab", 9, &[(0..1, A)]), ["       ab"], "white space alone has no mark");
    }

    #[test]
    fn hostile_text_keeps_its_marks() {
        assert_eq!(written("a\u{1b}[2Jb", 20, &[(1..2, A)]), ["A  a^[[2Jb"]);
        assert_eq!(
            written("é日本", 20, &[(2..5, A), (3..4, B)]),
            ["A  é日本"],
            "edges inside a character are left out"
        );
    }
}
