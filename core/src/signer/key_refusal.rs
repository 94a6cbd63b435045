//! Messages for unusable keys: what was found, what is expected, what to do.
//! They never contain any part of the key.

use crate::error::Error;
use crate::jws::key_form::{Algorithm, Form};

/// A code and its message.
pub(super) type Reason = (&'static str, &'static str);

/// The modulus size that the interface requires, and the largest that the `rsa`
/// crate verifies.
const EXPECTED_BITS: usize = 4096;
/// Smaller keys are refused even with `allow_small_keys`.
const SMALLEST_BITS: usize = 2048;

const PUBLIC: Reason = (
    "key_is_public",
    "this is a public key, which cannot sign; give the RSA private key that belongs to it",
);
pub(super) const OPENSSH: Reason = (
    "key_is_openssh",
    "this private key is in OpenSSH's own format; convert a copy of it to PKCS#8 with \
     `ssh-keygen -p -m PKCS8 -f FILE`",
);
pub(super) const LEGACY_ENCRYPTED: Reason = (
    "key_legacy_encrypted",
    "this key uses the old PEM encryption (`Proc-Type: 4,ENCRYPTED`), which is weak; convert it \
     with `openssl pkcs8 -topk8 -in FILE -out private_key.pem`",
);
pub(super) const ENCRYPTION_UNSUPPORTED: Reason = (
    "key_encryption_unsupported",
    "the encryption of this key is not supported; convert it to PBES2 with AES and PBKDF2 \
     (HMAC-SHA-2) with `openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 -in FILE -out \
     private_key.pem`",
);
pub(super) const PASSPHRASE_MISSING: Reason =
    ("key_passphrase_missing", "the private key is encrypted; set its passphrase");
pub(super) const PASSPHRASE_WRONG: Reason = (
    "key_passphrase_wrong",
    "the passphrase does not decrypt the private key; check it for a trailing line break or \
     space, and that it belongs to this key",
);
pub(super) const TRUNCATED: Reason =
    ("key_truncated", "the key ends too early; copy it again, from its BEGIN line to its END line");
pub(super) const DAMAGED: Reason = (
    "key_damaged",
    "this RSA private key is damaged: its numbers do not match; restore it from a good copy",
);
pub(super) const ESCAPED_LINE_ENDS: Reason = (
    "key_line_ends",
    "line breaks are written as backslash and n; use real line breaks, or set key_file",
);
pub(super) const NOT_BASE64: Reason = (
    "key_not_base64",
    "the PEM block contains characters that are not base64; copy the key again without changes",
);
pub(super) const EMPTY: Reason =
    ("key_empty", "the key is empty; give an RSA private key as PEM or DER");
const NOT_RECOGNIZED: Reason = (
    "key_not_recognized",
    "this is not a private key; give an RSA private key of 4096 bits as PEM (`-----BEGIN PRIVATE \
     KEY-----`) or DER",
);

/// The error for a configured key.
pub(super) fn refused((code, message): Reason) -> Error {
    let member = if code.starts_with("key_passphrase") { "key_passphrase" } else { "key" };
    Error::config(member, code, message)
}

/// Why a document is not an RSA private key.
pub(super) fn of_form(form: Form) -> Reason {
    match form {
        Form::Spki(_) | Form::Pkcs1Public => PUBLIC,
        Form::Pkcs8(Algorithm::Ec) | Form::Sec1 => (
            "key_is_ec",
            "this is an elliptic-curve key; requests are signed with RS256, which needs an RSA \
             key of 4096 bits: create one with `payments keygen` and have its public key \
             registered",
        ),
        Form::Pkcs8(Algorithm::Ed25519) => (
            "key_is_ed25519",
            "this is an Ed25519 key; requests are signed with RS256, which needs an RSA key of \
             4096 bits: create one with `payments keygen` and have its public key registered",
        ),
        Form::Pkcs8(Algorithm::RsaPss) => (
            "key_is_pss",
            "this RSA key is restricted to PSS, but RS256 uses PKCS#1 v1.5; create an \
             unrestricted RSA key of 4096 bits and have its public key registered",
        ),
        Form::Pkcs8(_) => (
            "key_is_not_rsa",
            "this private key is for another algorithm; requests are signed with RS256, which \
             needs an RSA key of 4096 bits",
        ),
        Form::Certificate => (
            "key_is_certificate",
            "this is a certificate, which contains no private key; give the RSA private key of \
             the registered public key",
        ),
        Form::CertificateRequest => (
            "key_is_certificate_request",
            "this is a certificate request, which contains no private key; give the RSA private \
             key that it was made with",
        ),
        Form::Pkcs12 => (
            "key_is_pkcs12",
            "this is a PKCS#12 file (.p12, .pfx); extract its private key with `openssl pkcs12 \
             -in FILE -nocerts -out private_key.pem`",
        ),
        Form::Truncated => TRUNCATED,
        Form::TrailingBytes => (
            "key_trailing_bytes",
            "there are extra bytes after the DER document; give the private key alone",
        ),
        Form::EncryptedPkcs8 | Form::Pkcs1 | Form::Unknown => NOT_RECOGNIZED,
    }
}

/// Why text without a PEM block is not a key.
pub(super) fn of_text(text: &str) -> Reason {
    match text.trim() {
        "" => EMPTY,
        text if text.starts_with('{') => {
            ("key_is_json", "this is JSON, perhaps a JWK; convert it to PEM")
        }
        text if text.starts_with("ssh-") => PUBLIC,
        text if is_path(text) => {
            ("key_is_path", "this looks like a path; set key_file to it instead of key")
        }
        _ => NOT_RECOGNIZED,
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

/// Why an RSA key of this size cannot be used, if it cannot. `how` says how to
/// make another key.
pub(super) fn of_size(
    bits: usize,
    allow_small_keys: bool,
    how: &str,
) -> Option<(&'static str, String)> {
    let (code, rest) = match bits {
        EXPECTED_BITS => return None,
        ..SMALLEST_BITS => (
            "key_too_small",
            format!(
                ", which is not safe and never accepted; create one of 4096 bits {how} and have \
                 its public key registered"
            ),
        ),
        SMALLEST_BITS..EXPECTED_BITS if allow_small_keys => return None,
        SMALLEST_BITS..EXPECTED_BITS => (
            "key_small",
            format!(
                ", but the service requires 4096; create one {how}, or set allow_small_keys if \
                 the provider did register this one"
            ),
        ),
        _ => (
            "key_too_large",
            format!(
                ", but the service requires 4096, and larger keys are not supported; create one \
                 of 4096 bits {how}"
            ),
        ),
    };
    Some((code, format!("this RSA key has {bits} bits{rest}")))
}

/// Whether a signature of an RSA key that may be used has this many bytes.
pub(crate) fn is_signature_length(bytes: usize, allow_small_keys: bool) -> bool {
    of_size(bytes.saturating_mul(8), allow_small_keys, "").is_none()
}
