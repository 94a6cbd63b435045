//! A failed handshake, and its message.

use super::TlsRoots;
use super::seen::Seen;
use crate::failure::Cause;

/// A handshake that failed.
pub(super) struct Handshake<'h> {
    /// The host and the port of the server.
    pub(super) peer: &'h str,
    /// The host in the address.
    pub(super) name: &'h str,
    /// That host for messages.
    pub(super) shown_name: &'h str,
    pub(super) roots: &'h TlsRoots,
    pub(super) seen: &'h Seen,
}

/// The message of a failure.
pub(super) struct Words {
    pub(super) cause: Cause,
    pub(super) reason: String,
    pub(super) advice: String,
}

impl Words {
    pub(super) fn new(cause: Cause, reason: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { cause, reason: reason.into(), advice: advice.into() }
    }
}
