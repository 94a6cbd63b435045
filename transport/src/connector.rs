//! Establishes connections, through a proxy and with TLS where needed.

use std::sync::Arc;

use ::ureq::Error;
use ::ureq::http::Uri;
use ::ureq::unversioned::transport::Transport;

use crate::address::{port_of, without_zone};
use crate::classify::{Ends, classify};
use crate::connect::{Dialer, Lookup, Peer};
use crate::connection::Connection;
use crate::failure::{FailureKind, TransportFailure};
use crate::pace::{ConnectionStage, Pace};
use crate::proxy::{Proxies, ProxyTrial};
use crate::proxy_url::{NamedProxy, ProxyName};
use crate::socket::{Socket, Wire};
use crate::tls::{Tls, TlsRoots};
use crate::tunnel;

/// Establishes connections that all trust the same roots.
pub struct Connector {
    dialer: Dialer,
    pub(super) proxies: Proxies,
    tls: Tls,
}

impl Connector {
    /// A connector with these roots and proxies, and with the caller's `lookup`, if any.
    pub fn new(roots: &TlsRoots, proxies: Proxies, lookup: Option<Lookup>) -> Self {
        let tls = Tls::new(roots.clone());
        Self { dialer: Dialer::new(lookup), proxies, tls }
    }

    /// Connects to the host of `uri`, with TLS for `https`.
    pub fn connect(&self, uri: &Uri, pace: Pace) -> Result<Connection, TransportFailure> {
        self.connect_to(uri, false, pace)
    }

    /// Like [`connect`](Self::connect), but no message names the host.
    pub fn connect_concealed(&self, uri: &Uri, pace: Pace) -> Result<Connection, TransportFailure> {
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
        let ends = Ends { host, is_concealed, proxy: name };
        // A zone means nothing to the proxy.
        let uri = &proxy.and_then(|_| without_zone(uri)).unwrap_or_else(|| uri.clone());
        let links = Links { dialer: &self.dialer, tls: &self.tls, wire: &wire, ends: &ends };
        match links.make(uri, proxy) {
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

/// Makes the layers of one connection.
struct Links<'a> {
    dialer: &'a Dialer,
    tls: &'a Tls,
    wire: &'a Arc<Wire>,
    ends: &'a Ends,
}

impl Links<'_> {
    fn make(&self, uri: &Uri, proxy: Option<&NamedProxy>) -> Result<Box<dyn Transport>, Error> {
        let Some(proxy) = proxy else {
            let socket = self.dial(uri, None)?;
            self.wire.reach(ConnectionStage::Handshaking);
            return self.secured(uri, Box::new(socket));
        };
        let address = proxy.proxy.uri();
        let socket = self.dial(address, Some(&proxy.name))?;
        let mut tunnel = self.secured(address, Box::new(socket))?;
        tunnel::open(&mut *tunnel, uri, proxy, self.wire, self.ends)?;
        self.wire.reach(ConnectionStage::Handshaking);
        self.secured(uri, tunnel)
    }

    fn dial(&self, uri: &Uri, proxy: Option<&ProxyName>) -> Result<Socket, Error> {
        let host = uri.host().ok_or(Error::HostNotFound)?;
        let proxy_shown = proxy.map(|it| it.shown.as_str());
        let peer = Peer { host, port: port_of(uri), proxy: proxy_shown };
        let stream = self.dialer.dial(&peer, &self.wire.pace()).map_err(|failure| {
            self.wire.fail(match proxy {
                Some(proxy) => failure.of_proxy(proxy.set_by),
                None => failure,
            })
        })?;
        Ok(Socket::new(stream, Arc::clone(self.wire)))
    }

    /// Adds TLS for `https`.
    fn secured(
        &self,
        uri: &Uri,
        transport: Box<dyn Transport>,
    ) -> Result<Box<dyn Transport>, Error> {
        if uri.scheme_str() != Some("https") {
            return Ok(transport);
        }
        let host = uri.host().unwrap_or_default();
        Ok(Box::new(self.tls.connect(host, transport, self.wire, self.ends)?))
    }
}
