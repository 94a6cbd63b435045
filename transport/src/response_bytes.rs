//! The bytes of a response.

use payments_base::debug_shows;
use payments_base::invisible::without_mark;

/// The status, the headers and the body of a response, as received.
#[derive(Clone)]
pub struct ResponseBytes {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl ResponseBytes {
    /// Makes a response from its parts, for a transport or a test.
    pub fn new(status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> Self {
        Self { status, headers, body }
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Header names and values, in order.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The value of the first header with that name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers_named(name).next()
    }

    #[doc(hidden)]
    pub fn headers_named(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.headers.iter().filter(move |(own, _)| own.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// The bytes of the body. They may contain payer data.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the body.
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// Whether the body is a web page, as firewalls and proxies write it, whatever
    /// the headers say.
    #[doc(hidden)]
    pub fn is_html(&self) -> bool {
        const MARKS: [&[u8]; 4] = [b"<!doctype html", b"<html", b"<head", b"<body"];
        let start = without_mark(&self.body).trim_ascii_start();
        let start = &start[..start.len().min(1024)];
        let has = |mark: &[u8]| start.windows(mark.len()).any(|it| it.eq_ignore_ascii_case(mark));
        start.starts_with(b"<") && MARKS.into_iter().any(has)
    }

    /// Why a body that cannot be read is compressed: it or a header says so.
    #[doc(hidden)]
    pub fn compression(&self) -> Option<String> {
        const LONGEST_NAME: usize = 16;
        let is_gzip = self.body.starts_with(b"\x1f\x8b");
        let named = self.headers_named("content-encoding").flat_map(|value| value.split(','));
        let named = named.map(str::trim).find(|it| !it.eq_ignore_ascii_case("identity"));
        let coding = named.filter(|it| !it.is_empty()).or(is_gzip.then_some("gzip"))?;
        let is_name = |it: &str| it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
        let shown =
            if coding.len() <= LONGEST_NAME && is_name(coding) { coding } else { "unknown coding" };
        let is_read = self.body.is_empty() || self.is_html();
        (!is_read).then(|| {
            format!(
                "the response is compressed ({shown}), which was not asked for; turn that off in \
                 the server, or in the gateway before it"
            )
        })
    }
}

debug_shows!(
    ResponseBytes,
    |it| status = it.status,
    headers = it.headers.len(),
    body_length = it.body.len()
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_compressed_if_it_or_a_header_says_so() {
        let coding = |codings: &[&str], body: &[u8]| {
            let headers =
                codings.iter().map(|it| ("Content-Encoding".to_owned(), (*it).to_owned()));
            let why = ResponseBytes::new(200, headers.collect(), body.to_vec()).compression()?;
            Some(why.split(['(', ')']).nth(1)?.to_owned())
        };
        let gzip = b"\x1f\x8b\x08";
        for (codings, body, expected) in [
            (&["gzip"][..], &b"\xff"[..], Some("gzip")),
            (&["identity, br"], b"abc", Some("br")),
            (&["Identity", "deflate"], b"abc", Some("deflate")),
            (&["a\u{1b}[1m"], b"abc", Some("unknown coding")),
            (&["abcdefghijklmnopq"], b"abc", Some("unknown coding")),
            (&[], gzip, Some("gzip")),
            (&["identity"], gzip, Some("gzip")),
            (&["identity"], b"abc", None),
            (&[""], b"abc", None),
            (&["gzip"], b"", None),
            (&["gzip"], b"<html>", None),
            (&[], b"abc", None),
        ] {
            assert_eq!(coding(codings, body).as_deref(), expected, "{codings:?} {body:?}");
        }
    }
}
