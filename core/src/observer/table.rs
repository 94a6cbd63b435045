//! The table of events and their members. A test compares it with
//! [`Event`](super::Event).

use crate::report::{Holds, Member};

/// An event as other languages see it.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Its name.
    pub name: &'static str,
    /// Its members in the order of [`Event::to_json`](super::Event::to_json),
    /// after `event`.
    pub members: &'static [Member],
    /// When it happens, in one sentence.
    pub doc: &'static str,
}

const fn member(name: &'static str, holds: Holds, doc: &'static str) -> Member {
    Member::new(name, holds, doc)
}

const fn integer(name: &'static str, doc: &'static str) -> Member {
    member(name, Holds::Integer, doc)
}

const OPERATION: Member = member("operation", Holds::Operation, "");
const NUMBER: Member = integer("number", "1 for the first attempt");

/// Every event.
pub const EVENTS: &[Description] = &[
    Description {
        name: "request_started",
        members: &[
            OPERATION,
            member("method", Holds::Text, ""),
            member(
                "path",
                Holds::Text,
                "the path without its query; that of `send` up to its second segment",
            ),
        ],
        doc: "A call begins: its input was accepted.",
    },
    Description {
        name: "attempt",
        members: &[OPERATION, NUMBER],
        doc: "A request is about to be sent.",
    },
    Description {
        name: "retry",
        members: &[
            OPERATION,
            integer("number", "the attempt that failed, 1 for the first"),
            member("kind", Holds::Kind, ""),
            integer("wait_us", "how long the client waits first"),
        ],
        doc: "An attempt failed, and another follows: for a query, or when no connection was made.",
    },
    Description {
        name: "token_fetched",
        members: &[integer("duration_us", ""), integer("lifetime_us", "how long it is valid")],
        doc: "The token server issued a bearer token.",
    },
    Description {
        name: "token_reused",
        members: &[integer("remaining_us", "how long it remains valid")],
        doc: "A cached bearer token is used.",
    },
    Description {
        name: "token_failed",
        members: &[
            member("kind", Holds::Kind, ""),
            integer("backoff_us", "how long the token server is not contacted (backoff)").or_null(),
        ],
        doc: "No bearer token could be obtained.",
    },
    Description {
        name: "token_invalidated",
        members: &[],
        doc: "A bearer token was refused, and is not used again.",
    },
    Description {
        name: "store_bypassed",
        members: &[
            member(
                "action",
                Holds::OneOf(&["load", "save", "delete", "lock", "unlock"]),
                "what failed",
            ),
            member("reason", Holds::Text, "why, in the store's own words"),
        ],
        doc: "A token store failed, and the call goes on without it.",
    },
    Description {
        name: "journal_failed",
        members: &[
            member("id", Holds::Text, "the id of the entry"),
            member("reason", Holds::Text, "why, in the journal's own words"),
        ],
        doc: "A call's end could not be recorded in the journal, or contradicts a person's decision.",
    },
    Description {
        name: "request_ended",
        members: &[
            OPERATION,
            integer("http_status", "the status of the last response, if there was one").or_null(),
            member("kind", Holds::Kind, "there if the call failed").or_null(),
            member("code", Holds::Text, "stable within the kind; there if the call failed")
                .or_null(),
            member("outcome", Holds::Outcome, "there if the call failed").or_null(),
            integer(
                "attempts",
                "how many attempts were made, including those that could not connect",
            ),
            integer("duration_us", "how long the call took, with token and signature"),
            integer("signing_us", "how long signing took, with the wait for other calls that sign"),
        ],
        doc: "A call ended.",
    },
];
