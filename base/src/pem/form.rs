//! Identifies DER documents, and takes RSA keys out of them.
//!
//! aws-lc-rs or the `rsa` crate checks the numbers of the key.

use crate::secret::SecretBytes;
use der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, UintRef};
use der::{Decode, Header, Reader, SliceReader, Tag, TagNumber, Tagged as _};

use super::ber;

/// PKCS#1, and X.500, whose name OpenSSL reads too.
const RSA: [ObjectIdentifier; 2] = [
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1"),
    ObjectIdentifier::new_unwrap("2.5.8.1.1"),
];
/// RSASSA-PKCS1-v1_5 with a hash. Some programs name a key after its use.
const PKCS1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1");
const RSA_WITH_A_HASH: [u32; 10] = [2, 3, 4, 5, 11, 12, 13, 14, 15, 16];
const RSA_PSS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
/// The prefix of the contents of PKCS#7 and CMS.
const PKCS7: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7");

/// The algorithm of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// RSA, for any use.
    Rsa,
    /// RSA restricted to PSS; it must not make PKCS#1 v1.5 signatures.
    RsaPss,
    /// Elliptic curves.
    Ec,
    /// Ed25519.
    Ed25519,
    /// Another one.
    Other,
}

/// The kind of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `PrivateKeyInfo`.
    Pkcs8(Algorithm),
    /// `EncryptedPrivateKeyInfo`.
    EncryptedPkcs8,
    /// `RSAPrivateKey`.
    Pkcs1,
    /// `ECPrivateKey`.
    Sec1,
    /// `SubjectPublicKeyInfo`.
    Spki(Algorithm),
    /// `RSAPublicKey`.
    Pkcs1Public,
    /// A certificate.
    Certificate,
    /// A certificate request.
    CertificateRequest,
    /// PKCS#7.
    Pkcs7,
    /// PKCS#12.
    Pkcs12,
    /// The outermost length is larger than the document.
    Truncated,
    /// Bytes follow the document.
    TrailingBytes,
    /// Something else.
    Unknown,
}

/// Identifies `der`.
pub fn identify(der: &[u8]) -> Form {
    let Ok(mut reader) = SliceReader::new(der) else { return Form::Unknown };
    let Ok(header) = Header::decode(&mut reader) else {
        return if matches!(der, [0x30] | [0x30, 0x81..=0x84, ..]) && der.len() < 6 {
            Form::Truncated
        } else {
            Form::Unknown
        };
    };
    if header.tag != Tag::Sequence {
        return Form::Unknown;
    }
    match header.length.cmp(&reader.remaining_len()) {
        std::cmp::Ordering::Greater => return Form::Truncated,
        std::cmp::Ordering::Less => return Form::TrailingBytes,
        std::cmp::Ordering::Equal => {}
    }
    let Ok(inside) = AnyRef::from_der(der) else { return Form::Unknown };
    let members = members(inside);
    let tagged = Tag::ContextSpecific { constructed: true, number: TagNumber::N0 };
    match members.as_slice() {
        [version, algorithm, key, ..]
            if is(version, Tag::Integer)
                && is(algorithm, Tag::Sequence)
                && is(key, Tag::OctetString) =>
        {
            Form::Pkcs8(algorithm_of(algorithm))
        }
        [version, key, ..] if is(version, Tag::Integer) && is(key, Tag::OctetString) => Form::Sec1,
        [n, e] if is(n, Tag::Integer) && is(e, Tag::Integer) => Form::Pkcs1Public,
        [version, n, e, d, ..] if [version, n, e, d].iter().all(|it| is(it, Tag::Integer)) => {
            Form::Pkcs1
        }
        [version, content, ..]
            if is(version, Tag::Integer) && version.value() == [3] && starts_with_oid(content) =>
        {
            Form::Pkcs12
        }
        [content_type, content] if is(content, tagged) && is_pkcs7(content_type) => Form::Pkcs7,
        [scheme, content] if starts_with_oid(scheme) && is(content, Tag::OctetString) => {
            Form::EncryptedPkcs8
        }
        [algorithm, key] if starts_with_oid(algorithm) && is(key, Tag::BitString) => {
            Form::Spki(algorithm_of(algorithm))
        }
        [signed, algorithm, signature]
            if starts_with_oid(algorithm) && is(signature, Tag::BitString) =>
        {
            signed_form(signed)
        }
        _ => Form::Unknown,
    }
}

/// The `RSAPrivateKey` in a document of this form.
pub fn rsa_private_key(form: Form, der: &[u8]) -> Option<&[u8]> {
    match form {
        Form::Pkcs8(Algorithm::Rsa) => octets(*members(AnyRef::from_der(der).ok()?).get(2)?),
        Form::Pkcs1 => Some(der),
        _ => None,
    }
}

/// The `RSAPublicKey` in a document of this form.
pub fn rsa_public_key(form: Form, der: &[u8]) -> Option<&[u8]> {
    match form {
        Form::Spki(Algorithm::Rsa) => {
            let members = members(AnyRef::from_der(der).ok()?);
            members.get(1)?.decode_as::<BitStringRef<'_>>().ok()?.as_bytes()
        }
        Form::Pkcs1Public => Some(der),
        _ => None,
    }
}

/// The form of a document, and the document itself where a key had to be
/// rewritten as DER.
pub fn identify_key(bytes: &[u8]) -> (Form, Option<SecretBytes>) {
    let form = identify(bytes);
    let rewritten = if form == Form::Unknown { ber::to_der(bytes) } else { None };
    match rewritten.as_ref().map(|der| identify(der.expose())) {
        Some(
            form @ (Form::Pkcs8(_)
            | Form::EncryptedPkcs8
            | Form::Pkcs1
            | Form::Sec1
            | Form::Spki(_)
            | Form::Pkcs1Public),
        ) => (form, rewritten),
        _ => (form, None),
    }
}

/// The numbers at the start of a sequence, and the members after them. No number
/// of a key is negative: one that seems so lacks a zero.
pub fn numbers(sequence: &[u8]) -> Option<(Vec<UintRef<'_>>, Vec<AnyRef<'_>>)> {
    let mut members = members(AnyRef::from_der(sequence).ok()?);
    let count = members.iter().take_while(|it| is(it, Tag::Integer)).count();
    let rest = members.split_off(count);
    let numbers: Option<_> = members.iter().map(|it| UintRef::new(it.value()).ok()).collect();
    Some((numbers?, rest))
}

/// How many bits a number has, without leading zeros.
pub fn bits_of(number: UintRef<'_>) -> usize {
    let bytes = number.as_bytes();
    let leading = bytes.first().map_or(0, |first| first.leading_zeros() as usize);
    bytes.len() * 8 - leading
}

/// The contents of an OCTET STRING.
pub fn octets(element: AnyRef<'_>) -> Option<&[u8]> {
    is(&element, Tag::OctetString).then(|| element.value())
}

/// The first document of `der`, and the rest.
pub fn split_first(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let first = SliceReader::new(der).ok()?.tlv_bytes().ok()?;
    Some((first, &der[first.len()..]))
}

/// The members of a sequence; empty if it cannot be parsed.
pub fn members(sequence: AnyRef<'_>) -> Vec<AnyRef<'_>> {
    match sequence.tag() {
        Tag::Sequence => elements(sequence.value()),
        _ => Vec::new(),
    }
}

/// The elements that follow each other in `der`; empty if one cannot be parsed.
pub fn elements(der: &[u8]) -> Vec<AnyRef<'_>> {
    let mut members = Vec::new();
    let Ok(mut reader) = SliceReader::new(der) else { return members };
    while !reader.is_finished() {
        match AnyRef::decode(&mut reader) {
            Ok(member) => members.push(member),
            Err(_) => return Vec::new(),
        }
    }
    members
}

/// Whether an element has this tag.
pub fn is(element: &AnyRef<'_>, tag: Tag) -> bool {
    element.tag() == tag
}

fn starts_with_oid(element: &AnyRef<'_>) -> bool {
    members(*element).first().is_some_and(|first| is(first, Tag::ObjectIdentifier))
}

fn is_pkcs7(element: &AnyRef<'_>) -> bool {
    let oid = element.decode_as::<ObjectIdentifier>();
    oid.ok().and_then(|oid| oid.parent()) == Some(PKCS7)
}

fn algorithm_of(identifier: &AnyRef<'_>) -> Algorithm {
    let oid = members(*identifier).first().and_then(|oid| oid.decode_as::<ObjectIdentifier>().ok());
    match oid {
        Some(oid) if RSA.contains(&oid) => Algorithm::Rsa,
        Some(oid)
            if oid.parent() == Some(PKCS1)
                && oid.arcs().last().is_some_and(|it| RSA_WITH_A_HASH.contains(&it)) =>
        {
            Algorithm::Rsa
        }
        Some(RSA_PSS) => Algorithm::RsaPss,
        Some(EC) => Algorithm::Ec,
        Some(ED25519) => Algorithm::Ed25519,
        _ => Algorithm::Other,
    }
}

/// Tells a certificate from a certificate request by the signed part: a
/// certificate has a tagged version, or a serial number before an algorithm; a
/// request has a version before a name.
fn signed_form(signed: &AnyRef<'_>) -> Form {
    let tagged = Tag::ContextSpecific { constructed: true, number: TagNumber::N0 };
    match members(*signed).as_slice() {
        [first, ..] if is(first, tagged) => Form::Certificate,
        [first, second, ..] if is(first, Tag::Integer) && starts_with_oid(second) => {
            Form::Certificate
        }
        [first, second, ..] if is(first, Tag::Integer) && is(second, Tag::Sequence) => {
            Form::CertificateRequest
        }
        _ => Form::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTEGER: &[u8] = &[2, 1, 0];
    const OCTETS: &[u8] = &[4, 1, 0];
    const BITS: &[u8] = &[3, 2, 0, 0];
    const ALGORITHM: &[u8] = &[0x30, 3, 6, 1, 0x2a];
    const NAME: &[u8] = &[0x30, 0];
    const TAGGED: &[u8] = &[0xa0, 3, 2, 1, 2];
    const SIGNED_DATA: &[u8] = &[6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2];

    fn sequence(members: &[&[u8]]) -> Vec<u8> {
        let inside = members.concat();
        [&[0x30, inside.len() as u8], inside.as_slice()].concat()
    }

    #[test]
    fn only_four_integers_are_a_key() {
        assert_eq!(identify(&sequence(&[INTEGER; 4])), Form::Pkcs1);
        for odd in [OCTETS, ALGORITHM] {
            let mixed = sequence(&[INTEGER, INTEGER, odd, INTEGER]);
            assert_eq!(identify(&mixed), Form::Unknown, "{odd:?}");
        }
    }

    #[test]
    fn a_signed_document_has_an_algorithm_and_a_signature() {
        let (with_version, first) = (sequence(&[TAGGED]), sequence(&[INTEGER, ALGORITHM]));
        let (request, neither) = (sequence(&[INTEGER, NAME]), sequence(&[INTEGER, INTEGER]));
        let unversioned = sequence(&[OCTETS, NAME]);
        for (signed, algorithm, signature, expected) in [
            (&with_version, ALGORITHM, BITS, Form::Certificate),
            (&first, ALGORITHM, BITS, Form::Certificate),
            (&request, ALGORITHM, BITS, Form::CertificateRequest),
            (&neither, ALGORITHM, BITS, Form::Unknown),
            (&unversioned, ALGORITHM, BITS, Form::Unknown),
            (&with_version, NAME, BITS, Form::Unknown),
            (&with_version, ALGORITHM, OCTETS, Form::Unknown),
        ] {
            let document = sequence(&[signed, algorithm, signature]);
            assert_eq!(identify(&document), expected, "{document:?}");
        }
    }

    #[test]
    fn private_keys_differ_from_their_containers() {
        let version_3: &[u8] = &[2, 1, 3];
        for (members, expected) in [
            (&[INTEGER, OCTETS][..], Form::Sec1),
            (&[INTEGER, ALGORITHM, OCTETS], Form::Pkcs8(Algorithm::Other)),
            (&[ALGORITHM, OCTETS], Form::EncryptedPkcs8),
            (&[version_3, ALGORITHM], Form::Pkcs12),
            (&[SIGNED_DATA, TAGGED], Form::Pkcs7),
            (&[SIGNED_DATA, OCTETS], Form::Unknown),
            (&[&[6, 1, 0x2a], TAGGED], Form::Unknown),
            (&[INTEGER, ALGORITHM], Form::Unknown),
            (&[OCTETS, ALGORITHM], Form::Unknown),
            (&[version_3, NAME], Form::Unknown),
            (&[INTEGER, INTEGER], Form::Pkcs1Public),
            (&[INTEGER, NAME], Form::Unknown),
            (&[NAME, INTEGER], Form::Unknown),
        ] {
            assert_eq!(identify(&sequence(members)), expected, "{members:?}");
        }
    }

    #[test]
    fn the_size_of_a_key_does_not_count_leading_zeros() {
        for (modulus, bits) in [(&[2, 1, 0x7f][..], 7), (&[2, 2, 0, 0x80], 8), (&[2, 2, 1, 0], 9)] {
            let key = sequence(&[modulus, INTEGER]);
            assert_eq!(bits_of(numbers(&key).unwrap().0[0]), bits);
        }
    }

    #[test]
    fn a_public_key_is_an_algorithm_with_bits() {
        for (members, expected) in [
            ([ALGORITHM, BITS], Form::Spki(Algorithm::Other)),
            ([NAME, BITS], Form::Unknown),
            ([ALGORITHM, INTEGER], Form::Unknown),
            ([NAME, OCTETS], Form::Unknown),
        ] {
            assert_eq!(identify(&sequence(&members)), expected, "{members:?}");
        }
    }

    #[test]
    fn a_document_that_ends_in_its_length_is_truncated() {
        assert_eq!(identify(&[0x30, 0x84, 1, 0, 0]), Form::Truncated);
        assert_eq!(identify(&[0x30, 0x84, 0, 0, 0, 1]), Form::Unknown);
    }
}
