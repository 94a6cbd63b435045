//! A refusal of the token server.

mod generated;

use payments_transport::Received;

use super::TOKEN_PATH;
use crate::model::error::{Error, ErrorCode, ErrorKind, Message, Outcome, Reason};
use crate::model::json::Json;
use crate::model::response::{compression, is_html};

/// A reason of the closed list in `spec/service_codes.toml`.
pub(super) struct Known {
    error: &'static str,
    meaning: &'static str,
    remedy: &'static str,
}

/// The `error` of [`Known`] that stands for wrong credentials.
const INVALID_CLIENT: &str = "invalid_client";

/// Why a response holds no token.
pub(super) struct Unissued {
    pub(super) error: Error,
    /// Whether the token server refused the request, rather than failed.
    pub(super) is_refusal: bool,
}

impl Unissued {
    /// Reads a response without a usable token: its `body`, if that is JSON, and
    /// `unusable`, what is wrong with a 2xx. `encoding_advice` follows the advice
    /// to check the credentials.
    pub(super) fn read(
        response: &Received,
        body: Option<&Json>,
        unusable: Option<Error>,
        encoding_advice: &str,
    ) -> Self {
        let status = response.raw.status();
        let known = match status {
            // In any case, asking again later is right.
            429 | 500.. => None,
            _ => body.and_then(known_in),
        };
        let is_refusal = known.is_some() || matches!(status, 400..=499);
        let error = match known {
            Some(known) => known.to_error(encoding_advice),
            None => unusable.unwrap_or_else(|| error_of_status(response, encoding_advice)),
        };
        let compression = body.is_none().then(|| compression(&response.raw)).flatten();
        let error = match compression.filter(|_| !matches!(status, 429 | 500..)) {
            Some(why) => error.with_message(format!(
                "the token server responded with status {status}, and {why}"
            )),
            None => error,
        };
        Self { error: error.with_http_status(status), is_refusal }
    }
}

impl Known {
    fn to_error(&self, encoding_advice: &str) -> Error {
        let Self { error, meaning, remedy } = self;
        let refused = match *error {
            INVALID_CLIENT => credentials_refused(encoding_advice),
            _ => request_refused(format!("the token server {meaning}; {remedy}")),
        };
        refused.with_service(Some(error), None)
    }
}

/// The reason that `body` gives, if it is in the list. Other texts may repeat
/// credentials.
fn known_in(body: &Json) -> Option<&'static Known> {
    let said = body.get("error")?.as_str()?;
    generated::KNOWN.iter().find(|known| known.error == said)
}

fn credentials_refused(encoding_advice: &str) -> Error {
    let known = generated::KNOWN.iter().find(|known| known.error == INVALID_CLIENT);
    let (meaning, remedy) = known.map_or(("", ""), |known| (known.meaning, known.remedy));
    let message = format!("the token server {meaning}; {remedy}{encoding_advice}");
    failed(ErrorCode::CREDENTIALS_REFUSED, message).because(Reason::TokenRefused)
}

fn request_refused(message: String) -> Error {
    failed(ErrorCode::TOKEN_REQUEST_REFUSED, message).because(Reason::TokenRefused)
}

/// The error for a status other than 2xx, without a reason that is known.
fn error_of_status(response: &Received, encoding_advice: &str) -> Error {
    let status = response.raw.status();
    match status {
        401 => credentials_refused(encoding_advice),
        403 if is_html(&response.raw) => failed(
            ErrorCode::TOKEN_REQUESTS_BLOCKED,
            "a web page came with status 403 instead of a response of the token server, so a \
             firewall in front of it refused the request; ask the provider whether this host may \
             reach the token server",
        ),
        403 => failed(
            ErrorCode::TOKEN_REQUESTS_BLOCKED,
            "the token server responded with 403 and no known reason: too many requests, or a \
             firewall in front of it; wait as long as this error says, share a token_store between \
             processes, and ask the provider whether this host may reach the token server",
        ),
        429 => failed(
            ErrorCode::TOKEN_REQUESTS_BLOCKED,
            "the token server blocks requests for now (too many); wait as long as this error \
             says, and share a token_store between processes",
        ),
        404 | 405 | 410 => failed(
            ErrorCode::TOKEN_SERVER_FAILED,
            format!(
                "the token server has no token endpoint at this address ({status}); check \
                 auth_url, to which the client appends {TOKEN_PATH}"
            ),
        ),
        300..=399 => failed(
            ErrorCode::TOKEN_SERVER_FAILED,
            format!(
                "the token server redirects token requests ({status}), which the client does not \
                 follow; set auth_url to the address that they lead to"
            ),
        ),
        408 | 425 | 500.. => failed(
            ErrorCode::TOKEN_SERVER_FAILED,
            format!("the token server failed with status {status}; try again later"),
        ),
        _ => request_refused(format!(
            "the token server refused the token request with status {status} and gave no known \
             reason; check client_id, client_secret and auth_url, or ask the provider"
        )),
    }
}

/// The error with a message that is always the same.
pub(super) fn failed_as(message: Message) -> Error {
    failed(message.code, message.text)
}

pub(super) fn failed(code: ErrorCode, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Token, Outcome::NotExecuted, code, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKED: ErrorCode = ErrorCode::TOKEN_REQUESTS_BLOCKED;
    const CREDENTIALS: ErrorCode = ErrorCode::CREDENTIALS_REFUSED;
    const FAILED: ErrorCode = ErrorCode::TOKEN_SERVER_FAILED;
    const REFUSED: ErrorCode = ErrorCode::TOKEN_REQUEST_REFUSED;

    fn of(status: u16, body: &str) -> Unissued {
        let response = Received::new(status, Vec::new(), body.as_bytes().to_vec());
        let unusable =
            matches!(status, 200..=299).then(|| failed(ErrorCode::TOKEN_UNUSABLE, "no token"));
        Unissued::read(
            &response,
            Json::parse(body.as_bytes()).ok().as_ref(),
            unusable,
            "; ENCODING",
        )
    }

    #[test]
    fn a_known_error_counts_with_any_status() {
        let all = [
            ("invalid_request", REFUSED),
            ("invalid_client", CREDENTIALS),
            ("invalid_grant", REFUSED),
            ("unauthorized_client", REFUSED),
            ("unsupported_grant_type", REFUSED),
            ("invalid_scope", REFUSED),
            ("access_denied", REFUSED),
        ];
        assert_eq!(all.len(), generated::KNOWN.len());
        let mut messages = Vec::new();
        for (name, code) in all {
            let body = format!(r#"{{"error":"{name}","error_description":"SAID"}}"#);
            for status in [200, 302, 400, 401, 403, 404, 405, 418] {
                let Unissued { error, is_refusal } = of(status, &body);
                assert_eq!((error.code(), is_refusal), (code, true), "{name} {status}");
                assert_eq!(error.service_code(), Some(name));
                assert_eq!(error.http_status(), Some(status));
                assert!(!format!("{error:?}").contains("SAID"));
                assert_eq!(error.message().contains("ENCODING"), code == CREDENTIALS);
                messages.push(error.message().to_owned());
            }
        }
        messages.dedup();
        assert_eq!(messages.len(), all.len(), "each has its message");
    }

    #[test]
    fn the_error_changes_neither_a_block_nor_a_failure() {
        for (status, code) in [(429, BLOCKED), (500, FAILED), (503, FAILED), (599, FAILED)] {
            let Unissued { error, is_refusal } = of(status, r#"{"error":"invalid_client"}"#);
            assert_eq!((error.code(), error.service_code()), (code, None));
            assert_eq!(is_refusal, status == 429);
        }
    }

    #[test]
    fn only_listed_errors_are_recognized() {
        for body in [
            "",
            "<html>",
            r#""invalid_client""#,
            r#"["invalid_client"]"#,
            r#"{"error":"Invalid_Client"}"#,
            r#"{"error":"invalid_client "}"#,
            r#"{"error":"invalid_client_secret_abc"}"#,
            r#"{"error":["invalid_client"]}"#,
            r#"{"error":{"code":"invalid_client"}}"#,
            r#"{"code":"invalid_client"}"#,
            r#"{"error":"invalid_client","error":"invalid_scope"}"#,
            r#"{"error":"invalid_client""#,
        ] {
            for (status, code) in [
                (200, ErrorCode::TOKEN_UNUSABLE),
                (302, FAILED),
                (400, REFUSED),
                (401, CREDENTIALS),
                (403, BLOCKED),
                (404, FAILED),
                (408, FAILED),
                (422, REFUSED),
            ] {
                let Unissued { error, is_refusal } = of(status, body);
                assert_eq!((error.code(), error.service_code()), (code, None), "{status} {body}");
                assert_eq!(is_refusal, matches!(status, 400..=499));
            }
        }
    }

    #[test]
    fn a_403_names_a_firewall_only_with_a_web_page() {
        let page = "<html><body>Request blocked.</body></html>";
        let said = |body: &str| of(403, body).error.message().to_owned();
        assert!(said(page).contains("so a firewall in front of it refused"));
        for body in ["", "{}", "blocked", r#"{"message":"<html>"}"#] {
            assert!(
                said(body).contains("too many requests, or a firewall in front of it;"),
                "{body}"
            );
        }
    }
}
