//! Addresses of the service.

use payments_base::secret::Secret;
use payments_transport::inside::{Uri, has_usable_port, ip_of};

use crate::model::error::{Error, messages};
use crate::model::operation::Operation;

/// Checks an address and removes a trailing slash.
pub(super) fn check(
    member: &'static str,
    address: &str,
    allow_insecure_http: bool,
) -> Result<String, Error> {
    let Ok(uri) = address.trim().parse::<Uri>() else {
        let (_, rest) = address.split_once("://").unwrap_or(("", address));
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        return Err(if host.is_ascii() {
            messages::url_invalid(member)
        } else {
            messages::url_not_ascii(member)
        });
    };
    let host = uri.host().filter(|host| !host.is_empty());
    let (Some(scheme), Some(host)) = (uri.scheme_str(), host) else {
        return Err(messages::url_incomplete(member));
    };
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(messages::url_user(member));
    }
    if !has_usable_port(&uri) {
        return Err(messages::url_port(member));
    }
    if address.contains(['?', '#']) {
        return Err(messages::url_query(member));
    }
    let address = address.trim().trim_end_matches('/');
    let path = uri.path().trim_end_matches('/');
    if let Some(end) = added_to(member).find(|end| path.ends_with(end)) {
        let start = &address[..address.len() - end.len()];
        return Err(messages::url_endpoint(member, end, start));
    }
    match scheme {
        "https" => Ok(address.to_owned()),
        "http" if allow_insecure_http || is_loopback(host) => Ok(address.to_owned()),
        "http" => Err(messages::url_insecure(member)),
        _ => Err(messages::url_scheme(member)),
    }
}

/// The paths that the client appends to an address.
fn added_to(member: &str) -> impl Iterator<Item = &'static str> {
    let is_base = member == "base_url";
    let endpoints = Operation::ALL.into_iter().filter_map(move |operation| {
        let path = operation.path();
        (!path.is_empty() && (is_base || operation == Operation::AccessToken)).then_some(path)
    });
    endpoints.chain(is_base.then_some("/ws"))
}

/// Whether a checked address leads to this host.
pub(super) fn is_on_this_host(address: &str) -> bool {
    let uri = address.parse::<Uri>();
    uri.is_ok_and(|uri| uri.host().is_some_and(is_loopback))
}

/// Whether the host is this one.
pub(super) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || ip_of(host).is_some_and(|it| it.is_loopback())
}

/// The password in an address, as written there.
pub(super) fn password(address: &str) -> Option<Secret> {
    let (_, rest) = address.split_once("://")?;
    let (login, _) = rest.rsplit_once('@')?;
    let (_, password) = login.split_once(':')?;
    Some(password.into())
}

/// An address in the form that messages show. An unchecked one may contain a
/// password.
pub(super) fn shown(address: &str) -> &str {
    let end = address.find(['?', '#']).unwrap_or(address.len());
    if address.contains('@') { "***" } else { &address[..end] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error::ErrorCode;

    #[test]
    fn addresses_are_checked() {
        let code = |address, allow| check("base_url", address, allow).map_err(|error| error.code());
        assert_eq!(code("https://api.example/", false), Ok("https://api.example".to_owned()));
        assert_eq!(code("https://api.example/a/", false), Ok("https://api.example/a".to_owned()));
        for local in [
            "http://127.0.0.1:80",
            "http://[::1]:1",
            "http://[::1%25lo]:1",
            "http://localhost",
            "http://LOCALHOST",
        ] {
            assert_eq!(code(local, false), Ok(local.to_owned()));
        }
        assert_eq!(code("http://localhost.example", false), Err(ErrorCode::INSECURE));
        assert_eq!(code("http://api.example", true), Ok("http://api.example".to_owned()));
        for (address, expected) in [
            ("http://api.example", ErrorCode::INSECURE),
            ("https://u:p@api.example", ErrorCode::VALUE_INVALID),
            ("https://api.example?x=1", ErrorCode::VALUE_INVALID),
            ("https://api.example#x", ErrorCode::VALUE_INVALID),
            ("ftp://api.example", ErrorCode::VALUE_INVALID),
            ("api.example", ErrorCode::VALUE_INVALID),
            ("/ws", ErrorCode::VALUE_INVALID),
            ("", ErrorCode::VALUE_INVALID),
            ("https://", ErrorCode::VALUE_INVALID),
            ("https://a b", ErrorCode::VALUE_INVALID),
            ("https://:8443", ErrorCode::VALUE_INVALID),
            ("https://api.example:84430", ErrorCode::VALUE_INVALID),
            ("https://api.example:844E", ErrorCode::VALUE_INVALID),
            ("https://api.example:", ErrorCode::VALUE_INVALID),
            ("http://[::1]:99999", ErrorCode::VALUE_INVALID),
        ] {
            assert_eq!(code(address, false), Err(expected), "{address}");
        }
    }

    #[test]
    fn a_host_beyond_ascii_is_to_be_written_in_punycode() {
        let message = |address| check("base_url", address, false).unwrap_err().message().to_owned();
        for address in ["https://pagos.espa\u{f1}a.example", "https://\u{fc}/a", "\u{fc}.example"] {
            assert!(message(address).contains("punycode"), "{address}");
        }
        for address in ["https://a b/\u{fc}", "https://a b", ""] {
            assert!(!message(address).contains("punycode"), "{address}");
        }
    }

    #[test]
    fn parts_that_the_client_adds_are_refused() {
        let checked = |member, address: &str| {
            check(member, address, false).map_err(|error| {
                assert_eq!(
                    (error.path(), error.code()),
                    (Some(member), ErrorCode::VALUE_INVALID),
                    "{address}"
                );
                error.message().to_owned()
            })
        };
        for (address, start) in [
            ("https://api.example/ws", "https://api.example"),
            ("https://api.example/ws/", "https://api.example"),
            ("https://api.example:8443/v1/ws", "https://api.example:8443/v1"),
            ("https://api.example/ws/direct", "https://api.example"),
            ("https://api.example/a/ws/payout/create/", "https://api.example/a"),
        ] {
            let advice = checked("base_url", address).unwrap_err();
            assert!(advice.ends_with(&format!("write {start}")), "{advice}");
        }
        let token = "https://api.example/authorization-server/oauth/token";
        let advice = checked("auth_url", token).unwrap_err();
        assert!(advice.ends_with("write https://api.example"), "{advice}");
        for address in ["https://ws", "https://api.example/news", "https://api.example/ws/v2"] {
            assert_eq!(checked("base_url", address).unwrap(), address);
        }
        assert!(checked("auth_url", "https://api.example/ws").is_ok());
    }

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(shown("https://u:p@h/x"), "***");
        assert_eq!(shown("https://h/x?key=1"), "https://h/x");
    }
}
