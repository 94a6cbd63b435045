//! The token responses that are accepted, and those that are not.

use std::sync::Arc;
use std::time::Duration;

use payments_core::transport::Received;
use payments_core::{Environment, ErrorKind, Outcome};

use crate::support::tokens;
use crate::support::tokens::{
    DAY, HOUR, MANY, at_once, call, client, seconds, stage, status, token_response,
};

const LIMIT: usize = 256 * 1024;

/// Makes ten calls on each of eight threads, which all use one token. Returns
/// the lifetime of that token.
fn lifetime_of(expires_in: &str) -> Duration {
    let (service, clock, client) = stage();
    let body = format!(r#"{{"access_token":"a.b-c"{expires_in}}}"#);
    service.on_token(move |_| Ok(token_response(&body)));
    service.on_call(|_| Ok(tokens::accepted()));
    at_once(8, |_| (0..10).for_each(|_| drop(call(&client).unwrap())));
    assert_eq!(service.token_requests(), 1, "{expires_in}");
    let lifetime = client.token_status(&client.context()).unwrap().remaining.unwrap();
    clock.advance(lifetime);
    call(&client).unwrap();
    assert_eq!(service.token_requests(), 2, "{expires_in}");
    lifetime
}

#[test]
fn missing_and_long_lifetimes_count_as_the_environments() {
    for missing_or_long in [
        "",
        r#","expires_in":null"#,
        r#","expires_in":86400"#,
        r#","expires_in":"86400""#,
        r#","expires_in":18446744073709551615"#,
        r#","expires_in":1e30"#,
        r#","expires_in":99999999999999999999999999"#,
    ] {
        assert_eq!(lifetime_of(missing_or_long), HOUR, "{missing_or_long}");
    }
    for text in ["3599", r#""3599""#, "3599.0", r#""3599.0""#, "3599.999", "3.5999E3"] {
        assert_eq!(lifetime_of(&format!(r#","expires_in":{text}"#)), seconds(3599), "{text}");
    }
}

#[test]
fn a_senseless_lifetime_is_a_minute_at_most() {
    for senseless in [
        r#","expires_in":-1"#,
        r#","expires_in":0"#,
        r#","expires_in":"0""#,
        r#","expires_in":"soon""#,
        r#","expires_in":0.9"#,
        r#","expires_in":-3599.5"#,
        r#","expires_in":true"#,
        r#","expires_in":[60]"#,
    ] {
        assert_eq!(lifetime_of(senseless), seconds(60), "{senseless}");
    }
}

#[test]
fn the_environment_caps_the_lifetime() {
    for (environment, expires_in, lifetime) in [
        (Environment::Production, 86_399, HOUR),
        (Environment::Production, 3_599, seconds(3_599)),
        (Environment::Sandbox, 86_399, seconds(86_399)),
        (Environment::Sandbox, 90_000, DAY),
    ] {
        let (service, clock) = (tokens::Service::new(), tokens::ManualClock::new());
        let client = client(tokens::config(&service, &clock).environment(environment));
        let issuing = Arc::downgrade(&service);
        service.on_token(move |_| issuing.upgrade().expect("it is asking").issue("a", expires_in));
        call(&client).unwrap();
        let status = client.token_status(&client.context()).unwrap();
        assert_eq!(status.remaining, Some(lifetime));
    }
}

/// Responses of a token server, with the error code each should cause.
fn unusable_responses() -> Vec<(&'static str, Received, &'static str)> {
    let json = |body: &str| token_response(body);
    let html = ("content-type".to_owned(), "text/html".to_owned());
    let page = Received::new(200, vec![html], b"<html><h1>Maintenance</h1></html>".to_vec());
    let giant = format!(r#"{{"access_token":"{}"}}"#, "a".repeat(LIMIT));
    let location = ("location".to_owned(), "https://elsewhere.example/".to_owned());
    let redirect = Received::new(302, vec![location], Vec::new());
    vec![
        ("empty token", json(r#"{"access_token":""}"#), "token_unusable"),
        ("line break", json(r#"{"access_token":"a\r\nb"}"#), "token_unusable"),
        ("space", json(r#"{"access_token":"a b"}"#), "token_unusable"),
        ("non-ASCII", json(r#"{"access_token":"tokén"}"#), "token_unusable"),
        ("NUL", json(r#"{"access_token":"a\u0000"}"#), "token_unusable"),
        ("no token", json(r#"{"token_type":"bearer"}"#), "token_unusable"),
        ("number", json(r#"{"access_token":7}"#), "token_unusable"),
        ("null", json(r#"{"access_token":null}"#), "token_unusable"),
        ("array", json(r#"[{"access_token":"a"}]"#), "token_unusable"),
        ("twice", json(r#"{"access_token":"a","access_token":"b"}"#), "token_unusable"),
        ("truncated", json(r#"{"access_token":"a""#), "token_unusable"),
        ("not JSON", json("access_token=a&token_type=bearer"), "token_unusable"),
        ("not UTF-8", Received::new(200, Vec::new(), vec![0xff; 9]), "token_unusable"),
        ("nothing", json(""), "token_unusable"),
        ("204", status(204), "token_unusable"),
        ("page", page, "token_unusable"),
        ("giant", json(&giant), "token_unusable"),
        ("type mac", json(r#"{"access_token":"a","token_type":"mac"}"#), "token_unusable"),
        ("type 7", json(r#"{"access_token":"a","token_type":7}"#), "token_unusable"),
        ("redirect", redirect, "token_server_failed"),
    ]
}

#[test]
fn an_unusable_response_is_a_clear_error_and_causes_no_storm() {
    for (index, (name, _, code)) in unusable_responses().into_iter().enumerate() {
        let (service, clock, client) = stage();
        service.on_token(move |_| Ok(unusable_responses().swap_remove(index).1));
        let error = call(&client).unwrap_err();
        assert_eq!((error.kind(), error.code().as_str()), (ErrorKind::Token, code), "{name}");
        assert_eq!(error.outcome(), Outcome::NotExecuted, "{name}");
        assert!(error.retry_after().is_some(), "{name}");
        at_once(8, |_| assert_eq!(call(&client).unwrap_err().kind(), ErrorKind::Token));
        assert_eq!(service.token_requests(), 1, "{name}");
        assert!(service.calls().is_empty(), "{name}");
        clock.advance(error.retry_after().unwrap());
        service.issue_tokens();
        call(&client).unwrap();
    }
}

#[test]
fn a_refusal_counts_with_any_body() {
    for body in [b"".as_slice(), b"<html>", br#"{"access_token":"a"}"#] {
        let (service, _, client) = stage();
        service.on_token(move |_| {
            let response = Received::new(403, Vec::new(), body.to_vec());
            Ok(response.with_body_failure(tokens::broken()))
        });
        let error = call(&client).unwrap_err();
        assert_eq!(error.code().as_str(), "token_requests_blocked");
        assert_eq!(error.http_status(), Some(403));
    }
}

#[test]
fn the_content_type_of_a_token_response_is_ignored() {
    let (service, _, client) = stage();
    service.on_token(|_| {
        let text = ("content-type".to_owned(), "text/plain".to_owned());
        let body = br#"{"access_token":"a","token_type":"BEARER","expires_in":60}"#;
        Ok(Received::new(200, vec![text], body.to_vec()))
    });
    service.on_call(|_| Ok(tokens::accepted()));
    call(&client).unwrap();
    assert_eq!(service.last_token(), "a");
}

/// The response takes longer to arrive than its token lasts.
#[test]
fn a_token_that_arrives_expired_starts_no_backoff() {
    let (service, clock, client) = stage();
    let (issuing, passing) = (Arc::downgrade(&service), Arc::clone(&clock));
    service.on_token(move |asked| {
        passing.advance(seconds(2));
        let value = format!("token-{}", asked.number);
        issuing.upgrade().expect("it is asking").issue(&value, 1)
    });
    service.on_call(|_| Ok(tokens::accepted()));
    at_once(MANY, |_| drop(call(&client).unwrap()));
    assert_eq!(service.token_requests(), 1);
    assert_eq!(client.token_status(&client.context()).unwrap().backoff, None);
    clock.advance(seconds(1));
    call(&client).unwrap();
    assert_eq!(service.token_requests(), 2);
}

#[test]
fn a_short_lived_token_is_used_for_as_long_as_it_lives() {
    let (service, clock, client) = stage();
    let issuing = Arc::downgrade(&service);
    service.on_token(move |asked| {
        issuing.upgrade().expect("it is asking").issue(&format!("token-{}", asked.number), 10)
    });
    for second in 0..100 {
        at_once(4, |_| call(&client).unwrap());
        assert!(service.token_requests() <= 1 + second / 9);
        clock.advance(seconds(1));
    }
}
