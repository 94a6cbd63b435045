//! TLS over the sockets of this crate.
//!
//! `trust.rs`, or on macOS and Windows without `ca_file` the operating system,
//! decides whether a certificate is trusted. The rest finds words for a failure.
//! TLS passes neither limits nor failures on, so a connection and its socket share
//! them (`Wire`).

use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::sync::{Arc, Mutex, OnceLock};

use ::ureq::Error;
use ::ureq::unversioned::transport::{
    Buffers, LazyBuffers, NextTimeout, Transport, TransportAdapter, time,
};
use payments_base::debug_shows;
use payments_base::process::lock;
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use crate::classify::{Ends, could_not_connect};
use crate::pace::ConnectionStage;
use crate::socket::{BUFFER_BYTES, Wire};

mod alerts;
mod handshake;
mod limits;
mod refusals;
mod seen;
#[cfg(test)]
mod tests;
mod trust;
mod words;

use handshake::Handshake;
use seen::{Judge, NoCertificate, Seen, Verifier};
use trust::Trust;

/// The trusted certificates. Each is trusted as a server's own, and as an
/// authority within the limits that it states.
#[derive(Clone, Default)]
pub enum TlsRoots {
    /// Those of the operating system, loaded for the first TLS connection. On
    /// Linux, `SSL_CERT_FILE` and `SSL_CERT_DIR` can change them.
    #[default]
    OperatingSystem,
    /// Only these certificates (DER).
    Certificates(Arc<Vec<Vec<u8>>>),
}

/// State that the TLS connections of a connector share.
pub(super) struct Tls {
    roots: TlsRoots,
    /// Made for the first TLS connection: loading the roots of the operating
    /// system takes a while.
    judge: OnceLock<Judge>,
    /// The services, token servers and proxies that were connected to: a few.
    hosts: Mutex<HashMap<ServerName<'static>, Arc<Host>>>,
}

/// State that the TLS connections to one host share: its sessions, and its
/// observed properties.
struct Host {
    config: Arc<ClientConfig>,
    seen: Arc<Seen>,
}

impl Tls {
    pub(super) fn new(roots: TlsRoots) -> Self {
        Self { roots, judge: OnceLock::new(), hosts: Mutex::default() }
    }

    /// Adds TLS to `transport`, which leads to `host`.
    ///
    /// # Errors
    /// If the handshake fails; `wire` knows why.
    pub(super) fn connect<In: Transport>(
        &self,
        host: &str,
        transport: In,
        wire: &Arc<Wire>,
        ends: &Ends,
    ) -> Result<Stream<In>, Error> {
        let name = host.trim_start_matches('[').trim_end_matches(']');
        // Certificates have addresses without the zone in which they are reached.
        let name = name.split('%').next().unwrap_or(name);
        let stage = wire.stage();
        let peer = ends.peer(stage);
        let of_host = ServerName::try_from(name.to_owned());
        let host = of_host.map_err(|_| words::no_name(peer)).and_then(|of_host| {
            let host = self.host(&of_host).map_err(|error| words::unusable(peer, error))?;
            Ok((of_host, host))
        });
        let (server, host) = host.map_err(|failure| wire.fail(failure))?;
        let fails = |error: io::Error| {
            let is_of_tls = error.get_ref().is_some_and(|it| it.is::<rustls::Error>());
            if stage == ConnectionStage::Connecting && !is_of_tls {
                return wire.fail(could_not_connect(ends));
            }
            let shown_name = if ends.is_concealed { "HOST" } else { name };
            let (roots, seen) = (&self.roots, &host.seen);
            let handshake = Handshake { peer, name, shown_name, roots, seen };
            wire.fail(handshake.failed(error))
        };
        let mut connection = ClientConnection::new(Arc::clone(&host.config), server)
            .map_err(|error| fails(io::Error::other(error)))?;
        let mut link = TransportAdapter::new(transport, Arc::new(time::Instant::now));
        connection.complete_io(&mut link).map_err(fails)?;
        Ok(Stream {
            stream: StreamOwned::new(connection, link),
            buffers: LazyBuffers::new(BUFFER_BYTES, BUFFER_BYTES),
            has_received: false,
            host,
            peer: peer.to_owned(),
            wire: Arc::clone(wire),
        })
    }

    fn host(&self, name: &ServerName<'static>) -> Result<Arc<Host>, rustls::Error> {
        if let Some(host) = lock(&self.hosts).get(name) {
            return Ok(Arc::clone(host));
        }
        let host = Arc::new(Host::new(self.judge()?)?);
        Ok(Arc::clone(lock(&self.hosts).entry(name.clone()).or_insert(host)))
    }

    fn judge(&self) -> Result<Judge, rustls::Error> {
        if let Some(judge) = self.judge.get() {
            return Ok(judge.clone());
        }
        let judge = judge_of(&self.roots)?;
        Ok(self.judge.get_or_init(|| judge).clone())
    }
}

/// Process-wide defaults are the host's.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

fn judge_of(roots: &TlsRoots) -> Result<Judge, rustls::Error> {
    let TlsRoots::Certificates(certificates) = roots else { return judge_of_system() };
    let certificates = certificates.iter().map(|der| CertificateDer::from(der.as_slice()));
    Ok(Judge::List(Arc::new(Trust::new(certificates, &provider())?)))
}

#[cfg(not(any(windows, target_os = "android", target_vendor = "apple")))]
fn judge_of_system() -> Result<Judge, rustls::Error> {
    let certificates = rustls_native_certs::load_native_certs().certs;
    Ok(Judge::List(Arc::new(Trust::new(certificates, &provider())?)))
}

#[cfg(any(windows, target_os = "android", target_vendor = "apple"))]
fn judge_of_system() -> Result<Judge, rustls::Error> {
    Ok(Judge::System(Arc::new(rustls_platform_verifier::Verifier::new(provider())?)))
}

/// Whether a server at `localhost` is trusted that sends `sent`. `None` if
/// `trusted` is no certificate.
#[cfg(feature = "fuzzing")]
pub(super) fn is_trusted(
    sent: &[CertificateDer<'_>],
    trusted: CertificateDer<'_>,
    now: rustls::pki_types::UnixTime,
) -> Option<bool> {
    let (own, others) = sent.split_first()?;
    let trust = Trust::new([trusted], &provider()).ok()?;
    let name = ServerName::try_from("localhost").ok()?;
    Some(trust.check(own, others, &name, now).is_ok())
}

impl Host {
    fn new(judge: Judge) -> Result<Self, rustls::Error> {
        /// A server sends at most this many tickets that are kept.
        const SESSIONS: usize = 8;
        let seen = Arc::<Seen>::default();
        let provider = provider();
        let verifier = Verifier::new(judge, &provider, &seen);
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_client_cert_resolver(Arc::new(NoCertificate(Arc::clone(&seen))));
        config.resumption = Resumption::in_memory_sessions(SESSIONS);
        Ok(Self { config: Arc::new(config), seen })
    }
}

/// A connection with TLS.
pub(super) struct Stream<In: Transport> {
    stream: StreamOwned<ClientConnection, TransportAdapter<In>>,
    buffers: LazyBuffers,
    /// Whether the server has responded to anything.
    has_received: bool,
    host: Arc<Host>,
    peer: String,
    wire: Arc<Wire>,
}

impl<In: Transport> Stream<In> {
    /// In TLS 1.3, a server refuses a client without a certificate only after
    /// the client's handshake is complete.
    fn failed(&self, error: io::Error) -> Error {
        let failure = if self.has_received {
            None
        } else {
            words::refused_after_handshake(&error, &self.peer, &self.host.seen)
        };
        match failure {
            Some(failure) => self.wire.fail(failure),
            None => Error::Io(error),
        }
    }
}

impl<In: Transport> Transport for Stream<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
        let written = self.stream.write_all(&self.buffers.output()[..amount]);
        written.map_err(|error| self.failed(error))
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
        let read = self.stream.read(self.buffers.input_append_buf());
        let read = read.map_err(|error| self.failed(error))?;
        self.buffers.input_appended(read);
        self.has_received |= read > 0;
        Ok(read > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.get_mut().get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

impl<In: Transport> std::fmt::Debug for Stream<In> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}

debug_shows!(Host);
