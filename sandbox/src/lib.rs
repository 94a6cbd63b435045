//! The payments service as its interface describes it, on loopback.
//!
//! It verifies detached JWS signatures against registered keys, issues and
//! checks bearer tokens, keeps payments, refunds, payouts, and trackings, and
//! responds to failed authentication with a 401 and an empty body. Its control
//! API under `/sandbox/`, and the methods of [`Sandbox`], do what the interface
//! leaves to the provider: register a key, confirm a payment, show why a
//! request was refused, and inject faults. [`doctor`] finds the mistake in a
//! signature.
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

mod authorization;
mod banner;
mod clock;
mod config;
mod connection;
mod control;
mod control_settings;
mod credentials;
mod decimal;
pub mod doctor;
mod edit;
mod fault_json;
mod fault_names;
mod fault_queue;
mod fault_script;
mod faults;
mod halt;
mod http;
mod inbound;
mod json_form;
mod large;
mod ledger;
mod operations;
mod origin;
mod page;
mod parameters;
mod pix;
mod request_log;
mod response;
mod rng;
mod sandbox;
mod server;
mod service;
mod serving;
mod shape;
mod signature;
mod state;
mod stats;
mod status;
mod tokens;
mod wire;

pub use config::{Require, SandboxConfig, TokenLimit};
pub use fault_script::{FaultScript, Times};
pub use faults::{At, Edit, EndlessFraming, Fault, FaultKind};
pub use large::Large;
pub use ledger::{
    MoveError, Payer, PaymentMeans, PaymentRecord, PayoutRecord, RefundRecord, TrackingRecord,
};
pub use request_log::{IntegrationKeyCheck, RequestRecord};
pub use response::Response;
pub use sandbox::Sandbox;
pub use signature::SignatureCheck;
pub use stats::Stats;
pub use status::{PaymentStatus, RefundStatus};
pub use tokens::{BearerCheck, TokenBlock};
