//! A response: as received, and as other languages see it.

use std::borrow::Cow;
use std::ops::Deref;

use payments_base::debug_shows;
use payments_base::invisible::without_mark;
use payments_transport::ResponseBytes;

use crate::model::amount::amounts_as_text;
use crate::model::json::{Json, JsonError, Members, ParseOptions};

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
