//! A request that is ready to be sent.

use std::sync::Arc;

use payments_base::debug_shows;
use payments_base::secret::Secret;
use zeroize::Zeroizing;

/// A request with all credentials: the result of
/// [`Client::prepare`](crate::Client::prepare), and the input of a
/// [`Transport`](super::Transport). `Debug` shows no secret, and of the URL the
/// host only.
#[derive(Clone)]
pub struct PreparedRequest {
    method: String,
    url: Secret,
    headers: Vec<(String, Secret)>,
    /// Those of the configuration, which all requests of a client share.
    fixed: Arc<[(String, Secret)]>,
    pub(super) body: SignedBody,
    max_response_bytes: usize,
    /// Whether executing the request twice does no harm.
    pub(super) is_read_only: bool,
}

impl PreparedRequest {
    pub(crate) fn new(
        method: &str,
        url: Secret,
        body: SignedBody,
        max_response_bytes: usize,
        is_read_only: bool,
    ) -> Self {
        let (method, headers, fixed) = (method.to_owned(), Vec::new(), Arc::default());
        Self { method, url, headers, fixed, body, max_response_bytes, is_read_only }
    }

    pub(crate) fn with_fixed_headers(mut self, headers: &Arc<[(String, Secret)]>) -> Self {
        self.fixed = Arc::clone(headers);
        self
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
        let all = self.headers.iter().chain(self.fixed.iter());
        all.map(|(name, value)| (name.as_str(), value.expose()))
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
    host = authority_of(it.url()),
    headers = it.headers,
    fixed = it.fixed,
    body_bytes = it.body().len()
);

/// `url` up to its query.
pub(crate) fn without_query(url: &str) -> &str {
    url.split('?').next().unwrap_or_default()
}

/// The host of a URL, and its port if there is one.
#[doc(hidden)]
pub fn authority_of(url: &str) -> &str {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_no_login() {
        assert_eq!(authority_of("https://user:password@api.example/x"), "api.example");
        assert_eq!(authority_of("http://[::1]:80?a=b"), "[::1]:80");
    }
}
