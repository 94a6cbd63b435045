//! The crate's own transport: HTTP/1.1 with keep-alive.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::ureq::http::Uri;
use ::ureq::{Proxy, ProxyProtocol};

use super::connection::Connection;
use super::connector::{Connector, ShownProxy};
use super::exchange::{Exchanged, exchange};
use super::frame::{Framed, frame, invalid_request, origin_of};
use super::pace::Pace;
use super::pool::{ConnectionPool, MAX_IDLE};
use super::{FailureKind, Lookup, PreparedRequest, Received, Transport, TransportFailure};
use crate::base::boot_instant::BootInstant;
use crate::base::debug::debug_shows;
use crate::base::process::{Owned, PerProcess, lock};
use crate::base::secret::Secret;
use crate::call::context::CallContext;
use crate::model::error::ErrorCode;

/// The trusted certificate authorities.
#[derive(Clone, Default)]
pub enum TlsRoots {
    /// Those of the operating system, loaded for the first TLS connection. On
    /// Linux, `SSL_CERT_FILE` and `SSL_CERT_DIR` can change them.
    #[default]
    OperatingSystem,
    /// Only these certificates (DER).
    Certificates(Arc<Vec<Vec<u8>>>),
}

/// Whether to use a proxy.
#[derive(Clone, Hash, Default, Debug)]
pub enum ProxySetting {
    /// No proxy, whatever the environment says.
    #[default]
    None,
    /// The proxy from the environment: `ALL_PROXY`, `HTTPS_PROXY` or
    /// `HTTP_PROXY`, in this order, except for hosts in `NO_PROXY`.
    Environment,
    /// `http://[user:password@]host:port`.
    Url(Secret),
}

/// Settings of an [`HttpTransport`].
#[derive(Clone)]
pub struct HttpSettings {
    /// The limit for connecting, including the TLS handshake.
    pub connect_timeout: Duration,
    /// Trusted certificate authorities.
    pub roots: TlsRoots,
    /// The proxy, if any.
    pub proxy: ProxySetting,
    /// Resolves host names instead of the operating system.
    pub lookup: Option<Lookup>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            roots: TlsRoots::default(),
            proxy: ProxySetting::default(),
            lookup: None,
        }
    }
}

/// HTTP/1.1 with keep-alive over TCP or TLS. A forked child has a pool of its
/// own: two processes never share a connection.
pub struct HttpTransport {
    connections: PerProcess<Connections>,
    connect_timeout: Duration,
}

/// The connections of one process.
struct Connections {
    connector: Connector,
    pool: Mutex<ConnectionPool<Connection>>,
}

impl HttpTransport {
    /// Makes a transport with an empty pool.
    ///
    /// # Errors
    /// `InvalidProxy` if the proxy's URL cannot be used.
    pub fn new(settings: &HttpSettings) -> Result<Self, InvalidProxy> {
        let HttpSettings { connect_timeout, roots, proxy, lookup } = settings.clone();
        let proxy = proxy.read()?;
        let assemble = move || Connections {
            connector: Connector::new(&roots, proxy.clone(), lookup.clone()),
            pool: Mutex::default(),
        };
        let connections = PerProcess::new(assemble(), move |_| assemble());
        Ok(Self { connections, connect_timeout })
    }

    /// Sends `framed` on an idle connection or a new one.
    fn send_framed(
        &self,
        context: &CallContext,
        framed: &Framed,
        is_read_only: bool,
    ) -> Result<Received, TransportFailure> {
        let pace = Pace::new(context, self.connect_timeout);
        let connections = self.connections.get();
        // Sends nothing if the call has ended. No code of the host runs between
        // this check and the first byte, so no time passes.
        pace.slice()?;
        let (mut connection, age) = match connections.take_idle(framed, is_read_only, &pace) {
            Some((connection, age)) => (connection, Some(age)),
            None => (connections.connect(&framed.uri, pace)?, None),
        };
        let exchanged = exchange(&mut connection, context, framed);
        let Exchanged { mut response, may_idle } = exchanged.inspect_err(|failure| {
            if let Some(age) = age.filter(|_| failure.kind == FailureKind::Broken) {
                connections.note_closed(framed, age);
            }
        })?;
        response.connection = may_idle.map(|may_idle| {
            let (connections, origin) = (Arc::clone(&connections), framed.origin.clone());
            Owned::new(PooledConnection {
                connection: Some(connection),
                connections,
                origin,
                may_idle,
            })
        });
        Ok(response)
    }
}

impl Transport for HttpTransport {
    fn send(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
    ) -> Result<Received, TransportFailure> {
        let framed = frame(request)?;
        let way = || self.connections.get().connector.way_to(&framed.uri);
        match self.send_framed(context, &framed, request.is_read_only) {
            Ok(mut response) => {
                response.body_failure = response.body_failure.map(|failure| failure.on_way(way));
                Ok(response)
            }
            Err(failure) if context.bytes_left() => Err(failure.awaiting(true, way).on_way(way)),
            Err(failure) => Err(failure.awaiting(false, way).on_way(way).nothing_sent()),
        }
    }

    fn warm_up(&self, context: &CallContext, base_url: &str) -> Result<(), TransportFailure> {
        let pace = Pace::new(context, self.connect_timeout);
        self.connections.get().warm_up(base_url, pace)
    }
}

impl Connections {
    /// Opens a connection to `url`, unless one is idle.
    fn warm_up(self: Arc<Self>, url: &str, pace: Pace) -> Result<(), TransportFailure> {
        let uri: Uri = url.parse().map_err(|_| invalid_request())?;
        let origin = origin_of(&uri).ok_or_else(invalid_request)?;
        pace.slice()?;
        if !lock(&self.pool).has_idle(&origin, BootInstant::now()) {
            let connection = Some(self.connect(&uri, pace)?);
            drop(PooledConnection { connection, connections: self, origin, may_idle: MAX_IDLE });
        }
        Ok(())
    }

    /// Takes an idle connection that the service has not closed, and its idle
    /// time.
    fn take_idle(
        &self,
        framed: &Framed,
        is_read_only: bool,
        pace: &Pace,
    ) -> Option<(Connection, Duration)> {
        loop {
            let now = BootInstant::now();
            let (mut connection, age) = lock(&self.pool).take(&framed.origin, is_read_only, now)?;
            connection.begin(pace.clone());
            if connection.is_silent(connection.was_used()) {
                return Some((connection, age));
            }
            self.note_closed(framed, age);
        }
    }

    fn connect(&self, uri: &Uri, pace: Pace) -> Result<Connection, TransportFailure> {
        let mut connection = self.connector.connect(uri, pace)?;
        connection.wire().pace().slice()?;
        if connection.is_silent(false) {
            return Ok(connection);
        }
        let message = "the service closed the connection or sent something before the request; \
                       check that the address speaks HTTP/1.1";
        Err(TransportFailure::new(FailureKind::Connect, message).with_code(ErrorCode::SPOKE_FIRST))
    }

    fn note_closed(&self, framed: &Framed, age: Duration) {
        lock(&self.pool).note_closed(&framed.origin, age, BootInstant::now());
    }
}

/// The connection of a response. Dropping it returns the connection to the
/// pool, unless it was discarded.
pub(crate) struct PooledConnection {
    connection: Option<Connection>,
    connections: Arc<Connections>,
    origin: String,
    may_idle: Duration,
}

impl PooledConnection {
    /// Closes the connection, whose responses cannot be trusted.
    pub(crate) fn discard(&mut self) {
        self.connection = None;
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.rest();
            let mut pool = lock(&self.connections.pool);
            pool.put(&self.origin, connection, self.may_idle, BootInstant::now());
        }
    }
}

impl ProxySetting {
    fn read(&self) -> Result<Option<ShownProxy>, InvalidProxy> {
        let proxy = match self {
            Self::None => None,
            Self::Environment => Proxy::try_from_env(),
            Self::Url(url) => Some(Proxy::new(url.expose()).map_err(|_| InvalidProxy)?),
        };
        // ureq parses other kinds of proxies too, but then does not use them.
        let can_be_used = |proxy: &Proxy| {
            matches!(proxy.protocol(), ProxyProtocol::Http | ProxyProtocol::Https)
                && has_usable_port(proxy.uri())
        };
        match proxy {
            Some(proxy) if !can_be_used(&proxy) => Err(InvalidProxy),
            proxy => Ok(proxy.map(|proxy| ShownProxy { shown: self.shown(&proxy), proxy })),
        }
    }

    /// The proxy with its address, unless a mistake in the URL may have made a
    /// password part of that.
    fn shown(&self, proxy: &Proxy) -> String {
        let (uri, address) = (proxy.uri(), format!("{}:{}", proxy.host(), proxy.port()));
        let after = uri.path_and_query().map_or("", |it| it.as_str());
        let is_clear = match self {
            Self::Url(url) => url.expose().contains("://") && !url.expose().contains('#'),
            _ => true,
        };
        match (is_clear && !after.contains('@'), proxy.is_from_env()) {
            (false, _) => "the proxy".to_owned(),
            (true, false) => format!("the proxy {address}"),
            (true, true) => format!("the proxy {address} (named by the environment)"),
        }
    }
}

/// Whether the text after the host's colon is a usable port. `Uri` accepts any
/// text there, and would then use the default port.
pub(crate) fn has_usable_port(uri: &Uri) -> bool {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let host_ends = authority.rfind(']').or_else(|| authority.rfind('@')).unwrap_or(0);
    !authority[host_ends..].contains(':') || uri.port_u16().is_some_and(|port| port > 0)
}

debug_shows!(HttpTransport);

/// A proxy URL that cannot be used.
#[derive(Clone, Copy, Debug)]
pub struct InvalidProxy;
