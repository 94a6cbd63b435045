//! The token that a caller needs, and whether it may ask the token server for
//! it.

use std::time::Duration;

use payments_base::secret::Secret;

use super::Now;
use super::refusal::failed;
use super::state::{CachedToken, TokenState};
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
    /// Earlier replacements of a refused token did not help.
    Resting,
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
            Self::Resting => resting(Duration::ZERO),
        }
    }
}

impl TokenState {
    /// Whether a 401 of `target` may replace the token.
    pub(super) fn may_replace(&self, target: &str, now: Now) -> bool {
        self.replacements.allow(target, now) && self.own_replacements.rest(now).is_zero()
    }

    /// Whether the token server may be asked for that token.
    pub(super) fn leave(&self, need: Need<'_>, now: Now) -> Result<(), NoToken> {
        if let Some(error) = self.backoff_error(now) {
            return Err(NoToken::Failed(error));
        }
        match need {
            Need::After401 { refused, target } => {
                let is_held = self.usable(now).is_some_and(|held| held.token.value == *refused);
                if is_held && !self.may_replace(target, now) {
                    Err(NoToken::Resting)
                } else {
                    // Another caller dropped it, and could not replace it.
                    Ok(())
                }
            }
            Need::Any if self.is_forgotten(now) => {
                let rest = self.replacements.rest(now).max(self.own_replacements.rest(now));
                if rest.is_zero() { Ok(()) } else { Err(NoToken::Failed(resting(rest))) }
            }
            Need::Any | Need::Newer(_) => Ok(()),
        }
    }

    /// Whether the next token replaces a forgotten one.
    fn is_forgotten(&self, now: Now) -> bool {
        self.replacements.is_forgotten(now) || self.own_replacements.is_forgotten(now)
    }

    /// Counts a request that the caller may make, and stops using the token that
    /// it replaces.
    pub(super) fn note_request(&mut self, need: Need<'_>, now: Now) {
        let counts = match need {
            Need::After401 { refused, target } => {
                let replaces = self.drop_if(refused);
                if replaces {
                    self.replacements.note_requested(target, now);
                }
                replaces
            }
            Need::Any | Need::Newer(_) => {
                let counts = self.is_forgotten(now);
                if counts {
                    self.replacements.count(now);
                }
                counts
            }
        };
        if counts {
            self.own_replacements.count(now);
        }
    }
}

/// The error while no token is requested because of many refused ones.
fn resting(left: Duration) -> Error {
    let message = format!(
        "not requesting another token for {} s, because a dozen were requested within an hour \
         after refusals or after forgetting the token; find out why the service refuses it",
        left.as_secs().max(1)
    );
    failed(ErrorCode::TOKEN_BACKOFF, message).with_retry_after(Some(left))
}
