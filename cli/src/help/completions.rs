//! `payments completions`.

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, CommandFactory as _};
use clap_complete::Shell;
use payments_host::commands::explained_names;

use crate::args::Cli;
use crate::output;
use crate::process::failure::Failure;

/// Prints the completion script for a shell.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn run(shell: Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    let with_names = |name: Arg| name.value_parser(PossibleValuesParser::new(explained_names()));
    let mut command =
        Cli::command().mut_subcommand("explain", |explain| explain.mut_arg("name", with_names));
    clap_complete::generate(shell, &mut command, "payments", &mut script);
    if shell == Shell::Fish {
        // Its generator leaves values without an option out.
        let names = explained_names().join(" ");
        let subcommand = "__fish_payments_using_subcommand explain";
        script.extend(
            format!("complete -c payments -n \"{subcommand}\" -f -a \"{names}\"\n").into_bytes(),
        );
    }
    output::write_list(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
