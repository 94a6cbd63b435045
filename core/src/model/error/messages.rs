// Generated from spec/errors by generate/templates/messages.rs.jinja; do not edit. To update: cargo xtask generate

//! Errors of kind `config` in the words of the description, one function for
//! each message.

#![cfg_attr(
    not(all(feature = "pkcs11", feature = "redis")),
    allow(dead_code, reason = "some are of HSMs or of Redis")
)]

use std::fmt::Display;

use super::{Error, ErrorCode};

pub(crate) fn variable_unknown(path: &str, meant: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::MEMBER_UNKNOWN,
        format!("unknown variable; did you mean {meant}? if not, unset it"),
    )
}

pub(crate) fn placeholder(path: &str, meaning: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::PLACEHOLDER,
        format!("is still a placeholder; replace it with the {meaning}"),
    )
}

pub(crate) fn credential_unknown(path: &str) -> Error {
    Error::config(path, ErrorCode::VALUE_INVALID, "must be integration_key, signature or bearer")
}

pub(crate) fn kid_empty() -> Error {
    Error::config(
        "kid",
        ErrorCode::VALUE_INVALID,
        "the kid is empty; give the key id that the provider assigned",
    )
}

pub(crate) fn kid_too_long() -> Error {
    Error::config(
        "kid",
        ErrorCode::VALUE_INVALID,
        "the kid is longer than 256 bytes; give the key id, not the key",
    )
}

pub(crate) fn kid_control_character() -> Error {
    Error::config(
        "kid",
        ErrorCode::VALUE_INVALID,
        "the kid contains a control character or a byte order mark; check it for a line break that was copied with it",
    )
}

pub(crate) fn token_store_invalid(problem: impl Display) -> Error {
    Error::config(
        "token_store",
        ErrorCode::VALUE_INVALID,
        format!("the URL of the Redis server {problem}"),
    )
}

pub(crate) fn token_store_key_invalid() -> Error {
    Error::config(
        "token_store_key",
        ErrorCode::VALUE_INVALID,
        "must be 32 random bytes in base64, as `openssl rand -base64 32` gives",
    )
}

pub(crate) fn url_invalid(path: &str) -> Error {
    Error::config(
        path,
        ErrorCode::VALUE_INVALID,
        "not a URL; give one such as https://api.example.com",
    )
}

pub(crate) fn url_not_ascii(path: &str) -> Error {
    Error::config(
        path,
        ErrorCode::VALUE_INVALID,
        "the host has characters beyond ASCII; remove them, or write the name in punycode, such as xn--bcher-kva.example",
    )
}

pub(crate) fn url_incomplete(path: &str) -> Error {
    Error::config(
        path,
        ErrorCode::VALUE_INVALID,
        "the URL has no scheme or no host; give one such as https://api.example.com",
    )
}

pub(crate) fn url_scheme(path: &str) -> Error {
    Error::config(path, ErrorCode::VALUE_INVALID, "the scheme must be https")
}

pub(crate) fn url_user(path: &str) -> Error {
    Error::config(
        path,
        ErrorCode::VALUE_INVALID,
        "the URL must not contain a user name or a password; remove them",
    )
}

pub(crate) fn url_port(path: &str) -> Error {
    Error::config(path, ErrorCode::VALUE_INVALID, "the port must be a number from 1 to 65535")
}

pub(crate) fn url_query(path: &str) -> Error {
    Error::config(
        path,
        ErrorCode::VALUE_INVALID,
        "the URL must not have a query or a fragment; remove it",
    )
}

pub(crate) fn url_endpoint(path: &str, end: impl Display, start: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::VALUE_INVALID,
        format!("ends in {end}, which the client adds itself; write {start}"),
    )
}

pub(crate) fn key_file_unreadable(
    file: impl Display,
    why: impl Display,
    advice: impl Display,
) -> Error {
    Error::config(
        "key_file",
        ErrorCode::FILE_UNREADABLE,
        format!("could not read {file}: {why}; {advice}"),
    )
}

pub(crate) fn key_file_is_directory(file: impl Display) -> Error {
    Error::config(
        "key_file",
        ErrorCode::FILE_UNREADABLE,
        format!("{file} is a directory; name the private key file in it"),
    )
}

pub(crate) fn key_file_too_large(file: impl Display) -> Error {
    Error::config(
        "key_file",
        ErrorCode::FILE_UNREADABLE,
        format!("{file} is larger than any private key; name the private key file"),
    )
}

pub(crate) fn no_file(path: &str) -> Error {
    Error::config(
        path,
        ErrorCode::FILE_UNREADABLE,
        "names no file, and is not shown, because it may be the value itself; name an existing file, or set the member without _file",
    )
}

pub(crate) fn value_not_text(path: &str) -> Error {
    Error::config(path, ErrorCode::FILE_UNREADABLE, "is not UTF-8; set it again as UTF-8")
}

pub(crate) fn file_not_text(path: &str) -> Error {
    Error::config(path, ErrorCode::FILE_UNREADABLE, "the file is not UTF-8 text; save it as UTF-8")
}

pub(crate) fn url_insecure(path: &str) -> Error {
    Error::config(
        path,
        ErrorCode::INSECURE,
        "http:// is allowed to this host only; use https://, or set allow_insecure_http on a network you trust",
    )
}

pub(crate) fn token_store_insecure() -> Error {
    Error::config(
        "token_store",
        ErrorCode::INSECURE,
        "redis:// is allowed to this host only, because it sends the password and the tokens unencrypted; use rediss://, or on a network you trust set allow_insecure_redis, and token_store_key to encrypt the tokens",
    )
}

pub(crate) fn pkcs11_pin_missing(label: &str) -> Error {
    Error::config(
        "pkcs11_pin",
        ErrorCode::REQUIRED,
        format!("the token {label:?} requires a PIN; set pkcs11_pin or pkcs11_pin_file"),
    )
}

pub(crate) fn key_empty() -> Error {
    Error::config(
        "key",
        ErrorCode::REQUIRED,
        "the key is empty; give an RSA private key as PEM or DER",
    )
}

pub(crate) fn key_not_recognized() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_UNREADABLE,
        "this is not recognized as a private key; give an RSA private key of 4096 bits as PEM (`-----BEGIN PRIVATE KEY-----`) or DER",
    )
}

pub(crate) fn key_trailing_bytes() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_UNREADABLE,
        "there are extra bytes after the DER document; rewrite it with `openssl pkey -in FILE -out private_key.pem`",
    )
}

pub(crate) fn key_damaged() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_UNREADABLE,
        "this RSA private key is damaged: its numbers do not match; restore it from a good copy",
    )
}

pub(crate) fn key_line_ends() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_UNREADABLE,
        "line breaks are written as backslash and n; use real line breaks, or set key_file",
    )
}

pub(crate) fn key_is_path() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_UNREADABLE,
        "this looks like a path; set key_file to it instead of key",
    )
}

pub(crate) fn key_file_is_key() -> Error {
    Error::config(
        "key_file",
        ErrorCode::KEY_UNREADABLE,
        "this is the text of a key, not the path of a file; set key instead",
    )
}

pub(crate) fn public_key_empty() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "the text is empty; give an RSA public key as PEM",
    )
}

pub(crate) fn public_key_not_recognized() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "this is not recognized as a public key; give an RSA public key as PEM (`-----BEGIN PUBLIC KEY-----`) or DER",
    )
}

pub(crate) fn public_key_trailing_bytes() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "there are extra bytes after the DER document; rewrite it with `openssl pkey -pubin -in FILE -out public_key.pem`",
    )
}

pub(crate) fn public_key_damaged() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "this RSA public key is damaged; restore it from a good copy",
    )
}

pub(crate) fn public_key_line_ends() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "line breaks are written as backslash and n; use real line breaks, or name a file",
    )
}

pub(crate) fn public_key_size(bits: impl Display) -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        format!(
            "this RSA key has {bits} bits; give one of 4096 bits, which the service requires (2048 to 4096 are supported)"
        ),
    )
}

pub(crate) fn public_key_is_certificate() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "this is a certificate; extract its public key with `openssl x509 -in certificate.pem -pubkey -noout`",
    )
}

pub(crate) fn public_key_is_certificate_request() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "this is a certificate request; extract its public key with `openssl req -in request.pem -pubkey -noout`",
    )
}

pub(crate) fn public_key_is_openssh() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "this public key is in OpenSSH's own format; give the output of `ssh-keygen -e -m PKCS8 -f FILE`",
    )
}

pub(crate) fn public_key_is_ec() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "this is an elliptic-curve public key; requests are signed with RS256, so give the RSA key of 4096 bits that signs",
    )
}

pub(crate) fn public_key_is_ed25519() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "this is an Ed25519 public key; requests are signed with RS256, so give the RSA key of 4096 bits that signs",
    )
}

pub(crate) fn public_key_is_pss() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "this RSA key is restricted to PSS, but RS256 uses PKCS#1 v1.5; create an unrestricted RSA key of 4096 bits and have it registered",
    )
}

pub(crate) fn public_key_is_not_rsa() -> Error {
    Error::config(
        "public_key",
        ErrorCode::KEY_UNREADABLE,
        "this public key is for another algorithm; requests are signed with RS256, so give the RSA key of 4096 bits that signs",
    )
}

pub(crate) fn key_is_public() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_WRONG_KIND,
        "this is a public key, which cannot sign; give the RSA private key that belongs to it",
    )
}

pub(crate) fn key_is_certificate() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_WRONG_KIND,
        "this is a certificate, which contains no private key; give the RSA private key of the registered public key",
    )
}

pub(crate) fn key_is_certificate_request() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_WRONG_KIND,
        "this is a certificate request, which contains no private key; give the RSA private key that it was made with",
    )
}

pub(crate) fn key_is_ec() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_WRONG_KIND,
        "this is an elliptic-curve key; requests are signed with RS256, which needs an RSA key of 4096 bits: create one with `payments keygen` and have its public key registered",
    )
}

pub(crate) fn key_is_ed25519() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_WRONG_KIND,
        "this is an Ed25519 key; requests are signed with RS256, which needs an RSA key of 4096 bits: create one with `payments keygen` and have its public key registered",
    )
}

pub(crate) fn key_is_pss() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_WRONG_KIND,
        "this RSA key is restricted to PSS, but RS256 uses PKCS#1 v1.5; create an unrestricted RSA key of 4096 bits and have its public key registered",
    )
}

pub(crate) fn key_too_small(path: &str, bits: impl Display, how: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::KEY_WRONG_KIND,
        format!(
            "this RSA key has {bits} bits, which is not safe and never accepted; create one of 4096 bits {how} and have its public key registered"
        ),
    )
}

pub(crate) fn key_too_large(path: &str, bits: impl Display, how: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::KEY_WRONG_KIND,
        format!(
            "this RSA key has {bits} bits, but the service requires 4096, and larger keys are not supported; create one of 4096 bits {how}"
        ),
    )
}

pub(crate) fn key_is_pkcs12() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_TO_CONVERT,
        "this is a PKCS#12 file (.p12, .pfx); extract its private key with `openssl pkcs12 -in FILE -nocerts -out private_key.pem`",
    )
}

pub(crate) fn key_is_openssh() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_TO_CONVERT,
        "this private key is in OpenSSH's own format; convert a copy of it to PKCS#8 with `ssh-keygen -p -m PKCS8 -f FILE`",
    )
}

pub(crate) fn key_is_putty() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_TO_CONVERT,
        "this private key is in PuTTY's own format (.ppk); convert it with `puttygen FILE -O private-openssh -o private_key.pem`",
    )
}

pub(crate) fn key_legacy_encrypted() -> Error {
    Error::config(
        "key",
        ErrorCode::KEY_TO_CONVERT,
        "this key uses the old PEM encryption (`Proc-Type: 4,ENCRYPTED`), which is weak; convert it with `openssl pkcs8 -topk8 -in FILE -out private_key.pem`",
    )
}

pub(crate) fn key_small(path: &str, bits: impl Display, how: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::KEY_SMALL,
        format!(
            "this RSA key has {bits} bits, but the service requires 4096; create one {how}, or set allow_small_keys if the provider did register this one"
        ),
    )
}

pub(crate) fn key_passphrase_missing() -> Error {
    Error::config(
        "key_passphrase",
        ErrorCode::KEY_PASSPHRASE,
        "the private key is encrypted; set its passphrase",
    )
}

pub(crate) fn key_passphrase_wrong() -> Error {
    Error::config(
        "key_passphrase",
        ErrorCode::KEY_PASSPHRASE,
        "the passphrase does not decrypt the private key; check it for a trailing line break or space, and that it belongs to this key",
    )
}

pub(crate) fn public_key_is_private() -> Error {
    Error::config(
        "public_key",
        ErrorCode::PUBLIC_KEY_IS_PRIVATE,
        "this is a private key, which must stay private; extract its public key with `openssl pkey -in private_key.pem -pubout` and give that",
    )
}

pub(crate) fn pkcs11_module_missing(what: impl Display) -> Error {
    Error::config(
        "pkcs11_module",
        ErrorCode::PKCS11_NOT_FOUND,
        format!("{what}; give the path of the shared library that came with the HSM"),
    )
}

pub(crate) fn pkcs11_module_foreign(file: impl Display) -> Error {
    Error::config(
        "pkcs11_module",
        ErrorCode::PKCS11_NOT_FOUND,
        format!(
            "{file} is a shared library, but not a PKCS#11 module (it has no C_GetFunctionList); give the library that came with the HSM"
        ),
    )
}

pub(crate) fn pkcs11_module_unloadable(file: impl Display, why: impl Display) -> Error {
    Error::config(
        "pkcs11_module",
        ErrorCode::PKCS11_NOT_FOUND,
        format!(
            "could not load the module {file} ({why}); give a shared library for this operating system and processor, and install the libraries that it needs"
        ),
    )
}

pub(crate) fn pkcs11_module_failed(why: impl Display) -> Error {
    Error::config(
        "pkcs11_module",
        ErrorCode::PKCS11_NOT_FOUND,
        format!("could not initialize the module ({why}); check its own configuration and log"),
    )
}

pub(crate) fn pkcs11_token_unknown(label: &str, found: impl Display) -> Error {
    Error::config(
        "pkcs11_token",
        ErrorCode::PKCS11_NOT_FOUND,
        format!("there is no token labeled {label:?}; found: {found}"),
    )
}

pub(crate) fn pkcs11_slot_unknown(slot: impl Display, found: impl Display) -> Error {
    Error::config(
        "pkcs11_slot",
        ErrorCode::PKCS11_NOT_FOUND,
        format!("there is no slot {slot} with a token in it; found: {found}"),
    )
}

pub(crate) fn pkcs11_token_uninitialized(found: impl Display) -> Error {
    Error::config(
        "pkcs11_slot",
        ErrorCode::PKCS11_NOT_FOUND,
        format!(
            "the token in this slot is not initialized, so it has no key; name another slot; found: {found}"
        ),
    )
}

pub(crate) fn pkcs11_token_ambiguous(found: impl Display) -> Error {
    Error::config(
        "pkcs11_token",
        ErrorCode::PKCS11_NOT_FOUND,
        format!("several tokens have this label; set pkcs11_slot instead; found: {found}"),
    )
}

pub(crate) fn pkcs11_key_unknown(path: &str, wanted: impl Display, found: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_NOT_FOUND,
        format!("the token has no private key with {wanted}; found: {found}"),
    )
}

pub(crate) fn pkcs11_token_gone(found: impl Display) -> Error {
    Error::config(
        "pkcs11_module",
        ErrorCode::PKCS11_NOT_FOUND,
        format!(
            "the token that this process used before is gone; found: {found}; put it back, and if it is not found then, restart the process: some modules show it only after that"
        ),
    )
}

pub(crate) fn pkcs11_key_gone(path: &str, wanted: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_NOT_FOUND,
        format!(
            "the token no longer has the private key with {wanted} that this process used before; restore it, or name another one"
        ),
    )
}

pub(crate) fn pkcs11_key_ambiguous(path: &str, remedy: impl Display, found: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_NOT_FOUND,
        format!("several private keys match; {remedy}; found: {found}"),
    )
}

pub(crate) fn pkcs11_failed(why: impl Display) -> Error {
    Error::config(
        "pkcs11_module",
        ErrorCode::PKCS11_FAILED,
        format!("the module failed ({why}); check its log and the HSM"),
    )
}

pub(crate) fn pkcs11_mechanism_missing() -> Error {
    Error::config(
        "pkcs11_module",
        ErrorCode::PKCS11_KEY_UNUSABLE,
        "the token signs with neither CKM_SHA256_RSA_PKCS nor CKM_RSA_PKCS; requests are signed with RS256, which needs one of them: enable one, or use another token",
    )
}

pub(crate) fn pkcs11_key_not_private(
    path: &str,
    wanted: impl Display,
    what: impl Display,
) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_KEY_UNUSABLE,
        format!(
            "the object with {wanted} is {what}; name an RSA private key that this user may use"
        ),
    )
}

pub(crate) fn pkcs11_key_not_rsa(path: &str, what: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_KEY_UNUSABLE,
        format!(
            "this private key is {what}; requests are signed with RS256, which needs an RSA key of 4096 bits: create one in the token and have its public key registered"
        ),
    )
}

pub(crate) fn pkcs11_key_cannot_sign(path: &str, why: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_KEY_UNUSABLE,
        format!("this private key cannot sign requests: {why}"),
    )
}

pub(crate) fn pkcs11_key_asks_each_time(path: &str) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_KEY_UNUSABLE,
        "this private key requires the PIN for every signature (CKA_ALWAYS_AUTHENTICATE), which is not supported, so it was not tried; create one without that attribute",
    )
}

pub(crate) fn pkcs11_no_session() -> Error {
    Error::config(
        "pkcs11_module",
        ErrorCode::PKCS11_NO_SESSION,
        "the token has no session left (CKR_SESSION_COUNT); close those of other programs, or lower pkcs11_sessions in each process",
    )
}

pub(crate) fn pkcs11_pin_wrong(path: &str, label: &str, ckr: impl Display) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_PIN_WRONG,
        format!(
            "the token {label:?} refuses this PIN ({ckr}); set the PIN of the token's user, not of its security officer, without a line break or spaces around it"
        ),
    )
}

pub(crate) fn pkcs11_pin_last_try(path: &str, label: &str) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_PIN_BLOCKED,
        format!(
            "one more wrong PIN locks the token {label:?}, so none is tried; log in once with the HSM vendor's tool to reset the count"
        ),
    )
}

pub(crate) fn pkcs11_pin_locked(path: &str, label: &str) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_PIN_BLOCKED,
        format!(
            "the PIN of the token {label:?} is locked after too many wrong PINs; have the token's security officer set a new one"
        ),
    )
}

pub(crate) fn pkcs11_pin_expired(path: &str, label: &str) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_PIN_BLOCKED,
        format!(
            "the PIN of the token {label:?} has expired; set a new one with the HSM vendor's tool"
        ),
    )
}

pub(crate) fn pkcs11_pin_unset(path: &str, label: &str) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_PIN_BLOCKED,
        format!("the token {label:?} has no user PIN yet; have its security officer set one"),
    )
}

pub(crate) fn pkcs11_other_user(path: &str) -> Error {
    Error::config(
        path,
        ErrorCode::PKCS11_PIN_BLOCKED,
        "this process is logged in to the token as its security officer, who cannot sign; log the security officer out",
    )
}

pub(crate) fn without_signer(path: &str) -> Error {
    Error::config(
        path,
        ErrorCode::CONFLICTING_MEMBERS,
        "applies only to an external signer or an HSM; remove it, since a private key contains its public key",
    )
}

pub(crate) fn without_store(path: &str) -> Error {
    Error::config(
        path,
        ErrorCode::CONFLICTING_MEMBERS,
        "applies only to tokens in files or on a Redis server; set token_store",
    )
}
