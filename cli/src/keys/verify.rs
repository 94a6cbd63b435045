//! `payments verify`.

use std::process::ExitCode;

use payments_core::json::{Json, Members};
use payments_core::jws;

use crate::args::Global;
use crate::args::tool::VerifyArgs;
use crate::keys::public_keys::KeyArgument;
use crate::output;
use crate::output::summary;
use crate::process::failure::{EXIT_FAILED, Failure};
use crate::process::input;

/// Reports whether a token is valid for a body and, if not, why.
///
/// # Errors
/// The key, the token or the body cannot be read.
pub(crate) fn verify(global: &Global, args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let KeyArgument { key, kid } = KeyArgument::read(&args.public_key)?;
    let token = args.token.read()?;
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
    output::write_list(&summary::text_of(&report.into(), output::is_for_people(global)))?;
    Ok(code)
}
