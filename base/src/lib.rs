//! Code that has nothing to do with payments: secrets, processes, files, names, DER.
//!
//! The crates of libpayments share it. It is not for others: anything here may
//! change with any release.
//!
//! Nothing here may name the service. The feature `testing` has helpers for the tests of
//! the other crates.
//!
//! - `secret.rs`: text that is wiped and never shown
//! - `process.rs`: the state of one process, which a fork leaves behind;
//!   `ForkGuard`, a value that a child never drops
//! - `private_file.rs`, `private_file/`: files that only their owner can read,
//!   on Unix and on Windows
//! - `bounded_file.rs`: reads files up to a limit
//! - `real_path.rs`: the real path of a file, without `realpath` of the C
//!   library
//! - `standard_streams.rs`: keeps descriptors off the numbers 0 to 2
//! - `wait.rs`: a wait for descriptors, and one that wakes a thread
//! - `reentrancy.rs`: refuses a callback that calls the client that it serves
//! - `own_descriptor.rs`: a descriptor that other code may have closed
//! - `spare_descriptor.rs`: a descriptor in reserve, for PHP
//! - `boot_instant.rs`, `utc.rs`, `jitter.rs`: time that counts while a machine
//!   is frozen, times as people write them, and random pauses
//! - `certificate.rs`: what a certificate says, and what it may be used for
//! - `pem/`: reads PEM, base64 and DER of keys and certificates
//! - `lru.rs`: a bounded table
//! - `hex.rs`: bytes as digits
//! - `spelling.rs`: the known name nearest to a mistyped one
//! - `concealed.rs`, `debug.rs`, `invisible.rs`, `quoted.rs`, `unreadable.rs`:
//!   texts of others, secrets and files in messages and debug forms

pub mod boot_instant;
pub mod bounded_file;
pub mod certificate;
pub mod concealed;
pub mod debug;
pub mod hex;
pub mod invisible;
pub mod jitter;
pub mod lru;
pub mod own_descriptor;
pub mod pem;
pub mod private_file;
pub mod process;
pub mod quoted;
pub mod real_path;
pub mod reentrancy;
pub mod secret;
pub mod spare_descriptor;
pub mod spelling;
pub mod standard_streams;
pub mod unreadable;
pub mod utc;
pub mod wait;

/// The test folder of the core's integration tests.
#[cfg(test)]
#[path = "../../core/tests/it/support/folder.rs"]
mod test_folder;
