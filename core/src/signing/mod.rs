//! Keys, signatures and signers.

pub mod jws;
pub(crate) mod pem;
pub mod signer;
