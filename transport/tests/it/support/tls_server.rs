//! A raw server that speaks TLS, and its certificate authority.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{WantsServerCert, WebPkiClientVerifier};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{
    ConfigBuilder, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
    SupportedProtocolVersion, WantsVerifier,
};

use super::raw_server::{Connection, RawServer};

/// A private certificate authority.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub fn new(name: &str) -> Self {
        Self::with(authority_params(name))
    }

    /// One that expires in `year`.
    pub fn until(name: &str, year: i32) -> Self {
        let mut params = authority_params(name);
        params.not_after = date_time_ymd(year, 1, 1);
        Self::with(params)
    }

    /// A server with this name, whose own certificate gives it no right to issue
    /// others.
    pub fn of_server(name: &str) -> Self {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.is_ca = IsCa::ExplicitNoCa;
        params.distinguished_name.push(DnType::CommonName, name);
        Self::with(params)
    }

    fn with(params: CertificateParams) -> Self {
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// Writes the authority's certificate to a file.
    pub fn file(&self) -> TemporaryFile {
        TemporaryFile::new(self.pem().as_bytes())
    }

    /// The authority's certificate in DER.
    pub fn der(&self) -> Vec<u8> {
        self.0.der().to_vec()
    }

    /// The TLS configuration of a server that shows this certificate itself.
    pub fn own_server(&self) -> Arc<ServerConfig> {
        sending(&[self.0.der().clone()], self.0.key())
    }

    /// Issues a certificate for a server with these names. Returns it and its
    /// key as PEM.
    pub fn issue(&self, names: &[&str]) -> (String, String) {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let (certificate, key) = self.sign(CertificateParams::new(names).unwrap());
        (certificate.pem(), key.serialize_pem())
    }

    fn sign(&self, params: CertificateParams) -> (Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.0).unwrap(), key)
    }

    /// The TLS configuration of a server with these names.
    pub fn server(&self, names: &[&str]) -> Arc<ServerConfig> {
        self.server_until(names, 2096)
    }

    /// Like [`server`](Self::server), with a certificate that expires in
    /// `year`.
    pub fn server_until(&self, names: &[&str], year: i32) -> Arc<ServerConfig> {
        self.server_with(names, |params| {
            params.not_before = date_time_ymd(2000, 1, 1);
            params.not_after = date_time_ymd(year, 1, 1);
        })
    }

    /// Like [`server`](Self::server), with a certificate that `change` changes.
    pub fn server_with(
        &self,
        names: &[&str],
        change: impl FnOnce(&mut CertificateParams),
    ) -> Arc<ServerConfig> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        let (certificate, key) = self.sign(params);
        Arc::new(presenting(all_versions().with_no_client_auth(), &[certificate.der()], &key))
    }

    /// The TLS configuration of a server with a certificate of an authority under
    /// this one, and whether it sends that authority's.
    pub fn server_of_another(&self, authority: &str, is_sent: bool) -> Arc<ServerConfig> {
        let (between, key) = self.sign(authority_params(authority));
        let issuer = Issuer::new(authority_params(authority), &key);
        let key = KeyPair::generate().unwrap();
        let own = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let own = own.signed_by(&key, &issuer).unwrap();
        let sent = if is_sent { vec![own.der(), between.der()] } else { vec![own.der()] };
        Arc::new(presenting(all_versions().with_no_client_auth(), &sent, &key))
    }

    /// The TLS configuration of a server that requires a certificate of the
    /// client, in these versions.
    pub fn server_for_known_clients(
        &self,
        versions: &[&'static SupportedProtocolVersion],
    ) -> Arc<ServerConfig> {
        let (certificate, key) =
            self.sign(CertificateParams::new(["localhost".to_owned()]).unwrap());
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider());
        let builder = ServerConfig::builder_with_provider(provider());
        let builder = builder.with_protocol_versions(versions).unwrap();
        let builder = builder.with_client_cert_verifier(clients.build().unwrap());
        Arc::new(presenting(builder, &[certificate.der()], &key))
    }
}

/// The TLS configuration of a server with these certificates and this key.
pub fn sending(chain: &[CertificateDer<'static>], key: &KeyPair) -> Arc<ServerConfig> {
    let chain: Vec<_> = chain.iter().collect();
    Arc::new(presenting(all_versions().with_no_client_auth(), &chain, key))
}

/// The TLS configuration of a server with a certificate that is its own
/// authority, and that certificate as PEM.
pub fn self_signed(change: impl FnOnce(&mut CertificateParams)) -> (Arc<ServerConfig>, String) {
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    change(&mut params);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let config = presenting(all_versions().with_no_client_auth(), &[certificate.der()], &key);
    (Arc::new(config), certificate.pem())
}

fn authority_params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

fn all_versions() -> ConfigBuilder<ServerConfig, WantsVerifier> {
    ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().unwrap()
}

/// A server with these certificates, without checking them.
fn presenting(
    builder: ConfigBuilder<ServerConfig, WantsServerCert>,
    chain: &[&CertificateDer<'static>],
    key: &KeyPair,
) -> ServerConfig {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let key = builder.crypto_provider().key_provider.load_private_key(key).unwrap();
    let certified = CertifiedKey::new(chain.iter().map(|it| (*it).clone()).collect(), key);
    builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)))
}

/// Runs `serve` for every connection once its handshake is complete.
pub fn start(
    tls: Arc<ServerConfig>,
    serve: impl Fn(Connection) + Send + Sync + 'static,
) -> RawServer {
    RawServer::start(move |connection| {
        if let Some(connection) = accept(&tls, connection) {
            serve(connection);
        }
    })
}

/// Adds TLS to a connection. Returns `None` if the handshake fails.
pub fn accept(tls: &Arc<ServerConfig>, mut connection: Connection) -> Option<Connection> {
    let mut session = ServerConnection::new(Arc::clone(tls)).unwrap();
    if session.complete_io(&mut connection.socket).is_err() {
        // A close with unread bytes would be a reset, and the client would lose
        // the alert.
        let _ = connection.socket.shutdown(std::net::Shutdown::Write);
        connection.wait_for_the_end();
        return None;
    }
    let socket = connection.socket.try_clone().unwrap();
    connection.stream = Box::new(StreamOwned::new(session, socket));
    Some(connection)
}

/// A file that is removed when dropped.
pub struct TemporaryFile(pub PathBuf);

impl TemporaryFile {
    pub fn new(contents: &[u8]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("payments-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, contents).unwrap();
        Self(path)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
