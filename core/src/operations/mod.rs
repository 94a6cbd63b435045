//! Requests and answers: pure, without I/O and without a clock.
//!
//! A request value becomes a [`Draft`]: method, path, query and body before
//! any credential is added. An [`Answer`] becomes the operation's own answer.

use crate::config::Rules;
use crate::error::Error;
use crate::json::Members;
use crate::operation::Operation;

/// A request of one operation. Implemented by the request types of this crate
/// only.
pub trait Request: sealed::Sealed {
    /// What a successful call gives.
    type Answer;

    /// Checks the request and writes its draft.
    ///
    /// # Errors
    /// `validation`, which names the member at fault by its path.
    #[doc(hidden)]
    fn draft(&self, rules: &Rules) -> Result<Draft, Error>;

    /// Reads a 2xx answer to this request.
    ///
    /// # Errors
    /// `decode` or `rejected`, with the outcome of the design's table. The
    /// caller adds operation, reference, status and bytes.
    #[doc(hidden)]
    fn read_answer(&self, answer: Answer, rules: &Rules) -> Result<Self::Answer, Error>;
}

mod sealed {
    pub trait Sealed {}
}

/// A checked request before any credential is added.
#[derive(Debug)]
#[doc(hidden)]
pub struct Draft {
    pub operation: Operation,
    /// Upper case.
    pub method: String,
    /// Begins with `/`, holds no query.
    pub path: String,
    /// Names and values, not yet encoded.
    pub query: Vec<(String, String)>,
    pub body: DraftBody,
    /// The merchant's own reference, for errors.
    pub reference: Option<String>,
}

#[derive(Debug)]
#[doc(hidden)]
pub enum DraftBody {
    /// No body at all.
    Empty,
    /// A JSON object, into which the integration key may be put.
    Members(Members),
    /// The caller's own bytes, with the content type to send.
    Bytes { bytes: Vec<u8>, content_type: Option<String> },
}

/// An answer of the service as it came.
#[derive(Clone)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}
