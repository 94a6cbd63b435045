//! Kinds of failure and outcomes: the table that every language has.

use std::fmt;

use crate::operation::Operation;

/// Makes [`ErrorKind`] of rows: variant, number, name, outcome, what it means
/// in one sentence, and what else there is to know.
macro_rules! kinds {
    ($($variant:ident = $number:literal, $name:literal, $outcome:expr,
       $meaning:literal, $more:literal;)+) => {
        /// The kind of failure of an [`Error`](super::Error).
        ///
        /// The names of [`ErrorKind::as_str`] are the same in every language.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $(
                #[doc = $meaning]
                #[doc = ""]
                #[doc = $more]
                $variant = $number,
            )+
        }

        impl ErrorKind {
            /// Every kind, in the order of the table in the documentation.
            pub const ALL: [Self; [$($number),+].len()] = [$(Self::$variant),+];

            /// The kind's name in every language, for example `too_large`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The kind's number for languages without text codes. It never
            /// changes, and 0 is no kind.
            pub const fn number(self) -> i32 {
                self as i32
            }

            /// What it means, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)+
                }
            }

            /// What else there is to know, or an empty text. Members of an
            /// error stand in backticks.
            pub const fn more(self) -> &'static str {
                match self {
                    $(Self::$variant => $more,)+
                }
            }

            /// Whether failures of this kind may have been executed.
            pub const fn usual_outcome(self) -> UsualOutcome {
                match self {
                    $(Self::$variant => $outcome,)+
                }
            }
        }
    };
}

/// The outcomes of the failures of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UsualOutcome {
    /// Those that a failure can have.
    pub possible: &'static [Outcome],
    /// Which one it is, in words for a table.
    pub words: &'static str,
}

impl UsualOutcome {
    const fn new(possible: &'static [Outcome], words: &'static str) -> Self {
        Self { possible, words }
    }
}

const EITHER: &[Outcome] = &[Outcome::NotExecuted, Outcome::Unknown];

const NOT_EXECUTED: UsualOutcome = UsualOutcome::new(&[Outcome::NotExecuted], "`not_executed`");
const UNKNOWN: UsualOutcome = UsualOutcome::new(&[Outcome::Unknown], "`unknown`");
const UNKNOWN_IF_SENT: UsualOutcome =
    UsualOutcome::new(EITHER, "`not_executed`, unless a byte of the request was sent");
const UNKNOWN_UNLESS_UNSENT: UsualOutcome =
    UsualOutcome::new(EITHER, "`unknown`, unless no byte of the request was sent");
const BY_RESPONSE_IF_SENT: UsualOutcome = UsualOutcome::new(
    &Outcome::ALL,
    "that of the response if it was complete; otherwise `unknown`, unless no byte of the request \
     was sent",
);
const BY_STATUS: UsualOutcome =
    UsualOutcome::new(EITHER, "[by the status](docs/interface.md#outcome-of-failures)");
const BY_RESPONSE: UsualOutcome = UsualOutcome::new(
    EITHER,
    "[by the response](docs/interface.md#responses-that-say-they-failed)",
);
const BY_JOURNAL: UsualOutcome = UsualOutcome::new(
    &Outcome::ALL,
    "`not_executed`, unless an earlier call has the same reference: `executed` if it was, with \
     the same body, otherwise `unknown`",
);

// A new kind takes a row with the next number, and `cargo xtask generate`.
kinds! {
    Config = 1, "config", NOT_EXECUTED,
        "The configuration cannot work.",
        "`path` names the member.";
    Validation = 2, "validation", NOT_EXECUTED,
        "The request breaks a rule that is known locally.",
        "`path` names the member.";
    Signing = 3, "signing", NOT_EXECUTED,
        "The request could not be signed.",
        "";
    Token = 4, "token", NOT_EXECUTED,
        "No bearer token could be obtained.",
        "";
    Connect = 5, "connect", UNKNOWN_IF_SENT,
        "No connection could be made.",
        "";
    Tls = 6, "tls", UNKNOWN_IF_SENT,
        "The TLS handshake failed.",
        "";
    Transport = 7, "transport", UNKNOWN_UNLESS_UNSENT,
        "The connection broke.",
        "";
    Timeout = 8, "timeout", UNKNOWN_UNLESS_UNSENT,
        "The deadline passed.",
        "";
    Protocol = 9, "protocol", UNKNOWN,
        "The response is not HTTP, is a redirect, or is about another payment.",
        "";
    TooLarge = 10, "too_large", UNKNOWN,
        "A successful response is larger than allowed.",
        "";
    Decode = 11, "decode", UNKNOWN,
        "A successful response is not what the operation promises.",
        "";
    Unauthorized = 12, "unauthorized", NOT_EXECUTED,
        "The service responded with 401.",
        "`diagnosis` says what the client knows about its credentials.";
    RateLimited = 13, "rate_limited", NOT_EXECUTED,
        "The service responded with 429.",
        "`retry_after` says how long to wait.";
    Status = 14, "status", BY_STATUS,
        "The service responded with another status that is not 2xx.",
        "`http_status` is that status.";
    Rejected = 15, "rejected", BY_RESPONSE,
        "The service responded with 2xx, and the body says that the operation failed.",
        "`service_code` is the service's own code.";
    Cancelled = 16, "cancelled", BY_RESPONSE_IF_SENT,
        "The caller cancelled the call.",
        "The code `interrupted_after_response` means that the response was complete: `response` has it.";
    Internal = 17, "internal", UNKNOWN_UNLESS_UNSENT,
        "A bug in this library was caught.",
        "Please report it.";
    Journal = 18, "journal", BY_JOURNAL,
        "The journal refused the call, or does not work.",
        "`journal_entry` says which earlier call refused it.";
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether the operation of a failed call was executed by the service.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The service did not execute the operation: it may be sent again.
    NotExecuted,
    /// The service may have executed the operation. Do not send it again: find
    /// out what was done, a payment with
    /// [`Client::query_payment`](crate::Client::query_payment) by its reference
    /// (seen, not stated in the interface) until it is found. The error's advice
    /// says how.
    Unknown,
    /// The service executed the operation, for this call or for an earlier one
    /// with the same body: do not send it again. The error has what is known of
    /// it. It does not mean that anybody has paid.
    Executed,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::NotExecuted, Self::Unknown, Self::Executed];

    /// The outcome's name in every language: `not_executed`, `unknown` or
    /// `executed`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotExecuted => "not_executed",
            Self::Unknown => "unknown",
            Self::Executed => "executed",
        }
    }

    /// What to do about a failed call of `operation` instead of sending it
    /// again; `None` if it was not executed.
    pub const fn advice(self, operation: Operation) -> Option<&'static str> {
        match self {
            Self::NotExecuted => None,
            Self::Unknown => Some(operation.definition().advice_when_unknown),
            Self::Executed => Some(operation.definition().advice_when_executed),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
