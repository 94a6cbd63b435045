//! TLS in front of the sandbox.

use std::io::{ErrorKind, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

const TURN: Duration = Duration::from_millis(1);

/// Passes on the bytes inside TLS.
pub(crate) struct Front {
    port: u16,
    authority: PathBuf,
}

impl Front {
    /// Listens until the process ends, and leaves its authority in `folder`.
    pub(crate) fn start(service: u16, folder: &Path) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let authority = folder.join("authority.pem");
        std::fs::write(&authority, issuer.pem()).unwrap();
        let config = server(&issuer);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for client in listener.incoming().map(Result::unwrap) {
                let session = ServerConnection::new(Arc::clone(&config)).unwrap();
                let stream = StreamOwned::new(session, client);
                let service = TcpStream::connect(("127.0.0.1", service)).unwrap();
                std::thread::spawn(move || pass_on(stream, service));
            }
        });
        Self { port, authority }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    pub(crate) fn authority(&self) -> &Path {
        &self.authority
    }
}

fn server(issuer: &CertifiedIssuer<'_, KeyPair>) -> Arc<ServerConfig> {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, issuer).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key);
    Arc::new(config.unwrap())
}

/// Copies in both directions until one side ends, each in turn.
fn pass_on(mut client: StreamOwned<ServerConnection, TcpStream>, mut service: TcpStream) {
    client.sock.set_read_timeout(Some(TURN)).unwrap();
    service.set_read_timeout(Some(TURN)).unwrap();
    let mut buffer = vec![0; 65_536];
    loop {
        match read(&mut client, &mut buffer) {
            Some(length) if service.write_all(&buffer[..length]).is_ok() => {}
            _ => return,
        }
        match read(&mut service, &mut buffer) {
            Some(0) => {}
            Some(length) => {
                if client.write_all(&buffer[..length]).and_then(|()| client.flush()).is_err() {
                    return;
                }
            }
            None => {
                client.conn.send_close_notify();
                let _ = client.flush();
                return;
            }
        }
    }
}

/// How much there is to read by now; `None` at the end.
fn read(stream: &mut impl Read, buffer: &mut [u8]) -> Option<usize> {
    match stream.read(buffer) {
        Ok(0) => None,
        Ok(length) => Some(length),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            Some(0)
        }
        Err(_) => None,
    }
}
