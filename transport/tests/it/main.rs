//! The transport from the outside: one request, without a credential.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

#[cfg(unix)]
mod addresses;
mod connections;
mod no_proxy;
mod proxy;
mod support;
mod tls;
mod tls_reuse;
mod tls_words;
mod warm_up;
