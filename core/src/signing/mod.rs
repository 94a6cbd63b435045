//! Keys, signatures and signers.
//!
//! - `pem/`: reads PEM, base64 and DER of keys and certificates
//! - `jws/`: makes and verifies detached signatures
//! - `signer/`: a local key, a key in an HSM (`pkcs11/`), or the caller's own
//!   signer

pub mod jws;
pub(crate) mod pem;
pub mod signer;
