//! Through which proxy an address is reached: that of the configuration, or that
//! of the environment.

use ::ureq::Proxy;
use ::ureq::http::Uri;
use payments_base::secret::Secret;

use crate::address::port_of;
use crate::no_proxy::NoProxy;
use crate::proxy_url::{Flaw, InvalidProxy, MEMBER, NamedProxy, named};

/// Whether to use a proxy.
#[derive(Clone, Hash, Default, Debug)]
pub enum ProxySetting {
    /// No proxy, whatever the environment says.
    #[default]
    None,
    /// The proxy from the environment. For `https` the first of `HTTPS_PROXY`,
    /// `ALL_PROXY` and `HTTP_PROXY` that is not empty, for `http` the first of
    /// `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY`; each in lower case first.
    /// Hosts in `NO_PROXY` are reached without it. Under CGI, where
    /// `REQUEST_METHOD` is set, a request can set `HTTP_PROXY`: it is ignored.
    Environment,
    /// `http://[user:password@]host:port`.
    Url(Secret),
}

/// The proxies of a transport.
#[derive(Clone)]
pub struct Proxies {
    https: Option<Choice>,
    http: Option<Choice>,
    no_proxy: NoProxy,
    /// `false` if they are only named by the environment.
    are_used: bool,
}

type Choice = Result<NamedProxy, InvalidProxy>;

/// The result of trying a proxy.
#[doc(hidden)]
#[derive(Debug)]
pub enum ProxyTrial {
    /// It accepts connections.
    Accepts(String),
    /// It does not, for this reason.
    Fails(String),
    /// This variable names it, but `NO_PROXY` has the host.
    Excluded(&'static str),
    /// There is none.
    Unnamed,
}

/// The variables of [`ProxySetting::Environment`] for `https`.
pub const FOR_HTTPS: [&str; 6] =
    ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy", "HTTP_PROXY"];
const FOR_HTTP: [&str; 6] =
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

impl Proxies {
    /// No proxy for any address.
    pub const NONE: Self =
        Self { https: None, http: None, no_proxy: NoProxy::EMPTY, are_used: false };

    /// The proxies of `setting`, and if it says none, those that the environment
    /// names.
    pub(super) fn read(setting: &ProxySetting) -> Self {
        let ProxySetting::Url(url) = setting else {
            let variable =
                |name: &str| std::env::var_os(name).map(|it| it.to_string_lossy().into());
            return Self::of_environment(&variable, matches!(setting, ProxySetting::Environment));
        };
        let is_clear = url.expose().contains("://");
        let shown = |proxy: &Proxy| {
            if is_clear {
                format!("the proxy {}:{}", proxy.host(), proxy.port())
            } else {
                // A slip may have made a password the host.
                "the proxy".to_owned()
            }
        };
        let choice = Some(named(url.expose(), MEMBER, shown));
        Self { https: choice.clone(), http: choice, no_proxy: NoProxy::EMPTY, are_used: true }
    }

    fn of_environment(variable: &dyn Fn(&str) -> Option<String>, are_used: bool) -> Self {
        let is_cgi = variable("REQUEST_METHOD").is_some();
        // Names of variables have no case on Windows.
        let is_of_request =
            |name: &str| is_cgi && (name == "HTTP_PROXY" || cfg!(windows) && name == "http_proxy");
        let value = |name: &'static str| {
            let value = variable(name).filter(|_| !is_of_request(name))?;
            (!value.trim().is_empty()).then_some((name, value))
        };
        let first = |names: [&'static str; 6]| {
            let (name, value) = names.into_iter().find_map(value)?;
            Some(named(&value, name, |_| format!("the proxy that {name} names")))
        };
        let list = ["no_proxy", "NO_PROXY"].into_iter().find_map(value);
        let no_proxy = list.map(|(_, list)| NoProxy::read(&list)).unwrap_or_default();
        Self { https: first(FOR_HTTPS), http: first(FOR_HTTP), no_proxy, are_used }
    }

    /// Fails if a proxy that would be used is invalid.
    pub(super) fn check_all(&self) -> Result<(), InvalidProxy> {
        let choices = [&self.https, &self.http].into_iter().flatten();
        let mut invalid = choices.filter(|_| self.are_used).filter_map(|it| it.as_ref().err());
        invalid.next().map_or(Ok(()), |it| Err(*it))
    }

    /// The proxy through which `uri` is reached.
    pub(super) fn way_to(&self, uri: &Uri) -> Result<Option<&NamedProxy>, InvalidProxy> {
        let choice = self.named_for(uri).filter(|_| self.are_used);
        choice.map(|it| it.as_ref().map_err(|it| *it)).transpose()
    }

    /// The description of a proxy that the environment names for `uri`, and
    /// that is not used.
    pub(super) fn unused_for(&self, uri: &Uri) -> Option<String> {
        if self.are_used {
            let set_by = self.excluded(uri)?;
            return Some(format!(
                "the proxy that {set_by} names was not used, because NO_PROXY has the host"
            ));
        }
        match self.named_for(uri)? {
            Ok(NamedProxy { name, .. }) => Some(format!(
                "{} names a proxy, but no proxy is configured: to use it, set proxy to env",
                name.set_by
            )),
            Err(InvalidProxy { set_by, flaw: Flaw::Socks }) => Some(format!(
                "{set_by} names a proxy, but no proxy is configured, and SOCKS proxies are not \
                 supported: if the network has another proxy, set proxy to its address"
            )),
            Err(_) => None,
        }
    }

    /// The variable that names a proxy from which `NO_PROXY` keeps `uri`.
    pub(super) fn excluded(&self, uri: &Uri) -> Option<&'static str> {
        let choice = self.choice(uri).filter(|_| self.named_for(uri).is_none())?;
        Some(choice.as_ref().map_or_else(|it| it.set_by, |it| it.name.set_by))
    }

    fn choice(&self, uri: &Uri) -> Option<&Choice> {
        if uri.scheme_str() == Some("http") { self.http.as_ref() } else { self.https.as_ref() }
    }

    fn named_for(&self, uri: &Uri) -> Option<&Choice> {
        let choice = self.choice(uri)?;
        let host = uri.host().unwrap_or_default();
        (!self.no_proxy.covers(host, port_of(uri))).then_some(choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECURE: &str = "https://api.example";
    const PLAIN: &str = "http://api.example";

    fn environment(variables: &[(&str, &str)], are_used: bool) -> Proxies {
        let variable = |name: &str| {
            let found = variables.iter().find(|(own, _)| *own == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Proxies::of_environment(&variable, are_used)
    }

    /// The variable whose proxy is used for `url`, or why it cannot be.
    fn chosen(variables: &[(&str, &str)], url: &str) -> Result<&'static str, InvalidProxy> {
        let proxies = environment(variables, true);
        let way = proxies.way_to(&url.parse().unwrap())?;
        Ok(way.map_or("none", |it| it.name.set_by))
    }

    #[test]
    fn the_variable_of_the_scheme_and_lower_case_go_first() {
        const P: &str = "http://10.0.0.1:3128";
        for (names, secure, plain) in [
            (&["HTTPS_PROXY", "ALL_PROXY", "HTTP_PROXY"][..], "HTTPS_PROXY", "HTTP_PROXY"),
            (&["HTTPS_PROXY", "ALL_PROXY"], "HTTPS_PROXY", "HTTPS_PROXY"),
            (&["ALL_PROXY", "HTTP_PROXY"], "ALL_PROXY", "HTTP_PROXY"),
            (&["ALL_PROXY"], "ALL_PROXY", "ALL_PROXY"),
            (&["HTTP_PROXY"], "HTTP_PROXY", "HTTP_PROXY"),
            (&["HTTPS_PROXY", "https_proxy"], "https_proxy", "https_proxy"),
            (&["HTTPS_PROXY", "all_proxy", "http_proxy"], "HTTPS_PROXY", "http_proxy"),
            (&[], "none", "none"),
        ] {
            let variables: Vec<_> = names.iter().map(|name| (*name, P)).collect();
            assert_eq!(chosen(&variables, SECURE), Ok(secure), "{names:?}");
            assert_eq!(chosen(&variables, PLAIN), Ok(plain), "{names:?}");
        }
        let empty = [("https_proxy", ""), ("HTTPS_PROXY", " \n"), ("ALL_PROXY", P)];
        assert_eq!(chosen(&empty, SECURE), Ok("ALL_PROXY"));
    }

    #[test]
    fn under_cgi_no_request_chooses_the_proxy() {
        const P: &str = "http://10.0.0.1:3128";
        let cgi = ("REQUEST_METHOD", "POST");
        for url in [SECURE, PLAIN] {
            assert_eq!(chosen(&[cgi, ("HTTP_PROXY", P)], url), Ok("none"));
            let lower = if cfg!(windows) { "none" } else { "http_proxy" };
            assert_eq!(chosen(&[cgi, ("HTTP_PROXY", P), ("http_proxy", P)], url), Ok(lower));
            assert_eq!(chosen(&[cgi, ("HTTPS_PROXY", P)], url), Ok("HTTPS_PROXY"));
            assert_eq!(environment(&[cgi, ("HTTP_PROXY", P)], false).unused_for(&uri(url)), None);
        }
    }

    fn uri(url: &str) -> Uri {
        url.parse().unwrap()
    }

    #[test]
    fn the_first_list_that_is_not_empty_counts() {
        const P: (&str, &str) = ("HTTPS_PROXY", "http://10.0.0.1:3128");
        for (lists, expected) in [
            (&[("NO_PROXY", "api.example")][..], "none"),
            (&[("no_proxy", "api.example")], "none"),
            (&[("no_proxy", ""), ("NO_PROXY", "api.example")], "none"),
            (&[("no_proxy", "api.example"), ("NO_PROXY", "other.example")], "none"),
            (&[("no_proxy", "other.example"), ("NO_PROXY", "api.example")], "HTTPS_PROXY"),
            (&[("NO_PROXY", "")], "HTTPS_PROXY"),
        ] {
            let variables = [&[P], lists].concat();
            assert_eq!(chosen(&variables, SECURE), Ok(expected), "{lists:?}");
        }
        // A proxy that cannot be used does not matter for a host that needs
        // none.
        let socks = [("ALL_PROXY", "socks5://h:1"), ("NO_PROXY", "api.example")];
        assert_eq!(chosen(&socks, SECURE), Ok("none"));
        assert!(chosen(&socks[..1], SECURE).is_err());
        assert!(environment(&socks, true).check_all().is_err());
    }

    #[test]
    fn a_proxy_that_is_not_used_is_mentioned_only_where_it_would_be() {
        let used = [("HTTPS_PROXY", "http://10.0.0.1:3128"), ("NO_PROXY", "inside.example")];
        assert_eq!(environment(&used, true).unused_for(&uri(SECURE)), None);
        let excluded = environment(&used, true).unused_for(&uri("https://inside.example"));
        let said = "the proxy that HTTPS_PROXY names was not used, because NO_PROXY has the host";
        assert_eq!(excluded.as_deref(), Some(said));
        let unused = environment(&used, false);
        assert!(unused.way_to(&uri(SECURE)).is_ok_and(|it| it.is_none()));
        let said = unused.unused_for(&uri(SECURE)).unwrap();
        assert!(said.starts_with("HTTPS_PROXY names a proxy, but no proxy is"), "{said}");
        assert!(said.ends_with("set proxy to env") && !said.contains("10.0"), "{said}");
        assert_eq!(unused.unused_for(&uri("https://inside.example")), None);
        let socks = environment(&[("ALL_PROXY", "socks5://h:1")], false);
        assert!(socks.check_all().is_ok());
        assert!(socks.unused_for(&uri(SECURE)).unwrap().contains("SOCKS proxies are not"));
        let nonsense = environment(&[("ALL_PROXY", "h h")], false);
        assert_eq!(nonsense.unused_for(&uri(SECURE)), None);
    }
}
