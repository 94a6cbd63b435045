//! The header that links a request to a trace.

use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::error::{Error, Message};

/// The length of `00-TRACE-SPAN-FLAGS`.
const LENGTH: usize = 55;

/// The value of the header `traceparent` (W3C Trace Context, version 00):
/// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. See
/// [`CallContext::with_traceparent`](super::CallContext::with_traceparent).
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

/// The traceparent of the next request of a call. An observer that hears
/// `request_started` may replace it: the request of that event carries it.
#[derive(Clone, Default)]
pub struct TraceSlot(Arc<Mutex<Option<Traceparent>>>);

impl TraceSlot {
    /// Replaces what is there.
    pub fn set(&self, traceparent: Traceparent) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(traceparent);
    }

    pub(super) fn get(&self) -> Option<Traceparent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn is_traceparent(text: &str) -> bool {
    let mut fields = text.split('-');
    let mut field = |digits: usize, may_be_zero: bool| {
        fields.next().is_some_and(|field| {
            field.len() == digits
                && field.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
                && (may_be_zero || field.bytes().any(|it| it != b'0'))
        })
    };
    text.len() == LENGTH
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
    fn it_has_the_form_of_w3c() {
        for flags in ["00", "01", "ff"] {
            let text = format!("00-{TRACE}-{SPAN}-{flags}");
            assert_eq!(text.parse::<Traceparent>().unwrap().as_str(), text);
        }
    }

    #[test]
    fn anything_else_is_refused_and_not_repeated() {
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
            " ".repeat(LENGTH),
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
