//! The tunnel that a proxy opens, and the failures to get one.

use std::time::Duration;

use payments_transport::FailureKind::{Broken, Cancelled, Connect, Tls};
use payments_transport::HttpSettings;
use payments_transport::inside::Cause;

use crate::support::caller::{Caller, settings, through, trusting};
use crate::support::raw_server::{Connection, RawServer, json};
use crate::support::tls_server::{self, Authority};
use crate::support::{proxy, silent};

fn response_all(mut connection: Connection) {
    while connection.read_request().is_some() && connection.write(&json("{}")) {}
}

fn proxied(proxy_url: &str, server: &RawServer) -> Caller {
    Caller::new(&server.base_url(), &through(proxy_url, settings()))
}

#[test]
fn a_proxy_carries_all_calls_and_keeps_the_tunnel() {
    let proxy = proxy::start();
    let plain = RawServer::start(response_all);
    let authority = Authority::new("ours");
    let encrypted = tls_server::start(authority.server(&["127.0.0.1"]), response_all);
    let https = encrypted.base_url().replace("http:", "https:");
    for (server, url, settings) in
        [(&plain, plain.base_url(), settings()), (&encrypted, https, trusting(&authority.pem()))]
    {
        let before = proxy.connections();
        let caller = Caller::new(&url, &through(&proxy.base_url(), settings));
        for _ in 0..2 {
            caller.body();
        }
        assert_eq!((server.connections(), server.requests().len()), (1, 2));
        assert_eq!(proxy.connections(), before + 1);
    }
    let head = &proxy.requests()[0].head;
    assert!(head.starts_with(&format!("CONNECT 127.0.0.1:{} HTTP/1.1", plain.port())), "{head}");
    let agent = proxy.requests()[0].header("user-agent").map(str::to_owned);
    assert_eq!(agent, server_agent(&plain), "the agent of the request itself");
}

fn server_agent(server: &RawServer) -> Option<String> {
    server.requests()[0].header("user-agent").map(str::to_owned)
}

#[test]
fn any_2xx_opens_the_tunnel_with_odd_headers_or_none() {
    let server = RawServer::start(response_all);
    for head in [
        "HTTP/1.0 200 OK\r\n\r\n",
        "HTTP/1.1 200\n\n",
        "HTTP/1.1 201 Created\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 299 Odd\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Long: a\r\n b\r\nX : y\r\nno colon\r\nX(1): y\r\n\r\n",
    ] {
        let proxy = proxy::responding(head);
        proxied(&proxy.base_url(), &server).post().unwrap_or_else(|it| panic!("{head}: {it:?}"));
    }
}

#[test]
fn each_refusal_of_a_proxy_has_its_own_sentence() {
    let server = RawServer::start(response_all);
    let long = format!("HTTP/1.1 200 OK\r\nx: {}", "x".repeat(64 * 1024));
    let basic = "requires other credentials (407, which offers Basic); set proxy to http://user";
    for (head, part) in [
        ("HTTP/1.1 407 Who\r\n\r\n", "requires other credentials (407); set proxy to http://user"),
        ("HTTP/1.1 407 Who\r\nProxy-Authenticate: basic realm=\"x\"\r\n\r\n", basic),
        (
            "HTTP/1.1 407 Who\r\nproxy-authenticate: NTLM\r\nproxy-authenticate: Negotiate a=\r\n\r\n",
            "offers no login by Basic (407), the only scheme that is supported, but Negotiate, NTLM",
        ),
        (
            "HTTP/1.1 407 Who\r\nproxy-authenticate: Digest realm=\"a, Basic\", nonce=b\r\n\r\n",
            "but Digest; have it offer Basic, or allow 127.0.0.1:",
        ),
        ("HTTP/1.1 401 Who\r\n\r\n", "responded with 401, as a web server does"),
        ("HTTP/1.1 502 Down\r\n\r\n", "(502); check base_url, the network"),
        ("HTTP/1.1 503 Down\r\n\r\n", "could not reach or resolve 127.0.0.1:"),
        ("HTTP/1.1 504 Down\r\n\r\n", "(504); check base_url, the network"),
        ("HTTP/1.1 429 Wait\r\n\r\n", "it responded 429; have the proxy allow this host"),
        ("\u{5}\u{1}", "the response is not HTTP/1.1"),
        ("HTTP/1.1 101 Other\r\n\r\n", "switches to another protocol (101)"),
        ("HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n", "has the header content-length in a"),
        (&long, "is longer than 64 KiB"),
        ("", "closed the connection that was to lead to 127.0.0.1:"),
        ("HTTP/1.1 20", "without a response; check proxy"),
    ] {
        let head = head.to_owned();
        let refusing = RawServer::start(move |mut connection| {
            connection.read_request();
            connection.write(head.as_bytes());
        });
        let failed = proxied(&refusing.base_url(), &server).failure();
        assert!(failed.message().contains(part), "{part}: {failed:?}");
        assert_eq!(failed.cause(), (Cause::ProxyRefused, true), "{failed:?}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn the_proxys_password_goes_to_the_proxy_and_nowhere_else() {
    let proxy = proxy::start();
    let server = RawServer::start(response_all);
    let url = format!("http://merchant:pa%3Ass@127.0.0.1:{}", proxy.port());
    proxied(&url, &server).body();
    let sent = proxy.requests().remove(0);
    assert_eq!(sent.header("proxy-authorization"), Some("Basic bWVyY2hhbnQ6cGE6c3M="));
    for name in ["x-jws-signature", "authorization", "content-type"] {
        assert_eq!(sent.header(name), None);
    }
    let head = &server.requests()[0].head;
    assert!(!head.to_ascii_lowercase().contains("proxy") && !head.contains("bWVy"), "{head}");
}

#[test]
fn a_proxy_that_breaks_or_talks_nonsense_is_connect() {
    let server = RawServer::start(response_all);
    for (sent, resets) in [(&b""[..], false), (b"", true), (b"SSH-2.0-proxy\r\n\r\n", false)] {
        let broken = RawServer::start(move |mut connection| {
            connection.read_request();
            connection.write(sent);
            if resets {
                connection.reset();
            }
        });
        let failed = proxied(&broken.base_url(), &server).failure();
        assert_eq!(failed.kind(), (Connect, true), "{sent:?}: {failed:?}");
    }
    let nobody = format!("http://127.0.0.1:{}", silent::refused_port());
    assert_eq!(proxied(&nobody, &server).failure().kind(), (Connect, true));
    assert_eq!(server.connections(), 0);
}

#[test]
fn bytes_for_the_proxy_are_not_bytes_of_the_request() {
    let silent = RawServer::start(|mut connection| {
        connection.read_request();
        connection.wait_for_the_end();
    });
    let soon = Duration::from_millis(150);
    let settings = through(&silent.base_url(), settings());
    let limited = HttpSettings { connect_timeout: soon, ..settings.clone() };
    let failed = Caller::new("http://127.0.0.1:1", &limited).failure();
    assert_eq!(failed.cause(), (Cause::ConnectTimedOut, true), "{failed:?}");

    let failed = Caller::new("http://127.0.0.1:1", &settings).post_until(soon);
    assert_eq!(failed.kind(), (Cancelled, true), "{failed:?}");
    assert!(!silent.requests().is_empty(), "the proxy was asked");
}

#[test]
fn a_failed_handshake_behind_the_proxy_is_not_its_fault() {
    let plain = RawServer::start(|mut connection| _ = connection.write(&json("{}")));
    let proxy = proxy::start();
    let url = plain.base_url().replace("http:", "https:");
    let failed = Caller::new(&url, &through(&proxy.base_url(), settings())).failure();
    assert_eq!(failed.kind(), (Tls, true), "{failed:?}");
    let said = format!("the TLS handshake with 127.0.0.1:{} failed", plain.port());
    assert!(failed.message().contains(&said), "{failed:?}");
}

#[test]
fn a_tunnel_that_breaks_under_the_request_is_unknown() {
    let server = RawServer::start(|mut connection| drop(connection.read_request()));
    let proxy = proxy::start();
    let failed = proxied(&proxy.base_url(), &server).failure();
    assert_eq!(failed.kind(), (Broken, false), "{failed:?}");
    assert_eq!(server.requests().len(), 1);
}
