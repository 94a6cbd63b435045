//! Detached JWS signatures: making, verifying and diagnosing them.
//!
//! The token in `X-JWS-Signature` consists of the encoded protected header, two
//! periods and the encoded signature. The signature covers the encoded header,
//! one period and the exact bytes of the body (RFC 7797, `b64` is false).
//!
//! Interface, "Detached JWS request signing".

mod doctor;
pub(crate) mod key_form;
mod near_miss;
pub(crate) mod pem;
mod public_key;
mod rewriting;
pub mod sign;
mod verify;

pub use crate::model::diagnosis::{Cause, Diagnosis, Finding};
pub use doctor::{KnownKey, doctor, signed_payload};
pub(crate) use public_key::DIGEST_INFO_SHA256;
pub use public_key::PublicKey;
pub use verify::{Refusal, Verified, verify};
