//! Helpers that are shared with the tests of the transport, included from their
//! files.

#![allow(dead_code, reason = "the tests of the transport use the rest")]

#[path = "../../../../transport/tests/it/support/proxy.rs"]
pub mod proxy;
#[path = "../../../../transport/tests/it/support/raw_server.rs"]
pub mod raw_server;
#[path = "../../../../transport/tests/it/support/silent.rs"]
pub mod silent;
#[path = "../../../../transport/tests/it/support/tls_server.rs"]
pub mod tls_server;
