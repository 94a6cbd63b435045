//! Failures: a report, which is one JSON object on standard error, and an exit code.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind as ClapErrorKind};
use payments_base::spelling::nearest;
use payments_core::ErrorCode;
use payments_core::error::{Reason, help_of};
use payments_core::json::{Json, Members};
use payments_core::{Error, Operation, Outcome};
use payments_host::commands::{CommandFailure, exit_code, exit_code_of};
pub(crate) use payments_host::commands::{EXIT_FAILED, EXIT_UNKNOWN, EXIT_USAGE};

use crate::process::{self, pretty};

/// Why the command failed: a JSON report and an exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    report: Members,
    exit: u8,
    /// The reason of an error.
    reason: Option<Reason>,
    /// Whether the service's message is shown without being asked for.
    shows_service_message: bool,
}

impl Failure {
    /// The command line asks for something impossible.
    pub(crate) fn usage(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::local("usage", code, message.into(), Outcome::NotExecuted)
    }

    pub(crate) fn is_of_kind(&self, kind: &str) -> bool {
        self.report.get("kind").and_then(Json::as_str) == Some(kind)
    }

    /// A file or stream could not be read or written. Nothing was executed.
    pub(crate) fn io(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::local("io", code, message.into(), Outcome::NotExecuted)
    }

    /// The call is complete, but `lost`, its response or its QR code, could not
    /// be written to `place`.
    pub(crate) fn response_lost(
        operation: Operation,
        outcome: Outcome,
        [lost, place]: [&str; 2],
        error: &std::io::Error,
    ) -> Self {
        let message = format!(
            "the call is complete, but its {lost} could not be written to {place} ({error})"
        );
        if operation.is_read_only() {
            return Self::io(ErrorCode::RESPONSE_LOST, message);
        }
        Self::local("io", ErrorCode::RESPONSE_LOST, message, outcome)
            .with_member("operation", operation.name())
            .with_member("advice", outcome.advice(operation).map(process::in_own_words))
    }

    /// The payouts of a batch were sent, but its report could not be written.
    pub(crate) fn report_lost(outcome: Outcome, error: &std::io::Error) -> Self {
        let message = format!(
            "the batch has ended, but its report could not be written to standard output ({error})"
        );
        Self::local("io", ErrorCode::RESPONSE_LOST, message, outcome).with_member(
            "advice",
            "run the same command again, which reports on each line and sends no payout twice",
        )
    }

    /// The reader of standard output has enough of a list. That is no failure to report.
    pub(crate) const fn reader_left() -> Self {
        Self { report: Members::new(), exit: 0, reason: None, shows_service_message: false }
    }

    /// Whether there is something to report.
    pub(crate) fn is_reported(&self) -> bool {
        !self.report.is_empty()
    }

    /// A step of the demo did not get the expected result.
    pub(crate) fn demo(message: impl Into<String>) -> Self {
        Self::local("demo", ErrorCode::INTERNAL_ERROR, message.into(), Outcome::NotExecuted)
    }

    fn local(kind: &str, code: ErrorCode, message: String, outcome: Outcome) -> Self {
        let report = Members::from([
            ("kind", kind.to_owned()),
            ("code", code.to_string()),
            ("message", message),
            ("outcome", outcome.as_str().to_owned()),
            ("help", help_of(code)),
        ]);
        Self { report, exit: exit_code(kind, outcome), reason: None, shows_service_message: false }
    }

    /// Appends what to do to the message.
    pub(crate) fn with_advice(mut self, advice: &str) -> Self {
        if let Some(message) = self.text("message") {
            let message = format!("{message}; {advice}");
            self.report.set("message", message);
        }
        self
    }

    /// Replaces the message.
    pub(crate) fn with_message(mut self, message: &str) -> Self {
        self.report.set("message", message);
        self
    }

    /// The value of a text member of the report.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.report.get(name).and_then(Json::as_str)
    }

    /// Adds a member to the report.
    pub(crate) fn with_member(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.report.set(name, value);
        self
    }

    /// Removes the service's own message, since it may repeat payer data or a
    /// token. The message of a refusal then says how to see it.
    pub(crate) fn without_service_message(mut self) -> Self {
        if self.shows_service_message {
            return self;
        }
        let removed = self.report.remove("service_message");
        match (removed, self.reason) {
            (Some(Json::String(_)), Some(Reason::Refused)) => self.with_advice(
                "--show-service-message shows the service's message, which may repeat payer data",
            ),
            _ => self,
        }
    }

    pub(crate) const fn members(&self) -> &Members {
        &self.report
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit)
    }

    /// Writes the report as JSON and returns the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let exit_code = self.exit_code();
        let mut stderr = std::io::stderr().lock();
        let is_terminal = stderr.is_terminal();
        let report = Json::Object(self.report);
        let text = if is_terminal { pretty::without_nulls(&report) } else { report.to_text() };
        // If this fails, it cannot be reported anywhere.
        let _ = writeln!(stderr, "{text}");
        exit_code
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let exit = exit_code_of(&error);
        let reason = error.reason();
        let shows_service_message = error.shows_service_message();
        let report = match in_own_words(error.to_json()) {
            Json::Object(report) => report,
            _ => Members::default(),
        };
        Self { report, exit, reason, shows_service_message }
    }
}

/// Texts for people, with functions as commands and options as arguments.
fn in_own_words(report: Json) -> Json {
    match report {
        Json::String(text) => process::in_own_words(&text).into(),
        Json::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name, in_own_words(value)));
            members.collect::<Members>().into()
        }
        other => other,
    }
}

impl From<CommandFailure> for Failure {
    fn from(failure: CommandFailure) -> Self {
        let CommandFailure { report, exit_code: exit, reason, shows_service_message } = failure;
        Self { report, exit, reason, shows_service_message }
    }
}

/// Handles a command line that clap did not accept: prints the requested help,
/// or reports the usage error.
pub(crate) fn exit_of_usage(error: clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if std::io::stderr().is_terminal() && !wants_json {
        let _ = error.print();
        return ExitCode::from(EXIT_USAGE);
    }
    let message = match error.kind() {
        ClapErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "give a subcommand; see --help".to_owned()
        }
        _ => in_a_line(&error.to_string()),
    };
    Failure::usage(ErrorCode::INVALID_ARGUMENTS, message).report()
}

/// The error with the name that is meant: clap knows only which names look alike.
pub(crate) fn with_meant_name(
    mut error: clap::Error,
    root: &clap::Command,
    arguments: &[String],
) -> clap::Error {
    if let Some(meant) = option_of_payment(&error, root, arguments) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(meant));
        // It names the option that looks alike.
        error.remove(ContextKind::Usage);
    }
    nearest_first(error)
}

/// `--name` for `--payment-name`: options of the members of `payment` have no prefix.
fn option_of_payment(
    error: &clap::Error,
    root: &clap::Command,
    arguments: &[String],
) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let meant = given.strip_prefix("--payment-")?;
    let step = |command, argument: &String| {
        clap::Command::find_subcommand(command, argument).unwrap_or(command)
    };
    let command = arguments.iter().fold(root, step);
    let has_it = command.get_arguments().any(|it| it.get_long() == Some(meant));
    has_it.then(|| format!("--{meant}"))
}

/// The error with the most similar names first. clap has them last.
fn nearest_first(mut error: clap::Error) -> clap::Error {
    let given = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(given)) => given.clone(),
        _ => return error,
    };
    let Some(ContextValue::Strings(names)) = error.get(ContextKind::SuggestedSubcommand) else {
        return error;
    };
    let mut left: Vec<_> = names.iter().rev().cloned().collect();
    let mut sorted = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let next = nearest(&given, left.iter().map(String::as_str)).map(str::to_owned);
        let at = left.iter().position(|name| Some(name) == next.as_ref()).unwrap_or_default();
        sorted.push(left.remove(at));
    }
    error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(sorted));
    error
}

/// Joins the paragraphs of a usage error into one line.
fn in_a_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let paragraphs = text.split("\n\n").filter_map(|paragraph| {
        let words: Vec<_> = paragraph.split_whitespace().collect();
        (!words.is_empty() && words[0] != "For").then(|| words.join(" "))
    });
    paragraphs.chain(["see --help".to_owned()]).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use payments_host::commands::EXIT_EXECUTED;

    use super::*;

    #[test]
    fn exit_codes_follow_outcome_and_kind() {
        assert_eq!(Failure::usage(ErrorCode::FILE_UNREADABLE, "b").exit, EXIT_USAGE);
        assert_eq!(Failure::io(ErrorCode::OUTPUT_FAILED, "b").exit, EXIT_FAILED);
        let full = std::io::Error::other("full");
        let lost = |operation| {
            Failure::response_lost(operation, Outcome::Executed, ["response", "a file"], &full).exit
        };
        assert_eq!(lost(Operation::CreatePayout), EXIT_EXECUTED);
        assert_eq!(lost(Operation::QueryPayment), EXIT_FAILED);
        let config = payments_core::Config::from_json(b"[]").unwrap_err();
        assert_eq!(Failure::from(config).exit, EXIT_USAGE);
    }

    #[test]
    fn advice_follows_the_message() {
        let failure = Failure::usage(ErrorCode::FILE_UNREADABLE, "no file").with_advice("name one");
        assert_eq!(failure.text("message"), Some("no file; name one"));
    }

    #[test]
    fn usage_errors_are_one_line() {
        let text = "error: unexpected argument '--foo'\n\n  tip: it\n is\n\nFor more information\n";
        assert_eq!(in_a_line(text), "unexpected argument '--foo'; tip: it is; see --help");
    }
}
