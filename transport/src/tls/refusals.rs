//! Why a certificate is refused, and the remedy.

use std::net::IpAddr;

use payments_base::certificate::{Certificate, Name, algorithms, shown_names};
use payments_base::utc::iso_8601;
use rustls::CertificateError as Refused;
use rustls::pki_types::UnixTime;
use webpki::Error as WebpkiError;

use super::handshake::{Handshake, Words};
use super::limits::{Exceeded, Limit};
use crate::failure::Cause;
use crate::tls::TlsRoots;

const TELL: &str = "tell the provider";
const NEARER: &str = "have it issued by an authority nearer to the trusted one";

/// The words for `refused`.
pub(super) fn in_words(handshake: &Handshake<'_>, refused: &Refused) -> Words {
    let seen = handshake.seen.refused();
    let of = |cause, (reason, advice): (String, String)| Words::new(cause, reason, advice);
    let chain = seen.chain.iter().filter_map(|der| Certificate::read(der)).collect();
    let refusal = Refusal { handshake, chain, is_of_handshake: seen.is_of_handshake };
    if let Refused::Other(other) = refused
        && let Some(exceeded) = other.0.downcast_ref::<Exceeded>()
    {
        let cause = match exceeded.limit {
            Limit::Expired { .. } | Limit::NotYetValid { .. } => Cause::CertificateExpired,
            _ => Cause::CertificateRefused,
        };
        return of(cause, refusal.explain_limit(exceeded));
    }
    match refused {
        Refused::Expired
        | Refused::ExpiredContext { .. }
        | Refused::NotValidYet
        | Refused::NotValidYetContext { .. } => {
            of(Cause::CertificateExpired, refusal.explain_time(refused))
        }
        Refused::NotValidForName | Refused::NotValidForNameContext { .. } => {
            of(Cause::CertificateOfAnotherHost, refusal.explain_name())
        }
        other => of(Cause::CertificateRefused, refusal.explain_trust(other)),
    }
}

/// The refused certificate, and its sender.
struct Refusal<'r> {
    handshake: &'r Handshake<'r>,
    /// The certificates that can be read, the server's own first.
    chain: Vec<Certificate<'r>>,
    is_of_handshake: bool,
}

/// A reason and an advice.
type Explanation = (String, String);

fn explanation(reason: impl Into<String>, advice: impl Into<String>) -> Explanation {
    (reason.into(), advice.into())
}

impl Refusal<'_> {
    /// The certificate of the chain for which `is_it` holds, in words.
    fn which(&self, is_it: impl Fn(&Certificate<'_>) -> bool) -> String {
        match self.chain.iter().position(is_it) {
            Some(0) => "its certificate".to_owned(),
            Some(at) => format!("the certificate of its authority {}", self.chain[at].subject()),
            None => "its certificate, or one of its authorities,".to_owned(),
        }
    }

    fn explain_time(&self, refused: &Refused) -> Explanation {
        let advice = "check that clock, and tell the provider";
        match refused {
            Refused::ExpiredContext { time, not_after } => explanation(
                expired(&self.which(|it| it.has_limit(*not_after)), *not_after, *time),
                advice,
            ),
            Refused::NotValidYetContext { time, not_before } => {
                let which = self.which(|it| it.has_limit(*not_before));
                explanation(not_yet_valid(&which, *not_before, *time), advice)
            }
            Refused::NotValidYet => explanation(
                "its certificate is not valid yet",
                "check the clock of this host, and tell the provider",
            ),
            _ => explanation(
                "its certificate has expired",
                "check the clock of this host, and tell the provider",
            ),
        }
    }

    /// An authority that its own certificate forbids.
    fn explain_limit(&self, exceeded: &Exceeded) -> Explanation {
        let certificate = Certificate::read(&exceeded.authority);
        let subject = certificate.map(|it| format!(" {}", it.subject())).unwrap_or_default();
        let has_ca_file = matches!(self.handshake.roots, TlsRoots::Certificates(_));
        let (which, replace) = match (exceeded.is_trusted, has_ca_file) {
            (false, _) => (
                format!("the certificate of its authority{subject}"),
                "have it issued by another authority",
            ),
            (true, true) => (
                format!("the certificate{subject} in ca_file"),
                "get another certificate of that authority for ca_file",
            ),
            (true, false) => (
                format!("the certificate{subject} of the operating system"),
                "update the root certificates of the operating system, or set ca_file",
            ),
        };
        match &exceeded.limit {
            Limit::Expired { now, at } => {
                explanation(expired(&which, *at, *now), format!("check that clock, and {replace}"))
            }
            Limit::NotYetValid { now, from } => {
                explanation(not_yet_valid(&which, *from, *now), "check that clock")
            }
            Limit::NoAuthority if self.is_self_issued() => self.explain_unknown_issuer(),
            Limit::NoAuthority => explanation(
                format!("{which} is not one of an authority (CA:TRUE), and may issue none"),
                "trust the certificate of the server itself, or that of an authority",
            ),
            Limit::KeyUsage => explanation(
                format!("{which} may not sign certificates (key usage without keyCertSign)"),
                replace,
            ),
            Limit::Purpose => {
                explanation(format!("{which} is not for servers (extended key usage)"), replace)
            }
            Limit::PathLength => explain_path_length(),
            Limit::Extension(extension) => explain_extension(&which, Some(extension)),
            Limit::Unreadable => {
                explanation(format!("{which} does not follow the rules of X.509"), replace)
            }
        }
    }

    fn explain_name(&self) -> Explanation {
        let Handshake { name, shown_name, .. } = self.handshake;
        let names = self.chain.first().map(Certificate::names).unwrap_or_default();
        let as_dns = Name::Dns((*name).to_owned());
        let form = self.name_in_certificate();
        if name.parse::<IpAddr>().is_ok() && names.contains(&as_dns) {
            return explanation(
                format!(
                    "its certificate has the address {shown_name} as a DNS name, where none counts"
                ),
                format!("have it issued with {form} in subjectAltName, or use a host name"),
            );
        }
        if names.is_empty() {
            explanation(
                "its certificate has no name of a host in subjectAltName, and its common name \
                 does not count",
                format!("have it issued with {form} in subjectAltName"),
            )
        } else {
            explanation(
                format!("its certificate is for another host: {}", shown_names(&names)),
                format!("check the host in the address, or have it issued with {form}"),
            )
        }
    }

    fn explain_trust(&self, refused: &Refused) -> Explanation {
        match refused {
            Refused::UnknownIssuer => self.explain_unknown_issuer(),
            Refused::BadSignature => self.explain_bad_signature(),
            Refused::UnsupportedSignatureAlgorithmContext { signature_algorithm_id, .. } => {
                self.explain_algorithm(signature_algorithm_id)
            }
            Refused::UnsupportedSignatureAlgorithmForPublicKeyContext {
                public_key_algorithm_id,
                ..
            } => explain_key(public_key_algorithm_id),
            Refused::UnhandledCriticalExtension => self.explain_critical_extension(),
            Refused::InvalidPurpose | Refused::InvalidPurposeContext { .. } => {
                self.explain_purpose()
            }
            Refused::BadEncoding => malformed(),
            Refused::Revoked => explanation("its certificate was revoked", TELL),
            Refused::UnknownRevocationStatus
            | Refused::ExpiredRevocationList
            | Refused::ExpiredRevocationListContext { .. } => explanation(
                "this host cannot find out whether its certificate was revoked",
                "let this host reach the revocation lists of the certificate's authority",
            ),
            Refused::InvalidOcspResponse => explanation(
                "its proof that its certificate was not revoked (OCSP) is not valid",
                TELL,
            ),
            Refused::Other(other) => match other.0.downcast_ref::<WebpkiError>() {
                Some(cause) => self.explain_cause(cause),
                None if self.chain.first().is_some_and(Certificate::is_for_others) => {
                    self.explain_purpose()
                }
                None => unsaid(),
            },
            Refused::ApplicationVerificationFailure | _ => unsaid(),
        }
    }

    /// Errors for which rustls has no variant.
    fn explain_cause(&self, cause: &WebpkiError) -> Explanation {
        match cause {
            WebpkiError::CaUsedAsEndEntity => self.explain_authority(),
            WebpkiError::UnsupportedCriticalExtension => self.explain_critical_extension(),
            WebpkiError::EndEntityUsedAsCa => explanation(
                "its certificate is issued by one that is not of an authority (CA:FALSE)",
                "have an authority issue it, whose certificate has CA:TRUE",
            ),
            WebpkiError::PathLenConstraintViolated => explain_path_length(),
            WebpkiError::MaximumPathDepthExceeded => explanation(
                "there are more than six authorities between its certificate and a trusted one",
                NEARER,
            ),
            WebpkiError::NameConstraintViolation if self.constrains_directories() => explanation(
                "one of its authorities constrains names of directories (name constraints), which \
                 is not supported",
                "have it issued by an authority that only constrains names of hosts",
            ),
            WebpkiError::NameConstraintViolation => explanation(
                "the authority of its certificate may not issue certificates for the names in it \
                 (name constraints)",
                "have it issued by another authority, or only for names that are permitted",
            ),
            WebpkiError::UnsupportedCertVersion => explanation(
                format!("{} is not of version 3", self.which(|it| it.version != 3)),
                "have it issued with extensions, such as subjectAltName: that makes it version 3",
            ),
            WebpkiError::EmptyEkuExtension => self.explain_purpose(),
            WebpkiError::InvalidSerialNumber => explanation(
                "its certificate, or one of its authorities, has a serial number that is negative \
                 or longer than 20 bytes",
                "have it issued with another serial number",
            ),
            WebpkiError::SignatureAlgorithmMismatch => explanation(
                "its certificate names two different algorithms for its signature",
                "have it issued again",
            ),
            WebpkiError::CertDistrusted => explanation("its authority is no longer trusted", TELL),
            WebpkiError::MaximumSignatureChecksExceeded
            | WebpkiError::MaximumPathBuildCallsExceeded
            | WebpkiError::MaximumNameConstraintComparisonsExceeded => explanation(
                "it sent so many certificates that checking them all takes too long",
                "have the server send its own and those of its authorities only",
            ),
            _ => malformed(),
        }
    }

    fn is_self_issued(&self) -> bool {
        self.chain.first().is_some_and(Certificate::is_self_issued)
    }

    fn explain_unknown_issuer(&self) -> Explanation {
        let has_ca_file = matches!(self.handshake.roots, TlsRoots::Certificates(_));
        let own = self.chain.first();
        if let Some(own) = own.filter(|own| own.is_self_issued()) {
            let reason = format!("its certificate is self-signed: {}", own.subject());
            let advice = if has_ca_file {
                "if it is that of a server of yours, add it to ca_file, where it is not yet"
            } else {
                "if it is that of a server of yours, set ca_file to a file with it"
            };
            return explanation(reason, advice);
        }
        let last = own.map(|own| self.last_of_chain(own));
        let issuer = last.map(|last| format!(": {}", last.issuer())).unwrap_or_default();
        let is_whole = last.is_some_and(Certificate::is_self_issued);
        let (reason, advice, if_cut) = if has_ca_file {
            (
                "ca_file does not have the authority of its certificate",
                "if you trust that authority, add its certificate to ca_file",
                ", or have the server send its whole chain",
            )
        } else {
            (
                "its certificate is of an authority that is not trusted",
                "behind a corporate proxy or with a private certificate authority, set ca_file",
                "; with a public one, have the server send its whole chain",
            )
        };
        let if_cut = if is_whole { "" } else { if_cut };
        explanation(format!("{reason}{issuer}"), format!("{advice}{if_cut}"))
    }

    /// The certificate whose issuer is not among those that the server sent.
    fn last_of_chain<'c>(&'c self, own: &'c Certificate<'c>) -> &'c Certificate<'c> {
        let mut last = own;
        // Each step uses another certificate, unless they go in a circle.
        for _ in &self.chain {
            let next = self.chain.iter().find(|it| last.is_issued_by(it));
            match next.filter(|_| !last.is_self_issued()) {
                Some(next) => last = next,
                None => break,
            }
        }
        last
    }

    /// The certificates in `ca_file` whose names issued one of the chain.
    fn roots(&self) -> Vec<Certificate<'_>> {
        let roots: &[Vec<u8>] = match self.handshake.roots {
            TlsRoots::Certificates(certificates) => certificates,
            TlsRoots::OperatingSystem => &[],
        };
        let roots = roots.iter().filter_map(|der| Certificate::read(der));
        roots.filter(|root| self.chain.iter().any(|it| it.is_issued_by(root))).collect()
    }

    fn constrains_directories(&self) -> bool {
        self.chain.iter().chain(&self.roots()).any(Certificate::constrains_directories)
    }

    /// A key that is too small or too large makes no signature that counts.
    fn explain_bad_signature(&self) -> Explanation {
        let is_unusable =
            |it: &Certificate<'_>| it.rsa_bits().is_some_and(|bits| !(2048..=8192).contains(&bits));
        let of_chain = self.roots();
        if let Some(unusable) = self.chain.iter().chain(&of_chain).find(|it| is_unusable(it)) {
            return explanation(
                format!(
                    "the RSA key of the certificate {} has {} bits, where 2048 to 8192 are usable",
                    unusable.subject(),
                    unusable.rsa_bits().unwrap_or_default()
                ),
                "have it issued again for a key of 2048 bits or more",
            );
        }
        if self.is_of_handshake {
            return explanation(
                "it has another key than its certificate is for",
                "have the server use the key of that certificate",
            );
        }
        if self.is_self_issued() {
            // Another of its name is trusted.
            return self.explain_unknown_issuer();
        }
        match of_chain.first() {
            Some(root) => explanation(
                format!(
                    "its certificate is not signed by the authority {} in ca_file, but by another \
                     of that name",
                    root.subject()
                ),
                "get the current certificate of that authority for ca_file",
            ),
            None => {
                explanation("its certificate is not signed by the authority that it names", TELL)
            }
        }
    }

    fn explain_algorithm(&self, algorithm: &[u8]) -> Explanation {
        let ids = algorithms(algorithm);
        let id = ids.first().map_or("unknown", String::as_str);
        let which = if self.is_of_handshake {
            "the handshake".to_owned()
        } else {
            self.which(|it| it.is_signed_with(id))
        };
        explanation(
            format!("{which} is signed with {}", signature(id)),
            "have it issued again, signed by RSA or ECDSA with SHA-256, SHA-384 or SHA-512",
        )
    }

    fn explain_critical_extension(&self) -> Explanation {
        let which = self.which(|it| it.critical_extension().is_some());
        let found = self.chain.iter().find_map(Certificate::critical_extension);
        explain_extension(&which, found.as_deref())
    }

    fn explain_purpose(&self) -> Explanation {
        let is_of_key = |own: &Certificate<'_>| !own.is_for_handshakes();
        match self.chain.iter().position(Certificate::is_for_others) {
            Some(at @ 1..) => explanation(
                format!(
                    "the certificate of its authority {} is not for servers (extended key usage)",
                    self.chain[at].subject()
                ),
                "have it issued by an authority for servers",
            ),
            None if self.chain.first().is_some_and(is_of_key) => explanation(
                "the key of its certificate is not for TLS (key usage)",
                "have it issued with the key usage digitalSignature",
            ),
            Some(0) | None => explanation(
                "its certificate is not for servers (extended key usage)",
                "have it issued with the extended key usage serverAuth",
            ),
        }
    }

    fn explain_authority(&self) -> Explanation {
        if self.is_self_issued() {
            return self.explain_unknown_issuer();
        }
        let name = self.handshake.shown_name;
        explanation(
            "its certificate is one of an authority (CA:TRUE), which a server may not use as its \
             own unless ca_file has it",
            format!(
                "make one for the server, and set ca_file to it: openssl req -x509 -newkey \
                 rsa:2048 -nodes -days 365 -keyout server.key -out server.pem -subj /CN={name} \
                 -addext subjectAltName={} -addext basicConstraints=critical,CA:FALSE",
                self.name_in_certificate()
            ),
        )
    }

    /// How `subjectAltName` states the host.
    fn name_in_certificate(&self) -> String {
        let Handshake { name, shown_name, .. } = self.handshake;
        let kind = if name.parse::<IpAddr>().is_ok() { "IP" } else { "DNS" };
        format!("{kind}:{}", shown_name.trim_end_matches('.'))
    }
}

fn expired(which: &str, at: UnixTime, now: UnixTime) -> String {
    format!("{which} expired at {}; the clock of this host says {}", shown(at), shown(now))
}

fn not_yet_valid(which: &str, from: UnixTime, now: UnixTime) -> String {
    format!("{which} is valid from {} on; the clock of this host says {}", shown(from), shown(now))
}

fn shown(moment: UnixTime) -> String {
    iso_8601(moment.as_secs().saturating_mul(1000))
}

fn explain_path_length() -> Explanation {
    explanation(
        "there are more authorities between its certificate and a trusted one than these allow \
         (pathlen)",
        NEARER,
    )
}

fn explain_extension(which: &str, found: Option<&str>) -> Explanation {
    let found = found.map(|it| format!(" {}", extension(it))).unwrap_or_default();
    explanation(
        format!("{which} has the critical extension{found}, which is not supported"),
        "have it issued without that extension, or with it not critical",
    )
}

fn explain_key(algorithm: &[u8]) -> Explanation {
    let ids = algorithms(algorithm);
    let id = ids.last().map_or("unknown", String::as_str);
    explanation(
        format!(
            "its certificate, or one of its authorities, has a key of a kind that is not \
                 supported there ({id})"
        ),
        "have it issued again for an RSA key, or an EC key on P-256, P-384 or P-521",
    )
}

fn malformed() -> Explanation {
    explanation(
        "its certificate, or one of its authorities, does not follow the rules of X.509",
        "have it issued again",
    )
}

fn unsaid() -> Explanation {
    explanation("the operating system refuses its certificate", TELL)
}

/// An algorithm that is refused, as people know it.
fn signature(oid: &str) -> String {
    let name = match oid {
        "1.2.840.113549.1.1.5" | "1.3.14.3.2.29" | "1.2.840.10045.4.1" | "1.2.840.10040.4.3" => {
            "SHA-1, which is no longer secure"
        }
        "1.2.840.113549.1.1.4" => "MD5, which is no longer secure",
        "1.2.840.113549.1.1.2" => "MD2, which is no longer secure",
        "1.2.840.113549.1.1.10" => "RSA-PSS with parameters that are not supported",
        "2.16.840.1.101.3.4.3.1" | "2.16.840.1.101.3.4.3.2" => "DSA, which is not supported",
        "1.3.101.113" => "Ed448, which is not supported",
        other => return format!("an algorithm that is not supported ({other})"),
    };
    name.to_owned()
}

/// An extension as people know it.
fn extension(oid: &str) -> String {
    let name = match oid {
        "2.5.29.32" => "certificatePolicies",
        "2.5.29.33" => "policyMappings",
        "2.5.29.36" => "policyConstraints",
        "2.5.29.54" => "inhibitAnyPolicy",
        "2.5.29.14" => "subjectKeyIdentifier",
        "2.5.29.35" => "authorityKeyIdentifier",
        "1.3.6.1.5.5.7.1.1" => "authorityInfoAccess",
        "1.3.6.1.5.5.7.1.24" => "tlsfeature",
        _ => return oid.to_owned(),
    };
    format!("{name} ({oid})")
}
