//! The proxy of the environment is used if asked for, and mentioned if not.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use payments_core::transport::ProxySetting;

use crate::support::payer;
use crate::support::proxy;
use crate::support::raw_server::{Connection, RawServer, created, response};
use crate::support::silent::{FullQueue, refused_port};

const PAY_THROUGH: &str = "TEST_PAYS_THROUGH";

const NAMES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

fn response_all(mut connection: Connection) {
    while connection.read_request().is_some() && connection.write(&created()) {}
}

fn is_child() -> bool {
    payer::is_child(|config| {
        let config = config.allow_insecure_http(true);
        // Only literal addresses are found.
        let config = config.lookup(Arc::new(|_, _| Err(io::ErrorKind::NotFound.into())));
        match std::env::var(PAY_THROUGH).as_deref() {
            Ok("env") => config.proxy(ProxySetting::Environment),
            Ok("soon") => config.connect_timeout(Duration::from_millis(200)),
            _ => config,
        }
    })
}

/// The output of a child that pays at `url` with these environment variables.
fn said(test: impl Fn(), url: &str, setting: &str, variables: &[(&str, &str)]) -> String {
    payer::outcome(test, url, |command| {
        for name in NAMES.into_iter().chain(["NO_PROXY", "no_proxy", "REQUEST_METHOD"]) {
            command.env_remove(name);
        }
        command.env(PAY_THROUGH, setting).envs(variables.iter().copied());
    })
}

#[test]
fn proxy_variables_change_nothing_unless_asked_for() {
    if is_child() {
        return;
    }
    let server = RawServer::start(response_all);
    let refusing = RawServer::responding(response("403 No", "", ""));
    let url = refusing.base_url();
    let pay = |setting: &str, variables: &[(&str, &str)]| {
        said(
            proxy_variables_change_nothing_unless_asked_for,
            &server.base_url(),
            setting,
            variables,
        )
    };
    let all: Vec<_> = NAMES.iter().map(|name| (*name, url.as_str())).collect();
    assert_eq!(pay("none", &all), "paid");
    assert_eq!((server.requests().len(), refusing.connections()), (1, 0));
    for variable in &all {
        let message = pay("env", &[*variable]);
        let (name, value) = *variable;
        let expected = format!(
            "connect proxy_refused not_executed: the proxy that {name} names refused to connect"
        );
        assert!(message.starts_with(&expected), "{message}");
        assert!(message.ends_with("or add the host to NO_PROXY if it can be reached without"));
        assert!(!message.contains(value.trim_start_matches("http://")), "{message}");
    }
    assert_eq!(server.requests().len(), 1);
    let around = [all[0], ("NO_PROXY", "localhost, 127.0.0.0/8")];
    assert_eq!(pay("env", &around), "paid");
    assert_eq!(pay("env", &[]), "paid");
    // A request that a web server runs as CGI sets this one.
    assert_eq!(pay("env", &[("HTTP_PROXY", &url), ("REQUEST_METHOD", "GET")]), "paid");
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn the_proxy_of_the_environment_is_used_when_asked_for() {
    if is_child() {
        return;
    }
    let server = RawServer::start(response_all);
    let proxy = proxy::start();
    let dead = format!("http://127.0.0.1:{}", refused_port());
    let socks = [("ALL_PROXY", "socks5://127.0.0.1:1"), ("HTTP_PROXY", &proxy.base_url())];
    let secure = [("HTTPS_PROXY", &*proxy.base_url()), ("ALL_PROXY", &dead)];
    let without_scheme = [("HTTP_PROXY", &proxy.base_url()["http://".len()..])];
    for (number, variables) in [&secure[..], &socks, &without_scheme].into_iter().enumerate() {
        let message = said(
            the_proxy_of_the_environment_is_used_when_asked_for,
            &server.base_url(),
            "env",
            variables,
        );
        assert_eq!(message, "paid", "{variables:?}");
        assert_eq!((server.requests().len(), proxy.connections()), (number + 1, number + 1));
    }
}

#[test]
fn a_message_names_the_variable_and_never_its_value() {
    if is_child() {
        return;
    }
    let server = RawServer::start(response_all);
    let closed = RawServer::responding(response("407 Who", "", ""));
    let closed = format!("http://user:CANARY@127.0.0.1:{}", closed.port());
    let dead = format!("http://user:CANARY@127.0.0.1:{}", refused_port());
    let names = "must be percent-encoded, as in http://[user:password@]host:port";
    for (variable, value, parts) in [
        ("HTTPS_PROXY", &*dead, &["connect connect_failed", "check HTTPS_PROXY, and that"][..]),
        ("all_proxy", &closed, &["proxy_refused", "set all_proxy to", "percent-encode"]),
        ("ALL_PROXY", "socks5://CANARY:1", &["config value_invalid", "ALL_PROXY names a SOCKS"]),
        ("HTTP_PROXY", "http://u:CANARY/w@h:1", &["config value_invalid", names]),
        ("http_proxy", "CANARY h", &["config value_invalid", "http_proxy must be http://["]),
    ] {
        let message = said(
            a_message_names_the_variable_and_never_its_value,
            &server.base_url(),
            "env",
            &[(variable, value)],
        );
        for part in parts.iter().chain([&variable]) {
            assert!(message.contains(part), "{message}");
        }
        assert!(!message.contains("CANARY") && !message.contains("127.0.0.1:1:"), "{message}");
        let address = value.rsplit('@').next().unwrap();
        assert!(!message.contains(address), "{message}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_possible_proxy_is_mentioned_if_nothing_connects() {
    if is_child() {
        return;
    }
    let silent = FullQueue::new();
    let refused = format!("http://127.0.0.1:{}", refused_port());
    let clause = "; HTTPS_PROXY names a proxy, but no proxy is configured: to use it, set proxy \
                  to env";
    let variable = ("HTTPS_PROXY", "http://user:CANARY@10.9.8.7:3128");
    let pay = |url: &str, setting: &str, variables: &[(&str, &str)]| {
        let test = a_possible_proxy_is_mentioned_if_nothing_connects;
        said(test, url, setting, variables)
    };
    for (url, setting, code) in [
        (&*refused, "none", "connect_failed"),
        ("http://no-such-host.test", "none", "host_not_found"),
        (&silent.url("http"), "soon", "connect_timed_out"),
    ] {
        let message = pay(url, setting, &[variable]);
        assert!(message.starts_with(&format!("connect {code} not_executed: ")), "{message}");
        assert!(message.contains("; check base_url") && message.ends_with(clause), "{message}");
        assert!(!message.contains("CANARY") && !message.contains("10.9.8.7"), "{message}");
        assert!(!pay(url, setting, &[]).contains("names a proxy"));
        let not_for_it = [variable, ("NO_PROXY", "127.0.0.0/8,no-such-host.test")];
        assert!(!pay(url, setting, &not_for_it).contains("names a proxy"));
    }
    let message = pay(&refused, "env", &[variable, ("NO_PROXY", "127.0.0.1")]);
    let said = "; the proxy that HTTPS_PROXY names was not used, because NO_PROXY has the host";
    assert!(message.ends_with(said), "{message}");
}
