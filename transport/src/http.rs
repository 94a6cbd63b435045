//! The crate's own transport: HTTP/1.1 with keep-alive.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::ureq::http::Uri;
use payments_base::debug_shows;
use payments_base::process::{ForkGuard, PerProcess};

use crate::call::context::CallContext;
use crate::connect::Lookup;
use crate::connections::{Connections, PooledConnection};
use crate::connector::Connector;
use crate::exchange::{Exchanged, exchange};
use crate::failure::{FailureKind, TransportFailure};
use crate::pace::Pace;
use crate::proxy::{Proxies, ProxySetting, ProxyTrial};
use crate::proxy_url::InvalidProxy;
use crate::request::{Framed, PreparedRequest, frame};
use crate::tls::TlsRoots;
use crate::transport::{Received, Transport};

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

/// HTTP/1.1 with keep-alive over TCP or TLS. A forked child has its own pool:
/// two processes never share a connection.
pub struct HttpTransport {
    connections: PerProcess<Connections>,
    connect_timeout: Duration,
}

impl HttpTransport {
    /// Makes a transport with an empty pool.
    ///
    /// # Errors
    /// `InvalidProxy` if the proxy's URL cannot be used.
    pub fn new(settings: &HttpSettings) -> Result<Self, InvalidProxy> {
        let proxies = Proxies::read(&settings.proxy);
        proxies.check_all()?;
        Ok(Self::with(settings, proxies))
    }

    /// Like [`new`](Self::new), for these addresses only.
    #[doc(hidden)]
    pub fn for_urls<'u>(
        settings: &HttpSettings,
        urls: impl IntoIterator<Item = &'u str>,
    ) -> Result<Self, InvalidProxy> {
        let proxies = Proxies::read(&settings.proxy);
        let uris = urls.into_iter().filter_map(|url| url.parse().ok());
        uris.into_iter().try_for_each(|uri: Uri| proxies.way_to(&uri).map(drop))?;
        Ok(Self::with(settings, proxies))
    }

    fn with(settings: &HttpSettings, proxies: Proxies) -> Self {
        let HttpSettings { connect_timeout, roots, lookup, .. } = settings.clone();
        let assemble = move || Connections {
            connector: Connector::new(&roots, proxies.clone(), lookup.clone()),
            pool: Mutex::default(),
        };
        let connections = PerProcess::new(assemble(), move |_| assemble());
        Self { connections, connect_timeout }
    }

    /// Connects to the proxy through which `url` is reached, and to nothing else.
    #[doc(hidden)]
    pub fn try_proxy(&self, context: &CallContext, url: &str) -> ProxyTrial {
        let pace = Pace::new(context, self.connect_timeout);
        let uri = url.parse().unwrap_or_default();
        self.connections.get().connector.try_proxy(&uri, &pace)
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
            if let Some(age) = age.filter(|_| failure.kind() == FailureKind::Broken) {
                connections.note_closed(framed, age);
            }
        })?;
        response.connection = may_idle.map(|may_idle| {
            let connections = Arc::clone(&connections);
            let (connection, origin) = (Some(connection), framed.origin.clone());
            ForkGuard::new(PooledConnection { connection, connections, origin, may_idle })
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
        let connections = self.connections.get();
        let way = || connections.connector.way_to(&framed.uri);
        // The byte record says how far a call came whose interrupt hook panics.
        let send = || self.send_framed(context, &framed, request.is_read_only);
        let sent = catch_unwind(AssertUnwindSafe(send))
            .unwrap_or_else(|_| Err(TransportFailure::panicked()));
        match sent {
            Ok(mut response) => {
                response.body_failure = response.body_failure.map(|failure| failure.with_peer(way));
                Ok(response)
            }
            Err(failure) if context.may_have_sent() && !failure.proves_nothing_sent(context) => {
                Err(failure.with_stage(true, way).with_peer(way))
            }
            Err(failure) => {
                let failure = failure.with_stage(false, way).with_peer(way).nothing_sent();
                Err(failure.past_proxy(|| connections.connector.proxies.unused_for(&framed.uri)))
            }
        }
    }

    fn warm_up(&self, context: &CallContext, base_url: &str) -> Result<(), TransportFailure> {
        let pace = Pace::new(context, self.connect_timeout);
        self.connections.get().warm_up(base_url, pace)
    }
}

debug_shows!(HttpTransport);
