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
