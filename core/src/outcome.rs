//! What an answer, or the lack of one, means for the operation: the table
//! "Outcome of failures" of the documentation.

use crate::config::Rules;
use crate::error::{Error, ErrorKind, Outcome};
use crate::operation::Operation;
use crate::operations::{duplicate_reference, is_not_found, payment_not_found, words_of_json};
use crate::token::parse_retry_after;
use crate::transport::{FailureKind, HttpResponse, TransportFailure};

/// The error for a transport that gave no answer.
pub(crate) fn of_failure(failure: TransportFailure, outcome: Outcome) -> Error {
    let kind = match failure.kind {
        FailureKind::Connect => ErrorKind::Connect,
        FailureKind::Tls => ErrorKind::Tls,
        FailureKind::Broken => ErrorKind::Transport,
        FailureKind::Timeout => ErrorKind::Timeout,
        FailureKind::Cancelled => ErrorKind::Cancelled,
        FailureKind::Protocol => ErrorKind::Protocol,
        FailureKind::TooLarge => ErrorKind::TooLarge,
    };
    let error = Error::new(kind, failure.code, failure.message.clone()).with_outcome(outcome);
    match failure.source.clone() {
        Some(_) => error.with_source(failure),
        None => error,
    }
}

/// The error for a bug that was caught.
pub(crate) fn of_panic(outcome: Outcome) -> Error {
    let message = "a bug in libpayments was caught; please report it";
    Error::new(ErrorKind::Internal, "panic", message).with_outcome(outcome)
}

/// `Ok` for a 2xx with all of its body. The status decides before the body,
/// but for a refusal: one of the `duplicate_codes` in it leaves the outcome
/// unknown, and so does a body that may hold one and cannot be read.
pub(crate) fn of_answer(
    response: &mut HttpResponse,
    operation: Operation,
    rules: &Rules,
) -> Result<(), Error> {
    let status = response.status;
    if !matches!(status, 200..=299) {
        return Err(of_status(response, operation, rules));
    }
    match response.body_failure.take() {
        None => Ok(()),
        Some(failure) => Err(of_failure(failure, Outcome::Unknown)
            .with_http_status(status)
            .with_response_bytes(&response.body)),
    }
}

fn of_status(response: &HttpResponse, operation: Operation, rules: &Rules) -> Error {
    let status = response.status;
    let read = words_of_json(&response.body);
    let is_readable = read.is_some() && response.body_failure.is_none();
    let words = read.unwrap_or_default();
    let new = |kind, code, message: String| Error::new(kind, code, message);
    let error = match status {
        300..=399 => new(
            ErrorKind::Protocol,
            "redirect",
            format!("the service answered {status}; redirects are not followed, check base_url"),
        )
        .with_outcome(Outcome::Unknown),
        401 => new(
            ErrorKind::Unauthorized,
            "unauthorized",
            "the service answered 401 and does not say why; see the diagnosis".to_owned(),
        ),
        429 => new(
            ErrorKind::RateLimited,
            "rate_limited",
            "the service answered 429; wait before asking again".to_owned(),
        ),
        400..=499 if words.says(&rules.duplicate_codes) => duplicate_reference(),
        400..=499 if is_not_found(operation, &words, rules) => payment_not_found(),
        400 | 422 if !is_readable && operation.moves_money() => new(
            ErrorKind::Status,
            "refusal_unreadable",
            format!(
                "the service refused the request with status {status}, and its reason cannot be \
                 read; the reference may have been used before"
            ),
        )
        .with_outcome(Outcome::Unknown),
        400 | 403 | 404 | 405 | 406 | 410 | 411 | 413 | 414 | 415 | 422 | 426 | 428 | 431 => new(
            ErrorKind::Status,
            "refused",
            format!("the service refused the request with status {status}"),
        ),
        _ => new(
            ErrorKind::Status,
            "failed",
            format!("the service answered status {status}, which does not say what was done"),
        )
        .with_outcome(Outcome::Unknown),
    };
    let retry_after = response.header("retry-after").and_then(parse_retry_after);
    error
        .with_http_status(status)
        .with_service(words.code.as_deref(), words.message.as_deref())
        .with_payment_hash(words.hash.as_deref())
        .with_retry_after(retry_after)
        .with_response_bytes(&response.body)
}
