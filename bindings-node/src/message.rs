//! Messages from call threads to JavaScript.

use napi::bindgen_prelude::{Buffer, ToNapiValue};
use napi::sys;
use napi_derive::napi;

/// Bytes, which become a `Buffer` on the thread of JavaScript.
pub struct Bytes(Vec<u8>);

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl ToNapiValue for Bytes {
    unsafe fn to_napi_value(env: sys::napi_env, bytes: Self) -> napi::Result<sys::napi_value> {
        // SAFETY: the caller passes the environment of this thread.
        unsafe { ToNapiValue::to_napi_value(env, Buffer::from(bytes.0)) }
    }
}

/// A message about a call. `lib/port.js` has a handler for each kind.
#[napi(discriminant = "kind", discriminant_case = "camelCase", object_from_js = false)]
pub enum Message {
    /// The response to a call.
    Response {
        response: ResponseParts,
    },
    /// A call failed.
    Failure {
        failure: Failure,
    },
    /// The result of a tool or of the journal, as JSON.
    Report {
        json: String,
    },
    /// A prepared request. `headers` is a JSON array of pairs.
    Prepared {
        method: String,
        url: String,
        headers: String,
        body: Bytes,
    },
    /// A private and a public key.
    KeyPair {
        private_key_pem: String,
        public_key_pem: String,
    },
    /// An event, as JSON, and the name of its level in a log.
    Event {
        json: String,
        level: &'static str,
    },
    /// A question for the observer, which heard of `request_started`.
    Traceparent {
        question: u32,
    },
    /// A question for the signer.
    Sign {
        question: u32,
        input: Bytes,
        sha256: Bytes,
    },
    /// A question for the token store, as the next three.
    Load {
        question: u32,
        key: String,
    },
    Save {
        question: u32,
        key: String,
        entry: String,
        fence: i64,
    },
    DeleteIf {
        question: u32,
        key: String,
        value: String,
    },
    TryLock {
        question: u32,
        key: String,
    },
    /// For the token store too, which does not reply.
    Unlock {
        key: String,
        fence: i64,
    },
    /// A question for the journal. `input` is JSON.
    Journal {
        question: u32,
        action: String,
        input: String,
    },
    /// The call has ended while the journal inserts its entry: only a commit
    /// continues.
    InsertEnds,
}

impl Message {
    fn ends_the_call(&self) -> bool {
        use Message::{Failure, KeyPair, Prepared, Report, Response};
        matches!(
            self,
            Response { .. } | Failure { .. } | Report { .. } | Prepared { .. } | KeyPair { .. }
        )
    }
}

/// A response. JavaScript parses its texts when somebody reads them.
#[napi(object, object_from_js = false)]
pub struct ResponseParts {
    pub http_status: u16,
    /// The members that are neither an object nor an array: a JSON object.
    pub members: String,
    /// The names of the others, and the JSON object that has them.
    pub large_names: Vec<String>,
    pub large: Bytes,
    /// A JSON array of pairs.
    pub headers: String,
    pub body: Bytes,
}

/// An error.
#[derive(Default)]
#[napi(object, object_from_js = false)]
pub struct Failure {
    /// Its members: a JSON object.
    pub report: String,
    pub text: String,
    pub request_body: Option<Bytes>,
    pub response_body: Option<Bytes>,
    /// The response of a call that was cancelled when it was complete.
    pub response: Option<ResponseParts>,
}

/// A message on its way to JavaScript.
pub(crate) struct JsMessage {
    pub(crate) message: Message,
    /// Makes the error if the call is cancelled before JavaScript gets the message.
    pub(crate) if_cancelled: Option<IfCancelled>,
}

pub(crate) type IfCancelled = Box<dyn FnOnce() -> ErrorTexts + Send>;

/// The members of an error as JSON, and its text.
pub(crate) struct ErrorTexts {
    pub(crate) report: String,
    pub(crate) text: String,
}

impl From<Message> for JsMessage {
    fn from(message: Message) -> Self {
        Self { message, if_cancelled: None }
    }
}

impl JsMessage {
    pub(crate) fn ends_the_call(&self) -> bool {
        self.message.ends_the_call()
    }

    /// The message for a call that was cancelled in the meantime: a failure, with
    /// the response or the facts of the first failure.
    pub(crate) fn into_cancelled(self) -> Message {
        let Some(if_cancelled) = self.if_cancelled else {
            return self.message;
        };
        let ErrorTexts { report, text } = if_cancelled();
        let known = match self.message {
            Message::Failure { failure } => failure,
            Message::Response { response } => {
                Failure { response: Some(response), ..Failure::default() }
            }
            _ => Failure::default(),
        };
        Message::Failure { failure: Failure { report, text, ..known } }
    }
}
