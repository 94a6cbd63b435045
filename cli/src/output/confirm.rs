//! Questions to the person at the terminal.

use std::io::{IsTerminal as _, Write as _};

use crate::output;

/// Whether somebody can answer: standard input is a terminal.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks on standard error, and reads a line. Only a yes counts.
pub(crate) fn is_confirmed(question: &str) -> bool {
    // In one piece: the terminal echoes what is typed early between two.
    let question = format!("{} [y/N] ", output::without_controls(question));
    let _ = std::io::stderr().write_all(question.as_bytes());
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}
