//! The parts that panes are drawn from.

pub mod growth_chart;
pub mod list;
pub mod marks;
pub mod names;
pub mod part;
pub mod published;
pub mod scatter;
