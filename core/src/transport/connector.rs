//! Establishes connections, through a proxy and with TLS where needed, with
//! ureq's connectors over our own sockets.

use std::sync::Arc;

use ::ureq::config::Config;
use ::ureq::http::Uri;
use ::ureq::tls::{Certificate, RootCerts, TlsConfig};
use ::ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ::ureq::unversioned::transport::{
    ConnectProxyConnector, ConnectionDetails, Connector as UreqConnector, Either, NextTimeout,
    RustlsConnector, Transport, time,
};
use ::ureq::{Agent, Error, Proxy};

use super::classify::{Ends, classify};
use super::connect::{Dialer, Lookup, Peer};
use super::connection::Connection;
use super::pace::{ConnectionStage, Pace};
use super::socket::{BUFFER_BYTES, Socket, Wire};
use super::{TlsRoots, TransportFailure};
use crate::base::debug::debug_shows;

/// Establishes connections that all trust the same roots.
pub(crate) struct Connector {
    dialer: Dialer,
    config: Config,
    /// How the proxy is shown.
    proxy: Option<String>,
    /// Shared so that roots load once and TLS sessions can be resumed.
    tls: Arc<RustlsConnector>,
}

impl Connector {
    pub(crate) fn new(roots: &TlsRoots, proxy: Option<ShownProxy>, lookup: Option<Lookup>) -> Self {
        let (proxy, shown) = proxy.map(|it| (it.proxy, it.shown)).unzip();
        let roots = match roots {
            TlsRoots::OperatingSystem => RootCerts::PlatformVerifier,
            TlsRoots::Certificates(certificates) => RootCerts::new_with_certs(
                &certificates
                    .iter()
                    .map(|der| Certificate::from_der(der).to_owned())
                    .collect::<Vec<_>>(),
            ),
        };
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let tls = TlsConfig::builder().unversioned_rustls_crypto_provider(provider);
        let config = Agent::config_builder()
            .tls_config(tls.root_certs(roots).build())
            .proxy(proxy)
            .input_buffer_size(BUFFER_BYTES)
            .output_buffer_size(BUFFER_BYTES)
            .build();
        Self { dialer: Dialer::new(lookup), config, proxy: shown, tls: Arc::default() }
    }

    /// Connects to the host of `uri`, with TLS for `https`.
    pub(crate) fn connect(&self, uri: &Uri, pace: Pace) -> Result<Connection, TransportFailure> {
        let wire = Wire::new(pace);
        let ends = Arc::new(Ends { host: host_of(uri), proxy: self.proxy.clone() });
        let links = Links {
            dialer: self.dialer.clone(),
            tls: Arc::clone(&self.tls),
            wire: Arc::clone(&wire),
            ends: Arc::clone(&ends),
        };
        let to_proxy = links.clone();
        let details = ConnectionDetails {
            uri,
            addrs: LateLookup.empty(),
            config: &self.config,
            request_level: false,
            resolver: &LateLookup,
            now: time::Instant::now(),
            timeout: NextTimeout::default(),
            current_time: Arc::new(time::Instant::now),
            run_connector: Arc::new(move |details| to_proxy.run(details)),
            register_shutdown: Arc::new(|_| Ok(())),
        };
        match links.run(&details) {
            Ok(layers) => {
                wire.reach(ConnectionStage::Open);
                Ok(Connection::new(layers, wire))
            }
            Err(error) => {
                Err(wire.take_failure().unwrap_or_else(|| classify(error, wire.stage(), &ends)))
            }
        }
    }

    /// What is said of the way to `uri`.
    pub(crate) fn way_to(&self, uri: &Uri) -> String {
        let host = host_of(uri);
        let skips = |proxy: &Proxy| proxy.is_no_proxy(uri);
        match self.proxy.as_ref().filter(|_| !self.config.proxy().is_some_and(skips)) {
            Some(proxy) => format!("{host} through {proxy}"),
            None => host,
        }
    }
}

/// Host and port, without a user.
fn host_of(uri: &Uri) -> String {
    let host = uri.host().unwrap_or_default();
    uri.port_u16().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// A proxy, and how it is shown.
#[derive(Clone, Debug)]
pub(crate) struct ShownProxy {
    pub(crate) proxy: Proxy,
    pub(crate) shown: String,
}

/// The layers of one connection, and the connection to its proxy.
#[derive(Clone)]
struct Links {
    dialer: Dialer,
    tls: Arc<RustlsConnector>,
    wire: Arc<Wire>,
    ends: Arc<Ends>,
}

impl Links {
    fn run(&self, details: &ConnectionDetails<'_>) -> Result<Box<dyn Transport>, Error> {
        let chain = ConnectProxyConnector::default().chain(Tcp(self.clone()));
        let chain = chain.chain(Tls(Arc::clone(&self.tls)));
        match UreqConnector::<()>::connect(&chain, details, None)? {
            Some(layers) => Ok(Box::new(layers)),
            None => Err(Error::ConnectionFailed),
        }
    }
}

/// Makes the TCP connection, unless there is a tunnel already.
struct Tcp(Links);

impl<In: Transport> UreqConnector<In> for Tcp {
    type Out = Either<In, Socket>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Self(Links { dialer, wire, ends, .. }) = self;
        if let Some(tunnel) = chained {
            wire.reach(ConnectionStage::Handshaking);
            return Ok(Some(Either::A(tunnel)));
        }
        let host = details.uri.host().ok_or(Error::HostNotFound)?;
        let port = details.uri.port_u16().unwrap_or(if details.needs_tls() { 443 } else { 80 });
        let proxy = ends.proxy.as_deref().filter(|_| details.config.proxy().is_none());
        let is_to_proxy = proxy.is_some();
        let peer = Peer { host, port, proxy };
        let stream = dialer
            .dial(&peer, &wire.pace())
            .map_err(|failure| wire.fail(if is_to_proxy { failure.of_proxy() } else { failure }))?;
        if !is_to_proxy {
            wire.reach(ConnectionStage::Handshaking);
        }
        Ok(Some(Either::B(Socket::new(stream, Arc::clone(wire)))))
    }
}

debug_shows!(Tcp);

/// ureq's TLS, shared by all connections of a connector.
struct Tls(Arc<RustlsConnector>);

impl<In: Transport> UreqConnector<In> for Tls {
    type Out = <RustlsConnector as UreqConnector<In>>::Out;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        self.0.connect(details, chained)
    }
}

debug_shows!(Tls);

/// A resolver that does nothing: the dialer looks up names, and the proxy looks
/// up those behind it.
#[derive(Debug)]
struct LateLookup;

impl Resolver for LateLookup {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        Ok(self.empty())
    }
}

#[cfg(test)]
mod tests {
    use ::ureq::ProxyProtocol;

    use super::*;

    #[test]
    fn a_host_that_goes_past_the_proxy_is_named_without_it() {
        let proxy = Proxy::builder(ProxyProtocol::Http).host("10.0.0.1").port(3128);
        let proxy = proxy.no_proxy("inside.example").build().unwrap();
        let shown = "the proxy 10.0.0.1:3128".to_owned();
        let connector =
            Connector::new(&TlsRoots::default(), Some(ShownProxy { proxy, shown }), None);
        let way_to = |url: &str| connector.way_to(&url.parse().unwrap());
        let through = "api.example:8443 through the proxy 10.0.0.1:3128";
        assert_eq!(way_to("https://api.example:8443"), through);
        assert_eq!(way_to("https://inside.example"), "inside.example");
    }
}
