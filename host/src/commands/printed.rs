//! The result of a command.

use payments_core::json::{Json, Members};

/// The output of `payments journal`, and its exit code.
#[derive(Clone, Debug)]
pub struct JournalAnswer {
    /// For programs.
    pub json: Json,
    /// For people.
    pub text: String,
    /// 3 while an entry stays open after a recovery, otherwise 0.
    pub exit_code: u8,
}

/// The output of a command that changed nothing. A reader that closes the pipe, such as
/// `head`, loses nothing: the command ends quietly.
pub(super) fn listed(stdout: &str) -> Json {
    let mut output = Members::from([("stdout", stdout), ("stderr", "")]);
    output.push("exit_code", 0_u64);
    output.push("is_list", true);
    output.into()
}

/// The output of a command that did not fail, and its exit code.
pub(super) fn printed(stdout: &str, exit_code: u8) -> Json {
    let mut output = Members::from([("stdout", stdout), ("stderr", "")]);
    output.push("exit_code", u64::from(exit_code));
    output.into()
}
