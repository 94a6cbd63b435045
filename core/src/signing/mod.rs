//! Keys, signatures and signers.
//!
//! - `jws/`: makes and verifies detached signatures
//! - `signer/`: a local key, a key in an HSM (`pkcs11/`), or the caller's own
//!   signer

pub mod jws;
pub mod signer;
