//! Why a command failed.

use payments_core::error::{Error, ErrorCode, Outcome, Reason, help_of};
use payments_core::json::{Json, Members};

use super::exit_codes::{EXIT_UNKNOWN, exit_code};
use super::failure_text::text_of_failure;

/// A report for standard error, and an exit code.
#[derive(Clone, Debug)]
pub struct CommandFailure {
    /// The report, like that of an error, as an object.
    pub report: Members,
    /// The exit code.
    pub exit_code: u8,
    /// The reason, if an error has one.
    #[doc(hidden)]
    pub reason: Option<Reason>,
    /// Whether the message is of an error, and repeats that of the service.
    #[doc(hidden)]
    pub shows_service_message: bool,
}

impl CommandFailure {
    /// The arguments, or a file that they name, make no sense.
    pub(super) fn usage(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::local("usage", code, message.into())
    }

    /// Standard output could not be written.
    pub fn output(reason: &str) -> Self {
        let message =
            format!("could not write to standard output ({reason}); redirect it elsewhere");
        Self::local("io", ErrorCode::OUTPUT_FAILED, message)
    }

    /// Standard output, to which `what` would be written, is closed.
    pub fn output_closed(what: &str) -> Self {
        let message = format!(
            "standard output is closed or not writable, so {what} would be lost; redirect it to a \
             file, or to /dev/null if you do not need it"
        );
        Self::usage(ErrorCode::OUTPUT_FAILED, message)
    }

    /// Failures that only commands have. Nothing was executed.
    fn local(kind: &str, code: ErrorCode, message: String) -> Self {
        let outcome = Outcome::NotExecuted;
        let report = Members::from([
            ("kind", kind.to_owned()),
            ("code", code.as_str().to_owned()),
            ("message", message),
            ("outcome", outcome.as_str().to_owned()),
            ("help", help_of(code)),
        ]);
        let exit_code = exit_code(kind, outcome);
        Self { report, exit_code, reason: None, shows_service_message: false }
    }

    /// Names the command of a package, such as `npx libpayments explain`, in `help`.
    pub(crate) fn explained_by(mut self, explain: Option<&str>) -> Self {
        let code = self.report.get("code").and_then(Json::as_str);
        let help = explain.zip(code).map(|(explain, code)| format!("{explain} {code}"));
        if let Some(help) = help {
            self.report.set("help", help);
        }
        self
    }

    /// Its output, and its exit code.
    pub(crate) fn printed(&self) -> Json {
        let mut output = Members::from([("stdout", "")]);
        self.push_texts(&mut output);
        output.push("exit_code", u64::from(self.exit_code));
        output.into()
    }

    /// Appends what goes to standard error: `stderr`, a line of JSON, and `stderr_text` for a
    /// terminal. The service's own message may repeat payer data.
    pub(crate) fn push_texts(&self, output: &mut Members) {
        let mut report = self.report.clone();
        if !self.shows_service_message {
            report.remove("service_message");
        }
        let help = report.get("help").and_then(Json::as_str).map(str::to_owned);
        let text = text_of_failure(&report, help.as_slice(), str::to_owned);
        output.push("stderr", Json::from(report).to_text() + "\n");
        output.push("stderr_text", text);
    }
}

impl From<Error> for CommandFailure {
    fn from(error: Error) -> Self {
        let exit_code = exit_code_of(&error);
        let reason = error.reason();
        let shows_service_message = error.shows_service_message();
        let report = match error.to_json() {
            Json::Object(report) => report,
            _ => Members::new(),
        };
        Self { report, exit_code, reason, shows_service_message }
    }
}

/// The exit code of a command that failed with `error`.
pub fn exit_code_of(error: &Error) -> u8 {
    match error.reason() {
        Some(Reason::AlreadyRunning) => EXIT_UNKNOWN,
        _ => exit_code(error.kind().as_str(), error.outcome()),
    }
}
