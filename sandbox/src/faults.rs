//! What can go wrong on purpose.

use std::time::Duration;

use payments_core::jws::Cause;
use serde_json::Value;

use crate::response::Response;

/// The moment a [`Fault`] strikes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum At {
    /// The connection was accepted and nothing was read. Such a fault strikes
    /// the next connection, whatever it would have asked.
    Accept,
    /// The head of the request was read, its body was not. The request is
    /// neither verified nor executed, and the connection ends.
    Head,
    /// The whole request was read.
    #[default]
    Body,
}

impl At {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Head => "head",
            Self::Body => "body",
        }
    }
}

/// How the end of an endless body is not told.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum EndlessFraming {
    /// `Transfer-Encoding: chunked`, and chunk after chunk.
    #[default]
    Chunked,
    /// Neither length nor chunks: the body lasts as long as the connection.
    Close,
}

/// A change to the JSON body of the service's own response, by JSON Pointer.
#[derive(Clone, PartialEq, Debug)]
pub enum Edit {
    /// Writes a value; a missing last member is added.
    Set(String, Value),
    /// Removes a member or element, if it is there.
    Remove(String),
}

/// What happens to a request, or to its response.
#[derive(Clone, PartialEq, Debug)]
pub enum FaultKind {
    /// The response goes out unharmed: the service's own or, when
    /// [`Fault::response`] is set, that one.
    Pass,
    /// The connection is closed without a response.
    Close,
    /// The connection is reset (RST) without a response.
    Reset,
    /// Nothing more happens until the client goes away or the sandbox stops.
    Hang,
    /// The response ends within its status line: `HTTP/1.1 20`.
    PartialStatusLine,
    /// The response ends after that many of its bytes; after the head and half
    /// of the body when `None`.
    CutResponse(Option<usize>),
    /// The response goes out one byte at a time, with that pause after each.
    Drip(Duration),
    /// A body without an end.
    EndlessBody(EndlessFraming),
    /// Headers without an end.
    EndlessHead,
    /// A body of that many bytes, announced by `Content-Length`.
    GiantBody(u64),
    /// `Transfer-Encoding: chunked` with a size line that is no number.
    BrokenChunks,
    /// `Content-Length` announces that many bytes more than are sent before
    /// the connection closes.
    LongContentLength(usize),
    /// Exactly these bytes, then the close.
    Raw(Vec<u8>),
    /// The response with `Connection: close`, and the close.
    ConnectionClose,
    /// The response, as if the connection stayed open; it is closed without a
    /// word when no request came within that time.
    CloseIdle(Duration),
    /// The service's own response with changes.
    Edit(Vec<Edit>),
    /// The payment is created and cancelled at once: `SUCCESS` with
    /// `payment.status` `CA`, which is how a declined payment looks.
    Decline,
    /// A 401, logged with that cause although the credentials may be valid.
    Unauthorized(Cause),
}

impl FaultKind {
    /// Its name in JSON.
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
            Self::Decline => "decline",
            Self::Unauthorized(_) => "unauthorized",
        }
    }

    /// Whether the fault shapes the service's own response, which there is only
    /// when the operation was executed.
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
                | Self::Decline
        )
    }
}

/// One thing that goes wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// What happens.
    pub kind: FaultKind,
    /// When it happens.
    pub at: At,
    /// Whether the operation takes effect (a payment is created, a token
    /// issued). `None`: it does where the fault shapes the service's own
    /// response, and does not where the response is scripted or never comes.
    pub execute: Option<bool>,
    /// A wait after the effect and before anything is sent.
    pub delay: Duration,
    /// Sent in place of the service's own response.
    pub response: Option<Response>,
}

impl Fault {
    /// A fault of that kind, once the whole request was read.
    pub const fn new(kind: FaultKind) -> Self {
        Self { kind, at: At::Body, execute: None, delay: Duration::ZERO, response: None }
    }

    /// No fault: the place in a script that is let through.
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

    /// The operation takes effect, then the connection is closed: the outcome
    /// is unknown to the caller.
    pub const fn execute_then_close() -> Self {
        Self::close(At::Body).execute(true)
    }

    /// Silence.
    pub const fn hang(at: At) -> Self {
        Self::new(FaultKind::Hang).at(at)
    }

    /// The service's own response, late.
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

    /// A web page with status 200, as a captive portal or a maintenance page
    /// gives it.
    pub fn html() -> Self {
        let page = Response {
            status: 200,
            headers: vec![("Content-Type".to_owned(), "text/html; charset=utf-8".to_owned())],
            body: b"<!doctype html><html><body><h1>Maintenance</h1></body></html>".to_vec(),
        };
        Self::response(page)
    }

    /// Status 200 with JSON that ends too early, in a correctly framed body.
    pub fn truncated_json() -> Self {
        let cut = Response {
            status: 200,
            headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
            body: br#"{"payment":{"hash":"5f2c"#.to_vec(),
        };
        Self::response(cut)
    }

    /// Bytes that are not HTTP.
    pub fn garbage() -> Self {
        Self::new(FaultKind::Raw(b"\x00\x01SSH-2.0-not-http\r\n\xff\xfe\r\n".to_vec()))
    }

    /// The same fault at another moment.
    #[must_use]
    pub const fn at(mut self, at: At) -> Self {
        self.at = at;
        self
    }

    /// The same fault with the operation's effect settled.
    #[must_use]
    pub const fn execute(mut self, execute: bool) -> Self {
        self.execute = Some(execute);
        self
    }

    /// The same fault after a wait.
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

    /// The fault's name in the request log.
    pub fn name(&self) -> &'static str {
        match (&self.kind, &self.response) {
            (FaultKind::Pass, Some(_)) => "response",
            (kind, _) => kind.name(),
        }
    }
}
