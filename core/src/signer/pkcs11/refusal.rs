//! What is said when a key in a token cannot be used: what was found, what is
//! wanted, what to do. No message holds a PIN.

use std::path::Path;

use cryptoki::error::{Error as CryptokiError, RvError};
use cryptoki::object::{KeyType, ObjectClass};
use cryptoki::slot::{Slot, TokenInfo};

use super::key::KeyName;
use super::{KeyChoice, TokenChoice};
use crate::error::Error;
use crate::signer::SignerError;

/// How many tokens or keys a message names at most.
const NAMED: usize = 8;

fn module_refused(code: &'static str, message: impl Into<String>) -> Error {
    Error::config("pkcs11_module", code, message)
}

pub(super) fn module_missing(path: &Path, error: &std::io::Error) -> Error {
    module_refused(
        "pkcs11_module_missing",
        format!(
            "the module {} cannot be found ({}); give the path of the shared library that came \
             with the HSM",
            path.display(),
            error.kind()
        ),
    )
}

pub(super) fn module_not_a_file(path: &Path) -> Error {
    module_refused(
        "pkcs11_module_missing",
        format!(
            "{} is not a file; give the path of the shared library that came with the HSM",
            path.display()
        ),
    )
}

pub(super) fn module(path: &Path, error: &CryptokiError) -> Error {
    match error {
        CryptokiError::MissingSymbol(_) => module_refused(
            "pkcs11_module_foreign",
            format!(
                "{} is a shared library, but no PKCS#11 module: it has no C_GetFunctionList; give \
                 the library that came with the HSM",
                path.display()
            ),
        ),
        CryptokiError::LibraryLoading(why) => module_refused(
            "pkcs11_module_unloadable",
            format!(
                "the module {} cannot be loaded ({why}); give a shared library for this operating \
                 system and processor, with all the libraries that it needs",
                path.display()
            ),
        ),
        error => call(error),
    }
}

pub(super) fn initialization(error: &CryptokiError) -> Error {
    module_refused(
        "pkcs11_module_failed",
        format!(
            "the module cannot be initialized ({}); look at its own configuration and log",
            told(error)
        ),
    )
}

/// For calls of which no particular failure is expected.
pub(super) fn call(error: &CryptokiError) -> Error {
    module_refused(
        "pkcs11_failed",
        format!("the module failed ({}); look at its log and at the HSM", told(error)),
    )
}

pub(super) fn signing(error: &CryptokiError) -> SignerError {
    SignerError::new(format!("the HSM made no signature ({})", told(error)))
}

pub(super) fn mechanism_missing() -> Error {
    module_refused(
        "pkcs11_mechanism_missing",
        "the token has neither CKM_SHA256_RSA_PKCS nor CKM_RSA_PKCS; requests are signed with \
         RS256, which needs one of them",
    )
}

pub(super) fn no_session() -> Error {
    module_refused(
        "pkcs11_no_session",
        "the token has no session left (CKR_SESSION_COUNT); let other programs close theirs, or \
         lower pkcs11_sessions in each process",
    )
}

pub(super) fn token_unknown(wanted: &TokenChoice, found: &[(Slot, TokenInfo)]) -> Error {
    let found = tokens(found);
    match wanted {
        TokenChoice::Label(label) => Error::config(
            "pkcs11_token",
            "pkcs11_token_unknown",
            format!("there is no token labelled {label:?}; found: {found}"),
        ),
        TokenChoice::Slot(slot) => Error::config(
            "pkcs11_slot",
            "pkcs11_slot_unknown",
            format!("there is no slot {slot} with a token in it; found: {found}"),
        ),
    }
}

pub(super) fn token_uninitialized(found: &[(Slot, TokenInfo)]) -> Error {
    Error::config(
        "pkcs11_slot",
        "pkcs11_token_uninitialized",
        format!(
            "the token in this slot was never initialized, so it holds no key; found: {}",
            tokens(found)
        ),
    )
}

pub(super) fn token_ambiguous(found: &[(Slot, TokenInfo)]) -> Error {
    Error::config(
        "pkcs11_token",
        "pkcs11_token_ambiguous",
        format!(
            "several tokens have this label; name one by pkcs11_slot instead; found: {}",
            tokens(found)
        ),
    )
}

pub(super) fn pin_missing(token: &TokenInfo) -> Error {
    let what =
        format!("the token {:?} asks for a PIN; give pkcs11_pin or pkcs11_pin_file", token.label());
    Error::config("pkcs11_pin", "pkcs11_pin_missing", what)
}

pub(super) fn pin_refused_before(member: &str, token: &TokenInfo) -> Error {
    let what = format!(
        "the token {:?} refused this PIN before, and it is not tried again in this process, since \
         a token locks itself after a few wrong ones; give the right PIN and start anew",
        token.label()
    );
    Error::config(member, "pkcs11_pin_wrong", what)
}

pub(super) fn pin_locked(member: &str, token: &TokenInfo) -> Error {
    let what = format!(
        "the PIN of the token {:?} is locked after too many wrong ones; have the security officer \
         of the token set a new one",
        token.label()
    );
    Error::config(member, "pkcs11_pin_locked", what)
}

pub(super) fn pin_last_try(member: &str, token: &TokenInfo) -> Error {
    let what = format!(
        "the token {:?} locks itself at the next wrong PIN, so none is tried; log in once with \
         the tool of the HSM's maker, which sets the count back",
        token.label()
    );
    Error::config(member, "pkcs11_pin_last_try", what)
}

pub(super) fn login(error: &CryptokiError, member: &str, token: &TokenInfo) -> Error {
    let label = token.label();
    let code = match error {
        CryptokiError::Pkcs11(code, _) => code,
        error => return call(error),
    };
    match code {
        RvError::PinIncorrect | RvError::PinInvalid | RvError::PinLenRange => Error::config(
            member,
            "pkcs11_pin_wrong",
            format!(
                "the token {label:?} refuses this PIN ({}); give that of the token's user, not \
                 that of its security officer, without a line end or a space around it",
                name(code)
            ),
        ),
        RvError::PinLocked => pin_locked(member, token),
        RvError::PinExpired => Error::config(
            member,
            "pkcs11_pin_expired",
            format!("the PIN of the token {label:?} has expired; set a new one"),
        ),
        RvError::UserPinNotInitialized => Error::config(
            member,
            "pkcs11_pin_unset",
            format!(
                "the token {label:?} has no PIN for its user yet; have its security officer set one"
            ),
        ),
        RvError::UserAnotherAlreadyLoggedIn => Error::config(
            member,
            "pkcs11_other_user",
            "this process is logged in to the token as its security officer, who cannot sign; log \
             that one out",
        ),
        _ => call(error),
    }
}

fn key(choice: &KeyChoice, code: &'static str, message: String) -> Error {
    let member = if choice.label.is_some() { "pkcs11_key_label" } else { "pkcs11_key_id" };
    Error::config(member, code, message)
}

pub(super) fn key_unknown(choice: &KeyChoice, found: &[KeyName]) -> Error {
    let wanted = named(choice.label.as_deref(), choice.id.as_deref());
    let message =
        format!("there is no private key with {wanted} in the token; found: {}", keys(found));
    key(choice, "pkcs11_key_unknown", message)
}

pub(super) fn key_ambiguous(choice: &KeyChoice, found: &[KeyName]) -> Error {
    let message = format!(
        "several private keys match; name one by pkcs11_key_label and pkcs11_key_id together; \
         found: {}",
        keys(found)
    );
    key(choice, "pkcs11_key_ambiguous", message)
}

pub(super) fn key_of_other_class(choice: &KeyChoice, class: ObjectClass) -> Error {
    let what = match class {
        ObjectClass::PUBLIC_KEY => "a public key",
        ObjectClass::SECRET_KEY => "a secret key",
        ObjectClass::CERTIFICATE => "a certificate",
        _ => "another object",
    };
    let wanted = named(choice.label.as_deref(), choice.id.as_deref());
    let message = format!(
        "what has {wanted} in the token is {what} alone; an RSA private key that this user may \
         use is wanted"
    );
    key(choice, "pkcs11_key_not_private", message)
}

pub(super) fn key_not_rsa(choice: &KeyChoice, kind: KeyType) -> Error {
    let kind = match kind {
        KeyType::EC => "for an elliptic curve".to_owned(),
        KeyType::EC_EDWARDS => "an Edwards-curve key".to_owned(),
        kind => format!("of type {kind}"),
    };
    let message = format!(
        "this private key is {kind}; requests are signed with RS256, which needs an RSA key of \
         4096 bits"
    );
    key(choice, "pkcs11_key_not_rsa", message)
}

pub(super) fn key_cannot_sign(choice: &KeyChoice) -> Error {
    let message = "this private key is not for signing (CKA_SIGN is false); give one that is";
    key(choice, "pkcs11_key_cannot_sign", message.to_owned())
}

pub(super) fn key_asks_each_time(choice: &KeyChoice) -> Error {
    let message = "this private key asks for the PIN at every signature (CKA_ALWAYS_AUTHENTICATE), \
                   which is for people at a keypad; make one without that";
    key(choice, "pkcs11_key_asks_each_time", message.to_owned())
}

pub(super) fn key_too_small(choice: &KeyChoice, bits: usize) -> Error {
    let message = format!(
        "this RSA key has {bits} bits, which is not safe and is refused in any case; make one of \
         4096 bits in the token and have its public key registered"
    );
    key(choice, "key_too_small", message)
}

pub(super) fn key_small(choice: &KeyChoice, bits: usize) -> Error {
    let message = format!(
        "this RSA key has {bits} bits, and the service asks for 4096; make one in the token, or \
         set allow_small_keys if the provider did register this one"
    );
    key(choice, "key_small", message)
}

pub(super) fn key_too_large(choice: &KeyChoice, bits: usize) -> Error {
    let message = format!(
        "this RSA key has {bits} bits; the service asks for 4096, and larger ones cannot be \
         verified here: make one of 4096 bits in the token"
    );
    key(choice, "key_too_large", message)
}

/// Which function failed, and how, by the names of the standard.
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

fn tokens(found: &[(Slot, TokenInfo)]) -> String {
    let describe = |(slot, token): &(Slot, TokenInfo)| match token.token_initialized() {
        true => format!("{:?} in slot {slot}", token.label()),
        false => format!("an uninitialized one in slot {slot}"),
    };
    list(found.iter().map(describe), found.len())
}

fn keys(found: &[KeyName]) -> String {
    list(found.iter().map(|it| named(it.label.as_deref(), it.id.as_deref())), found.len())
}

fn named(label: Option<&str>, id: Option<&[u8]>) -> String {
    let hex = |id: &[u8]| id.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
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
