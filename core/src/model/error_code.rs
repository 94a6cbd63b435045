//! Error codes: one type, whose values are made of the description.

// - `generated.rs`, `messages.rs`: the codes, and the messages that are always the same

mod generated;
mod messages;

use std::fmt;

/// A code of an [`Error`](crate::Error): stable, and the same in every language.
///
/// `docs/errors.md` and `payments explain CODE` give the cause and the remedy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ErrorCode(&'static str);

impl ErrorCode {
    /// The code as a text, for example `payment_not_found`.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

/// A message that is always the same, with its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Message {
    pub(crate) code: ErrorCode,
    pub(crate) text: &'static str,
}

impl PartialEq<&str> for ErrorCode {
    fn eq(&self, text: &&str) -> bool {
        self.0 == *text
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_its_own_text_and_no_other() {
        assert!(ErrorCode::LOCKED == "locked");
        assert!(ErrorCode::LOCKED != "missing");
    }
}
