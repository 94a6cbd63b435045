//! The ends of calls, as messages. Apart from the queue, because the thread of a call
//! makes them, so that the event loop only receives.

use std::panic::{AssertUnwindSafe, catch_unwind};

use payments_core::ErrorCode;
use payments_core::json::{Json, Members};
use payments_core::transport::PreparedRequest;
use payments_core::{CallContext, CallResponse, Error, ErrorKind, Outcome};
use payments_host::by_name;
use payments_host::spelling::{Spelling, in_camel_case, spelled};

use crate::message::{ErrorTexts, Failure, JsMessage, Message, ResponseParts};
use crate::names::with_own_names;

/// The result of a call that did not fail.
pub(crate) enum CallResult {
    Response(CallResponse),
    Prepared(PreparedRequest),
    /// The state of a token, or a result of the journal.
    Report(Json),
}

impl CallResult {
    pub(crate) fn message(&self) -> Message {
        match self {
            Self::Response(response) => Message::Response { response: parts_of(response) },
            Self::Prepared(request) => Message::Prepared {
                method: request.method().to_owned(),
                url: request.url().to_owned(),
                headers: pairs(request.headers()),
                body: request.body().into(),
            },
            Self::Report(report) => {
                Message::Report { json: in_own_words(&with_own_names(report.clone()).to_text()) }
            }
        }
    }

    /// The response with the members that identify the operation: the small ones of
    /// its view.
    pub(crate) fn into_essentials(self) -> Option<CallResponse> {
        let Self::Response(mut response) = self else { return None };
        let Json::Object(view) = response.view else { return Some(response) };
        let small = view.into_iter().filter(|(_, value)| !is_large(value));
        response.view = small.collect::<Members>().into();
        Some(response)
    }
}

/// The result of a tool.
pub(crate) fn of_report(result: Result<Json, Error>) -> JsMessage {
    match result {
        Ok(report) => CallResult::Report(report).message().into(),
        Err(error) => of_error(&error),
    }
}

/// An error, for a call that may be cancelled before JavaScript gets it.
pub(crate) fn of_error(error: &Error) -> JsMessage {
    let mut js_message = JsMessage::from(failed(error));
    if error.kind() != ErrorKind::Cancelled {
        let error = error.clone();
        js_message.if_cancelled = Some(Box::new(move || texts_of(&error.into_cancelled())));
    }
    js_message
}

/// An error with its bytes or its response.
pub(crate) fn failure_of(error: &Error) -> Failure {
    let ErrorTexts { report, text } = texts_of(error);
    Failure {
        report,
        text,
        request_body: error.request_body().map(Into::into),
        response_body: error.response_body().map(Into::into),
        response: error.response().map(parts_of),
    }
}

pub(crate) fn texts_of(error: &Error) -> ErrorTexts {
    let report = with_own_names(error.to_json()).to_text();
    ErrorTexts { report: in_own_words(&report), text: in_own_words(&error.to_string()) }
}

/// Texts for people, with functions and options as JavaScript has them.
fn in_own_words(text: &str) -> String {
    spelled(text, Spelling::CamelCase)
}

/// The result of `work`. A panic in it becomes a failure whose outcome comes from
/// the byte record. Without a call, nothing can have been executed.
pub(crate) fn guarded(
    context: Option<&CallContext>,
    work: impl FnOnce() -> JsMessage,
) -> JsMessage {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let outcome = Outcome::of_record(context.is_some_and(CallContext::may_have_sent));
        failed(&by_name::error_of_panic(outcome)).into()
    })
}

/// The system could not start a thread.
pub(crate) fn of_no_thread() -> Message {
    let message = "could not start a thread for the call; check the limits of the system";
    let (kind, outcome) = (ErrorKind::Internal, Outcome::NotExecuted);
    failed(&by_name::failure(kind, outcome, ErrorCode::RESOURCES_EXHAUSTED, message))
}

fn failed(error: &Error) -> Message {
    Message::Failure { failure: failure_of(error) }
}

/// The member of a view that holds the whole body, whose names are the service's.
const BODY: &str = "response";

/// A response with its view as two JSON objects, so that JavaScript parses what may
/// be large on first use.
fn parts_of(response: &CallResponse) -> ResponseParts {
    let (mut members, mut large_names, mut large) = (Members::new(), Vec::new(), Members::new());
    if let Json::Object(view) = response.whole_view().into_owned() {
        for (name, value) in view {
            let value = if name == BODY { value } else { with_own_names(value) };
            let name = in_camel_case(&name);
            if is_large(&value) {
                large_names.push(name.clone());
                large.push(name, value);
            } else {
                members.push(name, value);
            }
        }
    }
    let headers = response.raw.headers().iter().map(|(name, value)| (&**name, &**value));
    ResponseParts {
        http_status: response.raw.status(),
        members: Json::from(members).to_text(),
        large_names,
        large: large.to_bytes().into(),
        headers: pairs(headers),
        body: response.raw.body().into(),
    }
}

/// Whether JavaScript parses a member of a view on first use.
fn is_large(value: &Json) -> bool {
    matches!(value, Json::Array(_) | Json::Object(_))
}

/// Names and values as a JSON array of pairs.
fn pairs<'a>(headers: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let pair = |(name, value): (&str, &str)| Json::Array(vec![name.into(), value.into()]);
    Json::Array(headers.map(pair).collect()).to_text()
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test may fail so")]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The outcome of the failure that a panic becomes.
    fn outcome_of_panic(context: Option<&CallContext>) -> String {
        let JsMessage { message, .. } = guarded(context, || panic!("on purpose"));
        let Message::Failure { failure: Failure { report, text, .. } } = message else {
            panic!("another message");
        };
        let report = Json::parse(report.as_bytes()).unwrap_or(Json::Null);
        let member = |name| report.get(name).and_then(Json::as_str).unwrap_or_default();
        assert_eq!((member("kind"), member("code")), ("internal", "internal_error"));
        assert!(
            text.ends_with(&format!("[internal/internal_error, {}]", member("outcome"))),
            "{text}"
        );
        member("outcome").to_owned()
    }

    #[test]
    fn the_outcome_of_a_panic_follows_the_byte_record() {
        assert_eq!(outcome_of_panic(None), "not_executed");
        let context = CallContext::with_timeout(Duration::from_secs(60));
        assert_eq!(outcome_of_panic(Some(&context)), "not_executed");
        context.set_may_have_sent();
        assert_eq!(outcome_of_panic(Some(&context)), "unknown");
    }
}
