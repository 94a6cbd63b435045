//! The options of one call beside its deadline: a context carries them to
//! the client.

use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_base::process::lock;
use payments_transport::context::CallContext;

use crate::model::error::{Error, Message};

/// Sets options of one call in its [`CallContext`].
pub trait CallOptions: Sized {
    /// The same call, which waits this long in `ensure_payment` for a payment that may
    /// exist and is not found, in place of the configuration's `ensure_wait_ms`. Other
    /// calls ignore it.
    #[must_use]
    fn with_ensure_wait(self, wait: Duration) -> Self;

    /// The same call, whose requests to the service carry the header
    /// `traceparent`. Requests to the token server do not. It is not signed.
    ///
    /// Not stated in the interface.
    #[must_use]
    fn with_traceparent(self, traceparent: Traceparent) -> Self;

    /// The same call, whose requests carry the traceparent that is in `slot` when
    /// each begins.
    #[doc(hidden)]
    #[must_use]
    fn with_trace_slot(self, slot: TraceSlot) -> Self;

    /// The same call, whose query is sent once: its caller has its own pace.
    #[doc(hidden)]
    #[must_use]
    fn without_retries(&self) -> Self;

    /// The time set by [`with_ensure_wait`](Self::with_ensure_wait).
    #[doc(hidden)]
    fn ensure_wait(&self) -> Option<Duration>;
}

/// The options that a context carries.
#[derive(Clone, Default)]
pub(crate) struct Options {
    traceparent: TraceSlot,
    /// Whether a query that fails is not sent again.
    pub(crate) is_sent_once: bool,
    /// How long `ensure_payment` waits, in place of the configuration's time.
    ensure_wait: Option<Duration>,
}

impl Options {
    /// Those of a call within `context`.
    pub(crate) fn of(context: &CallContext) -> Self {
        context.carried().cloned().unwrap_or_default()
    }

    /// The traceparent of a request that begins now.
    pub(crate) fn traceparent(&self) -> Option<Traceparent> {
        lock(&self.traceparent.0).clone()
    }
}

impl CallOptions for CallContext {
    fn with_ensure_wait(self, wait: Duration) -> Self {
        let options = Options { ensure_wait: Some(wait), ..Options::of(&self) };
        self.carrying(options)
    }

    fn with_traceparent(self, traceparent: Traceparent) -> Self {
        let slot = TraceSlot::default();
        slot.set(traceparent);
        self.with_trace_slot(slot)
    }

    fn with_trace_slot(self, slot: TraceSlot) -> Self {
        let options = Options { traceparent: slot, ..Options::of(&self) };
        self.carrying(options)
    }

    fn without_retries(&self) -> Self {
        let options = Options { is_sent_once: true, ..Options::of(self) };
        self.clone().carrying(options)
    }

    fn ensure_wait(&self) -> Option<Duration> {
        Options::of(self).ensure_wait
    }
}

/// The value of the header `traceparent` (W3C Trace Context, version 00):
/// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. See
/// [`CallOptions::with_traceparent`].
///
/// ```
/// use payments_core::Traceparent;
///
/// let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// assert_eq!(text.parse::<Traceparent>()?.as_str(), text);
/// assert!("4bf92f3577b34da6a3ce929d0e0e4736".parse::<Traceparent>().is_err());
/// # Ok::<(), payments_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Traceparent(Box<str>);

impl Traceparent {
    /// The value as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Traceparent {
    type Err = Error;

    /// # Errors
    /// `validation` with the path `traceparent`.
    fn from_str(text: &str) -> Result<Self, Error> {
        if is_traceparent(text) {
            return Ok(Self(text.into()));
        }
        Err(Error::invalid("traceparent", Message::TRACEPARENT))
    }
}

/// The traceparent of the next request of a call. An observer that receives
/// `request_started` may replace it: the request of that event carries it.
#[derive(Clone, Default)]
pub struct TraceSlot(Arc<Mutex<Option<Traceparent>>>);

impl TraceSlot {
    /// Replaces what is there.
    pub fn set(&self, traceparent: Traceparent) {
        *lock(&self.0) = Some(traceparent);
    }
}

/// The length of `00-TRACE-SPAN-FLAGS`.
const TRACEPARENT_LENGTH: usize = 55;

fn is_traceparent(text: &str) -> bool {
    let mut fields = text.split('-');
    let mut field = |digits: usize, may_be_zero: bool| {
        fields.next().is_some_and(|field| {
            field.len() == digits
                && field.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
                && (may_be_zero || field.bytes().any(|it| it != b'0'))
        })
    };
    text.len() == TRACEPARENT_LENGTH
        && text.starts_with("00-")
        && field(2, true)
        && field(32, false)
        && field(16, false)
        && field(2, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    #[test]
    fn a_traceparent_has_the_form_of_w3c() {
        for flags in ["00", "01", "ff"] {
            let text = format!("00-{TRACE}-{SPAN}-{flags}");
            assert_eq!(text.parse::<Traceparent>().unwrap().as_str(), text);
        }
    }

    #[test]
    fn any_other_traceparent_is_refused_and_not_repeated() {
        let zeros = "0".repeat(32);
        for text in [
            String::new(),
            TRACE.to_owned(),
            format!("01-{TRACE}-{SPAN}-01"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{zeros}-{SPAN}-01"),
            format!("00-{TRACE}-{}-01", &zeros[..16]),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("00-{TRACE}-{SPAN}-01-"),
            format!("00-{TRACE}-{SPAN}-01\r\nx-evil: 1"),
            format!("00-{TRACE}-{SPAN}\r\n01"),
            format!("00-{TRACE}{SPAN}-0-1-"),
            format!("00-{TRACE}-{SPAN}-0é"),
            format!("00-{SPAN}-{TRACE}-01"),
            " ".repeat(TRACEPARENT_LENGTH),
        ] {
            let error = text.parse::<Traceparent>().unwrap_err();
            assert_eq!(
                (error.code(), error.path()),
                (Message::TRACEPARENT.code, Some("traceparent"))
            );
            assert!(!error.to_string().contains(SPAN), "{error}");
        }
    }
}
