//! Runs the scenarios that all languages share; `tests/README.md` describes
//! their format.

pub mod compare;
pub mod control;
pub mod events;
pub mod format;
pub mod placeholders;
pub mod run;
pub mod service;
pub mod spans;
