//! The plan of a package that is started as a command: it opens the database,
//! makes the client, and writes the output. Everything else is decided here.

use std::sync::Arc;

use payments_base::standard_streams::is_stdout_closed;
use payments_core::error::{Error, ErrorCode, ErrorKind, Outcome};
use payments_core::journal::Journal;
use payments_core::json::{Json, Members};

use super::arguments::{Arguments, Shape, usage};
use super::command_failure::CommandFailure;
use super::exit_codes::exit_code;
use super::explain::explain;
use super::follow_command::{FOLLOW, options_of};
use super::journal_command::{CREATE, JOURNAL, JSON, JournalRequest, UPGRADE};
use super::printed::listed;
use super::sources::Sources;
use super::texts::{DATABASE, explain_help, follow_help, framework_help, package_help};
use crate::spelling::Spelling;

static PACKAGE: Shape = Shape { commands: &[&JOURNAL, &FOLLOW, &EXPLAIN], ..Shape::of("package") };
static EXPLAIN: Shape = Shape { most_words: 1, ..Shape::of("explain") };
/// The arguments of each command of a package.
static PLACES: Shape = Shape {
    flags: &["--json", "--with-env"],
    values: &["--config", "--database"],
    ..Shape::of("everywhere")
};

/// How a package was started.
pub(crate) struct Invocation<'a> {
    /// The command as people type it, such as `npx libpayments`.
    pub(crate) program: &'a str,
    /// The rest of the plan.
    pub(crate) arguments: Vec<&'a str>,
    /// How the package names a database. Without it, a framework has the client,
    /// and `program` is its command for the journal.
    pub(crate) database: Option<&'a str>,
    /// Stands for the journal that the package opens.
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) is_terminal: bool,
    /// The package's command that explains a code.
    pub(crate) explain: Option<&'a str>,
}

impl Invocation<'_> {
    /// The plan: either the output of the command and its `exit_code`, or, with
    /// null as `exit_code`, an `action`.
    pub(crate) fn plan(&self) -> Json {
        let planned = match self.database {
            Some(database) => self.of_package(database),
            None => self.of_framework(),
        };
        planned.unwrap_or_else(|failure| failure.explained_by(self.explain).printed())
    }

    fn of_package(&self, example: &str) -> Result<Json, CommandFailure> {
        let program = self.program;
        let given = Arguments::read(&PACKAGE, &PLACES, &self.arguments)?;
        if given.command.name == EXPLAIN.name {
            return self.explanation(&given);
        }
        let is_follow = given.command.name == FOLLOW.name;
        if given.is_help {
            let help = if is_follow { follow_help } else { package_help };
            return Ok(listed(&help(program, example)));
        }
        let is_of_table = Self::check(&given)?;
        let database = match given.path("--database")? {
            Some(database) => Some(database.to_owned()),
            // Payments that are named need no journal, and the configuration may
            // have one.
            None => std::env::var(DATABASE).ok().filter(|value| !value.is_empty()),
        };
        if database.is_none() && !is_follow {
            let message = format!(
                "no database is named; give --database, such as {example}, or set {DATABASE}; for \
                 a journal in a file, run `payments journal`"
            );
            return Err(usage(ErrorCode::INVALID_ARGUMENTS, message));
        }
        let sources = Sources::of(given.path("--config")?.map(Into::into), given.has("--with-env"));
        if !is_of_table {
            // The client of the package has these sources too, so that what is
            // wrong with them is said here.
            let has_database = database.is_some();
            sources.client(|config| {
                if has_database { config.journal(Arc::clone(&self.journal)) } else { config }
            })?;
        }
        let program = if is_follow { program.to_owned() } else { format!("{program} journal") };
        let mut plan = self.planned(&given, &program);
        plan.push("database", database);
        plan.push("file", sources.file.map(|file| file.display().to_string()));
        plan.push("with_env", sources.reads_environment);
        Ok(plan.into())
    }

    fn explanation(&self, given: &Arguments<'_>) -> Result<Json, CommandFailure> {
        let own = || format!("{} {}", self.program, EXPLAIN.name);
        let command = self.explain.map_or_else(own, str::to_owned);
        if given.is_help {
            return Ok(listed(&explain_help(&command)));
        }
        let explained = explain(&command, given.words.first().copied(), Spelling::SnakeCase)?;
        let is_for_people = self.is_terminal && !given.has("--json");
        let line = || explained.json.to_text() + "\n";
        Ok(listed(&if is_for_people { explained.text } else { line() }))
    }

    fn of_framework(&self) -> Result<Json, CommandFailure> {
        let given = Arguments::read(&JOURNAL, &JSON, &self.arguments)?;
        if given.is_help {
            return Ok(listed(&framework_help(self.program)));
        }
        Self::check(&given)?;
        Ok(self.planned(&given, self.program).into())
    }

    /// Whether it makes or upgrades the table.
    fn check(given: &Arguments<'_>) -> Result<bool, CommandFailure> {
        let is_of_table = [CREATE.name, UPGRADE.name].contains(&given.command.name);
        match given.command.name {
            _ if is_of_table => {}
            name if name == FOLLOW.name => {
                options_of(given)?;
            }
            _ => {
                JournalRequest::of(given)?;
            }
        }
        if is_stdout_closed() {
            Err(CommandFailure::output_closed("what it reports"))
        } else {
            Ok(is_of_table)
        }
    }

    fn planned(&self, given: &Arguments<'_>, program: &str) -> Members {
        let is_for_people = self.is_terminal && !given.has("--json");
        let is_follow = given.command.name == FOLLOW.name;
        let name = (!is_follow).then(|| given.command.name.to_owned());
        let arguments = name.into_iter().chain(given.own()).map(Json::from);
        let mut plan = Members::new();
        plan.push("exit_code", Json::Null);
        plan.push(
            "action",
            match given.command.name {
                name if [CREATE.name, UPGRADE.name].contains(&name) => name,
                _ if is_follow => "follow",
                _ => "journal",
            },
        );
        plan.push(
            "stdout",
            match given.command.name {
                _ if !is_for_people => "{\"table\":\"payments_journal\"}\n",
                name if name == UPGRADE.name => {
                    "The table payments_journal has the format of this version.\n"
                }
                _ => "Made the table payments_journal.\n",
            },
        );
        plan.push("program", program);
        plan.push("arguments", arguments.collect::<Vec<_>>());
        plan.push("is_terminal", is_for_people);
        plan
    }
}

/// A failure of a package.
#[derive(Clone, Copy)]
pub(crate) enum Problem<'a> {
    /// `--database` names none that the package can open.
    Database(&'a str),
    /// The driver of the database is not installed.
    Driver(&'a str),
    /// The database does not work.
    Journal(&'a str),
    /// Standard output could not be written.
    Output(&'a str),
}

impl Problem<'_> {
    /// The output of the command after it, and its exit code.
    pub(crate) fn printed(self, explain: Option<&str>) -> Json {
        let failed = |kind, code, message: &str| {
            Error::new(kind, Outcome::NotExecuted, code, message).into()
        };
        let failure: CommandFailure = match self {
            Self::Database(message) => usage(ErrorCode::INVALID_ARGUMENTS, message),
            Self::Driver(message) => failed(ErrorKind::Config, ErrorCode::DRIVER_MISSING, message),
            Self::Journal(message) => failed(ErrorKind::Journal, ErrorCode::UNAVAILABLE, message),
            Self::Output(reason) => CommandFailure::output(reason),
        };
        failure.explained_by(explain).printed()
    }
}

/// The output of the command for an error of the core that a package got.
pub(crate) fn printed_report(report: &Members, explain: Option<&str>) -> Json {
    let text = |name| report.get(name).and_then(Json::as_str).unwrap_or_default();
    let outcome = Outcome::ALL.into_iter().find(|it| it.as_str() == text("outcome"));
    let exit_code = exit_code(text("kind"), outcome.unwrap_or(Outcome::Unknown));
    let report = report.clone();
    let failure = CommandFailure { report, exit_code, reason: None, shows_service_message: false };
    failure.explained_by(explain).printed()
}
