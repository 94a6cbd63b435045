//! The command as it is built, run as a process of its own.

#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests may panic")]

mod configuration;
mod demo;
mod failures;
mod help;
mod keys;
mod operations;
mod sandbox;
mod secrets;
mod send;
mod support;
#[path = "../../../core/tests/support_redis/mod.rs"]
mod support_redis;
mod token;
mod token_status;
