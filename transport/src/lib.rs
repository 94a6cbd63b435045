//! How a prepared request reaches the service.

// - `http.rs`: the crate's own transport: one request, from pool to response
// - `exchange.rs`, `request.rs`, `response.rs`, `head.rs`: one request and its response on
//   a connection
// - `response_bytes.rs`: a response as received
// - `pool.rs`: idle connections, and how long one may be idle
// - `connector.rs`, `connect.rs`, `race.rs`, `socket.rs`, `address.rs`, `connection.rs`:
//   making connections, and the sockets below them, which abort
// - `proxy.rs`, `proxy_url.rs`, `no_proxy.rs`, `tunnel.rs`: the proxy of an address, and
//   the tunnel that it opens
// - `tls/`: TLS over rustls, and the words for each failure of a handshake
// - `pace.rs`: the limits of a call on its connection
// - `failure.rs`, `classify.rs`: why there is no response
// - `call/`: the deadline, the cancellation and the turns of a call
// - `fuzzing.rs`: readers for `tests/fuzz`

use std::panic::{AssertUnwindSafe, catch_unwind};

use payments_base::debug_shows;
use payments_base::process::ForkGuard;
use zeroize::Zeroize as _;

mod address;
mod call;
mod classify;
mod connect;
mod connection;
mod connector;
mod exchange;
mod failure;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod head;
mod http;
mod no_proxy;
mod pace;
mod pool;
mod proxy;
mod proxy_url;
mod race;
mod request;
mod response;
mod response_bytes;
mod socket;
mod tls;
mod tunnel;

pub use call::context;
pub use connect::Lookup;
pub use context::{CallContext, CancelHandle};
pub use failure::{FailureKind, TransportFailure};
pub use http::{HttpSettings, HttpTransport};
pub use proxy::ProxySetting;
pub use proxy_url::InvalidProxy;
pub use request::PreparedRequest;
pub use response_bytes::ResponseBytes;
pub use tls::TlsRoots;

use failure::Cause;
use http::PooledConnection;
use no_proxy::NoProxy;
use proxy::Proxies;

/// Internals for the core, the host and the command. Nothing here is stable:
/// they depend on exactly this version.
#[doc(hidden)]
pub mod inside {
    pub use ureq::http::Uri;

    pub use crate::address::{has_usable_port, ip_of};
    pub use crate::call::semaphore::{Permit, Semaphore};
    pub use crate::call::waiters::Waiters;
    pub use crate::connection::Connection;
    pub use crate::connector::Connector;
    pub use crate::context::ByteRecord;
    pub use crate::failure::Cause;
    pub use crate::http::PooledConnection;
    pub use crate::no_proxy::NoProxy;
    pub use crate::pace::Pace;
    pub use crate::proxy::{FOR_HTTPS as PROXY_VARIABLES, Proxies, ProxyTrial};
    pub use crate::request::{SignedBody, authority_of};
    pub use crate::{ACCEPT_ENCODING, USER_AGENT, guarded, send_once};
    pub use payments_base::wait::Waker;
}

/// `user-agent` of every request. Some firewalls refuse requests without one.
pub const USER_AGENT: &str = concat!("libpayments/", env!("CARGO_PKG_VERSION"));

/// `accept-encoding` of every request. Without it, a response may have any
/// coding.
pub const ACCEPT_ENCODING: &str = "identity";

/// Sends one request and receives its response.
///
/// Implement it to use your own HTTP client. The outcome of every failure
/// depends on these rules:
///
/// - Send the body exactly as [`PreparedRequest::body`] returns it, and every
///   header unchanged.
/// - Send the request at most once per call of [`send`](Self::send), and do not
///   follow redirects.
/// - While waiting, ask `context` at least every 100 ms whether the call
///   continues.
/// - Call [`TransportFailure::nothing_sent`] on a failure only with proof that no
///   byte of the request was sent. Otherwise bytes may have been sent. The same
///   holds if the context's [`set_may_have_sent`](CallContext::set_may_have_sent)
///   was called, whatever the failure says.
///
/// # What proves that nothing was sent
///
/// - The name was not found.
/// - The connection that was opened for this request was never established: the
///   host, the proxy or the TLS handshake (without early data) failed.
/// - The transport refused the request before it wrote, because its URL is
///   invalid, or because there was no connection within the deadline.
///
/// Everything else counts as sent: a failed write, a reset or a timeout on a
/// connection that was established or used before, and an error that does not
/// say which step failed. An HTTP client that repeats or redirects requests on
/// its own has no proof: its error is about the last attempt. If you cannot
/// turn that off, it may pay twice within one call.
///
/// A transport that passes request and context to an [`HttpTransport`] and
/// returns its result follows all of them.
pub trait Transport: Send + Sync {
    /// Sends `request` and reads the response with its whole body.
    ///
    /// Report a body that could not be read in full with
    /// [`Received::with_body_failure`]: for most responses the status is
    /// enough.
    ///
    /// # Errors
    /// If no response with a status was received.
    fn send(
        &self,
        context: &CallContext,
        request: &PreparedRequest,
    ) -> Result<Received, TransportFailure>;

    /// Prepares for a request to `base_url`, which the next call may send: for
    /// example, opens a connection. Does nothing by default.
    ///
    /// # Errors
    /// If the service cannot be reached.
    fn warm_up(&self, context: &CallContext, base_url: &str) -> Result<(), TransportFailure> {
        let _ = (context, base_url);
        Ok(())
    }
}

/// Sends `request` with `transport`, whose panic is a failure. The body is at most as
/// long as the request allows.
pub fn send_once(
    transport: &dyn Transport,
    context: &CallContext,
    request: &PreparedRequest,
) -> Result<Received, TransportFailure> {
    guarded(context, || transport.send(context, request))
        .map(|response| response.bounded(request.max_response_bytes()))
}

/// The result of `use_transport`. A panic in it is a failure.
pub fn guarded<R>(
    context: &CallContext,
    use_transport: impl FnOnce() -> Result<R, TransportFailure>,
) -> Result<R, TransportFailure> {
    let run = || context.callback(use_transport);
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(ran) => ran.unwrap_or_else(|ended| Err(TransportFailure::ended(ended))),
        Err(_) => Err(TransportFailure::panicked()),
    }
}

/// A response, and how its transport received it.
pub struct Received {
    /// The response.
    pub raw: ResponseBytes,
    #[doc(hidden)]
    pub body_failure: Option<TransportFailure>,
    /// The connection of the response, if it may be reused.
    #[doc(hidden)]
    pub connection: Option<ForkGuard<PooledConnection>>,
}

impl Received {
    /// A response with its whole body.
    pub fn new(status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> Self {
        Self {
            raw: ResponseBytes::new(status, headers, body),
            body_failure: None,
            connection: None,
        }
    }

    /// Marks the body as incomplete, with the reason.
    #[must_use]
    pub fn with_body_failure(mut self, failure: TransportFailure) -> Self {
        self.body_failure = Some(failure);
        self
    }

    /// The response with at most `max_bytes` of its body: a custom transport may
    /// ignore the limit.
    fn bounded(mut self, max_bytes: usize) -> Self {
        if self.raw.body.len() <= max_bytes {
            return self;
        }
        self.raw.body.truncate(max_bytes);
        self.with_body_failure(TransportFailure::too_large())
    }

    /// Wipes the body, which holds a secret.
    #[doc(hidden)]
    pub fn wipe(&mut self) {
        self.raw.body.zeroize();
    }
}

debug_shows!(Received, |it| raw = it.raw, body_failure = it.body_failure);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_beyond_the_limit_is_cut_and_incomplete() {
        for (limit, body, is_whole) in [(4, "abcd", true), (3, "abc", false), (0, "", false)] {
            let response = Received::new(200, Vec::new(), b"abcd".to_vec()).bounded(limit);
            assert_eq!(response.raw.body(), body.as_bytes());
            assert_eq!(response.body_failure.is_none(), is_whole, "{limit}");
        }
    }
}
