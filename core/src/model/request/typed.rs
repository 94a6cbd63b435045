//! What typed requests have in common.

pub(super) mod generated;

use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome};
use crate::model::json::{Json, JsonErrorKind, Members};
use crate::model::operation::{EXTRA, Operation, Presence};

/// Parses the members of a request given as JSON text.
pub(super) fn parse_members(operation: Operation, text: &[u8]) -> Result<Members, Error> {
    let wrong = match Json::parse(text) {
        Ok(Json::Object(members)) => return Ok(members),
        Ok(other) => {
            (ErrorCode::WRONG_TYPE, format!("must be an object, not {}", other.kind_name()))
        }
        Err(error) if !error.path().is_empty() => {
            return Err(Error::from(error).with_operation(operation, None));
        }
        Err(error) if meant_member(operation, text).is_some() => {
            (error.code(), "is a text, which must be JSON".to_owned())
        }
        Err(error) => (error.code(), format!("{error}{}", error.advice())),
    };
    let (code, mut message) = (wrong.0, format!("the request {}", wrong.1));
    if let Some(member) = main_member(operation).filter(|_| !looks_like_object(text)) {
        message.push_str(&format!("; pass {{\"{member}\": …}}"));
    }
    let error = Error::new(ErrorKind::Validation, Outcome::NotExecuted, code, message);
    Err(error.with_operation(operation, None))
}

/// The main member of the operation, if `text` is no JSON: it was probably meant
/// as the value of that member.
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
