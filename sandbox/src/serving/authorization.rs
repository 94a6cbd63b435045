//! The token endpoint.

use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::json;

use crate::config::SandboxConfig;
use crate::http::RequestHead;
use crate::http::parameters::{decode, parameter};
use crate::http::response::Response;
use crate::operations::OperationResult;
use crate::service::Service;
use crate::service::tokens::TokenBlock;

/// Serves `POST /authorization-server/oauth/token`.
pub(crate) fn serve(
    service: &Service,
    config: &SandboxConfig,
    head: &RequestHead,
    body: &[u8],
) -> OperationResult {
    let now = Instant::now();
    if let Some(block) = service.tokens().admit(config.token_limit, now) {
        let refused = Some("too many token requests".to_owned());
        return OperationResult { response: blocked(block), refused };
    }
    if !head.has_media_type("application/x-www-form-urlencoded") {
        return refused(400, "invalid_request", "the body is not a form");
    }
    if !is_client(config, head) {
        return refused(401, "invalid_client", "bad client credentials");
    }
    let grant = String::from_utf8_lossy(body);
    if parameter(&grant, "grant_type").as_deref() != Some("client_credentials") {
        return refused(400, "unsupported_grant_type", "grant_type is not client_credentials");
    }
    let token = service.tokens().issue(config, now);
    OperationResult::executed(Response::json(200, &token).with_header("Cache-Control", "no-store"))
}

/// Splits at the first colon, because the secret may contain colons.
fn is_client(config: &SandboxConfig, head: &RequestHead) -> bool {
    let presented = head
        .header("authorization")
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("basic"))
        .and_then(|(_, encoded)| BASE64.decode(encoded.trim()).ok())
        .and_then(|presented| String::from_utf8(presented).ok());
    let read = |text: &str| if config.decode_client_auth { decode(text) } else { text.to_owned() };
    let presented = presented.as_deref().and_then(|it| it.split_once(':'));
    presented.is_some_and(|(client_id, secret)| {
        read(client_id) == config.client_id && read(secret) == config.client_secret
    })
}

fn blocked(block: TokenBlock) -> Response {
    let body = json!({"error": "too_many_requests", "error_description": "blocked for a while"});
    let response = Response::json(block.status, &body);
    match block.retry_after {
        Some(seconds) => response.with_header("Retry-After", &seconds.to_string()),
        None => response,
    }
}

fn refused(status: u16, error: &str, description: &str) -> OperationResult {
    let body = json!({"error": error, "error_description": description});
    OperationResult {
        response: Response::json(status, &body),
        refused: Some(description.to_owned()),
    }
}
