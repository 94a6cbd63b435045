//! Hosts and ports of URLs.

use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, SocketAddrV6, ToSocketAddrs as _};

use ::ureq::http::Uri;

/// Whether the text after the host's colon is a usable port. `Uri` accepts any
/// text there, and would then use the default port.
pub fn has_usable_port(uri: &Uri) -> bool {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let host_ends = authority.rfind(']').or_else(|| authority.rfind('@')).unwrap_or(0);
    !authority[host_ends..].contains(':') || uri.port_u16().is_some_and(|port| port > 0)
}

/// The port of a URL, or that of its scheme.
pub(super) fn port_of(uri: &Uri) -> u16 {
    uri.port_u16().unwrap_or_else(|| default_port(uri))
}

fn default_port(uri: &Uri) -> u16 {
    if uri.scheme_str() == Some("https") { 443 } else { 80 }
}

/// The value of `Host` for a URL: without the port that its scheme has anyway,
/// and without a zone.
pub(super) fn host_header(uri: &Uri) -> String {
    let bare = without_zone(uri);
    let host = bare.as_ref().unwrap_or(uri).host().unwrap_or_default();
    match uri.port_u16() {
        Some(port) if port != default_port(uri) => format!("{host}:{port}"),
        _ => host.to_owned(),
    }
}

/// Scheme, host and port of a URL whose IPv6 address has a zone, without that:
/// it means something on this host only (RFC 6874).
pub(super) fn without_zone(uri: &Uri) -> Option<Uri> {
    let (address, _) = uri.host()?.split_once('%')?;
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{address}]{port}", uri.scheme_str()?).parse().ok()
}

/// The IP address in a URL's host, without its brackets and its zone.
pub fn ip_of(host: &str) -> Option<IpAddr> {
    let inner = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    let address = inner.split('%').next().unwrap_or_default();
    address.parse().ok().filter(|it: &IpAddr| it.is_ipv6() || address == host)
}

/// The address in a URL's host; `None` for a name.
///
/// # Errors
/// If this host has no such zone.
pub(super) fn literal(host: &str, port: u16) -> io::Result<Option<SocketAddr>> {
    let zone = host.split_once('%').map(|(_, zone)| zone.trim_end_matches(']'));
    Ok(match (ip_of(host), zone) {
        (Some(IpAddr::V6(address)), Some(zone)) => {
            // `%25` is a percent sign in a URL.
            let zone = zone.strip_prefix("25").filter(|rest| !rest.is_empty()).unwrap_or(zone);
            Some(SocketAddrV6::new(address, port, 0, scope_of(zone)?).into())
        }
        (address, _) => address.map(|address| SocketAddr::new(address, port)),
    })
}

/// The number of the network interface that a zone names.
fn scope_of(zone: &str) -> io::Result<u32> {
    if let Ok(number) = zone.parse() {
        return Ok(number);
    }
    const LINK_LOCAL: Ipv6Addr = Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 1);
    // The system takes the name of an interface for such an address only.
    let found = (format!("{LINK_LOCAL}%{zone}").as_str(), 0).to_socket_addrs()?;
    let scopes = found.filter_map(|it| match it {
        SocketAddr::V6(it) => Some(it.scope_id()),
        SocketAddr::V4(_) => None,
    });
    scopes.into_iter().next().ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_a_number_or_the_name_of_an_interface() {
        let found = |host: &str| literal(host, 443).ok().flatten().map(|it| it.to_string());
        for (host, address) in [
            ("10.0.0.1", Some("10.0.0.1:443")),
            ("[::1]", Some("[::1]:443")),
            ("[fe80::1%253]", Some("[fe80::1%3]:443")),
            ("[fe80::1%3]", Some("[fe80::1%3]:443")),
            ("[fe80::1%25]", Some("[fe80::1%25]:443")),
            ("[::1%252]", Some("[::1%2]:443")),
            ("api.example", None),
            ("10.0.0.1%251", None),
            ("[10.0.0.1]", None),
            ("[fe80::1%25no-such-zone]", None),
        ] {
            assert_eq!(found(host).as_deref(), address, "{host}");
        }
        assert!(literal("api.example", 443).is_ok_and(|it| it.is_none()));
        assert!(literal("[fe80::1%25no-such-zone]", 443).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_loopback_interface_has_a_number() {
        let number = std::fs::read_to_string("/sys/class/net/lo/ifindex").unwrap();
        assert_eq!(scope_of("lo").unwrap().to_string(), number.trim());
    }
}
