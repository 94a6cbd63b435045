//! Why a key in a token cannot be used: what was found, what is expected, what
//! to do. Messages never contain a PIN.

use std::path::Path;

use cryptoki::error::{Error as CryptokiError, RvError};
use cryptoki::mechanism::MechanismType;
use cryptoki::object::{KeyType, ObjectClass};
use cryptoki::slot::{Slot, TokenInfo};
use payments_base::hex::hex;
use payments_base::spelling::remoteness;

use super::{KeyChoice, TokenChoice, Way, login, unpadded};
use crate::model::error::{Error, ErrorCode, messages};
use crate::signing::signer::{SignerError, key_refusal};

/// The maximum number of tokens or keys that a message names.
const NAMED: usize = 8;

/// A way that did not work: a wrong signature, or the module's error.
pub(super) type Attempt = (Way, Result<Vec<u8>, CryptokiError>);

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
    messages::pkcs11_module_failed(reason_of(error))
}

/// The error for calls that should not fail.
pub(super) fn call(error: &CryptokiError) -> Error {
    messages::pkcs11_failed(reason_of(error))
}

pub(super) fn signing(error: &CryptokiError) -> SignerError {
    SignerError::new(format!(
        "the HSM could not sign ({}); check its log and the network to it",
        reason_of(error)
    ))
}

/// The error when none of the tokens `found`, or more than one, matches.
pub(super) fn token(wanted: &TokenChoice, matches: usize, found: &[(Slot, TokenInfo)]) -> Error {
    let found = tokens(wanted, found);
    match wanted {
        TokenChoice::Label(_) if matches > 0 => messages::pkcs11_token_ambiguous(found),
        TokenChoice::Slot(_) if matches > 0 => messages::pkcs11_token_uninitialized(found),
        TokenChoice::Label(label) => messages::pkcs11_token_unknown(label, found),
        TokenChoice::Slot(slot) => messages::pkcs11_slot_unknown(slot, found),
    }
}

/// The error when a token that was used before is not found.
pub(super) fn token_gone(wanted: &TokenChoice, found: &[(Slot, TokenInfo)]) -> Error {
    messages::pkcs11_token_gone(tokens(wanted, found))
}

/// Tokens for a message, the nearest label first.
fn tokens(wanted: &TokenChoice, found: &[(Slot, TokenInfo)]) -> String {
    let describe = |(slot, token): &(Slot, TokenInfo)| {
        if token.token_initialized() {
            let label = unpadded(token.label());
            format!("{label:?} in slot {slot}")
        } else {
            format!("an uninitialized token in slot {slot}")
        }
    };
    let mut nearest: Vec<_> = found.iter().collect();
    if let TokenChoice::Label(label) = wanted {
        nearest.sort_by_key(|(_, token)| remoteness(label, unpadded(token.label())));
    }
    list(nearest.into_iter().map(describe), found.len())
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

/// The error for a key of this size, if it is refused.
pub(super) fn refused_size(
    choice: &KeyChoice,
    bits: usize,
    allow_small_keys: bool,
) -> Option<Error> {
    key_refusal::refused_size(member(choice), bits, allow_small_keys, "in the token")
}

/// The error when no private key matches. An object of another `class` may.
pub(super) fn key_unknown(
    choice: &KeyChoice,
    class: Option<ObjectClass>,
    found: impl FnOnce() -> Vec<KeyName>,
) -> Error {
    let (member, wanted) = (member(choice), named(choice.label.as_deref(), choice.id.as_deref()));
    let what = match class {
        None => return messages::pkcs11_key_unknown(member, wanted, keys(choice, &found())),
        Some(ObjectClass::PUBLIC_KEY) => "a public key",
        Some(ObjectClass::SECRET_KEY) => "a secret key",
        Some(ObjectClass::CERTIFICATE) => "a certificate",
        Some(_) => "another object",
    };
    messages::pkcs11_key_not_private(member, wanted, what)
}

/// The error when no private key matches, and one did before.
pub(super) fn key_gone(choice: &KeyChoice) -> Error {
    let wanted = named(choice.label.as_deref(), choice.id.as_deref());
    messages::pkcs11_key_gone(member(choice), wanted)
}

pub(super) fn key_not_rsa(choice: &KeyChoice, kind: KeyType) -> Error {
    let what = match kind {
        KeyType::EC => "an elliptic-curve key".to_owned(),
        KeyType::EC_EDWARDS => "an Edwards-curve key".to_owned(),
        kind => format!("a key of type {kind}"),
    };
    messages::pkcs11_key_not_rsa(member(choice), what)
}

/// The error when several private keys match.
pub(super) fn key_ambiguous(choice: &KeyChoice, found: &[KeyName]) -> Error {
    let count = |key: &KeyName| found.iter().filter(|it| *it == key).count();
    let is_told_by = |has: fn(&KeyName) -> bool| found.iter().any(|it| has(it) && count(it) == 1);
    let remedy = match choice {
        KeyChoice { id: None, .. } if is_told_by(|key| key.id.is_some()) => {
            "set pkcs11_key_id too, to select one"
        }
        KeyChoice { label: None, .. } if is_told_by(|key| key.label.is_some()) => {
            "set pkcs11_key_label too, to select one"
        }
        _ => "no label or id tells them apart, so delete or rename one",
    };
    messages::pkcs11_key_ambiguous(member(choice), remedy, keys(choice, found))
}

/// The error for a key that may be used with none of our mechanisms that its token
/// offers.
pub(super) fn key_restricted(choice: &KeyChoice, allowed: &[MechanismType]) -> Error {
    let names = list(allowed.iter().map(ToString::to_string), allowed.len());
    let why = format!(
        "its CKA_ALLOWED_MECHANISMS are {names}; RS256 needs CKM_SHA256_RSA_PKCS or CKM_RSA_PKCS, \
         by key and token: allow one, or name another key"
    );
    messages::pkcs11_key_cannot_sign(member(choice), why)
}

/// The error for a key that did not sign when it was tried.
pub(super) fn trial(choice: &KeyChoice, attempts: &[Attempt]) -> Error {
    let described = attempts.iter().map(|(way, result)| match result {
        Ok(_) => format!("its signature by {} does not verify", way.mechanism_type()),
        Err(error) => format!("{} was refused ({})", way.mechanism_type(), reason_of(error)),
    });
    let what = described.collect::<Vec<_>>().join(", ");
    let remedy = if attempts.iter().all(|(_, result)| result.is_ok()) {
        "set public_key if the token shows that of another key"
    } else {
        "allow it to sign with one of them"
    };
    let why = format!("{what}; {remedy}, or name another key");
    messages::pkcs11_key_cannot_sign(member(choice), why)
}

/// The error for a configured public key that does not verify the signatures of the key.
pub(super) fn public_key_of_another() -> Error {
    let message = "the private key signs, but public_key does not verify its signature: it \
                   belongs to another key; set the one that belongs to this private key, or \
                   remove it if the token reveals its own";
    Error::config("public_key", ErrorCode::SIGNATURE_INVALID, message)
}

/// Keys for a message: the nearest label first, then in order, since a module
/// lists them in any.
fn keys(wanted: &KeyChoice, found: &[KeyName]) -> String {
    let rated = found.iter().map(|key| {
        let labels = wanted.label.as_deref().zip(key.label.as_deref());
        let far = labels.map(|(wanted, own)| remoteness(wanted, own));
        (far.unwrap_or((usize::MAX, 0)), named(key.label.as_deref(), key.id.as_deref()))
    });
    let mut rated: Vec<_> = rated.collect();
    rated.sort_unstable();
    list(rated.into_iter().map(|(_, name)| name), found.len())
}

/// The function that failed and its return code, as named in the standard.
fn reason_of(error: &CryptokiError) -> String {
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
