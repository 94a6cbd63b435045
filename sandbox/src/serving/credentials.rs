//! Checks the credentials of a request.

use std::time::Instant;

use payments_core::json::Json;

use crate::config::SandboxConfig;
use crate::http::RequestHead;
use crate::http::parameters::parameters;
use crate::service::Service;
use crate::service::request_log::IntegrationKeyCheck;
use crate::service::signature::SignatureCheck;
use crate::service::tokens::BearerCheck;

const SIGNATURE_HEADER: &str = "x-jws-signature";

/// The result of checking a request's three credentials.
#[derive(Default, Debug)]
pub(crate) struct SentCredentials {
    pub(crate) signature: SignatureCheck,
    pub(crate) bearer: BearerCheck,
    pub(crate) integration_key: IntegrationKeyCheck,
}

impl SentCredentials {
    /// Checks the credentials that were sent, and that required ones are
    /// present.
    pub(crate) fn check(
        service: &Service,
        config: &SandboxConfig,
        head: &RequestHead,
        body: &[u8],
        json: Option<&Json>,
    ) -> Self {
        Self {
            signature: check_signature(service, config, head, body),
            bearer: check_bearer(service, config, head),
            integration_key: check_integration_key(config, head, json),
        }
    }

    /// Why the request gets a 401, if it does. A provider would write this only
    /// to its own log.
    pub(crate) fn unauthorized(&self) -> Option<String> {
        if let SignatureCheck::Refused { cause, detail } = &self.signature {
            return Some(format!("{cause}: {detail}"));
        }
        self.bearer.is_refusal().then(|| format!("bearer token: {}", self.bearer.as_str()))
    }
}

fn check_signature(
    service: &Service,
    config: &SandboxConfig,
    head: &RequestHead,
    body: &[u8],
) -> SignatureCheck {
    if !config.verify_signatures {
        return SignatureCheck::NotChecked;
    }
    let mut tokens = head.headers_named(SIGNATURE_HEADER);
    match (tokens.next(), tokens.next()) {
        (None, _) if !config.require.jws => SignatureCheck::Absent,
        (token, None) => service.keys.check(token, body, head.query.as_deref()),
        (_, Some(_)) => SignatureCheck::Refused {
            cause: "invalid_token_format".to_owned(),
            detail: "X-JWS-Signature was sent more than once".to_owned(),
        },
    }
}

fn check_bearer(service: &Service, config: &SandboxConfig, head: &RequestHead) -> BearerCheck {
    let mut presented = head.headers_named(&config.bearer_header);
    let value = match (presented.next(), presented.next()) {
        (None, _) if config.require.bearer => return BearerCheck::Missing,
        (None, _) => return BearerCheck::Absent,
        (Some(_), Some(_)) => return BearerCheck::Malformed,
        (Some(value), None) => value,
    };
    let token = if config.bearer_scheme.is_empty() {
        Some(value)
    } else {
        value
            .split_once(' ')
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case(&config.bearer_scheme))
            .map(|(_, token)| token)
    };
    match token {
        Some(token) => service.tokens().check_presented(token, &config.client_id, Instant::now()),
        None => BearerCheck::Malformed,
    }
}

/// Looks for the key in the query, next to `payment`, and inside it, because
/// the interface does not say where it belongs. A key that is sent must be
/// correct, even if it is not a string.
fn check_integration_key(
    config: &SandboxConfig,
    head: &RequestHead,
    body: Option<&Json>,
) -> IntegrationKeyCheck {
    const NAME: &str = "integration_key";
    let expected = config.integration_key.as_str();
    let is_required = config.require.integration_key
        || (config.require.integration_key_unless_signed
            && head.header(SIGNATURE_HEADER).is_none());
    let in_query = parameters(head.query.as_deref().unwrap_or(""), NAME);
    let in_body = [body, body.and_then(|body| body.get("payment"))];
    let in_body = in_body.into_iter().filter_map(|object| object?.get(NAME));
    let mut verdicts: Vec<bool> = in_query.map(|key| key == expected).collect();
    verdicts.extend(in_body.map(|key| key.as_str() == Some(expected)));
    match (verdicts.is_empty(), verdicts.into_iter().all(|is_right| is_right)) {
        (true, _) if is_required => IntegrationKeyCheck::Missing,
        (true, _) => IntegrationKeyCheck::Absent,
        (_, true) => IntegrationKeyCheck::Valid,
        (_, false) => IntegrationKeyCheck::Wrong,
    }
}
