//! Reads the parts of a certificate that limit what it may be used for, and
//! those that messages show. What cannot be read allows nothing.

use std::net::IpAddr;

use crate::quoted::{escaped, quoted};
use der::asn1::{AnyRef, BitStringRef, GeneralizedTime, ObjectIdentifier, UintRef, UtcTime};
use der::{Decode as _, SliceReader, Tag, TagNumber, Tagged as _};
use rustls_pki_types::UnixTime;

use crate::pem::form::{bits_of, elements, is, members, octets};

/// The longest text of a certificate in a message.
const MAX_SHOWN: usize = 200;

const COMMON_NAME: &str = "2.5.4.3";
const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");
const SUBJECT_ALT_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");
const BASIC_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
const NAME_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.30");
const EXTENDED_KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37");
const SERVER_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
/// The extensions that are checked here or by rustls-webpki, and the place of
/// lists of revocations.
const KNOWN_EXTENSIONS: [ObjectIdentifier; 6] = [
    KEY_USAGE,
    SUBJECT_ALT_NAME,
    BASIC_CONSTRAINTS,
    NAME_CONSTRAINTS,
    EXTENDED_KEY_USAGE,
    ObjectIdentifier::new_unwrap("2.5.29.31"),
];
/// Policies: their names, mappings and constraints. None is asked for, and those
/// of a trusted certificate limit nobody (RFC 5280, 6.1.1).
const POLICIES: [ObjectIdentifier; 4] = [
    ObjectIdentifier::new_unwrap("2.5.29.32"),
    ObjectIdentifier::new_unwrap("2.5.29.33"),
    ObjectIdentifier::new_unwrap("2.5.29.36"),
    ObjectIdentifier::new_unwrap("2.5.29.54"),
];

/// The element at the beginning.
fn first(der: &[u8]) -> Option<AnyRef<'_>> {
    AnyRef::decode(&mut SliceReader::new(der).ok()?).ok()
}

fn oid(element: &AnyRef<'_>) -> Option<String> {
    Some(element.decode_as::<ObjectIdentifier>().ok()?.to_string())
}

/// A text in one of the encodings of names.
fn text(element: &AnyRef<'_>) -> String {
    match element.tag() {
        Tag::BmpString => {
            let units = element.value().chunks_exact(2);
            let units: Vec<_> = units.map(|it| u16::from_be_bytes([it[0], it[1]])).collect();
            String::from_utf16_lossy(&units)
        }
        // Which is written as Latin-1.
        Tag::TeletexString => element.value().iter().copied().map(char::from).collect(),
        _ => String::from_utf8_lossy(element.value()).into_owned(),
    }
}

/// A `UTCTime` or `GeneralizedTime`.
fn time(element: &AnyRef<'_>) -> Option<UnixTime> {
    let utc = element.decode_as::<UtcTime>().map(|it| it.to_unix_duration());
    let general = || element.decode_as::<GeneralizedTime>().map(|it| it.to_unix_duration());
    utc.or_else(|_| general()).ok().map(UnixTime::since_unix_epoch)
}

/// The tag of an element with a number in brackets.
fn tagged(number: TagNumber, constructed: bool) -> Tag {
    Tag::ContextSpecific { constructed, number }
}

/// The object identifiers of an `AlgorithmIdentifier`, without its outer header:
/// the algorithm, and perhaps the curve.
pub fn algorithms(contents: &[u8]) -> Vec<String> {
    elements(contents).iter().filter_map(oid).collect()
}

/// A certificate, as far as it can be read.
pub struct Certificate<'d> {
    /// 1, 2 or 3.
    pub version: u8,
    issuer: AnyRef<'d>,
    subject: AnyRef<'d>,
    /// The beginning of its validity.
    pub not_before: UnixTime,
    /// The end of its validity.
    pub not_after: UnixTime,
    key: AnyRef<'d>,
    signature_algorithm: Option<String>,
    extensions: Vec<Extension<'d>>,
}

struct Extension<'d> {
    oid: AnyRef<'d>,
    is_critical: bool,
    value: &'d [u8],
}

/// A name of a server in a certificate.
#[derive(PartialEq, Eq, Debug)]
pub enum Name {
    /// A name of the DNS.
    Dns(String),
    /// An address.
    Ip(IpAddr),
}

impl<'d> Certificate<'d> {
    /// The certificate in `der`, unless it cannot be read.
    pub fn read(der: &'d [u8]) -> Option<Self> {
        let parts = members(first(der)?);
        let mut signed = members(*parts.first()?).into_iter();
        let signature_algorithm = oid(members(*parts.get(1)?).first()?);
        let mut version = 1;
        let mut serial_number = signed.next()?;
        if is(&serial_number, tagged(TagNumber::N0, true)) {
            version = first(serial_number.value())?.value().last()?.saturating_add(1);
            serial_number = signed.next()?;
        }
        let _ = (serial_number, signed.next()?);
        let (issuer, validity, subject) = (signed.next()?, signed.next()?, signed.next()?);
        let key = signed.next()?;
        let [not_before, not_after] = members(validity).try_into().ok()?;
        let extensions = match signed.find(|part| is(part, tagged(TagNumber::N3, true))) {
            Some(part) => Extension::read_all(first(part.value())?)?,
            None => Vec::new(),
        };
        Some(Self {
            version,
            issuer,
            subject,
            not_before: time(&not_before)?,
            not_after: time(&not_after)?,
            key,
            signature_algorithm,
            extensions,
        })
    }

    /// Whether it names itself as its issuer.
    pub fn is_self_issued(&self) -> bool {
        self.issuer == self.subject
    }

    /// Whether its issuer is the subject of `other`.
    pub fn is_issued_by(&self, other: &Certificate<'_>) -> bool {
        self.issuer == other.subject
    }

    /// Whether it is valid from this moment on, or until then.
    pub fn has_limit(&self, moment: UnixTime) -> bool {
        [self.not_before, self.not_after].contains(&moment)
    }

    /// Whether it is signed with this algorithm.
    pub fn is_signed_with(&self, algorithm: &str) -> bool {
        self.signature_algorithm.as_deref() == Some(algorithm)
    }

    /// The issuer for a message: in quotes, escaped, and shortened.
    pub fn issuer(&self) -> String {
        shown_name(self.issuer)
    }

    /// The subject, like [`issuer`](Self::issuer).
    pub fn subject(&self) -> String {
        shown_name(self.subject)
    }

    /// The size of its key, if that is an RSA key.
    pub fn rsa_bits(&self) -> Option<usize> {
        let [algorithm, key] = members(self.key).try_into().ok()?;
        let is_rsa = oid(members(algorithm).first()?)? == "1.2.840.113549.1.1.1";
        let numbers = members(first(key.decode_as::<BitStringRef<'_>>().ok()?.as_bytes()?)?);
        let modulus = numbers.first()?.decode_as::<UintRef<'_>>().ok()?;
        is_rsa.then(|| bits_of(modulus))
    }

    /// The names of servers that it is for.
    pub fn names(&self) -> Vec<Name> {
        let read = |name: &AnyRef<'_>| match name.tag() {
            tag if tag == tagged(TagNumber::N2, false) => {
                Some(Name::Dns(String::from_utf8_lossy(name.value()).into_owned()))
            }
            tag if tag == tagged(TagNumber::N7, false) => {
                let of_4 = <[u8; 4]>::try_from(name.value()).map(IpAddr::from);
                let of_6 = || <[u8; 16]>::try_from(name.value()).map(IpAddr::from);
                of_4.or_else(|_| of_6()).ok().map(Name::Ip)
            }
            _ => None,
        };
        self.members_of(SUBJECT_ALT_NAME).unwrap_or_default().iter().filter_map(read).collect()
    }

    /// Whether it may issue others (CA:TRUE). Version 1 cannot say so.
    pub fn is_of_authority(&self) -> bool {
        self.as_authority().is_some()
    }

    /// How many authorities may be between it and the certificate of a server.
    pub fn path_length(&self) -> Option<u64> {
        self.as_authority()?
    }

    /// The path length of an authority, if it has one.
    fn as_authority(&self) -> Option<Option<u64>> {
        let Some(parts) = self.members_of(BASIC_CONSTRAINTS) else {
            return (self.version == 1 && self.is_self_issued()).then_some(None);
        };
        match parts[..] {
            [ca] if boolean(&ca) == Some(true) => Some(None),
            [ca, length] if boolean(&ca) == Some(true) => Some(Some(length.decode_as().ok()?)),
            _ => None,
        }
    }

    /// Whether its key may sign certificates (keyCertSign).
    pub fn signs_certificates(&self) -> bool {
        self.is_usable_for(&[5])
    }

    /// Whether its key may take part in a handshake (digitalSignature,
    /// keyEncipherment or keyAgreement).
    pub fn is_for_handshakes(&self) -> bool {
        self.is_usable_for(&[0, 2, 4])
    }

    /// Whether the key usage has one of these bits, or is not there.
    fn is_usable_for(&self, uses: &[usize]) -> bool {
        let Some(usage) = self.extension(KEY_USAGE) else { return true };
        let bits = BitStringRef::from_der(usage.value);
        bits.is_ok_and(|bits| {
            bits.bits().enumerate().any(|(at, is_set)| is_set && uses.contains(&at))
        })
    }

    /// Whether its extended key usage leaves out servers.
    pub fn is_for_others(&self) -> bool {
        let uses = self.members_of(EXTENDED_KEY_USAGE);
        uses.is_some_and(|uses| {
            let are_read = uses.iter().all(|it| is(it, Tag::ObjectIdentifier));
            !are_read || !uses.iter().any(|it| is_oid(it, SERVER_AUTH))
        })
    }

    /// Whether it constrains names of directories.
    pub fn constrains_directories(&self) -> bool {
        let trees = self.members_of(NAME_CONSTRAINTS).unwrap_or_default();
        let names = trees.iter().flat_map(|it| elements(it.value())).flat_map(members);
        names.into_iter().any(|name| is(&name, tagged(TagNumber::N4, true)))
    }

    fn extension(&self, oid: ObjectIdentifier) -> Option<&Extension<'d>> {
        self.extensions.iter().find(|it| is_oid(&it.oid, oid))
    }

    /// The members of an extension that is a sequence, if it is there.
    fn members_of(&self, oid: ObjectIdentifier) -> Option<Vec<AnyRef<'d>>> {
        Some(AnyRef::from_der(self.extension(oid)?.value).map(members).unwrap_or_default())
    }

    /// The first extension that has to be understood, and is not.
    pub fn critical_extension(&self) -> Option<String> {
        self.critical_without(&[])
    }

    /// The same of a certificate that is trusted.
    pub fn critical_extension_of_trusted(&self) -> Option<String> {
        self.critical_without(&POLICIES)
    }

    fn critical_without(&self, ignored: &[ObjectIdentifier]) -> Option<String> {
        let is_known = |it: &Extension<'_>| {
            KNOWN_EXTENSIONS.iter().chain(ignored).any(|known| is_oid(&it.oid, *known))
        };
        let unknown = self.extensions.iter().find(|it| it.is_critical && !is_known(it))?;
        Some(oid(&unknown.oid).unwrap_or_else(|| "unknown".to_owned()))
    }
}

fn is_oid(element: &AnyRef<'_>, oid: ObjectIdentifier) -> bool {
    is(element, Tag::ObjectIdentifier) && element.value() == oid.as_bytes()
}

fn boolean(element: &AnyRef<'_>) -> Option<bool> {
    match (element.tag(), element.value()) {
        (Tag::Boolean, [0]) => Some(false),
        (Tag::Boolean, [0xff]) => Some(true),
        _ => None,
    }
}

impl<'d> Extension<'d> {
    /// None if there are none: a list that cannot be parsed has no members.
    fn read_all(list: AnyRef<'d>) -> Option<Vec<Self>> {
        let all: Vec<_> = members(list).into_iter().map(Self::read).collect::<Option<_>>()?;
        (!all.is_empty()).then_some(all)
    }

    fn read(element: AnyRef<'d>) -> Option<Self> {
        let (oid, is_critical, value) = match members(element)[..] {
            [oid, value] => (oid, false, value),
            [oid, is_critical, value] => (oid, boolean(&is_critical)?, value),
            _ => return None,
        };
        let value = octets(value).filter(|_| is(&oid, Tag::ObjectIdentifier))?;
        Some(Self { oid, is_critical, value })
    }
}

/// A distinguished name for a message, its common name first.
fn shown_name(name: AnyRef<'_>) -> String {
    let attribute = |part: AnyRef<'_>| {
        let [name, value] = members(part).try_into().ok()?;
        Some((oid(&name)?, text(&value)))
    };
    // Each is in a set, which usually has one.
    let sets = members(name).into_iter().flat_map(|set| elements(set.value()));
    let mut attributes: Vec<_> = sets.filter_map(attribute).collect();
    attributes.sort_by_key(|(oid, _)| oid != COMMON_NAME);
    let attributes: Vec<_> =
        attributes.iter().map(|(oid, text)| format!("{}={text}", short(oid))).collect();
    quoted(&attributes.join(", "), MAX_SHOWN)
}

/// The usual letters for an attribute of a name.
fn short(oid: &str) -> &str {
    match oid {
        COMMON_NAME => "CN",
        "2.5.4.6" => "C",
        "2.5.4.7" => "L",
        "2.5.4.8" => "ST",
        "2.5.4.10" => "O",
        "2.5.4.11" => "OU",
        "0.9.2342.19200300.100.1.25" => "DC",
        "1.2.840.113549.1.9.1" => "emailAddress",
        other => other,
    }
}

/// Names for a message: escaped, and shortened.
pub fn shown_names(names: &[Name]) -> String {
    let mut shown = String::new();
    for (index, name) in names.iter().enumerate() {
        let name = match name {
            Name::Dns(name) => escaped(name, MAX_SHOWN),
            Name::Ip(address) => address.to_string(),
        };
        let separator = if index == 0 { "" } else { ", " };
        if shown.len() + separator.len() + name.len() > MAX_SHOWN && index > 0 {
            return format!("{shown} and {} more", names.len() - index);
        }
        shown.push_str(separator);
        shown.push_str(&name);
    }
    shown
}

#[cfg(test)]
mod tests {
    use rcgen::string::BmpString;
    use rcgen::{
        BasicConstraints, CertificateParams, CustomExtension, DnType, DnValue, IsCa, KeyPair,
        date_time_ymd,
    };

    use super::*;

    fn certificate(change: impl FnOnce(&mut CertificateParams)) -> Vec<u8> {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.not_before = date_time_ymd(1999, 12, 31);
        params.not_after = date_time_ymd(2051, 1, 2);
        change(&mut params);
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn members_of_a_certificate_for_messages_are_read() {
        let der = certificate(|params| {
            params.distinguished_name = rcgen::DistinguishedName::new();
            params.distinguished_name.push(DnType::OrganizationName, "Example");
            let name = DnValue::BmpString(BmpString::try_from("Raíz \"1\"\u{202e}").unwrap());
            params.distinguished_name.push(DnType::CommonName, name);
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            let mut policies = CustomExtension::from_oid_content(&[2, 5, 29, 32], vec![0x30, 0]);
            policies.set_criticality(true);
            params.custom_extensions.push(policies);
        });
        let read = Certificate::read(&der).unwrap();
        assert_eq!(read.subject(), "\"CN=Raíz \\\"1\\\"\\u{202e}, O=Example\"");
        assert_eq!((read.issuer(), read.version), (read.subject(), 3));
        assert!(read.is_self_issued() && read.is_issued_by(&read));
        let moment = |seconds| UnixTime::since_unix_epoch(std::time::Duration::from_secs(seconds));
        assert_eq!(read.not_before, moment(946_598_400));
        assert_eq!(read.not_after, moment(2_556_230_400));
        assert!(read.has_limit(read.not_after) && !read.has_limit(moment(1_577_836_800)));
        // ECDSA with SHA-256.
        assert!(read.is_signed_with("1.2.840.10045.4.3.2"));
        assert_eq!(read.rsa_bits(), None);
        assert_eq!(read.critical_extension().as_deref(), Some("2.5.29.32"));
        assert_eq!(read.critical_extension_of_trusted(), None);

        assert_eq!(read.names(), []);
    }

    /// A certificate with this extension, and no other that limits it.
    fn limited(extension: &[u64], value: &[u8]) -> Vec<u8> {
        certificate(|params| {
            let extension = CustomExtension::from_oid_content(extension, value.to_vec());
            params.custom_extensions.push(extension);
        })
    }

    #[test]
    fn only_ca_true_makes_an_authority() {
        const TRUE: [u8; 3] = [1, 1, 0xff];
        let with = |parts: &[&[u8]]| {
            let parts = parts.concat();
            [&[0x30, parts.len() as u8], parts.as_slice()].concat()
        };
        for (value, expected) in [
            (with(&[&TRUE]), (true, None)),
            (with(&[&TRUE, &[2, 1, 0]]), (true, Some(0))),
            (with(&[&TRUE, &[2, 2, 1, 0]]), (true, Some(256))),
            (with(&[&TRUE, &[2, 1, 0x80]]), (false, None)),
            (with(&[&TRUE, &[4, 1, 9]]), (false, None)),
            (with(&[&TRUE, &[2, 1, 0], &[2, 1, 0]]), (false, None)),
            ([with(&[&TRUE]), vec![0]].concat(), (false, None)),
            (with(&[]), (false, None)),
            (with(&[&[1, 1, 0]]), (false, None)),
            (with(&[&[1, 1, 1]]), (false, None)),
            (with(&[&[1, 1, 0], &[2, 1, 3]]), (false, None)),
            (with(&[&[2, 1, 3]]), (false, None)),
            (with(&[&TRUE, &[2, 9, 1]]), (false, None)),
            (TRUE.to_vec(), (false, None)),
            (vec![], (false, None)),
        ] {
            let der = limited(&[2, 5, 29, 19], &value);
            let read = Certificate::read(&der).unwrap();
            assert_eq!((read.is_of_authority(), read.path_length()), expected, "{value:x?}");
        }
        let der = certificate(|_| {});
        assert!(!Certificate::read(&der).unwrap().is_of_authority());
    }

    #[test]
    fn the_usages_of_a_key_are_bits() {
        for (value, expected) in [
            (&[3, 2, 2, 0x04][..], (true, false)),
            (&[3, 2, 1, 0x06], (true, false)),
            (&[3, 2, 7, 0x80], (false, true)),
            (&[3, 2, 5, 0x20], (false, true)),
            (&[3, 2, 3, 0x08], (false, true)),
            (&[3, 2, 0, 0xff], (true, true)),
            (&[3, 3, 7, 0, 0x80], (false, false)),
            // The bit is behind the end.
            (&[3, 2, 3, 0x04], (false, false)),
            (&[3, 1, 0], (false, false)),
            (&[4, 1, 0xff], (false, false)),
            (&[3, 2, 2, 0x04, 0], (false, false)),
            (&[], (false, false)),
        ] {
            let der = limited(&[2, 5, 29, 15], value);
            let read = Certificate::read(&der).unwrap();
            let usages = (read.signs_certificates(), read.is_for_handshakes());
            assert_eq!(usages, expected, "{value:x?}");
        }
        let der = certificate(|_| {});
        let read = Certificate::read(&der).unwrap();
        assert!(read.signs_certificates() && read.is_for_handshakes());
    }

    #[test]
    fn a_purpose_that_is_not_read_is_another() {
        const SERVERS: [u8; 10] = [6, 8, 0x2b, 6, 1, 5, 5, 7, 3, 1];
        const CLIENTS: [u8; 10] = [6, 8, 0x2b, 6, 1, 5, 5, 7, 3, 2];
        for (value, is_for_others) in [
            ([&[0x30, 10], &SERVERS[..]].concat(), false),
            ([&[0x30, 20], &CLIENTS[..], &SERVERS].concat(), false),
            ([&[0x30, 10], &CLIENTS[..]].concat(), true),
            ([&[0x30, 11], &SERVERS[..], &[6]].concat(), true),
            ([&[0x30, 12], &SERVERS[..], &[5, 0]].concat(), true),
            (SERVERS.to_vec(), true),
            (vec![0x30, 0], true),
        ] {
            let der = limited(&[2, 5, 29, 37], &value);
            assert_eq!(
                Certificate::read(&der).unwrap().is_for_others(),
                is_for_others,
                "{value:x?}"
            );
        }
    }

    #[test]
    fn names_are_those_of_hosts_and_addresses() {
        let names = ["api.example".into(), "10.0.0.7".into(), "::1".into(), "10.0.0.8 ".into()];
        let der = certificate(|params| {
            let others = CertificateParams::new(names).unwrap().subject_alt_names;
            params.subject_alt_names = others;
        });
        let read = Certificate::read(&der).unwrap();
        assert_eq!(read.critical_extension(), None);
        let names = read.names();
        assert_eq!(names[1], Name::Ip([10, 0, 0, 7].into()));
        assert_eq!(names[3], Name::Dns("10.0.0.8 ".to_owned()));
        assert_eq!(shown_names(&names), "api.example, 10.0.0.7, ::1, 10.0.0.8 ");
    }

    #[test]
    fn shown_texts_are_short_and_have_no_control_characters() {
        let names: Vec<_> =
            (0..100).map(|number| Name::Dns(format!("host{number}.example"))).collect();
        let shown = shown_names(&names);
        assert!(shown.len() < MAX_SHOWN + 20 && shown.ends_with(" and 87 more"), "{shown}");
        let one = shown_names(&[Name::Dns("a\n\u{1b}[1m".repeat(100))]);
        assert!(one.starts_with("a\\n\\u{1b}[1m") && one.chars().count() <= MAX_SHOWN, "{one}");
        let der = certificate(|params| {
            params.distinguished_name.push(DnType::CommonName, "\n".repeat(1000));
        });
        let shown = Certificate::read(&der).unwrap().issuer();
        assert!(shown.chars().count() <= MAX_SHOWN + 2 && !shown.contains('\n'), "{shown}");
    }

    #[test]
    fn bytes_that_are_cut_or_changed_are_read_as_far_as_possible() {
        let der = certificate(|params| {
            params.subject_alt_names =
                CertificateParams::new(["api.example".into()]).unwrap().subject_alt_names;
        });
        for at in 0..der.len() {
            let mut other = der.clone();
            other[at] ^= 0xff;
            for der in [&der[..at], &other] {
                let Some(read) = Certificate::read(der) else { continue };
                let _ = (read.names(), read.issuer(), read.rsa_bits(), read.critical_extension());
            }
        }
    }
}
