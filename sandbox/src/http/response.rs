//! A response and its encoding.

use std::time::SystemTime;

use serde_json::Value;

use super::find_header;

/// A complete response.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Header names and values, in the order sent. `Date` and `Content-Length`
    /// are added unless they are there, or another header frames the body.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// A response without a body.
    pub fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    /// A response with a JSON body.
    pub fn json(status: u16, body: &Value) -> Self {
        Self { status, ..Self::of_type("application/json", body.to_string()) }
    }

    /// A response with status 200 and a body of that type.
    pub(crate) fn of_type(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..Self::empty(200).with_header("Content-Type", content_type) }
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The first header of that name, case-insensitively.
    pub fn header(&self, name: &str) -> Option<&str> {
        find_header(&self.headers, name)
    }

    /// Whether the response has `Connection: close`.
    pub(crate) fn closes_connection(&self) -> bool {
        self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }

    /// The status line and headers, including the empty line, without framing
    /// of the body.
    pub(crate) fn unframed_head(&self) -> Vec<u8> {
        let mut head = self.start();
        head.extend_from_slice(b"\r\n");
        head
    }

    /// The status line and headers with an additional framing header.
    pub(crate) fn head_with(&self, name: &str, value: &str) -> Vec<u8> {
        let mut head = self.start();
        push_header(&mut head, name, value);
        head.extend_from_slice(b"\r\n");
        head
    }

    /// Encodes the response. `head_only` omits the body, as in the response to
    /// a `HEAD`; `keep_alive: false` announces the close.
    pub(crate) fn to_bytes(&self, head_only: bool, keep_alive: bool) -> Vec<u8> {
        let mut bytes = self.start();
        let bodiless = self.status < 200 || self.status == 204 || self.status == 304;
        let framed =
            self.header("content-length").is_some() || self.header("transfer-encoding").is_some();
        if !bodiless && !framed {
            push_header(&mut bytes, "Content-Length", &self.body.len().to_string());
        }
        if !keep_alive && self.header("connection").is_none() {
            push_header(&mut bytes, "Connection", "close");
        }
        bytes.extend_from_slice(b"\r\n");
        if !head_only && !bodiless {
            bytes.extend_from_slice(&self.body);
        }
        bytes
    }

    fn start(&self) -> Vec<u8> {
        let mut head = Vec::with_capacity(256 + self.body.len());
        head.extend_from_slice(
            format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status)).as_bytes(),
        );
        if self.header("date").is_none() {
            let now = httpdate::fmt_http_date(SystemTime::now());
            push_header(&mut head, "Date", &now);
        }
        for (name, value) in &self.headers {
            push_header(&mut head, name, value);
        }
        head
    }
}

fn push_header(bytes: &mut Vec<u8>, name: &str, value: &str) {
    bytes.extend_from_slice(name.as_bytes());
    bytes.extend_from_slice(b": ");
    bytes.extend_from_slice(value.as_bytes());
    bytes.extend_from_slice(b"\r\n");
}

fn reason(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_is_framed_once() {
        let response = Response::json(200, &serde_json::json!({"a": 1}));
        let text = String::from_utf8(response.to_bytes(false, true)).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"));
        assert!(text.ends_with("Content-Length: 7\r\n\r\n{\"a\":1}"));
        let framed = response.with_header("Content-Length", "99");
        let text = String::from_utf8(framed.to_bytes(false, false)).unwrap();
        assert_eq!(text.matches("Content-Length").count(), 1);
        assert!(text.contains("Connection: close\r\n"));
    }

    #[test]
    fn no_content_has_neither_length_nor_body() {
        let bytes = Response::empty(204).to_bytes(false, true);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with("HTTP/1.1 204 No Content\r\nDate: "), "{text}");
        assert!(text.ends_with(" GMT\r\n\r\n") && text.lines().count() == 3, "{text}");
    }
}
