//! RSA public keys.

use std::fmt;
use std::sync::Arc;

use rsa::pkcs1::DecodeRsaPublicKey as _;
use rsa::pkcs8::{DecodePublicKey as _, EncodePublicKey as _};
use rsa::traits::PublicKeyParts as _;
use rsa::{BigUint, Pkcs1v15Sign, Pss, RsaPublicKey};
use sha2::{Digest as _, Sha256};

use super::key_form::{self, Algorithm, Form};
use super::pem::{self, Contents};
use crate::base::hex::hex;
use crate::model::error::Error;

/// Smaller moduli are unsafe, and the `rsa` crate does not verify larger ones.
const ACCEPTED_BITS: std::ops::RangeInclusive<usize> = 2048..=4096;

/// The DER of DigestInfo before the digest, for SHA-256 (RFC 8017, 9.2).
pub(crate) const DIGEST_INFO_SHA256: [u8; 19] = [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05,
    0x00, 0x04, 0x20,
];

/// An RSA public key of 2048 to 4096 bits. Clones share one parsed key.
#[derive(Clone)]
pub struct PublicKey(Arc<Parsed>);

struct Parsed {
    key: RsaPublicKey,
    spki: Vec<u8>,
    thumbprint: String,
}

impl PublicKey {
    /// Reads the first public key of a PEM text: `PUBLIC KEY` (SPKI) or `RSA
    /// PUBLIC KEY` (PKCS#1). Accepts text around it and CRLF line ends.
    ///
    /// # Errors
    /// `config`, which says what the text contains instead.
    pub fn from_pem(text: &str) -> Result<Self, Error> {
        let blocks = pem::blocks(text);
        let block = blocks.iter().find(|block| block.label.ends_with("PUBLIC KEY"));
        let Some(block) = block.or(blocks.first()) else {
            return Err(of(if pem::is_pem(text) {
                TRUNCATED
            } else if text.trim().is_empty() {
                ("public_key_empty", "the text is empty; give an RSA public key as PEM")
            } else {
                NOT_A_KEY
            }));
        };
        Err(of(match &block.contents {
            _ if block.label.ends_with("PRIVATE KEY") => PRIVATE,
            Contents::Der(der) => return Self::from_der(der.expose()),
            Contents::Truncated => TRUNCATED,
            Contents::EscapedLineEnds => (
                "public_key_line_ends",
                "line breaks are written as backslash and n; use real line breaks",
            ),
            Contents::LegacyEncrypted | Contents::NotBase64 => NOT_A_KEY,
        }))
    }

    /// Reads a public key from DER: SPKI or PKCS#1.
    ///
    /// # Errors
    /// `config`, which says what the bytes are instead.
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let form = key_form::identify(der);
        if let Some(bits) = key_form::modulus_bits(form, der)
            && !matches!(form, Form::Pkcs8(_) | Form::Pkcs1)
            && !ACCEPTED_BITS.contains(&bits)
        {
            return Err(refused(
                "public_key_size",
                format!(
                    "this RSA key has {bits} bits; give one of 4096 bits, which the service \
                     requires (2048 to 4096 are supported)"
                ),
            ));
        }
        let key = match form {
            Form::Spki(Algorithm::Rsa) => RsaPublicKey::from_public_key_der(der).ok(),
            Form::Pkcs1Public => RsaPublicKey::from_pkcs1_der(der).ok(),
            _ => return Err(of(other_form(form))),
        };
        key.and_then(Self::of_parsed).ok_or_else(|| {
            refused(
                "public_key_damaged",
                "this RSA public key is damaged; restore it from a good copy",
            )
        })
    }

    /// The key with this modulus and exponent, both big-endian. `None` if they
    /// do not form a usable RSA public key.
    pub(crate) fn from_numbers(modulus: &[u8], exponent: &[u8]) -> Option<Self> {
        let number = BigUint::from_bytes_be;
        RsaPublicKey::new(number(modulus), number(exponent)).ok().and_then(Self::of_parsed)
    }

    fn of_parsed(key: RsaPublicKey) -> Option<Self> {
        let spki = key.to_public_key_der().ok()?.into_vec();
        let thumbprint = hex(&Sha256::digest(&spki));
        Some(Self(Arc::new(Parsed { key, spki, thumbprint })))
    }

    /// The key as SPKI PEM, the form to send to the provider.
    pub fn to_pem(&self) -> String {
        pem::encode("PUBLIC KEY", &self.0.spki).to_string()
    }

    /// The size of the modulus in bits.
    pub fn bits(&self) -> usize {
        self.0.key.n().bits()
    }

    /// The SHA-256 of the SPKI DER in lower-case hexadecimal, as printed by
    /// `openssl pkey -pubin -outform DER | sha256sum`.
    pub fn thumbprint(&self) -> &str {
        &self.0.thumbprint
    }

    /// Whether `signature` is an RS256 signature of this key over
    /// `signing_input`.
    pub fn verifies(&self, signing_input: &[u8], signature: &[u8]) -> bool {
        let digest = Sha256::digest(signing_input);
        self.0.key.verify(Pkcs1v15Sign::new::<Sha256>(), &digest, signature).is_ok()
    }

    /// Whether `signature` is a PS256 signature of this key over
    /// `signing_input`, with a salt as long as the digest or of the maximum
    /// length.
    pub(super) fn verifies_pss(&self, signing_input: &[u8], signature: &[u8]) -> bool {
        let digest = Sha256::digest(signing_input);
        let longest_salt = self.0.key.size() - digest.len() - 2;
        [digest.len(), longest_salt].into_iter().any(|salt| {
            self.0.key.verify(Pss::new_with_salt::<Sha256>(salt), &digest, signature).is_ok()
        })
    }

    /// The SHA-256 digest in `signature`, if this key made it as RS256. Costs
    /// one verification, however many payloads are compared with the result.
    /// Use it only to find candidates: [`verifies`](Self::verifies) decides.
    pub(super) fn signed_digest(&self, signature: &[u8]) -> Option<[u8; 32]> {
        let key = &self.0.key;
        let signature_number = BigUint::from_bytes_be(signature);
        if signature.len() != key.size() || &signature_number >= key.n() {
            return None;
        }
        let opened = signature_number.modpow(key.e(), key.n()).to_bytes_be();
        // The padding starts with 00 01; the number has no leading zero.
        let (padding, digest) = opened.split_last_chunk::<32>()?;
        let padding = padding.strip_suffix(&DIGEST_INFO_SHA256)?;
        let (first, filling) = padding.strip_suffix(&[0])?.split_first()?;
        let padded = *first == 1
            && opened.len() == key.size() - 1
            && filling.iter().all(|&byte| byte == 0xff);
        padded.then_some(*digest)
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.spki == other.0.spki
    }
}

impl Eq for PublicKey {}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicKey")
            .field("bits", &self.bits())
            .field("thumbprint", &self.thumbprint())
            .finish()
    }
}

fn refused(code: &'static str, message: impl Into<String>) -> Error {
    Error::config("public_key", code, message)
}

fn of((code, message): (&'static str, &str)) -> Error {
    refused(code, message)
}

const PRIVATE: (&str, &str) = (
    "public_key_is_private",
    "this is a private key, which must stay private; extract its public key with `openssl pkey \
     -in private_key.pem -pubout` and give that",
);
const TRUNCATED: (&str, &str) = (
    "public_key_truncated",
    "the key ends too early; copy it again, from its BEGIN line to its END line",
);
const NOT_A_KEY: (&str, &str) = (
    "public_key_not_recognized",
    "this is not a public key; give an RSA public key as PEM (`-----BEGIN PUBLIC KEY-----`) or DER",
);

fn other_form(form: Form) -> (&'static str, &'static str) {
    match form {
        Form::Pkcs8(_) | Form::EncryptedPkcs8 | Form::Pkcs1 | Form::Sec1 => PRIVATE,
        Form::Spki(Algorithm::Ec) => (
            "public_key_is_ec",
            "this is an elliptic-curve public key; requests are signed with RS256, which needs \
             an RSA key of 4096 bits",
        ),
        Form::Spki(Algorithm::Ed25519) => (
            "public_key_is_ed25519",
            "this is an Ed25519 public key; requests are signed with RS256, which needs an RSA key \
             of 4096 bits",
        ),
        Form::Spki(Algorithm::RsaPss) => (
            "public_key_is_pss",
            "this RSA key is restricted to PSS, but RS256 uses PKCS#1 v1.5; create an \
             unrestricted RSA key",
        ),
        Form::Spki(_) => (
            "public_key_is_not_rsa",
            "this public key is for another algorithm; requests are signed with RS256, which needs \
             an RSA key of 4096 bits",
        ),
        Form::Certificate => (
            "public_key_is_certificate",
            "this is a certificate; extract its public key with `openssl x509 -in \
             certificate.pem -pubkey -noout`",
        ),
        Form::CertificateRequest => (
            "public_key_is_certificate_request",
            "this is a certificate request; extract its public key with `openssl req -in \
             request.pem -pubkey -noout`",
        ),
        Form::Truncated => TRUNCATED,
        Form::TrailingBytes => (
            "public_key_trailing_bytes",
            "there are extra bytes after the DER document; give the key alone",
        ),
        Form::Pkcs12 | Form::Unknown | Form::Pkcs1Public => NOT_A_KEY,
    }
}
