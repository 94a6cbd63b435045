//! Runs the scenarios that all languages share; `tests/README.md` describes
//! their format.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

pub mod compare;
pub mod control;
pub mod format;
pub mod placeholders;
pub mod run;
pub mod service;
