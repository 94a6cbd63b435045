//! Verifies and executes requests.

mod authorization;
mod credentials;
mod shape;

use std::sync::atomic::Ordering;

use payments_core::json::Json;
use payments_core::operation::Operation;
use serde_json::json;

use crate::config::SandboxConfig;
use crate::faults::cancellation::PayoutCancellation;
use crate::http::RequestHead;
use crate::http::parameters::parameter;
use crate::http::response::Response;
use crate::operations::{
    INVALID_INTEGRATION_KEY, OperationResult, findings, payments, payouts, tracking,
};
use crate::service::Service;
use crate::service::request_log::{IntegrationKeyCheck, sha256_hex};
use crate::serving::credentials::SentCredentials;

const NO_SUCH_PATH: &str = "no such path";

/// The effect of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// The operation is not executed.
    None,
    /// The operation takes effect.
    Normal,
    /// The operation takes effect, but a payment it creates is declined, and a payout
    /// cancelled for that reason.
    Decline(PayoutCancellation),
}

/// The result of a request.
#[derive(Debug)]
pub(crate) struct ServedRequest {
    pub(crate) response: Response,
    pub(crate) credentials: SentCredentials,
    pub(crate) refused: Option<String>,
    pub(crate) executed: bool,
}

impl ServedRequest {
    fn refused(response: Response, reason: impl Into<String>) -> Self {
        Self {
            response,
            credentials: SentCredentials::default(),
            refused: Some(reason.into()),
            executed: false,
        }
    }
}

/// Serves a request whose body was read completely.
pub(crate) fn serve(
    service: &Service,
    operation: Option<Operation>,
    head: &RequestHead,
    body: &[u8],
    effect: Effect,
) -> ServedRequest {
    let config = service.config();
    let Some(operation) = operation else {
        return not_an_operation(&head.path);
    };
    if config.require_user_agent && head.header("user-agent").is_none() {
        return ServedRequest::refused(blocked_by_firewall(), "no User-Agent");
    }
    let json = Json::parse(body).ok();
    let credentials = match operation {
        Operation::AccessToken => {
            service.counters.token_requests.fetch_add(1, Ordering::Relaxed);
            SentCredentials::default()
        }
        _ => SentCredentials::check(service, &config, head, body, json.as_ref()),
    };
    if let Some(reason) = credentials.unauthorized() {
        let mut response = Response::empty(401);
        if credentials.bearer.is_refusal() && config.bearer_challenge {
            response = response.with_header("WWW-Authenticate", "Bearer error=\"invalid_token\"");
        }
        return ServedRequest { response, credentials, refused: Some(reason), executed: false };
    }
    let done = match credentials.integration_key {
        IntegrationKeyCheck::Wrong | IntegrationKeyCheck::Missing => {
            refuse_integration_key(operation)
        }
        _ if effect == Effect::None => {
            let response = Response::json(200, &json!({}));
            return ServedRequest { response, credentials, refused: None, executed: false };
        }
        _ if operation == Operation::AccessToken => {
            authorization::serve(service, &config, head, body)
        }
        _ if operation == Operation::Send => send(&config, head, body),
        _ if is_query_string(operation, &head.method) => {
            let query = head.query.as_deref().unwrap_or_default();
            payments::query(&service.ledger(), |name| parameter(query, name))
        }
        _ => execute(service, operation, &config, head, json.as_ref(), effect),
    };
    let executed = done.refused.is_none();
    ServedRequest { response: done.response, credentials, refused: done.refused, executed }
}

fn blocked_by_firewall() -> Response {
    let body = b"<html><body>Request blocked.</body></html>".to_vec();
    Response { body, ..Response::empty(403).with_header("Content-Type", "text/html") }
}

/// Executes an operation that has a JSON body. The whole body is checked
/// before anything takes effect.
fn execute(
    service: &Service,
    operation: Operation,
    config: &SandboxConfig,
    head: &RequestHead,
    body: Option<&Json>,
    effect: Effect,
) -> OperationResult {
    if !head.has_media_type("application/json") {
        let error = "Content-Type must be application/json";
        let response = Response::json(415, &json!({ "error": error }));
        return OperationResult { response, refused: Some(error.to_owned()) };
    }
    let body = match shape::check(operation, &config.refund_hash_member, body) {
        Ok(body) => body,
        Err(message) if is_of_payouts(operation) => return payouts::invalid(&message),
        Err(message) => return OperationResult::invalid(&message),
    };
    if !config.lenient
        && let Some(refusal) = findings::refusal(operation, body)
    {
        return refusal;
    }
    let mut ledger = service.ledger();
    let decline = match effect {
        Effect::Decline(why) => Some(why),
        Effect::None | Effect::Normal => None,
    };
    match operation {
        Operation::CreatePayment => {
            let decline = decline.is_some();
            payments::create(&mut ledger, &service.clock, config, &service.base_url, body, decline)
        }
        Operation::RefundPayment => payments::refund(&mut ledger, &service.clock, config, body),
        Operation::CreatePayout => {
            payouts::create(&mut ledger, &service.clock, config, body, decline)
        }
        Operation::QueryPayment => {
            payments::query(&ledger, |name| body.get(name)?.as_str().map(str::to_owned))
        }
        Operation::QueryPayout => payouts::query(&ledger, body),
        Operation::RegisterTracking => tracking::register(&mut ledger, body),
        other => OperationResult::unsupported(other),
    }
}

/// The operation that a method and path ask for. `send` stands for paths under
/// `/ws/` outside the interface, and for paths that the configuration accepts.
pub(crate) fn operation_of(config: &SandboxConfig, method: &str, path: &str) -> Option<Operation> {
    let method = if method == "HEAD" { "GET" } else { method };
    match operation_at(path) {
        Some(operation) => methods_of(operation).contains(&method).then_some(operation),
        None if path.starts_with("/ws/") || config.accepts_path(path) => Some(Operation::Send),
        None => None,
    }
}

/// The methods of an operation. One that the interface describes as a GET may also
/// be a POST, which has the parameters as JSON.
fn methods_of(operation: Operation) -> Vec<&'static str> {
    match operation.method() {
        "GET" => vec!["GET", "POST"],
        method => vec![method],
    }
}

/// Whether the parameters of a request are in its query string.
fn is_query_string(operation: Operation, method: &str) -> bool {
    operation.method() == "GET" && method != "POST"
}

/// The operation of the interface with that path.
fn operation_at(path: &str) -> Option<Operation> {
    Operation::ALL.into_iter().find(|operation| !path.is_empty() && operation.path() == path)
}

fn not_an_operation(path: &str) -> ServedRequest {
    match operation_at(path) {
        Some(operation) => {
            let methods = methods_of(operation).join(", ");
            let body = json!({"error": "method not allowed", "allowed": methods});
            let response = Response::json(405, &body).with_header("Allow", &methods);
            ServedRequest::refused(response, "method not allowed")
        }
        None => ServedRequest::refused(not_found(path), NO_SUCH_PATH),
    }
}

fn not_found(path: &str) -> Response {
    let error = "no such path; --accept-path or accept_paths declares one that is echoed";
    Response::json(404, &json!({"error": error, "path": path}))
}

fn refuse_integration_key(operation: Operation) -> OperationResult {
    match operation {
        _ if is_of_payouts(operation) => payouts::invalid_integration_key(),
        _ => OperationResult::refused(INVALID_INTEGRATION_KEY, "invalid integration key"),
    }
}

/// Whether the responses have the envelope of payouts.
fn is_of_payouts(operation: Operation) -> bool {
    matches!(operation, Operation::CreatePayout | Operation::QueryPayout)
}

/// Echoes a request to a path outside the interface, if it is accepted.
fn send(config: &SandboxConfig, head: &RequestHead, body: &[u8]) -> OperationResult {
    if !config.accepts_path(&head.path) {
        return OperationResult {
            response: not_found(&head.path),
            refused: Some(NO_SUCH_PATH.to_owned()),
        };
    }
    OperationResult::executed(Response::json(
        200,
        &json!({"echo": {
            "method": head.method,
            "path": head.path,
            "query": head.query,
            "body_length": body.len(),
            "body_sha256": sha256_hex(body),
        }}),
    ))
}
