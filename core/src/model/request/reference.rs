//! Checks that a response is about the requested payment or payout.

use super::value_at;
use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome};
use crate::model::json::path::Path;
use crate::model::json::{Json, Members};
use crate::model::operation::{Echo, Operation};
use crate::model::rules::{Rules, same_text};

/// Checks that the response to `sent` names nothing else, at the top level or in
/// its object. The first identifier that it has decides.
pub(super) fn check(
    operation: Operation,
    sent: &Members,
    response: &Json,
    rules: &Rules,
) -> Result<(), Error> {
    let Some(Echo { object, members }) = operation.definition().echo else { return Ok(()) };
    if !rules.check_references {
        return Ok(());
    }
    let holders = [(response.get(object), Path::Root.member(object)), (Some(response), Path::Root)];
    for (name, pointer) in members {
        let Some(expected) = value_at(sent, pointer).and_then(Json::as_str) else { continue };
        let mut is_named = false;
        for (holder, path) in &holders {
            let found = holder.and_then(|holder| holder.get(name));
            let Some(found) = found.and_then(Json::as_text_or_number) else { continue };
            if !same_text(found, expected) {
                return Err(of_another(&path.member(name)));
            }
            is_named = true;
        }
        if is_named {
            break;
        }
    }
    Ok(())
}

/// A response about something else leaves the outcome of this request open.
fn of_another(path: &Path<'_>) -> Error {
    let message = "the response names a different value than the request, so it may belong to \
                   another operation; if the service reformats references, set check_references \
                   to false";
    Error::new(ErrorKind::Protocol, Outcome::Unknown, ErrorCode::OTHER_REFERENCE, message)
        .with_path(path.to_string())
}
