//! The members of an error's report: the table.

use crate::report::{Holds, Member};

const fn always(name: &'static str, holds: Holds, doc: &'static str) -> Member {
    Member::new(name, holds, doc)
}

const fn perhaps(name: &'static str, holds: Holds, doc: &'static str) -> Member {
    Member::new(name, holds, doc).or_null()
}

/// Every member of the report that [`Error::to_json`](super::Error::to_json)
/// gives, in its order.
pub const MEMBERS: &[Member] = &[
    always("kind", Holds::Kind, "What kind of failure it is, for example `rejected`."),
    always("code", Holds::Text, "Stable within the kind, for example `token_backoff`."),
    always("message", Holds::Text, "What happened and what to do next, in one or two sentences."),
    always("outcome", Holds::Outcome, "Whether the operation was executed."),
    perhaps(
        "advice",
        Holds::Text,
        "What to do instead of sending it again, unless it was not executed.",
    ),
    perhaps("path", Holds::Text, "The member at fault, for example `payment.document`."),
    perhaps("operation", Holds::Operation, "The operation that failed."),
    perhaps("reference", Holds::Text, "Your own reference for what was asked."),
    perhaps("http_status", Holds::Integer, "The status of the service's response."),
    perhaps("service_code", Holds::Text, "The service's own code, for example `BP-DR-0`."),
    perhaps(
        "service_message",
        Holds::Text,
        "The service's own message. It may repeat payer data: do not log it.",
    ),
    perhaps("payment_hash", Holds::Text, "The hash of a payment that the response names."),
    perhaps("retry_after", Holds::Integer, "Seconds to wait before asking again."),
    perhaps(
        "diagnosis",
        Holds::Diagnosis,
        "On a 401: what the client knows about its credentials.",
    ),
    perhaps(
        "journal_entry",
        Holds::JournalEntry,
        "The earlier call that the journal has under the same reference.",
    ),
    perhaps(
        "attempts",
        Holds::Integer,
        "How many attempts were made, including those that could not connect.",
    ),
    always(
        "help",
        Holds::Text,
        "Where the documentation explains the code, for example \
         `docs/errors.md#payment_not_found`.",
    ),
];
