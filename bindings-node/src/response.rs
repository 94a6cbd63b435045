//! The results of calls, as messages.

use std::panic::{AssertUnwindSafe, catch_unwind};

use payments_core::error::help_of;
use payments_core::json::{Json, Members};
use payments_core::transport::PreparedRequest;
use payments_core::{CallContext, CallResponse, Error, ErrorKind, Outcome, bridge};

use crate::message::{AskedCall, EndedCall, Message, MessageKind};

impl Message {
    /// The end of this call if it was cancelled in the meantime: an error of the
    /// kind `cancelled`, with the response or the failure.
    pub(crate) fn into_cancelled(mut self) -> Self {
        match self.ended.take() {
            Some(EndedCall::Failed(error)) => of_error(error.into_cancelled()),
            Some(EndedCall::Done(asked)) => self.into_interrupted(&asked),
            None => self,
        }
    }

    /// The error of a call whose response was complete. It does not convert the
    /// large parts of the response, because it runs on the event loop's thread.
    fn into_interrupted(self, asked: &AskedCall) -> Self {
        let AskedCall { client, operation, input, body } = asked;
        let is_response = matches!(self.kind, MessageKind::Response);
        let scalars = || {
            let view = Json::parse(self.text.as_deref().unwrap_or_default().as_bytes());
            view.ok().and_then(|view| view.pointer("/0").cloned()).unwrap_or_default()
        };
        let response = is_response.then(|| CallResponse {
            http_status: u16::try_from(self.number).unwrap_or_default(),
            headers: Vec::new(),
            body: self.bytes.clone().unwrap_or_default(),
            view: scalars(),
            max_values: bridge::max_response_values(client),
        });
        let error = bridge::interrupted_after_response(client, operation, input, body, response);
        if !is_response {
            return of_error(error);
        }
        let headers = self.more_text.as_deref().unwrap_or_default();
        let headers = Json::parse(headers.as_bytes()).unwrap_or_default();
        Self { kind: MessageKind::Interrupted, more_text: Some(report_of(&error, headers)), ..self }
    }
}

/// The response to a call, or its error.
pub(crate) fn of_call(result: Result<CallResponse, Error>) -> Message {
    match result {
        Ok(response) => {
            let (view, parts) = view_of(&response);
            Message {
                number: response.http_status.into(),
                more_text: Some(pairs_of(&response).to_text()),
                bytes: Some(response.body),
                more_bytes: Some(parts),
                ..Message::new(MessageKind::Response).text(view)
            }
        }
        Err(error) => of_error(error),
    }
}

/// A prepared request, or its error.
pub(crate) fn of_prepared(result: Result<PreparedRequest, Error>) -> Message {
    match result {
        Ok(request) => {
            let mut head = Members::new();
            head.push("method", request.method());
            head.push("url", request.url());
            Message {
                more_text: Some(pairs(request.headers()).to_text()),
                bytes: Some(request.body().to_vec()),
                ..Message::new(MessageKind::Prepared).text(Json::from(head).to_text())
            }
        }
        Err(error) => of_error(error),
    }
}

/// A report, or its error.
pub(crate) fn of_report(result: Result<Json, Error>) -> Message {
    match result {
        Ok(report) => Message::new(MessageKind::Report).text(report.to_text()),
        Err(error) => of_error(error),
    }
}

/// An error: its report, its text, and its bytes or response.
pub(crate) fn of_error(error: Error) -> Message {
    if let Some(response) = error.response() {
        let (view, bytes_of_parts) = view_of(response);
        return Message {
            number: response.http_status.into(),
            more_text: Some(report_of(&error, pairs_of(response))),
            bytes: Some(response.body.clone()),
            more_bytes: Some(bytes_of_parts),
            ..Message::new(MessageKind::Interrupted).text(view)
        };
    }
    Message {
        more_text: Some(error.to_string()),
        bytes: error.request_body().map(<[u8]>::to_vec),
        more_bytes: error.response_body().map(<[u8]>::to_vec),
        ended: (error.kind() != ErrorKind::Cancelled).then(|| EndedCall::Failed(error.clone())),
        ..Message::new(MessageKind::Failure).text(error.to_json().to_text())
    }
}

/// Report and text of an error that has a response, and the response's headers.
fn report_of(error: &Error, headers: Json) -> String {
    Json::Array(vec![error.to_json(), error.to_string().as_str().into(), headers]).to_text()
}

/// The result of `work`. A panic in it becomes a failure whose outcome comes from
/// the byte record. Without a call, nothing can have been executed.
pub(crate) fn guarded(context: Option<&CallContext>, work: impl FnOnce() -> Message) -> Message {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let outcome = context.map_or(Outcome::NotExecuted, CallContext::outcome);
        of_bug("panic", "a bug in libpayments was caught; please report it", outcome)
    })
}

/// The system could not start a thread.
pub(crate) fn of_no_thread() -> Message {
    let message = "could not start a thread for the call; check the limits of the system";
    of_bug("no_thread", message, Outcome::NotExecuted)
}

fn of_bug(code: &str, message: &str, outcome: Outcome) -> Message {
    let (kind, outcome) = (ErrorKind::Internal.as_str(), outcome.as_str());
    let mut report = Members::new();
    report.push("kind", kind);
    report.push("code", code);
    report.push("message", message);
    report.push("outcome", outcome);
    report.push("attempts", 0_u64);
    report.push("help", help_of(code));
    Message {
        more_text: Some(format!("{message} [{kind}/{code}, {outcome}]")),
        ..Message::new(MessageKind::Failure).text(Json::from(report).to_text())
    }
}

/// The typed members of a response: a JSON array with an object of the small ones
/// and the names of the large ones; and the object of the large ones, which
/// JavaScript parses on first use.
fn view_of(response: &CallResponse) -> (String, Vec<u8>) {
    let (mut small, mut names, mut parts) = (Members::new(), Vec::new(), Members::new());
    let view = response.whole_view().into_owned();
    let Json::Object(view) = view else {
        return ("[{},[]]".to_owned(), Vec::new());
    };
    for (name, value) in view {
        if matches!(value, Json::Array(_) | Json::Object(_)) {
            names.push(Json::from(name.as_str()));
            parts.push(name, value);
        } else {
            small.push(name, value);
        }
    }
    (Json::Array(vec![small.into(), Json::Array(names)]).to_text(), parts.to_bytes())
}

fn pairs_of(response: &CallResponse) -> Json {
    pairs(response.headers.iter().map(|(name, value)| (&**name, &**value)))
}

/// Names and values as a JSON array of pairs.
fn pairs<'a>(headers: impl Iterator<Item = (&'a str, &'a str)>) -> Json {
    let pair = |(name, value): (&str, &str)| Json::Array(vec![name.into(), value.into()]);
    Json::Array(headers.map(pair).collect())
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test may fail so")]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The outcome of the failure that a panic becomes.
    fn outcome_of_panic(context: Option<&CallContext>) -> String {
        let message = guarded(context, || panic!("on purpose"));
        assert!(matches!(message.kind, MessageKind::Failure));
        let report = message.text.unwrap_or_default();
        let report = Json::parse(report.as_bytes()).unwrap_or(Json::Null);
        let member = |name| report.get(name).and_then(Json::as_str).unwrap_or_default();
        assert_eq!((member("kind"), member("code")), ("internal", "panic"));
        let text = message.more_text.unwrap_or_default();
        assert!(text.ends_with(&format!("[internal/panic, {}]", member("outcome"))), "{text}");
        member("outcome").to_owned()
    }

    #[test]
    fn the_outcome_of_a_panic_follows_the_byte_record() {
        assert_eq!(outcome_of_panic(None), "not_executed");
        let context = CallContext::with_timeout(Duration::from_secs(60));
        assert_eq!(outcome_of_panic(Some(&context)), "not_executed");
        context.mark_bytes_left();
        assert_eq!(outcome_of_panic(Some(&context)), "unknown");
    }
}
