//! The bytes of a response.

use payments_base::debug_shows;

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
}

debug_shows!(
    ResponseBytes,
    |it| status = it.status,
    headers = it.headers.len(),
    body_length = it.body.len()
);
