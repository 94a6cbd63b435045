//! The result of a command.

use payments_core::json::{Json, Members};

/// The output of a command, and its exit code.
pub(super) fn printed(stdout: &str, stderr: &str, exit_code: u8) -> Json {
    let mut output = Members::from([("stdout", stdout), ("stderr", stderr)]);
    output.push("exit_code", u64::from(exit_code));
    output.into()
}
