//! The digests that a signature may hold.

use aws_lc_rs::digest::{
    Algorithm, Context, SHA1_FOR_LEGACY_USE_ONLY, SHA224, SHA256, SHA384, SHA512,
};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// A digest algorithm.
pub(super) struct Hash {
    pub(super) name: &'static str,
    /// The contents of its object identifier.
    oid: &'static [u8],
    pub(super) length: usize,
    /// `None` if it is known by name only.
    algorithm: Option<&'static Algorithm>,
}

/// The likely ones first.
static HASHES: [Hash; 10] = [
    hash("SHA-256", b"\x60\x86\x48\x01\x65\x03\x04\x02\x01", 32, Some(&SHA256)),
    hash("SHA-1", b"\x2b\x0e\x03\x02\x1a", 20, Some(&SHA1_FOR_LEGACY_USE_ONLY)),
    hash("SHA-512", b"\x60\x86\x48\x01\x65\x03\x04\x02\x03", 64, Some(&SHA512)),
    hash("SHA-384", b"\x60\x86\x48\x01\x65\x03\x04\x02\x02", 48, Some(&SHA384)),
    hash("SHA-224", b"\x60\x86\x48\x01\x65\x03\x04\x02\x04", 28, Some(&SHA224)),
    hash("MD5", b"\x2a\x86\x48\x86\xf7\x0d\x02\x05", 16, None),
    hash("SHA-512/256", b"\x60\x86\x48\x01\x65\x03\x04\x02\x06", 32, None),
    hash("SHA3-256", b"\x60\x86\x48\x01\x65\x03\x04\x02\x08", 32, None),
    hash("SHA3-512", b"\x60\x86\x48\x01\x65\x03\x04\x02\x0a", 64, None),
    hash("RIPEMD-160", b"\x2b\x24\x03\x02\x01", 20, None),
];

const fn hash(
    name: &'static str,
    oid: &'static [u8],
    length: usize,
    algorithm: Option<&'static Algorithm>,
) -> Hash {
    Hash { name, oid, length, algorithm }
}

impl Hash {
    /// The hash of RS256.
    pub(super) fn sha_256() -> &'static Self {
        &HASHES[0]
    }

    /// The hashes that can be computed here.
    pub(super) fn computed() -> impl Iterator<Item = &'static Self> {
        HASHES.iter().filter(|hash| hash.is_computed())
    }

    pub(super) fn is_computed(&self) -> bool {
        self.algorithm.is_some()
    }

    pub(super) fn with_length(length: usize) -> Option<&'static Self> {
        HASHES.iter().find(|hash| hash.length == length)
    }

    pub(super) fn with_oid(oid: &[u8]) -> Option<&'static Self> {
        HASHES.iter().find(|hash| hash.oid == oid)
    }

    /// The digest of `parts`, if it can be computed here.
    pub(super) fn of(&self, parts: &[&[u8]]) -> Option<Vec<u8>> {
        let mut context = Context::new(self.algorithm?);
        parts.iter().for_each(|part| context.update(part));
        Some(context.finish().as_ref().to_vec())
    }

    /// The DigestInfo of a digest (RFC 8017, 9.2).
    pub(super) fn digest_info(&self, digest: &[u8]) -> Vec<u8> {
        let tagged = |tag: u8, value: &[u8]| [&[tag, short(value.len())], value].concat();
        let algorithm = tagged(0x30, &[&tagged(0x06, self.oid)[..], &[0x05, 0x00]].concat());
        tagged(0x30, &[algorithm, tagged(0x04, digest)].concat())
    }
}

/// Forms of a digest that programs sign.
pub(super) struct Form {
    pub(super) bytes: Vec<u8>,
    /// Its description; completes "the digest".
    pub(super) what: &'static str,
}

/// The digest itself, its texts, and its DigestInfo.
pub(super) fn forms(hash: &Hash, digest: &[u8]) -> Vec<Form> {
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let upper = hex.to_uppercase();
    let form = |bytes: Vec<u8>, what| Form { bytes, what };
    vec![
        form(digest.to_vec(), ""),
        form(hex.into_bytes(), "the hex text of "),
        form(upper.into_bytes(), "the hex text, in upper case, of "),
        form(STANDARD.encode(digest).into_bytes(), "the base64 text of "),
        form(STANDARD_NO_PAD.encode(digest).into_bytes(), "the base64 text of "),
        form(URL_SAFE_NO_PAD.encode(digest).into_bytes(), "the base64url text of "),
        form(hash.digest_info(digest), "the DigestInfo of "),
    ]
}

impl Form {
    /// Its description if the digest is one of the signing input.
    pub(super) fn of_signing_input(&self, hash: &Hash) -> String {
        format!("{}the {} digest of the signing input", self.what, hash.name)
    }
}

/// The length of a digest or less, as DER writes it.
fn short(length: usize) -> u8 {
    u8::try_from(length).unwrap_or(u8::MAX)
}

impl PartialEq for Hash {
    fn eq(&self, other: &Self) -> bool {
        self.oid == other.oid
    }
}
