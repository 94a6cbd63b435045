//! What has nothing to do with payments: secrets, processes, files, names.

pub(crate) mod debug;
pub(crate) mod hex;
pub(crate) mod jitter;
pub(crate) mod moment;
pub(crate) mod named;
pub(crate) mod near;
#[cfg(unix)]
pub(crate) mod private_file;
pub(crate) mod process;
pub(crate) mod recent;
pub mod secret;
pub(crate) mod unreadable;
pub(crate) mod utc;
