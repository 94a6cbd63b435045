//! Addresses of the service.

use ureq::http::Uri;

use crate::error::Error;

/// Checks an address and gives it without a slash at its end.
pub(super) fn check(
    member: &'static str,
    address: &str,
    allow_insecure_http: bool,
) -> Result<String, Error> {
    let refused = |code, message: &str| Err(Error::config(member, code, message));
    let Ok(uri) = address.trim().parse::<Uri>() else {
        return refused("url_invalid", "not a URL; give one like https://api.example.com");
    };
    let (Some(scheme), Some(host)) = (uri.scheme_str(), uri.host()) else {
        return refused(
            "url_incomplete",
            "a URL needs a scheme and a host, https://api.example.com",
        );
    };
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return refused("url_user", "a URL must not hold a user or a password");
    }
    if address.contains(['?', '#']) {
        return refused("url_query", "a base URL has no query and no fragment");
    }
    match scheme {
        "https" => {}
        "http" if allow_insecure_http || is_loopback(host) => {}
        "http" => {
            return refused(
                "url_insecure",
                "http:// is for this host only; use https://, or set allow_insecure_http on a \
                 network you trust",
            );
        }
        _ => return refused("url_scheme", "the scheme must be https"),
    }
    Ok(address.trim().trim_end_matches('/').to_owned())
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// An address as it may be shown: one that was not checked may hold a
/// password.
pub(super) fn shown(address: &str) -> &str {
    let end = address.find(['?', '#']).unwrap_or(address.len());
    if address.contains('@') { "***" } else { &address[..end] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        let code = |address, allow| check("base_url", address, allow).map_err(|error| error.code());
        assert_eq!(code("https://api.example/", false), Ok("https://api.example".to_owned()));
        assert_eq!(code("https://api.example/a/", false), Ok("https://api.example/a".to_owned()));
        for local in
            ["http://127.0.0.1:80", "http://[::1]:1", "http://localhost", "http://LOCALHOST"]
        {
            assert_eq!(code(local, false), Ok(local.to_owned()));
        }
        assert_eq!(code("http://localhost.example", false), Err("url_insecure"));
        assert_eq!(code("http://api.example", true), Ok("http://api.example".to_owned()));
        for (address, expected) in [
            ("http://api.example", "url_insecure"),
            ("https://u:p@api.example", "url_user"),
            ("https://api.example?x=1", "url_query"),
            ("https://api.example#x", "url_query"),
            ("ftp://api.example", "url_scheme"),
            ("api.example", "url_incomplete"),
            ("/ws", "url_incomplete"),
            ("", "url_invalid"),
            ("https://", "url_invalid"),
            ("https://a b", "url_invalid"),
        ] {
            assert_eq!(code(address, false), Err(expected), "{address}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(shown("https://u:p@h/x"), "***");
        assert_eq!(shown("https://h/x?key=1"), "https://h/x");
    }
}
