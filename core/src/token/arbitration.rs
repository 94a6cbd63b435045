//! Decides whether the bearer token caused a 401.

use std::sync::Arc;
use std::time::Duration;

use payments_base::process::{ForkGuard, lock};
use payments_base::secret::Secret;
use payments_transport::PreparedRequest;
use payments_transport::context::CallContext;

use super::Now;
use super::Token;
use super::access::{DeferredEvents, Dependencies, lock_first};
use super::manager::TokenManager;
use super::need::{Need, NoToken};
use super::replacements::{Replacements, Rest, RestReason, target_of};
use super::state::{CachedToken, FetchGuard, Shared, TokenState};
use crate::model::error::Error;
use crate::model::observer::EventKind;

/// The verdict of a 401's `WWW-Authenticate` headers on the bearer token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Challenge {
    /// Nothing.
    Silent,
    /// The token is invalid.
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

/// The tokens of its credentials that this process has seen accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenAcceptance {
    /// This token.
    Accepted,
    /// Another token, but not this one.
    OtherAccepted,
    NoneAccepted,
}

impl TokenAcceptance {
    /// The fact, as part of a message.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Accepted => "a call with this bearer token was accepted before",
            Self::OtherAccepted => {
                "a call with another bearer token of this client_id was accepted before, but none \
                 with this one"
            }
            Self::NoneAccepted => {
                "no bearer token was accepted yet (check client_id, client_secret, bearer_header, \
                 bearer_scheme, and that auth_url belongs to this environment)"
            }
        }
    }
}

/// A token to use instead of a refused one.
pub(crate) struct Replacement {
    pub(crate) token: Arc<Token>,
    /// Whether it was fetched after the refusal. A token from the store may be
    /// as stale as the refused one.
    pub(crate) is_new: bool,
}

/// Why there is no token to use instead of a refused one.
pub(crate) enum NoReplacement {
    /// The token server issued the refused token again.
    Same,
    /// The token server issued none.
    Failed(Error),
    /// None is requested now.
    Resting(Rest),
    /// The call cannot wait for one.
    Ended,
}

impl NoReplacement {
    /// The reason, as part of a message.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Same => "the token server issued the same bearer token again".to_owned(),
            Self::Failed(error) => {
                format!("the token server issued no other: {}", error.message())
            }
            Self::Resting(rest) => rest.reason.text().to_owned(),
            Self::Ended => "the call ended before it could get another".to_owned(),
        }
    }

    /// When another one may be requested.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Resting(rest) => Some(rest.left),
            Self::Failed(error) => error.retry_after(),
            Self::Same | Self::Ended => None,
        }
    }
}

impl RestReason {
    fn text(self) -> &'static str {
        match self {
            Self::Unhelpful => {
                "no other is requested for some minutes, because one did not help before"
            }
            Self::Contended => {
                "bearer tokens are refused soon after they were accepted, probably because another \
                 process with this client_id obtains its own: share one token_store between them; \
                 no other is requested for some minutes"
            }
            Self::Spent => {
                "no other is requested for some minutes, because as many as may be were requested \
                 within an hour"
            }
        }
    }
}

impl From<CachedToken> for Replacement {
    fn from(held: CachedToken) -> Self {
        Self { token: held.token, is_new: held.is_own }
    }
}

/// The next step of a call after a 401.
enum After401 {
    Use(CachedToken),
    Wait,
    Fetch,
    /// As far as this process knows, no other token may be requested.
    Rest(Rest),
}

/// Decides what a call does next after a 401 of `target` with the token
/// `refused`. [`After401::Fetch`] makes the caller the one that fetches.
fn next_step(
    state: &mut TokenState,
    refused: &Secret,
    target: &str,
    now: Now,
) -> Result<After401, NoReplacement> {
    if let Some(held) = state.usable(now).filter(|held| held.token.value != *refused) {
        return Ok(After401::Use(held));
    }
    let this_thread = std::thread::current().id();
    match state.fetching {
        Some(thread) if thread == this_thread => return Err(NoReplacement::Ended),
        Some(_) => return Ok(After401::Wait),
        None => {}
    }
    if let Some(rest) = state.rest_after(target, now)
        && !state.is_dropped(now)
    {
        return Ok(After401::Rest(rest));
    }
    if let Some(error) = state.backoff_error(now) {
        return Err(NoReplacement::Failed(error));
    }
    state.fetching = Some(this_thread);
    Ok(After401::Fetch)
}

impl TokenManager {
    /// Returns a token to use instead of `refused`, after a 401 to `request`.
    ///
    /// # Errors
    /// If the token should not, or cannot, be replaced.
    pub(crate) fn replace(
        &self,
        context: &CallContext,
        dependencies: Dependencies<'_>,
        refused: &Secret,
        request: &PreparedRequest,
    ) -> Result<Replacement, NoReplacement> {
        let other = self.find_other(context, dependencies, refused, request);
        if let Err(NoReplacement::Resting(rest)) = &other {
            let reason = rest.reason.text();
            (dependencies.observe)(&EventKind::TokenKept { backoff: rest.left, reason });
        }
        other
    }

    fn find_other(
        &self,
        context: &CallContext,
        dependencies: Dependencies<'_>,
        refused: &Secret,
        request: &PreparedRequest,
    ) -> Result<Replacement, NoReplacement> {
        let shared = self.cache.shared();
        let target = &target_of(request);
        let mut has_looked = false;
        loop {
            if context.ended().is_some() {
                return Err(NoReplacement::Ended);
            }
            let seen = shared.changed.seen();
            let step = {
                let mut state = lock(&shared.state);
                let now = Now::read(dependencies.clock);
                next_step(&mut state, refused, target, now)?
            };
            match step {
                After401::Use(held) => return Ok(Replacement::from(held)),
                After401::Wait => shared.changed.wait(seen, context, context.wait_slice()),
                After401::Fetch => {
                    let need = Need::After401 { refused, target };
                    return self.fetch_other(&shared, context, dependencies, need, refused);
                }
                After401::Rest(rest) if has_looked => return Err(NoReplacement::Resting(rest)),
                // Another process may have replaced the token, or ended the pause.
                After401::Rest(_) => {
                    has_looked = true;
                    dependencies
                        .deferring_events(|fetch| self.adopt_stored(&shared, context, fetch));
                }
            }
        }
    }

    /// Gets a token other than `refused`. The caller is the one that fetches.
    fn fetch_other(
        &self,
        shared: &Shared,
        context: &CallContext,
        dependencies: Dependencies<'_>,
        need: Need<'_>,
        refused: &Secret,
    ) -> Result<Replacement, NoReplacement> {
        let is_held = || {
            let held = lock(&shared.state).usable(Now::read(dependencies.clock));
            held.is_some_and(|held| held.token.value == *refused)
        };
        let events = DeferredEvents::default();
        let was_held = is_held();
        let obtained = {
            let _guard = ForkGuard::new(FetchGuard(shared));
            self.obtain(shared, context, dependencies.fetch_context(&events), need)
        };
        let new = match obtained {
            // The token server may issue the same token until it expires.
            Ok(held) if held.token.value == *refused => Err(NoReplacement::Same),
            Ok(held) => Ok(Replacement::from(held)),
            Err(NoToken::Failed(error)) => Err(NoReplacement::Failed(error)),
            Err(NoToken::Resting(rest)) => Err(NoReplacement::Resting(rest)),
        };
        if was_held && (!is_held() || matches!(new, Err(NoReplacement::Same))) {
            (dependencies.observe)(&EventKind::TokenInvalidated);
        }
        events.tell(dependencies.observe);
        new
    }

    /// Records that a call with `token` was accepted.
    pub(crate) fn note_worked(&self, token: &Arc<Token>) {
        lock(&self.cache.shared().state).worked = Some(Arc::downgrade(token));
    }

    /// Whether `token` is known to be accepted.
    pub(crate) fn acceptance(&self, token: &Token) -> TokenAcceptance {
        match &lock(&self.cache.shared().state).worked {
            None => TokenAcceptance::NoneAccepted,
            Some(worked) if worked.upgrade().is_some_and(|it| it.value == token.value) => {
                TokenAcceptance::Accepted
            }
            Some(_) => TokenAcceptance::OtherAccepted,
        }
    }

    /// Records a 401 to `request` with a token fetched during the call: the
    /// token is not the cause.
    pub(crate) fn note_refused(
        &self,
        request: &PreparedRequest,
        context: &CallContext,
        dependencies: Dependencies<'_>,
    ) {
        let target = target_of(request);
        self.note(context, dependencies, |replacements, now| {
            replacements.note_refused(&target, now)
        });
    }

    /// Records that `request` was accepted. The next 401 may be caused by the
    /// token again.
    pub(crate) fn note_accepted(
        &self,
        request: &PreparedRequest,
        context: &CallContext,
        dependencies: Dependencies<'_>,
    ) {
        if !lock(&self.cache.shared().state).replacements.has_pauses() {
            return;
        }
        let target = target_of(request);
        self.note(context, dependencies, |replacements, _| replacements.note_accepted(&target));
    }

    /// Applies `change`, and if it changes anything, tells the other clients of
    /// the store. The response is already there, so this does not wait for the
    /// lock.
    fn note(
        &self,
        context: &CallContext,
        dependencies: Dependencies<'_>,
        change: impl Fn(&mut Replacements, Now) -> bool,
    ) {
        let shared = self.cache.shared();
        {
            let mut state = lock(&shared.state);
            let steady = state.steady(Now::read(dependencies.clock));
            if !change(&mut state.replacements, steady) {
                return;
            }
        }
        dependencies.deferring_events(|fetch| {
            let stored = lock_first(self.cache.stores(context, fetch)).and_then(|held| {
                let now = Now::read(fetch.clock);
                let mut entry = held.load()?.dated(now);
                let is_known = !change(&mut entry.replacements, now);
                (is_known || held.save(&entry)).then_some((entry, now))
            });
            let mut state = lock(&shared.state);
            match stored {
                Some((entry, now)) => state.adopt_replacements(&entry.replacements, now),
                None => state.expect_replacements(),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::SystemClock;

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

    /// Inside its own token request, a thread would wait for itself.
    #[test]
    fn only_other_threads_wait_for_a_token_request() {
        let (refused, now) = (Secret::from("token-1"), Now::read(&SystemClock));
        let mut state = TokenState::default();
        let step = |state: &mut TokenState| next_step(state, &refused, "target", now);
        assert!(matches!(step(&mut state), Ok(After401::Fetch)));
        assert!(matches!(step(&mut state), Err(NoReplacement::Ended)));
        let of_another = std::thread::scope(|scope| scope.spawn(|| step(&mut state)).join());
        assert!(matches!(of_another, Ok(Ok(After401::Wait))));
    }
}
