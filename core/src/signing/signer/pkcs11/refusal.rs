//! Why a key in a token cannot be used: what was found, what is expected, what
//! to do. Messages never contain a PIN.

use std::path::Path;

use cryptoki::error::{Error as CryptokiError, RvError};
use cryptoki::object::{KeyType, ObjectClass};
use cryptoki::slot::{Slot, TokenInfo};

use super::{KeyChoice, TokenChoice};
use crate::base::hex::hex;
use crate::model::error::Error;
use crate::signing::signer::SignerError;
use crate::signing::signer::key_refusal;

/// The maximum number of tokens or keys that a message names.
const NAMED: usize = 8;

/// The label and id of a key, for messages.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeyName {
    pub(super) label: Option<String>,
    pub(super) id: Option<Vec<u8>>,
}

/// The error for a failing module, or for an unknown cause.
pub(super) fn module(code: &'static str, message: impl Into<String>) -> Error {
    Error::config("pkcs11_module", code, message)
}

pub(super) fn module_missing(what: impl std::fmt::Display) -> Error {
    let message = format!("{what}; give the path of the shared library that came with the HSM");
    module("pkcs11_module_missing", message)
}

pub(super) fn loading(path: &Path, error: &CryptokiError) -> Error {
    let path = path.display();
    match error {
        CryptokiError::MissingSymbol(_) => module(
            "pkcs11_module_foreign",
            format!(
                "{path} is a shared library, but not a PKCS#11 module (it has no \
                 C_GetFunctionList); give the library that came with the HSM"
            ),
        ),
        CryptokiError::LibraryLoading(why) => module(
            "pkcs11_module_unloadable",
            format!(
                "could not load the module {path} ({why}); give a shared library for this \
                 operating system and processor, and install the libraries that it needs"
            ),
        ),
        error => call(error),
    }
}

pub(super) fn initialization(error: &CryptokiError) -> Error {
    let message = format!(
        "could not initialize the module ({}); check its own configuration and log",
        told(error)
    );
    module("pkcs11_module_failed", message)
}

/// The error for calls that should not fail.
pub(super) fn call(error: &CryptokiError) -> Error {
    let message = format!("the module failed ({}); check its log and the HSM", told(error));
    module("pkcs11_failed", message)
}

pub(super) fn signing(error: &CryptokiError) -> SignerError {
    SignerError::new(format!("the HSM could not sign ({})", told(error)))
}

pub(super) fn no_session() -> Error {
    module(
        "pkcs11_no_session",
        "the token has no session left (CKR_SESSION_COUNT); close those of other programs, or \
         lower pkcs11_sessions in each process",
    )
}

/// The error when none of the tokens `found`, or more than one, matches.
pub(super) fn token(wanted: &TokenChoice, matches: usize, found: &[(Slot, TokenInfo)]) -> Error {
    let (member, code, what) = match wanted {
        TokenChoice::Label(_) if matches > 0 => (
            "pkcs11_token",
            "pkcs11_token_ambiguous",
            "several tokens have this label; set pkcs11_slot instead".to_owned(),
        ),
        TokenChoice::Slot(_) if matches > 0 => (
            "pkcs11_slot",
            "pkcs11_token_uninitialized",
            "the token in this slot is not initialized, so it has no key; name another slot"
                .to_owned(),
        ),
        TokenChoice::Label(label) => {
            ("pkcs11_token", "pkcs11_token_unknown", format!("there is no token labeled {label:?}"))
        }
        TokenChoice::Slot(slot) => (
            "pkcs11_slot",
            "pkcs11_slot_unknown",
            format!("there is no slot {slot} with a token in it"),
        ),
    };
    let describe = |(slot, token): &(Slot, TokenInfo)| match token.token_initialized() {
        true => format!("{:?} in slot {slot}", token.label()),
        false => format!("an uninitialized token in slot {slot}"),
    };
    let found = list(found.iter().map(describe), found.len());
    Error::config(member, code, format!("{what}; found: {found}"))
}

pub(super) fn login(error: &CryptokiError, member: &str, label: &str) -> Error {
    let CryptokiError::Pkcs11(reason, _) = error else {
        return call(error);
    };
    let (code, message) = match reason {
        RvError::PinIncorrect | RvError::PinInvalid | RvError::PinLenRange => (
            "pkcs11_pin_wrong",
            format!(
                "the token {label:?} refuses this PIN ({}); set the PIN of the token's user, not \
                 of its security officer, without a line break or spaces around it",
                name(reason)
            ),
        ),
        RvError::PinLocked => return pin_locked(member, label),
        RvError::PinExpired => (
            "pkcs11_pin_expired",
            format!(
                "the PIN of the token {label:?} has expired; set a new one with the HSM vendor's \
                 tool"
            ),
        ),
        RvError::UserPinNotInitialized => (
            "pkcs11_pin_unset",
            format!("the token {label:?} has no user PIN yet; have its security officer set one"),
        ),
        RvError::UserAnotherAlreadyLoggedIn => (
            "pkcs11_other_user",
            "this process is logged in to the token as its security officer, who cannot sign; \
             log the security officer out"
                .to_owned(),
        ),
        _ => return call(error),
    };
    Error::config(member, code, message)
}

pub(super) fn pin_locked(member: &str, label: &str) -> Error {
    let message = format!(
        "the PIN of the token {label:?} is locked after too many wrong PINs; have the token's \
         security officer set a new one"
    );
    Error::config(member, "pkcs11_pin_locked", message)
}

pub(super) fn key(choice: &KeyChoice, code: &'static str, message: impl Into<String>) -> Error {
    let member = if choice.label.is_some() { "pkcs11_key_label" } else { "pkcs11_key_id" };
    Error::config(member, code, message)
}

/// The error when no private key matches. An object of another `class` may.
pub(super) fn key_unknown(
    choice: &KeyChoice,
    class: Option<ObjectClass>,
    found: impl FnOnce() -> Vec<KeyName>,
) -> Error {
    let wanted = named(choice.label.as_deref(), choice.id.as_deref());
    let what = match class {
        None => {
            let found = keys(&found());
            let message = format!("the token has no private key with {wanted}; found: {found}");
            return key(choice, "pkcs11_key_unknown", message);
        }
        Some(ObjectClass::PUBLIC_KEY) => "a public key",
        Some(ObjectClass::SECRET_KEY) => "a secret key",
        Some(ObjectClass::CERTIFICATE) => "a certificate",
        Some(_) => "another object",
    };
    let message = format!(
        "the object with {wanted} is {what}; name an RSA private key that this user may use"
    );
    key(choice, "pkcs11_key_not_private", message)
}

pub(super) fn key_not_rsa(choice: &KeyChoice, kind: KeyType) -> Error {
    let kind = match kind {
        KeyType::EC => "an elliptic-curve key".to_owned(),
        KeyType::EC_EDWARDS => "an Edwards-curve key".to_owned(),
        kind => format!("a key of type {kind}"),
    };
    let message = format!(
        "this private key is {kind}; requests are signed with RS256, which needs an RSA key of \
         4096 bits"
    );
    key(choice, "pkcs11_key_not_rsa", message)
}

/// The error for a key of an unusable size.
pub(super) fn key_size(choice: &KeyChoice, bits: usize, allow_small_keys: bool) -> Option<Error> {
    key_refusal::of_size(bits, allow_small_keys, "in the token")
        .map(|(code, message)| key(choice, code, message))
}

pub(super) fn keys(found: &[KeyName]) -> String {
    list(found.iter().map(|it| named(it.label.as_deref(), it.id.as_deref())), found.len())
}

/// The function that failed and its return code, as named in the standard.
fn told(error: &CryptokiError) -> String {
    match error {
        CryptokiError::Pkcs11(code, function) => format!("C_{function:?}: {}", name(code)),
        error => error.to_string(),
    }
}

/// The standard's name of a code: `PinIncorrect` is `CKR_PIN_INCORRECT`.
fn name(code: &RvError) -> String {
    if let RvError::VendorDefined(number) | RvError::UnknownErrorCode(number) = code {
        return format!("code {number:#x}");
    }
    format!("{code:?}").chars().fold("CKR".to_owned(), |mut name, letter| {
        if letter.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
        name
    })
}

fn named(label: Option<&str>, id: Option<&[u8]>) -> String {
    match (label, id) {
        (Some(label), Some(id)) => format!("the label {label:?} and the id {}", hex(id)),
        (Some(label), None) => format!("the label {label:?}"),
        (None, Some(id)) => format!("the id {}", hex(id)),
        (None, None) => "neither label nor id".to_owned(),
    }
}

fn list(items: impl Iterator<Item = String>, count: usize) -> String {
    if count == 0 {
        return "none".to_owned();
    }
    let mut text = items.take(NAMED).collect::<Vec<_>>().join(", ");
    if count > NAMED {
        text.push_str(&format!(" and {} more", count - NAMED));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_named_as_in_the_standard() {
        assert_eq!(name(&RvError::PinIncorrect), "CKR_PIN_INCORRECT");
        assert_eq!(name(&RvError::CryptokiNotInitialized), "CKR_CRYPTOKI_NOT_INITIALIZED");
        assert_eq!(name(&RvError::VendorDefined(0x8000_0001)), "code 0x80000001");
    }

    #[test]
    fn long_lists_are_cut() {
        let text = list((0..20).map(|n| n.to_string()), 20);
        assert_eq!(text, "0, 1, 2, 3, 4, 5, 6, 7 and 12 more");
        assert_eq!(list(std::iter::empty(), 0), "none");
    }
}
