//! What has nothing to do with payments: secrets, processes, files, names.

pub(crate) mod boot_instant;
pub(crate) mod concealed;
pub(crate) mod debug;
pub(crate) mod hex;
pub(crate) mod invisible;
pub(crate) mod jitter;
pub(crate) mod lru;
pub(crate) mod named;
pub(crate) mod private_file;
pub(crate) mod process;
pub(crate) mod quoted;
pub mod secret;
pub(crate) mod spelling;
pub(crate) mod unreadable;
pub(crate) mod utc;

/// Tests here use that of the tests outside.
#[cfg(test)]
#[path = "../../tests/it/support/folder.rs"]
pub(crate) mod test_folder;
