//! The command `payments`: all operations, tools for keys and signatures, a
//! sandbox, and a demonstration.
//!
//! Responses are JSON on standard output, a failure is one JSON object on
//! standard error, and the exit code says whether money may have moved. On a
//! terminal, both are text.

// From the lowest to the highest: each imports only those before it.
//
// - `process/`: the process and its terminal: how it starts, what it reads,
//   what interrupts it, how it reports a failure
// - `args/`: what can be written on the command line. Operations, their options
//   and their examples come from the core's table; a test parses every example
// - `output/`: standard output: responses, QR codes, and questions to a person;
//   failures on a terminal
// - `settings.rs`: makes a client from the configuration file, the environment
//   and the command line
// - `keys/`: the commands for keys and signatures, which make no call
// - `calls/`: the commands that make calls, and `payments prepare`
// - `journal/`: the command for entries of the journal
// - `check/`: judges a configuration
// - `help/`: completions, manual pages and explanations
// - `sandbox/`: the command that runs the sandbox, and the files of its client
// - `demo/`: the demonstration, over a sandbox
// - `batch/`: sends the payouts of a file through the journal, and warns of
//   values that are probably wrong
//
// Three rules: a signal cancels the call (`interruption.rs`), a command that moves
// money refuses to run with standard output closed (`startup.rs`), and a person
// confirms a batch and the refund of a whole payment (`confirm.rs`).

mod args;
mod batch;
mod calls;
mod check;
mod demo;
mod help;
mod journal;
mod keys;
mod output;
mod process;
mod sandbox;
mod settings;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use payments_core::Operation;

use crate::args::{Cli, Command, Tool, unused};
use crate::calls::{call, follow, prepare, send, token};
use crate::help::{completions, explain, man};
use crate::keys::{doctor, keygen, sign, verify};
use crate::process::failure::{self, Failure};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let arguments: Vec<_> =
                std::env::args_os().filter_map(|argument| argument.into_string().ok()).collect();
            return failure::exit_of_usage(failure::with_meant_name(
                error,
                &Cli::command(),
                &arguments,
            ));
        }
    };
    match run(&cli) {
        Ok(code) => code,
        Err(failure) if !failure.is_reported() => failure.exit_code(),
        Err(failure) if cli.global.show_service_message => {
            output::failures::report(failure, &cli.global)
        }
        Err(failure) => output::failures::report(failure.without_service_message(), &cli.global),
    }
}

fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    let global = &cli.global;
    unused::refuse(global, &cli.command)?;
    match &cli.command {
        Command::Operation(operation, args) => {
            call::run(global, *operation, operation.name(), args)
        }
        Command::EnsurePayment(args) => {
            call::run(global, Operation::CreatePayment, "ensure_payment", args)
        }
        Command::Prepare(args) => prepare::run(global, args),
        Command::Tool(Tool::Check(args)) => check::run(global, args),
        Command::Tool(Tool::Completions { shell }) => completions::run(*shell),
        Command::Tool(Tool::Man { out }) => man::run(out),
        Command::Tool(Tool::Demo { keep, open }) => demo::run(*keep, *open),
        Command::Tool(Tool::Sandbox(args)) => sandbox::run(global, args),
        Command::Tool(Tool::Keygen { out }) => keygen::run(global, out),
        Command::Tool(Tool::Sign(args)) => sign::run(global, args),
        Command::Tool(Tool::Verify(args)) => verify::verify(global, args),
        Command::Tool(Tool::Doctor(args)) => doctor::run(global, args),
        Command::Tool(Tool::Explain { name }) => explain::run(global, name.as_deref()),
        Command::Tool(Tool::Send(args)) => send::run(global, args),
        Command::Tool(Tool::Follow(args)) => follow::run(global, args),
        Command::Tool(Tool::Journal(command)) => journal::run(global, command),
        Command::Tool(Tool::CreatePayouts(args)) => batch::run(global, args),
        Command::Tool(Tool::Token(args)) => token::run(global, args),
    }
}
