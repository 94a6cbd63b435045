//! A proxy is used only if configured.

use std::time::Duration;

use payments_core::ErrorKind::{Cancelled, Connect, Tls, Transport};
use payments_core::Outcome::{NotExecuted, Unknown};
use payments_core::transport::ProxySetting;
use payments_core::{CallContext, CancelHandle, Client, Config, Error, ErrorKind};

use crate::support::calls;
use crate::support::raw_server::{Connection, RawServer, created, response};
use crate::support::tls_server::{self, Authority};
use crate::support::{proxy, silent};

fn response_all(mut connection: Connection) {
    while connection.read_request().is_some() && connection.write(&created()) {}
}

fn through(proxy_url: &str, config: Config) -> Client {
    Client::new(config.proxy(ProxySetting::Url(proxy_url.into()))).unwrap()
}

fn pay(client: &Client) -> Error {
    calls::fail_within(client, Duration::from_secs(10), "order-1")
}

#[test]
fn a_proxy_carries_all_calls_and_keeps_the_tunnel() {
    let proxy = proxy::start();
    let plain = RawServer::start(response_all);
    let authority = Authority::new("ours");
    let encrypted = tls_server::start(authority.server(&["127.0.0.1"]), response_all);
    let file = authority.file();
    let url = encrypted.base_url().replace("http:", "https:");
    for (server, config) in [
        (&plain, calls::config(&plain.base_url())),
        (&encrypted, calls::config(&url).ca_file(&file.0)),
    ] {
        let before = proxy.connections();
        let client = through(&proxy.base_url(), config);
        for _ in 0..2 {
            client.create_payment(&calls::payment("order-1")).unwrap();
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
        let client = through(&proxy.base_url(), calls::config(&server.base_url()));
        client.create_payment(&calls::payment("order-1")).unwrap_or_else(|e| panic!("{head}: {e}"));
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
        let error = pay(&through(&refusing.base_url(), calls::config(&server.base_url())));
        assert!(error.message().contains(part), "{part}: {error}");
        assert_eq!(error.code().as_str(), "proxy_refused", "{error}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn the_proxys_password_goes_to_the_proxy_and_nowhere_else() {
    let proxy = proxy::start();
    let server = RawServer::start(response_all);
    let url = format!("http://merchant:pa%3Ass@127.0.0.1:{}", proxy.port());
    let client = through(&url, calls::config(&server.base_url()));
    client.create_payment(&calls::payment("order-1")).unwrap();
    let sent = proxy.requests().remove(0);
    assert_eq!(sent.header("proxy-authorization"), Some("Basic bWVyY2hhbnQ6cGE6c3M="));
    for name in ["x-jws-signature", "authorization", "content-type"] {
        assert_eq!(sent.header(name), None);
    }
    let head = &server.requests()[0].head;
    assert!(!head.to_ascii_lowercase().contains("proxy") && !head.contains("bWVy"), "{head}");
}

#[test]
fn a_proxy_that_refuses_is_connect_and_nothing_was_sent() {
    let server = RawServer::start(response_all);
    for status in ["403 No", "407 Who", "401 Who", "502 Down", "302 Away"] {
        let refusing = RawServer::responding(response(status, "", ""));
        let error = pay(&through(&refusing.base_url(), calls::config(&server.base_url())));
        assert_eq!((error.kind(), error.outcome()), (Connect, NotExecuted), "{status}: {error}");
        assert_eq!(error.code().as_str(), "proxy_refused", "{status}");
        // The same password would be refused again.
        let tries = if status.starts_with('4') && status != "403 No" { 1 } else { 3 };
        assert_eq!(refusing.requests().len(), tries, "only CONNECT was tried again");
    }
    assert_eq!(server.connections(), 0);
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
        let error = pay(&through(&broken.base_url(), calls::config(&server.base_url())));
        assert_eq!((error.kind(), error.outcome()), (Connect, NotExecuted), "{sent:?}: {error}");
    }
    let nobody = silent::refused_port();
    let nobody = format!("http://127.0.0.1:{nobody}");
    let error = pay(&through(&nobody, calls::config(&server.base_url())));
    assert_eq!((error.kind(), error.outcome()), (Connect, NotExecuted));
    assert_eq!(server.connections(), 0);
}

#[test]
fn bytes_for_the_proxy_are_not_bytes_of_the_request() {
    let silent = RawServer::start(|mut connection| {
        connection.read_request();
        connection.wait_for_the_end();
    });
    let config = calls::config("http://127.0.0.1:1");
    let client = through(&silent.base_url(), config.connect_timeout(Duration::from_millis(150)));
    let error = pay(&client);
    assert_eq!((error.kind(), error.code().as_str()), (Connect, "connect_timed_out"), "{error}");
    assert_eq!(error.outcome(), NotExecuted);

    let client = through(&silent.base_url(), calls::config("http://127.0.0.1:1"));
    let cancel = CancelHandle::new();
    let handle = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(150));
        handle.cancel();
    });
    let context = CallContext::new(Duration::from_secs(60), cancel, None);
    let error = client.execute(&calls::payment("order-1"), &context).map(drop).unwrap_err();
    assert_eq!((error.kind(), error.outcome()), (Cancelled, NotExecuted));
    assert!(!silent.requests().is_empty(), "the proxy was asked");
}

#[test]
fn a_failed_handshake_behind_the_proxy_is_not_its_fault() {
    let plain = RawServer::start(|mut connection| _ = connection.write(&created()));
    let proxy = proxy::start();
    let url = plain.base_url().replace("http:", "https:");
    let error = pay(&through(&proxy.base_url(), calls::config(&url)));
    assert_eq!((error.kind(), error.outcome()), (Tls, NotExecuted), "{error}");
    let said = format!("the TLS handshake with 127.0.0.1:{} failed", plain.port());
    assert!(error.message().contains(&said), "{error}");
}

#[test]
fn a_tunnel_that_breaks_under_the_request_is_unknown() {
    let server = RawServer::start(|mut connection| drop(connection.read_request()));
    let proxy = proxy::start();
    let error = pay(&through(&proxy.base_url(), calls::config(&server.base_url())));
    assert_eq!((error.kind(), error.outcome()), (Transport, Unknown), "{error}");
    assert_eq!((error.attempts(), server.requests().len()), (1, 1));
}

#[test]
fn an_unusable_proxy_is_an_error_without_its_password() {
    for url in [
        "",
        "http://",
        "socks5://u:hidden@h:1",
        "ftp://u:hidden@h",
        "u:hidden@h o:1",
        "http://u:hidden@h:84430",
        "http://u:hidden@h:31a",
        "http://u:hidden/w@h:31",
        "http://hidden#w@h:31",
    ] {
        let config = calls::config("http://127.0.0.1:1").proxy(ProxySetting::Url(url.into()));
        assert!(!format!("{config:?}").contains("hidden"));
        let error = Client::new(config).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("proxy")), "{url:?}");
        assert!(!format!("{error} {error:?}").contains("hidden"), "{error:?}");
        let is_of_login = url.contains(['/', '#']) && url.ends_with(":31");
        assert_eq!(error.message().contains("must be percent-encoded"), is_of_login, "{error}");
    }
}
