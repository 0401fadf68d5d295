//! Which strategy pays? The measures of all strategies, one of them as the baseline, and the questions on which two differ.
//!
//! [`Measures`] are one strategy's sums, [`Measure`] says what each is called, how it is written and whether more of it is
//! better; [`Comparison`] holds the questions on which two strategies differ, the largest difference first; [`sentence`]
//! says in words what the choice costs.

mod measure;
mod question;
mod words;

pub use measure::{Judgement, Measure, Measures};
pub use question::{Change, Comparison, Difference, Side, Size};
pub use words::{Gate, gate, sentence};
