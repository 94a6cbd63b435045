//! Opens pages in the user's browser.

use std::process::{Command, Stdio};

use crate::failure::Failure;

/// The program that opens an address on this system, with its arguments.
const OPENER: &[&str] = if cfg!(target_os = "macos") {
    &["open"]
} else if cfg!(windows) {
    &["rundll32", "url.dll,FileProtocolHandler"]
} else {
    &["xdg-open"]
};

/// Opens `url`, which must be one of our own. Does not wait for the browser.
///
/// # Errors
/// The system has no program for it.
pub(crate) fn open(url: &str) -> Result<(), Failure> {
    let (program, arguments) = OPENER.split_first().unwrap_or((&"xdg-open", &[]));
    let mut command = Command::new(program);
    command.args(arguments).arg(url);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| {
        let message = format!("could not run {program} ({error}); open {url} yourself");
        Failure::io("browser_not_opened", message)
    })?;
    // Reaped when it ends.
    std::thread::spawn(move || child.wait());
    Ok(())
}
