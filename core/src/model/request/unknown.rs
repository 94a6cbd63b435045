//! Unknown members: those that are refused, and their messages.
//!
//! An object whose members are all known refuses every other name: a mistyped
//! `amount` would refund everything. The payment and its request refuse only
//! names that resemble a known member or an option of the call, because the
//! service takes further members there that depend on country and method.

use payments_base::spelling::{has_letters_of, is_slip_of, nearest};

use crate::model::error::{Error, ErrorCode};
use crate::model::json::Members;
use crate::model::json::path::Path;
use crate::model::operation::{Others, RequestMember, RequestObject};

/// The options of a call, by the names that languages give them in their case.
const CALL_OPTIONS: [&str; 5] = ["timeout_ms", "traceparent", "ensure_wait_ms", "cancel", "signal"];
const IF_MEANT: &str = "if the service expects this member, put it in `extra`";

/// Refuses the unknown member `name` of `members`, unless the object is open
/// and the name resembles neither a known member nor an option of the call.
///
/// # Errors
/// `validation`, with the name that was probably meant.
pub(super) fn refuse(
    object: &RequestObject,
    members: &Members,
    name: &str,
    path: Path<'_>,
) -> Result<(), Error> {
    let resembles = |option: &str| is_slip_of(name, option, 1) || is_slip_of(name, option, 2);
    if let Path::Member(Path::Root, _) = path
        && let Some(option) = CALL_OPTIONS.into_iter().find(|it| resembles(it))
    {
        let message =
            format!("unknown member; did you mean the option `{option}` of the call? {IF_MEANT}");
        return Err(Error::validation(path.to_string(), ErrorCode::MEMBER_UNKNOWN, message));
    }
    if object.others != Others::Pass {
        return Err(unknown_member(object, name, path));
    }
    let is_slip = |known: &str| {
        has_letters_of(name, known) || !members.contains(known) && is_slip_of(name, known, 1)
    };
    if object.names().any(is_slip) {
        return Err(unknown_member(object, name, path));
    }
    for field in object.fields {
        let inner = field.shape.object();
        // Without the inner object, the missing object is the better error to
        // report.
        if members.contains(field.name)
            && inner.is_some_and(|it| it.fields.iter().any(|it| has_letters_of(name, it.name)))
        {
            let message = format!("belongs inside `{}`; {IF_MEANT}", field.name);
            return Err(Error::validation(path.to_string(), ErrorCode::MEMBER_UNKNOWN, message));
        }
    }
    Ok(())
}

/// The error for an unknown member.
pub(super) fn unknown_member(object: &RequestObject, name: &str, path: Path<'_>) -> Error {
    let mut message = match nearest(name, object.names()) {
        Some(known) => format!("unknown member; did you mean `{known}`?"),
        None => {
            let names: Vec<_> = object.names().map(|name| format!("`{name}`")).collect();
            format!("unknown member; known members are {};", names.join(", "))
        }
    };
    match object.others {
        Others::Refused => message.truncate(message.trim_end_matches(';').len()),
        Others::InExtra | Others::Pass => message.push_str(&format!(" {IF_MEANT}")),
    }
    Error::validation(path.to_string(), ErrorCode::MEMBER_UNKNOWN, message)
}

/// The error message for a missing object. In a flat request its members are
/// one level too high.
pub(super) fn required_object(field: &RequestMember, object: &RequestObject) -> String {
    let required = object.fields.iter().filter(|it| it.is_required());
    let names: Vec<_> = required.map(|it| format!("`{}`", it.name)).collect();
    let (name, members) = (field.name, names.join(", "));
    format!("required: the object `{name}`, with at least {members} inside it")
}
