//! The commands `payments journal`, `follow` and `explain`, which the packages have
//! too.

mod arguments;
mod causes;
mod command_failure;
mod csv_rows;
mod csv_table;
mod decisions_file;
mod exit_codes;
mod explain;
mod failure_text;
mod follow_command;
mod journal_command;
mod journal_text;
mod line_file;
mod plan;
mod printed;
mod protected_cell;
mod resolve_file;
mod sources;
mod texts;
mod wrapping;

pub use self::causes::{SHOWN, grouped};
pub use self::command_failure::{CommandFailure, exit_code_of};
pub use self::csv_rows::Row;
pub use self::csv_table::{Table, TableFault};
pub use self::exit_codes::{
    EXIT_CODES, EXIT_EXECUTED, EXIT_FAILED, EXIT_UNKNOWN, EXIT_USAGE, exit_code,
};
pub use self::explain::{Explanation, explain, explained_names};
pub use self::failure_text::text_of_failure;
pub(super) use self::follow_command::{FollowRequest, read};
pub use self::follow_command::{
    duration_of, exit_code_if_interrupted, exit_code_of_ends, forget_of, line_of_end, references_in,
};
pub(super) use self::journal_command::command_output;
pub use self::journal_command::{JournalRequest, answer_journal, answer_recovery};
pub use self::journal_text::{ListText, list_text, without_controls};
pub use self::line_file::{LineFile, LineFormat};
pub(super) use self::plan::{Invocation, Problem, printed_report};
pub use self::printed::JournalAnswer;
pub use self::protected_cell::protected_cell;
pub use self::sources::{Sources, variable_of};
pub(super) use self::texts::FOLLOW_HELP;
pub use self::wrapping::{WIDTH, push_hanging, wrapped};
