//! The hosts that are not reached through the environment's proxy: the list in
//! `NO_PROXY`.

use std::net::IpAddr;

use crate::address::ip_of;

/// The hosts that a list names. It is read as curl 7.86 and later read it, and
/// `host:port` as in Python. Each item only adds hosts; an item that makes no
/// sense is ignored.
#[doc(hidden)]
#[derive(Clone, Default, Debug)]
pub struct NoProxy(Vec<Item>);

#[derive(Clone, Debug)]
struct Item {
    hosts: Hosts,
    /// The only port; `None` for all.
    port: Option<u16>,
}

#[derive(Clone, Debug)]
enum Hosts {
    All,
    /// The subdomains of a name, and usually the name.
    Domain {
        name: String,
        with_itself: bool,
    },
    /// The addresses that share the first `bits` bits with this one.
    Network {
        address: IpAddr,
        bits: u32,
    },
}

impl NoProxy {
    pub(super) const EMPTY: Self = Self(Vec::new());

    /// Reads a list, whose items are separated by commas or white space.
    pub fn read(list: &str) -> Self {
        let items = list.split(|it: char| it == ',' || it.is_whitespace());
        Self(items.filter_map(Item::read).collect())
    }

    /// Whether the list names the host and port of a URL. An IPv6 address may
    /// have brackets and a zone.
    pub fn covers(&self, host: &str, port: u16) -> bool {
        let host = host.trim_end_matches('.');
        let address = ip_of(host).map(|it| it.to_canonical());
        let of_port = |item: &&Item| item.port.is_none_or(|only| only == port);
        self.0.iter().filter(of_port).any(|item| item.hosts.have(host, address))
    }
}

impl Item {
    fn read(text: &str) -> Option<Self> {
        if let Some(hosts) = Hosts::read(text) {
            return Some(Self { hosts, port: None });
        }
        let (host, port) = text.rsplit_once(':')?;
        Some(Self { hosts: Hosts::read(host)?, port: Some(number(port)?) })
    }
}

impl Hosts {
    fn read(text: &str) -> Option<Self> {
        let (start, bits) = match text.split_once('/') {
            Some((start, bits)) => (start, Some(number(bits)?)),
            None => (text, None),
        };
        if let Some(address) = ip_of(start) {
            return Self::network(address, bits.map(u32::from));
        }
        let (start, with_itself) = match start.strip_prefix('*') {
            Some("") if bits.is_none() => return Some(Self::All),
            Some(rest) if !rest.starts_with('.') => return None,
            Some(rest) => (rest, false),
            None => (start, true),
        };
        let name = start.trim_matches('.');
        let is_name = bits.is_none() && !name.is_empty() && !name.contains([':', '*']);
        is_name.then(|| Self::Domain { name: name.to_owned(), with_itself })
    }

    fn network(address: IpAddr, bits: Option<u32>) -> Option<Self> {
        let width = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.unwrap_or(width);
        let canonical = address.to_canonical();
        match bits {
            _ if bits > width => None,
            // An IPv4 address that is written as an IPv6 address.
            96.. if address.is_ipv6() && canonical.is_ipv4() => {
                Some(Self::Network { address: canonical, bits: bits - 96 })
            }
            _ => Some(Self::Network { address, bits }),
        }
    }

    fn have(&self, host: &str, address: Option<IpAddr>) -> bool {
        match (self, address) {
            (Self::All, _) => true,
            (Self::Network { address, bits }, Some(other)) => share_bits(*address, other, *bits),
            (Self::Domain { name, with_itself }, None) => {
                let start = host.len().checked_sub(name.len());
                let parts = start.and_then(|start| host.split_at_checked(start));
                parts.is_some_and(|(before, end)| {
                    let is_whole = before.is_empty() && *with_itself;
                    end.eq_ignore_ascii_case(name) && (is_whole || before.ends_with('.'))
                })
            }
            _ => false,
        }
    }
}

fn share_bits(one: IpAddr, other: IpAddr, bits: u32) -> bool {
    let (difference, width) = match (one, other) {
        (IpAddr::V4(one), IpAddr::V4(other)) => (u128::from(one.to_bits() ^ other.to_bits()), 32),
        (IpAddr::V6(one), IpAddr::V6(other)) => (one.to_bits() ^ other.to_bits(), 128),
        _ => return false,
    };
    difference.checked_shr(width - bits).unwrap_or(0) == 0
}

fn number(text: &str) -> Option<u16> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}
