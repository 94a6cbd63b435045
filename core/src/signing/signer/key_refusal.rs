//! Why a private key cannot be used. No message contains any part of the key.

use payments_base::pem::form::{Algorithm, Form};
use payments_base::pem::{Fault, Foreign, Use};

use crate::model::error::{Error, ErrorCode, Reason, messages};

/// The modulus size that the interface requires, and the largest that the `rsa`
/// crate verifies.
const EXPECTED_BITS: usize = 4096;
/// Smaller keys are refused even with `allow_small_keys`.
const SMALLEST_BITS: usize = 2048;

/// Why a document is not an RSA private key.
pub(super) fn error_of_form(form: Form) -> Error {
    match form {
        Form::Spki(_) | Form::Pkcs1Public => messages::key_is_public().because(Reason::PublicKey),
        Form::Pkcs8(Algorithm::Ec) | Form::Sec1 => messages::key_is_ec(),
        Form::Pkcs8(Algorithm::Ed25519) => messages::key_is_ed25519(),
        Form::Pkcs8(Algorithm::RsaPss) => messages::key_is_pss(),
        Form::Pkcs8(Algorithm::Rsa) | Form::Pkcs1 => Error::config(
            "key",
            ErrorCode::KEY_UNREADABLE,
            "this RSA private key is not encoded as PKCS#1 demands; export it again from where it \
             was made",
        ),
        Form::Pkcs8(_) => error_of_wrong_kind(
            "this private key is for another algorithm; requests are signed with RS256, which needs \
             an RSA key of 4096 bits: create one",
        ),
        Form::Certificate => messages::key_is_certificate(),
        Form::CertificateRequest => messages::key_is_certificate_request(),
        Form::Pkcs7 => error_of_foreign(Foreign::Pkcs7),
        Form::Pkcs12 => messages::key_is_pkcs12(),
        Form::Truncated => error_of_fault(Fault::Incomplete),
        Form::TrailingBytes => messages::key_trailing_bytes(),
        Form::EncryptedPkcs8 | Form::Unknown => messages::key_not_recognized(),
    }
}

/// A private key that is complete but cannot sign. `what` describes it and ends
/// in the advice to create another one.
pub(super) fn error_of_wrong_kind(what: &str) -> Error {
    let message = format!("{what} with `payments keygen` and have its public key registered");
    Error::config("key", ErrorCode::KEY_WRONG_KIND, message)
}

/// Why the contents of a PEM block are not a key.
pub(super) fn error_of_fault(fault: Fault) -> Error {
    let code = match fault {
        Fault::Incomplete => ErrorCode::KEY_UNREADABLE,
        Fault::LegacyEncrypted => return messages::key_legacy_encrypted(),
        Fault::EscapedLineEnds => return messages::key_line_ends(),
        Fault::PlusLost | Fault::NotBase64 => ErrorCode::KEY_UNREADABLE,
    };
    Error::config("key", code, fault.message("key"))
}

/// Why a text that is neither PEM nor DER is not a key.
pub(super) fn error_of_foreign(foreign: Foreign) -> Error {
    let code = match foreign {
        Foreign::Empty => return messages::key_empty(),
        Foreign::Jwk { is_private: false, .. } | Foreign::OpenSshPublic => {
            return messages::key_is_public().because(Reason::PublicKey);
        }
        Foreign::Jwk { algorithm: Algorithm::Rsa, .. } | Foreign::Json => ErrorCode::KEY_UNREADABLE,
        Foreign::Jwk { algorithm, .. } => return error_of_form(Form::Pkcs8(algorithm)),
        Foreign::Putty => return messages::key_is_putty(),
        Foreign::Path => return messages::key_is_path(),
        Foreign::Unknown => return messages::key_not_recognized(),
        Foreign::Utf16(_) => ErrorCode::KEY_UNREADABLE,
        _ => ErrorCode::KEY_UNREADABLE,
    };
    Error::config("key", code, foreign.message(Use::PrivateKey))
}

/// Why an RSA key of this size cannot be used, if it cannot. `path` is the
/// member that names the key, and `how` says how to make another.
pub(super) fn refused_size(
    path: &str,
    bits: usize,
    allow_small_keys: bool,
    how: &str,
) -> Option<Error> {
    match bits {
        EXPECTED_BITS => None,
        ..SMALLEST_BITS => Some(messages::key_too_small(path, bits, how)),
        SMALLEST_BITS..EXPECTED_BITS if allow_small_keys => None,
        SMALLEST_BITS..EXPECTED_BITS => {
            Some(messages::key_small(path, bits, how).because(Reason::SmallKey))
        }
        _ => Some(messages::key_too_large(path, bits, how)),
    }
}

/// Whether a signature of an RSA key that may be used has this many bytes.
pub(crate) fn is_signature_length(bytes: usize, allow_small_keys: bool) -> bool {
    refused_size("", bytes.saturating_mul(8), allow_small_keys, "").is_none()
}
