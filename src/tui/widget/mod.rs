//! The parts that panes are drawn from.

pub mod list;
pub mod part;
pub mod scatter;
