//! The trait of transports: their promises, their result, and one request by any of them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use payments_base::debug_shows;
use payments_base::process::ForkGuard;
use zeroize::Zeroize as _;

use crate::call::context::CallContext;
use crate::connections::PooledConnection;
use crate::failure::TransportFailure;
use crate::request::PreparedRequest;
use crate::response_bytes::ResponseBytes;

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
/// A transport that passes request and context to an [`HttpTransport`](crate::HttpTransport) and
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
    match catch_unwind(AssertUnwindSafe(|| context.callback(use_transport))) {
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
