//! The core from the outside. One program, so that it is linked once; a test
//! that needs its own process starts the program again for itself
//! (`support::child`).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

mod calls;
mod config;
mod journal;
mod requests;
mod signing;
mod support;
mod tokens;
mod transport;
