//! No failure reveals secrets or payer data.

use std::sync::Arc;
use std::time::Duration;

use payments_core::{Client, Config};

use crate::support::canaries::{self, Shown};
use crate::support::raw_server::{Connection, RawServer, ReceivedRequest, created, json, response};
use crate::support::tls_server::{self, Authority};
use crate::support::vectors;
use crate::support::{calls, child, proxy, recorder, silent};

const TOKEN_RESPONSE: &str = r#"{"access_token":"canaryAccessTokenThatIsLongerThanOneLineOfADump",
    "token_type":"bearer","expires_in":3600,"scope":"all","user_name":"u","jti":"j"}"#;

fn key() -> String {
    vectors::key_text("test_rsa_4096_encrypted.pem")
}

fn config(base_url: &str, auth_url: &str, shown: &Shown) -> Config {
    canaries::config(base_url, auth_url, (&key(), vectors::PASSPHRASE), shown)
}

/// A response with the body in chunks.
fn chunked(status: &str, body: &str) -> Vec<u8> {
    let (first, second) = body.split_at(body.len() / 3);
    format!(
        "HTTP/1.1 {status}\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
        first.len(),
        second.len(),
    )
    .into()
}

fn token_server(response: impl Into<Vec<u8>>) -> RawServer {
    RawServer::responding(response)
}

/// Everything in the request as a JSON string: the worst a service can return.
fn echo(request: &ReceivedRequest) -> String {
    let said = format!("{}\r\n\r\n{}", request.head, String::from_utf8_lossy(&request.body));
    serde_json::to_string(&said).unwrap()
}

/// Returns the response, and whether to keep the connection open.
type Reply = Box<dyn Fn(&ReceivedRequest) -> (Vec<u8>, bool) + Send + Sync>;

/// Responses that contain everything the service received.
fn echoing_replies() -> Vec<Reply> {
    let mut replies: Vec<Reply> = Vec::new();
    for status in ["200 OK", "400 No", "401 No", "404 No", "429 No", "500 No", "302 Away"] {
        replies.push(Box::new(move |request| {
            let said = echo(request);
            // A header holds one line. The code is not a valid one and must not
            // be shown.
            let line = request.head.replace("\r\n", " ");
            let headers = format!(
                "location: http://127.0.0.1:1/?{line}\r\nset-cookie: {line}\r\n\
                 retry-after: {line}\r\nwww-authenticate: Bearer error=\"{line}\"\r\n"
            );
            let body = format!(
                r#"{{"status":"ERROR","status_code":"{}","status_message":{said}}}"#,
                canaries::DOCUMENT
            );
            (response(status, &headers, &body), true)
        }));
        replies.push(Box::new(move |request| (chunked(status, &echo(request)), true)));
    }
    let broken: [fn(&str, &str) -> String; 4] = [
        |line, said| format!("HTTP/1.1 200 {line}\r\n\r\n{said}"),
        |line, _| line.to_owned(),
        |_, said| format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz{said}\r\n"),
        |_, said| format!("HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n{said}"),
    ];
    for write in broken {
        replies.push(Box::new(move |request| {
            (write(&request.head.replace("\r\n", " "), &echo(request)).into(), false)
        }));
    }
    replies
}

/// Fails if anything shown or logged contains a canary.
fn assert_nothing_leaked(shown: &Shown, arrived: &[ReceivedRequest]) {
    let text = shown.text() + &recorder::all();
    for canary in canaries::all(&key(), vectors::PASSPHRASE, arrived) {
        if let Some(at) = text.find(&canary) {
            let start = text[..at].char_indices().rev().nth(200).map_or(0, |(start, _)| start);
            panic!("{canary:?} is shown:\n{}", &text[start..at + canary.len()]);
        }
    }
}

/// Fails if the service did not receive the canaries, which would make the test
/// meaningless.
fn assert_all_arrived(arrived: &[ReceivedRequest]) {
    let said: String = arrived
        .iter()
        .map(|request| format!("{}{}", request.head, String::from_utf8_lossy(&request.body)))
        .collect();
    for canary in [
        canaries::INTEGRATION_KEY,
        canaries::FIXED_HEADER,
        canaries::TOKEN,
        "canaryPixKey",
        "canaryRawBody",
    ] {
        assert!(said.contains(canary), "{canary}");
    }
}

/// Whether this process runs only `test` and records its log. Loggers are per
/// process.
fn is_recorded(test: impl Fn()) -> bool {
    let is_alone = child::is_alone(test, &[]);
    if is_alone {
        recorder::start();
    }
    is_alone
}

#[test]
fn nothing_is_shown_when_all_goes_well() {
    if !is_recorded(nothing_is_shown_when_all_goes_well) {
        return;
    }
    let shown = Shown::default();
    let server = RawServer::start(|mut connection| {
        while let Some(request) = connection.read_request() {
            let body = format!(r#"{{"status":"SUCCESS","payment":{{"note":{}}}}}"#, echo(&request));
            connection.write(&response("200 OK", "", &body));
        }
    });
    let tokens = token_server(chunked("200 OK", TOKEN_RESPONSE));
    let config = config(&server.base_url(), &tokens.base_url(), &shown);
    shown.debug(&config);
    canaries::call_everything(&Client::new(config).unwrap(), &shown);
    let arrived = server.requests();
    assert_all_arrived(&arrived);
    log::trace!("what dependencies log is recorded");
    assert!(recorder::all().contains("what dependencies log is recorded"));
    assert_nothing_leaked(&shown, &[arrived, tokens.requests()].concat());
}

#[test]
fn nothing_is_shown_of_responses_that_repeat_everything() {
    if !is_recorded(nothing_is_shown_of_responses_that_repeat_everything) {
        return;
    }
    for reply in echoing_replies() {
        let shown = Shown::default();
        let server = RawServer::start(move |mut connection| {
            while let Some(request) = connection.read_request() {
                let (reply, stays_open) = reply(&request);
                connection.write(&reply);
                if !stays_open {
                    break;
                }
            }
        });
        let tokens = token_server(json(TOKEN_RESPONSE));
        let config = config(&server.base_url(), &tokens.base_url(), &shown).query_retries(0);
        canaries::call_everything(&Client::new(config).unwrap(), &shown);
        assert_all_arrived(&server.requests());
        assert_nothing_leaked(&shown, &server.requests());
    }
}

#[test]
fn nothing_is_shown_when_the_connection_fails() {
    if !is_recorded(nothing_is_shown_when_the_connection_fails) {
        return;
    }
    let half = |mut connection: Connection| {
        connection.read_request();
        connection.write(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{");
    };
    let reset = |mut connection: Connection| {
        connection.read_request();
        connection.reset();
    };
    let hang = |mut connection: Connection| {
        connection.read_request();
        connection.wait_for_the_end();
    };
    let broken = [RawServer::start(half), RawServer::start(reset), RawServer::start(hang)];
    let mute = silent::MuteListener::new();
    let mut urls: Vec<String> = broken.iter().map(RawServer::base_url).collect();
    urls.push(format!("http://127.0.0.1:{}", silent::refused_port()));
    urls.push(mute.url("https"));
    for url in urls {
        let shown = Shown::default();
        let tokens = token_server(json(TOKEN_RESPONSE));
        let config = config(&url, &tokens.base_url(), &shown)
            .query_retries(0)
            .timeout(Duration::from_millis(250));
        let failed = canaries::call_everything(&Client::new(config).unwrap(), &shown);
        assert_eq!(failed, 6, "{url}");
        assert_nothing_leaked(&shown, &[]);
    }
    broken.iter().for_each(|server| assert_nothing_leaked(&Shown::default(), &server.requests()));
}

#[test]
fn nothing_is_shown_without_a_token() {
    if !is_recorded(nothing_is_shown_without_a_token) {
        return;
    }
    let service = RawServer::responding(created());
    let cut = &TOKEN_RESPONSE[..90];
    let nasty = TOKEN_RESPONSE.replace("canaryAccess", "canaryAccess\\r\\n");
    for reply in [
        response("400 No", "", TOKEN_RESPONSE),
        response("401 No", "", TOKEN_RESPONSE),
        response("429 No", "retry-after: 9\r\n", TOKEN_RESPONSE),
        response("500 No", "", TOKEN_RESPONSE),
        chunked("503 No", TOKEN_RESPONSE),
        response("302 Away", &format!("location: /{}\r\n", canaries::TOKEN), TOKEN_RESPONSE),
        json(cut),
        json(&nasty),
        json(&TOKEN_RESPONSE.replace("bearer", "mac")),
        cut.into(),
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{cut}").into(),
    ] {
        let shown = Shown::default();
        let tokens = token_server(reply);
        let config = config(&service.base_url(), &tokens.base_url(), &shown);
        let failed = canaries::call_everything(&Client::new(config).unwrap(), &shown);
        assert_eq!(failed, 6);
        assert!(!tokens.requests().is_empty());
        assert_nothing_leaked(&shown, &tokens.requests());
    }
    assert!(service.requests().is_empty());
}

#[test]
fn nothing_is_shown_through_proxies_and_tls() {
    if !is_recorded(nothing_is_shown_through_proxies_and_tls) {
        return;
    }
    let tunnel = proxy::start();
    let refusing = RawServer::start(|mut connection| {
        let said = connection.read_request().map_or_else(String::new, |request| echo(&request));
        connection.write(&response("407 Who", "", &said));
    });
    let ours = Authority::new("ours");
    let serve = |mut connection: Connection| {
        while connection.read_request().is_some() && connection.write(&created()) {}
    };
    let server = tls_server::start(ours.server(&["localhost"]), serve);
    let tokens = tls_server::start(ours.server(&["localhost"]), |mut connection| {
        while connection.read_request().is_some() && connection.write(&json(TOKEN_RESPONSE)) {}
    });
    let url = |server: &RawServer| format!("https://localhost:{}", server.port());
    let foreign = Authority::new("foreign").file();
    for (authority, port) in [(&ours.file(), &tunnel), (&foreign, &tunnel), (&foreign, &refusing)] {
        let shown = Shown::default();
        let config = config(&url(&server), &url(&tokens), &shown)
            .ca_file(&authority.0)
            .proxy(canaries::proxy(port.port()));
        shown.debug(&config);
        canaries::call_everything(&Client::new(config).unwrap(), &shown);
        let proxied = [tunnel.requests(), refusing.requests(), server.requests()].concat();
        assert_nothing_leaked(&shown, &proxied);
    }
    assert!(!server.requests().is_empty() && !refusing.requests().is_empty());
}

#[test]
fn nothing_is_shown_of_a_configuration_that_is_refused() {
    if !is_recorded(nothing_is_shown_of_a_configuration_that_is_refused) {
        return;
    }
    let shown = Shown::default();
    let good = || config("http://127.0.0.1:1", "http://127.0.0.1:1", &shown);
    let key = key();
    let half_a_key = &key[..key.len() / 2];
    let secret = canaries::CLIENT_SECRET;
    for config in [
        good().key_passphrase("canaryName"),
        good().signing_key(half_a_key, "kid-1"),
        good().signing_key(format!("{key}{key}"), "kid-1").key_passphrase("canaryExtra"),
        good().signing_key(vectors::key_text("refused_rsa_1024_pkcs8.pem"), "kid-1"),
        good().public_key(secret),
        good().client_credentials(format!("https://u:{secret}@h"), "canary-id", secret),
        good().client_credentials(format!("https://h/?key={secret}"), "canary-id", secret),
        good().integration_key(""),
        good().ca_file("/nonexistent"),
        good().timeout(Duration::ZERO),
        Config::new(format!("https://u:{secret}@h")),
        Config::new(format!("https://h/#{secret}")),
    ] {
        shown.debug(&config);
        match Client::new(config) {
            Ok(client) => shown.debug(&client),
            Err(error) => shown.error(&error),
        }
    }
    let text = format!(r#"{{"base_url":"http://127.0.0.1:1","client_secret":["{secret}"]}}"#);
    shown.error(&Config::from_json(text.as_bytes()).map(|_| ()).unwrap_err());
    let text = format!(r#"{{"base_url":"http://127.0.0.1:1","client_secret":"{secret}"#);
    shown.error(&Config::from_json(text.as_bytes()).map(|_| ()).unwrap_err());
    assert_nothing_leaked(&shown, &[]);
}

#[test]
fn bodies_are_available_on_request_only() {
    let server = RawServer::start(|mut connection| {
        if let Some(request) = connection.read_request() {
            connection.write(&response(
                "422 No",
                "",
                &format!(r#"{{"message":{}}}"#, echo(&request)),
            ));
        }
    });
    let error = Client::new(calls::config(&server.base_url()))
        .unwrap()
        .create_payment(&calls::payment("order-1"))
        .unwrap_err();
    let document = canaries::DOCUMENT.as_bytes();
    let holds = |bytes: Option<&[u8]>| {
        bytes.unwrap().windows(document.len()).any(|window| window == document)
    };
    assert!(holds(error.request_body()) && holds(error.response_body()));
    let shared = Arc::new(error);
    assert!(!format!("{shared} {shared:?} {shared:#?}").contains(canaries::DOCUMENT));
}
