//! The result of each line, as CSV.

use std::io;

use super::file::Line;
use super::run::Sent;
use crate::failure::Failure;
use crate::formula;

/// Writes line, reference, state, uid and code of every payout to standard
/// output.
///
/// # Errors
/// `io` if it cannot be written; the journal has it too.
pub(super) fn write(lines: &[Line], results: &[Sent]) -> Result<(), Failure> {
    let mut table = csv::Writer::from_writer(io::stdout().lock());
    let mut write = || -> Result<(), csv::Error> {
        table.write_record(["line", "reference", "state", "uid", "code"])?;
        for (line, sent) in lines.iter().zip(results) {
            table.write_record([
                line.number.to_string(),
                formula::harmless(&line.reference),
                sent.state.as_str().to_owned(),
                formula::harmless(sent.uid.as_deref().unwrap_or_default()),
                sent.code.unwrap_or_default().to_owned(),
            ])?;
        }
        table.flush().map_err(csv::Error::from)
    };
    write().map_err(|error| {
        let message = format!("could not write the report ({error}); run the command again");
        Failure::io("output_failed", message)
    })
}
