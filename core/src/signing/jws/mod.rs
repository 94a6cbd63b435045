//! Detached JWS signatures: making and verifying them.
//!
//! The token in `X-JWS-Signature` consists of the encoded protected header, two
//! periods and the encoded signature. The signature covers the encoded header,
//! one period and the exact bytes of the body (RFC 7797, `b64` is false).
//!
//! Interface, "Detached JWS request signing".

mod public_key;
pub mod sign;
mod verify;

pub use crate::model::diagnosis::{Cause, Diagnosis, Finding};
pub use public_key::PublicKey;
pub use verify::{Refusal, Verified, sections, verify};
