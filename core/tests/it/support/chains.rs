//! Makes the certificates of `tests/tls/chains.json` from their descriptions.

use std::collections::BTreeMap;

use rcgen::{
    BasicConstraints, CertificateParams, CustomExtension, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, GeneralSubtree, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    NameConstraints, SignatureAlgorithm, SigningKey as _, date_time_ymd,
};
use rustls::pki_types::CertificateDer;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::der::{element, elements};

/// A certificate. Without `by`, it is signed by its own key.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Description {
    by: Option<String>,
    /// The name whose key signs it instead.
    signed_by: Option<String>,
    /// Its common name, and the name of its key, if these are not its own name.
    subject: Option<String>,
    key: Option<String>,
    kind: Option<String>,
    version: Option<u8>,
    /// The years in which its validity begins and ends.
    from: Option<i32>,
    to: Option<i32>,
    names: Option<Vec<String>>,
    ca: Option<bool>,
    path_length: Option<u8>,
    key_usage: Option<Vec<String>>,
    purposes: Option<Vec<String>>,
    permitted: Vec<String>,
    excluded: Vec<String>,
    /// The object identifier of an empty critical extension.
    critical: Option<Vec<u64>>,
    extension: Option<Extension>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Extension {
    oid: Vec<u64>,
    value: Vec<u8>,
    #[serde(default)]
    is_critical: bool,
}

/// Certificates and keys by their names.
#[derive(Default)]
pub struct Certificates {
    descriptions: BTreeMap<String, Description>,
    keys: BTreeMap<String, KeyPair>,
    made: BTreeMap<String, CertificateDer<'static>>,
}

impl Certificates {
    /// Each of `changes` is that of `common`, with these members instead.
    pub fn new(common: &Map<String, Value>, changes: &Map<String, Value>) -> Self {
        let mut all = common.clone();
        for (name, change) in changes {
            let of_common = all.entry(name).or_insert_with(|| Map::new().into());
            of_common.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        }
        let read = |(name, value): (String, Value)| {
            // A member that is null is one that is left out.
            let mut members = value.as_object().unwrap().clone();
            members.retain(|_, value| !value.is_null());
            (name, serde_json::from_value(members.into()).unwrap())
        };
        Self { descriptions: all.into_iter().map(read).collect(), ..Self::default() }
    }

    /// The certificate with this name, made once.
    pub fn of(&mut self, name: &str) -> CertificateDer<'static> {
        if !self.made.contains_key(name) {
            let made = self.make(name);
            self.made.insert(name.to_owned(), made);
        }
        self.made[name].clone()
    }

    /// The key of that certificate.
    pub fn key_of(&mut self, name: &str) -> &KeyPair {
        let description = self.descriptions.get(name);
        let key = description.and_then(|it| it.key.as_deref()).unwrap_or(name).to_owned();
        let kind = algorithm(description.and_then(|it| it.kind.as_deref()));
        self.keys.entry(key).or_insert_with(|| KeyPair::generate_for(kind).unwrap())
    }

    fn make(&mut self, name: &str) -> CertificateDer<'static> {
        let description = &self.descriptions[name];
        let issuer = description.by.clone().unwrap_or_else(|| name.to_owned());
        let signer = description.signed_by.clone().unwrap_or_else(|| issuer.clone());
        let params = params(name, description);
        let is_version_1 = description.version == Some(1);
        let issuer_params = self::params(&issuer, &self.descriptions[&issuer]);
        for key in [name, &signer] {
            self.key_of(key);
        }
        let key_of = |name: &str| {
            let key = self.descriptions.get(name).and_then(|it| it.key.as_deref());
            &self.keys[key.unwrap_or(name)]
        };
        let signer = key_of(&signer);
        let issuer = Issuer::new(issuer_params, signer);
        let made = params.signed_by(key_of(name), &issuer).unwrap();
        if is_version_1 { version_1(made.der(), signer) } else { made.der().clone() }
    }
}

fn algorithm(kind: Option<&str>) -> &'static SignatureAlgorithm {
    match kind {
        None => &rcgen::PKCS_ECDSA_P256_SHA256,
        Some("p521") => &rcgen::PKCS_ECDSA_P521_SHA512,
        Some("ed25519") => &rcgen::PKCS_ED25519,
        Some(other) => panic!("no such kind of key: {other}"),
    }
}

fn params(name: &str, described: &Description) -> CertificateParams {
    let names = described.names.clone().unwrap_or_default();
    let mut params = CertificateParams::new(names).unwrap();
    params.distinguished_name = common_name(described.subject.as_deref().unwrap_or(name));
    params.not_before = date_time_ymd(described.from.unwrap_or(2000), 1, 1);
    params.not_after = date_time_ymd(described.to.unwrap_or(2096), 1, 1);
    params.use_authority_key_identifier_extension = described.by.is_some();
    params.is_ca = match (described.ca, described.path_length) {
        (None, _) => IsCa::NoCa,
        (Some(false), _) => IsCa::ExplicitNoCa,
        (Some(true), None) => IsCa::Ca(BasicConstraints::Unconstrained),
        (Some(true), Some(length)) => IsCa::Ca(BasicConstraints::Constrained(length)),
    };
    let usages = described.key_usage.iter().flatten();
    params.key_usages = usages.map(|usage| key_usage(usage)).collect();
    let purposes = described.purposes.iter().flatten();
    params.extended_key_usages = purposes.map(|purpose| self::purpose(purpose)).collect();
    let subtrees = |names: &[String]| names.iter().map(|it| subtree(it)).collect::<Vec<_>>();
    let permitted_subtrees = subtrees(&described.permitted);
    let excluded_subtrees = subtrees(&described.excluded);
    if !permitted_subtrees.is_empty() || !excluded_subtrees.is_empty() {
        params.name_constraints = Some(NameConstraints { permitted_subtrees, excluded_subtrees });
    }
    let mut add = |oid: &[u64], value: Vec<u8>, is_critical| {
        let mut extension = CustomExtension::from_oid_content(oid, value);
        extension.set_criticality(is_critical);
        params.custom_extensions.push(extension);
    };
    if let Some(oid) = &described.critical {
        add(oid, vec![5, 0], true);
    }
    if let Some(Extension { oid, value, is_critical }) = &described.extension {
        add(oid, value.clone(), *is_critical);
    }
    params
}

fn common_name(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}

fn key_usage(usage: &str) -> KeyUsagePurpose {
    match usage {
        "digitalSignature" => KeyUsagePurpose::DigitalSignature,
        "keyEncipherment" => KeyUsagePurpose::KeyEncipherment,
        "keyCertSign" => KeyUsagePurpose::KeyCertSign,
        "cRLSign" => KeyUsagePurpose::CrlSign,
        other => panic!("no such usage of a key: {other}"),
    }
}

fn purpose(purpose: &str) -> ExtendedKeyUsagePurpose {
    match purpose {
        "any" => ExtendedKeyUsagePurpose::Any,
        "server" => ExtendedKeyUsagePurpose::ServerAuth,
        "client" => ExtendedKeyUsagePurpose::ClientAuth,
        other => panic!("no such purpose: {other}"),
    }
}

/// `/name` is that of a directory, and `@host` one of mail.
fn subtree(name: &str) -> GeneralSubtree {
    match (name.strip_prefix('/'), name.strip_prefix('@')) {
        (Some(name), _) => GeneralSubtree::DirectoryName(common_name(name)),
        (_, Some(host)) => GeneralSubtree::Rfc822Name(host.to_owned()),
        _ => GeneralSubtree::DnsName(name.to_owned()),
    }
}

/// The certificate without its version and extensions, signed again.
fn version_1(certificate: &[u8], signer: &KeyPair) -> CertificateDer<'static> {
    let [signed, algorithm, _] = elements(certificate).try_into().unwrap();
    let signed = element(0x30, &elements(signed)[1..7]);
    let signature = signer.sign(&signed).unwrap();
    element(0x30, &[&signed, algorithm, &element(3, &[&[0], &signature])]).into()
}
