//! The subcommands of the operations.

use std::process::ExitCode;
use std::time::Duration;

use payments_core::json::Json;
use payments_core::{CallOptions as _, CallResponse, Operation, Outcome};
use payments_host::by_name;

use crate::args::Global;
use crate::args::operation::OperationArgs;
use crate::calls::{request, whole_refund};
use crate::output::summary;
use crate::process::failure::Failure;
use crate::process::{interruption, startup};
use crate::{output, settings};

/// Performs an operation, or the action of that name with its request, and prints
/// the response.
///
/// # Errors
/// Those of the operation; `usage` if the arguments give no request.
pub(crate) fn run(
    global: &Global,
    operation: Operation,
    action: &str,
    args: &OperationArgs,
) -> Result<ExitCode, Failure> {
    startup::check_output_for(operation)?;
    let client = settings::client(global)?;
    let request = request::read(operation, args)?;
    if let Some(picture) = &args.qr {
        picture.check()?;
    }
    whole_refund::confirm(&client, operation, args, &request)?;
    let mut context = interruption::context(&client)?;
    if let Some(wait) = args.ensure_wait_ms {
        context = context.with_ensure_wait(Duration::from_millis(wait));
    }
    let print = |response: &CallResponse| {
        let text = if output::is_for_people(global) {
            summary::of_response(operation, &response.view)
        } else {
            output::json_text(&response.view)
        };
        // Any response is a success.
        output::write_response(operation, Outcome::Executed, text.as_bytes())
            .map_err(|failure| identified(failure, operation, &request, &response.view))?;
        args.qr.as_ref().map_or(Ok(()), |picture| picture.write(operation, &response.view))
    };
    match by_name::call(&client, action, &request, &context) {
        Ok(response) => print(&response)?,
        Err(error) => {
            let advice = request::advice(operation, args, &request, &error);
            let failure = interruption::failure(error, print);
            return Err(advice.iter().fold(failure, |failure, it| failure.with_advice(it)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Adds the names that find the operation again: its reference, and the
/// service's own.
fn identified(failure: Failure, operation: Operation, request: &[u8], view: &Json) -> Failure {
    if operation.is_read_only() {
        return failure;
    }
    let request = Json::parse(request).unwrap_or_default();
    let references = operation.definition().reference.iter();
    let reference = references.filter_map(|it| request.pointer(it)?.as_str()).next();
    let known = [("reference", reference)].into_iter();
    let of_view = |(member, name)| (member, view.get(name).and_then(Json::as_str));
    let known = known.chain([("payment_hash", "hash"), ("uid", "uid")].map(of_view));
    known
        .filter(|(_, value)| value.is_some())
        .fold(failure, |failure, (member, value)| failure.with_member(member, value))
}
