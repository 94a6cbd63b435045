//! The arguments of the command line.

pub(crate) mod examples;
pub(crate) mod journal;
pub(crate) mod members;
pub(crate) mod operation;
pub(crate) mod tool;
pub(crate) mod unused;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Parser, Subcommand};
use payments_core::Operation;
use payments_host::commands::EXIT_CODES;

use crate::args::journal::{BatchArgs, JournalCommand};
use crate::args::operation::OperationArgs;
use crate::args::tool::{
    CheckArgs, DoctorArgs, FollowArgs, SandboxArgs, SendArgs, SignArgs, TokenArgs, VerifyArgs,
};

const AFTER_HELP: &str = "\
Configuration: payments.json in this folder, if it exists. Variables such as
PAYMENTS_BASE_URL and PAYMENTS_KEY_FILE, one for each member, override it. With
--config FILE, only that file is read, unless --with-env is given.
PAYMENTS_KEY_FILE, PAYMENTS_CLIENT_SECRET_FILE and PAYMENTS_INTEGRATION_KEY_FILE
name files, so that no variable has to contain a secret.

The command writes responses as JSON to standard output, and a failure as one
JSON object to standard error. On a terminal, unless --json is given, a response
is a summary, and a failure is text with the command to type next.

Exit codes:
  0  done
@EXIT_CODES@
PAYMENTS_LOG=debug does the same as --verbose, in every language.

Ctrl-C, SIGTERM and SIGHUP cancel a call, and the failure says whether it may
have been executed. If the response was complete, the command still prints it,
the failure has \"response_printed\": true, and the exit code is 4.
A second signal ends the command at once. A signal that is ignored (nohup) stays
ignored. If standard output is closed, a command that moves money refuses to
run; >/dev/null is fine.

Examples:
  payments demo
  payments check
  payments query-payment HASH";

fn after_help() -> String {
    let codes = EXIT_CODES.map(|(code, meaning)| format!("  {code}  {meaning}\n"));
    AFTER_HELP.replace("@EXIT_CODES@", &codes.concat())
}

/// Creates, queries and refunds payments, sends payouts, registers tracking codes
#[derive(Parser, Debug)]
#[command(name = "payments", version, after_help = after_help(), max_term_width = 80)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Args, Debug)]
pub(crate) struct Global {
    /// Configuration file [default: payments.json, if any]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub(crate) config: Option<PathBuf>,
    /// Let environment variables override the file of --config
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) with_env: bool,
    /// Print JSON on a terminal too
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// Deadline of the call, in milliseconds
    #[arg(
        long,
        global = true,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "Global options"
    )]
    pub(crate) timeout_ms: Option<u64>,
    /// Show the service's message in failures; it may repeat payer data
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) show_service_message: bool,
    /// Log hosts, attempts, tokens and times to standard error; no secret
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) verbose: bool,
}

/// A tool, or an operation of the library's table.
#[derive(Debug)]
pub(crate) enum Command {
    Tool(Tool),
    Operation(Operation, OperationArgs),
    EnsurePayment(OperationArgs),
    Prepare(PrepareArgs),
}

/// The output of `payments prepare`.
#[derive(Debug)]
pub(crate) struct PrepareArgs {
    pub(crate) show_secrets: bool,
    pub(crate) request: ToPrepare,
}

/// The request that is prepared.
#[derive(Debug)]
pub(crate) enum ToPrepare {
    Operation(Operation, OperationArgs),
    Send(SendArgs),
}

#[derive(Subcommand, Debug)]
pub(crate) enum Tool {
    /// Pays in its own sandbox, step by step, and keeps a shop open with --keep
    #[command(display_order = 1, after_help = examples::DEMO)]
    Demo {
        /// Leave the sandbox running afterwards, with a shop that sells mugs
        #[arg(long)]
        keep: bool,
        /// Open the shop in a browser
        #[arg(long, requires = "keep")]
        open: bool,
    },
    /// Runs the sandbox: the service, on this host, for tests
    ///
    /// Makes a key, registers it, and prints the configuration of a client
    /// that works: with --json as one line, with --config-out into a folder.
    #[command(display_order = 2, after_help = examples::SANDBOX)]
    Sandbox(SandboxArgs),
    /// Makes an RSA key pair of 4096 bits
    ///
    /// Writes DIR/private_key.pem, readable by you alone, and
    /// DIR/public_key.pem. Never overwrites a file.
    #[command(display_order = 3, after_help = examples::KEYGEN)]
    Keygen {
        /// Folder for the two files, created if missing
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Prints the token (X-JWS-Signature) for exactly these bytes
    #[command(display_order = 4, after_help = examples::SIGN)]
    Sign(SignArgs),
    /// Checks a token against a body; exit code 0 or 1
    ///
    /// Prints {"valid": true, "kid": …}, or the cause and what is wrong.
    #[command(display_order = 5, after_help = examples::VERIFY)]
    Verify(VerifyArgs),
    /// Finds out why a request got a 401, and which bytes were signed
    ///
    /// Looks for the mistake that explains the signature: the body parsed and
    /// serialized again, a line break added, another key, and so on. Prints
    /// where the signed bytes differ from the body. Exit code 0 when nothing is
    /// wrong, 1 when something is.
    #[command(display_order = 6, after_help = examples::DOCTOR)]
    Doctor(DoctorArgs),
    /// Explains a code, kind or outcome of errors, a state, or a member of the
    /// configuration, or lists all
    ///
    /// Says what happened, whether money may have moved, and what to do, with
    /// messages as examples.
    #[command(display_order = 8, after_help = examples::EXPLAIN)]
    Explain {
        /// For example the `code` or `service_code` of a failure [default: lists all]
        name: Option<String>,
    },
    /// Signs your own bytes and sends them unchanged, to any path
    ///
    /// The response is printed as it came. No integration key is added.
    #[command(display_order = 20, after_help = examples::SEND)]
    Send(SendArgs),
    /// Sends each payout of a file once
    ///
    /// Checks every line before it sends one. Run it again to continue: it skips
    /// lines that are done, sends failed ones again, and leaves unknown ones to
    /// a person. Prints a report as CSV. The first signal stops new payouts, the
    /// second one cancels those in flight, the third one ends the command at
    /// once.
    #[command(display_order = 15, after_help = examples::CREATE_PAYOUTS)]
    CreatePayouts(BatchArgs),
    /// Follows open payments, refunds and payouts, and prints the end of each once
    ///
    /// Queries them under a rate, each later than the one before, until they are
    /// paid, refunded or cancelled; payouts need payout_query. Prints a line for each end, as JSON elsewhere
    /// than on a terminal. With --state, an end is printed once, also after a
    /// crash; what may have been printed before has "repeated": true. Exit code 3
    /// if some were given up or another process follows, 1 if queries failed.
    #[command(display_order = 16, after_help = examples::FOLLOW)]
    Follow(FollowArgs),
    /// Works with the journal of calls that move money
    #[command(display_order = 22, subcommand, after_help = examples::JOURNAL)]
    Journal(JournalCommand),
    /// Prints a bearer token, or the status of the current one
    ///
    /// The status describes the token in token_store. With "memory" a token ends
    /// with the process that requested it, so there is none.
    #[command(display_order = 21, after_help = examples::TOKEN)]
    Token(TokenArgs),
    /// Checks the configuration, and says what to correct
    ///
    /// Moves no money. Connects only with --online. Each line says ok, skipped,
    /// warning or error, and what to do. Exit code 1 if there is an error.
    #[command(display_order = 7, after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Writes the completions of a shell to standard output
    #[command(display_order = 30, after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Writes the man pages of all commands
    #[command(display_order = 31, after_help = examples::MAN)]
    Man {
        /// Folder for the pages, created if missing
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

impl FromArgMatches for Command {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (name, inner) = subcommand(matches)?;
        if name == PREPARE {
            return PrepareArgs::from_arg_matches(inner).map(Self::Prepare);
        }
        if name == operation::ENSURE_PAYMENT {
            let args = OperationArgs::from_matches(Operation::CreatePayment, inner);
            return Ok(Self::EnsurePayment(args));
        }
        match operation::operation_of(name) {
            Some(operation) => {
                let args = OperationArgs::from_matches(operation, inner);
                Ok(Self::Operation(operation, args))
            }
            None => Tool::from_arg_matches(matches).map(Self::Tool),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Command {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        let command = Tool::augment_subcommands(command)
            .subcommands(operation::commands("payments", true))
            .subcommand(prepare_command());
        unused::hidden(command).subcommand_required(true).arg_required_else_help(true)
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        [PREPARE, operation::ENSURE_PAYMENT].contains(&name)
            || operation::operation_of(name).is_some()
            || Tool::has_subcommand(name)
    }
}

impl PrepareArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (name, inner) = subcommand(matches)?;
        let request = match operation::operation_of(name) {
            Some(operation) => {
                ToPrepare::Operation(operation, OperationArgs::from_matches(operation, inner))
            }
            None => ToPrepare::Send(SendArgs::from_arg_matches(inner)?),
        };
        Ok(Self { show_secrets: matches.get_flag(SHOW_SECRETS), request })
    }
}

fn subcommand(matches: &ArgMatches) -> Result<(&str, &ArgMatches), clap::Error> {
    matches.subcommand().ok_or_else(|| clap::Error::new(ErrorKind::MissingSubcommand))
}

const PREPARE: &str = "prepare";
const SHOW_SECRETS: &str = "show-secrets";

fn prepare_command() -> clap::Command {
    let show_secrets = Arg::new(SHOW_SECRETS)
        .long(SHOW_SECRETS)
        .global(true)
        .action(ArgAction::SetTrue)
        .help("Show signature, bearer token and integration key");
    let send = SendArgs::augment_args(clap::Command::new("send"))
        .about("Signs your own bytes")
        .after_help(examples::SEND.replace("payments send", "payments prepare send"))
        .display_order(20);
    clap::Command::new(PREPARE)
        .about("Prints the request that an operation would send, and sends nothing")
        .long_about(
            "Prints the request that an operation would send, and sends nothing\n\nNothing goes to \
             the service: method, URL, headers and body are printed. If a bearer token is \
             configured and none is cached, one is fetched from the token server. Signature, \
             bearer token and integration key are masked unless --show-secrets is given.\n\nSent \
             by hand, the request has no journal and no protection against a second payment. It \
             has no outcome: the command does not learn whether it was sent or executed.",
        )
        .after_help(examples::PREPARE)
        .display_order(19)
        .arg(show_secrets)
        .subcommands(operation::commands("payments prepare", false))
        .subcommand(send)
        .subcommand_required(true)
        .arg_required_else_help(true)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_operation_that_takes_json_is_a_subcommand() {
        for operation in Operation::ALL {
            let command = operation::name_of(operation);
            let takes_json = operation::takes_json(operation);
            assert_eq!(operation::operation_of(&command), takes_json.then_some(operation));
        }
    }
}
