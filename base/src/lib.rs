//! Code that has nothing to do with payments: secrets, processes, files, names.
//!
//! The crates of libpayments share it. It is not for others: anything here may
//! change with any release.

pub mod boot_instant;
pub mod concealed;
pub mod debug;
pub mod hex;
pub mod invisible;
pub mod jitter;
pub mod lru;
pub mod private_file;
pub mod process;
pub mod quoted;
pub mod real_path;
pub mod secret;
pub mod spare_descriptor;
pub mod spelling;
pub mod standard_streams;
pub mod unreadable;
pub mod utc;

/// Tests here use that of the tests outside.
#[cfg(test)]
#[path = "../../core/tests/it/support/folder.rs"]
mod test_folder;
