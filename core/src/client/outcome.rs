//! The meaning of a response, or the lack of one, for the operation. Implements
//! the table "Outcome of failures" in `docs/interface.md`.

use std::error::Error as _;

use payments_transport::inside::Cause;
use payments_transport::{Received, TransportFailure};

use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome, Reason};
use crate::model::json::{Json, ParseOptions};
use crate::model::operation::Operation;
use crate::model::request::{
    ServiceWords, check_address, doubt_of_codes, is_not_found, json_of_refusal, not_found,
    refusal_shows_success, refused_with, words_of,
};
use crate::model::response::{compression, is_html, retry_after};
use crate::model::rules::Rules;

/// The kind of the error for a failure with this cause, and its code.
const fn kind_and_code_of(cause: Cause) -> (ErrorKind, ErrorCode) {
    match cause {
        Cause::NotConnected | Cause::SpokeFirst => (ErrorKind::Connect, ErrorCode::CONNECT_FAILED),
        Cause::HostNotFound => (ErrorKind::Connect, ErrorCode::HOST_NOT_FOUND),
        Cause::NoDescriptors | Cause::NotLookedUp => {
            (ErrorKind::Connect, ErrorCode::RESOURCES_EXHAUSTED)
        }
        Cause::ConnectTimedOut => (ErrorKind::Connect, ErrorCode::CONNECT_TIMED_OUT),
        Cause::ProxyRefused => (ErrorKind::Connect, ErrorCode::PROXY_REFUSED),
        Cause::Tls | Cause::HandshakeBroken => (ErrorKind::Tls, ErrorCode::TLS_FAILED),
        Cause::NoRoots => (ErrorKind::Tls, ErrorCode::NO_ROOTS),
        Cause::CertificateExpired => (ErrorKind::Tls, ErrorCode::CERTIFICATE_EXPIRED),
        Cause::CertificateOfAnotherHost => (ErrorKind::Tls, ErrorCode::CERTIFICATE_OF_ANOTHER_HOST),
        Cause::CertificateRefused => (ErrorKind::Tls, ErrorCode::CERTIFICATE_REFUSED),
        Cause::Broken => (ErrorKind::Transport, ErrorCode::CONNECTION_BROKEN),
        Cause::Deadline => (ErrorKind::Timeout, ErrorCode::DEADLINE_PASSED),
        Cause::Cancelled => (ErrorKind::Cancelled, ErrorCode::CANCELLED),
        Cause::Forked => (ErrorKind::Cancelled, ErrorCode::CALL_FORKED),
        Cause::NotHttp => (ErrorKind::Protocol, ErrorCode::NOT_HTTP),
        Cause::InvalidRequest => (ErrorKind::Protocol, ErrorCode::INTERNAL_ERROR),
        Cause::TooLarge => (ErrorKind::TooLarge, ErrorCode::RESPONSE_TOO_LARGE),
        Cause::Panicked => (ErrorKind::Internal, ErrorCode::INTERNAL_ERROR),
    }
}

/// The kind of the error for a transport failure.
pub(crate) fn kind_of(failure: &TransportFailure) -> ErrorKind {
    kind_and_code_of(failure.cause()).0
}

/// The error for a transport failure without a response.
pub(crate) fn error_of_failure(failure: TransportFailure, outcome: Outcome) -> Error {
    let (kind, code) = kind_and_code_of(failure.cause());
    let error = Error::new(kind, outcome, code, failure.message_for("base_url"));
    match failure.source() {
        Some(_) => error.with_source(failure),
        None => error,
    }
}

/// The error for a caught panic.
pub fn error_of_panic(outcome: Outcome) -> Error {
    let message = "a bug in libpayments was caught; please report it";
    Error::new(ErrorKind::Internal, outcome, ErrorCode::INTERNAL_ERROR, message)
}

/// Returns `Ok` for a 2xx with a complete body. Otherwise the status decides,
/// unless the body of a refusal leaves a doubt: it has one of the
/// `duplicate_codes` or `doubtful_codes`, or may have one and cannot be read, or
/// there is [`doubt`]. Then the outcome is unknown. `asked` is the address of the
/// request, if no call of the client was accepted yet: the address may be wrong.
pub(crate) fn of_response(
    response: &mut Received,
    operation: Operation,
    sent: &[u8],
    rules: &Rules,
    should_continue: &dyn Fn() -> bool,
    asked: Option<&str>,
) -> Result<(), Error> {
    let status = response.raw.status();
    if !matches!(status, 200..=299) {
        let options = ParseOptions::new()
            .max_values(rules.max_response_values)
            .should_continue(should_continue);
        let json = json_of_refusal(response.raw.body(), options);
        let words = json.as_ref().map(words_of);
        let error = error_of_status(response, (operation, asked), sent.len(), rules, words);
        let compression = json.is_none().then(|| compression(&response.raw)).flatten();
        let error = match (status, compression) {
            (400 | 401 | 422, Some(why)) => {
                error.with_message(format!("the service responded with status {status}, and {why}"))
            }
            (402..=499, Some(why)) => {
                let message = format!("{}; {why}", error.message());
                error.with_message(message)
            }
            _ => error,
        };
        let is_refused = error.outcome() == Outcome::NotExecuted;
        let doubt = || doubt(response, operation, json.as_ref(), sent, rules);
        let error = match is_refused.then(doubt).flatten() {
            Some(why) => doubtful(response, error, why),
            None => error,
        };
        return Err(with_page(error, operation, asked.filter(|_| is_html(&response.raw))));
    }
    match response.body_failure.take() {
        None => Ok(()),
        Some(failure) => Err(error_of_failure(failure, Outcome::Unknown)
            .with_http_status(status)
            .with_response_bytes(response.raw.body())),
    }
}

/// The error for a web page that the address `asked` responded with.
pub(crate) fn with_page(error: Error, operation: Operation, asked: Option<&str>) -> Error {
    let Some(asked) = asked.filter(|asked| !error.message().contains(asked)) else {
        return error;
    };
    let said = match error.reason() {
        Some(Reason::NotJson) => "the response is a web page instead of JSON".to_owned(),
        _ => format!("{}; the response is a web page", error.message()),
    };
    error.with_message(format!("{said}; {}", check_address(operation, asked)))
}

/// Why a refusal of an operation that moves money does not say for certain that
/// it was not executed.
fn doubt(
    response: &Received,
    operation: Operation,
    json: Option<&Json>,
    sent: &[u8],
    rules: &Rules,
) -> Option<&'static str> {
    let is_401 = response.raw.status() == 401;
    if !operation.moves_money() {
        None
    } else if is_401 && !rules.treat_401_as_not_executed {
        Some("treat_401_as_not_executed is off")
    } else if is_401 && response.body_failure.is_some() {
        Some("its body broke off")
    } else if json.is_some_and(|json| refusal_shows_success(operation, json, sent, rules)) {
        Some("its body shows a sign of success")
    } else {
        None
    }
}

/// The error for such a refusal.
fn doubtful(response: &Received, refusal: Error, why: &str) -> Error {
    let status = response.raw.status();
    let message = format!(
        "the service responded with {status}, but may have executed the operation all the same: \
         {why}"
    );
    Error::new(refusal.kind(), Outcome::Unknown, ErrorCode::REFUSAL_DOUBTFUL, message)
        .with_http_status(status)
        .with_service(refusal.service_code(), refusal.service_message())
        .with_payment_hash(refusal.payment_hash())
        .with_retry_after(refusal.retry_after())
        .with_response_bytes(response.raw.body())
}

fn error_of_status(
    response: &Received,
    (operation, asked): (Operation, Option<&str>),
    sent: usize,
    rules: &Rules,
    words: Option<ServiceWords>,
) -> Error {
    let status = response.raw.status();
    let is_readable = words.is_some() && response.body_failure.is_none();
    let words = words.unwrap_or_default();
    let doubt = match status {
        401 | 429 => None,
        400..=499 => doubt_of_codes(operation, &words, rules),
        _ => None,
    };
    let error = doubt.unwrap_or_else(|| match status {
        300..=399 | 401 | 429 => error_of_status_alone(status),
        400..=499 if is_not_found(operation, &words, rules) => not_found(operation),
        400 | 422 if !is_readable && operation.moves_money() => {
            let message = format!(
                "the service refused the request with status {status}, and its reason is \
                 unreadable; the reference may have been used before"
            );
            Error::new(ErrorKind::Status, Outcome::Unknown, ErrorCode::REFUSAL_DOUBTFUL, message)
        }
        _ => match refused_with(status, operation, sent, &words, asked) {
            Some(message) => {
                Error::new(ErrorKind::Status, Outcome::NotExecuted, ErrorCode::REFUSED, message)
                    .because(Reason::Refused)
            }
            None => error_of_status_alone(status),
        },
    });
    error
        .with_http_status(status)
        .with_service(words.code.as_deref(), words.message.as_deref())
        .with_payment_hash(words.hash.as_deref())
        .with_retry_after(retry_after(&response.raw))
        .with_response_bytes(response.raw.body())
}

/// The error for a status, whatever its body says.
fn error_of_status_alone(status: u16) -> Error {
    match status {
        300..=399 => Error::new(
            ErrorKind::Protocol,
            Outcome::Unknown,
            ErrorCode::REDIRECT,
            format!(
                "the service responded with {status}; redirects are not followed: set base_url to \
                 the final address"
            ),
        ),
        401 => Error::new(
            ErrorKind::Unauthorized,
            Outcome::NotExecuted,
            ErrorCode::UNAUTHORIZED,
            "the service responded with 401 and gives no reason",
        ),
        429 => Error::new(
            ErrorKind::RateLimited,
            Outcome::NotExecuted,
            ErrorCode::RATE_LIMITED,
            "the service responded with 429 (too many requests); wait, as long as this error says if it does, and send fewer requests at a time",
        ),
        _ => Error::new(
            ErrorKind::Status,
            Outcome::Unknown,
            ErrorCode::FAILED,
            format!(
                "the service responded with status {status}, which does not tell whether it \
                 executed the operation"
            ),
        ),
    }
}
