//! A response, and how it was received.

use payments_base::debug_shows;
use payments_base::process::ForkGuard;
use zeroize::Zeroize as _;

use crate::connections::PooledConnection;
use crate::failure::TransportFailure;
use crate::response_bytes::ResponseBytes;

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
    pub(crate) fn bounded(mut self, max_bytes: usize) -> Self {
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
