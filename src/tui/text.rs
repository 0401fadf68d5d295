//! Text on the screen: highlighting inside it, wrapping it, and turning file text into spans that are safe to draw.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use crate::text::{displayable, truncate_with, width};

use super::theme::{Role, Theme};

/// A span of text from a file, made safe to draw.
pub fn span(text: &str, style: Style) -> Span<'static> {
    if text.contains(['\n', '\r']) {
        // A span stands in one line: a line break in a record's text is white space there, and nothing to be warned of.
        let flat = text.replace("\r\n", " ").replace(['\n', '\r'], " ");
        return Span::styled(displayable(&flat).into_owned(), style);
    }
    Span::styled(displayable(text).into_owned(), style)
}

/// Text from a file with some byte ranges in another style. Later highlights go over earlier ones; a style is patched onto
/// `base`. Ranges that do not fall between characters are left out.
pub fn highlighted(text: &str, highlights: &[(Range<usize>, Style)], base: Style) -> Vec<Span<'static>> {
    let mut cuts: Vec<usize> = vec![0, text.len()];
    let valid = |range: &Range<usize>| range.start < range.end && text.get(range.clone()).is_some();
    for (range, _) in highlights.iter().filter(|(range, _)| valid(range)) {
        cuts.extend([range.start, range.end]);
    }
    cuts.sort_unstable();
    cuts.dedup();
    let pieces = cuts.iter().zip(cuts.iter().skip(1));
    pieces
        .filter_map(|(&start, &end)| {
            let style = highlights
                .iter()
                .filter(|(range, _)| valid(range) && range.start <= start && end <= range.end)
                .fold(base, |style, (_, patch)| style.patch(*patch));
            text.get(start..end).filter(|piece| !piece.is_empty()).map(|piece| span(piece, style))
        })
        .collect()
}

/// Every place where `needle` stands in `text`, ignoring the case of letters.
pub fn find_all(text: &str, needle: &str) -> Vec<Range<usize>> {
    if needle.is_empty() {
        return Vec::new();
    }
    let wanted: Vec<char> = needle.chars().flat_map(char::to_lowercase).collect();
    let mut found = Vec::new();
    let mut next = 0;
    for (start, _) in text.char_indices() {
        if start < next {
            continue;
        }
        if let Some(length) = text.get(start..).and_then(|rest| prefix_length(rest, &wanted)) {
            found.push(start..start + length);
            next = start + length;
        }
    }
    found
}

/// Whether `needle` stands in `text`, ignoring the case of letters.
pub fn contains(text: &str, needle: &str) -> bool {
    if needle.is_ascii() && text.is_ascii() {
        return contains_ascii(text.as_bytes(), needle.as_bytes());
    }
    !find_all(text, needle).is_empty() || needle.is_empty()
}

/// Jumps from one place where the first letter stands to the next: a hundred thousand rows are searched within a frame.
fn contains_ascii(text: &[u8], needle: &[u8]) -> bool {
    let Some(first) = needle.first() else { return true };
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    memchr::memchr2_iter(lower, upper, text)
        .any(|at| text.get(at..at + needle.len()).is_some_and(|window| window.eq_ignore_ascii_case(needle)))
}

/// The bytes of `text` that spell `wanted` (in lower case) from its beginning.
fn prefix_length(text: &str, wanted: &[char]) -> Option<usize> {
    let mut matched = 0;
    for (at, c) in text.char_indices() {
        if matched == wanted.len() {
            return Some(at);
        }
        for lower in c.to_lowercase() {
            if wanted.get(matched) != Some(&lower) {
                return None;
            }
            matched += 1;
        }
    }
    (matched == wanted.len()).then_some(text.len())
}

/// Wraps styled spans to `columns`: at white space where there is some, inside a word that is longer than a line, and
/// before each further line `indent` spaces. An empty text is one empty line.
pub fn wrap(spans: &[Span<'static>], columns: usize, indent: usize) -> Vec<Line<'static>> {
    let columns = columns.max(1);
    let indent = indent.min(columns.saturating_sub(1));
    let mut wrapper = Wrapper { columns, indent, lines: Vec::new(), line: Vec::new(), used: 0 };
    for (word, parts) in words_of(spans) {
        wrapper.push_word(word, parts);
    }
    wrapper.finish()
}

/// A word with the white space before it, as pieces of one style each.
type Pieces = Vec<(String, Style)>;

/// Cuts spans into (leading white space and word) units: `true` where the unit is white space.
fn words_of(spans: &[Span<'static>]) -> Vec<(bool, Pieces)> {
    let mut units: Vec<(bool, Pieces)> = Vec::new();
    for span in spans {
        for segment in span.content.split_word_bounds() {
            let blank = segment.chars().all(char::is_whitespace);
            match units.last_mut() {
                Some((kind, pieces)) if *kind == blank => pieces.push((segment.to_owned(), span.style)),
                _ => units.push((blank, vec![(segment.to_owned(), span.style)])),
            }
        }
    }
    units
}

struct Wrapper {
    columns: usize,
    indent: usize,
    lines: Vec<Line<'static>>,
    line: Vec<Span<'static>>,
    used: usize,
}

impl Wrapper {
    fn push_word(&mut self, blank: bool, pieces: Pieces) {
        let total: usize = pieces.iter().map(|(text, _)| width(text)).sum();
        let at_start = self.used == 0 || (!self.lines.is_empty() && self.used == self.indent);
        if blank && at_start && !self.lines.is_empty() {
            return; // white space at a break is the break
        }
        if self.used + total > self.columns && !at_start {
            if blank {
                self.break_line();
                return;
            }
            if self.indent + total <= self.columns || self.used + 8 > self.columns {
                self.break_line();
            }
        }
        for (text, style) in pieces {
            self.push_piece(&text, style);
        }
    }

    fn push_piece(&mut self, text: &str, style: Style) {
        let mut run = String::new();
        for cluster in text.graphemes(true) {
            let columns = width(cluster);
            if self.used + columns > self.columns && self.used > 0 {
                self.line.push(Span::styled(std::mem::take(&mut run), style));
                self.break_line();
            }
            run.push_str(cluster);
            self.used += columns;
        }
        if !run.is_empty() {
            self.line.push(Span::styled(run, style));
        }
    }

    fn break_line(&mut self) {
        self.lines.push(Line::from(std::mem::take(&mut self.line)));
        self.used = self.indent;
        if self.indent > 0 {
            self.line.push(Span::raw(" ".repeat(self.indent)));
        }
    }

    fn finish(mut self) -> Vec<Line<'static>> {
        if self.lines.is_empty() || self.used > self.indent {
            self.lines.push(Line::from(self.line));
        }
        self.lines
    }
}

/// A line cut to `columns`, ending in the theme's mark where it was cut.
pub fn cut(line: Line<'static>, columns: usize, theme: &Theme) -> Line<'static> {
    if line.width() <= columns {
        return line;
    }
    let mut room = columns;
    let mut kept = Vec::new();
    let mut rest = line.spans.into_iter().peekable();
    while let Some(span) = rest.next() {
        let wanted = width(&span.content);
        let last = rest.peek().is_none_or(|next| width(&next.content) == 0);
        if wanted < room || (wanted == room && last) {
            room -= wanted;
            kept.push(span);
        } else {
            // Something is always cut here: show the mark even where this span alone would fit.
            let mark = theme.ellipsis();
            let text = truncate_with(&span.content, room.saturating_sub(1), "").into_owned();
            kept.push(Span::styled(format!("{text}{}", if room > 0 { mark } else { "" }), span.style));
            break;
        }
    }
    Line { spans: kept, style: line.style, alignment: line.alignment }
}

/// A line padded with spaces to `columns`, so that a row's ground reaches its end.
pub fn padded(mut line: Line<'static>, columns: usize, style: Style) -> Line<'static> {
    let missing = columns.saturating_sub(line.width());
    if missing > 0 {
        line.spans.push(Span::raw(" ".repeat(missing)));
    }
    line.patch_style(style)
}

/// Marks what the search looks for in a finished line.
pub fn mark_found(line: Line<'static>, needle: &str, theme: &Theme) -> Line<'static> {
    if needle.is_empty() {
        return line;
    }
    let whole: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    let hits = find_all(&whole, needle);
    if hits.is_empty() {
        return line;
    }
    let style = theme.style(Role::Found);
    let mut spans = Vec::new();
    let mut offset = 0;
    for span in line.spans {
        let end = offset + span.content.len();
        let inside: Vec<_> = hits
            .iter()
            .filter(|hit| hit.start < end && hit.end > offset)
            .map(|hit| (hit.start.saturating_sub(offset)..(hit.end - offset).min(span.content.len()), style))
            .collect();
        spans.extend(highlighted(&span.content, &inside, span.style));
        offset = end;
    }
    Line { spans, style: line.style, alignment: line.alignment }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratatui::style::Modifier;

    fn plain(lines: &[Line<'static>]) -> Vec<String> {
        lines.iter().map(|line| line.spans.iter().map(|span| span.content.as_ref()).collect()).collect()
    }

    #[test]
    fn a_line_break_in_a_line_is_white_space() {
        assert_eq!(span("First:\r\n1. a\n\u{1b}b", Style::new()).content, "First: 1. a ^[b");
    }

    #[test]
    fn wraps_at_white_space_and_inside_long_words() {
        let text = |text: &str| vec![span(text, Style::new())];
        assert_eq!(plain(&wrap(&text("one two three"), 7, 0)), ["one two", "three"]);
        assert_eq!(plain(&wrap(&text("one two three"), 7, 2)), ["one two", "  three"]);
        assert_eq!(plain(&wrap(&text("abcdefghij"), 4, 0)), ["abcd", "efgh", "ij"]);
        assert_eq!(plain(&wrap(&text("日本語 テキスト"), 6, 0)), ["日本語", "テキス", "ト"]);
        assert_eq!(plain(&wrap(&text(""), 6, 0)), [""]);
    }

    #[test]
    fn highlights_are_patched_in_order() {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let spans = highlighted("budget of 180", &[(0..6, bold), (99..100, bold)], Style::new());
        assert_eq!(spans.len(), 2);
        assert_eq!(spans[0].content, "budget");
        assert_eq!(spans[0].style, bold);
    }

    #[test]
    fn search_ignores_case_beyond_ascii() {
        assert_eq!(find_all("Ünïcode ünÏ", "ünï"), [0..5, 10..15]);
        assert!(contains("Porto", "PORT"));
        assert!(!contains("Porto", "x"));
        assert!(contains("anything", ""));
    }

    #[test]
    fn cut_lines_say_so() {
        let line = Line::from(vec![Span::raw("abc"), Span::raw("defg")]);
        assert_eq!(plain(&[cut(line.clone(), 5, &Theme::default())]), ["abcd…"]);
        assert_eq!(plain(&[cut(line.clone(), 7, &Theme::default())]), ["abcdefg"]);
        assert_eq!(plain(&[cut(line, 3, &Theme::default())]), ["ab…"]);
    }

    proptest! {
        #[test]
        fn wrapping_loses_only_white_space_and_never_overflows(text in any::<String>(), columns in 2_usize..30) {
            let lines = plain(&wrap(&[span(&text, Style::new())], columns, 0));
            for line in &lines {
                prop_assert!(crate::text::width(line) <= columns + 1, "{line:?}");
            }
            let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(squeeze(&lines.concat()), squeeze(&displayable(&text)));
        }

        #[test]
        fn cutting_never_overflows(parts in proptest::collection::vec("[a-z日 ]{0,6}", 0..5), columns in 0_usize..20) {
            let line = Line::from(parts.into_iter().map(Span::raw).collect::<Vec<_>>());
            prop_assert!(cut(line, columns, &Theme::default()).width() <= columns);
        }
    }
}
