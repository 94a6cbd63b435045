//! The payments service as its interface describes it, on loopback.
//!
//! It verifies detached JWS signatures against registered keys, issues and
//! checks bearer tokens, keeps payments, refunds, payouts, and trackings, and
//! responds to failed authentication with a 401 and an empty body. Its control
//! API under `/sandbox/`, and the methods of [`Sandbox`], cover the provider's
//! part: register a key, confirm a payment, show why a request was refused, and
//! inject faults. [`doctor`] finds the mistake in a signature.
//!
//! The README lists the control API, every fault, and the responses where the
//! interface says "not shown".
//!
//! The sandbox is not safe to expose beyond loopback: the control API requires
//! no credentials, and the request log keeps every secret it receives. It
//! therefore refuses requests unless their `Host` is a loopback name and their
//! `Origin`, if any, is the sandbox's own.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

// From the lowest to the highest: each imports only those before it.
//
// - `rng.rs`, `halt.rs`, `config.rs`: random numbers, the shutdown, and the
//   settings at the start
// - `doctor/`: finds what a refused signature would have verified with, for the
//   page and for the command `payments doctor`
// - `http/`: requests and responses without I/O, and who may use the sandbox
//   (`origin.rs`)
// - `faults/`: the failures that can be scripted: `names.rs` is the table of
//   those with their own name, `json.rs` their form in the control API
// - `wire/`: reads requests from a socket, and writes responses, intact or with
//   a fault
// - `service/`: the state that all requests share: keys, tokens, ledger, the
//   log of requests, counters. `state.rs` keeps the ledger in a file
// - `operations/`: the effect of each operation on the ledger
// - `serving/`: verifies and executes one request
// - `page/`: serves the page for people; its list of requests comes by
//   server-sent events, from one thread for each open page that looks for
//   changes, so that requests pay nothing for it. Its files are in
//   `sandbox/page`, without a build step; `tests/browser` drives them in
//   Chromium
// - `control/`: the addresses under `/sandbox/`
// - `server/`: the listener, and one connection
// - `sandbox/`: the API for Rust

mod config;
mod control;
pub mod doctor;
mod faults;
mod halt;
mod http;
mod operations;
mod page;
mod rng;
mod sandbox;
mod server;
mod service;
mod serving;
mod wire;

pub use config::{Require, SandboxConfig, TokenLimit};
pub use faults::cancellation::PayoutCancellation;
pub use faults::large::Large;
pub use faults::script::{FaultScript, Times};
pub use faults::{At, Edit, EndlessFraming, Fault, FaultKind};
pub use http::response::Response;
pub use sandbox::Sandbox;
pub use service::ledger::{
    MoveError, Payer, PaymentMeans, PaymentRecord, PayoutRecord, RefundRecord, TrackingRecord,
};
pub use service::request_log::{IntegrationKeyCheck, RequestRecord};
pub use service::signature::SignatureCheck;
pub use service::stats::Stats;
pub use service::status::{PaymentStatus, PayoutStatus, RefundStatus};
pub use service::tokens::{BearerCheck, TokenBlock};
