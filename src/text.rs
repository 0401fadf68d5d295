//! Text from files is hostile: making it safe to show, and measuring it in terminal columns.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns to which a tab is expanded. Not a stop: the text may begin at any column.
const TAB: &str = "    ";

/// `text` with everything that a terminal would obey, or that would hide or reorder other text, made visible.
///
/// C0 controls and DEL become caret notation (`^[`), C1 controls, bidi controls, zero-width and tag characters become
/// `<U+202E>`, tabs become four spaces. Joiners stay where they join letters, so that Persian or Indic words keep their
/// shape. Terminals disagree on the width of joined emoji and of emoji made by a variation selector, and what they disagree
/// on leaves ghosts behind: emoji lose their joiners and selectors here. Right-to-left letters are left to the terminal.
pub fn displayable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hostile(c) || c == EMOJI_SELECTOR) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut previous = ' ';
    for c in text.chars() {
        match c {
            '\t' => shown.push_str(TAB),
            '\u{0}'..='\u{1f}' => {
                shown.push('^');
                shown.push(char::from(c as u8 + b'@'));
            }
            '\u{7f}' => shown.push_str("^?"),
            EMOJI_SELECTOR => continue,
            '\u{200d}' if is_emoji(previous) => continue,
            '\u{200c}' | '\u{200d}' if !previous.is_ascii() && !is_hostile(previous) => shown.push(c),
            c if is_hostile(c) => shown.push_str(&format!("<U+{:04X}>", c as u32)),
            c => shown.push(c),
        }
        previous = c;
    }
    Cow::Owned(shown)
}

/// Asks for the emoji form of the character before it.
const EMOJI_SELECTOR: char = '\u{fe0f}';

/// Whether a joiner after `c` would join emoji: the blocks of pictographs and symbols, skin tones among them.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{21ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}')
}

fn is_hostile(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' // C0, DEL, C1
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' // zero-width space, joiners, left-to-right and right-to-left marks
        | '\u{2028}'..='\u{202e}' // line and paragraph separators, bidi embeddings and overrides
        | '\u{2060}'..='\u{206f}' // word joiner, invisible operators, bidi isolates
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}') // musical format controls, tags and their selectors
}

/// The width of a displayable text in terminal columns: that of its grapheme clusters together, for they are drawn one by
/// one (as a whole, Arabic letters that join would count for less).
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// The longest prefix of `text` that fits into `columns`, cut between grapheme clusters, ending in `…` where it was cut.
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    truncate_with(text, columns, "…")
}

/// [`truncate`] with another mark, such as `~` for terminals without Unicode.
pub fn truncate_with<'a>(text: &'a str, columns: usize, mark: &str) -> Cow<'a, str> {
    if text.len() <= columns && text.is_ascii() || width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let room = columns.saturating_sub(width(mark));
    let mut kept = String::new();
    let mut used = 0;
    for cluster in text.graphemes(true) {
        let next = used + cluster.width();
        if next > room {
            break;
        }
        used = next;
        kept.push_str(cluster);
    }
    if width(mark) <= columns {
        kept.push_str(mark);
    }
    Cow::Owned(kept)
}

/// `text` cut or padded with spaces to exactly `columns`.
pub fn fit(text: &str, columns: usize) -> String {
    let mut cut = truncate(text, columns).into_owned();
    let missing = columns.saturating_sub(width(&cut));
    cut.extend(std::iter::repeat_n(' ', missing));
    cut
}

/// `text` padded on the left to `columns`, for numbers.
pub fn fit_right(text: &str, columns: usize) -> String {
    let cut = truncate(text, columns);
    let mut padded = " ".repeat(columns.saturating_sub(width(&cut)));
    padded.push_str(&cut);
    padded
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn controls_become_visible() {
        assert_eq!(displayable("a\x1b[31mb"), "a^[[31mb");
        assert_eq!(displayable("a\u{9b}31m\u{7f}"), "a<U+009B>31m^?");
        assert_eq!(displayable("\u{202e}txt\u{2066}"), "<U+202E>txt<U+2066>");
        assert_eq!(displayable("a\tb\nc"), "a    b^Jc");
        assert_eq!(displayable("pa\u{200b}ss\u{e0041}"), "pa<U+200B>ss<U+E0041>");
    }

    #[test]
    fn letters_keep_their_joiners_and_emoji_lose_them() {
        assert_eq!(displayable("👩\u{200d}🔬"), "👩🔬");
        assert_eq!(displayable("⚠\u{fe0f} x"), "⚠ x");
        assert_eq!(displayable("می\u{200c}خواهم"), "می\u{200c}خواهم");
        assert_eq!(displayable("ab\u{200d}c"), "ab<U+200D>c");
    }

    #[test]
    fn truncation_counts_columns() {
        assert_eq!(truncate("hello", 5), "hello");
        assert_eq!(truncate("hello", 4), "hel…");
        assert_eq!(truncate("日本語", 5), "日本…");
        assert_eq!(truncate("日本語", 4), "日…");
        assert_eq!(truncate("abc", 0), "");
        assert_eq!(fit("日本", 5), "日本 ");
        assert_eq!(fit_right("7", 3), "  7");
    }

    #[test]
    fn the_width_is_that_of_the_clusters() {
        assert_eq!(width("abc"), 3);
        assert_eq!(width("👩\u{200d}🔬⚠\u{fe0f}日"), 6);
        assert_eq!(width("\u{644}\u{627}"), 2, "lam and alef are two cells, however they join");
        assert_eq!(width(&fit("0A\u{c82}\u{ac9}A0", 4)), 4, "a cluster of marks");
    }

    proptest! {
        #[test]
        fn nothing_hostile_survives(text in any::<String>()) {
            let shown = displayable(&text).into_owned();
            let joins = |c| matches!(c, '\u{200c}' | '\u{200d}');
            let left = shown.chars().filter(|c| is_hostile(*c) && !joins(*c)).count();
            prop_assert_eq!(left, 0);
        }

        #[test]
        fn fit_is_exact(text in any::<String>(), columns in 0_usize..40) {
            prop_assert_eq!(width(&fit(&displayable(&text), columns)), columns);
        }
    }
}
