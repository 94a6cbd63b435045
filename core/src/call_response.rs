//! A response as other languages see it.

use std::borrow::Cow;

use crate::amount::amounts_as_text;
use crate::json::{Bounds, Json, JsonError, Members};

/// The response to a call by name.
#[derive(Clone)]
pub struct CallResponse {
    /// The HTTP status. 200 for `access_token`, which may return a cached
    /// token.
    pub http_status: u16,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// The body as received; empty for `access_token`.
    pub body: Vec<u8>,
    /// The typed members, and under `response` the whole body. Amounts are texts,
    /// so that no language parses them into floats. Empty for `send`, whose
    /// body is not read.
    pub view: Json,
    /// The most JSON values to read from the body.
    pub max_values: usize,
}

impl CallResponse {
    /// The view with the whole body under `response`. For `send`, `response` is
    /// left out if the body cannot be read.
    pub fn whole_view(&self) -> Cow<'_, Json> {
        match self.is_of_send().then(|| self.json()) {
            Some(Ok(json)) => {
                Cow::Owned(Members::from([("response", amounts_as_text(&json))]).into())
            }
            _ => Cow::Borrowed(&self.view),
        }
    }

    pub(crate) fn is_of_send(&self) -> bool {
        self.view.as_object().is_some_and(Members::is_empty)
    }

    /// Parses the whole body.
    ///
    /// # Errors
    /// If the body is not JSON, or has more than `max_values` values.
    pub fn json(&self) -> Result<Json, JsonError> {
        Self::read_body(&self.body, self.max_values)
    }

    /// Parses a response body with at most `max_values` values.
    ///
    /// # Errors
    /// If it is not JSON, or has more values.
    pub fn read_body(body: &[u8], max_values: usize) -> Result<Json, JsonError> {
        Json::parse_bounded(body, Bounds::of_values(max_values))
    }
}
