//! Opens pages in the user's browser.

use std::process::{Command, Stdio};

use payments_core::ErrorCode;

use crate::failure::Failure;

/// The platform's command for opening a URL, with its arguments.
const OPENER: &[&str] = if cfg!(target_os = "macos") {
    &["open"]
} else if cfg!(windows) {
    &["rundll32", "url.dll,FileProtocolHandler"]
} else {
    &["xdg-open"]
};

/// Opens `url` without waiting for the browser. The URL must be one of our
/// own: it is not validated.
///
/// # Errors
/// The opener cannot be started.
pub(crate) fn open(url: &str) -> Result<(), Failure> {
    let (program, arguments) = OPENER.split_first().unwrap_or((&"xdg-open", &[]));
    let mut command = Command::new(program);
    command.args(arguments).arg(url);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| {
        let message = format!("could not run {program} ({error}); open {url} yourself");
        Failure::io(ErrorCode::BROWSER_NOT_OPENED, message)
    })?;
    // Reap the child when it exits.
    std::thread::spawn(move || child.wait());
    Ok(())
}
