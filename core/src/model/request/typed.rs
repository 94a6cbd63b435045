//! What typed requests have in common.

pub(super) mod generated;

use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome};
use crate::model::json::{Json, Members};
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
        Err(error) => (error.code(), error.to_string()),
    };
    let (code, mut message) = (wrong.0, format!("the request {}", wrong.1));
    // Text that does not look like JSON was probably meant as the value of the
    // main member.
    let is_value = !text.trim_ascii_start().starts_with(b"{");
    let mut fields = operation.fields().iter();
    let member = fields.find(|it| matches!(it.presence, Presence::Required | Presence::OneOf));
    if let Some(field) = member.filter(|_| is_value) {
        message.push_str(&format!("; pass {{\"{}\": …}}", field.name));
    }
    let error = Error::new(ErrorKind::Validation, Outcome::NotExecuted, code, message);
    Err(error.with_operation(operation, None))
}

/// Adds a member to the request's `extra` object.
fn push_extra(members: &mut Members, name: &str, value: impl Into<Json>) {
    match members.get_mut(EXTRA).and_then(Json::as_object_mut) {
        Some(extra) => extra.push(name, value),
        None => members.push(EXTRA, Members::from_iter([(name, value)])),
    }
}
