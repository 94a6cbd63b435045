//! A response: as received, and as other languages see it.

use std::borrow::Cow;
use std::ops::Deref;
use std::time::Duration;

use payments_base::debug_shows;
use payments_base::invisible::without_mark;
use payments_transport::ResponseBytes;

use crate::model::amount::amounts_as_text;
use crate::model::json::{Json, JsonError, Members, ParseOptions};

/// The longest `Retry-After` that is honored.
pub(crate) const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(3600);

/// A response of the service as received: status, headers and body.
#[derive(Clone)]
pub struct RawResponse {
    bytes: ResponseBytes,
    /// The parsed body, until the operation takes it.
    tree: Option<Result<Json, JsonError>>,
    max_values: usize,
}

impl RawResponse {
    /// Makes a response from its parts, for a test.
    pub fn new(status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> Self {
        ResponseBytes::new(status, headers, body).into()
    }

    /// Returns the body.
    pub fn into_body(self) -> Vec<u8> {
        self.bytes.into_body()
    }

    /// Parses the body.
    ///
    /// # Errors
    /// If the body is not JSON, or has more values than the client accepts.
    pub fn json(&self) -> Result<Json, JsonError> {
        Self::read_body(self.body(), self.max_values)
    }

    /// Parses a response body, which may begin with a byte order mark, with at
    /// most `max_values` values.
    ///
    /// # Errors
    /// If it is not JSON, or has more values.
    #[doc(hidden)]
    pub fn read_body(body: &[u8], max_values: usize) -> Result<Json, JsonError> {
        Json::parse_with(without_mark(body), ParseOptions::new().max_values(max_values))
    }

    /// Limits how many JSON values are read from the body.
    pub fn bounded(mut self, max_values: usize) -> Self {
        self.max_values = max_values;
        self
    }

    /// The most JSON values that are read from the body.
    pub fn max_values(&self) -> usize {
        self.max_values
    }

    /// Parses the body while `should_continue` returns `true`.
    pub(crate) fn read(&mut self, should_continue: &dyn Fn() -> bool) {
        let options =
            ParseOptions::new().max_values(self.max_values).should_continue(should_continue);
        self.tree = Some(Json::parse_with(without_mark(self.body()), options));
    }

    /// The parsed body; parses it now if that has not happened yet.
    pub(crate) fn take_tree(&mut self, max_values: usize) -> Result<Json, JsonError> {
        self.tree
            .take()
            .unwrap_or_else(|| Self::read_body(self.body(), self.max_values.min(max_values)))
    }
}

impl From<ResponseBytes> for RawResponse {
    fn from(bytes: ResponseBytes) -> Self {
        Self { bytes, tree: None, max_values: usize::MAX }
    }
}

impl Deref for RawResponse {
    type Target = ResponseBytes;

    fn deref(&self) -> &ResponseBytes {
        &self.bytes
    }
}

debug_shows!(
    RawResponse,
    |it| status = it.status(),
    headers = it.headers().len(),
    body_length = it.body().len()
);

/// The response to a call by name.
#[derive(Clone)]
pub struct CallResponse {
    /// Status, headers and body as received. For `access_token`, which may
    /// return a cached token, the status is 200 and the rest is empty.
    pub raw: RawResponse,
    /// The typed members, and under `response` the whole body. Amounts are texts:
    /// no language parses them into floats. Empty for `send`, whose body is not
    /// read.
    pub view: Json,
}

impl CallResponse {
    /// The view with the whole body under `response`. For `send`, `response` is
    /// left out if the body cannot be read.
    pub fn whole_view(&self) -> Cow<'_, Json> {
        match self.is_of_send().then(|| self.raw.json()) {
            Some(Ok(json)) => {
                Cow::Owned(Members::from([("response", amounts_as_text(&json))]).into())
            }
            _ => Cow::Borrowed(&self.view),
        }
    }

    pub(crate) fn is_of_send(&self) -> bool {
        self.view.as_object().is_some_and(Members::is_empty)
    }
}

/// The longest `Retry-After` in seconds, at most [`LONGEST_RETRY_AFTER`].
/// Dates are ignored: the interface mentions none, and clocks differ.
pub(crate) fn retry_after(response: &ResponseBytes) -> Option<Duration> {
    let values = response.headers_named("retry-after").flat_map(|value| value.split(','));
    let seconds = values.filter_map(|value| value.trim().parse().ok()).max()?;
    Some(Duration::from_secs(seconds).min(LONGEST_RETRY_AFTER))
}

/// Whether the body is a web page, as firewalls and proxies write it, whatever
/// the headers say.
pub(crate) fn is_html(response: &ResponseBytes) -> bool {
    const MARKS: [&[u8]; 4] = [b"<!doctype html", b"<html", b"<head", b"<body"];
    let start = without_mark(response.body()).trim_ascii_start();
    let start = &start[..start.len().min(1024)];
    let has = |mark: &[u8]| start.windows(mark.len()).any(|it| it.eq_ignore_ascii_case(mark));
    start.starts_with(b"<") && MARKS.into_iter().any(has)
}

/// Why a body that cannot be read is compressed: it or a header says so.
pub(crate) fn compression(response: &ResponseBytes) -> Option<String> {
    const LONGEST_NAME: usize = 16;
    let is_gzip = response.body().starts_with(b"\x1f\x8b");
    let named = response.headers_named("content-encoding").flat_map(|value| value.split(','));
    let named = named.map(str::trim).find(|it| !it.eq_ignore_ascii_case("identity"));
    let coding = named.filter(|it| !it.is_empty()).or(is_gzip.then_some("gzip"))?;
    let is_name = |it: &str| it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    let shown =
        if coding.len() <= LONGEST_NAME && is_name(coding) { coding } else { "unknown coding" };
    let is_read = response.body().is_empty() || is_html(response);
    (!is_read).then(|| {
        format!(
            "the response is compressed ({shown}), which was not asked for; turn that off in \
             the server, or in the gateway before it"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_compressed_if_it_or_a_header_says_so() {
        let coding = |codings: &[&str], body: &[u8]| {
            let headers =
                codings.iter().map(|it| ("Content-Encoding".to_owned(), (*it).to_owned()));
            let response = ResponseBytes::new(200, headers.collect(), body.to_vec());
            let why = compression(&response)?;
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

    #[test]
    fn the_longest_retry_after_counts_and_is_bounded() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (values, expected) in [
            (&[" 7 "][..], seconds(7)),
            (&["99999999999"], Some(LONGEST_RETRY_AFTER)),
            (&["-1"], None),
            (&["Fri, 31 Dec 1999 23:59:59 GMT"], None),
            (&["3", "60", "7"], seconds(60)),
            (&["Fri, 31 Dec 1999 23:59:59 GMT", "3, 5"], seconds(5)),
        ] {
            let headers = values.iter().map(|it| ("Retry-After".to_owned(), (*it).to_owned()));
            let response = ResponseBytes::new(429, headers.collect(), Vec::new());
            assert_eq!(retry_after(&response), expected, "{values:?}");
        }
    }
}
