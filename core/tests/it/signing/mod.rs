//! Signatures and signing keys.

mod jws_doctor;
mod jws_verify;
mod key_loading;
mod pkcs11;
mod pkcs11_refusals;
mod signing_known_answers;
