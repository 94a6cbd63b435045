//! Private keys in memory: found in their input, decrypted and identified; and the
//! signer that signs with one.

use std::fmt;
use std::sync::Arc;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256};
use der::Tag;
use der::asn1::UintRef;
use payments_base::debug_shows;
use payments_base::invisible::BYTE_ORDER_MARK;
use payments_base::pem::form::{self, Algorithm, Form};
use payments_base::pem::{self, Document, ber};
use payments_base::process::PerProcess;
use payments_base::secret::{Secret, SecretBytes};
use payments_transport::context::CallContext;

use super::encrypted::decrypt;
use super::key_refusal::{
    error_of_fault, error_of_foreign, error_of_form, error_of_wrong_kind, refused_size,
};
use super::{Signer, SignerError, SigningInput};
use crate::model::error::{Error, messages};
use crate::signing::jws::PublicKey;

/// An RSA private key, decrypted and checked.
///
/// The memory is wiped when the last clone and the last signer are dropped.
#[derive(Clone)]
pub struct PrivateKey {
    /// If another thread is using the key during a fork, the child's copy may be
    /// corrupt. So a child parses the key again, from the bare `RSAPrivateKey`
    /// (PKCS#1).
    parsed: Arc<PerProcess<Option<KeyPair>>>,
}

impl PrivateKey {
    /// Reads the first private key of a PEM text: PKCS#8 (`PRIVATE KEY`),
    /// encrypted PKCS#8 (`ENCRYPTED PRIVATE KEY`) or PKCS#1 (`RSA PRIVATE
    /// KEY`). Accepts text around it, CRLF line ends, and base64 without a BEGIN
    /// line.
    ///
    /// `allow_small_keys` accepts 2048 to 4095 bits instead of the expected
    /// 4096. The passphrase is ignored if the key is not encrypted.
    ///
    /// # Errors
    /// `config`, which states the finding, the expectation, and the remedy.
    /// It shows nothing of the key or the passphrase.
    pub fn from_pem(
        text: &str,
        passphrase: Option<&Secret>,
        allow_small_keys: bool,
    ) -> Result<Self, Error> {
        Self::from_contents(text.as_bytes(), passphrase, allow_small_keys)
    }

    /// Reads a private key from the contents of a file: PEM, as
    /// [`from_pem`](Self::from_pem), or DER.
    ///
    /// # Errors
    /// Those of [`from_pem`](Self::from_pem).
    pub fn from_contents(
        contents: &[u8],
        passphrase: Option<&Secret>,
        allow_small_keys: bool,
    ) -> Result<Self, Error> {
        let documents = pem::read(contents).map_err(error_of_foreign)?;
        let labeled = documents.iter().find(|document| document.is_labeled("PRIVATE KEY"));
        let Some(Document { label, der }) = labeled.or(documents.first()) else {
            return Err(messages::key_empty());
        };
        let der = der.as_ref().map_err(|fault| error_of_fault(*fault))?.expose();
        if label.as_deref() == Some("OPENSSH PRIVATE KEY") {
            return Err(error_of_openssh(der));
        }
        Self::from_der(der, passphrase, allow_small_keys)
    }

    /// Reads a private key from DER: PKCS#8, encrypted PKCS#8 or PKCS#1.
    ///
    /// # Errors
    /// Those of [`from_pem`](Self::from_pem).
    pub fn from_der(
        der: &[u8],
        passphrase: Option<&Secret>,
        allow_small_keys: bool,
    ) -> Result<Self, Error> {
        if der.is_empty() {
            return Err(messages::key_empty());
        }
        let (form, rewritten) = form::identify_key(der);
        let der = rewritten.as_ref().map_or(der, SecretBytes::expose);
        if form == Form::EncryptedPkcs8 {
            let passphrase = passphrase.ok_or_else(messages::key_passphrase_missing)?;
            let decrypted = decrypt(der, passphrase)?;
            // Encrypted twice: no tool writes this. A wrong passphrase decrypts to
            // noise, which rarely has valid padding and then is not DER.
            return match form::identify_key(decrypted.expose()) {
                (Form::Pkcs8(_), _) => Self::from_der(decrypted.expose(), None, allow_small_keys),
                _ => Err(messages::key_passphrase_wrong()),
            };
        }
        let rsa = form::rsa_private_key(form, der).ok_or_else(|| error_of_form(form))?;
        let rsa = ber::to_der(rsa).ok_or_else(|| error_of_form(form))?;
        let rsa = checked(rsa.expose(), allow_small_keys)?;
        let key_pair = KeyPair::from_der(rsa.expose()).map_err(|_| messages::key_damaged())?;
        let renew = move |_: &_| KeyPair::from_der(rsa.expose()).ok();
        Ok(Self { parsed: Arc::new(PerProcess::new(Some(key_pair), renew)) })
    }

    /// The key of this process: `None` if a child of a fork cannot parse it again.
    pub(super) fn parsed(&self) -> Arc<Option<KeyPair>> {
        self.parsed.get()
    }
}

/// The largest public exponent that AWS-LC and the crate `rsa` use.
const EXPONENT_BITS: usize = 33;

/// An `RSAPrivateKey` as AWS-LC reads it. Names the faults for which AWS-LC would
/// refuse it, or sign nothing.
fn checked(rsa: &[u8], allow_small_keys: bool) -> Result<SecretBytes, Error> {
    let unreadable = || error_of_form(Form::Pkcs1);
    let (numbers, rest) = form::numbers(rsa).ok_or_else(unreadable)?;
    let [_, modulus, exponent, private, others @ ..] = numbers.as_slice() else {
        return Err(unreadable());
    };
    let bits = form::bits_of(*modulus);
    if let Some(refused) = refused_size("key", bits, allow_small_keys, "with `payments keygen`") {
        return Err(refused);
    }
    // Some programs write an empty list of other primes.
    if rest.iter().any(|it| form::is(it, Tag::Sequence) && !it.value().is_empty()) {
        return Err(error_of_wrong_kind(
            "this RSA key has three or more primes, which is not supported; create one of two primes",
        ));
    }
    if others.len() < 5 || others.iter().any(|number| form::bits_of(*number) == 0) {
        return Err(error_of_wrong_kind(
            "this RSA key has n, e and d alone, without its primes; restore a copy that has them, \
             compute them with rsa_recover_prime_factors of Python's package cryptography, or \
             create another key",
        ));
    }
    if others.len() > 5 || rest.iter().any(|it| !it.value().is_empty()) {
        return Err(unreadable());
    }
    match form::bits_of(*exponent) {
        0 | 1 => {
            return Err(error_of_wrong_kind(
                "the public exponent of this RSA key is below 2, so that its signatures prove \
                 nothing; create another key",
            ));
        }
        2..=EXPONENT_BITS => {}
        _ => {
            return Err(error_of_wrong_kind(
                "the public exponent of this RSA key has more than 33 bits, which is not \
                 supported; create another key",
            ));
        }
    }
    let in_order = |number| (UintRef::len(number), UintRef::as_bytes(number));
    if in_order(private) >= in_order(modulus) {
        return Err(error_of_wrong_kind(
            "the private exponent of this RSA key is not smaller than its modulus, which is not \
             supported; create another key",
        ));
    }
    // Some programs write another version.
    let numbers = [&[][..]].into_iter().chain(numbers[1..].iter().map(UintRef::as_bytes));
    Ok(ber::sequence_of(&numbers.collect::<Vec<_>>()))
}

/// Why a key of OpenSSH cannot be used: it keeps other algorithms in its own
/// format. Their names are not encrypted.
fn error_of_openssh(contents: &[u8]) -> Error {
    let has = |name: &[u8]| contents.windows(name.len()).any(|window| window == name);
    if has(b"ssh-ed25519") {
        error_of_form(Form::Pkcs8(Algorithm::Ed25519))
    } else if has(b"ecdsa-sha2") {
        error_of_form(Form::Pkcs8(Algorithm::Ec))
    } else {
        messages::key_is_openssh()
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(***)")
    }
}

const CANNOT_SIGN: &str =
    "the private key makes no valid signature; it may be damaged: restore it from a good copy";

/// A kid is an identifier, sent in a header with every request.
const LONGEST_KID: usize = 256;

/// A private key, and the kid to sign as.
pub struct LocalSigner {
    kid: String,
    key: PrivateKey,
    public_key: PublicKey,
}

impl LocalSigner {
    /// A signer for `kid` with `key`.
    ///
    /// # Errors
    /// `config` if the kid is empty, longer than 256 bytes or contains control
    /// characters.
    pub fn new(key: &PrivateKey, kid: &str) -> Result<Self, Error> {
        check_kid(kid)?;
        let damaged = messages::key_damaged;
        let parsed = key.parsed();
        let key_pair = parsed.as_ref().as_ref().ok_or_else(damaged)?;
        let public_key =
            PublicKey::from_der(key_pair.public_key().as_ref()).map_err(|_| damaged())?;
        Ok(Self { kid: kid.to_owned(), key: key.clone(), public_key })
    }

    /// The public key that belongs to the private key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public_key
    }
}

/// Checks that `kid` is valid in a protected header.
///
/// # Errors
/// `config`, which names the mistake.
pub(crate) fn check_kid(kid: &str) -> Result<(), Error> {
    if kid.is_empty() {
        Err(messages::kid_empty())
    } else if kid.len() > LONGEST_KID {
        Err(messages::kid_too_long())
    } else if kid.chars().any(|c| c.is_control() || c == BYTE_ORDER_MARK) {
        Err(messages::kid_control_character())
    } else {
        Ok(())
    }
}

impl PrivateKey {
    /// A signer for `kid` with this key.
    ///
    /// # Errors
    /// `config` if the kid cannot be used.
    pub fn signer(&self, kid: &str) -> Result<LocalSigner, Error> {
        LocalSigner::new(self, kid)
    }
}

impl Signer for LocalSigner {
    fn kid(&self) -> &str {
        &self.kid
    }

    fn sign(
        &self,
        _context: &CallContext,
        input: &SigningInput<'_>,
    ) -> Result<Vec<u8>, SignerError> {
        let failed = || SignerError::new(CANNOT_SIGN);
        let parsed = self.key.parsed();
        let key_pair = parsed.as_ref().as_ref().ok_or_else(failed)?;
        let mut signature = vec![0; key_pair.public_modulus_len()];
        key_pair
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), input.bytes(), &mut signature)
            .map_err(|_| failed())?;
        Ok(signature)
    }

    fn public_key(&self) -> Option<&PublicKey> {
        Some(&self.public_key)
    }
}

debug_shows!(LocalSigner, |it| kid = it.kid, public_key = it.public_key);
