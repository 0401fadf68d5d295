//! Grading: memory blocks by the facts that a question lists; answers by the answer key, by the recorded judges and by the
//! published answer, side by side.

mod answer;
mod block;
mod grader;
mod judge;
mod keys;
pub mod published;
mod summary;

pub use answer::{Credit, Grade, PatternMatch, PatternRole, Verdict, explain_answer, grade_answer, sentences};
pub use block::{Block, BlockLine, Cut, LineRole, grade_block};
pub use grader::{Abstention, Counting, Grader, GraderChoice, Verdicts};
pub use judge::{PASS_FROM, judge_grade};
pub use keys::{AnswerKey, AnswerKeys, Pattern};
pub use summary::{BlockSummary, rounded};
