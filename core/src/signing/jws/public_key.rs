//! RSA public keys.

use std::sync::Arc;

use rsa::pkcs1::DecodeRsaPublicKey as _;
use rsa::pkcs8::{DecodePublicKey as _, EncodePublicKey as _};
use rsa::traits::PublicKeyParts as _;
use rsa::{BigUint, Pkcs1v15Sign, RsaPublicKey};
use sha2::{Digest as _, Sha256};

use super::key_form::{self, Algorithm, Form};
use super::pem::{self, Contents};
use crate::base::debug::debug_shows;
use crate::base::hex::hex;
use crate::model::error::{Error, messages};

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
            return Err(match text.trim() {
                _ if pem::is_pem(text) => messages::public_key_truncated(),
                "" => messages::public_key_empty(),
                text if text.starts_with("ssh-") => messages::public_key_is_openssh(),
                _ => messages::public_key_not_recognized(),
            });
        };
        Err(match &block.contents {
            _ if block.label.ends_with("PRIVATE KEY") => messages::public_key_is_private(),
            Contents::Der(der) => return Self::from_der(der.expose()),
            Contents::Truncated => messages::public_key_truncated(),
            Contents::EscapedLineEnds => messages::public_key_line_ends(),
            Contents::LegacyEncrypted | Contents::NotBase64 => {
                messages::public_key_not_recognized()
            }
        })
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
            return Err(messages::public_key_size(bits));
        }
        let key = match form {
            Form::Spki(Algorithm::Rsa) => RsaPublicKey::from_public_key_der(der).ok(),
            Form::Pkcs1Public => RsaPublicKey::from_pkcs1_der(der).ok(),
            _ => return Err(other_form(form)),
        };
        key.and_then(Self::of_parsed).ok_or_else(messages::public_key_damaged)
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
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.spki == other.0.spki
    }
}

impl Eq for PublicKey {}

debug_shows!(PublicKey, |it| bits = it.bits(), thumbprint = it.thumbprint());

/// Why a document is not an RSA public key.
fn other_form(form: Form) -> Error {
    match form {
        Form::Pkcs8(_) | Form::EncryptedPkcs8 | Form::Pkcs1 | Form::Sec1 => {
            messages::public_key_is_private()
        }
        Form::Spki(Algorithm::Ec) => messages::public_key_is_ec(),
        Form::Spki(Algorithm::Ed25519) => messages::public_key_is_ed25519(),
        Form::Spki(Algorithm::RsaPss) => messages::public_key_is_pss(),
        Form::Spki(_) => messages::public_key_is_not_rsa(),
        Form::Certificate => messages::public_key_is_certificate(),
        Form::CertificateRequest => messages::public_key_is_certificate_request(),
        Form::Truncated => messages::public_key_truncated(),
        Form::TrailingBytes => messages::public_key_trailing_bytes(),
        Form::Pkcs12 | Form::Unknown | Form::Pkcs1Public => messages::public_key_not_recognized(),
    }
}
