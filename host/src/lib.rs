//! The layer around the calls of a client: [`ensure_payment`] finds a payment or
//! creates it, [`follow()`] and [`wait_for_payment`] query payments until they
//! end, [`recover`] queries the outcomes of open entries of the journal, and
//! [`journal`] reads and changes entries.
//!
//! Merchants in Rust need nothing else of this crate. The packages of other
//! languages and the command `payments` are built on [`by_name`], [`commands`],
//! [`spelling`] and [`CallThreads`], which change with any release.

// ARCHITECTURE.md has their order: each imports only those below it.
mod agreement;
mod answer;
pub mod by_name;
pub mod commands;
mod ensuring;
pub mod follow;
pub mod journal;
mod lint;
pub mod recovery;
pub mod spelling;
mod threads;
mod turns;
mod waiting;

pub use self::ensuring::{EnsuredPayment, ensure_payment};
pub use self::follow::follow;
pub use self::lint::{Certainty, LintWarning, lint};
pub use self::recovery::recover;
pub use self::threads::CallThreads;
pub use self::turns::Turns;
pub use self::waiting::wait_for_payment;

/// Exports for tests/schedules. Only its manifests have the feature.
#[cfg(feature = "schedules")]
#[path = "../../tests/schedules/src/call_threads.rs"]
pub mod schedules;

/// The test folder of the core's integration tests.
#[cfg(test)]
#[cfg_attr(not(unix), expect(dead_code, reason = "most tests of files are for Unix"))]
#[path = "../../core/tests/it/support/folder.rs"]
mod test_folder;

/// Compiles the examples of the page that starts with Rust.
#[cfg(all(doctest, feature = "qr"))]
#[doc = include_str!("../../docs/getting-started/rust.md")]
struct RustExamples;
