//! Opens pages in the user's browser.

use std::process::{Command, Stdio};

/// The platform's command for opening a URL, with its arguments.
const OPENER: &[&str] = if cfg!(target_os = "macos") {
    &["open"]
} else if cfg!(windows) {
    &["rundll32", "url.dll,FileProtocolHandler"]
} else {
    &["xdg-open"]
};

/// Opens `url` without waiting for the browser. The URL must be one that the
/// command made: it is not validated.
///
/// # Errors
/// The message if the opener cannot be started.
pub(crate) fn open(url: &str) -> Result<(), String> {
    let (program, arguments) = OPENER.split_first().unwrap_or((&"xdg-open", &[]));
    let mut command = Command::new(program);
    command.args(arguments).arg(url);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command
        .spawn()
        .map_err(|error| format!("could not run {program} ({error}); open {url} yourself"))?;
    // Reap the child when it exits.
    std::thread::spawn(move || child.wait());
    Ok(())
}
