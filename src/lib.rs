//! See why an agent's memory failed a question.
pub mod tokens;
