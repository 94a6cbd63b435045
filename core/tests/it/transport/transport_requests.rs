//! No input breaks out of its place in the request: the service reads exactly
//! one request, with the intended headers and parameters.

use payments_core::json::Json;
use payments_core::request::{
    CodeOrDetails, CreatePayment, CreatePayout, Payee, Payout, QueryPayment, RawRequest,
    RefundPayment, RegisterTracking, Request, Tracking,
};
use payments_core::{Client, Error, ErrorKind};

use crate::support::calls;
use crate::support::raw_server::{RawServer, ReceivedRequest, json, response};

/// Strings that could end lines, headers, parameters, strings, or requests.
const NASTY: [&str; 20] = [
    "a\r\nx-injected: 1",
    "a\nx-injected: 1",
    "a\rx-injected: 1",
    "\r\n\r\nPOST /ws/direct HTTP/1.1\r\ncontent-length: 0\r\n\r\n",
    "a\0b",
    "\u{1}\u{7f}",
    "a&hash=other",
    "a#fragment",
    "a?b=c",
    "a%0d%0ax-injected: 1",
    "a b\tc",
    "../../sandbox/reset",
    "//other.test/ws",
    "@other.test",
    "\"},\"injected\":{\"a\":\"",
    "\\\"\\u0000",
    "\u{2028}\u{85}\u{feff}",
    "é漢😀",
    "%",
    "\u{202e}gnp.exe",
];

fn server() -> RawServer {
    RawServer::responding(json(r#"{"status":"SUCCESS","payment":{"status":"PE"},"result":[{}]}"#))
}

/// The header names of every request without a body, in order.
const HEADERS: [&str; 4] = ["host", "accept", "accept-encoding", "user-agent"];

fn assert_is_one_request(request: &ReceivedRequest, server: &RawServer, line: &str, nasty: &str) {
    let mut lines = request.head.split("\r\n");
    assert_eq!(lines.next(), Some(line), "{nasty:?}");
    let names: Vec<_> = lines.map(|header| header.split_once(": ").unwrap().0.to_owned()).collect();
    let with_body = [&HEADERS[..], &["content-type", "content-length"]].concat();
    let expected = if line.starts_with("GET") { &HEADERS[..] } else { &with_body };
    assert_eq!(names, expected, "{nasty:?}");
    assert!(!request.head.contains(['\0', '\u{7f}']), "{nasty:?}");
    let host = server.base_url().replace("http://", "");
    assert_eq!(request.header("host"), Some(host.as_str()), "{nasty:?}");
}

/// Sends `request`. Asserts that the service saw one request with this line and
/// a body that has the text at `pointer`, or that the request was refused
/// before anything was sent.
fn assert_stays_in_place<R: Request>(
    (client, server): (&Client, &RawServer),
    request: &R,
    line: &str,
    (pointer, nasty): (&str, &str),
) {
    let before = server.requests().len();
    match client.execute(request, &client.context()) {
        Ok(_) => {
            let requests = server.requests();
            assert_eq!(requests.len(), before + 1, "{pointer} {nasty:?}");
            assert_is_one_request(&requests[before], server, line, nasty);
            let body = Json::parse(&requests[before].body).unwrap();
            let found = body.pointer(pointer).and_then(Json::as_str);
            assert_eq!(found, Some(nasty), "{pointer}");
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Validation, "{pointer} {nasty:?}: {error}");
            assert_eq!(server.requests().len(), before, "{pointer} {nasty:?}");
        }
    }
}

#[test]
fn no_member_breaks_out_of_its_body() {
    let server = server();
    let client = calls::client(&server.base_url());
    let to = (&client, &server);
    for nasty in NASTY {
        let Json::Object(sample) = Json::parse(SAMPLE_PAYMENT.as_bytes()).unwrap() else {
            panic!("an object");
        };
        for (name, _) in sample.iter() {
            let members = sample
                .iter()
                .map(|(known, value)| {
                    if known == name {
                        (known.to_owned(), Json::from(nasty))
                    } else {
                        (known.to_owned(), value.clone())
                    }
                })
                .collect();
            let text = Json::Object([("payment", Json::Object(members))].into_iter().collect());
            let Ok(request) = CreatePayment::from_json(&text.to_bytes()) else {
                continue;
            };
            let pointer = format!("/payment/{name}");
            let line = "POST /ws/direct HTTP/1.1";
            assert_stays_in_place(to, &request, line, (&pointer, nasty));
        }
        let payment = calls::payment("order-1").extra("note", nasty);
        assert_stays_in_place(to, &payment, "POST /ws/direct HTTP/1.1", ("/note", nasty));
        let refund = RefundPayment::by_hash(nasty);
        assert_stays_in_place(to, &refund, "POST /ws/refund HTTP/1.1", ("/hash", nasty));
        let payout = CreatePayout::new(Payout {
            external_reference: "payout-1".into(),
            country: "br".into(),
            amount: "10.00".parse().unwrap(),
            currency_code: "BRL".into(),
            target: Some("pix_key".into()),
            target_account: Some(nasty.into()),
            payee: Some(Payee { name: Some(nasty.into()), ..Payee::default() }),
            ..Payout::default()
        });
        let line = "POST /ws/payout/create HTTP/1.1";
        assert_stays_in_place(to, &payout, line, ("/payee/name", nasty));
        assert_stays_in_place(to, &payout, line, ("/target_account", nasty));
        let tracking = RegisterTracking::new(Tracking {
            order_number: nasty.into(),
            email: "maria@example.com".into(),
            tracking_code: vec![CodeOrDetails::from(nasty)],
            ..Tracking::default()
        });
        let line = "POST /ws/tracking HTTP/1.1";
        assert_stays_in_place(to, &tracking, line, ("/tracking_code/0", nasty));
    }
    assert!(server.requests().len() > NASTY.len() * 5, "most texts are accepted as they are");
    assert_eq!(server.connections(), 1);
}

const SAMPLE_PAYMENT: &str = r#"{"name":"n","email":"e@example.com","country":"mx",
    "payment_type_code":"oxxo","merchant_payment_code":"m","currency_code":"MXN",
    "amount_total":1.5,"document":"d","odd":"o"}"#;

/// The names and values in the query of a request.
fn parameters(request: &ReceivedRequest) -> Vec<(String, String)> {
    let target = request.head.split(' ').nth(1).unwrap();
    let query = target.split_once('?').unwrap().1;
    let decoded =
        |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().unwrap().into_owned();
    query
        .split('&')
        .map(|part| part.split_once('=').unwrap())
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect()
}

#[test]
fn no_value_breaks_out_of_the_query() {
    let server = server();
    for nasty in NASTY {
        // A line break at an end of a key is refused.
        let key = format!("k{nasty}k");
        let client = Client::new(calls::config(&server.base_url()).integration_key(&*key));
        let client = client.unwrap();
        let given = |name: &str| {
            vec![("integration_key".to_owned(), key.clone()), (name.to_owned(), nasty.to_owned())]
        };
        let cases = [
            (client.query_payment(&QueryPayment::by_hash(nasty)).map(drop), given("hash")),
            (
                client.query_payment(&QueryPayment::by_merchant_payment_code(nasty)).map(drop),
                given("merchant_payment_code"),
            ),
            (
                client.send(&RawRequest::new("GET", "/ws/x").query(nasty, nasty)).map(drop),
                vec![(nasty.to_owned(), nasty.to_owned())],
            ),
        ];
        let arrived = server.requests();
        let mut arrived =
            arrived.iter().rev().take(cases.iter().filter(|(r, _)| r.is_ok()).count());
        for (result, expected) in cases.into_iter().rev() {
            match result {
                Ok(()) => {
                    let request = arrived.next().unwrap();
                    assert_eq!(parameters(request), expected);
                    let line = request.head.lines().next().unwrap();
                    assert_is_one_request(request, &server, line, nasty);
                    assert!(line.is_ascii() && line.matches(' ').count() == 2, "{line}");
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::Validation, "{nasty:?}"),
            }
        }
    }
    assert!(server.requests().len() > NASTY.len());
}

#[test]
fn a_raw_request_goes_where_it_says_or_nowhere() {
    let server = server();
    let client = calls::client(&server.base_url());
    for nasty in NASTY {
        for path in [nasty.to_owned(), format!("/{nasty}"), format!("/ws/{nasty}")] {
            let before = server.requests().len();
            match client.send(&RawRequest::new("GET", &path)) {
                Ok(_) => {
                    let request = server.requests().remove(before);
                    let line = format!("GET {path} HTTP/1.1");
                    assert_is_one_request(&request, &server, &line, nasty);
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::Validation, "{path:?}"),
            }
        }
        for method in [nasty, &format!("GET {nasty}"), "CONNECT", "TRACE", ""] {
            let error = client.send(&RawRequest::new(method, "/ws/x")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Validation, "{method:?}");
        }
        let typed = RawRequest::new("POST", "/ws/x").body("{}").content_type(nasty);
        let before = server.requests().len();
        match client.send(&typed) {
            Ok(_) => assert_eq!(server.requests()[before].header("content-type"), Some(nasty)),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Validation, "{nasty:?}"),
        }
    }
    assert_eq!(server.connections(), 1);
}

#[test]
fn every_method_is_framed_so_that_the_connection_can_be_kept() {
    let server = RawServer::start(|mut connection| {
        while let Some(request) = connection.read_request() {
            // The response to a HEAD has a length but no body.
            let body: &[u8] = if request.head.starts_with("HEAD") { b"" } else { b"{}" };
            connection.write(&[b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n", body].concat());
        }
    });
    let client = calls::client(&server.base_url());
    for method in ["GET", "HEAD", "DELETE", "OPTIONS", "POST", "PUT", "PATCH", "PURGE"] {
        let bodies: &[&str] = if method == "HEAD" { &[""] } else { &["", "{\"a\": 1}"] };
        for body in bodies {
            let before = server.requests().len();
            let response = client.send(&RawRequest::new(method, "/ws/x").body(*body)).unwrap();
            assert_eq!(response.body(), if method == "HEAD" { &b""[..] } else { b"{}" });
            let request = server.requests().remove(before);
            assert_eq!(request.body, body.as_bytes(), "{method}");
            let has_length = request.header("content-length").is_some();
            let wants_length = !body.is_empty() || ["POST", "PUT", "PATCH"].contains(&method);
            assert_eq!(has_length, wants_length, "{method} {body:?}");
            assert_eq!(request.header("transfer-encoding"), None);
        }
    }
    assert_eq!(server.connections(), 1);
}

/// Makes a client with `configure` and creates a payment. Returns the request
/// that the service received.
fn configured(
    server: &RawServer,
    configure: impl Fn(payments_core::Config) -> payments_core::Config,
) -> Result<ReceivedRequest, Error> {
    let config = configure(calls::config(&server.base_url()));
    let before = server.requests().len();
    Client::new(config)?.create_payment(&calls::payment("order-1"))?;
    Ok(server.requests().split_off(before).pop().unwrap())
}

#[test]
fn no_setting_breaks_out_of_its_header() {
    let server = RawServer::start(|mut connection| {
        while let Some(request) = connection.read_request() {
            connection.write(&if request.head.contains("oauth") {
                json(r#"{"access_token":"t","token_type":"bearer"}"#)
            } else {
                response("200 OK", "", r#"{"status":"SUCCESS","payment":{}}"#)
            });
        }
    });
    let auth = server.base_url();
    for nasty in NASTY {
        let results = [
            configured(&server, |c| c.client_credentials(&auth, nasty, "secret")),
            configured(&server, |c| c.client_credentials(&auth, "id", nasty)),
            configured(&server, |c| c.client_credentials(&auth, "id", "s").bearer(nasty, "Bearer")),
            configured(&server, |c| c.client_credentials(&auth, "id", "s").bearer("x-auth", nasty)),
            configured(&server, |c| c.refund_hash_member(nasty)),
        ];
        for result in results {
            match result {
                Ok(request) => {
                    let lines = request.head.split("\r\n").count();
                    assert!((7..=8).contains(&lines), "{nasty:?}: {}", request.head);
                    assert_eq!(request.header("x-injected"), None, "{nasty:?}");
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::Config, "{nasty:?}: {error}"),
            }
        }
    }
}

#[test]
fn no_token_breaks_out_of_its_header() {
    for (number, nasty) in NASTY.into_iter().enumerate() {
        let token = Json::Object([("access_token", Json::from(nasty))].into_iter().collect());
        let body = token.to_text();
        let server = RawServer::start(move |mut connection| {
            while let Some(request) = connection.read_request() {
                connection.write(&if request.head.contains("oauth") {
                    json(&body)
                } else {
                    response("200 OK", "", r#"{"status":"SUCCESS","payment":{}}"#)
                });
            }
        });
        let auth = server.base_url();
        // A separate identity: a port may be that of an earlier server.
        let id = format!("nasty-{number}");
        match configured(&server, |c| c.client_credentials(&auth, &id, "secret")) {
            Ok(request) => {
                let expected = format!("Bearer {nasty}");
                assert_eq!(request.header("authorization"), Some(expected.as_str()));
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Token, "{nasty:?}: {error}");
                assert_eq!(server.requests().len(), 1, "{nasty:?}");
            }
        }
    }
}
