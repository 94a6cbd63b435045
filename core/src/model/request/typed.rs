//! The common parts of typed requests.

// - `generated.rs`: the types

pub(super) mod generated;

use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome};
use crate::model::json::{Json, JsonErrorKind, Members};
use crate::model::operation::{EXTRA, Operation, Presence};

/// Parses the members of a request given as JSON text.
pub(super) fn parse_members(operation: Operation, text: &[u8]) -> Result<Members, Error> {
    let mut error = match Json::parse(text) {
        Ok(Json::Object(members)) => return Ok(members),
        Ok(other) => {
            let message = format!("the request must be an object, not {}", other.kind_name());
            let (kind, outcome) = (ErrorKind::Validation, Outcome::NotExecuted);
            Error::new(kind, outcome, ErrorCode::WRONG_TYPE, message)
        }
        Err(error) if meant_member(operation, text).is_some() => {
            Error::from(error).with_message("the request is a text, which must be JSON")
        }
        Err(error) => error.into(),
    };
    if let Some(member) = main_member(operation).filter(|_| !looks_like_object(text)) {
        let message = format!("{}; pass {{\"{member}\": …}}", error.message());
        error = error.with_message(message);
    }
    Err(error.with_operation(operation, None))
}

/// The main member of the operation, if `text` is not JSON: it was probably
/// meant as the value of that member.
pub fn meant_member(operation: Operation, text: &[u8]) -> Option<&'static str> {
    let is_no_json = || Json::parse(text).is_err_and(|it| it.kind() == JsonErrorKind::Syntax);
    main_member(operation).filter(|_| !looks_like_object(text) && is_no_json())
}

fn looks_like_object(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"{")
}

fn main_member(operation: Operation) -> Option<&'static str> {
    let mut fields = operation.fields().iter();
    let member = fields.find(|it| matches!(it.presence, Presence::Required | Presence::OneOf));
    member.map(|field| field.name)
}

/// Adds a member to the request's `extra` object.
fn push_extra(members: &mut Members, name: &str, value: impl Into<Json>) {
    match members.get_mut(EXTRA).and_then(Json::as_object_mut) {
        Some(extra) => extra.push(name, value),
        None => members.push(EXTRA, Members::from_iter([(name, value)])),
    }
}
