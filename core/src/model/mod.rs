//! The service as values: JSON, operations, errors, events, requests and
//! responses. Nothing here waits, connects or signs.

pub mod amount;
pub(crate) mod call_response;
pub mod card_guard;
pub mod currency;
pub(crate) mod diagnosis;
pub mod error;
pub mod json;
pub mod lint;
pub mod observer;
pub mod operation;
pub mod report;
pub mod request;
pub mod rules;
