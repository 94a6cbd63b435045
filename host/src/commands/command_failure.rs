//! Why a command failed.

use payments_core::error::{Error, ErrorCode, Outcome, help_of};
use payments_core::json::{Json, Members};

use super::exit_codes::{EXIT_UNKNOWN, EXIT_USAGE, exit_code};

/// A report for standard error, and an exit code.
#[derive(Clone, Debug)]
pub struct CommandFailure {
    /// As an error's, as an object.
    pub report: Members,
    /// The exit code.
    pub exit_code: u8,
}

impl CommandFailure {
    /// The arguments, or a file that they name, make no sense.
    pub(super) fn usage(code: ErrorCode, message: impl Into<String>) -> Self {
        let report = Members::from([
            ("kind", "usage".to_owned()),
            ("code", code.as_str().to_owned()),
            ("message", message.into()),
            ("outcome", Outcome::NotExecuted.as_str().to_owned()),
            ("help", help_of(code)),
        ]);
        Self { report, exit_code: EXIT_USAGE }
    }

    /// A line of JSON. The service's own message may repeat payer data.
    pub(crate) fn to_line(&self) -> String {
        let mut report = self.report.clone();
        report.remove("service_message");
        Json::from(report).to_text() + "\n"
    }
}

impl From<Error> for CommandFailure {
    fn from(error: Error) -> Self {
        let exit_code = exit_code_of(&error);
        let report = match error.to_json() {
            Json::Object(report) => report,
            _ => Members::new(),
        };
        Self { report, exit_code }
    }
}

/// The exit code of a command that failed with `error`.
pub fn exit_code_of(error: &Error) -> u8 {
    match error.code() {
        ErrorCode::RECOVERY_RUNNING | ErrorCode::FOLLOWING => EXIT_UNKNOWN,
        _ => exit_code(error.kind().as_str(), error.outcome()),
    }
}
