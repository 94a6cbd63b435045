//! A request that is ready to be sent, and its bytes on the wire.

use std::sync::Arc;

use ::ureq::http::Uri;
use payments_base::debug_shows;
use payments_base::secret::Secret;
use zeroize::Zeroizing;

use crate::address::host_header;
use crate::failure::{Cause, TransportFailure};

/// `user-agent` of every request. Some firewalls refuse requests without one.
pub const USER_AGENT: &str = concat!("libpayments/", env!("CARGO_PKG_VERSION"));

/// `accept-encoding` of every request. Without it, a response may have any
/// coding.
pub const ACCEPT_ENCODING: &str = "identity";

/// A request with all credentials: the result of
/// `Client::prepare`, and the input of a
/// [`Transport`](super::Transport). `Debug` shows no secret, and only the host
/// of the URL.
#[derive(Clone)]
pub struct PreparedRequest {
    method: String,
    url: Secret,
    headers: Vec<(String, Secret)>,
    /// The headers of the configuration, which all requests of a client share.
    fixed: Arc<[(String, Secret)]>,
    body: SignedBody,
    max_response_bytes: usize,
    /// Whether executing the request twice does no harm.
    pub(super) is_read_only: bool,
}

impl PreparedRequest {
    #[doc(hidden)]
    pub fn new(
        method: &str,
        url: Secret,
        body: SignedBody,
        max_response_bytes: usize,
        is_read_only: bool,
    ) -> Self {
        Self {
            method: method.to_owned(),
            url,
            headers: Vec::new(),
            fixed: Arc::default(),
            body,
            max_response_bytes,
            is_read_only,
        }
    }

    #[doc(hidden)]
    pub fn with_fixed_headers(mut self, headers: &Arc<[(String, Secret)]>) -> Self {
        self.fixed = Arc::clone(headers);
        self
    }

    #[doc(hidden)]
    pub fn push_header(&mut self, name: &str, value: Secret) {
        self.headers.push((name.to_owned(), value));
    }

    /// Replaces the value of the header `name`.
    #[doc(hidden)]
    pub fn replace_header(&mut self, name: &str, value: Secret) {
        let known = self.headers.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name));
        if let Some((_, replaced)) = known {
            *replaced = value;
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

/// The host of a URL, and its port if there is one.
#[doc(hidden)]
pub fn authority_of(url: &str) -> &str {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

/// The bytes of a request, and where to send them.
pub(super) struct Framed {
    /// Scheme and authority: the key of the connection pool.
    pub(super) origin: String,
    pub(super) uri: Uri,
    pub(super) head: Zeroizing<Vec<u8>>,
    pub(super) body: SignedBody,
    /// Whether it is a HEAD, whose response has no body.
    pub(super) is_head: bool,
    pub(super) max_response_bytes: usize,
}

/// Writes the head of `request`.
///
/// # Errors
/// If it cannot be written as an HTTP/1.1 request.
pub(super) fn frame(request: &PreparedRequest) -> Result<Framed, TransportFailure> {
    let method = request.method();
    let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    if !is_method || matches!(method, "CONNECT" | "TRACE") {
        return Err(invalid_request());
    }
    let split = request.url().split_once('?');
    let (target, query) = split.map_or((request.url(), None), |(it, query)| (it, Some(query)));
    let breaks_out = |text: &str| text.bytes().any(|byte| byte.is_ascii_control());
    let uri: Uri = target.parse().map_err(|_| invalid_request())?;
    let origin = origin_of(&uri).ok_or_else(invalid_request)?;
    if query.is_some_and(|query| breaks_out(query) || query.contains([' ', '#'])) {
        return Err(invalid_request());
    }
    let mut head = Vec::with_capacity(2048);
    let mut put =
        |parts: &[&str]| parts.iter().for_each(|part| head.extend_from_slice(part.as_bytes()));
    put(&[method, " ", uri.path()]);
    if let Some(query) = query {
        put(&["?", query]);
    }
    put(&[" HTTP/1.1\r\nhost: ", &host_header(&uri), "\r\n"]);
    for (name, value) in request.headers() {
        let is_name = !name.is_empty() && !name.contains([':', ' ']);
        if !is_name || breaks_out(name) || breaks_out(value) {
            return Err(invalid_request());
        }
        put(&[name, ": ", value, "\r\n"]);
    }
    if !request.body().is_empty() || matches!(method, "POST" | "PUT" | "PATCH") {
        put(&["content-length: ", &request.body().len().to_string(), "\r\n"]);
    }
    put(&["\r\n"]);
    Ok(Framed {
        origin,
        head: Zeroizing::new(head),
        body: request.body.clone(),
        is_head: method == "HEAD",
        max_response_bytes: request.max_response_bytes(),
        uri,
    })
}

/// Scheme and authority: requests that have the same ones share connections.
pub(super) fn origin_of(uri: &Uri) -> Option<String> {
    Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?))
}

pub(super) fn invalid_request() -> TransportFailure {
    TransportFailure::of(Cause::InvalidRequest, "the request has no valid method or URL")
        .nothing_sent()
}

/// The signing prefix and the payload in one buffer, so that the signed bytes
/// and the sent bytes are the same memory. Wiped when dropped.
#[derive(Clone)]
pub struct SignedBody {
    buffer: Arc<Zeroizing<Vec<u8>>>,
    payload_at: usize,
}

impl SignedBody {
    /// Takes a `buffer` with a signing prefix of `payload_at` bytes, then the
    /// payload.
    pub fn new(buffer: Vec<u8>, payload_at: usize) -> Self {
        Self { buffer: Arc::new(Zeroizing::new(buffer)), payload_at }
    }

    /// The bytes behind the prefix.
    pub fn payload(&self) -> &[u8] {
        self.buffer.get(self.payload_at..).unwrap_or_default()
    }

    /// Prefix and payload, if there is a prefix.
    pub fn signing_input(&self) -> Option<&[u8]> {
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

    fn framed(method: &str, url: &str, header: (&str, &str)) -> Option<String> {
        let body = SignedBody::new(Vec::new(), 0);
        let mut request = PreparedRequest::new(method, url.into(), body, 1024, true);
        request.push_header(header.0, header.1.into());
        frame(&request).ok().map(|it| String::from_utf8(it.head.to_vec()).unwrap())
    }

    #[test]
    fn a_query_and_headers_are_written_as_they_are() {
        let head = "GET /ws/a?b=c%20d HTTP/1.1\r\nhost: api.test\r\nx: y z\r\n\r\n";
        let found = framed("GET", "https://api.test/ws/a?b=c%20d", ("x", "y z"));
        assert_eq!(found.as_deref(), Some(head));
    }

    #[test]
    fn the_host_has_no_default_port_no_login_and_no_zone() {
        for (url, host) in [
            ("https://api.test:443/ws", "api.test"),
            ("https://api.test:80/ws", "api.test:80"),
            ("http://api.test:80/ws", "api.test"),
            ("http://api.test:443/ws", "api.test:443"),
            ("https://user:word@api.test:8443/ws", "api.test:8443"),
            ("https://[::1]:443/ws", "[::1]"),
            ("https://[::1]:8443/ws", "[::1]:8443"),
            ("https://[fe80::1%25eth0]/ws", "[fe80::1]"),
            ("https://[fe80::1%25eth0]:8443/ws", "[fe80::1]:8443"),
        ] {
            let head = framed("GET", url, ("x", "y")).unwrap();
            assert_eq!(head.lines().nth(1), Some(format!("host: {host}").as_str()), "{url}");
        }
    }

    #[test]
    fn nothing_breaks_out_of_its_place() {
        const URL: &str = "https://api.test/ws";
        const HEADER: (&str, &str) = ("x", "y");
        for method in ["", "get", "GET ", "G\r\nT", "CONNECT", "TRACE"] {
            assert_eq!(framed(method, URL, HEADER), None, "{method:?}");
        }
        for url in ["", "/ws", "https://", "https://api.test/w s", "https://api.test/\r\nx"] {
            assert_eq!(framed("GET", url, HEADER), None, "{url:?}");
        }
        for query in ["a b", "a\r\nb", "a#b", "a\u{7f}"] {
            assert_eq!(framed("GET", &format!("{URL}?{query}"), HEADER), None, "{query:?}");
        }
        for header in [("", "y"), ("x:", "y"), ("x y", "z"), ("x\r\n", "y"), ("x", "y\r\nz: 1")] {
            assert_eq!(framed("GET", URL, header), None, "{header:?}");
        }
    }
}
