//! What tests share.

pub mod calls;
pub mod canaries;
pub mod cases;
pub mod child;
pub mod der;
#[cfg(unix)]
pub mod fleet;
pub mod folder;
pub mod followed;
#[cfg(target_os = "linux")]
pub mod hsm;
pub mod journal;
#[cfg(unix)]
pub mod journal_lock;
pub mod merchant;
#[cfg(target_os = "linux")]
pub mod network;
pub mod payer;
pub mod proxy;
pub mod raw_server;
pub mod recorder;
#[cfg(unix)]
pub mod redis;
pub mod scenario;
pub mod silent;
#[cfg_attr(windows, allow(dead_code, reason = "its workers are for Unix"))]
pub mod storm;
#[cfg_attr(windows, allow(dead_code, reason = "the tests with Redis are for Unix"))]
pub mod tls_server;
pub mod tokens;
#[cfg(target_os = "linux")]
pub mod unread;
pub mod vectors;
pub mod wait;
