//! The token that a caller needs, and whether it may ask the token server for
//! it.

use std::time::Duration;

use payments_base::secret::Secret;

use super::refusal::failed;
use super::replacements::{Rest, RestReason};
use super::state::{CachedToken, TokenState};
use super::{Now, TokenEntry};
use crate::model::error::{Error, ErrorCode};

/// The token that the caller needs.
#[derive(Clone, Copy)]
pub(super) enum Need<'a> {
    Any,
    /// Any token except this one, which is in use and about to expire.
    Newer(&'a CachedToken),
    /// Any token except this one, with which this target was refused.
    After401 {
        refused: &'a Secret,
        target: &'a str,
    },
}

impl Need<'_> {
    pub(super) fn excludes(self, value: &Secret) -> bool {
        match self {
            Self::Any => false,
            Self::Newer(old) => *value == old.token.value,
            Self::After401 { refused, .. } => value == refused,
        }
    }
}

/// Why a caller gets no token.
pub(super) enum NoToken {
    Failed(Error),
    /// No other is requested instead of one that was refused or forgotten.
    Resting(Rest),
}

impl From<Error> for NoToken {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl NoToken {
    pub(super) fn into_error(self) -> Error {
        match self {
            Self::Failed(error) => error,
            Self::Resting(rest) => resting(rest.left),
        }
    }
}

impl TokenState {
    /// Why a 401 of `target` may not replace the token now.
    pub(super) fn rest_after(&mut self, target: &str, now: Now) -> Option<Rest> {
        let steady = self.steady(now);
        let pause = self.replacements.pause_left(target, steady);
        let left = pause.max(self.rest(now));
        let has_helped = pause.is_zero() && self.replacements.has_helped(target);
        let reason = if has_helped { RestReason::Contended } else { RestReason::Unhelpful };
        (!left.is_zero()).then_some(Rest { left, reason })
    }

    /// Whether the token server may be asked for that token.
    pub(super) fn leave(&mut self, need: Need<'_>, now: Now) -> Result<(), NoToken> {
        if let Some(error) = self.backoff_error(now) {
            return Err(NoToken::Failed(error));
        }
        let rest = match need {
            Need::Newer(_) => None,
            Need::After401 { refused, target } if self.holds(refused, now) => {
                self.rest_after(target, now)
            }
            Need::Any | Need::After401 { .. } if self.is_dropped(now) => {
                let left = self.rest(now);
                (!left.is_zero()).then_some(Rest { left, reason: RestReason::Spent })
            }
            Need::Any | Need::After401 { .. } => None,
        };
        rest.map_or(Ok(()), |rest| Err(NoToken::Resting(rest)))
    }

    /// Counts a request that the caller may make, if it is for a token instead
    /// of one that was refused or forgotten. Stops using the refused one.
    /// Returns whether it counts.
    pub(super) fn note_request(&mut self, need: Need<'_>, now: Now) -> bool {
        if let Need::After401 { refused, .. } = need
            && self.holds(refused, now)
        {
            self.drop_token(now);
        }
        let counts = !matches!(need, Need::Newer(_)) && self.is_dropped(now);
        if counts {
            let steady = self.steady(now);
            self.replacements.count(steady);
            self.own_replacements.count(now);
        }
        counts
    }

    /// Adopts a new token from the token server. The pauses of a replacement
    /// begin. Returns the entry to save.
    pub(super) fn note_obtained(
        &mut self,
        held: CachedToken,
        need: Need<'_>,
        now: Now,
    ) -> TokenEntry {
        if let Need::After401 { target, .. } = need {
            let steady = self.steady(now);
            self.replacements.begin_pauses(target, steady);
        }
        self.adopt_new(held, now)
    }

    fn holds(&self, value: &Secret, now: Now) -> bool {
        self.usable(now).is_some_and(|held| held.token.value == *value)
    }
}

/// The error while no token is requested because of many refused ones.
fn resting(left: Duration) -> Error {
    let message = format!(
        "not requesting another token for {} s, because as many as may be were requested within \
         an hour after refusals or after forgetting the token; find out why the service refuses it",
        left.as_secs().max(1)
    );
    failed(ErrorCode::TOKEN_BACKOFF, message).with_retry_after(Some(left))
}
