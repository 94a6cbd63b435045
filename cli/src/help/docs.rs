//! `payments completions` and `payments man`.

use std::path::Path;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, CommandFactory as _};
use clap_complete::Shell;
use payments_core::ErrorCode;

use crate::args::Cli;
use crate::help::explain;
use crate::output;
use crate::process::failure::Failure;

/// Prints the completion script for a shell.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn completions(shell: Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    let with_codes = |code: Arg| code.value_parser(PossibleValuesParser::new(explain::codes()));
    let mut command =
        Cli::command().mut_subcommand("explain", |explain| explain.mut_arg("code", with_codes));
    clap_complete::generate(shell, &mut command, "payments", &mut script);
    if shell == Shell::Fish {
        // Its generator leaves values without an option out.
        let codes = explain::codes().join(" ");
        let subcommand = "__fish_payments_using_subcommand explain";
        script.extend(
            format!("complete -c payments -n \"{subcommand}\" -f -a \"{codes}\"\n").into_bytes(),
        );
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of the command has a row for each subcommand, with its line of `--help`.
    #[test]
    fn the_page_lists_every_command() {
        let mut expected = Vec::new();
        let command = Cli::command();
        for one in command.get_subcommands().filter(|it| !it.is_hide_set()) {
            expected.push((one.get_name().to_owned(), one.get_about().unwrap().to_string()));
            // Those of `prepare` are the operations again.
            for inner in one.get_subcommands().filter(|_| one.get_name() == "journal") {
                let name = format!("journal {}", inner.get_name());
                expected.push((name, inner.get_about().unwrap().to_string()));
            }
        }
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/getting-started/command.md");
        let page = std::fs::read_to_string(page).unwrap();
        let mut listed: Vec<_> = page
            .lines()
            .filter_map(|line| {
                let (_, rest) = line.strip_prefix('|')?.split_once("`payments ")?;
                let (name, rest) = rest.split_once('`')?;
                let (_, about) = rest.split_once("| ")?;
                Some((name.to_owned(), about.strip_suffix(" |")?.to_owned()))
            })
            .collect();
        expected.sort();
        listed.sort();
        assert_eq!(listed, expected);
    }
}
