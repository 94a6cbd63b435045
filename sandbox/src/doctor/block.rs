//! The block in a signature: the data that its key signed, with the padding and
//! the digest around it (RFC 8017, 9.1 and 9.2).

use super::hash::{Hash, forms};

/// A PKCS#1 v1.5 block has at least this many bytes of filling, and a PSS block with
/// fewer may be one by chance.
const LEAST_FILLING: usize = 8;

/// A block that has padding.
pub(super) enum Block {
    /// PKCS#1 v1.5 around a DigestInfo. `hash` is `None` if it is not known.
    DigestInfo { hash: Option<&'static Hash>, has_null: bool, digest: Vec<u8> },
    /// PKCS#1 v1.5 around something else.
    Bare(Vec<u8>),
    /// PSS, as the hashes with which it may have been made.
    Pss(Vec<PssBlock>),
}

/// A block of RSASSA-PSS.
pub(super) struct PssBlock {
    hash: &'static Hash,
    salt: Vec<u8>,
    digest: Vec<u8>,
    is_certain: bool,
}

/// How a block was made from a signing input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Recipe {
    Rs256,
    /// A description of the data that was signed in place of the digest.
    Other(String),
    Pss,
}

impl Block {
    /// Reads a signature that was opened with a public key. `None` without
    /// padding: the key did not make it.
    pub(super) fn read(opened: &[u8]) -> Option<Self> {
        if let Some(contents) = without_padding(opened) {
            return Some(digest_info(contents).unwrap_or_else(|| Self::Bare(contents.to_vec())));
        }
        let pss: Vec<_> = Hash::computed()
            .flat_map(|hash| Hash::computed().map(move |mask| (hash, mask)))
            .filter_map(|(hash, mask)| PssBlock::read(opened, hash, mask))
            .collect();
        (!pss.is_empty()).then_some(Self::Pss(pss))
    }

    /// Whether the block alone shows that the key made the signature.
    pub(super) fn is_certain(&self) -> bool {
        match self {
            Self::DigestInfo { .. } | Self::Bare(_) => true,
            Self::Pss(blocks) => blocks.iter().any(|block| block.is_certain),
        }
    }

    /// How the block was made from the signing input in `parts`, if it was: from
    /// its digest, or from another form of it.
    pub(super) fn recipe(&self, parts: &[&[u8]]) -> Option<Recipe> {
        match self {
            Self::DigestInfo { hash, has_null, digest } => {
                let recipe = of_digest(digest, (*hash)?, parts)?;
                Some(match (recipe, has_null) {
                    (Recipe::Other(what), false) => {
                        Recipe::Other(format!("{what}, in a DigestInfo without NULL"))
                    }
                    (_, false) => Recipe::Other(
                        "the SHA-256 digest of the signing input, in a DigestInfo without NULL"
                            .to_owned(),
                    ),
                    (recipe, true) => recipe,
                })
            }
            Self::Bare(contents) => {
                if *contents == parts.concat() {
                    return Some(Recipe::Other(
                        "the signing input itself, without a digest".to_owned(),
                    ));
                }
                Hash::computed().find_map(|inner| bare(contents, inner, parts))
            }
            Self::Pss(blocks) => {
                blocks.iter().any(|block| block.is_over(parts)).then_some(Recipe::Pss)
            }
        }
    }

    /// The contents of the block, if its source is not known. `None` if they
    /// are what RS256 requires.
    pub(super) fn described(&self) -> Option<String> {
        const OF_OTHER_BYTES: &str = "which is of no known form of this body";
        Some(match self {
            Self::DigestInfo { hash: None, .. } => "a digest of an unknown algorithm".to_owned(),
            Self::DigestInfo { hash: Some(hash), digest, .. } if digest.len() != hash.length => {
                format!("{} bytes in place of {} digest", digest.len(), a(hash))
            }
            Self::DigestInfo { hash: Some(hash), has_null: false, .. } => {
                format!("{} digest in a DigestInfo without NULL, {OF_OTHER_BYTES}", a(hash))
            }
            Self::DigestInfo { hash: Some(hash), .. } if *hash == Hash::sha_256() => return None,
            Self::DigestInfo { hash: Some(hash), .. } if hash.is_computed() => {
                format!("{} digest, {OF_OTHER_BYTES}", a(hash))
            }
            Self::DigestInfo { hash: Some(hash), .. } => {
                format!("{} digest, which is not compared with the body", a(hash))
            }
            Self::Bare(contents) if is_hex_of_digest(contents) => {
                "the hex text of a digest, without a DigestInfo".to_owned()
            }
            Self::Bare(contents) => match Hash::with_length(contents.len()) {
                Some(hash) => {
                    format!("{} bytes like {} digest, without a DigestInfo", hash.length, a(hash))
                }
                None => format!("{} bytes that are no digest", contents.len()),
            },
            Self::Pss(_) => format!("a PSS block, {OF_OTHER_BYTES}"),
        })
    }
}

/// How a digest in a DigestInfo was made: from the text, or from another digest of
/// it.
fn of_digest(digest: &[u8], outer: &Hash, parts: &[&[u8]]) -> Option<Recipe> {
    for inner in Hash::computed() {
        let own = inner.of(parts)?;
        if digest == own {
            return Some(match (inner == outer, inner == Hash::sha_256()) {
                (true, true) => Recipe::Rs256,
                (true, false) => {
                    Recipe::Other(format!("the {} digest of the signing input", outer.name))
                }
                _ => Recipe::Other(format!(
                    "the {} digest of the signing input, marked as {} digest",
                    inner.name,
                    a(outer)
                )),
            });
        }
        for form in forms(inner, &own) {
            let what = form.of_signing_input(inner);
            if digest == form.bytes {
                return Some(Recipe::Other(format!("{what}, in place of the digest itself")));
            }
            if outer.of(&[&form.bytes]).is_some_and(|it| it == digest) {
                let name = outer.name;
                return Some(Recipe::Other(format!("the {name} digest of {what}")));
            }
        }
    }
    None
}

/// How contents without a DigestInfo were made with that digest.
fn bare(contents: &[u8], inner: &Hash, parts: &[&[u8]]) -> Option<Recipe> {
    let own = inner.of(parts)?;
    for form in forms(inner, &own) {
        let mut outer = Hash::computed().filter(|outer| outer.length == contents.len());
        let twice = outer.find(|outer| outer.of(&[&form.bytes]).is_some_and(|it| it == contents));
        let what = form.of_signing_input(inner);
        let what = match twice {
            Some(outer) => format!("the {} digest of {what}", outer.name),
            None if form.bytes == contents => what,
            None => continue,
        };
        return Some(Recipe::Other(format!("{what}, without a DigestInfo")));
    }
    None
}

/// The name with its article.
fn a(hash: &Hash) -> String {
    let article = if hash.name.starts_with('M') { "an" } else { "a" };
    format!("{article} {}", hash.name)
}

fn is_hex_of_digest(contents: &[u8]) -> bool {
    contents.iter().all(u8::is_ascii_hexdigit)
        && contents.len().is_multiple_of(2)
        && Hash::with_length(contents.len() / 2).is_some()
}

/// The contents of a PKCS#1 v1.5 block for signatures.
fn without_padding(opened: &[u8]) -> Option<&[u8]> {
    let filled = opened.strip_prefix(&[0, 1])?;
    let filling = filled.iter().take_while(|byte| **byte == 0xff).count();
    filled[filling..].strip_prefix(&[0]).filter(|_| filling >= LEAST_FILLING)
}

fn digest_info(contents: &[u8]) -> Option<Block> {
    let (inside, []) = element(0x30, contents)? else { return None };
    let (algorithm, rest) = element(0x30, inside)?;
    let (digest, []) = element(0x04, rest)? else { return None };
    let (oid, parameters) = element(0x06, algorithm)?;
    let has_null = match parameters {
        [0x05, 0x00] => true,
        [] => false,
        _ => return None,
    };
    Some(Block::DigestInfo { hash: Hash::with_oid(oid), has_null, digest: digest.to_vec() })
}

/// The value of a short DER element with that tag, and the rest.
fn element(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    match der {
        [own, length @ ..0x80, rest @ ..] if *own == tag => {
            rest.split_at_checked(usize::from(*length))
        }
        _ => None,
    }
}

impl PssBlock {
    /// Reads a block whose mask is made with `mask`.
    fn read(opened: &[u8], hash: &'static Hash, mask: &Hash) -> Option<Self> {
        let opened = opened.strip_suffix(&[0xbc])?;
        let (masked, digest) = opened.split_at_checked(opened.len().checked_sub(hash.length)?)?;
        let mut data: Vec<u8> = Vec::with_capacity(masked.len() + mask.length);
        for counter in 0_u32.. {
            if data.len() >= masked.len() {
                break;
            }
            data.extend(mask.of(&[digest, &counter.to_be_bytes()])?);
        }
        data.truncate(masked.len());
        data.iter_mut().zip(masked).for_each(|(byte, masked)| *byte ^= masked);
        // The number is smaller than the modulus, by a bit.
        *data.first_mut()? &= 0x7f;
        let filling = data.iter().take_while(|byte| **byte == 0).count();
        let salt = data[filling..].strip_prefix(&[1])?.to_vec();
        let is_certain = filling >= LEAST_FILLING;
        Some(Self { hash, salt, digest: digest.to_vec(), is_certain })
    }

    fn is_over(&self, parts: &[&[u8]]) -> bool {
        let digest = self.hash.of(parts).and_then(|it| self.hash.of(&[&[0; 8], &it, &self.salt]));
        digest.is_some_and(|digest| digest == self.digest)
    }
}
