//! What the tests of failures share: servers that misbehave on purpose, and
//! the calls that meet them. No test binary uses all of it.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod calls;
pub mod canaries;
pub mod child;
pub mod proxy;
pub mod raw_server;
pub mod recorder;
pub mod silent;
pub mod tls_server;
