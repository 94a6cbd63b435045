//! What an outcome means for one kind, and for one operation.

use super::Outcome;
use crate::model::operation::Operation;

/// The outcomes of the failures of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UsualOutcome {
    /// Those that a failure can have.
    pub possible: &'static [Outcome],
    /// Which one it is, in words for a table.
    pub words: &'static str,
}

impl Outcome {
    /// What to do about a failed call of `operation` instead of sending it
    /// again; `None` if it was not executed.
    pub const fn advice(self, operation: Operation) -> Option<&'static str> {
        match self {
            Self::NotExecuted => None,
            Self::Unknown => operation.definition().advice_when_unknown,
            Self::Executed => Some(operation.definition().advice_when_executed),
        }
    }
}
