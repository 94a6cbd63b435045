//! What comes of a call, as messages.

use payments_core::json::{Json, Members};
use payments_core::transport::PreparedRequest;
use payments_core::{CallAnswer, Error, ErrorKind, Outcome};

use crate::port::{Kind, Message};

/// The answer to a call, or its error.
pub(crate) fn of_call(result: Result<CallAnswer, Error>) -> Message {
    match result {
        Ok(answer) => Message {
            number: answer.http_status.into(),
            more_text: Some(pairs(answer.headers.iter().map(|(name, value)| (&**name, &**value)))),
            bytes: Some(answer.body),
            ..Message::new(Kind::Answer).text(answer.view.to_text())
        },
        Err(error) => of_error(&error),
    }
}

/// A prepared request, or why there is none.
pub(crate) fn of_prepared(result: Result<PreparedRequest, Error>) -> Message {
    match result {
        Ok(request) => {
            let mut head = Members::new();
            head.push("method", request.method());
            head.push("url", request.url());
            Message {
                more_text: Some(pairs(request.headers())),
                bytes: Some(request.body().to_vec()),
                ..Message::new(Kind::Prepared).text(Json::from(head).to_text())
            }
        }
        Err(error) => of_error(&error),
    }
}

/// A report, or why there is none.
pub(crate) fn of_report(result: Result<Json, Error>) -> Message {
    match result {
        Ok(report) => Message::new(Kind::Report).text(report.to_text()),
        Err(error) => of_error(&error),
    }
}

/// An error: its report, its text, and the bytes that it keeps.
pub(crate) fn of_error(error: &Error) -> Message {
    Message {
        more_text: Some(error.to_string()),
        bytes: error.request_bytes().map(<[u8]>::to_vec),
        more_bytes: error.response_bytes().map(<[u8]>::to_vec),
        ..Message::new(Kind::Failure).text(error.to_json().to_text())
    }
}

/// A bug was caught.
pub(crate) fn of_panic() -> Message {
    of_bug("panic", "a bug in libpayments was caught; please report it")
}

/// The system gave no thread.
pub(crate) fn of_no_thread() -> Message {
    of_bug("no_thread", "the system gave no thread for the call; look at its limits")
}

/// Only before a call or beside one: nothing was executed.
fn of_bug(code: &str, message: &str) -> Message {
    let (kind, outcome) = (ErrorKind::Internal.as_str(), Outcome::NotExecuted.as_str());
    let mut report = Members::new();
    report.push("kind", kind);
    report.push("code", code);
    report.push("message", message);
    report.push("outcome", outcome);
    report.push("attempts", 0_u64);
    Message {
        more_text: Some(format!("{message} [{kind}/{code}, {outcome}]")),
        ..Message::new(Kind::Failure).text(Json::from(report).to_text())
    }
}

/// Names and values as a JSON array of pairs.
fn pairs<'a>(headers: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let pair = |(name, value): (&str, &str)| Json::Array(vec![name.into(), value.into()]);
    Json::Array(headers.map(pair).collect()).to_text()
}
