//! Writes the head of a request.

use crate::model::error::Message;
use ::ureq::http::Uri;
use zeroize::Zeroizing;

use super::address::host_header;
use super::{FailureKind, PreparedRequest, SignedBody, TransportFailure};

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
    let (target, query) = match request.url().split_once('?') {
        Some((target, query)) => (target, Some(query)),
        None => (request.url(), None),
    };
    let breaks_out = |text: &str| text.bytes().any(|byte| byte.is_ascii_control());
    let uri: Uri = target.parse().map_err(|_| invalid_request())?;
    let origin = origin_of(&uri).ok_or_else(invalid_request)?;
    if query.is_some_and(|query| breaks_out(query) || query.contains([' ', '#'])) {
        return Err(invalid_request());
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

/// Scheme and authority: what connections are shared by.
pub(super) fn origin_of(uri: &Uri) -> Option<String> {
    Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?))
}

pub(super) fn invalid_request() -> TransportFailure {
    TransportFailure::of(FailureKind::Protocol, Message::INVALID_REQUEST).nothing_sent()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::SignedBody;

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
