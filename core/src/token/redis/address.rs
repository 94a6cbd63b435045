//! Address and credentials of a Redis server.

use payments_base::secret::Secret;
use payments_transport::inside::Uri;
use percent_encoding::percent_decode_str;

const DEFAULT_PORT: u16 = 6379;

/// The parts of a `redis://` or `rediss://` URL.
pub(super) struct RedisAddress {
    pub(super) uses_tls: bool,
    pub(super) user: Option<Secret>,
    pub(super) password: Option<Secret>,
    /// A name or an address, without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) database: u32,
}

impl RedisAddress {
    /// Parses a URL. The error names the mistake without showing any part of
    /// it, since each may contain a password.
    pub(super) fn parse(url: &str) -> Result<Self, &'static str> {
        let (scheme, rest) = url.split_once("://").ok_or(UNKNOWN_SCHEME)?;
        let uses_tls = match scheme {
            "redis" => false,
            "rediss" => true,
            _ => return Err(UNKNOWN_SCHEME),
        };
        if rest.contains('#') {
            return Err("has a fragment; write a # in the password as %23");
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, server) = match authority.rsplit_once('@') {
            Some((login, server)) => (Some(login), server),
            None => (None, authority),
        };
        let (user, password) = match login.map(|login| login.split_once(':').unwrap_or((login, "")))
        {
            None => (None, None),
            Some((user, password)) => (decode(user)?, decode(password)?),
        };
        if user.is_some() && password.is_none() {
            return Err("has a user name without a password; write a password alone as :password@");
        }
        let (host, port) = split_server(server)?;
        let mut database = read_database(path)?;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("db", number)) => database = read_database(number)?,
                _ => return Err("has an unknown query parameter; only db=NUMBER is supported"),
            }
        }
        Ok(Self { uses_tls, user, password, host: host.to_owned(), port, database })
    }

    /// The address in the form that the transport needs. `None` for a host that
    /// is not valid in a URL.
    pub(super) fn uri(&self) -> Option<Uri> {
        let Self { uses_tls, host, port, .. } = self;
        let scheme = if *uses_tls { "https" } else { "http" };
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        format!("{scheme}://{host}:{port}").parse().ok()
    }
}

const UNKNOWN_SCHEME: &str = "must begin with redis:// or rediss://";

fn decode(part: &str) -> Result<Option<Secret>, &'static str> {
    let decoded = percent_decode_str(part)
        .decode_utf8()
        .map_err(|_| "has a user name or a password that is not UTF-8")?;
    Ok((!decoded.is_empty()).then(|| Secret::new(decoded)))
}

fn split_server(server: &str) -> Result<(&str, u16), &'static str> {
    let (host, port) = if let Some(rest) = server.strip_prefix('[') {
        let (host, port) = rest.split_once(']').ok_or("has a [ without its ] before the port")?;
        (host, port.strip_prefix(':').or(port.is_empty().then_some("")))
    } else {
        match server.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (server, Some("")),
        }
    };
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:%".contains(&byte);
    if host.is_empty() || !host.bytes().all(is_host) {
        return Err("needs a host; write / ? # @ and : in the password as %2F %3F %23 %40 and %3A");
    }
    let port = match port {
        Some("") => Some(DEFAULT_PORT),
        Some(port) => port.parse().ok().filter(|port| *port != 0),
        None => None,
    };
    Ok((host, port.ok_or("has a port that is not a number from 1 to 65535")?))
}

fn read_database(text: &str) -> Result<u32, &'static str> {
    if text.is_empty() {
        Ok(0)
    } else {
        text.parse().map_err(|_| "has a database that is not a number")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_an_address_are_read() {
        let read = |url: &str| {
            let address = RedisAddress::parse(url).unwrap();
            let exposed = |secret: Option<Secret>| secret.map(|s| s.expose().to_owned());
            (
                address.uses_tls,
                exposed(address.user),
                exposed(address.password),
                format!("{} {} {}", address.host, address.port, address.database),
            )
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read("redis://cache"), (false, None, None, "cache 6379 0".into()));
        assert_eq!(read("redis://10.0.0.1:7000/"), (false, None, None, "10.0.0.1 7000 0".into()));
        assert_eq!(
            read("rediss://:p%40ss%2F@cache.example:1/3"),
            (true, None, some("p@ss/"), "cache.example 1 3".into())
        );
        assert_eq!(
            read("redis://user:p:w@[::1]:7000?db=2"),
            (false, some("user"), some("p:w"), "::1 7000 2".into())
        );
        assert_eq!(read("redis://[::1]"), (false, None, None, "::1 6379 0".into()));
    }

    #[test]
    fn other_addresses_are_refused_and_not_shown() {
        for url in [
            "",
            "redis:cache",
            "http://hunter2",
            "redis://",
            "redis://:hunter2@",
            "redis://hunter2@cache",
            "redis://cache:hunter2",
            "redis://cache:0",
            "redis://cache/hunter2",
            "redis://cache?hunter2=1",
            "redis://:hunter2/@cache",
            "redis://:hunter2#@cache",
            "redis://[::1:6379",
            "redis://[::1]hunter2",
            "redis://:%ff@cache",
        ] {
            let problem = RedisAddress::parse(url).err().unwrap_or_else(|| panic!("{url}"));
            assert!(!problem.contains("hunter2"), "{problem}");
        }
    }
}
