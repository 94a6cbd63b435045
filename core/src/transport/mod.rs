//! How a prepared request reaches the service.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::context::{CallContext, Ended};
use crate::debug::debug_shows;
use crate::reentrancy::callback;
use crate::secret::Secret;

mod age;
mod answer;
mod classify;
mod connect;
mod connection;
mod connector;
mod exchange;
mod frame;
mod http;
mod pace;
mod pool;
mod socket;

pub use connect::Lookup;
pub(crate) use connection::Connection;
pub(crate) use connector::Connector;
pub use http::{HttpSettings, HttpTransport, InvalidProxy, ProxySetting, TlsRoots};
pub(crate) use http::{Lease, has_usable_port};
pub(crate) use pace::Pace;

/// Sends one request and receives its answer.
///
/// Implement it to bring an HTTP client of your own. The rules that the
/// outcome of every failure rests on:
///
/// - The body goes out byte for byte as [`PreparedRequest::body`] gives it,
///   and so does every header.
/// - The request is sent at most once per call of [`send`](Self::send);
///   redirects are not followed.
/// - A wait asks `context` at least every 100 ms whether the call goes on.
/// - A failure says with [`TransportFailure::nothing_sent`] that no byte of
///   the request left. Silence means that bytes may have left, and so does a
///   context whose [`mark_bytes_left`](CallContext::mark_bytes_left) was
///   called, whatever the failure says.
///
/// A transport that hands the request and the context on to an
/// [`HttpTransport`] and returns what that returns keeps all of this.
pub trait Transport: Send + Sync {
    /// Sends `request` and reads the answer, all of its body included.
    ///
    /// A body that could not be read in full goes into
    /// [`HttpResponse::with_body_failure`], since the status alone decides
    /// what most answers mean.
    ///
    /// # Errors
    /// When there is no answer with a status.
    fn send(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
    ) -> Result<HttpResponse, TransportFailure>;
}

/// What `transport` makes of `request`; `None` when it panicked.
pub(crate) fn send_once(
    transport: &dyn Transport,
    context: &CallContext,
    request: &PreparedRequest,
) -> Option<Result<HttpResponse, TransportFailure>> {
    let send = || callback(|| transport.send(context, request));
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(send)).ok()
}

/// A request with every credential in place: what
/// [`Client::prepare`](crate::Client::prepare) gives, and what a
/// [`Transport`] sends. Its `Debug` form shows no secret.
#[derive(Clone)]
pub struct PreparedRequest {
    method: String,
    url: Secret,
    headers: Vec<(String, Secret)>,
    body: SignedBody,
    max_response_bytes: usize,
    /// Whether the service may execute it twice.
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

    /// The same request with another value of the header `name`.
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

    /// The whole URL. On a GET its query may hold the integration key.
    pub fn url(&self) -> &str {
        self.url.expose()
    }

    /// Names and values of the headers, in order. `Host` and
    /// `Content-Length` are left to the HTTP client.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.expose()))
    }

    /// The value of the header `name`, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The exact bytes that were signed and must be sent.
    pub fn body(&self) -> &[u8] {
        self.body.payload()
    }

    /// How large the body of the answer may be.
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

/// One buffer that holds the signing prefix and the payload, so that the
/// bytes that are signed and the bytes that are sent are the same memory. It is
/// wiped when it is dropped.
#[derive(Clone)]
pub(crate) struct SignedBody {
    buffer: Arc<Zeroizing<Vec<u8>>>,
    payload_at: usize,
}

impl SignedBody {
    /// `buffer` is a signing prefix of `payload_at` bytes, then the payload.
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

/// An answer as it came.
#[derive(Default)]
pub struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) body_failure: Option<TransportFailure>,
    /// The connection that it came by, if another request may use it.
    lease: Option<Lease>,
}

impl HttpResponse {
    /// An answer with all of its body.
    pub fn new(status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> Self {
        Self { status, headers, body, body_failure: None, lease: None }
    }

    /// Says that `body` is not all of it, and why.
    #[must_use]
    pub fn with_body_failure(mut self, failure: TransportFailure) -> Self {
        self.body_failure = Some(failure);
        self
    }

    pub(crate) fn take_lease(&mut self) -> Option<Lease> {
        self.lease.take()
    }

    /// The value of the first header `name`, whatever its case.
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

/// What kept a transport from giving an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FailureKind {
    /// No connection could be made.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The connection broke.
    Broken,
    /// The deadline of the call passed.
    Timeout,
    /// The call was cancelled.
    Cancelled,
    /// The answer is not HTTP.
    Protocol,
    /// The answer is larger than allowed.
    TooLarge,
}

/// Why a transport could not give an answer. Its texts must hold no secret.
#[derive(Clone)]
pub struct TransportFailure {
    pub(crate) kind: FailureKind,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) nothing_sent: bool,
    pub(crate) can_connect_again: bool,
    /// The member that holds the address is the first thing to check.
    is_of_address: bool,
    pub(crate) source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl TransportFailure {
    /// A failure after which bytes of the request may have left.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        let code = match kind {
            FailureKind::Connect => "connect_failed",
            FailureKind::Tls => "tls_failed",
            FailureKind::Broken => "connection_broken",
            FailureKind::Timeout => "deadline_passed",
            FailureKind::Cancelled => "cancelled",
            FailureKind::Protocol => "not_http",
            FailureKind::TooLarge => "answer_too_large",
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

    /// Says that no byte of the request left.
    #[must_use]
    pub fn nothing_sent(mut self) -> Self {
        self.nothing_sent = true;
        self
    }

    /// The same failure with its cause, whose text must hold no secret.
    #[must_use]
    pub fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    pub(crate) fn of_address(mut self) -> Self {
        self.is_of_address = true;
        self
    }

    /// The same failure, of the proxy. Its host is not shown: a secret that was
    /// given as the proxy would be one.
    pub(crate) fn of_proxy(mut self) -> Self {
        "could not connect to the proxy; check proxy and that it is up"
            .clone_into(&mut self.message);
        self.is_of_address = false;
        self
    }

    /// The message, and what to check: `member` holds the address.
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

    /// Trying again would give the same, for example with a bad certificate.
    pub(crate) fn final_for_now(mut self) -> Self {
        self.can_connect_again = false;
        self
    }

    pub(crate) fn broken() -> Self {
        Self::new(
            FailureKind::Broken,
            "the connection to the service broke before the answer was complete",
        )
    }

    /// Whether the call itself ended: no answer counts any more.
    fn ends_the_call(&self) -> bool {
        matches!(self.kind, FailureKind::Timeout | FailureKind::Cancelled)
    }

    /// The failure of a call that ended while it waited.
    pub(crate) fn ended(ended: Ended) -> Self {
        match ended {
            Ended::Deadline => Self::new(
                FailureKind::Timeout,
                "the deadline of the call passed; raise timeout_ms if the service needs longer",
            ),
            Ended::Cancelled => {
                Self::new(FailureKind::Cancelled, "the call was cancelled by the caller")
            }
        }
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
