//! The sandbox from the outside: what arrives at a socket, and what its
//! control says.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

mod authentication;
mod control;
mod faults;
mod operations;
mod origins;
mod refusals;
mod robustness;
mod scripted_responses;
mod state;
mod support;
