//! `payments demo`.
use crate::failure::Failure;
use std::process::ExitCode;
pub(crate) fn run(_keep: bool) -> Result<ExitCode, Failure> {
    Err(Failure::demo("not yet"))
}
