//! Decrypts private keys that are encrypted by PBES2 (RFC 8018): AES-CBC with a
//! key that PBKDF2 or scrypt derives from the passphrase.

use std::num::NonZeroU32;

use aws_lc_rs::cipher::{
    AES_128, AES_192, AES_256, Algorithm as Cipher, DecryptionContext, PaddedBlockDecryptingKey,
    UnboundCipherKey,
};
use aws_lc_rs::pbkdf2::{
    self, PBKDF2_HMAC_SHA1, PBKDF2_HMAC_SHA256, PBKDF2_HMAC_SHA384, PBKDF2_HMAC_SHA512,
};
use der::asn1::{AnyRef, ObjectIdentifier};
use der::{Decode as _, Tag};
use payments_base::pem::form::{is, members, octets};
use payments_base::secret::{Secret, SecretBytes};
use zeroize::Zeroizing;

use crate::model::error::{Error, ErrorCode, messages};

const PBES2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.13");
const PBKDF2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.12");
const SCRYPT: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.11591.4.11");
/// The prefixes of schemes of PKCS#5 and PKCS#12. Their ciphers are DES, RC2
/// and RC4, except for two with triple DES.
const PBES1: [ObjectIdentifier; 2] = [
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.5"),
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1"),
];
const TRIPLE_DES: [ObjectIdentifier; 2] = [
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.3"),
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.4"),
];

/// Takes some seconds; tools use up to a million.
const MOST_ROUNDS: u32 = 10_000_000;
/// The limits of scrypt for memory, and for total work.
const MOST_MEMORY: u64 = 256 * 1024 * 1024;
const MOST_WORK: u64 = 1024 * 1024 * 1024;

/// How a key is encrypted.
struct Scheme<'a> {
    derivation: Derivation<'a>,
    cipher: &'static Cipher,
    key_length: usize,
    iv: [u8; 16],
}

enum Derivation<'a> {
    Pbkdf2 { function: Function, salt: &'a [u8], rounds: NonZeroU32 },
    Scrypt { salt: &'a [u8], parameters: scrypt::Params },
}

enum Function {
    AwsLc(pbkdf2::Algorithm),
    /// AWS-LC does not offer it. Some of Java's schemes use it.
    Sha224,
}

/// Decrypts an `EncryptedPrivateKeyInfo`.
///
/// # Errors
/// `config` if the scheme is not supported, or the result is not padded as the
/// right passphrase makes it.
pub(super) fn decrypt(der: &[u8], passphrase: &Secret) -> Result<SecretBytes, Error> {
    let unsupported = || unsupported(der);
    let (scheme, encrypted) = Scheme::read(der).ok_or_else(unsupported)?;
    let mut key = Zeroizing::new([0; 32]);
    let key = &mut key[..scheme.key_length];
    scheme.derivation.derive(passphrase.expose().as_bytes(), key).ok_or_else(unsupported)?;
    let key = UnboundCipherKey::new(scheme.cipher, key).map_err(|_| unsupported())?;
    let key = PaddedBlockDecryptingKey::cbc_pkcs7(key).map_err(|_| unsupported())?;
    let mut contents = Zeroizing::new(encrypted.to_vec());
    let decrypted = key.decrypt(&mut contents, DecryptionContext::Iv128(scheme.iv.into()));
    let length = decrypted.map_err(|_| messages::key_passphrase_wrong())?.len();
    contents.truncate(length);
    Ok(SecretBytes::new(std::mem::take(&mut *contents)))
}

impl<'a> Scheme<'a> {
    /// The scheme, and the encrypted bytes.
    fn read(der: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let [scheme, encrypted] = exactly(AnyRef::from_der(der).ok()?)?;
        let (PBES2, Some(parameters)) = algorithm(scheme)? else { return None };
        let [derivation, cipher] = exactly(parameters)?;
        let (cipher, iv) = algorithm(cipher)?;
        let (cipher, key_length) = match cipher.to_string().as_str() {
            "2.16.840.1.101.3.4.1.2" => (&AES_128, 16),
            "2.16.840.1.101.3.4.1.22" => (&AES_192, 24),
            "2.16.840.1.101.3.4.1.42" => (&AES_256, 32),
            _ => return None,
        };
        let (derivation, length) = Derivation::read(derivation)?;
        let iv = octets(iv?)?.try_into().ok()?;
        let fits = length.is_none_or(|length| length == key_length);
        let scheme = Self { derivation, cipher, key_length, iv };
        fits.then_some((scheme, octets(encrypted)?))
    }
}

impl<'a> Derivation<'a> {
    /// The derivation, and the length of its key if it states one.
    fn read(element: AnyRef<'a>) -> Option<(Self, Option<usize>)> {
        let (name, parameters) = algorithm(element)?;
        let members = members(parameters?);
        let salt = octets(*members.first()?)?;
        let numbers: Option<Vec<u64>> = members[1..]
            .iter()
            .take_while(|it| is(it, Tag::Integer))
            .map(|it| it.decode_as().ok())
            .collect();
        let length = |number: Option<&u64>| number.and_then(|it| usize::try_from(*it).ok());
        match (name, numbers?.as_slice()) {
            (PBKDF2, [rounds, lengths @ ..]) => {
                let function = members.last().filter(|it| is(it, Tag::Sequence));
                let function = Function::read(function.copied())?;
                let rounds = u32::try_from(*rounds).ok().filter(|it| *it <= MOST_ROUNDS)?;
                let rounds = NonZeroU32::new(rounds)?;
                Some((Self::Pbkdf2 { function, salt, rounds }, length(lengths.first())))
            }
            (SCRYPT, [cost, block, parallel, lengths @ ..]) => {
                let memory = cost.checked_mul(*block)?.checked_mul(128)?;
                let is_bounded = memory <= MOST_MEMORY
                    && memory.checked_mul(*parallel)? <= MOST_WORK
                    && cost.is_power_of_two();
                let [block, parallel] = [block, parallel].map(|it| u32::try_from(*it).ok());
                let cost = u8::try_from(cost.checked_ilog2()?).ok()?;
                let parameters = scrypt::Params::new(cost, block?, parallel?, 32).ok()?;
                is_bounded.then_some((Self::Scrypt { salt, parameters }, length(lengths.first())))
            }
            _ => None,
        }
    }

    fn derive(&self, passphrase: &[u8], key: &mut [u8]) -> Option<()> {
        match self {
            Self::Pbkdf2 { function: Function::AwsLc(function), salt, rounds } => {
                pbkdf2::derive(*function, *rounds, salt, passphrase, key);
                Some(())
            }
            Self::Pbkdf2 { function: Function::Sha224, salt, rounds } => {
                ::pbkdf2::pbkdf2_hmac::<sha2::Sha224>(passphrase, salt, rounds.get(), key);
                Some(())
            }
            Self::Scrypt { salt, parameters } => {
                scrypt::scrypt(passphrase, salt, parameters, key).ok()
            }
        }
    }
}

impl Function {
    /// Absent means HMAC with SHA-1. GnuTLS leaves out the NULL after the name.
    fn read(element: Option<AnyRef<'_>>) -> Option<Self> {
        let Some(element) = element else { return Some(Self::AwsLc(PBKDF2_HMAC_SHA1)) };
        Some(match algorithm(element)?.0.to_string().as_str() {
            "1.2.840.113549.2.7" => Self::AwsLc(PBKDF2_HMAC_SHA1),
            "1.2.840.113549.2.8" => Self::Sha224,
            "1.2.840.113549.2.9" => Self::AwsLc(PBKDF2_HMAC_SHA256),
            "1.2.840.113549.2.10" => Self::AwsLc(PBKDF2_HMAC_SHA384),
            "1.2.840.113549.2.11" => Self::AwsLc(PBKDF2_HMAC_SHA512),
            _ => return None,
        })
    }
}

fn exactly<const N: usize>(sequence: AnyRef<'_>) -> Option<[AnyRef<'_>; N]> {
    members(sequence).try_into().ok()
}

/// The name and the parameters of an algorithm.
fn algorithm(element: AnyRef<'_>) -> Option<(ObjectIdentifier, Option<AnyRef<'_>>)> {
    let members = members(element);
    Some((members.first()?.decode_as().ok()?, members.get(1).copied()))
}

/// OpenSSL 3 decrypts obsolete schemes only with its legacy provider.
fn unsupported(der: &[u8]) -> Error {
    let scheme =
        AnyRef::from_der(der).ok().and_then(exactly).and_then(|[scheme, _]| algorithm(scheme));
    let is_obsolete = scheme.is_some_and(|(name, _)| {
        name != PBES2
            && !TRIPLE_DES.contains(&name)
            && name.parent().is_some_and(|parent| PBES1.contains(&parent))
    });
    let providers = if is_obsolete { " -provider legacy -provider default" } else { "" };
    let message = format!(
        "the encryption of this key is not supported; convert it to PBES2 with AES and PBKDF2 with \
         `openssl pkcs8 -topk8{providers} -v2 aes-256-cbc -v2prf hmacWithSHA256 -in FILE -out \
         private_key.pem`"
    );
    Error::config("key", ErrorCode::KEY_TO_CONVERT, message)
}
