//! The service as values: JSON, operations, errors, events, requests and
//! responses. Nothing here waits, connects or signs.
//!
//! - `request/`: requests, their rules, and how responses are read
//! - `response.rs`: a response as received, and as other languages see it
//! - `operation/`: the table of operations, and of the objects in their
//!   requests
//! - `json/`, `amount.rs`, `figures.rs`: trees and amounts with numbers as text,
//!   and amounts as people write them
//! - `rules.rs`, `rules/`: the settings that requests and responses depend on
//! - `error/`, `error_code.rs`, `error_code/`, `diagnosis.rs`, `diagnosis/`:
//!   the one error type, its codes, and the causes of a refusal
//! - `observer/`: events
//! - `card_guard.rs`, `forms.rs`: refuses raw card numbers; the forms of tax documents
//! - `methods.rs`, `methods/`: the payment methods that were seen
//! - `qr.rs`: the code of a payment as a picture

pub mod amount;
pub mod card_guard;
pub(crate) mod diagnosis;
pub mod error;
pub(crate) mod error_code;
pub(crate) mod figures;
pub mod forms;
pub mod json;
pub mod methods;
pub mod observer;
pub mod operation;
#[cfg(feature = "qr")]
pub(crate) mod qr;
pub mod request;
pub(crate) mod response;
pub mod rules;
