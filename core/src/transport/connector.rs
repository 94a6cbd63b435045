//! Establishes connections, through a proxy and with TLS where needed, with
//! ureq's connectors over our own sockets.

use std::sync::Arc;

use ::ureq::config::Config;
use ::ureq::http::Uri;
use ::ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ::ureq::unversioned::transport::{
    ConnectProxyConnector, ConnectionDetails, Connector as UreqConnector, Either, NextTimeout,
    Transport, time,
};
use ::ureq::{Agent, Error};
use payments_base::debug_shows;

use super::address::{port_of, without_zone};
use super::classify::{Ends, classify};
use super::connect::{Dialer, Lookup, Peer};
use super::connection::Connection;
use super::pace::{ConnectionStage, Pace};
use super::proxy::ProxyTrial;
use super::proxy_url::ProxyName;
use super::socket::{BUFFER_BYTES, Socket, Wire};
use super::tls::{Stream, Tls};
use super::{FailureKind, Proxies, TlsRoots, TransportFailure};

/// Establishes connections that all trust the same roots.
pub(crate) struct Connector {
    dialer: Dialer,
    pub(super) proxies: Proxies,
    /// Shared so that roots load once and TLS sessions can be resumed.
    tls: Arc<Tls>,
}

impl Connector {
    pub(crate) fn new(roots: &TlsRoots, proxies: Proxies, lookup: Option<Lookup>) -> Self {
        let tls = Arc::new(Tls::new(roots.clone()));
        Self { dialer: Dialer::new(lookup), proxies, tls }
    }

    /// Connects to the host of `uri`, with TLS for `https`.
    pub(crate) fn connect(&self, uri: &Uri, pace: Pace) -> Result<Connection, TransportFailure> {
        self.connect_to(uri, false, pace)
    }

    /// Like [`connect`](Self::connect), but no message names the host.
    #[cfg(feature = "redis")]
    pub(crate) fn connect_concealed(
        &self,
        uri: &Uri,
        pace: Pace,
    ) -> Result<Connection, TransportFailure> {
        self.connect_to(uri, true, pace)
    }

    fn connect_to(
        &self,
        uri: &Uri,
        is_concealed: bool,
        pace: Pace,
    ) -> Result<Connection, TransportFailure> {
        let wire = Wire::new(pace);
        let proxy = self.proxies.way_to(uri).map_err(|why| {
            TransportFailure::new(FailureKind::Connect, why.to_string()).without_reconnect()
        })?;
        let name = proxy.map(|it| it.name.clone());
        let host = if is_concealed { "the server".to_owned() } else { host_of(uri) };
        let ends = Arc::new(Ends { host, is_concealed, proxy: name });
        let config = Agent::config_builder()
            .proxy(proxy.map(|it| it.proxy.clone()))
            .input_buffer_size(BUFFER_BYTES)
            .output_buffer_size(BUFFER_BYTES)
            .build();
        // A zone means nothing to the proxy.
        let uri = &proxy.and_then(|_| without_zone(uri)).unwrap_or_else(|| uri.clone());
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
            config: &config,
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

    /// The description of the way to `uri`.
    pub(crate) fn way_to(&self, uri: &Uri) -> String {
        let host = host_of(uri);
        match self.proxies.way_to(uri) {
            Ok(Some(proxy)) => format!("{host} through {}", proxy.name.shown),
            _ => host,
        }
    }

    /// Connects to the proxy on the way to `uri`.
    pub(super) fn try_proxy(&self, uri: &Uri, pace: &Pace) -> ProxyTrial {
        let proxy = match self.proxies.way_to(uri) {
            Ok(Some(proxy)) => proxy,
            Ok(None) => {
                return self
                    .proxies
                    .excluded(uri)
                    .map_or(ProxyTrial::Unnamed, ProxyTrial::Excluded);
            }
            Err(why) => return ProxyTrial::Fails(why.to_string()),
        };
        let ProxyName { shown, set_by } = &proxy.name;
        let (host, port) = (proxy.proxy.host(), proxy.proxy.port());
        match self.dialer.dial(&Peer { host, port, proxy: Some(shown) }, pace) {
            Ok(_) => ProxyTrial::Accepts(shown.clone()),
            Err(failure) => ProxyTrial::Fails(failure.of_proxy(set_by).message),
        }
    }
}

/// Host and port, without a user.
fn host_of(uri: &Uri) -> String {
    let host = uri.host().unwrap_or_default();
    uri.port_u16().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// The layers of one connection, and the connection to its proxy.
#[derive(Clone)]
struct Links {
    dialer: Dialer,
    tls: Arc<Tls>,
    wire: Arc<Wire>,
    ends: Arc<Ends>,
}

impl Links {
    fn run(&self, details: &ConnectionDetails<'_>) -> Result<Box<dyn Transport>, Error> {
        let chain = ConnectProxyConnector::default().chain(Tcp(self.clone()));
        let chain = chain.chain(Secured(self.clone()));
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
        let port = port_of(details.uri);
        let proxy = ends.proxy.as_ref().filter(|_| details.config.proxy().is_none());
        let peer = Peer { host, port, proxy: proxy.map(|it| it.shown.as_str()) };
        let stream = dialer.dial(&peer, &wire.pace()).map_err(|failure| {
            wire.fail(match proxy {
                Some(proxy) => failure.of_proxy(proxy.set_by),
                None => failure,
            })
        })?;
        if proxy.is_none() {
            wire.reach(ConnectionStage::Handshaking);
        }
        Ok(Some(Either::B(Socket::new(stream, Arc::clone(wire)))))
    }
}

debug_shows!(Tcp);

/// Adds TLS for `https`.
struct Secured(Links);

impl<In: Transport> UreqConnector<In> for Secured {
    type Out = Either<In, Stream<In>>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Self(Links { tls, wire, ends, .. }) = self;
        let transport = chained.ok_or(Error::ConnectionFailed)?;
        if !details.needs_tls() {
            return Ok(Some(Either::A(transport)));
        }
        Ok(Some(Either::B(tls.connect(details, transport, wire, ends)?)))
    }
}

debug_shows!(Secured);

/// A resolver that does nothing: the dialer looks up names, and the proxy looks
/// up those behind it.
#[derive(Debug)]
struct LateLookup;

impl Resolver for LateLookup {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        Ok(self.empty())
    }
}
