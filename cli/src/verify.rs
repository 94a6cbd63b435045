//! `payments verify` and `payments doctor`.

use std::process::ExitCode;

use payments_core::json::{Json, Members};
use payments_core::jws;
use payments_sandbox::doctor::{self, KnownKey, SignatureFinding};

use crate::args::Global;
use crate::failure::{EXIT_FAILED, Failure};
use crate::public_keys::GivenKey;
use crate::tool_args::{DoctorArgs, TokenArg, VerifyArgs};
use crate::{input, output, summary};

/// Reports whether a token is valid for a body and, if not, why.
///
/// # Errors
/// The key, the token or the body cannot be read.
pub(crate) fn verify(global: &Global, args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let GivenKey { key, kid } = GivenKey::read(&args.public_key)?;
    let token = token(&args.token)?;
    let body = input::body(args.body.body.as_deref())?;
    let key_of = |named: &str| kid.is_none_or(|kid| kid == named).then_some(key);
    let (report, code) = match jws::verify(token.as_deref(), &body, key_of) {
        Ok(verified) => {
            let report = [("valid", Json::from(true)), ("kid", Json::from(verified.kid))];
            (Members::from(report), ExitCode::SUCCESS)
        }
        Err(refusal) => {
            let report = [
                ("valid", Json::from(false)),
                ("cause", Json::from(refusal.cause.as_str())),
                ("detail", Json::from(refusal.detail)),
                ("remedy", Json::from(refusal.cause.remedy())),
            ];
            (Members::from(report), ExitCode::from(EXIT_FAILED))
        }
    };
    print(global, report.into())?;
    Ok(code)
}

/// Reports what is wrong with a token, and which input would have verified.
///
/// # Errors
/// A key, the token or the body cannot be read.
pub(crate) fn diagnose(global: &Global, args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let keys = args.public_key.iter().map(|argument| GivenKey::read(argument).map(KnownKey::from));
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    let token = token(&args.token)?;
    let body = input::body(args.body.body.as_deref())?;
    let diagnosis = doctor::diagnose(token.as_deref(), &body, &keys);
    print(global, diagnosis.to_json())?;
    let is_good = diagnosis.finding() == SignatureFinding::Valid;
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FAILED) })
}

fn token(argument: &TokenArg) -> Result<Option<String>, Failure> {
    argument.token.as_deref().map(input::text).transpose()
}

fn print(global: &Global, report: Json) -> Result<(), Failure> {
    output::write_text(&summary::text_of(&report, output::is_for_people(global)))
}
