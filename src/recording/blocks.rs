//! Blocks that another memory system sent: what a strategy of recallscope would have chosen, chosen elsewhere.

use crate::source::Warning;

/// What one strategy of another system sent with each question, in the order of its file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockRun {
    /// The file, or the command, that it came from.
    pub origin: String,
    /// The strategy's name.
    pub strategy: String,
    /// One block a question.
    pub blocks: Vec<SentBlock>,
    /// Whether the lines are a ranking that the facts quota still cuts, instead of a block as it was sent.
    pub ranked: bool,
    /// What was odd in the file.
    pub warnings: Vec<Warning>,
}

/// The lines that went along with one question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SentBlock {
    /// Whose memory it is, where the file says so.
    pub user: Option<String>,
    /// The question's id or text.
    pub question: String,
    /// The lines, best first.
    pub lines: Vec<SentLine>,
    /// Why there is no block, where the system gave none.
    pub failure: Option<String>,
}

/// One line of such a block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SentLine {
    /// Its words.
    pub text: String,
    /// The other system's own name for the record.
    pub id: Option<String>,
    /// The id of the event that it was made from, where the system kept it.
    pub event: Option<String>,
    /// The other system's own score.
    pub score: Option<f64>,
}
