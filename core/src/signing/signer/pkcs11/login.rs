// Generated from spec/errors by generate/templates/login.rs.jinja; do not edit. To update: cargo xtask generate

//! The meanings of the return codes of C_Login.

use std::fmt::Display;

use cryptoki::error::RvError;

use crate::model::error::{Error, messages};

/// The error for `code`, whose name in the standard is `ckr`. `path` is the
/// member that holds the PIN. `None` if the code says nothing about the PIN.
pub(super) fn refused(code: &RvError, path: &str, label: &str, ckr: impl Display) -> Option<Error> {
    Some(match code {
        RvError::PinIncorrect | RvError::PinInvalid | RvError::PinLenRange => {
            messages::pkcs11_pin_wrong(path, label, ckr)
        }
        RvError::PinLocked => messages::pkcs11_pin_locked(path, label),
        RvError::PinExpired => messages::pkcs11_pin_expired(path, label),
        RvError::UserPinNotInitialized => messages::pkcs11_pin_unset(path, label),
        RvError::UserAnotherAlreadyLoggedIn => messages::pkcs11_other_user(path),
        _ => return None,
    })
}
