//! Shared helpers of tests.

#![allow(dead_code, reason = "the tests of the core, the host and the command use the rest")]

pub mod caller;
pub mod proxy;
pub mod raw_server;
pub mod silent;
pub mod tls_server;
