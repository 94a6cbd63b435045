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
    for status in ["403 No", "407 Who", "502 Down", "302 Away"] {
        let refusing = RawServer::responding(response(status, "", ""));
        let error = pay(&through(&refusing.base_url(), calls::config(&server.base_url())));
        assert_eq!((error.kind(), error.outcome()), (Connect, NotExecuted), "{status}: {error}");
        assert_eq!(error.code().as_str(), "proxy_refused", "{status}");
        // The same password would be refused again.
        let tries = if status.starts_with("407") { 1 } else { 3 };
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
