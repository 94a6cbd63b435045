//! How a prepared request reaches the service.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::context::{CallContext, Ended};
use crate::debug::debug_shows;
use crate::process::Owned;
use crate::secret::Secret;

mod abort;
mod classify;
mod connect;
mod connection;
mod connector;
mod exchange;
mod frame;
mod http;
mod pace;
mod pool;
mod race;
mod response;
mod socket;

pub use connect::Lookup;
pub(crate) use connection::Connection;
pub(crate) use connector::Connector;
pub use http::{HttpSettings, HttpTransport, InvalidProxy, ProxySetting, TlsRoots};
pub(crate) use http::{Lease, has_usable_port};
pub(crate) use pace::Pace;

/// Sends one request and receives its response.
///
/// Implement it to use an HTTP client of your own. The outcome of every failure
/// depends on these rules:
///
/// - Send the body exactly as [`PreparedRequest::body`] returns it, and every
///   header unchanged.
/// - Send the request at most once per call of [`send`](Self::send), and do not
///   follow redirects.
/// - While waiting, ask `context` at least every 100 ms whether the call goes
///   on.
/// - Call [`TransportFailure::nothing_sent`] on a failure if no byte of the
///   request was sent. Otherwise bytes may have been sent. They also may have
///   if the context's [`mark_bytes_left`](CallContext::mark_bytes_left) was
///   called, whatever the failure says.
///
/// A transport that passes request and context to an [`HttpTransport`] and
/// returns its result follows all of them.
pub trait Transport: Send + Sync {
    /// Sends `request` and reads the response with its whole body.
    ///
    /// Report a body that could not be read in full with
    /// [`HttpResponse::with_body_failure`]: for most responses the status is
    /// enough.
    ///
    /// # Errors
    /// If no response with a status was received.
    fn send(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
    ) -> Result<HttpResponse, TransportFailure>;
}

/// Sends `request` with `transport`; `None` if it panicked.
pub(crate) fn send_once(
    transport: &dyn Transport,
    context: &CallContext,
    request: &PreparedRequest,
) -> Option<Result<HttpResponse, TransportFailure>> {
    let send = || context.callback(|| transport.send(context, request));
    let sent = std::panic::catch_unwind(std::panic::AssertUnwindSafe(send)).ok()?;
    Some(sent.unwrap_or_else(|ended| Err(TransportFailure::ended(ended))))
}

/// A request with all credentials: the result of
/// [`Client::prepare`](crate::Client::prepare), and what a [`Transport`] sends.
/// `Debug` shows no secret.
#[derive(Clone)]
pub struct PreparedRequest {
    method: String,
    url: Secret,
    headers: Vec<(String, Secret)>,
    body: SignedBody,
    max_response_bytes: usize,
    /// Whether executing the request twice does no harm.
    is_read_only: bool,
}

impl PreparedRequest {
    pub(crate) fn new(
        method: &str,
        url: Secret,
        body: SignedBody,
        max_response_bytes: usize,
        is_read_only: bool,
    ) -> Self {
        let (method, headers) = (method.to_owned(), Vec::new());
        Self { method, url, headers, body, max_response_bytes, is_read_only }
    }

    pub(crate) fn push_header(&mut self, name: &str, value: Secret) {
        self.headers.push((name.to_owned(), value));
    }

    /// Replaces the value of the header `name`.
    pub(crate) fn replace_header(&mut self, name: &str, value: Secret) {
        if let Some(header) =
            self.headers.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            header.1 = value;
        }
    }

    /// The method, in upper case.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The whole URL. The query of a GET may contain the integration key.
    pub fn url(&self) -> &str {
        self.url.expose()
    }

    /// Header names and values, in order. The HTTP client adds `Host` and
    /// `Content-Length`.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.expose()))
    }

    /// The value of the header `name`, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The exact bytes that were signed and must be sent.
    pub fn body(&self) -> &[u8] {
        self.body.payload()
    }

    /// The largest response body to accept, in bytes.
    pub fn max_response_bytes(&self) -> usize {
        self.max_response_bytes
    }
}

debug_shows!(
    PreparedRequest,
    |it| method = it.method,
    url = without_query(it.url()),
    headers = it.headers,
    body_bytes = it.body().len()
);

/// `url` up to its query.
pub(crate) fn without_query(url: &str) -> &str {
    url.split('?').next().unwrap_or_default()
}

/// The signing prefix and the payload in one buffer, so that the signed bytes
/// and the sent bytes are the same memory. Wiped when dropped.
#[derive(Clone)]
pub(crate) struct SignedBody {
    buffer: Arc<Zeroizing<Vec<u8>>>,
    payload_at: usize,
}

impl SignedBody {
    /// Takes a `buffer` with a signing prefix of `payload_at` bytes, then the
    /// payload.
    pub(crate) fn new(buffer: Vec<u8>, payload_at: usize) -> Self {
        Self { buffer: Arc::new(Zeroizing::new(buffer)), payload_at }
    }

    pub(crate) fn payload(&self) -> &[u8] {
        self.buffer.get(self.payload_at..).unwrap_or_default()
    }

    pub(crate) fn signing_input(&self) -> Option<&[u8]> {
        (self.payload_at > 0).then_some(self.buffer.as_slice())
    }
}

/// A response as received.
#[derive(Default)]
pub struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) body_failure: Option<TransportFailure>,
    /// The connection of the response, if it may be reused.
    lease: Option<Owned<Lease>>,
}

impl HttpResponse {
    /// A response with its whole body.
    pub fn new(status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> Self {
        Self { status, headers, body, body_failure: None, lease: None }
    }

    /// Marks `body` as incomplete, with the reason.
    #[must_use]
    pub fn with_body_failure(mut self, failure: TransportFailure) -> Self {
        self.body_failure = Some(failure);
        self
    }

    pub(crate) fn take_lease(&mut self) -> Option<Owned<Lease>> {
        self.lease.take()
    }

    /// The value of the first header `name`, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn headers_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers
            .iter()
            .filter(move |(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

debug_shows!(
    HttpResponse,
    |it| status = it.status,
    body_bytes = it.body.len(),
    body_failure = it.body_failure
);

pub(crate) const CONNECT_TIMED_OUT: &str = "connect_timed_out";

/// What kept a transport from returning a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FailureKind {
    /// The connection could not be established.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The connection broke.
    Broken,
    /// The deadline of the call passed.
    Timeout,
    /// The call was cancelled.
    Cancelled,
    /// The response is not HTTP.
    Protocol,
    /// The response is larger than allowed.
    TooLarge,
}

/// Why a transport could not return a response. Its texts must not contain
/// secrets.
#[derive(Clone)]
pub struct TransportFailure {
    pub(crate) kind: FailureKind,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) nothing_sent: bool,
    pub(crate) can_connect_again: bool,
    /// Whether to check the address first.
    is_of_address: bool,
    pub(crate) source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl TransportFailure {
    /// A failure after which bytes of the request may have been sent.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        let code = match kind {
            FailureKind::Connect => "connect_failed",
            FailureKind::Tls => "tls_failed",
            FailureKind::Broken => "connection_broken",
            FailureKind::Timeout => "deadline_passed",
            FailureKind::Cancelled => "cancelled",
            FailureKind::Protocol => "not_http",
            FailureKind::TooLarge => "response_too_large",
        };
        Self {
            kind,
            code,
            message: message.into(),
            nothing_sent: false,
            can_connect_again: kind == FailureKind::Connect,
            is_of_address: false,
            source: None,
        }
    }

    /// States that no byte of the request was sent.
    #[must_use]
    pub fn nothing_sent(mut self) -> Self {
        self.nothing_sent = true;
        self
    }

    /// Adds the cause, whose text must not contain secrets.
    #[must_use]
    pub fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    pub(crate) fn of_address(mut self) -> Self {
        self.is_of_address = true;
        self
    }

    /// Attributes the failure to the proxy.
    pub(crate) fn of_proxy(mut self) -> Self {
        if self.is_of_address {
            self.message.push_str("; check proxy, and that the proxy is up");
        }
        self.is_of_address = false;
        self
    }

    pub(crate) fn has_timed_out(&self) -> bool {
        self.code == CONNECT_TIMED_OUT
    }

    /// The message with what to check. `member` names the configuration member
    /// that holds the address.
    pub(crate) fn message_for(&self, member: &str) -> String {
        match self.is_of_address {
            true => {
                format!("{}; check {member}, the network and that the service is up", self.message)
            }
            false => self.message.clone(),
        }
    }

    pub(crate) fn with_code(mut self, code: &'static str) -> Self {
        self.code = code;
        self
    }

    /// Marks a failure that a retry would repeat, for example a bad
    /// certificate.
    pub(crate) fn final_for_now(mut self) -> Self {
        self.can_connect_again = false;
        self
    }

    pub(crate) fn broken() -> Self {
        Self::new(
            FailureKind::Broken,
            "the connection to the service broke before the response was complete",
        )
    }

    /// Whether the call itself ended, so that no response counts any more.
    fn ends_the_call(&self) -> bool {
        matches!(self.kind, FailureKind::Timeout | FailureKind::Cancelled)
    }

    /// The failure of a call that ended while it waited.
    pub(crate) fn ended(ended: Ended) -> Self {
        let kind = match ended {
            Ended::Deadline => FailureKind::Timeout,
            Ended::Cancelled | Ended::Forked => FailureKind::Cancelled,
        };
        Self::new(kind, ended.message()).with_code(ended.code())
    }
}

impl fmt::Display for TransportFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

debug_shows!(
    TransportFailure,
    |it| kind = it.kind,
    code = it.code,
    message = it.message,
    nothing_sent = it.nothing_sent
);

impl StdError for TransportFailure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
