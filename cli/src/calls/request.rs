//! Builds an operation's request from a file, standard input and options.

use payments_core::ErrorCode;
use payments_core::error::Reason;
use payments_core::json::{Json, Members};
use payments_core::{Error, ErrorKind, Operation};

use crate::args::members;
use crate::args::operation::{self, OperationArgs};
use crate::process::failure::Failure;
use crate::process::input;

/// The request as JSON text. Options override members of the file.
///
/// # Errors
/// `usage` if the request is missing or ambiguous, or a file cannot be read.
pub(crate) fn read(operation: Operation, args: &OperationArgs) -> Result<Vec<u8>, Failure> {
    let nameless = members::nameless_member(operation);
    let mut request = Members::new();
    match (args.input.as_deref(), nameless) {
        (Some(value), Some(field)) if !input::is_source(value) => {
            let is_given = |(option, _): &(members::MemberOption, _)| {
                option.field.is_some_and(|it| it.name == field.name)
            };
            if args.members.iter().any(is_given) {
                let message = format!(
                    "{} is given as an argument and as an option; give it only once",
                    field.name
                );
                return Err(Failure::usage(ErrorCode::INVALID_ARGUMENTS, message));
            }
            request.push(field.name, value);
        }
        (Some(source), _) => {
            let text = input::request(source)?;
            match Json::parse(&text) {
                Ok(Json::Object(members)) if !args.members.is_empty() => request = members,
                // The library reports what is wrong with it.
                _ => return Ok(text),
            }
        }
        (None, _) if args.members.is_empty() => {
            return input::piped()?.ok_or_else(|| missing_request(operation));
        }
        (None, _) => {}
    }
    for (option, values) in &args.members {
        option.set_in(&mut request, values)?;
    }
    Ok(Json::Object(request).to_bytes())
}

/// Advice about a library error, in terms of the command line.
pub(crate) fn advice(
    operation: Operation,
    args: &OperationArgs,
    request: &[u8],
    error: &Error,
) -> Option<String> {
    let path = error.path().filter(|_| error.kind() == ErrorKind::Validation)?;
    let is_missing = error.reason() == Some(Reason::Required);
    members::advice(operation, request, is_missing, path, &args.members)
}

fn missing_request(operation: Operation) -> Failure {
    let name = operation::name_of(operation);
    Failure::usage(
        ErrorCode::INVALID_ARGUMENTS,
        format!(
            "the request is missing; give its members as options, a JSON file, or - for standard \
             input; see payments {name} --help"
        ),
    )
}
