//! The subcommands of the operations.

use std::process::ExitCode;

use payments_core::json::{Json, Members};
use payments_core::operation::EXTRA;
use payments_core::{CallAnswer, Operation};

use crate::args::Global;
use crate::failure::Failure;
use crate::operation_args::{self, OperationArgs};
use crate::{input, interruption, output, settings, startup, summary};

/// Performs an operation and prints its answer.
///
/// # Errors
/// As the operation; `usage` when it is not clear what the request is.
pub(crate) fn run(
    global: &Global,
    operation: Operation,
    args: &OperationArgs,
) -> Result<ExitCode, Failure> {
    startup::check_output_for(operation)?;
    let client = settings::client(global)?;
    let request = request(operation, args)?;
    let context = interruption::context(&client)?;
    let print = |answer: &CallAnswer| {
        let text = if output::is_for_people(global) {
            summary::of_answer(operation, &answer.view)
        } else {
            output::json_text(&answer.view)
        };
        output::write_answer(operation, text.as_bytes())
    };
    match client.call_json(operation.name(), &request, &context) {
        Ok(answer) => print(&answer)?,
        Err(error) => return Err(interruption::failure(error, print)),
    }
    Ok(ExitCode::SUCCESS)
}

/// The request as JSON text: from a file, from standard input, or made of the
/// members on the command line.
fn request(operation: Operation, args: &OperationArgs) -> Result<Vec<u8>, Failure> {
    let nameless = operation_args::nameless_member(operation);
    let mut members = Members::new();
    match (args.input.as_deref(), nameless) {
        (Some(value), Some(field)) if !input::is_source(value) => {
            members.push(field.name, value);
        }
        (Some(_), _) if has_options(args) => {
            return Err(Failure::usage(
                "request_ambiguous",
                "the request is given as a file and as options; give one of the two",
            ));
        }
        (Some(source), _) => return input::request(source),
        (None, _) if !has_options(args) => {
            return input::piped()?.ok_or_else(|| nothing_given(operation));
        }
        (None, _) => {}
    }
    for (name, value) in &args.members {
        if members.contains(name) {
            return Err(Failure::usage("member_given_twice", format!("{name} is given twice")));
        }
        members.push(*name, value.as_str());
    }
    if let Some(text) = &args.extra {
        let extra = Json::parse(text.as_bytes()).ok().filter(|it| it.as_object().is_some());
        let wrong = "--extra must be a JSON object, for example '{\"installments\": 3}'";
        members.push(EXTRA, extra.ok_or_else(|| Failure::usage("extra_not_an_object", wrong))?);
    }
    Ok(Json::Object(members).to_bytes())
}

fn has_options(args: &OperationArgs) -> bool {
    !args.members.is_empty() || args.extra.is_some()
}

fn nothing_given(operation: Operation) -> Failure {
    let name = operation_args::name_of(operation);
    Failure::usage(
        "request_missing",
        format!(
            "no request is given; name a JSON file, or - for standard input. \
             `payments {name} --help` lists its members"
        ),
    )
}
