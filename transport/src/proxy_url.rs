//! The URL of a proxy, and its possible mistakes.

use std::fmt;

use ::ureq::{Proxy, ProxyProtocol};
use payments_base::debug_shows;

use crate::address::has_usable_port;

/// The member of the configuration.
pub(super) const MEMBER: &str = "proxy";

/// A proxy, and how messages name it.
#[derive(Clone)]
pub(crate) struct NamedProxy {
    pub(super) proxy: Proxy,
    pub(super) name: ProxyName,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ProxyName {
    /// With its address, if the configuration has it and that cannot be a
    /// secret.
    pub(super) shown: String,
    /// The member or the variable that names it.
    pub(super) set_by: &'static str,
}

/// Reads the URL of a proxy that `set_by` has.
pub(super) fn named(
    text: &str,
    set_by: &'static str,
    shown: impl FnOnce(&Proxy) -> String,
) -> Result<NamedProxy, InvalidProxy> {
    let proxy = parse(text.trim()).map_err(|flaw| InvalidProxy { set_by, flaw })?;
    let name = ProxyName { shown: shown(&proxy), set_by };
    Ok(NamedProxy { proxy, name })
}

fn parse(text: &str) -> Result<Proxy, Flaw> {
    let is_scheme = |it: &str| it.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let parts = text.split_once("://").filter(|(scheme, _)| is_scheme(scheme));
    let (scheme, rest) = parts.unwrap_or(("http", text));
    if scheme.to_ascii_lowercase().starts_with("socks") {
        return Err(Flaw::Socks);
    }
    // Such a character could end the login, and turn its beginning into a host.
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@%".contains(it);
    let login = rest.rsplit_once('@').map_or("", |(login, _)| login);
    if !login.chars().all(is_plain) {
        return Err(Flaw::Login);
    }
    if rest.contains(['?', '#']) {
        return Err(Flaw::Form);
    }
    let form_or_login = |_| if login.contains('%') { Flaw::Login } else { Flaw::Form };
    let proxy = Proxy::new(text).map_err(form_or_login)?;
    // ureq parses other kinds of proxies too, but then does not use them.
    let is_http = matches!(proxy.protocol(), ProxyProtocol::Http | ProxyProtocol::Https);
    let can_be_used = is_http && !proxy.host().is_empty() && has_usable_port(proxy.uri());
    if can_be_used { Ok(proxy) } else { Err(Flaw::Form) }
}

debug_shows!(NamedProxy, |it| name = it.name);

/// A proxy that cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidProxy {
    pub(super) set_by: &'static str,
    pub(super) flaw: Flaw,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flaw {
    /// It is not the URL of a proxy.
    Form,
    Socks,
    /// Its login has characters that end it.
    Login,
}

impl fmt::Display for InvalidProxy {
    /// Says what is wrong with the value, and never shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const FORM: &str = "http://[user:password@]host:port";
        let Self { set_by, flaw } = self;
        let (subject, or_env) = match *set_by {
            MEMBER => (String::new(), "env or "),
            variable => (format!("{variable} "), ""),
        };
        match flaw {
            Flaw::Form => write!(f, "{subject}must be {or_env}{FORM}"),
            Flaw::Socks => write!(
                f,
                "{subject}names a SOCKS proxy, which is not supported; set {set_by} to \
                 {or_env}{FORM}, or remove it"
            ),
            Flaw::Login => write!(
                f,
                "{subject}has a user or password whose characters must be percent-encoded, as in \
                 {FORM}: write %40 for @, %3A for :, %2F for /, %3F for ?, %23 for #, %5C for \\ \
                 and %25 for %"
            ),
        }
    }
}

impl std::error::Error for InvalidProxy {}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(text: &str, set_by: &'static str) -> Option<String> {
        named(text, set_by, |_| String::new()).err().map(|it| it.to_string())
    }

    #[test]
    fn a_url_is_read_with_or_without_a_scheme_and_space_around_it() {
        for (text, address) in [
            ("http://10.0.0.1:3128", "10.0.0.1:3128"),
            ("HTTP://10.0.0.1:3128/", "10.0.0.1:3128"),
            (" https://proxy.example\n", "proxy.example:443"),
            ("proxy.example:3128", "proxy.example:3128"),
            ("user:word@proxy.example:3128", "proxy.example:3128"),
            ("http://[::1]:3128", "[::1]:3128"),
            ("http://[fe80::1%25eth0]:3128", "[fe80::1%25eth0]:3128"),
            ("http://u:w@rd@proxy.example", "proxy.example:80"),
            ("http://u:50%off@proxy.example", "proxy.example:80"),
            ("http://d%5Cu:p%40%2F%3A%23%20%25%C3%A9@proxy.example", "proxy.example:80"),
        ] {
            let choice = named(text, MEMBER, |it| format!("{}:{}", it.host(), it.port()));
            assert_eq!(choice.unwrap().name.shown, address, "{text}");
        }
    }

    #[test]
    fn an_unusable_url_is_described_and_never_shown() {
        let login = "percent-encoded, as in http://[user:password@]host:port: write %40 for @";
        let socks = "names a SOCKS proxy, which is not supported; set ";
        let form = "http://[user:password@]host:port";
        for (text, said) in [
            ("", form),
            ("http://", form),
            ("ftp://u:CANARY@h", form),
            ("u:CANARY@h o:1", form),
            ("http://u:CANARY@h:84430", form),
            ("http://u:CANARY@h:31a", form),
            ("http://u:CANARY@:3128", form),
            ("http://h:1?CANARY", form),
            ("http://h:1#CANARY", form),
            ("socks5://u:CANARY@h:1", socks),
            ("SOCKS://u:CANARY@h:1", socks),
            ("socks5h://h:1", socks),
            ("http://u:CANARY/w@h:1", login),
            ("http://CANARY/w@h:1", login),
            ("http://u:CANARY?w@h:1", login),
            ("http://u:CANARY#w@h:1", login),
            ("http://CANARY#w@h:1", login),
            ("http://d\\u:CANARY@h:1", login),
            ("http://u:CANARY w@h:1", login),
            ("http://u:CANARY\u{e9}@h:1", login),
            ("http://u:[CANARY]@h:1", login),
            ("u:CANARY://w@h:1", login),
            // These bytes are not UTF-8.
            ("http://u:CANARY%ff@h:1", login),
        ] {
            let of_member = why(text, MEMBER).unwrap_or_else(|| panic!("{text} is read"));
            let of_variable = why(text, "ALL_PROXY").unwrap();
            for message in [&of_member, &of_variable] {
                assert!(message.contains(said) && !message.contains("CANARY"), "{text}: {message}");
            }
            assert!(of_variable.starts_with("ALL_PROXY "), "{of_variable}");
            assert!(!of_member.contains("_PROXY"), "{of_member}");
        }
        assert_eq!(why("h h", MEMBER).unwrap(), "must be env or http://[user:password@]host:port");
    }
}
