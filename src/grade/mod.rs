//! Grading: memory blocks by the facts that a question lists, answers by the answer key.

mod answer;
mod block;
mod keys;
mod summary;

pub use answer::{Grade, PatternMatch, PatternRole, Verdict, explain_answer, grade_answer, sentences};
pub use block::{Block, BlockLine, LineRole, grade_block};
pub use keys::{AnswerKey, AnswerKeys, Pattern};
pub use summary::{BlockSummary, rounded};
