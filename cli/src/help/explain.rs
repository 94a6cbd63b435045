//! `payments explain`.

use std::process::ExitCode;

use payments_core::error::EXPLAIN;
use payments_host::commands::explain;
use payments_host::spelling::Spelling;

use crate::args::Global;
use crate::output;
use crate::process::failure::Failure;

/// Prints what a name means, whether money may have moved, and what to do. Without one,
/// it lists all.
///
/// # Errors
/// Nothing has this name.
pub(crate) fn run(global: &Global, name: Option<&str>) -> Result<ExitCode, Failure> {
    let explained = explain(EXPLAIN, name, Spelling::Command)?;
    let is_for_people = output::is_for_people(global);
    let json = || output::json_text(&explained.json);
    output::write_list(&if is_for_people { explained.text } else { json() })?;
    Ok(ExitCode::SUCCESS)
}
