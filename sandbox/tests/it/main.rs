//! Black-box tests of the sandbox: its responses and its control API.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

mod authentication;
mod control;
mod doctor;
mod faults;
mod methods;
mod operations;
mod origins;
mod refusals;
mod robustness;
mod scripted_responses;
mod state;
mod support;
