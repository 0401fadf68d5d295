//! The explorer: panes over an immutable workspace, driven by one enum of actions.

pub mod action;
pub mod app;
mod counting;
pub mod footer;
pub mod frame;
mod jobs;
pub mod keymap;
pub mod options;
pub mod overlay;
pub mod pane;
mod panes;
mod prompt;
pub mod ranked;
mod run;
mod screen;
mod search;
mod show;
mod tabs;
pub mod terminal;
pub mod text;
pub mod theme;
mod trail;
pub mod widget;

pub use pane::PaneKind;
pub use run::{PanicTest, Start, run};
pub use show::{draw, press, show};
