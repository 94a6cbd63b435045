//! `payments token`.

use std::process::ExitCode;
use std::time::Duration;

use payments_core::json::{Json, Members};
use payments_core::token::TokenStatus;
use payments_core::{Client, Operation};

use crate::args::{Global, TokenArgs};
use crate::failure::Failure;
use crate::{output, settings, summary};

/// Prints a bearer token, which is its purpose; with `--status`, all but that.
///
/// # Errors
/// `config` without client credentials, `token` when none can be had.
pub(crate) fn run(global: &Global, args: &TokenArgs) -> Result<ExitCode, Failure> {
    let client = settings::client(global)?;
    let text = if args.status {
        let status = client.token_status(&client.context())?;
        summary::text_of(&report_of(&status), output::is_for_people(global))
    } else {
        token(&client, global, args.plain)?
    };
    output::write_answer(Operation::AccessToken, text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn token(client: &Client, global: &Global, plain: bool) -> Result<String, Failure> {
    if plain {
        let token = client.access_token(&client.context())?;
        return Ok(format!("{}\n", token.value.expose()));
    }
    let answer = client.call_json(Operation::AccessToken.name(), b"", &client.context())?;
    Ok(summary::text_of(&answer.view, output::is_for_people(global)))
}

fn report_of(status: &TokenStatus) -> Json {
    let seconds = |duration: Option<Duration>| duration.map(|duration| duration.as_secs());
    let mut report = Members::new();
    report.push("is_usable", status.is_usable);
    report.push("age", seconds(status.age));
    report.push("remaining", seconds(status.remaining));
    report.push("quiet", seconds(status.quiet));
    for (name, value) in &status.members {
        report.push(name.as_str(), value.as_str());
    }
    report.into()
}
