//! Standard output: responses and text for people. Failures of a terminal.

pub(crate) mod confirm;
pub(crate) mod failures;
pub(crate) mod qr;
pub(crate) mod summary;

use std::io::{self, IsTerminal, Write as _};

use payments_core::json::Json;
use payments_core::{Operation, Outcome};
use payments_host::commands::CommandFailure;
pub(crate) use payments_host::commands::without_controls;

use crate::args::Global;
use crate::process::failure::Failure;
use crate::process::pretty;

/// Whether standard output is a terminal and `--json` was not given.
pub(crate) fn is_for_people(global: &Global) -> bool {
    !global.json && io::stdout().is_terminal()
}

/// Writes bytes and flushes.
///
/// # Errors
/// The stream is closed or full.
pub(crate) fn write(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Writes the response of a call.
///
/// # Errors
/// The response could not be written; `outcome` is its outcome. Unless the call
/// was read-only, the caller must find out what was executed.
pub(crate) fn write_response(
    operation: Operation,
    outcome: Outcome,
    bytes: &[u8],
) -> Result<(), Failure> {
    let lost = ["response", "standard output"];
    write(bytes).map_err(|error| Failure::response_lost(operation, outcome, lost, &error))
}

/// Writes output that did not need a call.
///
/// # Errors
/// It could not be written.
pub(crate) fn write_text(text: &str) -> Result<(), Failure> {
    let failed = |error: io::Error| CommandFailure::output(&error.to_string()).into();
    write(text.as_bytes()).map_err(failed)
}

/// Like [`write_text`], for what can be printed again: a reader that has enough of it, such as
/// `head`, ends the command quietly.
///
/// # Errors
/// It could not be written.
pub(crate) fn write_list(text: &str) -> Result<(), Failure> {
    write(text.as_bytes()).map_err(|error| not_listed(&error, CommandFailure::output))
}

/// Why a list was not written, by `failure` unless the reader has enough of it.
pub(crate) fn not_listed<F: Into<Failure>>(
    error: &io::Error,
    failure: impl FnOnce(&str) -> F,
) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::reader_left(),
        _ => failure(&error.to_string()).into(),
    }
}

/// Like [`write_text`]. If standard output is a file, the text is on the disk when this
/// returns; elsewhere that is for the reader to do.
///
/// # Errors
/// It could not be written.
pub(crate) fn write_lasting(text: &str) -> Result<(), Failure> {
    let failed = |error: io::Error| CommandFailure::output(&error.to_string()).into();
    write(text.as_bytes()).and_then(|()| sync_file()).map_err(failed)
}

#[cfg(unix)]
fn sync_file() -> io::Result<()> {
    use std::os::fd::AsFd as _;

    let output = std::fs::File::from(io::stdout().as_fd().try_clone_to_owned()?);
    if output.metadata()?.is_file() { output.sync_data() } else { Ok(()) }
}

/// There are no state files that would depend on it.
#[cfg(not(unix))]
fn sync_file() -> io::Result<()> {
    Ok(())
}

/// Writes a line for people to standard error. If that fails, it cannot be
/// reported anywhere.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "payments: {}", without_controls(text));
}

/// Whether a person reads notes as they come.
pub(crate) fn is_stderr_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Whether standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// JSON on one line, or indented on a terminal.
pub(crate) fn json_text(json: &Json) -> String {
    let mut text = if io::stdout().is_terminal() { pretty::indented(json) } else { json.to_text() };
    text.push('\n');
    text
}

/// Colors, if a stream is a terminal that supports them and `NO_COLOR` is not set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    is_coloured: bool,
}

impl Style {
    pub(crate) fn of_stdout() -> Self {
        Self::of(&io::stdout())
    }

    pub(crate) fn of(stream: &impl IsTerminal) -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { is_coloured: stream.is_terminal() && !is_set("NO_COLOR") && !is_dumb }
    }

    #[cfg(test)]
    pub(crate) const fn plain() -> Self {
        Self { is_coloured: false }
    }

    pub(crate) const fn is_coloured(self) -> bool {
        self.is_coloured
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.painted("1", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.painted("32", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.painted("2", text)
    }

    fn painted(self, code: &str, text: &str) -> String {
        if self.is_coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_escape_codes() {
        assert_eq!(Style::plain().bold("a"), "a");
    }
}
