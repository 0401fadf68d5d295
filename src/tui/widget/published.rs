//! What a benchmark expects as the answer to a question, in rows of a label and words.

use ratatui::style::Style;

use crate::case::Question;
use crate::tui::theme::{Role, Theme};

/// The rows: that a question has to be abstained from, its trap, the published answer, and the one that a decision corrects it to.
pub fn rows<'a>(
    question: &'a Question,
    corrected: Option<&'a str>,
    theme: &Theme,
) -> Vec<(&'static str, &'a str, Style)> {
    let text = theme.style(Role::Text);
    let mut rows = Vec::new();
    if question.abstain {
        rows.push(("expected", "to abstain: nothing that was said answers the question", text));
    }
    rows.extend(question.trap.as_deref().map(|trap| ("trap", trap, text)));
    rows.extend(question.answer.as_deref().map(|published| ("published", published, text)));
    rows.extend(corrected.map(|corrected| ("corrected", corrected, theme.style(Role::Added))));
    rows
}
