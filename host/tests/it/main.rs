//! The host from the outside: following, waiting, recovery, the journal's commands,
//! and calls by name. One program, like that of the core, whose `support` it
//! shares.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

mod calls;
mod journal;
mod shared;
mod support;
