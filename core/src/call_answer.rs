//! An answer as other languages see it.

use crate::json::Json;

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
    /// amount as text so that no language parses it into a float.
    pub view: Json,
}
