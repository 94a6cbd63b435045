//! The meaning of an outcome for one kind, and for one operation.

use super::Outcome;
use crate::model::operation::{Cancellation, Operation, Queried};

/// The advice if something else has the reference of the call.
pub(super) const ADVICE_TO_COMPARE: &str =
    "do not send it again: compare the two, and use a new reference only for something new";

/// The advice if it is not known whether a payment with the reference exists.
pub(super) const ADVICE_TO_ENSURE: &str = "use no other reference: call `ensure_payment()` again with this one, which finds the payment, or \
     creates it if there is none";

impl Outcome {
    /// The outcome of a call that ended without a response, by its byte record.
    #[doc(hidden)]
    pub const fn of_record(may_have_sent: bool) -> Self {
        if may_have_sent { Self::Unknown } else { Self::NotExecuted }
    }

    /// The advice after a failed call of `operation` instead of sending it
    /// again; `None` if it was not executed.
    pub const fn advice(self, operation: Operation) -> Option<&'static str> {
        match self {
            Self::NotExecuted => None,
            Self::Unknown => operation.definition().advice_when_unknown,
            Self::Executed => Some(operation.definition().advice_when_executed),
        }
    }

    /// Like [`advice`](Self::advice), for a call that cancels an earlier one.
    pub(super) const fn advice_to_cancel(self, it: &Cancellation) -> Option<&'static str> {
        match self {
            Self::NotExecuted => None,
            Self::Unknown => Some(it.advice_when_unknown),
            Self::Executed => Some(it.advice_when_executed),
        }
    }

    /// Like [`advice`](Self::advice), where a query finds the result of the call.
    pub(super) const fn advice_to_query(self, it: &Queried) -> Option<&'static str> {
        match self {
            Self::NotExecuted => None,
            Self::Unknown => Some(it.advice_when_unknown),
            Self::Executed => Some(it.advice_when_executed),
        }
    }
}
