//! Keys, signatures, and those who make them.

pub mod jws;
pub(crate) mod pem;
pub mod signer;
