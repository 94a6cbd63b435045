//! `payments send`.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use payments_core::request::RawRequest;
use payments_core::{ErrorCode, Operation, Outcome};

use crate::args::Global;
use crate::args::tool::SendArgs;
use crate::process::failure::Failure;
use crate::process::{input, interruption, startup};
use crate::{output, settings};

/// Sends the caller's bytes and prints the response body unchanged.
///
/// # Errors
/// Those of [`payments_core::Client::send`]; `usage` for arguments that cannot be
/// read.
pub(crate) fn run(global: &Global, args: &SendArgs) -> Result<ExitCode, Failure> {
    startup::check_output_for(Operation::Send)?;
    let client = settings::client(global)?;
    let request = request(args)?;
    let context = interruption::context(&client)?;
    match client.execute(&request, &context) {
        Ok(response) => {
            let outcome = client.outcome_of(&response);
            print(outcome, response.into_body())?;
        }
        Err(error) => {
            let outcome = error.outcome();
            return Err(interruption::failure(error, |response| {
                print(outcome, response.raw.body().to_vec())
            }));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds the request from the arguments.
///
/// # Errors
/// `usage` for arguments that cannot be read.
pub(crate) fn request(args: &SendArgs) -> Result<RawRequest, Failure> {
    if args.path.contains('?') {
        return Err(Failure::usage(
            ErrorCode::VALUE_INVALID,
            "the path contains a query; give each parameter as --query NAME=VALUE",
        ));
    }
    let mut request =
        RawRequest::new(&args.method, &args.path).body(input::body(args.body.body.as_deref())?);
    for parameter in &args.query {
        let (name, value) = parameter.split_once('=').ok_or_else(|| {
            Failure::usage(
                ErrorCode::INVALID_ARGUMENTS,
                format!("--query {parameter:?}: write NAME=VALUE"),
            )
        })?;
        request = request.query(name, value);
    }
    if let Some(content_type) = &args.content_type {
        request = request.content_type(content_type);
    }
    if let Some(reference) = &args.reference {
        request = request.reference(reference);
    }
    Ok(request)
}

fn print(outcome: Outcome, mut body: Vec<u8>) -> Result<(), Failure> {
    if std::io::stdout().is_terminal() && !body.is_empty() {
        body.push(b'\n');
    }
    output::write_response(Operation::Send, outcome, &body)
}
