//! The command `payments journal`, as the packages have it for journals in
//! databases.

use std::path::PathBuf;

use payments_core::error::{Error, ErrorCode};
use payments_core::json::Json;
use payments_core::{CallContext, Client};

use super::arguments::{Arguments, Shape, usage};
use super::command_failure::CommandFailure;
use super::exit_codes::EXIT_UNKNOWN;
use super::journal_text::{list_text, prune_text, recovery_text, resolve_text, show_text};
use super::printed::{JournalAnswer, listed, printed};
use super::resolve_file::resolve_file;
use super::texts::JOURNAL_HELP;
use crate::journal::{entries_of, list_whole, milliseconds_of, prune, resolve, resolved, show};
use crate::recovery::{Recovery, recover};

/// The commands that a package adds to those of a client: they make the table, and
/// give it the format of this version.
pub(super) static CREATE: Shape = Shape::of("create");
pub(super) static UPGRADE: Shape = Shape::of("upgrade");
static LIST: Shape = Shape { flags: &["--open"], ..Shape::of("list") };
static SHOW: Shape = Shape { most_words: 1, ..Shape::of("show") };
static RECOVER: Shape = Shape::of("recover");
static RESOLVE: Shape =
    Shape { values: &["--executed", "--note", "--from"], most_words: 1, ..Shape::of("resolve") };
static PRUNE: Shape =
    Shape { flags: &["--dry-run", "--yes"], values: &["--before"], ..Shape::of("prune") };
pub(super) static JOURNAL: Shape = Shape {
    commands: &[&CREATE, &UPGRADE, &LIST, &SHOW, &RECOVER, &RESOLVE, &PRUNE],
    ..Shape::of("journal")
};
/// The arguments of each command.
pub(super) static JSON: Shape = Shape { flags: &["--json"], ..Shape::of("everywhere") };

/// A request to a journal.
#[derive(Clone, Debug)]
pub enum JournalRequest {
    /// The entries, the oldest first.
    List {
        /// Open entries only.
        open: bool,
    },
    /// All entries of a reference, or the one with that id.
    Show(String),
    /// To query the outcomes of open entries.
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

/// Does what `request` asks. `program` is the command, such as
/// `payments journal`.
///
/// # Errors
/// Those of [`list_whole`] and its siblings; `usage` for a file with problems.
pub fn answer_journal(
    client: &Client,
    request: &JournalRequest,
    program: &str,
    context: &CallContext,
) -> Result<JournalAnswer, CommandFailure> {
    let rules = client.rules();
    let found = |json: Json, text: String| JournalAnswer { json, text, exit_code: 0 };
    Ok(match request {
        JournalRequest::List { open } => {
            let all = list_whole(client, *open, context)?;
            found(entries_of(&all, rules), list_text(&all, rules, program))
        }
        JournalRequest::Show(reference) => {
            let entries = show(client, reference, context)?;
            if entries.entries.is_empty() {
                let message = "the journal has no entry with this id or reference";
                let error = Error::validation("reference", ErrorCode::ENTRY_UNKNOWN, message);
                return Err(error.into());
            }
            found(entries_of(&entries, rules), show_text(&entries, rules, program))
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
/// and `exit_code`. `explain` is the package's command that explains a code.
pub(crate) fn command_output(
    client: &Client,
    program: &str,
    arguments: &[&str],
    is_terminal: bool,
    explain: Option<&str>,
    context: &CallContext,
) -> Json {
    let answered = Arguments::read(&JOURNAL, &JSON, arguments).and_then(|given| {
        if given.is_help {
            return Ok(listed(JOURNAL_HELP));
        }
        let request = JournalRequest::of(&given)?;
        let answer = answer_journal(client, &request, program, context)?;
        let is_for_people = is_terminal && !given.has("--json");
        let text = if is_for_people { answer.text } else { answer.json.to_text() + "\n" };
        Ok(if request.is_list() { listed(&text) } else { printed(&text, answer.exit_code) })
    });
    answered.unwrap_or_else(|failure| failure.explained_by(explain).printed())
}

impl JournalRequest {
    /// Whether it shows entries, and changes none.
    pub const fn is_list(&self) -> bool {
        matches!(self, Self::List { .. } | Self::Show(_))
    }

    /// The request in the arguments of a command in [`JOURNAL`].
    ///
    /// # Errors
    /// `usage` if they make no sense.
    pub(super) fn of(given: &Arguments<'_>) -> Result<Self, CommandFailure> {
        let word = given.words.first().map(|word| (*word).to_owned());
        match given.command.name {
            "list" => Ok(Self::List { open: given.has("--open") }),
            "show" => word.map(Self::Show).ok_or_else(|| given.lacks(&["ID or REFERENCE"])),
            "recover" => Ok(Self::Recover),
            "resolve" => Self::resolve(given, word),
            "prune" => Ok(Self::Prune {
                before: given
                    .value("--before")
                    .ok_or_else(|| given.lacks(&["--before"]))?
                    .to_owned(),
                dry_run: given.has("--dry-run"),
                recent: given.has("--yes"),
            }),
            _ => {
                let message = "this client has no database for a journal, so there is no table to \
                               make; configure one";
                Err(usage(ErrorCode::INVALID_ARGUMENTS, message))
            }
        }
    }

    fn resolve(given: &Arguments<'_>, entry: Option<String>) -> Result<Self, CommandFailure> {
        let executed = given.value("--executed").map(|executed| match executed {
            "yes" => Ok(true),
            "no" => Ok(false),
            _ => Err(usage(ErrorCode::INVALID_ARGUMENTS, "--executed must be yes or no")),
        });
        let executed = executed.transpose()?;
        let note = given.value("--note");
        if let Some(path) = given.path("--from")? {
            if entry.is_some() || executed.is_some() || note.is_some() {
                let message = "resolve --from takes the decisions of the file alone; see --help";
                return Err(usage(ErrorCode::INVALID_ARGUMENTS, message));
            }
            return Ok(Self::ResolveFrom(path.into()));
        }
        match (entry, executed, note) {
            (Some(entry), Some(executed), Some(note)) => {
                Ok(Self::Resolve { entry, executed, note: note.to_owned() })
            }
            (entry, executed, note) => {
                let all = [
                    ("ID or REFERENCE", entry.is_none()),
                    ("--executed", executed.is_none()),
                    ("--note", note.is_none()),
                ];
                let missing = all.into_iter().filter(|(_, is_missing)| *is_missing);
                Err(given.lacks(&missing.map(|(name, _)| name).collect::<Vec<_>>()))
            }
        }
    }
}
