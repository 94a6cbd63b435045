//! An answer as other languages see it.

use std::borrow::Cow;

use crate::amount::amounts_as_text;
use crate::json::{Bounds, Json, JsonError, Members};

/// The answer to a call by name.
#[derive(Clone)]
pub struct CallAnswer {
    /// The status of the answer; 200 for `access_token`, whose answer may be
    /// an old one.
    pub http_status: u16,
    /// Names and values of the answer's headers.
    pub headers: Vec<(String, String)>,
    /// The body as it came; empty for `access_token`.
    pub body: Vec<u8>,
    /// The typed members, and under `answer` the whole body, with every
    /// amount as text so that no language parses it into a float. Empty for
    /// `send`, whose body nobody has read.
    pub view: Json,
    /// The most JSON values that are read of the body.
    pub max_values: usize,
}

impl CallAnswer {
    /// The view with the whole body under `answer`, also for `send`: there it
    /// is left out if it cannot be read.
    pub fn whole_view(&self) -> Cow<'_, Json> {
        let is_of_send = self.view.as_object().is_some_and(Members::is_empty);
        match is_of_send.then(|| self.json()) {
            Some(Ok(json)) => {
                Cow::Owned(Members::from([("answer", amounts_as_text(&json))]).into())
            }
            _ => Cow::Borrowed(&self.view),
        }
    }

    /// The whole body as a tree.
    ///
    /// # Errors
    /// If the body is not JSON, or has more than `max_values` values.
    pub fn json(&self) -> Result<Json, JsonError> {
        Self::read_body(&self.body, self.max_values)
    }

    /// The body of an answer as a tree of at most so many values.
    ///
    /// # Errors
    /// If it is not JSON, or has more values.
    pub fn read_body(body: &[u8], max_values: usize) -> Result<Json, JsonError> {
        Json::parse_bounded(body, Bounds::of_values(max_values))
    }
}
