//! Payments, refunds, payouts and package tracking for merchants selling in
//! Latin America: signed requests, bearer tokens, and failures that say
//! whether money may have moved.
//!
//! Start with [`Client`]. The requests and answers of all operations stand at
//! the root of the crate. What the service is stated to do, and what was
//! chosen where nothing is stated, stands in `docs/interface.md`.

pub mod amount;
mod auth;
mod call_answer;
mod calls;
pub mod card_guard;
mod client;
pub mod config;
pub mod context;
mod debug;
mod diagnosis;
pub mod error;
mod hex;
mod jitter;
pub mod json;
pub mod jws;
mod named;
mod near;
pub mod observer;
pub mod operation;
pub mod operations;
mod outcome;
mod process;
mod recent;
mod reentrancy;
mod registry;
pub mod report;
pub mod secret;
pub mod signer;
pub mod token;
pub mod tools;
pub mod transport;
mod unreadable;
mod wait;
mod waiters;

pub use amount::Amount;
pub use call_answer::CallAnswer;
pub use client::Client;
pub use config::{Config, Environment};
pub use context::{CallContext, CancelHandle};
pub use error::{Error, ErrorKind, Outcome};
#[doc(hidden)]
pub use near::nearest;
pub use operation::Operation;
pub use operations::Request;
pub use operations::all::*;
#[doc(hidden)]
pub use process::{Identity as ProcessIdentity, PerProcess};
pub use secret::Secret;
#[doc(hidden)]
pub use unreadable::unreadable;

/// The examples of the README are examples of this crate.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct ReadmeExamples;

/// So are those of the page on operations.
#[cfg(doctest)]
#[doc = include_str!("../../docs/operations.md")]
struct OperationsExamples;

/// So are those of the page that starts with Rust.
#[cfg(doctest)]
#[doc = include_str!("../../docs/getting-started/rust.md")]
struct RustExamples;
