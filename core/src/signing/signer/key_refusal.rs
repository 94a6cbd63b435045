//! Why a private key cannot be used. No message contains any part of the key.

use crate::model::error::{Error, messages};
use crate::signing::jws::key_form::{Algorithm, Form};

/// The modulus size that the interface requires, and the largest that the `rsa`
/// crate verifies.
const EXPECTED_BITS: usize = 4096;
/// Smaller keys are refused even with `allow_small_keys`.
const SMALLEST_BITS: usize = 2048;

/// Why a document is not an RSA private key.
pub(super) fn of_form(form: Form) -> Error {
    match form {
        Form::Spki(_) | Form::Pkcs1Public => messages::key_is_public(),
        Form::Pkcs8(Algorithm::Ec) | Form::Sec1 => messages::key_is_ec(),
        Form::Pkcs8(Algorithm::Ed25519) => messages::key_is_ed25519(),
        Form::Pkcs8(Algorithm::RsaPss) => messages::key_is_pss(),
        Form::Pkcs8(_) => messages::key_is_not_rsa(),
        Form::Certificate => messages::key_is_certificate(),
        Form::CertificateRequest => messages::key_is_certificate_request(),
        Form::Pkcs12 => messages::key_is_pkcs12(),
        Form::Truncated => messages::key_truncated(),
        Form::TrailingBytes => messages::key_trailing_bytes(),
        Form::EncryptedPkcs8 | Form::Pkcs1 | Form::Unknown => messages::key_not_recognized(),
    }
}

/// Why text without a PEM block is not a key.
pub(super) fn of_text(text: &str) -> Error {
    match text.trim() {
        "" => messages::key_empty(),
        text if text.starts_with('{') => messages::key_is_json(),
        text if text.starts_with("ssh-") => messages::key_is_public(),
        text if text.starts_with("PuTTY-User-Key-File-") => messages::key_is_putty(),
        text if is_path(text) => messages::key_is_path(),
        _ => messages::key_not_recognized(),
    }
}

/// Whether the text looks like the path of a file.
fn is_path(text: &str) -> bool {
    const LONGEST: usize = 255;
    const ENDINGS: [&str; 5] = [".pem", ".der", ".key", ".p8", ".pk8"];
    let begins = ["/", "./", "../", "~/"].iter().any(|it| text.starts_with(it));
    let ends = ENDINGS.iter().any(|it| text.ends_with(it));
    text.len() <= LONGEST && !text.contains('\n') && (begins || ends)
}

/// Why an RSA key of this size cannot be used, if it cannot. `path` is the
/// member that names the key, and `how` says how to make another.
pub(super) fn of_size(path: &str, bits: usize, allow_small_keys: bool, how: &str) -> Option<Error> {
    match bits {
        EXPECTED_BITS => None,
        ..SMALLEST_BITS => Some(messages::key_too_small(path, bits, how)),
        SMALLEST_BITS..EXPECTED_BITS if allow_small_keys => None,
        SMALLEST_BITS..EXPECTED_BITS => Some(messages::key_small(path, bits, how)),
        _ => Some(messages::key_too_large(path, bits, how)),
    }
}

/// Whether a signature of an RSA key that may be used has this many bytes.
pub(crate) fn is_signature_length(bytes: usize, allow_small_keys: bool) -> bool {
    of_size("", bytes.saturating_mul(8), allow_small_keys, "").is_none()
}
