//! `payments explain`.

mod generated;

use std::process::ExitCode;

use payments_base::spelling::nearest;
use payments_core::error::{EXPLAIN, ErrorCode, help_of};
use payments_core::json::{Json, Members};

use crate::args::Global;
use crate::output;
use crate::output::summary;
use crate::process::failure::Failure;

/// The explanation of an error code.
struct Explanation {
    code: &'static str,
    kind: &'static str,
    cause: &'static str,
    remedy: &'static str,
    /// The outcome of an error with this code, in words.
    outcome: &'static str,
}

/// The explanation of codes of the service, or of the token server.
struct ServiceCode {
    codes: &'static [&'static str],
    meaning: &'static str,
    remedy: &'static str,
    /// The code of the error that has it.
    error: ErrorCode,
}

/// Prints cause, remedy and outcome of a code, or the meaning of a code of the
/// service.
///
/// # Errors
/// There is no such code.
pub(crate) fn run(global: &Global, code: &str) -> Result<ExitCode, Failure> {
    let all = generated::EXPLANATIONS;
    let Some(found) = all.iter().find(|it| it.code == code) else {
        return explain_service_code(global, code);
    };
    let report = Members::from([
        ("code", Json::from(found.code)),
        ("kind", Json::from(found.kind)),
        ("cause", Json::from(found.cause)),
        ("remedy", Json::from(found.remedy)),
        ("outcome", Json::from(found.outcome)),
        ("help", Json::from(format!("{EXPLAIN} {}", found.code))),
    ]);
    output::write_text(&summary::text_of(&report.into(), output::is_for_people(global)))?;
    Ok(ExitCode::SUCCESS)
}

fn explain_service_code(global: &Global, code: &str) -> Result<ExitCode, Failure> {
    let mut all = generated::SERVICE_CODES
        .iter()
        .flat_map(|known| known.codes.iter().map(move |code| (*code, known)));
    let (code, known) =
        all.find(|(it, _)| it.eq_ignore_ascii_case(code)).ok_or_else(|| unknown(code))?;
    let report = Members::from([
        ("service_code", Json::from(code)),
        ("meaning", Json::from(known.meaning)),
        ("remedy", Json::from(known.remedy)),
        ("help", Json::from(help_of(known.error))),
    ]);
    output::write_text(&summary::text_of(&report.into(), output::is_for_people(global)))?;
    Ok(ExitCode::SUCCESS)
}

fn unknown(code: &str) -> Failure {
    let own = generated::EXPLANATIONS.iter().map(|it| it.code);
    let of_service = generated::SERVICE_CODES.iter().flat_map(|it| it.codes).copied();
    let advice = nearest(code, own.chain(of_service)).map_or_else(
        || "give the code of an error, or a service_code that is known".to_owned(),
        |meant| format!("did you mean {meant}?"),
    );
    Failure::usage(ErrorCode::INVALID_ARGUMENTS, format!("there is no error code {code}; {advice}"))
}
