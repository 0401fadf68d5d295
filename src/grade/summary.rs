//! The measures of one strategy over all questions.

use serde::Serialize;

use super::Block;

/// A strategy's blocks, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct BlockSummary {
    /// Questions asked.
    pub questions: usize,
    /// Required facts found in their question's block.
    pub facts_found: usize,
    /// Required facts of all questions.
    pub facts_required: usize,
    /// `facts_found / facts_required`, to three places; none where nothing is required.
    pub recall: Option<f64>,
    /// Lines of all blocks.
    pub lines_sent: usize,
    /// Lines that carry a required fact.
    pub useful_lines: usize,
    /// `useful_lines / lines_sent`, to three places; none where nothing was sent.
    pub usefulness: Option<f64>,
    /// Lines that carry a replaced fact.
    pub stale_lines: usize,
    /// Lines that carry a fact that the user asked to forget.
    pub forgotten_lines: usize,
    /// Tokens of all lines.
    pub memory_tokens: usize,
}

impl BlockSummary {
    /// Adds up blocks.
    pub fn of<'a>(blocks: impl IntoIterator<Item = &'a Block>) -> Self {
        let mut sum = Self::default();
        for block in blocks {
            sum.questions += 1;
            sum.facts_found += block.found();
            sum.facts_required += block.required;
            sum.lines_sent += block.lines.len();
            sum.useful_lines += block.useful();
            sum.stale_lines += block.stale();
            sum.forgotten_lines += block.forgotten();
            sum.memory_tokens += block.tokens;
        }
        sum.recall = rounded(sum.facts_found, sum.facts_required);
        sum.usefulness = rounded(sum.useful_lines, sum.lines_sent);
        sum
    }

    /// Whether any block is known. Of a strategy known only by its answers nothing is, and its counts say nothing.
    pub fn is_known(&self) -> bool {
        self.questions > 0
    }

    /// Lines that must not have been sent. The gate fails with the first one, whatever recall is.
    pub fn leaks(&self) -> usize {
        self.stale_lines + self.forgotten_lines
    }
}

/// `part / whole` rounded to three places, correctly from the binary value; none where `whole` is 0.
pub fn rounded(part: usize, whole: usize) -> Option<f64> {
    if whole == 0 {
        return None;
    }
    // Formatting rounds the exact binary value, ties to even; multiplying by 1000 first would round twice.
    format!("{:.3}", part as f64 / whole as f64).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_without_lines_is_known() {
        assert!(!BlockSummary::default().is_known());
        assert!(BlockSummary::of([&Block::default()]).is_known());
    }

    #[test]
    fn rounds_the_binary_value() {
        assert_eq!(rounded(10, 48), Some(0.208));
        assert_eq!(rounded(6, 7), Some(0.857));
        assert_eq!(rounded(1, 16), Some(0.062)); // 0.0625 is exact: ties go to even
        assert_eq!(rounded(0, 0), None);
    }
}
