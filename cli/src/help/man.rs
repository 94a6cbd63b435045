//! `payments man`: the manual pages, made of the help texts.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use payments_core::ErrorCode;
use payments_host::commands::EXIT_CODES;

use crate::args::Cli;
use crate::process::failure::Failure;

/// The commands of a page, by what they are for. Those that are not named are
/// operations.
const GROUPS: [(&str, &[&str]); 5] = [
    ("START", &["demo", "sandbox", "check", "explain"]),
    ("KEYS AND SIGNATURES", &["keygen", "sign", "verify", "doctor"]),
    (OPERATIONS, &["ensure-payment", "create-payouts", "follow", "journal"]),
    ("OWN REQUESTS", &["prepare", "send", "token"]),
    ("SHELL", &["completions", "man"]),
];
const OPERATIONS: &str = "PAYMENTS AND PAYOUTS";

/// The sections that paragraphs of a help text begin, by their first words.
const SECTIONS: [(&str, &str); 5] = [
    ("Configuration: ", "CONFIGURATION"),
    ("Exit codes:", EXIT_STATUS),
    ("Example:", "EXAMPLES"),
    ("Examples:", "EXAMPLES"),
    ("The request as JSON ", "REQUEST"),
];
const EXIT_STATUS: &str = "EXIT STATUS";
/// The section of other paragraphs.
const NOTES: &str = "NOTES";

/// Writes one man page for the command and one for each subcommand.
///
/// # Errors
/// The folder or a page cannot be written.
pub(crate) fn run(folder: &Path) -> Result<ExitCode, Failure> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let written = std::fs::create_dir_all(folder).and_then(|()| write(&root, &[], folder));
    written.map_err(|error| {
        let message =
            format!("could not write man pages to {folder:?} ({error}); name another folder");
        Failure::io(ErrorCode::FILE_UNWRITABLE, message)
    })?;
    Ok(ExitCode::SUCCESS)
}

fn write(command: &Command, parents: &[&Command], folder: &Path) -> io::Result<()> {
    let with_this = [parents, &[command]].concat();
    for inner in command.get_subcommands() {
        write(inner, &with_this, folder)?;
    }
    let mut file = std::fs::File::create(folder.join(format!("{}.1", name_of(command))))?;
    file.write_all(&page(command, parents)?)?;
    file.flush()
}

/// The name of a page.
fn name_of(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn page(command: &Command, parents: &[&Command]) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone());
    let title = name_of(command).to_uppercase();
    let version = env!("CARGO_PKG_VERSION");
    let mut page = Vec::new();
    // The crate leaves out the empty date, and the others take its place.
    writeln!(page, r#".TH "{title}" 1 "" "payments {version}" "Manual of payments""#)?;
    man.render_name_section(&mut page)?;
    synopsis(command).to_writer(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    for (heading, commands) in groups(command) {
        let mut roff = Roff::new();
        roff.control("SH", [heading]);
        for inner in commands {
            roff.control("TP", []);
            roff.text([bold(format!("{}(1)", name_of(inner)))]);
            roff.text([roman(inner.get_about().map(ToString::to_string).unwrap_or_default())]);
        }
        roff.to_writer(&mut page)?;
    }
    sections(command).to_writer(&mut page)?;
    see_also(command, parents).to_writer(&mut page)?;
    Ok(page)
}

/// The command with its options and their values, those of all commands last.
fn synopsis(command: &Command) -> Roff {
    let mut line = vec![bold(command.get_bin_name().unwrap_or_else(|| command.get_name()))];
    let shown = || command.get_arguments().filter(|it| !it.is_hide_set());
    let own = shown().filter(|it| it.get_help_heading().is_none() && !it.is_positional());
    own.for_each(|it| push_argument(&mut line, it));
    command.get_positionals().for_each(|it| push_argument(&mut line, it));
    if command.has_subcommands() {
        line.extend([roman(" "), italic("COMMAND")]);
    }
    let global = shown().filter(|it| it.get_help_heading().is_some());
    global.for_each(|it| push_argument(&mut line, it));
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    roff.text(line);
    roff
}

fn push_argument(line: &mut Vec<Inline>, argument: &Arg) {
    let names = argument.get_value_names().unwrap_or_default();
    let values: Vec<_> = names.iter().map(|it| italic(it.as_str())).collect();
    let (start, end) = if argument.is_required_set() { (" ", "") } else { (" [", "]") };
    line.push(roman(start));
    if let Some(long) = argument.get_long() {
        line.push(bold(format!("--{long}")));
        if argument.get_action().takes_values() {
            line.push(roman(" "));
        }
    }
    if argument.get_action().takes_values() {
        line.extend(values);
    }
    line.push(roman(end));
    if matches!(argument.get_action(), ArgAction::Append) {
        line.push(roman("..."));
    }
}

/// The subcommands, by what they are for; under one heading where all are alike.
fn groups(command: &Command) -> Vec<(&'static str, Vec<&Command>)> {
    let mut all: Vec<_> = command.get_subcommands().collect();
    all.sort_by_key(|it| it.get_display_order());
    if command.get_name() != "payments" {
        return if all.is_empty() { Vec::new() } else { vec![("COMMANDS", all)] };
    }
    let of_group = |heading| all.iter().copied().filter(move |it| group_of(it) == heading);
    GROUPS.iter().map(|(heading, _)| (*heading, of_group(*heading).collect())).collect()
}

fn group_of(command: &Command) -> &'static str {
    let has = |(_, names): &&(_, &[&str])| names.contains(&command.get_name());
    GROUPS.iter().find(has).map_or(OPERATIONS, |(heading, _)| heading)
}

/// The help text after the options, and the exit codes.
fn sections(command: &Command) -> Roff {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut sections: Vec<(&str, Vec<String>)> = Vec::new();
    for paragraph in text.split("\n\n") {
        let begun = SECTIONS.iter().find(|(start, _)| paragraph.starts_with(start));
        let (start, heading) = begun.copied().unwrap_or(("", NOTES));
        // The paragraph after the request belongs to it.
        let last = sections.last_mut().filter(|(last, _)| begun.is_none() && *last == "REQUEST");
        let is_title = start.ends_with(':');
        let body = if is_title { paragraph[start.len()..].trim_matches('\n') } else { paragraph };
        match last {
            Some((_, body_of_last)) => body_of_last.push(body.to_owned()),
            None => match sections.iter_mut().find(|(known, _)| *known == heading) {
                Some((_, known)) => known.push(body.to_owned()),
                None => sections.push((heading, vec![body.to_owned()])),
            },
        }
    }
    if sections.iter().all(|(heading, _)| *heading != EXIT_STATUS) {
        let codes = [(0, "done")].into_iter().chain(EXIT_CODES);
        let codes: Vec<_> = codes.map(|(code, meaning)| format!("  {code}  {meaning}")).collect();
        sections.push((EXIT_STATUS, vec![codes.join("\n")]));
    }
    sections.sort_by_key(|(heading, _)| *heading == "EXAMPLES");
    let mut roff = Roff::new();
    for (heading, paragraphs) in sections {
        roff.control("SH", [heading]);
        for paragraph in paragraphs {
            // As it is wrapped already.
            roff.control("nf", []);
            roff.text([roman(paragraph)]);
            roff.control("fi", []);
            roff.control("PP", []);
        }
    }
    roff
}

/// The pages around this one, and those of its group.
fn see_also(command: &Command, parents: &[&Command]) -> Roff {
    let mut names: Vec<_> = parents.iter().map(|it| name_of(it)).collect();
    let siblings = parents.last().into_iter().flat_map(|it| it.get_subcommands());
    let group = group_of(command);
    let is_near = |it: &&Command| parents.len() > 1 || group_of(it) == group;
    let is_other = |it: &&Command| it.get_name() != command.get_name();
    names.extend(siblings.filter(is_near).filter(is_other).map(name_of));
    names.extend(command.get_subcommands().map(name_of));
    let names = names.into_iter().map(|name| [bold(name), roman("(1)")]).collect::<Vec<_>>();
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]);
    roff.text(names.join(&roman(", ")));
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_commands_that_exist_once() {
        let root = Cli::command();
        let mut named = Vec::new();
        for name in GROUPS.iter().flat_map(|(_, names)| *names) {
            assert!(root.find_subcommand(name).is_some() && !named.contains(name), "{name}");
            named.push(name);
        }
    }

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
