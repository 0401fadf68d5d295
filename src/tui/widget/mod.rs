//! The parts that panes are drawn from.

pub mod list;
pub mod marks;
pub mod part;
