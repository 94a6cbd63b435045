//! `payments token`.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use payments_core::json::{Json, Members};
use payments_core::observer::{Event, EventKind};
use payments_core::token::TokenStatus;
use payments_core::{Client, ErrorCode, Operation, Outcome};
use payments_host::by_name;

use crate::args::Global;
use crate::args::tool::TokenArgs;
use crate::output::summary;
use crate::process::failure::Failure;
use crate::process::{interruption, startup};
use crate::{output, settings};

/// Prints the bearer token; with `--status`, everything except the token; with
/// `--forget`, the same after dropping it.
///
/// # Errors
/// `config` without client credentials, `token` if none can be obtained,
/// `usage` if standard output is closed, `io` if `--status` cannot read the
/// store, `token` if `--forget` cannot drop the token from it.
pub(crate) fn run(global: &Global, args: &TokenArgs) -> Result<ExitCode, Failure> {
    let text = if args.status || args.forget {
        let status = status(global, args.forget)?;
        summary::text_of(&report_of(&status), output::is_for_people(global))
    } else {
        startup::check_output_for(Operation::AccessToken)?;
        token(&settings::client(global)?, global, args.plain)?
    };
    output::write_response(Operation::AccessToken, Outcome::Executed, text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the status, after dropping the token if `forgets`, and fails if the
/// store does. A call would bypass a failing store, which would look like an
/// empty one here.
fn status(global: &Global, forgets: bool) -> Result<TokenStatus, Failure> {
    let failed = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&failed);
    let observer = move |event: &Event<'_>| {
        if let EventKind::StoreBypassed { reason, .. } = event.kind {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.to_string());
        }
    };
    let client = settings::client_with(global, |config| config.observer(Arc::new(observer)))?;
    if forgets {
        client.forget_token(&interruption::context(&client)?)?;
        failed.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
    let status = client.token_status(&client.context())?;
    match failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
        None => Ok(status),
        Some(reason) => Err(Failure::io(
            ErrorCode::TOKEN_STORE_FAILED,
            format!("could not read the token store: {reason}"),
        )),
    }
}

fn token(client: &Client, global: &Global, plain: bool) -> Result<String, Failure> {
    let context = interruption::context(client)?;
    if plain {
        let token = client.access_token(&context)?;
        return Ok(format!("{}\n", token.value.expose()));
    }
    let response = by_name::call(client, Operation::AccessToken.name(), b"", &context)?;
    Ok(summary::text_of(&response.view, output::is_for_people(global)))
}

fn report_of(status: &TokenStatus) -> Json {
    let seconds = |duration: Option<Duration>| duration.map(|duration| duration.as_secs());
    let mut report = Members::new();
    report.push("is_usable", status.is_usable);
    report.push("age", seconds(status.age));
    report.push("remaining", seconds(status.remaining));
    report.push("backoff", seconds(status.backoff));
    for (name, value) in &status.members {
        report.push(name.as_str(), value.as_str());
    }
    report.into()
}
