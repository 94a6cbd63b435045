// Generated from spec by generate/templates/exit_codes.rs.jinja; do not edit. To update: cargo xtask generate

//! The exit codes of the command `payments`. 0 is success.

use payments_core::Outcome;

/// Exit code: failed, and nothing was executed.
pub const EXIT_FAILED: u8 = 1;
/// Exit code: usage or configuration.
pub const EXIT_USAGE: u8 = 2;
/// Exit code: the outcome is unknown: do not send it again, follow the advice.
pub const EXIT_UNKNOWN: u8 = 3;
/// Exit code: failed, but the operation was executed: do not send it again.
pub const EXIT_EXECUTED: u8 = 4;

/// The exit codes with their meanings, for a help text.
pub const EXIT_CODES: [(u8, &str); 4] = [
    (EXIT_FAILED, "failed, and nothing was executed"),
    (EXIT_USAGE, "usage or configuration"),
    (EXIT_UNKNOWN, "the outcome is unknown: do not send it again, follow the advice"),
    (EXIT_EXECUTED, "failed, but the operation was executed: do not send it again"),
];

/// The exit code for a failure of this kind and outcome. The kind may be one that
/// only the command has.
pub fn exit_code(kind: &str, outcome: Outcome) -> u8 {
    match (outcome, kind) {
        (Outcome::NotExecuted, "config") => EXIT_USAGE,
        (Outcome::NotExecuted, "usage") => EXIT_USAGE,
        (Outcome::NotExecuted, _) => EXIT_FAILED,
        (Outcome::Unknown, _) => EXIT_UNKNOWN,
        (Outcome::Executed, _) => EXIT_EXECUTED,
    }
}
