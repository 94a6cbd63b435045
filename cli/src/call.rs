//! The subcommands of the operations.

use std::process::ExitCode;

use payments_core::{CallResponse, Operation, Outcome, bridge};

use crate::args::Global;
use crate::failure::Failure;
use crate::operation_args::OperationArgs;
use crate::{interruption, output, qr, request, settings, startup, summary};

/// Performs an operation and prints its response.
///
/// # Errors
/// As the operation; `usage` if the arguments give no request.
pub(crate) fn run(
    global: &Global,
    operation: Operation,
    args: &OperationArgs,
) -> Result<ExitCode, Failure> {
    startup::check_output_for(operation)?;
    let client = settings::client(global)?;
    let text = request::read(operation, args)?;
    if let Some(file) = &args.qr {
        qr::check_folder(file)?;
    }
    let context = interruption::context(&client)?;
    let print = |response: &CallResponse| {
        let text = if output::is_for_people(global) {
            summary::of_response(operation, &response.view)
        } else {
            output::json_text(&response.view)
        };
        // Whatever was read is a success.
        output::write_response(operation, Outcome::Executed, text.as_bytes())?;
        args.qr.as_deref().map_or(Ok(()), |file| qr::write(operation, &response.view, file))
    };
    match bridge::call(&client, operation.name(), &text, &context) {
        Ok(response) => print(&response)?,
        Err(error) => {
            let advice = request::advice(operation, args, &text, &error);
            let failure = interruption::failure(error, print);
            return Err(advice.iter().fold(failure, |failure, it| failure.with_advice(it)));
        }
    }
    Ok(ExitCode::SUCCESS)
}
