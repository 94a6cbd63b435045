//! A proxy is used only if configured.

use std::time::Duration;

use payments_core::ErrorKind::Connect;
use payments_core::Outcome::NotExecuted;
use payments_core::transport::ProxySetting;
use payments_core::{Client, Config, Error, ErrorKind};

use crate::support::calls;
use crate::support::raw_server::{Connection, RawServer, created, response};

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
