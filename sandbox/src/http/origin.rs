//! Access control: only programs and pages of this host may use the sandbox.
//!
//! A page of any origin can make a browser send requests to loopback, and a
//! name that resolves to 127.0.0.1 (DNS rebinding) makes the sandbox part of
//! that page's origin. `Origin` reveals the first, `Host` the second.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::http::RequestHead;

/// Why a request is refused, if it is. The text has the remedy.
pub(crate) fn objection(head: &RequestHead) -> Option<String> {
    let mut hosts = head.authority.as_deref().into_iter().chain(head.headers_named("host"));
    let host = hosts.next();
    if !host.is_some_and(is_loopback) || !hosts.all(is_loopback) {
        return Some(
            "the host is not a loopback name; address the sandbox as 127.0.0.1, [::1], localhost \
             or a name that ends in .localhost"
                .to_owned(),
        );
    }
    let is_own = |origin: &str| {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.zip(host).is_some_and(|(rest, host)| rest.eq_ignore_ascii_case(host))
    };
    if !head.headers_named("origin").all(is_own) {
        return Some(
            "the request comes from a web page of another origin; send it from a program, or from \
             a page that the sandbox serves"
                .to_owned(),
        );
    }
    None
}

/// Whether a `Host` value names this host, with or without a port.
fn is_loopback(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[').map(|rest| rest.split_once(']')) {
        Some(Some((address, port))) => {
            if address.parse() != Ok(Ipv6Addr::LOCALHOST) {
                return false;
            }
            ("localhost", port)
        }
        Some(None) => return false,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = port.strip_prefix(':').unwrap_or(port).bytes().all(|byte| byte.is_ascii_digit());
    let name = name.to_ascii_lowercase();
    let is_name = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.');
    is_port
        && name.bytes().all(is_name)
        && (name == "localhost"
            || name.ends_with(".localhost")
            || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback()))
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_names_of_this_host_are_loopback() {
        for host in [
            "localhost",
            "LocalHost:8080",
            "shop.localhost:1",
            "127.0.0.1",
            "127.8.9.10:65535",
            "[::1]",
            "[::1]:8080",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "evillocalhost",
            "localhost@evil.example",
            "localhost:80@evil.example",
            "evil.example/.localhost",
            "evil.example@a.localhost",
            "127.0.0.1.evil.example",
            "127.1",
            "0.0.0.0",
            "10.0.0.1",
            "[::]",
            "[::1",
            "[::1]evil.example",
            "[fe80::1]:8080",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
