//! Reads in a certificate what messages say of it. Nothing here decides whether
//! it is trusted.

use std::net::IpAddr;

use der::asn1::ObjectIdentifier;
use payments_base::quoted::{escaped, quoted};

/// The longest text of a certificate in a message.
const MAX_SHOWN: usize = 200;

const COMMON_NAME: &str = "2.5.4.3";
const SUBJECT_ALT_NAME: &str = "2.5.29.17";
const EXTENDED_KEY_USAGE: &str = "2.5.29.37";
const SERVER_AUTH: &str = "1.3.6.1.5.5.7.3.1";
/// The extensions that rustls's verifier checks: the usage of the key, names,
/// constraints of authorities and of names, where revocations are listed, and
/// purposes.
const KNOWN_EXTENSIONS: [&str; 6] =
    ["2.5.29.15", SUBJECT_ALT_NAME, "2.5.29.19", "2.5.29.30", "2.5.29.31", EXTENDED_KEY_USAGE];

/// One element in DER.
#[derive(Clone, Copy)]
struct Element<'d> {
    tag: u8,
    contents: &'d [u8],
    whole: &'d [u8],
}

impl<'d> Element<'d> {
    fn read(der: &'d [u8]) -> Option<Self> {
        let (&tag, rest) = der.split_first()?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            0x81..=0x84 => {
                let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                (length.iter().fold(0, |all, byte| (all << 8) | usize::from(*byte)), rest)
            }
            _ => return None,
        };
        let contents = rest.get(..length)?;
        let whole = &der[..der.len() - rest.len() + length];
        Some(Self { tag, contents, whole })
    }

    /// Its contents, as far as they can be read.
    fn elements(self) -> impl Iterator<Item = Self> {
        let mut rest = self.contents;
        std::iter::from_fn(move || {
            let element = Self::read(rest)?;
            rest = &rest[element.whole.len()..];
            Some(element)
        })
    }

    fn oid(self) -> Option<String> {
        let oid = (self.tag == 0x06).then(|| ObjectIdentifier::from_bytes(self.contents))?;
        Some(oid.ok()?.to_string())
    }

    /// A text in one of the encodings of names.
    fn text(self) -> String {
        match self.tag {
            // BMPString
            0x1e => {
                let units = self.contents.chunks_exact(2);
                let units: Vec<_> =
                    units.map(|unit| u16::from_be_bytes([unit[0], unit[1]])).collect();
                String::from_utf16_lossy(&units)
            }
            // TeletexString, which is written as Latin-1
            0x14 => self.contents.iter().copied().map(char::from).collect(),
            _ => String::from_utf8_lossy(self.contents).into_owned(),
        }
    }

    /// A `UTCTime` or `GeneralizedTime` as ISO 8601.
    fn time(self) -> Option<String> {
        let digits = std::str::from_utf8(self.contents).ok()?.strip_suffix('Z')?;
        let century = match (digits.len(), digits.as_bytes().first()?) {
            (12, b'5'..) => "19",
            (12, _) => "20",
            _ => "",
        };
        let digits = format!("{century}{digits}");
        let part = |from: usize| digits.get(from..from + 2);
        Some(format!(
            "{}-{}-{}T{}:{}:{}Z",
            digits.get(..4)?,
            part(4)?,
            part(6)?,
            part(8)?,
            part(10)?,
            part(12)?
        ))
    }
}

/// The object identifiers of an `AlgorithmIdentifier`, without its outer header:
/// the algorithm, and perhaps the curve.
pub(super) fn algorithms(contents: &[u8]) -> Vec<String> {
    Element { tag: 0x30, contents, whole: contents }.elements().filter_map(Element::oid).collect()
}

/// A certificate, as far as it can be read.
pub(super) struct Certificate<'d> {
    /// 1, 2 or 3.
    pub(super) version: u8,
    issuer: Element<'d>,
    subject: Element<'d>,
    not_before: Option<String>,
    not_after: Option<String>,
    key: Element<'d>,
    signature_algorithm: Option<String>,
    extensions: Vec<Extension<'d>>,
}

struct Extension<'d> {
    oid: String,
    is_critical: bool,
    value: &'d [u8],
}

/// A name of a server in a certificate.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Name {
    Dns(String),
    Ip(IpAddr),
}

impl<'d> Certificate<'d> {
    pub(super) fn read(der: &'d [u8]) -> Option<Self> {
        let mut parts = Element::read(der)?.elements();
        let mut signed = parts.next()?.elements();
        let signature_algorithm = parts.next()?.elements().next()?.oid();
        let first = signed.next()?;
        let version = match first.tag {
            0xa0 => {
                let version = Element::read(first.contents)?.contents.last()?.saturating_add(1);
                // The serial number.
                signed.next()?;
                version
            }
            _ => 1,
        };
        let _algorithm = signed.next()?;
        let (issuer, validity, subject) = (signed.next()?, signed.next()?, signed.next()?);
        let key = signed.next()?;
        let mut times = validity.elements().map(Element::time);
        let (not_before, not_after) = (times.next().flatten(), times.next().flatten());
        let extensions = signed.find(|part| part.tag == 0xa3);
        let extensions = extensions.and_then(|part| Element::read(part.contents));
        let extensions = extensions.into_iter().flat_map(Element::elements);
        let extensions = extensions.filter_map(Extension::read).collect();
        Some(Self {
            version,
            issuer,
            subject,
            not_before,
            not_after,
            key,
            signature_algorithm,
            extensions,
        })
    }

    /// Whether it names itself as its issuer.
    pub(super) fn is_self_issued(&self) -> bool {
        self.issuer.whole == self.subject.whole
    }

    pub(super) fn is_issued_by(&self, other: &Certificate<'_>) -> bool {
        self.issuer.whole == other.subject.whole
    }

    /// Whether it is valid from this moment on, or until then.
    pub(super) fn has_limit(&self, moment: &str) -> bool {
        [&self.not_before, &self.not_after].into_iter().any(|it| it.as_deref() == Some(moment))
    }

    /// Whether it is signed with this algorithm.
    pub(super) fn is_signed_with(&self, algorithm: &str) -> bool {
        self.signature_algorithm.as_deref() == Some(algorithm)
    }

    /// The issuer for a message: in quotes, escaped, and shortened.
    pub(super) fn issuer(&self) -> String {
        shown_name(self.issuer)
    }

    /// The subject, like [`issuer`](Self::issuer).
    pub(super) fn subject(&self) -> String {
        shown_name(self.subject)
    }

    /// The size of its key, if that is an RSA key.
    pub(super) fn rsa_bits(&self) -> Option<usize> {
        let mut parts = self.key.elements();
        let algorithm = parts.next()?.elements().next()?.oid()?;
        // A bit string begins with the number of its unused bits.
        let key = Element::read(parts.next()?.contents.get(1..)?)?;
        let modulus = key.elements().next()?;
        let is_rsa = algorithm == "1.2.840.113549.1.1.1" && modulus.tag == 0x02;
        let digits = modulus.contents.iter().skip_while(|byte| **byte == 0);
        let zeros = digits.clone().next()?.leading_zeros() as usize;
        is_rsa.then(|| 8 * digits.count() - zeros)
    }

    /// The names of servers that it is for.
    pub(super) fn names(&self) -> Vec<Name> {
        let of_names = self.extensions.iter().find(|it| it.oid == SUBJECT_ALT_NAME);
        let names = of_names.and_then(|it| Element::read(it.value));
        let names = names.into_iter().flat_map(Element::elements);
        let read = |name: Element<'_>| match (name.tag, name.contents.len()) {
            (0x82, _) => Some(Name::Dns(String::from_utf8_lossy(name.contents).into_owned())),
            (0x87, 4) => <[u8; 4]>::try_from(name.contents).ok().map(|it| Name::Ip(it.into())),
            (0x87, 16) => <[u8; 16]>::try_from(name.contents).ok().map(|it| Name::Ip(it.into())),
            _ => None,
        };
        names.filter_map(read).collect()
    }

    /// Whether its extended key usage leaves out servers.
    pub(super) fn is_for_others(&self) -> bool {
        let usage = self.extensions.iter().find(|it| it.oid == EXTENDED_KEY_USAGE);
        let purposes = usage.and_then(|it| Element::read(it.value));
        let is_server = |it: Element<'_>| it.oid().as_deref() == Some(SERVER_AUTH);
        purposes.is_some_and(|purposes| !purposes.elements().any(is_server))
    }

    /// The first extension that has to be understood, and is not.
    pub(super) fn critical_extension(&self) -> Option<&str> {
        let is_unknown =
            |it: &&Extension<'_>| it.is_critical && !KNOWN_EXTENSIONS.contains(&it.oid.as_str());
        self.extensions.iter().find(is_unknown).map(|it| it.oid.as_str())
    }
}

impl<'d> Extension<'d> {
    fn read(element: Element<'d>) -> Option<Self> {
        let parts: Vec<_> = element.elements().collect();
        let (oid, rest) = parts.split_first()?;
        let is_critical = rest.first().is_some_and(|it| it.tag == 0x01 && it.contents != [0]);
        Some(Self { oid: oid.oid()?, is_critical, value: rest.last()?.contents })
    }
}

/// A distinguished name for a message, its common name first.
fn shown_name(name: Element<'_>) -> String {
    let attribute = |part: Element<'_>| {
        let mut parts = part.elements();
        Some((parts.next()?.oid()?, parts.next()?.text()))
    };
    let mut attributes: Vec<_> =
        name.elements().flat_map(Element::elements).filter_map(attribute).collect();
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
pub(super) fn shown_names(names: &[Name]) -> String {
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
        for moment in ["1999-12-31T00:00:00Z", "2051-01-02T00:00:00Z"] {
            assert!(read.has_limit(moment), "{moment}");
        }
        assert!(!read.has_limit("2020-01-01T00:00:00Z"));
        // ECDSA with SHA-256.
        assert!(read.is_signed_with("1.2.840.10045.4.3.2"));
        assert_eq!((read.rsa_bits(), read.critical_extension()), (None, Some("2.5.29.32")));
        assert_eq!(read.names(), []);
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
