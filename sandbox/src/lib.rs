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

// ARCHITECTURE.md has their order: each imports only those below it.
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
pub use service::status::{PaymentStatus, RefundStatus};
pub use service::tokens::{BearerCheck, TokenBlock};
