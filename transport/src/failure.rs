//! Why there is no response.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use payments_base::debug_shows;

use crate::call::context::{CallContext, Ended};

const BROKEN: &str = "the connection to the service broke before the response was complete";

/// The failure of a transport to return a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FailureKind {
    /// The connection could not be established.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The connection broke.
    Broken,
    /// The deadline of the call passed.
    Timeout,
    /// The call was cancelled.
    Cancelled,
    /// The response is not HTTP.
    Protocol,
    /// The response is larger than allowed.
    TooLarge,
    /// The transport, or a callback within it, panicked.
    #[doc(hidden)]
    Panicked,
}

/// Whether no byte of a request was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NothingSent {
    Unproven,
    /// The transport says so.
    Stated,
    /// The socket took none: the byte record is set before a write.
    Shown,
}

/// Why there is no response, as far as codes, messages and retries tell causes
/// apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The host or the proxy did not accept.
    NotConnected,
    /// The host closed the connection or sent something before the request.
    SpokeFirst,
    /// There is no file descriptor for a connection.
    NoDescriptors,
    /// The host has no address that is known.
    HostNotFound,
    /// The name could not be looked up, for lack of a thread.
    NotLookedUp,
    /// `connect_timeout_ms` passed.
    ConnectTimedOut,
    /// The proxy opened no tunnel.
    ProxyRefused,
    /// The TLS handshake failed for another reason.
    Tls,
    /// The connection ended within the TLS handshake.
    HandshakeBroken,
    /// There are no root certificates.
    NoRoots,
    /// The certificate is not valid at this time.
    CertificateExpired,
    /// The certificate is for another host.
    CertificateOfAnotherHost,
    /// The certificate is not trusted.
    CertificateRefused,
    /// The connection broke.
    Broken,
    /// The deadline of the call passed.
    Deadline,
    /// The caller cancelled.
    Cancelled,
    /// This process was forked during the call.
    Forked,
    /// The response is not HTTP.
    NotHttp,
    /// The request cannot be written as HTTP.
    InvalidRequest,
    /// The response is larger than allowed.
    TooLarge,
    /// The transport, or a callback within it, panicked.
    Panicked,
}

impl Cause {
    /// The failure that has it.
    const fn kind(self) -> FailureKind {
        match self {
            Self::NotConnected
            | Self::SpokeFirst
            | Self::NoDescriptors
            | Self::HostNotFound
            | Self::NotLookedUp
            | Self::ConnectTimedOut
            | Self::ProxyRefused => FailureKind::Connect,
            Self::Tls
            | Self::HandshakeBroken
            | Self::NoRoots
            | Self::CertificateExpired
            | Self::CertificateOfAnotherHost
            | Self::CertificateRefused => FailureKind::Tls,
            Self::Broken => FailureKind::Broken,
            Self::Deadline => FailureKind::Timeout,
            Self::Cancelled | Self::Forked => FailureKind::Cancelled,
            Self::NotHttp | Self::InvalidRequest => FailureKind::Protocol,
            Self::TooLarge => FailureKind::TooLarge,
            Self::Panicked => FailureKind::Panicked,
        }
    }

    /// The cause of a failure of which only the kind is known.
    const fn of_kind(kind: FailureKind) -> Self {
        match kind {
            FailureKind::Connect => Self::NotConnected,
            FailureKind::Tls => Self::Tls,
            FailureKind::Broken => Self::Broken,
            FailureKind::Timeout => Self::Deadline,
            FailureKind::Cancelled => Self::Cancelled,
            FailureKind::Protocol => Self::NotHttp,
            FailureKind::TooLarge => Self::TooLarge,
            FailureKind::Panicked => Self::Panicked,
        }
    }
}

/// Why a transport could not return a response. Its texts must not contain
/// secrets.
#[derive(Clone)]
pub struct TransportFailure {
    cause: Cause,
    pub(super) message: String,
    nothing_sent: NothingSent,
    can_connect_again: bool,
    /// Whether to check the address first.
    is_of_address: bool,
    /// The last part of the message.
    note: Option<String>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

impl TransportFailure {
    /// A failure after which bytes of the request may have been sent.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self::of(Cause::of_kind(kind), message)
    }

    /// A failure with this cause.
    #[doc(hidden)]
    pub fn of(cause: Cause, message: impl Into<String>) -> Self {
        Self {
            cause,
            message: message.into(),
            nothing_sent: NothingSent::Unproven,
            can_connect_again: cause.kind() == FailureKind::Connect,
            is_of_address: false,
            note: None,
            source: None,
        }
    }

    /// Why there is no response.
    #[doc(hidden)]
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// The kind of its cause.
    pub fn kind(&self) -> FailureKind {
        self.cause.kind()
    }

    /// Whether another connection may fare better.
    #[doc(hidden)]
    pub fn can_connect_again(&self) -> bool {
        self.can_connect_again
    }

    /// States that no byte of the request was sent. Requires
    /// [proof](super::Transport#what-proves-that-nothing-was-sent): the operation
    /// counts as not executed.
    #[must_use]
    pub fn nothing_sent(mut self) -> Self {
        if self.nothing_sent == NothingSent::Unproven {
            self.nothing_sent = NothingSent::Stated;
        }
        self
    }

    /// States that the socket took no byte of a request whose record was clear
    /// before it was written.
    pub(super) fn nothing_taken(mut self) -> Self {
        self.nothing_sent = NothingSent::Shown;
        self
    }

    /// Whether no byte of the request of `context` was sent, for certain. A
    /// transport that says so, although the byte record is set, proves nothing.
    #[doc(hidden)]
    pub fn proves_nothing_sent(&self, context: &CallContext) -> bool {
        match self.nothing_sent {
            NothingSent::Unproven => false,
            NothingSent::Stated => !context.may_have_sent(),
            NothingSent::Shown => true,
        }
    }

    /// Adds the cause, whose text must not contain secrets.
    #[must_use]
    pub fn with_source(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    pub(crate) fn of_address(mut self) -> Self {
        self.is_of_address = true;
        self
    }

    /// Attributes the failure to the proxy that `set_by` names.
    pub(super) fn of_proxy(mut self, set_by: &str) -> Self {
        if self.is_of_address {
            self.message.push_str(&format!("; check {set_by}, and that the proxy is up"));
        }
        self.is_of_address = false;
        self
    }

    /// Says what a call waited for when its time was up.
    pub(super) fn with_stage(mut self, may_have_sent: bool, way: impl FnOnce() -> String) -> Self {
        if self.kind() == FailureKind::Timeout {
            let before = if may_have_sent {
                format!("{} responded", way())
            } else {
                format!("there was a connection to {}", way())
            };
            self.message = format!(
                "the deadline of the call passed before {before}; raise `timeout_ms` if that needs \
                 longer"
            );
            self.is_of_address = !may_have_sent;
        } else if self.cause == Cause::ConnectTimedOut && self.message.starts_with("the ") {
            self.message = format!("could not connect to {}: {}", way(), self.message);
        }
        self
    }

    /// Names a proxy that may have been intended, if no connection could be made.
    pub(super) fn past_proxy(mut self, unused: impl FnOnce() -> Option<String>) -> Self {
        if self.is_of_address || self.cause == Cause::HandshakeBroken {
            self.note = unused();
        }
        self
    }

    /// Says which connection broke.
    pub(super) fn with_peer(mut self, way: impl FnOnce() -> String) -> Self {
        if self.kind() == FailureKind::Broken {
            let hint = self.message.strip_prefix(BROKEN).unwrap_or_default();
            self.message =
                format!("the connection to {} broke before the response was complete{hint}", way());
        }
        self
    }

    /// The message with its advice. `member` names the configuration member
    /// that holds the address.
    #[doc(hidden)]
    pub fn message_for(&self, member: &str) -> String {
        let mut message = self.message.clone();
        if self.is_of_address {
            message.push_str(&format!("; check {member}, the network and that the service is up"));
        }
        message.extend(self.note.iter().flat_map(|note| ["; ", note.as_str()]));
        message
    }

    /// Marks a failure that a retry would repeat, for example a bad
    /// certificate.
    pub(crate) fn without_reconnect(mut self) -> Self {
        self.can_connect_again = false;
        self
    }

    pub(crate) fn broken() -> Self {
        Self::new(FailureKind::Broken, BROKEN)
    }

    pub(crate) fn too_large() -> Self {
        let message = "the response is larger than max_response_bytes; raise max_response_bytes \
                       if such responses are expected";
        Self::of(Cause::TooLarge, message)
    }

    pub(crate) fn panicked() -> Self {
        Self::new(FailureKind::Panicked, "the transport panicked")
    }

    /// [`broken`](Self::broken), with a possible cause.
    pub(super) fn broken_perhaps_since(hint: &str) -> Self {
        Self::new(FailureKind::Broken, format!("{BROKEN}; {hint}"))
    }

    /// Whether the call itself ended, so that no response counts any more.
    pub(super) fn ends_the_call(&self) -> bool {
        matches!(self.kind(), FailureKind::Timeout | FailureKind::Cancelled)
    }

    /// The failure of a call that ended while it waited.
    #[doc(hidden)]
    pub fn ended(ended: Ended) -> Self {
        let cause = match ended {
            Ended::Deadline => Cause::Deadline,
            Ended::Cancelled => Cause::Cancelled,
            Ended::Forked => Cause::Forked,
        };
        Self::of(cause, ended.message())
    }
}

impl fmt::Display for TransportFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

debug_shows!(
    TransportFailure,
    |it| cause = it.cause,
    message = it.message,
    nothing_sent = it.nothing_sent != NothingSent::Unproven
);

impl StdError for TransportFailure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
