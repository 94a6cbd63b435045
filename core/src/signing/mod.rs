//! Signatures and those who make them.

pub mod jws;
pub mod signer;
