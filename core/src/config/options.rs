//! Options that are set by more than one value, or limited by more than a range.

use super::{AuthOverride, Config};
use crate::model::error::{Error, ErrorCode};
use crate::model::operation::Operation;

pub(super) fn is_one_word(scheme: &str) -> Result<(), Error> {
    if scheme.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(());
    }
    let message = "must be one word, or empty";
    Err(Error::config("bearer_scheme", ErrorCode::VALUE_INVALID, message))
}

/// Entries of one scope do not block those of another, and white space at the
/// end of a scope is invisible.
pub(super) fn is_scope(scope: &Option<String>) -> Result<(), Error> {
    let Some(scope) = scope else { return Ok(()) };
    let refused = |code, message| Err(Error::config("journal_scope", code, message));
    match scope.trim() {
        "" => refused(ErrorCode::VALUE_INVALID, "must not be empty"),
        trimmed if trimmed != scope => {
            let message = "has white space at its beginning or end, so it would be another scope \
                           than without it; remove the white space";
            refused(ErrorCode::VALUE_INVALID, message)
        }
        _ => Ok(()),
    }
}

impl Config {
    /// The header of the bearer token, and the word before the token; with an
    /// empty word the token is sent alone. The defaults are `Authorization` and
    /// `Bearer`.
    pub fn bearer(mut self, header: impl Into<String>, scheme: impl Into<String>) -> Self {
        self.options.bearer_header = header.into();
        self.options.bearer_scheme = scheme.into();
        self
    }

    /// The credentials of one operation.
    pub fn auth(mut self, operation: Operation, auth: AuthOverride) -> Self {
        self.options.auth.insert(operation, auth);
        self
    }

    /// Further signs of success of an operation, as JSON Pointers into the
    /// response. A value at one of them means success.
    pub fn success_signs<I: IntoIterator<Item: Into<String>>>(
        mut self,
        operation: Operation,
        pointers: I,
    ) -> Self {
        let pointers = pointers.into_iter().map(Into::into).collect();
        self.rules.success_signs.insert(operation, pointers);
        self
    }
}
