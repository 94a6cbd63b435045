//! The global options that have no effect on a command: its help does not show
//! them, and they are refused.

use clap::{Arg, Args as _};
use payments_core::ErrorCode;

use crate::args::journal::JournalCommand;
use crate::args::{Command, Global, Tool};
use crate::process::failure::Failure;

const CONFIG: &str = "config";
const WITH_ENV: &str = "with_env";
const TIMEOUT: &str = "timeout_ms";
const SERVICE_MESSAGE: &str = "show_service_message";
const VERBOSE: &str = "verbose";
/// It chooses the form of failures too, so it is never refused.
const JSON: &str = "json";

/// The options without an effect on the command with this name, such as `journal
/// create`.
fn unused_by(name: &str) -> &'static [&'static str] {
    match name {
        "completions" | "man" => &[CONFIG, WITH_ENV, TIMEOUT, SERVICE_MESSAGE, VERBOSE, JSON],
        "demo" | "sandbox" | "keygen" | "verify" | "doctor" | "explain" | "journal create"
        | "journal upgrade" => &[CONFIG, WITH_ENV, TIMEOUT, SERVICE_MESSAGE, VERBOSE],
        "journal adopt" => &[TIMEOUT, SERVICE_MESSAGE, VERBOSE],
        "sign" => &[CONFIG, WITH_ENV, SERVICE_MESSAGE, VERBOSE],
        // They ask the service nothing that it refuses with a message.
        "check" | "token" | "prepare" | "journal list" | "journal show" | "journal prune"
        | "journal resolve" => &[SERVICE_MESSAGE],
        _ => &[],
    }
}

/// The command whose help, and that of its subcommands, shows no option without an
/// effect.
pub(crate) fn hidden(command: clap::Command) -> clap::Command {
    hidden_in(command, "")
}

fn hidden_in(command: clap::Command, path: &str) -> clap::Command {
    command.mut_subcommands(|inner| {
        let path = format!("{path} {}", inner.get_name()).trim_start().to_owned();
        let name = if path.starts_with("prepare ") { "prepare" } else { &path };
        let unused = |it: &&Arg| unused_by(name).contains(&it.get_id().as_str());
        let global = Global::augment_args(clap::Command::new("global"));
        let hidden = global.get_arguments().filter(unused).map(|it| it.clone().hide(true));
        hidden_in(inner.args(hidden), &path)
    })
}

/// Refuses an option that has no effect on the command, since its user expects
/// one.
///
/// # Errors
/// `usage`, with the option.
pub(crate) fn refuse(global: &Global, command: &Command) -> Result<(), Failure> {
    let Some(name) = name_of(command) else { return Ok(()) };
    let given = [
        (CONFIG, "--config", global.config.is_some()),
        (WITH_ENV, "--with-env", global.with_env),
        (TIMEOUT, "--timeout-ms", global.timeout_ms.is_some()),
        (SERVICE_MESSAGE, "--show-service-message", global.show_service_message),
        (VERBOSE, "--verbose", global.verbose),
    ];
    let unused = unused_by(name);
    match given.into_iter().find(|(id, _, is_given)| *is_given && unused.contains(id)) {
        None => Ok(()),
        Some((_, option, _)) => Err(Failure::usage(
            ErrorCode::INVALID_ARGUMENTS,
            format!("payments {name} does not use {option}; leave it out"),
        )),
    }
}

/// The name of a command, unless it uses all options.
fn name_of(command: &Command) -> Option<&'static str> {
    let tool = match command {
        Command::Prepare(_) => return Some("prepare"),
        Command::Operation(..) | Command::EnsurePayment(_) => return None,
        Command::Tool(tool) => tool,
    };
    match tool {
        Tool::Demo { .. } => Some("demo"),
        Tool::Sandbox(_) => Some("sandbox"),
        Tool::Keygen { .. } => Some("keygen"),
        Tool::Sign(_) => Some("sign"),
        Tool::Verify(_) => Some("verify"),
        Tool::Doctor(_) => Some("doctor"),
        Tool::Explain { .. } => Some("explain"),
        Tool::Completions { .. } => Some("completions"),
        Tool::Man { .. } => Some("man"),
        Tool::Check(_) => Some("check"),
        Tool::Token(_) => Some("token"),
        Tool::Journal(JournalCommand::Create { .. }) => Some("journal create"),
        Tool::Journal(JournalCommand::Upgrade { .. }) => Some("journal upgrade"),
        Tool::Journal(JournalCommand::Adopt { .. }) => Some("journal adopt"),
        Tool::Journal(JournalCommand::List { .. }) => Some("journal list"),
        Tool::Journal(JournalCommand::Show { .. }) => Some("journal show"),
        Tool::Journal(JournalCommand::Prune { .. }) => Some("journal prune"),
        Tool::Journal(JournalCommand::Resolve { .. }) => Some("journal resolve"),
        Tool::Journal(JournalCommand::Recover { .. })
        | Tool::Send(_)
        | Tool::Follow(_)
        | Tool::CreatePayouts(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::*;
    use crate::args::Cli;

    /// The commands below, with their paths.
    fn all(command: &clap::Command, path: &[String]) -> Vec<(Vec<String>, clap::Command)> {
        let inner = command.get_subcommands().filter(|it| it.get_name() != "help");
        inner
            .flat_map(|it| {
                let path = [path, &[it.get_name().to_owned()]].concat();
                [vec![(path.clone(), it.clone())], all(it, &path)].concat()
            })
            .collect()
    }

    #[test]
    fn an_option_is_shown_by_each_command_that_uses_it_and_no_other() {
        let mut root = Cli::command();
        root.build();
        for (path, command) in all(&root, &[]) {
            let shown =
                |id: &str| command.get_arguments().any(|it| it.get_id() == id && !it.is_hide_set());
            let name = if path[0] == "prepare" { "prepare".to_owned() } else { path.join(" ") };
            for id in [CONFIG, WITH_ENV, TIMEOUT, SERVICE_MESSAGE, VERBOSE, JSON] {
                let is_used = !unused_by(&name).contains(&id);
                assert_eq!(shown(id), is_used, "{path:?} {id}");
            }
        }
    }

    #[test]
    fn a_hidden_option_is_refused_by_name() {
        for (line, option) in [
            ("keygen --out keys --config a", "--config"),
            ("--config a keygen --out keys", "--config"),
            ("journal create a --verbose", "--verbose"),
            ("journal list --show-service-message", "--show-service-message"),
            ("prepare query-payment 5a --show-service-message", "--show-service-message"),
            ("check --show-service-message", "--show-service-message"),
        ] {
            let cli = Cli::parse_from(["payments"].into_iter().chain(line.split(' ')));
            let failure = refuse(&cli.global, &cli.command).unwrap_err();
            assert!(failure.text("message").unwrap().contains(option), "{line}: {failure:?}");
        }
        for line in
            ["man --out a --json", "sign --key a --kid k --timeout-ms 5", "send GET /ws/a -v"]
        {
            let cli = Cli::parse_from(["payments"].into_iter().chain(line.split(' ')));
            assert!(refuse(&cli.global, &cli.command).is_ok(), "{line}");
        }
    }
}
