//! A raw server that speaks TLS, and its certificate authority.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::raw_server::{Connection, RawServer};

/// A private certificate authority.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params.distinguished_name.push(DnType::CommonName, name);
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
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(year, 1, 1);
        let (certificate, key) = self.sign(params);
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        Arc::new(config)
    }
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
    session.complete_io(&mut connection.socket).ok()?;
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
