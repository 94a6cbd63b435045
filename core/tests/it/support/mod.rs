//! Shared helpers of tests.

pub mod calls;
pub mod canaries;
pub mod cases;
pub mod chains;
pub mod child;
pub mod der;
#[cfg(unix)]
#[cfg_attr(not(feature = "redis"), allow(dead_code, reason = "half of it is for Redis"))]
pub mod fleet;
pub mod folder;
#[cfg(all(unix, feature = "journal-sqlite"))]
pub mod format_1;
#[cfg(all(target_os = "linux", feature = "pkcs11"))]
pub mod hsm;
pub mod journal;
#[cfg(all(unix, feature = "journal-sqlite"))]
pub mod journal_lock;
pub mod journaled;
pub mod merchant;
#[cfg(target_os = "linux")]
pub mod network;
mod of_transport;
pub mod payer;
pub mod phases;
pub mod recorder;
#[cfg(unix)]
#[cfg_attr(not(feature = "redis"), allow(dead_code, reason = "the tests with Redis need it"))]
pub mod redis;
#[cfg(all(unix, feature = "journal-sqlite"))]
pub mod sqlite;
#[cfg_attr(
    not(all(unix, feature = "redis")),
    allow(dead_code, reason = "its workers share Redis, on Unix")
)]
pub mod storm;
pub mod tokens;
#[cfg(target_os = "linux")]
pub mod unread;
pub mod vectors;
pub mod wait;

pub use of_transport::*;
