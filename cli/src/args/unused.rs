//! Refuses global options that a command would ignore.

use payments_core::ErrorCode;

use crate::args::journal::JournalCommand;
use crate::args::{Command, Global, Tool};
use crate::process::failure::Failure;

/// Refuses an option that has no effect on the command, since its user expects
/// one.
///
/// # Errors
/// `usage`, with the option.
pub(crate) fn refuse(global: &Global, command: &Command) -> Result<(), Failure> {
    let name = match command {
        Command::Operation(..) | Command::EnsurePayment(_) | Command::Prepare(_) => return Ok(()),
        Command::Tool(tool) => match without_client(tool) {
            Some(name) => name,
            None => return Ok(()),
        },
    };
    let signs = name == "sign";
    let given = [
        ("--config", global.config.is_some()),
        ("--with-env", global.with_env),
        ("--timeout-ms", global.timeout_ms.is_some() && !signs),
        ("--show-service-message", global.show_service_message),
        ("--verbose", global.verbose),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::usage(
            ErrorCode::INVALID_ARGUMENTS,
            format!("payments {name} does not use {option}; leave it out"),
        )),
    }
}

/// The name of a tool that makes no client of the configuration.
fn without_client(tool: &Tool) -> Option<&'static str> {
    match tool {
        Tool::Demo { .. } => Some("demo"),
        Tool::Sandbox(_) => Some("sandbox"),
        Tool::Keygen { .. } => Some("keygen"),
        Tool::Sign(_) => Some("sign"),
        Tool::Verify(_) => Some("verify"),
        Tool::Doctor(_) => Some("doctor"),
        Tool::Explain { .. } => Some("explain"),
        Tool::Completions { .. } => Some("completions"),
        Tool::Man { .. } => Some("man"),
        Tool::Journal(JournalCommand::Create { .. }) => Some("journal create"),
        Tool::Journal(JournalCommand::Adopt { .. }) => Some("journal adopt"),
        Tool::Send(_)
        | Tool::Follow(_)
        | Tool::Journal(_)
        | Tool::CreatePayouts(_)
        | Tool::Token(_)
        | Tool::Check(_) => None,
    }
}
