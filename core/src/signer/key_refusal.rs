//! What is said of keys that cannot be used: what was found, what is wanted,
//! what to do. No message holds anything of the key.

use crate::error::Error;
use crate::jws::key_form::{Algorithm, Form};

fn key(code: &'static str, message: impl Into<String>) -> Error {
    Error::config("key", code, message)
}

fn passphrase(code: &'static str, message: &str) -> Error {
    Error::config("key_passphrase", code, message)
}

pub(super) fn of_form(form: Form) -> Error {
    match form {
        Form::Spki(_) | Form::Pkcs1Public => public(),
        Form::Pkcs8(Algorithm::Ec) | Form::Sec1 => ec(),
        Form::Pkcs8(Algorithm::Ed25519) => key(
            "key_is_ed25519",
            "this is an Ed25519 key; requests are signed with RS256, which needs an RSA key of \
             4096 bits: make one with `payments keygen` and have its public key registered",
        ),
        Form::Pkcs8(Algorithm::RsaPss) => key(
            "key_is_pss",
            "this RSA key is bound to PSS, and RS256 signs with PKCS#1 v1.5; make an ordinary RSA \
             key of 4096 bits and have its public key registered",
        ),
        Form::Pkcs8(_) => key(
            "key_is_not_rsa",
            "this private key is for another algorithm; requests are signed with RS256, which \
             needs an RSA key of 4096 bits",
        ),
        Form::Certificate => key(
            "key_is_certificate",
            "this is a certificate, which holds no private key; give the RSA private key that \
             belongs to the public key that was registered",
        ),
        Form::CertificateRequest => key(
            "key_is_certificate_request",
            "this is a certificate request, which holds no private key; give the RSA private key \
             it was made with",
        ),
        Form::Pkcs12 => key(
            "key_is_pkcs12",
            "this is a PKCS#12 file (.p12, .pfx); take the private key out of it with \
             `openssl pkcs12 -in FILE -nocerts -out private_key.pem`",
        ),
        Form::Truncated => truncated(),
        Form::TrailingBytes => key(
            "key_trailing_bytes",
            "bytes follow the end of the DER document; give the private key alone",
        ),
        Form::EncryptedPkcs8 | Form::Pkcs1 | Form::Unknown => not_recognised(),
    }
}

/// For a text without a PEM block.
pub(super) fn of_text(text: &str) -> Error {
    let text = text.trim();
    if text.is_empty() {
        empty()
    } else if text.starts_with('{') {
        key(
            "key_is_json",
            "this is JSON, perhaps a JWK; an RSA private key as PEM or DER is wanted, so convert it",
        )
    } else if text.starts_with("ssh-") {
        public()
    } else {
        not_recognised()
    }
}

pub(super) fn public() -> Error {
    key(
        "key_is_public",
        "this is a public key, which cannot sign; give the RSA private key that belongs to it",
    )
}

fn ec() -> Error {
    key(
        "key_is_ec",
        "this is the key of an elliptic curve; requests are signed with RS256, which needs an RSA \
         key of 4096 bits: make one with `payments keygen` and have its public key registered",
    )
}

pub(super) fn openssh() -> Error {
    key(
        "key_is_openssh",
        "this private key is in OpenSSH's own format; PKCS#8 or PKCS#1 is wanted, which \
         `ssh-keygen -p -m PKCS8 -f FILE` makes of a copy of an RSA key",
    )
}

pub(super) fn legacy_encrypted() -> Error {
    key(
        "key_legacy_encrypted",
        "this key is encrypted in the old way of PEM (`Proc-Type: 4,ENCRYPTED`), which is weak; \
         convert it with `openssl pkcs8 -topk8 -in FILE -out private_key.pem`",
    )
}

pub(super) fn encryption_unsupported() -> Error {
    key(
        "key_encryption_unsupported",
        "this key is encrypted in a way that cannot be read here; PBES2 with AES and PBKDF2 \
         (HMAC-SHA-2) or scrypt is wanted: convert it with \
         `openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 -in FILE -out private_key.pem`",
    )
}

pub(super) fn passphrase_missing() -> Error {
    passphrase("key_passphrase_missing", "the private key is encrypted; give its passphrase")
}

pub(super) fn passphrase_wrong() -> Error {
    passphrase(
        "key_passphrase_wrong",
        "the passphrase does not decrypt the private key; look for a line end or a space at its \
         end, or for the passphrase of another key",
    )
}

pub(super) fn truncated() -> Error {
    key(
        "key_truncated",
        "the private key breaks off in the middle; copy it again as a whole, from its BEGIN line \
         to its END line",
    )
}

pub(super) fn damaged() -> Error {
    key(
        "key_damaged",
        "this is an RSA private key whose numbers do not fit together; restore it from a good copy",
    )
}

pub(super) fn escaped_line_ends() -> Error {
    key(
        "key_line_ends",
        "the line ends of the PEM text are written as backslash and n; give real line ends, or \
         put the key into a file and name that",
    )
}

pub(super) fn not_base64() -> Error {
    key(
        "key_not_base64",
        "the PEM block holds characters that are not base64; copy the key again as it is",
    )
}

pub(super) fn empty() -> Error {
    key("key_empty", "there is nothing in it; an RSA private key as PEM or DER is wanted")
}

pub(super) fn not_recognised() -> Error {
    key(
        "key_not_recognised",
        "this is no private key; an RSA private key of 4096 bits is wanted, as PEM \
         (`-----BEGIN PRIVATE KEY-----`) or DER",
    )
}

pub(super) fn too_small(bits: usize) -> Error {
    key(
        "key_too_small",
        format!(
            "this RSA key has {bits} bits, which is not safe and is refused in any case; make one \
             of 4096 bits with `payments keygen` and have its public key registered"
        ),
    )
}

pub(super) fn small(bits: usize) -> Error {
    key(
        "key_small",
        format!(
            "this RSA key has {bits} bits, and the service asks for 4096; make one with \
             `payments keygen`, or set allow_small_keys if the provider did register this one"
        ),
    )
}

pub(super) fn too_large(bits: usize) -> Error {
    key(
        "key_too_large",
        format!(
            "this RSA key has {bits} bits; the service asks for 4096, and larger ones cannot be \
             verified here: make one of 4096 bits with `payments keygen`"
        ),
    )
}
