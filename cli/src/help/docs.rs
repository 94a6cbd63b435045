//! `payments completions` and `payments man`.

use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap_complete::Shell;
use payments_core::ErrorCode;

use crate::args::Cli;
use crate::output;
use crate::process::failure::Failure;

/// Prints the completion script for a shell.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "payments", &mut script);
    output::write_text(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes one man page for the command and one for each subcommand.
///
/// # Errors
/// The folder or a page cannot be written.
pub(crate) fn man_pages(folder: &Path) -> Result<ExitCode, Failure> {
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|error| {
        let message =
            format!("could not write man pages to {folder:?} ({error}); name another folder");
        Failure::io(ErrorCode::FILE_UNWRITABLE, message)
    })?;
    Ok(ExitCode::SUCCESS)
}
