//! Who is to blame for a 401: the token, or something else.

use std::time::Duration;

use super::Token;
use super::manager::{FetchTurn, Need, TokenManager, Wiring};
use super::state::Now;
use crate::context::CallContext;
use crate::observer::Event;
use crate::operation::Operation;
use crate::process::lock;
use crate::secret::Secret;

/// After a new token did not help, no 401 costs one for so long, unless a
/// call was accepted in between.
const REST: Duration = Duration::from_secs(3600);
/// The same while the service itself says that the token is invalid.
const REST_WHEN_TOLD: Duration = Duration::from_secs(60);

/// What the `WWW-Authenticate` headers of a 401 say of the bearer token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Challenge {
    /// Nothing.
    Silent,
    /// It is invalid.
    InvalidToken,
    /// Something else is wrong with the request.
    OtherError,
}

impl Challenge {
    pub(crate) fn read<'a>(headers: impl Iterator<Item = &'a str>) -> Self {
        headers.map(Self::of).find(|challenge| *challenge != Self::Silent).unwrap_or(Self::Silent)
    }

    fn of(header: &str) -> Self {
        let header = header.to_ascii_lowercase();
        let Some((_, bearer)) = header.split_once("bearer") else {
            return Self::Silent;
        };
        let Some((_, error)) = bearer.split_once("error=") else {
            return Self::Silent;
        };
        let error = error.trim_start_matches('"');
        let end = error.find(['"', ',', ' ']).unwrap_or(error.len());
        match &error[..end] {
            "invalid_token" => Self::InvalidToken,
            _ => Self::OtherError,
        }
    }
}

impl TokenManager {
    /// A token to use instead of `refused`, or `None` when the 401 should
    /// not, or cannot, cost a token.
    pub(crate) fn replace(
        &self,
        context: &CallContext,
        wiring: Wiring<'_>,
        refused: &Secret,
        operation: Operation,
        challenge: Challenge,
    ) -> Option<Token> {
        let shared = self.shared.get();
        let rest = if challenge == Challenge::InvalidToken { REST_WHEN_TOLD } else { REST };
        let turn = loop {
            if context.ended().is_some() {
                return None;
            }
            let now = Now::read(wiring.clock);
            let mut state = lock(&shared.state);
            if let Some(held) = state.usable(now).filter(|held| held.token.value != *refused) {
                return Some(held.token);
            }
            if state.fetching {
                drop(state);
                shared.wait(context.wait_slice());
                continue;
            }
            if !state.may_replace(operation, rest, now) || state.quiet_left(now).is_some() {
                return None;
            }
            state.fetching = true;
            state.drop_if(refused);
            break FetchTurn(&shared);
        };
        self.attempt(wiring, "delete", || self.store.delete_if(context, &self.key, refused));
        (wiring.observe)(&Event::TokenInvalidated);
        let need = Need::OtherThan { value: refused, after_401: true };
        let token = self.obtain(&shared, context, wiring, need).ok();
        drop(turn);
        // A token server may give the same token until it expires.
        token.filter(|token| token.value != *refused)
    }

    /// A call was answered 401 with a token that had just replaced another.
    pub(crate) fn note_refused(&self, operation: Operation, wiring: Wiring<'_>) {
        lock(&self.shared.get().state).note_refused(operation, Now::read(wiring.clock));
    }

    /// A call was accepted: the next 401 may be the token's fault again.
    pub(crate) fn note_accepted(
        &self,
        operation: Operation,
        context: &CallContext,
        wiring: Wiring<'_>,
    ) {
        if !lock(&self.shared.get().state).note_accepted(operation) {
            return;
        }
        // Others who share the store should know, but the answer is there
        // already: nobody waits for a lock now.
        let locked = self.attempt(wiring, "lock", || self.store.try_lock(context, &self.key));
        let Some(Some(fence)) = locked else {
            return;
        };
        if let Some(mut entry) =
            self.attempt(wiring, "load", || self.store.load(context, &self.key))
        {
            entry.unproven_since = None;
            self.attempt(wiring, "save", || self.store.save(context, &self.key, &entry, fence));
        }
        let unlocked = || {
            self.store.unlock(&self.key, fence);
            Ok(())
        };
        self.attempt(wiring, "lock", unlocked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read_in_every_form() {
        for (header, expected) in [
            (r#"Bearer error="invalid_token""#, Challenge::InvalidToken),
            (
                r#"Bearer realm="x", error="invalid_token", error_description="expired""#,
                Challenge::InvalidToken,
            ),
            ("bearer error=invalid_token", Challenge::InvalidToken),
            (r#"Bearer error="insufficient_scope""#, Challenge::OtherError),
            (r#"Bearer realm="x""#, Challenge::Silent),
            (r#"Basic realm="error=""#, Challenge::Silent),
            ("", Challenge::Silent),
        ] {
            assert_eq!(Challenge::read([header].into_iter()), expected, "{header}");
        }
        let two = ["Signature", r#"Bearer error="invalid_token""#];
        assert_eq!(Challenge::read(two.into_iter()), Challenge::InvalidToken);
    }
}
