//! Signatures and signing keys.

mod jws_verify;
mod key_bounds;
mod key_forms;
mod key_loading;
mod key_texts;
mod pkcs11;
mod pkcs11_refusals;
mod pkcs11_sessions;
mod pkcs11_trials;
mod signing_known_answers;
