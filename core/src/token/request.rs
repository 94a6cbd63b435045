//! The token request and its response.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payments_base::jitter::random_part;
use payments_transport::context::CallContext;
use payments_transport::inside::{ACCEPT_ENCODING, SignedBody, USER_AGENT, send_once};
use payments_transport::{FailureKind, PreparedRequest, Received, Transport, TransportFailure};
use zeroize::Zeroizing;

use super::refusal::{Unissued, failed, failed_as};
use super::{Credentials, TOKEN_PATH, Token};
use crate::model::error::{Error, ErrorCode, Message};
use crate::model::json::Json;
use crate::model::request::ACCESS_TOKEN_MAY_LACK;
use crate::model::response::{RawResponse, retry_after};

const MAX_TOKEN_RESPONSE: usize = 256 * 1024;
const CONNECT_ATTEMPTS: u32 = 3;
/// How long to use a token whose `expires_in` is invalid: long enough for this
/// call and those that wait with it.
const SENSELESS_LIFETIME: Duration = Duration::from_secs(60);

/// A token as the token server issued it.
#[derive(Debug)]
pub(super) struct Issued {
    token: Token,
    lifetime: Duration,
}

impl Issued {
    /// The token of a request sent at `unix`.
    pub(super) fn at(&self, unix: Duration) -> Token {
        let obtained_at = unix.as_secs();
        let expires_at = obtained_at + self.lifetime.as_secs();
        Token { obtained_at, expires_at, ..self.token.clone() }
    }
}

/// Why there is no token.
pub(super) enum FetchFailure {
    /// The token server responded without a token.
    Response { unissued: Unissued, retry_after: Option<Duration> },
    /// Something failed locally or on the way.
    Local {
        error: Error,
        /// Whether the request may have reached the token server.
        may_have_sent: bool,
    },
}

pub(super) fn build(credentials: &Credentials) -> PreparedRequest {
    let auth_url = &credentials.auth_url;
    let [client_id, client_secret] = credentials.as_sent();
    let login = Zeroizing::new(format!("{}:{}", client_id.expose(), client_secret.expose()));
    let encoded = Zeroizing::new(STANDARD.encode(login.as_bytes()));
    let authorization = format!("Basic {}", *encoded);
    let body = SignedBody::new(b"grant_type=client_credentials".to_vec(), 0);
    let url = format!("{auth_url}{TOKEN_PATH}");
    let mut request = PreparedRequest::new("POST", url.into(), body, MAX_TOKEN_RESPONSE, true);
    request.push_header("authorization", authorization.into());
    request.push_header("content-type", "application/x-www-form-urlencoded".into());
    request.push_header("accept", "application/json".into());
    request.push_header("accept-encoding", ACCEPT_ENCODING.into());
    request.push_header("user-agent", USER_AGENT.into());
    request
}

/// Sends the request. Reconnects a few times if nothing was sent.
pub(super) fn fetch(
    context: &CallContext,
    transport: &dyn Transport,
    request: &PreparedRequest,
    read: impl FnOnce(&Received) -> Result<Issued, Unissued>,
) -> Result<Issued, FetchFailure> {
    let mut attempt = 1;
    let mut response = loop {
        match send_once(transport, context, request) {
            Ok(response) => break response,
            Err(failure)
                if failure.proves_nothing_sent(context)
                    && failure.can_connect_again()
                    && attempt < CONNECT_ATTEMPTS =>
            {
                let wait = Duration::from_millis(100) * attempt;
                let waited = context.sleep(wait + random_part(wait));
                // The earlier failure says more than the end of the call.
                waited.map_err(|_| local(failure, false))?;
                attempt += 1;
            }
            Err(failure) => {
                let may_have_sent = !failure.proves_nothing_sent(context);
                return Err(local(failure, may_have_sent));
            }
        }
    };
    let issued = read(&response);
    response.wipe();
    // A truncated response is a failure of the network, not of the token
    // server, unless its status alone is conclusive.
    if let (200..=299, Some(failure)) = (response.raw.status(), &response.body_failure)
        && !matches!(failure.kind(), FailureKind::TooLarge | FailureKind::Protocol)
    {
        return Err(local(failure.clone(), true));
    }
    let retry_after = retry_after(&response.raw);
    issued.map_err(|unissued| FetchFailure::Response { unissued, retry_after })
}

fn local(failure: TransportFailure, may_have_sent: bool) -> FetchFailure {
    let message = format!("could not obtain a bearer token: {}", failure.message_for("auth_url"));
    let error = failed(ErrorCode::TOKEN_SERVER_FAILED, message).with_source(failure);
    FetchFailure::Local { error, may_have_sent }
}

/// The token in a response; `encoding_advice` is part of a refusal of the
/// credentials.
pub(super) fn read(
    response: &Received,
    longest: Duration,
    encoding_advice: &str,
) -> Result<Issued, Unissued> {
    let is_whole = response.body_failure.is_none();
    let json = || RawResponse::read_body(response.raw.body(), usize::MAX).ok();
    let body = is_whole.then(json).flatten();
    let issued = matches!(response.raw.status(), 200..=299).then(|| issued(body.as_ref(), longest));
    match issued.transpose() {
        Ok(Some(issued)) => Ok(issued),
        Ok(None) => Err(Unissued::read(response, body.as_ref(), None, encoding_advice)),
        Err(why) => Err(Unissued::read(response, body.as_ref(), Some(why), encoding_advice)),
    }
}

/// The token in the body of a 2xx.
fn issued(body: Option<&Json>, longest: Duration) -> Result<Issued, Error> {
    let body = body.unwrap_or(&Json::Null);
    let Some(value) = body.get("access_token").and_then(Json::as_str) else {
        return Err(failed_as(Message::TOKEN_RESPONSE_UNUSABLE));
    };
    let members = ACCESS_TOKEN_MAY_LACK
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), body.get(name)?.as_str()?.to_owned())))
        .collect::<BTreeMap<_, _>>();
    let token = Token { value: value.into(), obtained_at: 0, expires_at: 0, members };
    if !token.can_stand_in_a_header() {
        return Err(failed(
            ErrorCode::TOKEN_UNUSABLE,
            "the token server's token is empty or cannot be sent in a header; check auth_url and \
             report it to the provider",
        ));
    }
    let is_bearer = match body.get("token_type") {
        None | Some(Json::Null) => true,
        Some(kind) => kind.as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("bearer")),
    };
    if !is_bearer {
        return Err(failed(
            ErrorCode::TOKEN_UNUSABLE,
            "the token server's token is not a bearer token; check auth_url and report it to the \
             provider",
        ));
    }
    Ok(Issued { token, lifetime: lifetime(body.get("expires_in"), longest) })
}

/// The lifetime: `expires_in` is a number or the text of one. If it is missing,
/// or longer than the environment's lifetime, that of the environment applies.
fn lifetime(expires_in: Option<&Json>, longest: Duration) -> Duration {
    let text = match expires_in {
        None | Some(Json::Null) => return longest,
        Some(value) => value.as_text_or_number().map_or("", str::trim),
    };
    let number = Json::number(text).and_then(|_| text.parse::<f64>().ok());
    match number {
        Some(seconds) if seconds >= longest.as_secs_f64() => longest,
        Some(seconds) if seconds >= 1.0 => Duration::from_secs_f64(seconds.floor()),
        _ => SENSELESS_LIFETIME.min(longest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_lifetime_is_a_number_of_at_least_one_rounded_down() {
        for (text, seconds) in [
            ("null", 3600),
            ("90000", 3600),
            ("99999999999999999999999999", 3600),
            ("60", 60),
            ("1", 1),
            (r#""3599""#, 3599),
            (r#"" 7 ""#, 7),
            (r#""90000""#, 3600),
            ("0", 60),
            ("-5", 60),
            ("3599.0", 3599),
            ("3598.9", 3598),
            ("1.9", 1),
            ("3.5e3", 3500),
            ("36000E-1", 3600),
            ("1e30", 3600),
            ("1e999", 3600),
            (r#""3599.0""#, 3599),
            (r#""3.599e3""#, 3599),
            (r#""1e999""#, 3600),
            ("0.99", 60),
            ("-0", 60),
            ("-3599.0", 60),
            ("-1e999", 60),
            ("1e-999", 60),
            (r#""3599,0""#, 60),
            (r#""1.""#, 60),
            (r#""0x10""#, 60),
            (r#""inf""#, 60),
            (r#""Infinity""#, 60),
            (r#""NaN""#, 60),
            (r#""3599s""#, 60),
            ("true", 60),
            ("[60]", 60),
            ("{}", 60),
            (r#""0""#, 60),
            (r#""-1""#, 60),
            (r#""+5""#, 60),
            (r#""soon""#, 60),
            (r#""""#, 60),
        ] {
            let value = Json::parse(text.as_bytes()).unwrap();
            assert_eq!(lifetime(Some(&value), HOUR).as_secs(), seconds, "{text}");
        }
        assert_eq!(lifetime(None, HOUR), HOUR);
        assert_eq!(lifetime(Some(&Json::from("no")), Duration::from_secs(9)).as_secs(), 9);
    }

    #[test]
    fn a_token_must_be_a_bearer_token() {
        let code = |body: &str| {
            let response = Received::new(200, Vec::new(), body.as_bytes().to_vec());
            read(&response, HOUR, "").map(|_| ()).map_err(|it| it.error.code())
        };
        assert_eq!(code(r#"{"access_token":"a.b-c"}"#), Ok(()));
        assert_eq!(code("\u{feff}{\"access_token\":\"a\"}"), Ok(()));
        assert_eq!(code(r#"{"access_token":"a","token_type":"Bearer"}"#), Ok(()));
        assert_eq!(
            code(r#"{"access_token":"a","token_type":"mac"}"#),
            Err(ErrorCode::TOKEN_UNUSABLE)
        );
        assert_eq!(code(r#"{"access_token":"a","token_type":7}"#), Err(ErrorCode::TOKEN_UNUSABLE));
        let unusable = Err(ErrorCode::TOKEN_UNUSABLE);
        let cut = Received::new(200, Vec::new(), br#"{"access_token":"a"}"#.to_vec())
            .with_body_failure(TransportFailure::new(FailureKind::Broken, "it broke"));
        assert_eq!(read(&cut, HOUR, "").map(drop).map_err(|it| it.error.code()), unusable);
        for token in [r#""#, r#"a\r\nb"#, r#"a b"#, r#"é"#] {
            let body = format!(r#"{{"access_token":"{token}"}}"#);
            assert_eq!(code(&body), Err(ErrorCode::TOKEN_UNUSABLE), "{token}");
        }
        let twice = [
            r#"{"access_token":"a","access_token":"b"}"#,
            r#"{"access_token":"a","expires_in":60,"expires_in":3600}"#,
            r#"{"access_token":"a","scope":"all","scope":"all"}"#,
        ];
        let others = ["", "<html>", "[]", "{}", r#"{"access_token":1}"#];
        for body in others.into_iter().chain(twice) {
            assert_eq!(code(body), Err(ErrorCode::TOKEN_UNUSABLE), "{body}");
        }
    }

    #[test]
    fn the_request_follows_the_interface() {
        let request = build(&Credentials {
            auth_url: "https://auth.example".to_owned(),
            client_id: "id".to_owned(),
            client_secret: "sécret".into(),
            is_form_encoded: false,
        });
        assert_eq!(request.method(), "POST");
        assert_eq!(request.url(), "https://auth.example/authorization-server/oauth/token");
        assert_eq!(request.body(), b"grant_type=client_credentials");
        assert_eq!(request.header("Authorization"), Some("Basic aWQ6c8OpY3JldA=="));
        assert_eq!(request.header("Accept"), Some("application/json"));
        assert_eq!(request.header("Accept-Encoding"), Some("identity"));
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(request.header("User-Agent"), Some(&*format!("libpayments/{version}")));
    }
}
