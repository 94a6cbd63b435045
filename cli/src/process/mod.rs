//! The process and its terminal: how it starts, what it reads, what interrupts
//! it, and how it reports a failure.

pub(crate) mod browser;
pub(crate) mod failure;
pub(crate) mod input;
pub(crate) mod interruption;
pub(crate) mod pretty;
pub(crate) mod progress;
pub(crate) mod shell;
pub(crate) mod startup;
