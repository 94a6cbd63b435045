//! The base of the packages of other languages: operations, the journal,
//! following and tools by name, with JSON in and out. Merchants in Rust use
//! [`Client`] instead; this module changes with any release.

mod commands;
mod follow;
mod following;
mod held;
mod input;
mod journal;
mod own_journal;
mod tools;

use std::panic::{AssertUnwindSafe, catch_unwind};

use payments_core::Client;
use payments_core::context::{CallContext, CallOptions as _, Ended};
use payments_core::error::{Error, ErrorCode, ErrorKind, Outcome};
use payments_core::inside::AnyRequest;
use payments_core::json::{Json, Members};
use payments_core::operation::Operation;
use payments_core::request::{CreatePayment, QueryPayment, RawRequest, Request, TypedResponse};
use payments_core::token::Token;
use payments_core::transport::PreparedRequest;
use payments_core::{CallResponse, RawResponse};

pub use payments_core::inside::error_of_panic;

pub use self::commands::{command_failure, command_plan};
pub use self::follow::{
    follow, follow_begin, follow_command, follow_end, follow_next, next_step_report,
};
pub use self::following::Following;
pub use self::held::HostClient;
pub use self::journal::{
    journal_adopt, journal_command, journal_compare, journal_list, journal_prune, journal_recover,
    journal_resolve, journal_show,
};
pub use self::own_journal::{OwnJournal, OwnJournalFailure};
pub use self::tools::{explanation, lint_report, verify_report};
use crate::agreement::Counting;
use crate::ensuring::{EnsuredPayment, ensure_payment, error_of_refused_ensure};
use crate::waiting::wait_for;

/// An action that [`call`] also takes: a query until the payment is over or the
/// deadline has passed.
const WAIT_FOR_PAYMENT: &str = "wait_for_payment";

/// An action that [`call`] also takes: a payment that is found, or created once.
const ENSURE_PAYMENT: &str = "ensure_payment";

/// An action that [`call`] also takes, and that always fails: an `ensure_payment` that a
/// package refuses on its own. The input has its `reference`, and `path`, `code` and
/// `message` of the error, which gets the outcome of the reference.
pub const REFUSED_ENSURE: &str = "refused_ensure_payment";

/// Work of a client that is not a call, with JSON in and out.
pub type HostWork = fn(&HostClient, &[u8], &CallContext) -> Result<Json, Error>;

/// All such work. In C, each is a function of this name, behind
/// `payments_client_`.
const WORK: [(&str, HostWork); 12] = [
    ("journal_list", journal_list),
    ("journal_show", journal_show),
    ("journal_recover", journal_recover),
    ("journal_resolve", journal_resolve),
    ("journal_prune", journal_prune),
    ("journal_compare", journal_compare),
    ("journal_adopt", journal_adopt),
    ("journal_command", journal_command),
    ("follow_begin", follow_begin),
    ("follow_next", follow_next),
    ("follow_end", follow_end),
    ("follow_command", follow_command),
];

/// The work of that name, for languages that call by name.
///
/// # Errors
/// `validation` for an unknown name.
pub fn work_of(name: &str) -> Result<HostWork, Error> {
    WORK.iter().find(|(known, _)| *known == name).map(|(_, work)| *work).ok_or_else(|| {
        let names = WORK.map(|(name, _)| name).join(", ");
        let message = format!("unknown action; the actions are {names}");
        Error::validation("action", ErrorCode::VALUE_INVALID, message)
    })
}

/// The operation of a call by name.
fn operation_of(name: &str) -> Option<Operation> {
    match name {
        WAIT_FOR_PAYMENT => Some(Operation::QueryPayment),
        ENSURE_PAYMENT | REFUSED_ENSURE => Some(Operation::CreatePayment),
        name => Operation::from_name(name),
    }
}

/// The context of a call of `name`, with the option `traceparent` if it has one.
///
/// # Errors
/// `validation` if it is not one.
pub fn traced(
    context: CallContext,
    traceparent: Option<&str>,
    name: &str,
) -> Result<CallContext, Error> {
    match traceparent.map(str::parse).transpose() {
        Ok(None) => Ok(context),
        Ok(Some(traceparent)) => Ok(context.with_traceparent(traceparent)),
        Err(error) => Err(naming_operation(error, name)),
    }
}

/// Performs the operation `name`. `input` is the JSON text of the request
/// body, or of the members of the query; empty for `access_token`.
///
/// # Errors
/// As the operation's own method. `validation` for an unknown name.
/// `internal` for a caught panic of this crate.
pub fn call(
    client: &Client,
    name: &str,
    input: &[u8],
    context: &CallContext,
) -> Result<CallResponse, Error> {
    caught(context, || match Operation::from_name(name) {
        None if name == WAIT_FOR_PAYMENT => {
            let query = QueryPayment::from_json(input)?;
            wait_for(client, &query, context).map(response_of_wait)
        }
        None if name == ENSURE_PAYMENT => {
            ensure_payment(client, &CreatePayment::from_json(input)?, context)
                .map(EnsuredPayment::into_call_response)
        }
        None if name == REFUSED_ENSURE => {
            Err(error_of_refused_ensure(client, &Json::parse(input)?, context))
        }
        Some(Operation::Send) | None => Err(unknown(name, |it| it != Operation::Send)),
        Some(operation) => match AnyRequest::from_json(operation, input, b"")? {
            Some(request) => client.execute(&request, context),
            None => client.access_token(context).map(response_of_token),
        },
    })
}

/// The response, with `other_hash` in its view.
fn response_of_wait(Counting { payment, other_hash, .. }: Counting) -> CallResponse {
    let mut response = payment.into_call_response();
    if let Json::Object(view) = &mut response.view {
        view.push("other_hash", other_hash);
    }
    response
}

/// Sends your own bytes. `head` is the JSON text of an object with `method`
/// and `path`, and optionally `query` (an object of texts, or an array of
/// pairs), `content_type` and `reference`.
///
/// # Errors
/// Those of [`Client::send`], and `internal` as [`call`].
pub fn send(
    client: &Client,
    head: &[u8],
    body: &[u8],
    context: &CallContext,
) -> Result<CallResponse, Error> {
    caught(context, || {
        client
            .execute(&RawRequest::from_json(head, body)?, context)
            .map(TypedResponse::into_call_response)
    })
}

/// Does everything but send the operation `name`. For `send`, `input` is the
/// head as in [`send`], and `body` holds its bytes.
///
/// # Errors
/// Those of [`Client::prepare`], and `internal` as [`call`].
pub fn prepare(
    client: &Client,
    name: &str,
    input: &[u8],
    body: &[u8],
    context: &CallContext,
) -> Result<PreparedRequest, Error> {
    caught(context, || client.prepare(&request_of(name, input, body)?, context))
}

/// Returns what is known of the bearer token as an object: `is_usable`;
/// `age`, `remaining` and `backoff` in seconds; and the other members of
/// the token response. Does not request a token.
///
/// # Errors
/// Those of [`Client::token_status`].
pub fn token_status(client: &Client, context: &CallContext) -> Result<Json, Error> {
    caught(context, || {
        let status = client.token_status(context)?;
        let mut view = Members::new();
        view.push("is_usable", status.is_usable);
        view.push("age", status.age.map(|age| age.as_secs()));
        view.push("remaining", status.remaining.map(|left| left.as_secs()));
        view.push("backoff", status.backoff.map(|left| left.as_secs()));
        for (name, value) in &status.members {
            view.push(name.as_str(), value.as_str());
        }
        Ok(Json::Object(view))
    })
}

/// Drops the bearer token. Returns null.
///
/// # Errors
/// Those of [`Client::forget_token`].
pub fn forget_token(client: &Client, context: &CallContext) -> Result<Json, Error> {
    caught(context, || client.forget_token(context).map(|()| Json::Null))
}

/// Obtains the token and opens a connection. Returns null.
///
/// # Errors
/// Those of [`Client::warm_up`].
pub fn warm_up(client: &Client, context: &CallContext) -> Result<Json, Error> {
    caught(context, || client.warm_up(context).map(|()| Json::Null))
}

/// The error for a caller that was interrupted after the call completed and
/// cannot receive its response: `cancelled` with the code
/// `interrupted_after_response`, the request's reference and the response.
/// Without a response the outcome is `NotExecuted`. Pass the request as for
/// [`prepare`].
pub fn interrupted_after_response(
    client: &Client,
    name: &str,
    input: &[u8],
    body: &[u8],
    response: Option<CallResponse>,
) -> Error {
    let error = match response {
        Some(response) => client.interrupted(response),
        None => Error::new(
            ErrorKind::Cancelled,
            Outcome::NotExecuted,
            ErrorCode::INTERRUPTED_AFTER_RESPONSE,
            "the call was cancelled when it was complete; nothing was sent to the service",
        ),
    };
    with_reference(error, client, name, input, body)
}

/// The error of a call that was cancelled before any thread began it. It lacks the
/// reference: [`with_reference`] reads it from the request.
pub fn cancelled_before_begin(name: &str) -> Error {
    let (code, message) = (ErrorCode::CANCELLED, Ended::Cancelled.message());
    naming_operation(Error::new(ErrorKind::Cancelled, Outcome::NotExecuted, code, message), name)
}

fn naming_operation(error: Error, name: &str) -> Error {
    match operation_of(name) {
        Some(operation) => error.with_operation(operation, None),
        None => error,
    }
}

/// The error with the operation and the reference of its request, which is passed as
/// for [`prepare`].
pub fn with_reference(
    error: Error,
    client: &Client,
    name: &str,
    input: &[u8],
    body: &[u8],
) -> Error {
    let Some(operation) = operation_of(name) else {
        return error;
    };
    let request = AnyRequest::from_json(operation, input, body).ok().flatten();
    let draft = request.and_then(|request| request.draft(client.rules()).ok());
    error.with_operation(operation, draft.and_then(|draft| draft.reference).as_deref())
}

/// Whether this client has its own observer.
pub fn is_observed(client: &Client) -> bool {
    client.is_observed()
}

/// The error for a failure of a package itself.
pub fn failure(kind: ErrorKind, outcome: Outcome, code: ErrorCode, message: &str) -> Error {
    Error::new(kind, outcome, code, message)
}

/// Turns a panic into an error of this call only.
fn caught<T>(context: &CallContext, call: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|_| Err(error_of_panic(Outcome::of_record(context.may_have_sent()))))
}

/// The request of the operation `name`.
fn request_of(name: &str, input: &[u8], body: &[u8]) -> Result<AnyRequest, Error> {
    let unknown = || unknown(name, |it| it != Operation::AccessToken);
    let operation = Operation::from_name(name).ok_or_else(unknown)?;
    AnyRequest::from_json(operation, input, body)?.ok_or_else(unknown)
}

fn unknown(name: &str, is_offered: fn(Operation) -> bool) -> Error {
    let message = Operation::unknown_name(name, is_offered);
    Error::new(ErrorKind::Validation, Outcome::NotExecuted, ErrorCode::VALUE_INVALID, message)
}

fn response_of_token(token: Token) -> CallResponse {
    let mut view = Members::new();
    view.push("access_token", token.value.expose());
    view.push("token_type", "bearer");
    view.push("expires_at", token.expires_at);
    for (name, value) in &token.members {
        view.push(name.as_str(), value.as_str());
    }
    CallResponse { raw: RawResponse::new(200, Vec::new(), Vec::new()), view: view.into() }
}
