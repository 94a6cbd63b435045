//! The transport of this crate: ureq for pooling, TLS and proxies, over
//! connections of our own, which frame requests and answers themselves.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::ureq::http::{Request, Uri};
use ::ureq::tls::{Certificate, RootCerts, TlsConfig};
use ::ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ::ureq::unversioned::transport::{
    ConnectProxyConnector, Connector as _, NextTimeout, RustlsConnector,
};
use ::ureq::{Agent, Proxy, ProxyProtocol};
use zeroize::Zeroizing;

use super::answer::broken;
use super::connect::{Dialer, Lookup};
use super::exchange::{self, Outgoing, Phase};
use super::socket::DialingConnector;
use super::tracked::TrackingConnector;
use super::{FailureKind, HttpResponse, PreparedRequest, Transport, TransportFailure};
use crate::config::has_usable_port;
use crate::context::CallContext;
use crate::process::PerProcess;
use crate::secret::Secret;

/// Servers close idle connections. One that is closed while a request is on
/// its way makes the outcome of that request unknown, so that connections are
/// used again only while they are young.
const MAX_IDLE: Duration = Duration::from_secs(5);
const MAX_IDLE_CONNECTIONS: usize = 64;
const BUFFER_BYTES: usize = 16 * 1024;

/// Which certificate authorities are trusted.
#[derive(Clone, Default)]
pub enum TlsRoots {
    /// Those of the operating system. On Linux, `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR` are part of these. They are loaded when the first TLS
    /// connection is made.
    #[default]
    OperatingSystem,
    /// These certificates (DER) and no others.
    Certificates(Arc<Vec<Vec<u8>>>),
}

/// Whether a proxy is used.
#[derive(Clone, Default)]
pub enum ProxySetting {
    /// None, whatever the environment says.
    #[default]
    None,
    /// The one that the environment names: `ALL_PROXY`, `HTTPS_PROXY` or
    /// `HTTP_PROXY`, in this order, but for the hosts in `NO_PROXY`.
    Environment,
    /// `http://[user:password@]host:port`.
    Url(Secret),
}

/// Settings of a [`UreqTransport`].
#[derive(Clone)]
pub struct UreqSettings {
    /// How long connecting may take, TLS handshake included.
    pub connect_timeout: Duration,
    /// Trusted certificate authorities.
    pub roots: TlsRoots,
    /// The proxy, if any.
    pub proxy: ProxySetting,
    /// Finds addresses instead of the operating system.
    pub lookup: Option<Lookup>,
}

impl Default for UreqSettings {
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
/// own: no connection is ever used by two processes.
pub struct UreqTransport {
    agent: PerProcess<Agent>,
    connect_timeout: Duration,
}

impl UreqTransport {
    /// A transport with an empty pool.
    ///
    /// # Errors
    /// `InvalidProxy` when the proxy's URL cannot be used.
    pub fn new(settings: &UreqSettings) -> Result<Self, InvalidProxy> {
        let proxy = match &settings.proxy {
            ProxySetting::None => None,
            ProxySetting::Environment => Proxy::try_from_env(),
            ProxySetting::Url(url) => Some(Proxy::new(url.expose()).map_err(|_| InvalidProxy)?),
        };
        // ureq reads other kinds of proxies too, and would then pass them by.
        let can_be_used = |proxy: &Proxy| {
            matches!(proxy.protocol(), ProxyProtocol::Http | ProxyProtocol::Https)
                && has_usable_port(proxy.uri())
        };
        if !proxy.as_ref().is_none_or(can_be_used) {
            return Err(InvalidProxy);
        }
        let parts =
            AgentParts { proxy, roots: settings.roots.clone(), lookup: settings.lookup.clone() };
        Ok(Self {
            agent: PerProcess::new(parts.assemble(), move |_| parts.assemble()),
            connect_timeout: settings.connect_timeout,
        })
    }
}

struct AgentParts {
    proxy: Option<Proxy>,
    roots: TlsRoots,
    lookup: Option<Lookup>,
}

impl AgentParts {
    /// An agent with an empty pool.
    fn assemble(&self) -> Agent {
        let roots = match &self.roots {
            TlsRoots::OperatingSystem => RootCerts::PlatformVerifier,
            TlsRoots::Certificates(certificates) => RootCerts::new_with_certs(
                &certificates
                    .iter()
                    .map(|der| Certificate::from_der(der).to_owned())
                    .collect::<Vec<_>>(),
            ),
        };
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = Agent::config_builder()
            .tls_config(
                TlsConfig::builder()
                    .unversioned_rustls_crypto_provider(provider)
                    .root_certs(roots)
                    .build(),
            )
            .proxy(self.proxy.clone())
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_age(MAX_IDLE)
            .max_idle_connections(MAX_IDLE_CONNECTIONS)
            .max_idle_connections_per_host(MAX_IDLE_CONNECTIONS)
            .input_buffer_size(BUFFER_BYTES)
            .output_buffer_size(BUFFER_BYTES)
            .build();
        let through_proxy = self.proxy.is_some();
        let dialer = Dialer::new(self.lookup.clone());
        let connector = ConnectProxyConnector::default()
            .chain(DialingConnector { dialer, through_proxy })
            .chain(RustlsConnector::default())
            .chain(TrackingConnector { through_proxy });
        Agent::with_parts(config, connector, LateLookup)
    }
}

impl fmt::Debug for UreqTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UreqTransport").finish_non_exhaustive()
    }
}

/// A proxy URL that cannot be used.
#[derive(Clone, Copy, Debug)]
pub struct InvalidProxy;

/// Names are looked up when a connection is really made, not for every call
/// that finds one in the pool.
#[derive(Debug)]
struct LateLookup;

impl Resolver for LateLookup {
    fn resolve(
        &self,
        _: &Uri,
        _: &::ureq::config::Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ::ureq::Error> {
        Ok(self.empty())
    }
}

impl Transport for UreqTransport {
    fn send(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
    ) -> Result<HttpResponse, TransportFailure> {
        let (stand_in, outgoing) = frame(request)?;
        let connect_until =
            Instant::now().checked_add(self.connect_timeout).unwrap_or_else(|| context.deadline());
        let _exchange = exchange::begin(context.clone(), connect_until, outgoing);
        match self.agent.get().run(stand_in) {
            Ok(_) => exchange::with(|exchange| exchange.answer.take()).flatten().ok_or_else(broken),
            Err(error) => Err(failure_of(error)),
        }
    }
}

/// The request that ureq sees, which names the host and nothing else, and the
/// one that really goes out.
fn frame(request: &PreparedRequest) -> Result<(Request<()>, Outgoing), TransportFailure> {
    let invalid = || {
        TransportFailure::new(FailureKind::Protocol, "the request has no valid method or URL")
            .with_code("invalid_request")
            .nothing_sent()
    };
    let method = request.method();
    let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    if !is_method || matches!(method, "CONNECT" | "TRACE") {
        return Err(invalid());
    }
    let (target, query) = match request.url().split_once('?') {
        Some((target, query)) => (target, Some(query)),
        None => (request.url(), None),
    };
    let breaks_out = |text: &str| text.bytes().any(|byte| byte.is_ascii_control());
    let uri: Uri = target.parse().map_err(|_| invalid())?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(invalid());
    };
    if query.is_some_and(|query| breaks_out(query) || query.contains([' ', '#'])) {
        return Err(invalid());
    }
    let mut head = Vec::with_capacity(2048);
    let mut put = |parts: &[&str]| {
        for part in parts {
            head.extend_from_slice(part.as_bytes());
        }
    };
    put(&[method, " ", uri.path()]);
    if let Some(query) = query {
        put(&["?", query]);
    }
    put(&[" HTTP/1.1\r\nhost: ", authority.as_str(), "\r\n"]);
    for (name, value) in request.headers() {
        let is_name = !name.is_empty() && !name.contains([':', ' ']);
        if !is_name || breaks_out(name) || breaks_out(value) {
            return Err(invalid());
        }
        put(&[name, ": ", value, "\r\n"]);
    }
    if !request.body().is_empty() || matches!(method, "POST" | "PUT" | "PATCH") {
        put(&["content-length: ", &request.body().len().to_string(), "\r\n"]);
    }
    put(&["\r\n"]);
    let stand_in =
        Request::get(format!("{scheme}://{authority}/")).body(()).map_err(|_| invalid())?;
    let outgoing = Outgoing {
        head: Zeroizing::new(head),
        body: request.body.clone(),
        is_head: method == "HEAD",
        max_response_bytes: request.max_response_bytes(),
    };
    Ok((stand_in, outgoing))
}

/// What ureq's error means: whoever knew better has recorded it.
pub(super) fn failure_of(error: ::ureq::Error) -> TransportFailure {
    let (recorded, phase, context) = exchange::with(|exchange| {
        (exchange.failure.take(), exchange.phase, Some(exchange.context.clone()))
    })
    .unwrap_or((None, Phase::Exchanging, None));
    let failure = recorded.unwrap_or_else(|| classify(error, phase));
    if context.is_some_and(|context| !context.bytes_left()) {
        failure.nothing_sent()
    } else {
        failure
    }
}

fn classify(error: ::ureq::Error, phase: Phase) -> TransportFailure {
    match error {
        ::ureq::Error::Rustls(error) => tls(error, phase),
        ::ureq::Error::Tls(reason) => {
            TransportFailure::new(FailureKind::Tls, reason).final_for_now()
        }
        ::ureq::Error::Io(error) => of_io(error, phase),
        ::ureq::Error::ConnectProxyFailed(_) => TransportFailure::new(
            FailureKind::Connect,
            "the proxy refused to connect to the service; check proxy",
        )
        .with_code("proxy_refused"),
        ::ureq::Error::Timeout(_) => TransportFailure::ended(crate::context::Ended::Deadline),
        _ if phase == Phase::Connecting => {
            TransportFailure::new(FailureKind::Connect, "no connection could be made")
        }
        _ => broken(),
    }
}

fn of_io(error: io::Error, phase: Phase) -> TransportFailure {
    let error = match error.downcast::<rustls::Error>() {
        Ok(error) => return tls(error, phase),
        Err(error) => error,
    };
    let error = match error.downcast::<::ureq::Error>() {
        Ok(error) => return classify(error, phase),
        Err(error) => error,
    };
    match phase {
        Phase::Connecting => {
            TransportFailure::new(FailureKind::Connect, "no connection could be made")
                .with_source(error)
        }
        Phase::Handshaking => TransportFailure::new(
            FailureKind::Tls,
            "the connection broke during the TLS handshake; check that the port speaks TLS",
        )
        .with_code("handshake_broken")
        .with_source(error),
        Phase::Exchanging => broken().with_source(error),
    }
}

fn tls(error: rustls::Error, phase: Phase) -> TransportFailure {
    if phase == Phase::Exchanging {
        return broken().with_source(error);
    }
    let (code, message) = match &error {
        rustls::Error::InvalidCertificate(_) => (
            "certificate_refused",
            "the service's certificate was refused; behind a company's proxy or with a private \
             certificate authority, set ca_file",
        ),
        rustls::Error::General(_) => (
            "no_roots",
            "the operating system's root certificates could not be used; install them \
             (ca-certificates) or set ca_file",
        ),
        _ => ("tls_failed", "the TLS handshake failed; check that the port speaks TLS 1.2 or 1.3"),
    };
    TransportFailure::new(FailureKind::Tls, message)
        .with_code(code)
        .final_for_now()
        .with_source(error)
}
