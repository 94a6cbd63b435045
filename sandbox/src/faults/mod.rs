//! Failures that can be scripted.

pub(crate) mod cancellation;
pub(crate) mod edit;
pub(crate) mod json;
pub(crate) mod large;
pub(crate) mod names;
pub(crate) mod queue;
pub(crate) mod script;

use std::time::Duration;

use payments_core::jws::Cause;
use serde_json::Value;

use crate::faults::cancellation::PayoutCancellation;
use crate::http::response::Response;

/// The moment a [`Fault`] strikes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum At {
    /// After the connection is accepted, before anything is read. Strikes the
    /// next connection, whatever it would have requested.
    Accept,
    /// After the head of the request is read, before its body. The request is
    /// neither verified nor executed, and the connection is closed.
    Head,
    /// After the whole request is read.
    #[default]
    Body,
}

impl At {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Head => "head",
            Self::Body => "body",
        }
    }
}

/// The framing of an endless body.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum EndlessFraming {
    /// `Transfer-Encoding: chunked` without a last chunk.
    #[default]
    Chunked,
    /// No framing: the body lasts as long as the connection.
    Close,
}

/// An edit of the JSON body of the service's own response, by JSON Pointer.
#[derive(Clone, PartialEq, Debug)]
pub enum Edit {
    /// Sets a value, adding the last member if it is missing.
    Set(String, Value),
    /// Removes a member or element, if it exists.
    Remove(String),
}

/// The effect on a request or on its response.
#[derive(Clone, PartialEq, Debug)]
pub enum FaultKind {
    /// The response is sent intact: [`Fault::response`] if set, otherwise the
    /// service's own.
    Pass,
    /// The connection is closed without a response.
    Close,
    /// The connection is reset (RST) without a response.
    Reset,
    /// Nothing is sent until the client disconnects or the sandbox stops.
    Hang,
    /// The response is cut inside its status line: `HTTP/1.1 20`.
    PartialStatusLine,
    /// The response is cut after that many bytes, or, if `None`, after the head
    /// and half of the body.
    CutResponse(Option<usize>),
    /// The response is sent one byte at a time, with that pause after each.
    Drip(Duration),
    /// A body that never ends.
    EndlessBody(EndlessFraming),
    /// Headers that never end.
    EndlessHead,
    /// A body of that many bytes, with a matching `Content-Length`.
    GiantBody(u64),
    /// `Transfer-Encoding: chunked` with a chunk size that is not a number.
    BrokenChunks,
    /// A `Content-Length` that exceeds the bytes sent before the close by that
    /// many.
    LongContentLength(usize),
    /// Exactly these bytes, followed by the close.
    Raw(Vec<u8>),
    /// The response with `Connection: close`, followed by the close.
    ConnectionClose,
    /// The response as on a connection that stays open, which is then closed
    /// silently unless a request arrives within that time.
    CloseIdle(Duration),
    /// The service's own response with edits.
    Edit(Vec<Edit>),
    /// The payment is created and canceled at once: `SUCCESS` with
    /// `payment.status` `CA`, which is how a declined payment looks. A payout
    /// is cancelled too, for that reason.
    Decline(PayoutCancellation),
    /// A 401, logged with that cause even if the credentials are valid.
    Unauthorized(Cause),
}

impl FaultKind {
    /// The name in JSON.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Close => "close",
            Self::Reset => "reset",
            Self::Hang => "hang",
            Self::PartialStatusLine => "partial_status_line",
            Self::CutResponse(_) => "cut_response",
            Self::Drip(_) => "drip",
            Self::EndlessBody(_) => "endless_body",
            Self::EndlessHead => "endless_head",
            Self::GiantBody(_) => "giant_body",
            Self::BrokenChunks => "broken_chunks",
            Self::LongContentLength(_) => "long_content_length",
            Self::Raw(_) => "raw",
            Self::ConnectionClose => "connection_close",
            Self::CloseIdle(_) => "close_idle",
            Self::Edit(_) => "edit",
            Self::Decline(_) => "decline",
            Self::Unauthorized(_) => "unauthorized",
        }
    }

    /// Whether the fault changes the service's own response, which exists only
    /// if the operation was executed.
    const fn wants_own_response(&self) -> bool {
        matches!(
            self,
            Self::Pass
                | Self::CutResponse(_)
                | Self::Drip(_)
                | Self::LongContentLength(_)
                | Self::ConnectionClose
                | Self::CloseIdle(_)
                | Self::Edit(_)
                | Self::Decline(_)
        )
    }
}

/// A scripted failure.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// The effect.
    pub kind: FaultKind,
    /// When it happens.
    pub at: At,
    /// Whether the operation takes effect (a payment is created, a token
    /// issued). `None`: yes if the fault changes the service's own response, no
    /// if the response is scripted or never sent.
    pub execute: Option<bool>,
    /// The delay between the effect and the response.
    pub delay: Duration,
    /// Replaces the service's own response.
    pub response: Option<Response>,
    /// The name in a script, if it differs from that of `kind`.
    pub given_as: Option<&'static str>,
}

impl Fault {
    /// A fault that strikes after the whole request is read.
    pub const fn new(kind: FaultKind) -> Self {
        Self {
            kind,
            at: At::Body,
            execute: None,
            delay: Duration::ZERO,
            response: None,
            given_as: None,
        }
    }

    /// No fault: lets one request of a script through.
    pub const fn pass() -> Self {
        Self::new(FaultKind::Pass)
    }

    /// A close without a response.
    pub const fn close(at: At) -> Self {
        Self::new(FaultKind::Close).at(at)
    }

    /// A reset without a response.
    pub const fn reset(at: At) -> Self {
        Self::new(FaultKind::Reset).at(at)
    }

    /// Executes the operation, then closes the connection, so that the caller
    /// does not know the outcome.
    pub const fn execute_then_close() -> Self {
        Self::close(At::Body).execute(true)
    }

    /// No response.
    pub const fn hang(at: At) -> Self {
        Self::new(FaultKind::Hang).at(at)
    }

    /// The service's own response, delayed.
    pub const fn delay(delay: Duration) -> Self {
        Self::pass().after(delay)
    }

    /// A scripted response.
    pub fn response(response: Response) -> Self {
        Self { response: Some(response), ..Self::pass() }
    }

    /// A scripted JSON response.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::response(Response::json(status, body))
    }

    /// A scripted status without a body.
    pub fn status(status: u16) -> Self {
        Self::response(Response::empty(status))
    }

    /// A 401 with an empty body, logged with that cause.
    pub fn unauthorized(cause: Cause) -> Self {
        Self { response: Some(Response::empty(401)), ..Self::new(FaultKind::Unauthorized(cause)) }
    }

    /// A web page with status 200, as sent by a captive portal or a maintenance
    /// page.
    pub fn html() -> Self {
        let page = b"<!doctype html><html><body><h1>Maintenance</h1></body></html>";
        Self::response(Response::of_type("text/html; charset=utf-8", page))
    }

    /// Status 200 with truncated JSON in a correctly framed body.
    pub fn truncated_json() -> Self {
        Self::response(Response::of_type("application/json", br#"{"payment":{"hash":"5f2c"#))
    }

    /// Bytes that are not HTTP.
    pub fn garbage() -> Self {
        Self::new(FaultKind::Raw(b"\x00\x01SSH-2.0-not-http\r\n\xff\xfe\r\n".to_vec()))
    }

    /// Sets when the fault strikes.
    #[must_use]
    pub const fn at(mut self, at: At) -> Self {
        self.at = at;
        self
    }

    /// Sets whether the operation takes effect.
    #[must_use]
    pub const fn execute(mut self, execute: bool) -> Self {
        self.execute = Some(execute);
        self
    }

    /// Sets the delay before the response.
    #[must_use]
    pub const fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Whether the operation takes effect.
    pub fn executes(&self) -> bool {
        self.at == At::Body
            && self.execute.unwrap_or(self.response.is_none() && self.kind.wants_own_response())
    }

    /// The name in the request log, which is that of the script.
    pub fn name(&self) -> &'static str {
        match (self.given_as, &self.kind, &self.response) {
            (Some(name), ..) => name,
            (None, FaultKind::Pass, Some(_)) => "response",
            (None, kind, _) => kind.name(),
        }
    }
}
