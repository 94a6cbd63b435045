//! Signatures and signing keys.

mod jws_verify;
mod key_bounds;
mod key_forms;
mod key_loading;
mod key_texts;
#[cfg(feature = "pkcs11")]
mod pkcs11;
#[cfg(feature = "pkcs11")]
mod pkcs11_refusals;
#[cfg(feature = "pkcs11")]
mod pkcs11_sessions;
#[cfg(feature = "pkcs11")]
mod pkcs11_trials;
mod signing_known_answers;
