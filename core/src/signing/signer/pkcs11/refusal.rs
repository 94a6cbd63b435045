//! Why a key in a token cannot be used: what was found, what is expected, what
//! to do. Messages never contain a PIN.

use std::path::Path;

use cryptoki::error::{Error as CryptokiError, RvError};
use cryptoki::object::{KeyType, ObjectClass};
use cryptoki::slot::{Slot, TokenInfo};

use super::{KeyChoice, TokenChoice, login};
use crate::base::hex::hex;
use crate::model::error::{Error, messages};
use crate::signing::signer::SignerError;

/// The maximum number of tokens or keys that a message names.
const NAMED: usize = 8;

/// The label and id of a key, for messages.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeyName {
    pub(super) label: Option<String>,
    pub(super) id: Option<Vec<u8>>,
}

pub(super) fn loading(path: &Path, error: &CryptokiError) -> Error {
    match error {
        CryptokiError::MissingSymbol(_) => messages::pkcs11_module_foreign(path.display()),
        CryptokiError::LibraryLoading(why) => {
            messages::pkcs11_module_unloadable(path.display(), why)
        }
        error => call(error),
    }
}

pub(super) fn initialization(error: &CryptokiError) -> Error {
    messages::pkcs11_module_failed(told(error))
}

/// The error for calls that should not fail.
pub(super) fn call(error: &CryptokiError) -> Error {
    messages::pkcs11_failed(told(error))
}

pub(super) fn signing(error: &CryptokiError) -> SignerError {
    SignerError::new(format!(
        "the HSM could not sign ({}); check its log and the network to it",
        told(error)
    ))
}

/// The error when none of the tokens `found`, or more than one, matches.
pub(super) fn token(wanted: &TokenChoice, matches: usize, found: &[(Slot, TokenInfo)]) -> Error {
    let describe = |(slot, token): &(Slot, TokenInfo)| match token.token_initialized() {
        true => format!("{:?} in slot {slot}", token.label()),
        false => format!("an uninitialized token in slot {slot}"),
    };
    let found = list(found.iter().map(describe), found.len());
    match wanted {
        TokenChoice::Label(_) if matches > 0 => messages::pkcs11_token_ambiguous(found),
        TokenChoice::Slot(_) if matches > 0 => messages::pkcs11_token_uninitialized(found),
        TokenChoice::Label(label) => messages::pkcs11_token_unknown(label, found),
        TokenChoice::Slot(slot) => messages::pkcs11_slot_unknown(slot, found),
    }
}

/// The error for a refused login; `member` holds the PIN.
pub(super) fn login(error: &CryptokiError, member: &str, label: &str) -> Error {
    let refused = match error {
        CryptokiError::Pkcs11(code, _) => login::refused(code, member, label, name(code)),
        _ => None,
    };
    refused.unwrap_or_else(|| call(error))
}

/// The member that chooses the key.
pub(super) fn member(choice: &KeyChoice) -> &'static str {
    if choice.label.is_some() { "pkcs11_key_label" } else { "pkcs11_key_id" }
}

/// The error when no private key matches. An object of another `class` may.
pub(super) fn key_unknown(
    choice: &KeyChoice,
    class: Option<ObjectClass>,
    found: impl FnOnce() -> Vec<KeyName>,
) -> Error {
    let (member, wanted) = (member(choice), named(choice.label.as_deref(), choice.id.as_deref()));
    let what = match class {
        None => return messages::pkcs11_key_unknown(member, wanted, keys(&found())),
        Some(ObjectClass::PUBLIC_KEY) => "a public key",
        Some(ObjectClass::SECRET_KEY) => "a secret key",
        Some(ObjectClass::CERTIFICATE) => "a certificate",
        Some(_) => "another object",
    };
    messages::pkcs11_key_not_private(member, wanted, what)
}

pub(super) fn key_not_rsa(choice: &KeyChoice, kind: KeyType) -> Error {
    let what = match kind {
        KeyType::EC => "an elliptic-curve key".to_owned(),
        KeyType::EC_EDWARDS => "an Edwards-curve key".to_owned(),
        kind => format!("a key of type {kind}"),
    };
    messages::pkcs11_key_not_rsa(member(choice), what)
}

pub(super) fn keys(found: &[KeyName]) -> String {
    // A module lists them in any order.
    let names = found.iter().map(|it| named(it.label.as_deref(), it.id.as_deref()));
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    list(names.into_iter(), found.len())
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
