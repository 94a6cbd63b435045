//! Following payments, with JSON in and out.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use payments_base::process::lock;
use payments_core::error::{Error, ErrorCode, ErrorKind, Reason};
use payments_core::json::{Json, Members};
use payments_core::{CallContext, Client};

use super::caught;
use super::input::Input;
use crate::by_name::HostClient;
use crate::commands::{
    CommandFailure, FOLLOW_HELP, FollowRequest, exit_code_if_interrupted, exit_code_of_ends,
    line_of_end, read,
};
use crate::follow::{FailedQuery, FollowOptions, Follower, Held, NextStep, OpenPayment, Progress};

const FOR_EVER: Duration = Duration::MAX;

/// The options of `follow`.
const OPTIONS: &[&str] = &[
    "references",
    "by_hash",
    "by_external_reference",
    "by_uid",
    "state",
    "since_ms",
    "give_up_after_ms",
    "forget_after_ms",
    "per_second",
];

/// Follows payments, refunds and payouts, with `options` as the JSON text of an object, and calls
/// `report` with each end until all have ended, or until it returns `false`: then
/// the end is not handled, and the next run gives it again.
///
/// # Errors
/// Those of [`follow`](crate::follow::follow()), and `internal` for a caught panic of this crate.
pub fn follow(
    client: &Client,
    options: &[u8],
    context: &CallContext,
    mut report: impl FnMut(&Json) -> bool,
) -> Result<(), Error> {
    caught(context, || {
        let options = options_of(&Input::of_members(OPTIONS, options)?)?;
        let mut follower = Follower::new(client, options, context)?;
        loop {
            match follower.next_within(client, FOR_EVER, context)? {
                Progress::Ended(end) if !report(&end.to_json()) => return Ok(()),
                Progress::Ended(_) | Progress::Open => {}
                Progress::Over => return Ok(()),
            }
        }
    })
}

/// Plans to follow, with the options of [`follow`]. The result has `follow`, a
/// number, with which [`follow_next`] begins: whatever interrupts a caller,
/// [`follow_end`] ends what it began.
///
/// # Errors
/// `validation` for members of the wrong type.
pub fn follow_begin(
    client: &HostClient,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || Ok(Members::from([("follow", planned(client, input)?)]).into()))
}

pub(super) fn planned(client: &HostClient, input: &[u8]) -> Result<u64, Error> {
    let options = options_of(&Input::of_members(OPTIONS, input)?)?;
    Ok(client.followers().add(options))
}

fn options_of(input: &Input) -> Result<FollowOptions, Error> {
    let default = FollowOptions::default();
    let duration = |name: &str, default: Duration| {
        input.number(name).map(|it| it.map_or(default, Duration::from_millis))
    };
    let references = if input.has("references") {
        Some(input.texts("references")?.into_iter().map(str::to_owned).collect())
    } else {
        None
    };
    let per_second = input.number("per_second")?;
    Ok(FollowOptions {
        references,
        by_hash: input.flag("by_hash")?.unwrap_or(false),
        by_external_reference: input.flag("by_external_reference")?.unwrap_or(false),
        by_uid: input.flag("by_uid")?.unwrap_or(false),
        state: input.text("state")?.map(Into::into),
        since: duration("since_ms", default.since)?,
        give_up_after: duration("give_up_after_ms", default.give_up_after)?,
        forget_after: duration("forget_after_ms", default.forget_after)?,
        per_second: per_second.map_or(default.per_second, |it| it.try_into().unwrap_or(u32::MAX)),
    })
}

/// Waits for the next end of `follow`, at most `wait_ms`. `confirmed` says that the
/// one before was handled; otherwise it comes again. The result has `end`, or null if
/// there is none yet, and `is_over`.
///
/// # Errors
/// Those of [`follow`](crate::follow::follow()) the first time, and of
/// [`FollowIter::next_within`](crate::follow::FollowIter::next_within).
pub fn follow_next(
    client: &HostClient,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    caught(context, || {
        let input = &Input::of_members(&["follow", "confirmed", "wait_ms"], input)?;
        let held = held(client, input)?;
        let progress = step(client, &mut lock(&held), input, context)?;
        let mut result = Members::new();
        result.push(
            "end",
            match &progress {
                Progress::Ended(end) => end.to_json(),
                Progress::Open | Progress::Over => Json::Null,
            },
        );
        result.push("is_over", matches!(progress, Progress::Over));
        Ok(result.into())
    })
}

/// Ends `follow`, and releases its state file. Returns null.
///
/// # Errors
/// `validation` without a number.
pub fn follow_end(client: &HostClient, input: &[u8], context: &CallContext) -> Result<Json, Error> {
    caught(context, || {
        let input = Input::of_members(&["follow"], input)?;
        client.followers().end(input.required("follow", input.number("follow")?)?);
        Ok(Json::Null)
    })
}

/// A step of the command `payments follow`: with `arguments`, it begins; with
/// `follow`, `confirmed`, `wait_ms` and `is_terminal`, it continues; with
/// `interrupted`, a flag, it ends because of a signal. `explain` is that of
/// [`command_plan`](super::command_plan). The result has `follow`,
/// `stdout`, `stderr`, and `exit_code`, which is null until it is over, or if it
/// ends by the signal.
///
/// # Errors
/// `validation` for a wrong input; other errors are printed.
pub fn follow_command(
    client: &HostClient,
    input: &[u8],
    context: &CallContext,
) -> Result<Json, Error> {
    const KNOWN: &[&str] =
        &["arguments", "follow", "confirmed", "wait_ms", "is_terminal", "interrupted", "explain"];
    caught(context, || {
        let input = Input::of_members(KNOWN, input)?;
        if input.has("follow") {
            command_step(client, &input, context)
        } else {
            command_begun(client, &input)
        }
    })
}

fn command_begun(client: &HostClient, input: &Input) -> Result<Json, Error> {
    Ok(match read(&input.texts("arguments")?) {
        Ok(FollowRequest::Help) => printed(None, FOLLOW_HELP, Some(0)),
        Ok(FollowRequest::Follow(options)) => {
            printed(Some(client.followers().add(*options)), "", None)
        }
        Err(failure) => failed(None, failure, input)?,
    })
}

fn command_step(client: &HostClient, input: &Input, context: &CallContext) -> Result<Json, Error> {
    let held = held(client, input)?;
    let mut held = lock(&held);
    let number = input.number("follow")?;
    let counts = |held: &Held| held.follower.as_ref().map(Follower::counts).unwrap_or_default();
    if input.flag("interrupted")?.unwrap_or(false) {
        if let Some(follower) = &mut held.follower
            && input.flag("confirmed")?.unwrap_or(false)
        {
            follower.confirm(client)?;
        }
        client.followers().end(input.required("follow", number)?);
        return Ok(printed(None, "", exit_code_if_interrupted(counts(&held))));
    }
    Ok(match step(client, &mut held, input, context) {
        Ok(Progress::Ended(end)) => {
            printed(number, &line_of_end(&end, is_for_people(input)?), None)
        }
        Ok(Progress::Open) => printed(number, "", None),
        Ok(Progress::Over) => printed(number, "", Some(exit_code_of_ends(counts(&held)))),
        // The caller that cancelled it ends it.
        Err(error) if error.kind() == ErrorKind::Cancelled => printed(number, "", None),
        Err(error) => failed(number, error.into(), input)?,
    })
}

fn is_for_people(input: &Input) -> Result<bool, Error> {
    Ok(input.flag("is_terminal")?.unwrap_or(false))
}

fn failed(follow: Option<u64>, failure: CommandFailure, input: &Input) -> Result<Json, Error> {
    let failure = failure.explained_by(input.text("explain")?);
    let mut output = Members::from([("stdout", "")]);
    failure.push_texts(&mut output);
    output.push("follow", follow);
    output.push("exit_code", u64::from(failure.exit_code));
    Ok(output.into())
}

fn printed(follow: Option<u64>, stdout: &str, exit_code: Option<u8>) -> Json {
    let mut output = Members::from([("stdout", stdout), ("stderr", "")]);
    output.push("follow", follow);
    output.push("exit_code", exit_code.map(u64::from));
    output.into()
}

fn held(client: &HostClient, input: &Input) -> Result<Arc<Mutex<Held>>, Error> {
    let number = input.required("follow", input.number("follow")?)?;
    client.followers().get(number).ok_or_else(|| {
        let message = "this client follows nothing under this number; begin again";
        Error::validation("follow", ErrorCode::VALUE_INVALID, message)
    })
}

fn step(
    client: &HostClient,
    held: &mut Held,
    input: &Input,
    context: &CallContext,
) -> Result<Progress, Error> {
    let follower = held.begun(client, client.followers(), context)?;
    if let Some(end) = follower.unconfirmed()
        && !input.flag("confirmed")?.unwrap_or(false)
    {
        return Ok(Progress::Ended(end));
    }
    let limit = input.number("wait_ms")?.map_or(FOR_EVER, Duration::from_millis);
    follower.next_within(client, limit, context)
}

/// The next step after a query of an open payment: [`OpenPayment::next_step`]
/// for jobs in other languages. `input` is an object with `age_ms`,
/// `give_up_after_ms`, `was_found`, `failures`, and either `is_over` or, of the
/// error, `kind`, `code`, `http_status` and `retry_after_ms`. Returns an object
/// with `step` (`ended`, `query`, `give_up` or `fail`), `wait_ms`, and
/// `failures`, for the next time.
///
/// # Errors
/// `validation` if a member is missing or has another type.
pub fn next_step_report(input: &[u8]) -> Result<Json, Error> {
    const KNOWN: &[&str] = &[
        "age_ms",
        "give_up_after_ms",
        "was_found",
        "failures",
        "is_over",
        "kind",
        "code",
        "http_status",
        "retry_after_ms",
    ];
    let input = Input::of_members(KNOWN, input)?;
    let milliseconds = |name: &str| input.required(name, input.number(name)?);
    let payment = OpenPayment {
        age: Duration::from_millis(milliseconds("age_ms")?),
        give_up_after: Duration::from_millis(milliseconds("give_up_after_ms")?),
        was_found: input.flag("was_found")?.unwrap_or(false),
        failures: input.number("failures")?.unwrap_or(0).try_into().unwrap_or(u32::MAX),
    };
    let failed = FailedQuery {
        kind: input.text("kind")?.unwrap_or_default(),
        reason: input.text("code")?.and_then(reason_of),
        http_status: input.number("http_status")?.and_then(|status| status.try_into().ok()),
        retry_after: input.number("retry_after_ms")?.map(Duration::from_millis),
    };
    let answer = input.flag("is_over")?.ok_or(failed);
    let (name, wait) = match payment.after(answer) {
        NextStep::Ended => ("ended", None),
        NextStep::Query(wait) => ("query", u64::try_from(wait.as_millis()).ok()),
        NextStep::GiveUp => ("give_up", None),
        NextStep::Fail => ("fail", None),
    };
    let mut report = Members::from([("step", name)]);
    report.push("wait_ms", wait);
    report.push("failures", u64::from(payment.counted(answer)));
    Ok(report.into())
}

/// The reason of an error that was reported to another language: its code is all
/// that is left of it.
fn reason_of(code: &str) -> Option<Reason> {
    const REASONS: [(ErrorCode, Reason); 3] = [
        (ErrorCode::PAYMENT_NOT_FOUND, Reason::NotFound),
        (ErrorCode::CREDENTIALS_REFUSED, Reason::TokenRefused),
        (ErrorCode::TOKEN_REQUEST_REFUSED, Reason::TokenRefused),
    ];
    REASONS.iter().find(|(of, _)| of.as_str() == code).map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(input: &str) -> String {
        next_step_report(input.as_bytes()).unwrap().to_text()
    }

    #[test]
    fn a_job_in_another_language_gets_the_rule_as_json() {
        let of =
            |rest: &str| report(&format!(r#"{{"age_ms":60000,"give_up_after_ms":90000,{rest}}}"#));
        let step = |step: &str, wait: &str, failures: u32| {
            format!(r#"{{"step":"{step}","wait_ms":{wait},"failures":{failures}}}"#)
        };
        assert_eq!(of(r#""is_over":true"#), step("ended", "null", 0));
        assert_eq!(of(r#""is_over":false,"failures":7"#), step("query", "6000", 0));
        let limited = r#""kind":"rate_limited","code":"rate_limited","http_status":429,"retry_after_ms":30000"#;
        assert_eq!(of(limited), step("query", "30000", 0));
        let wrong_key = r#""kind":"unauthorized","code":"unauthorized","http_status":401"#;
        assert_eq!(of(wrong_key), step("query", "30000", 3));
        assert_eq!(of(&format!(r#""failures":3,{wrong_key}"#)), step("query", "60000", 4));
        let invalid = r#""kind":"validation","code":"required""#;
        assert_eq!(of(invalid), step("fail", "null", 0));
        for code in ["credentials_refused", "token_request_refused"] {
            let refused = format!(r#""kind":"token","code":"{code}""#);
            assert_eq!(of(&refused), step("query", "30000", 3), "{code}");
        }
        assert_eq!(of(r#""kind":"token","code":"token_backoff""#), step("query", "6000", 1));
        let late = |code: &str| {
            report(&format!(
                r#"{{"age_ms":900000,"give_up_after_ms":1000000,"kind":"rejected","code":"{code}"}}"#
            ))
        };
        assert_eq!(late("payment_not_found"), step("give_up", "null", 0));
        assert_eq!(late("refused"), step("query", "90000", 0));
        let old = r#"{"age_ms":90000,"give_up_after_ms":90000,"is_over":false}"#;
        assert_eq!(report(old), step("give_up", "null", 0));
        for wrong in ["{}", "[]", r#"{"age_ms":"1"}"#, r#"{"age":1}"#] {
            assert!(next_step_report(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
