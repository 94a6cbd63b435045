//! Fixed headers: what is refused, and where they go.

use payments_core::{Client, Config, ErrorKind};

use crate::support::raw_server::{RawServer, created, json};
use crate::support::{calls, canaries, proxy};

fn refusal(headers: &[(&str, &str)]) -> Option<(String, String)> {
    let config = Config::new("https://api.example").integration_key("k");
    let error = Client::new(config.headers(headers.iter().copied())).err()?;
    assert_eq!(error.kind(), ErrorKind::Config);
    for (_, value) in headers.iter().filter(|(_, value)| value.len() > 3) {
        assert!(!format!("{error}{error:?}").contains(value), "{error}");
    }
    Some((error.path().unwrap().to_owned(), error.code().to_string()))
}

#[test]
fn headers_of_the_client_and_of_http_are_refused() {
    for name in [
        "accept",
        "Accept-Charset",
        "Accept-Encoding",
        "Authorization",
        "Authorization2",
        "Connection",
        "Content-Digest",
        "Content-Encoding",
        "Content-Length",
        "Content-Type",
        "Cookie",
        "Cookie2",
        "Date",
        "Early-Data",
        "Expect",
        "Forwarded",
        "HOST",
        "HTTP2-Settings",
        "Idempotency-Key",
        "If-Match",
        "If-None-Match",
        "Keep-Alive",
        "Proxy-Authorization",
        "Proxy-Connection",
        "Range",
        "Sec-Fetch-Mode",
        "Set-Cookie",
        "Signature",
        "Signature-Input",
        "TE",
        "Traceparent",
        "Tracestate",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "Upgrade-Insecure-Requests",
        "User-Agent",
        "Via",
        "X-Authorization",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-HTTP-Method",
        "X-HTTP-Method-Override",
        "X-Idempotency-Key",
        "X-JWS-Signature",
        "X-Method-Override",
        "X-Original-URL",
        "X-Rewrite-URL",
    ] {
        let refused = Some((format!("headers.{name}"), "value_invalid".to_owned()));
        assert_eq!(refusal(&[("X-A", "1"), (name, "1")]), refused, "{name}");
        let disguised = name.to_lowercase().replace('-', "_");
        assert!(refusal(&[(&disguised, "1")]).is_some(), "{disguised}");
    }
    for name in ["X-Simulate", "Prefer", "Accept-Language", "X-Request-Source", "X-Api-Key", "iffy"]
    {
        assert_eq!(refusal(&[(name, "1")]), None, "{name}");
    }
}

#[test]
fn names_are_tokens_and_values_visible() {
    for name in ["", " X-A", "X A", "X:A", "X\r\nA", "É", "canarySecret:1", "X-A\0", "(x)"] {
        let refused = Some(("headers".to_owned(), "value_invalid".to_owned()));
        assert_eq!(refusal(&[(name, "1")]), refused, "{name:?}");
    }
    for value in ["", " ", " secret", "secret ", "sec\tret", "sec\r\nret", "sécret", "sec\u{7f}ret"]
    {
        let refused = Some(("headers.X-A".to_owned(), "value_invalid".to_owned()));
        assert_eq!(refusal(&[("X-A", value)]), refused, "{value:?}");
    }
    assert_eq!(refusal(&[("X-A", "a b; c=\"d\"~")]), None);
    let twice = Some(("headers.x_a".to_owned(), "conflicting_members".to_owned()));
    assert_eq!(refusal(&[("X-A", "1"), ("x_a", "2")]), twice);
}

#[test]
fn at_most_sixteen_headers_with_four_kibibytes_are_allowed() {
    let names: Vec<_> = (0..17).map(|number| format!("X-{number}")).collect();
    let headers: Vec<_> = names.iter().map(|name| (name.as_str(), "1")).collect();
    let refused = Some(("headers".to_owned(), "value_invalid".to_owned()));
    assert_eq!((refusal(&headers[..16]), refusal(&headers)), (None, refused.clone()));
    let long = "v".repeat(4093);
    assert_eq!((refusal(&[("X-A", &long)]), refusal(&[("X-AB", &long)])), (None, refused));
}

#[test]
fn only_the_service_gets_them() {
    let service = RawServer::responding(created());
    let tokens = RawServer::responding(json(
        r#"{"access_token":"token-1","token_type":"bearer","expires_in":3600}"#,
    ));
    let tunnel = proxy::start();
    for proxied in [false, true] {
        let mut config = calls::config(&service.base_url())
            .client_credentials(tokens.base_url(), format!("only-service-{proxied}"), "secret")
            .headers([("X-Simulate", "503")]);
        if proxied {
            config = config.proxy(canaries::proxy(tunnel.port()));
        }
        let client = Client::new(config).unwrap();
        client.create_payment(&calls::payment("order-1")).unwrap();
    }
    let requests = service.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests.iter().all(|it| it.header("x-simulate") == Some("503")));
    assert!(tokens.requests().iter().all(|it| it.header("x-simulate").is_none()));
    assert_eq!(tokens.requests().len(), 2);
    let tunnels = tunnel.requests();
    assert!(!tunnels.is_empty() && tunnels.iter().all(|it| !it.head.contains("imulate")));
}
