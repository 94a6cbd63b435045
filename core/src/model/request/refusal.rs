//! Why the service refused, as far as its words say so.

// - `generated.rs`: the known codes of the service

mod generated;

use super::words::ServiceWords;
use crate::model::error::{Error, ErrorCode, ErrorKind, Outcome, Reason, SEE_SERVICE_MESSAGE};
use crate::model::operation::Operation;
use crate::model::rules::{Rules, contains_code, same_text};

/// The known codes of the service.
struct Known {
    codes: &'static [&'static str],
    meaning: &'static str,
    remedy: &'static str,
}

/// The error for a refusal whose code says that money may have moved, by this
/// request or by an earlier one. An operation that moves no money has no such
/// doubt.
pub(crate) fn doubt_of_codes(
    operation: Operation,
    words: &ServiceWords,
    rules: &Rules,
) -> Option<Error> {
    let (code, reason, message) = if !operation.moves_money() {
        return None;
    } else if words.names_code_in(&rules.duplicate_codes) {
        let message = "the reference was used before; an earlier attempt may have been executed";
        (ErrorCode::DUPLICATE_REFERENCE, Some(Reason::ReferenceKnown), message.to_owned())
    } else if words.names_code_in(&rules.doubtful_codes) {
        (ErrorCode::REFUSAL_DOUBTFUL, None, doubtful_message(words, rules))
    } else {
        return None;
    };
    let error = Error::new(ErrorKind::Rejected, Outcome::Unknown, code, message);
    Some(error.with_reason(reason))
}

fn doubtful_message(words: &ServiceWords, rules: &Rules) -> String {
    let is_doubtful = |code: &&str| {
        contains_code(&rules.doubtful_codes, code) && words.names_code_in(&[(*code).to_owned()])
    };
    let known = generated::KNOWN.iter().find(|known| known.codes.iter().any(is_doubtful));
    let reason = known.map_or_else(
        || "its code is one of the doubtful_codes; find out before you send it again".to_owned(),
        |Known { meaning, remedy, .. }| format!("{meaning}; {remedy}"),
    );
    format!("the service refused the operation, but money may have moved: {reason}")
}

/// The meaning and remedy of a refusal with these words, for a message. It shows
/// no words of the service, which may repeat payer data.
pub(crate) fn reason_of(words: &ServiceWords) -> String {
    let code = words.shown_code();
    let is_said = |known: &&str| code.is_some_and(|it| same_text(it, known));
    let is_meant = |known: &&Known| known.codes.iter().any(is_said);
    match (generated::KNOWN.iter().find(is_meant), code, &words.message) {
        (Some(Known { meaning, remedy, .. }), ..) => format!("{meaning}; {remedy}"),
        (None, Some(_), Some(_)) => "see the service's code and message in this error".to_owned(),
        (None, None, Some(_)) => SEE_SERVICE_MESSAGE.to_owned(),
        (None, Some(_), None) => "look up its code in the provider's documentation".to_owned(),
        (None, None, None) => "it gives no reason".to_owned(),
    }
}

/// The message for a refusal by status; `None` for a status that does not say
/// that nothing was executed. The request had a body of `sent` bytes. `asked` is
/// its address, if no call of the client was accepted yet.
pub(crate) fn refused_with(
    status: u16,
    operation: Operation,
    sent: usize,
    words: &ServiceWords,
    asked: Option<&str>,
) -> Option<String> {
    let name = match status {
        400 => "bad request",
        403 => "forbidden",
        404 => "not found",
        405 => "method not allowed",
        406 => "not acceptable",
        410 => "gone",
        411 => "length required",
        413 => "content too large",
        414 => "URI too long",
        415 => "unsupported media type",
        422 => "unprocessable content",
        426 => "upgrade required",
        428 => "precondition required",
        431 => "request header fields too large",
        _ => return None,
    };
    // A web server writes the name of the status as if it were a code.
    let code = words.shown_code().filter(|code| !same_text(code, name));
    let has_words = code.is_some() || words.message.is_some();
    let reason = match asked.filter(|_| matches!(status, 404 | 405 | 410)) {
        Some(asked) if has_words => {
            format!("{}; otherwise {}", check_address(operation, asked), reason_of(words))
        }
        Some(asked) => check_address(operation, asked),
        None if has_words => reason_of(words),
        None => advice_on(status, operation, sent),
    };
    Some(format!("the service refused the request with status {status} ({name}): {reason}"))
}

/// The remedy if no call of a client was accepted yet, and one that was sent to
/// `asked` found no such operation.
pub(crate) fn check_address(operation: Operation, asked: &str) -> String {
    let what = match operation.path() {
        "" => ", and the path of the request".to_owned(),
        path => format!(", to which the client appends {path}"),
    };
    format!(
        "check base_url first{what}: no call of this client was accepted yet, and this one asked \
         {asked}"
    )
}

/// The remedy for a refusal by status alone.
fn advice_on(status: u16, operation: Operation, sent: usize) -> String {
    match (status, operation.path()) {
        (400 | 422, _) => {
            "it gives no reason; compare the request with the provider's documentation: prepare \
             shows it as it is sent"
                .to_owned()
        }
        (403, _) => {
            "check that the account may do this, that the provider allows this host's address, \
             and that base_url and the credentials belong to the same environment"
                .to_owned()
        }
        (404 | 405 | 410, "") => "check base_url and the path of the request".to_owned(),
        (404 | 405 | 410, path) => {
            format!("check base_url, to which the client appends {path}")
        }
        (413, _) => {
            format!("the body has {sent} bytes; send less, or ask the provider for its limit")
        }
        (414 | 431, _) => "make the request shorter".to_owned(),
        _ => {
            "the service, or a proxy before it, does not take such a request; check base_url, and \
             ask the provider"
                .to_owned()
        }
    }
}
