//! Clients across `fork`. Each test forks in its own process, where no other
//! test has threads.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

mod callbacks;
#[path = "../../../../core/tests/it/support/child.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod child;
mod ensuring;
mod file_store;
#[path = "../../../../core/tests/it/support/folder.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod folder;
mod fork;
mod forking;
#[cfg(target_os = "linux")]
#[path = "../../../../core/tests/it/support/hsm.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod hsm;
mod journal;
#[path = "../../../../core/tests/it/support/journal_lock.rs"]
mod journal_lock;
#[cfg(target_os = "linux")]
mod late_bytes;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
#[path = "../../../../core/tests/it/support/network.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod network;
mod phases;
#[cfg(target_os = "linux")]
mod pkcs11;
#[path = "../../../../transport/tests/it/support/raw_server.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod raw_server;
#[path = "../../../../core/tests/it/support/redis.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod redis;
mod signing;
#[path = "../../../../transport/tests/it/support/silent.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod silent;
mod support;
mod threads;
#[path = "../../../../transport/tests/it/support/tls_server.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod tls_server;
#[cfg(target_os = "linux")]
#[path = "../../../../core/tests/it/support/unread.rs"]
#[allow(dead_code, reason = "the tests of the core use the rest")]
mod unread;
#[path = "../../../../core/tests/it/support/wait.rs"]
mod wait;
mod waits;
