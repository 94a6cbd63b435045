//! The command `payments journal`, as the packages have it for journals in
//! databases.

use std::path::PathBuf;

use super::command_failure::CommandFailure;
use super::exit_codes::EXIT_UNKNOWN;
use super::journal_text::{list_text, prune_text, recovery_text, resolve_text, show_text};
use super::resolve_file::resolve_file;
use crate::journal::{entries_of, list_whole, milliseconds_of, prune, resolve, resolved, show};
use crate::recovery::{Recovery, recover};
use payments_core::error::{Error, ErrorCode};
use payments_core::for_host::ErrorParts as _;
use payments_core::json::{Json, Members};
use payments_core::{CallContext, Client};

const HELP: &str = "\
list [--open]                                  lists entries, the oldest first
show ID|REFERENCE                              shows all entries of a reference
recover                                        queries what became of open entries
resolve ID|REFERENCE --executed yes|no --note TEXT
                                               records what a person found out
resolve --from FILE                            records the decisions of a file: CSV
                                               (reference, executed, note), or JSON
                                               objects one a line; all or none
prune --before DATE [--dry-run] [--yes]        deletes old entries that are not open
--json                                         prints JSON on a terminal too
";

/// What somebody asks of a journal.
#[derive(Clone, Debug)]
pub enum JournalRequest {
    /// The entries, the oldest first.
    List {
        /// Open entries only.
        open: bool,
    },
    /// All entries of a reference, or the one with that id.
    Show(String),
    /// To find out what became of open entries.
    Recover,
    /// To record a person's decision.
    Resolve {
        /// The id, or the reference.
        entry: String,
        /// Whether it was executed.
        executed: bool,
        /// How the person found out.
        note: String,
    },
    /// To record the decisions of a file.
    ResolveFrom(PathBuf),
    /// To delete old entries.
    Prune {
        /// A date or an ISO 8601 time.
        before: String,
        /// Whether to only count them.
        dry_run: bool,
        /// Whether those of the last 30 days may go.
        recent: bool,
    },
}

/// What the command prints, and its exit code.
#[derive(Clone, Debug)]
pub struct JournalAnswer {
    /// For programs.
    pub json: Json,
    /// For people.
    pub text: String,
    /// 3 while an entry stays open after a recovery, otherwise 0.
    pub exit_code: u8,
}

/// Does what `request` asks. `program` is the command's name, such as
/// `payments`.
///
/// # Errors
/// As [`list_whole`] and its siblings; `usage` for a file with problems.
pub fn answer_journal(
    client: &Client,
    request: &JournalRequest,
    program: &str,
    context: &CallContext,
) -> Result<JournalAnswer, CommandFailure> {
    let found = |json: Json, text: String| JournalAnswer { json, text, exit_code: 0 };
    Ok(match request {
        JournalRequest::List { open } => {
            let all = list_whole(client, *open, context)?;
            found(entries_of(&all), list_text(&all, program))
        }
        JournalRequest::Show(reference) => {
            let entries = show(client, reference, context)?;
            if entries.entries.is_empty() {
                let message = "the journal has no entry with this id or reference";
                let error = Error::validation("reference", ErrorCode::ENTRY_UNKNOWN, message);
                return Err(error.into());
            }
            found(entries_of(&entries), show_text(&entries, program))
        }
        JournalRequest::Recover => answer_recovery(&recover(client, context)?, program),
        JournalRequest::Resolve { entry, executed, note } => {
            let entry = resolve(client, entry, *executed, note, context)?;
            found(resolved(&entry), resolve_text(&entry, program))
        }
        JournalRequest::ResolveFrom(path) => resolve_file(client, path, program, context)?,
        JournalRequest::Prune { before, dry_run, recent } => {
            let pruned = prune(client, milliseconds_of(before)?, *recent, *dry_run, context)?;
            found(pruned.to_json(), prune_text(&pruned, program))
        }
    })
}

/// The answer to a recovery.
pub fn answer_recovery(recovery: &Recovery, program: &str) -> JournalAnswer {
    JournalAnswer {
        json: recovery.to_json(),
        text: recovery_text(recovery, program),
        exit_code: if recovery.open.is_empty() { 0 } else { EXIT_UNKNOWN },
    }
}

/// Runs the command with `arguments` as a program got them: `stdout`, `stderr`
/// and `exit_code`.
pub(crate) fn command_output(
    client: &Client,
    program: &str,
    arguments: &[&str],
    is_terminal: bool,
    context: &CallContext,
) -> Json {
    let is_json = arguments.contains(&"--json");
    let arguments: Vec<_> = arguments.iter().copied().filter(|it| *it != "--json").collect();
    let (stdout, stderr, exit_code) = match read(&arguments) {
        Ok(None) => (HELP.to_owned(), String::new(), 0),
        Ok(Some(request)) => match answer_journal(client, &request, program, context) {
            Ok(answer) if is_terminal && !is_json => (answer.text, String::new(), answer.exit_code),
            Ok(answer) => (answer.json.to_text() + "\n", String::new(), answer.exit_code),
            Err(failure) => (String::new(), failure.to_line(), failure.exit_code),
        },
        Err(message) => {
            let failure = CommandFailure::usage(ErrorCode::INVALID_ARGUMENTS, message);
            (String::new(), failure.to_line(), failure.exit_code)
        }
    };
    let mut output = Members::from([("stdout", stdout), ("stderr", stderr)]);
    output.push("exit_code", u64::from(exit_code));
    output.into()
}

/// What `arguments` ask; `None` for help.
fn read(arguments: &[&str]) -> Result<Option<JournalRequest>, String> {
    let Some((&action, rest)) = arguments.split_first() else {
        return Err("give one of list, show, recover, resolve and prune; see --help".to_owned());
    };
    if arguments.contains(&"--help") || action == "help" {
        return Ok(None);
    }
    let known: &[&str] = match action {
        "list" => &["--open"],
        "show" | "recover" => &[],
        "resolve" => &["--executed", "--note", "--from"],
        "prune" => &["--before", "--dry-run", "--yes"],
        _ => return Err(format!("unknown action {action}; see --help")),
    };
    let mut given = Arguments { action, options: Vec::new(), entry: None };
    let mut rest = rest.iter().copied();
    while let Some(argument) = rest.next() {
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument, None),
        };
        let takes_entry = given.entry.is_none() && matches!(action, "show" | "resolve");
        if argument == "--" && takes_entry {
            given.entry = rest.next();
        } else if !name.starts_with("--") && takes_entry {
            given.entry = Some(argument);
        } else if !known.contains(&name) {
            return Err(format!("unknown argument {argument} of {action}; see --help"));
        } else if matches!(name, "--executed" | "--note" | "--before" | "--from") {
            let value = value.or_else(|| rest.next());
            given.options.push((name, value.ok_or_else(|| format!("{name} needs a value"))?));
        } else {
            given.options.push((name, ""));
        }
    }
    given.request().map(Some)
}

/// The arguments of an action.
struct Arguments<'a> {
    action: &'a str,
    options: Vec<(&'a str, &'a str)>,
    entry: Option<&'a str>,
}

impl Arguments<'_> {
    fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(own, _)| *own == name)
    }

    fn value(&self, name: &str) -> Result<String, String> {
        let found = self.options.iter().find(|(own, _)| *own == name);
        let missing = || format!("{} needs {name}; see --help", self.action);
        found.map(|(_, value)| (*value).to_owned()).ok_or_else(missing)
    }

    fn request(&self) -> Result<JournalRequest, String> {
        let entry = || {
            let missing = || format!("{} needs an id or a reference; see --help", self.action);
            self.entry.map(str::to_owned).ok_or_else(missing)
        };
        Ok(match self.action {
            "list" => JournalRequest::List { open: self.has("--open") },
            "show" => JournalRequest::Show(entry()?),
            "resolve" if self.has("--from") => {
                if self.entry.is_some() || self.options.len() > 1 {
                    return Err("resolve --from takes nothing else; see --help".to_owned());
                }
                JournalRequest::ResolveFrom(self.value("--from")?.into())
            }
            "resolve" => JournalRequest::Resolve {
                entry: entry()?,
                executed: match self.value("--executed")?.as_str() {
                    "yes" => true,
                    "no" => false,
                    _ => return Err("--executed must be yes or no".to_owned()),
                },
                note: self.value("--note")?,
            },
            "prune" => JournalRequest::Prune {
                before: self.value("--before")?,
                dry_run: self.has("--dry-run"),
                recent: self.has("--yes"),
            },
            _ => JournalRequest::Recover,
        })
    }
}
