//! The process and its terminal: its start, its input, interruptions, and
//! reports of failures.

pub(crate) mod browser;
pub(crate) mod failure;
pub(crate) mod input;
pub(crate) mod interruption;
pub(crate) mod pretty;
pub(crate) mod progress;
pub(crate) mod shell;
pub(crate) mod startup;

use payments_host::spelling::{Spelling, spelled};

/// A text of the core, with functions as commands and options as arguments.
pub(crate) fn in_own_words(text: &str) -> String {
    spelled(text, Spelling::Command)
}
