//! What threads tell JavaScript.

use napi_derive::napi;
use payments_core::{Client, Error};

/// The kind of a message. `lib/port.js` has a handler for each, by its name.
#[derive(Clone, Copy)]
#[napi]
pub enum MessageKind {
    /// The response to a call: status, view, headers, body, the parts of the view.
    Response,
    /// A call failed: report and text, the bodies of request and response.
    Failure,
    /// A call was cancelled after its response was complete: like `Response`, with
    /// report, text and headers as a JSON array.
    Interrupted,
    /// The result of a tool, as JSON.
    Report,
    /// A prepared request: its head as JSON, and its body.
    Prepared,
    /// A private and a public key.
    KeyPair,
    /// An event for the observer.
    Event,
    /// A question for the signer: its number, the input, its digest.
    Sign,
    /// A question for the token store, as the next four: its number, and its
    /// arguments as JSON.
    Load,
    Save,
    DeleteIf,
    TryLock,
    /// It needs no reply.
    Unlock,
    /// A question for the journal: its number, action and input.
    Journal,
}

impl MessageKind {
    pub(crate) fn is_success(self) -> bool {
        matches!(self, Self::Response | Self::Report | Self::Prepared)
    }

    pub(crate) fn ends_the_call(self) -> bool {
        self.is_success() || matches!(self, Self::Failure | Self::Interrupted | Self::KeyPair)
    }
}

/// A message to JavaScript.
pub(crate) struct Message {
    pub(crate) kind: MessageKind,
    pub(crate) number: u32,
    pub(crate) text: Option<String>,
    pub(crate) more_text: Option<String>,
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) more_bytes: Option<Vec<u8>>,
    /// The message to send instead if the call was cancelled in the meantime.
    pub(crate) ended: Option<EndedCall>,
}

impl Message {
    pub(crate) fn new(kind: MessageKind) -> Self {
        let (text, more_text, bytes, more_bytes, ended) = (None, None, None, None, None);
        Self { kind, number: 0, text, more_text, bytes, more_bytes, ended }
    }

    pub(crate) fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }
}

/// What a call was asked to do.
pub(crate) struct AskedCall {
    pub(crate) client: Client,
    pub(crate) operation: String,
    pub(crate) input: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

/// The end of a call as the core reports it, for a cancellation that arrives
/// before the message reaches JavaScript.
pub(crate) enum EndedCall {
    Done(Box<AskedCall>),
    Failed(Error),
}
