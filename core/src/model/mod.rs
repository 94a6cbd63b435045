//! The service as values: JSON, operations, errors, events, requests and
//! responses. Nothing here waits, connects or signs.

pub mod amount;
pub mod card_guard;
pub mod currency;
pub(crate) mod diagnosis;
pub mod error;
pub(crate) mod error_code;
pub(crate) mod figures;
pub mod json;
pub(crate) mod lint;
pub mod observer;
pub mod operation;
#[cfg(feature = "qr")]
pub(crate) mod qr;
pub mod request;
pub(crate) mod response;
pub mod rules;
