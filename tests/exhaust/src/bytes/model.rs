//! The expected result of a call.

use std::sync::Arc;

use super::peer::head_of;
use crate::stand_ins::Flow;

/// How the end of an answer shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Framing {
    Length,
    Chunked,
    UntilClose,
}

/// The meaning of an answer for the operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    Success,
    /// A refusal by its status alone.
    Refusal,
    /// A refusal whose body may say that the reference was used before.
    RefusalWithReason,
}

/// The answers of the service.
pub(super) struct Answer {
    pub(super) bytes: Arc<[u8]>,
    pub(super) framing: Framing,
    pub(super) meaning: Meaning,
    /// Whether the caller gets the body unread.
    pub(super) is_unread: bool,
}

/// The expected result of a call, from the bytes on its connections to the
/// service.
pub(super) fn expected(flows: &[Flow], answer: &Answer) -> &'static str {
    let Some(flow) = flows.iter().find(|flow| !flow.sent.is_empty()) else { return "not_executed" };
    let has = |length: usize| flow.arrived.starts_with(&answer.bytes[..length]);
    let is_whole = match answer.framing {
        // `send` returns a body as it came.
        _ if answer.is_unread => {
            has(head_of(&answer.bytes).unwrap()) && flow.arrived.len() >= answer.bytes.len()
        }
        Framing::Length => has(answer.bytes.len()),
        // An empty line ends the trailers; there are none.
        Framing::Chunked => has(answer.bytes.len() - 2),
        Framing::UntilClose => *flow.arrived == *answer.bytes && flow.has_ended,
    };
    match answer.meaning {
        Meaning::Success if is_whole => "success",
        Meaning::Refusal if has(head_of(&answer.bytes).unwrap()) => "not_executed",
        Meaning::RefusalWithReason if is_whole => "not_executed",
        _ => "unknown",
    }
}
